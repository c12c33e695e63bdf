package simulate_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// TestScenarios runs the files under testdata/scenarios. Each file is one behaviour.
//
//	template NAME   makes a template; input: cards, as "g0 memory=10000 mode=mig numa=1 unhealthy"; arguments: keep-health,
//	                keep-cordon, keep-ids, keep-usage, cordon=(ids), daemons=(pods), no-annotation, annotation=text
//	pods            makes pods, a line for each as podOf reads it; "a*3 …" is a0, a1, a2
//	forget          forgets the pods and the quotas
//	quota NS/NAME   input: resource=value
//	estimate NAME   arguments: pods=(names, otherwise all), max-nodes, refuse=(pods that no node is allowed for),
//	                alone=(pods that want a node for themselves)
//	group NAME      a node group; arguments: template (otherwise that of the same name), price, max
//	scale-up NAME   by a strategy; arguments: pods, max-nodes, groups=(names, otherwise all)
func TestScenarios(t *testing.T) {
	datadriven.Walk(t, "testdata/scenarios", func(t *testing.T, path string) {
		s := &scenario{set: vendors.Default(), templates: map[string]simulate.Template{}, pods: map[string]*corev1.Pod{}}
		s.quotas = usage.NewQuotas(s.set)
		commands := map[string]func(*testing.T, *datadriven.TestData) string{
			"template": s.template, "pods": s.makePods, "forget": s.forget, "quota": s.quota, "estimate": s.estimate,
			"group": s.group, "scale-up": s.scaleUp,
		}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			run, ok := commands[d.Cmd]
			if !ok {
				d.Fatalf(t, "no command %q", d.Cmd)
			}
			return run(t, d)
		})
	})
}

type scenario struct {
	set       *vendors.Set
	templates map[string]simulate.Template
	groups    []simulate.NodeGroup
	pods      map[string]*corev1.Pod
	order     []string
	quotas    usage.Quotas
}

// values are those of an argument; nil if it is not there.
func values(d *datadriven.TestData, key string) []string {
	for _, a := range d.CmdArgs[min(1, len(d.CmdArgs)):] {
		if a.Key == key {
			return slices.DeleteFunc(append([]string{}, a.Vals...), func(v string) bool { return v == "" })
		}
	}
	return nil
}

func number(t *testing.T, d *datadriven.TestData, text string, otherwise int64) int64 {
	t.Helper()
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	return n
}

func intArg(t *testing.T, d *datadriven.TestData, key string) int {
	t.Helper()
	if v := values(d, key); v != nil {
		return int(number(t, d, v[0], 0))
	}
	return 0
}

func (s *scenario) template(t *testing.T, d *datadriven.TestData) string {
	var devices []device.DeviceInfo
	for line := range strings.Lines(d.Input) {
		words := strings.Fields(line)
		w := map[string]string{}
		for _, word := range words[1:] {
			key, value, _ := strings.Cut(word, "=")
			w[key] = value
		}
		c := testkit.Card(words[0], number(t, d, w["memory"], 10000))
		if w["mode"] == "mig" {
			c = testkit.MIGCard(words[0])
		}
		_, sick := w["unhealthy"]
		c.Index, c.NUMA, c.Healthy = len(devices), int(number(t, d, w["numa"], 0)), !sick
		devices = append(devices, c)
	}
	name := d.CmdArgs[0].Key
	out := simulate.Template{Node: testkit.Node(name, devices...), Options: simulate.TemplateOptions{
		KeepHealth: values(d, "keep-health") != nil, KeepCordon: values(d, "keep-cordon") != nil,
		KeepIDs: values(d, "keep-ids") != nil, KeepUsage: values(d, "keep-usage") != nil,
	}}
	if v := values(d, "cordon"); v != nil {
		out.Node.Annotations[device.AnnotationCordon] = strings.Join(v, ",")
	}
	if v := values(d, "annotation"); v != nil {
		out.Node.Annotations[nvidia.AnnotationRegister] = v[0]
	}
	if values(d, "no-annotation") != nil {
		delete(out.Node.Annotations, nvidia.AnnotationRegister)
	}
	for _, p := range values(d, "daemons") {
		out.Pods = append(out.Pods, s.pods[p])
	}
	s.templates[name] = out
	return fmt.Sprintf("%d cards", len(devices))
}

func (s *scenario) makePods(_ *testing.T, d *datadriven.TestData) string {
	for line := range strings.Lines(d.Input) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		names := []string{name}
		if stem, n, many := strings.Cut(name, "*"); many {
			names = nil
			count, _ := strconv.Atoi(n)
			for i := range count {
				names = append(names, stem+strconv.Itoa(i))
			}
		}
		for _, name := range names {
			s.pods[name] = podOf(name + " " + rest)
			s.order = append(s.order, name)
		}
	}
	return fmt.Sprintf("%d pods", len(s.order))
}

func (s *scenario) forget(*testing.T, *datadriven.TestData) string {
	s.order, s.pods, s.quotas = nil, map[string]*corev1.Pod{}, usage.NewQuotas(s.set)
	return "0 pods"
}

func (s *scenario) quota(_ *testing.T, d *datadriven.TestData) string {
	namespace, name, _ := strings.Cut(d.CmdArgs[0].Key, "/")
	rq := quotaOf(namespace, name, nil)
	for line := range strings.Lines(d.Input) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		rq.Spec.Hard[corev1.ResourceName(key)] = resource.MustParse(value)
	}
	s.quotas = s.quotas.Set(rq)
	return "ok"
}

func (s *scenario) chosen(d *datadriven.TestData) (out []*corev1.Pod) {
	names := s.order
	if v := values(d, "pods"); v != nil {
		names = v
	}
	for _, name := range names {
		out = append(out, s.pods[name])
	}
	return out
}

var (
	errTainted = errors.New("node is tainted")
	errAlone   = errors.New("wants a node for itself")
)

func (s *scenario) limits(t *testing.T, d *datadriven.TestData) simulate.Limits {
	refuse, alone := values(d, "refuse"), values(d, "alone")
	return simulate.Limits{
		MaxNodes: intArg(t, d, "max-nodes"), Quotas: s.quotas,
		Allow: func(pod *corev1.Pod, _ *corev1.Node, on []*corev1.Pod) error {
			if slices.Contains(refuse, pod.Name) {
				return errTainted
			}
			for _, other := range on {
				if slices.Contains(alone, pod.Name) || slices.Contains(alone, other.Name) {
					return errAlone
				}
			}
			return nil
		},
	}
}

func (s *scenario) estimate(t *testing.T, d *datadriven.TestData) string {
	e := simulate.Estimate(s.set, s.templates[d.CmdArgs[0].Key], s.chosen(d), s.limits(t, d))
	return estimatedText(&e) + problemsText(e.Problems)
}

func estimatedText(e *simulate.Estimated) string {
	var b strings.Builder
	for _, n := range e.Nodes {
		b.WriteString(n.Name + ":")
		for i, pod := range n.Pods {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(" " + pod.Name)
			if devices := devicesOf(n.Placed[i], n.Name); devices != "" {
				b.WriteString(" " + devices)
			}
		}
		b.WriteByte('\n')
	}
	for _, u := range e.Unplaced {
		b.WriteString("no place for " + u.Pod.Name + ": " + why(u) + "\n")
	}
	fmt.Fprintf(&b, "lower bound %d\n", e.LowerBound)
	return b.String()
}

func why(u simulate.Unplaced) string {
	switch {
	case u.Err != nil:
		return u.Err.Error()
	case u.Limit:
		return "limit reached"
	}
	return u.Reasons.Detail()
}

func problemsText(problems []device.Problem) (out string) {
	for _, p := range problems {
		out += "problem: " + p.Error() + "\n"
	}
	return out
}

func (s *scenario) group(t *testing.T, d *datadriven.TestData) string {
	g := simulate.NodeGroup{Name: d.CmdArgs[0].Key, MaxNew: intArg(t, d, "max"), Price: float64(intArg(t, d, "price"))}
	template := g.Name
	if v := values(d, "template"); v != nil {
		template = v[0]
	}
	g.Template = s.templates[template]
	s.groups = slices.DeleteFunc(s.groups, func(o simulate.NodeGroup) bool { return o.Name == g.Name })
	s.groups = append(s.groups, g)
	return "ok"
}

func (s *scenario) scaleUp(t *testing.T, d *datadriven.TestData) string {
	groups := s.groups
	if v := values(d, "groups"); v != nil {
		groups = nil
		for _, name := range v {
			groups = append(groups, s.groups[slices.IndexFunc(s.groups, func(g simulate.NodeGroup) bool { return g.Name == name })])
		}
	}
	strategy, err := simulate.ParseStrategy(d.CmdArgs[0].Key)
	if err != nil {
		return err.Error()
	}
	plan := simulate.ScaleUp(s.set, groups, s.chosen(d), strategy, s.limits(t, d))
	var b strings.Builder
	for _, step := range plan.Steps {
		fmt.Fprintf(&b, "grow %s by %d, waste %.0f %%, price %g\n", step.Group, len(step.Nodes), 100*step.Waste, step.Price)
		for _, n := range step.Nodes {
			var names []string
			for _, p := range n.Pods {
				names = append(names, p.Name)
			}
			b.WriteString("  " + n.Name + ": " + strings.Join(names, " ") + "\n")
		}
	}
	for _, u := range plan.Unplaced {
		b.WriteString("no place for " + u.Pod.Name + "\n")
		for i, g := range u.Groups {
			b.WriteString("  " + groups[i].Name + ": " + why(g) + "\n")
		}
	}
	return b.String() + problemsText(plan.Problems)
}
