package usage_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// TestScenarios runs the files under testdata/scenarios. Each file is one behaviour; its commands share one cluster, so that
// a later command builds on what an earlier one left behind.
//
//	node NAME          input: cards, as "g0 memory=24576 mode=mig slots=7"; mode mig has the profiles of the fixture MG
//	pod NAME           arguments: classes node bound phase bind-phase deleted; input: allocated, mig, init NAME=CODE
//	usage NODE         of the named pods, or of all
//	read POD           what a pod holds
//	observe POD        brings the ledger up to date; shows the ledger's view of the pod's node
//	quota NS/NAME      puts limits in force; input: resource=value
//	drop-quota NS/NAME takes them out of force
//	take, give POD     counts what a pod holds
//	allows NS          input: memory/cores to be tried
func TestScenarios(t *testing.T) {
	datadriven.Walk(t, "testdata/scenarios", func(t *testing.T, path string) {
		s := &scenario{set: vendors.Default(), nodes: map[string]*corev1.Node{}, pods: map[string]*corev1.Pod{}}
		s.quotas = usage.NewQuotas(s.set)
		commands := map[string]func(*testing.T, *datadriven.TestData) string{
			"set": s.settings, "node": s.node, "pod": s.pod, "usage": s.usage, "read": s.read, "observe": s.observe,
			"quota": s.quota, "drop-quota": s.dropQuota, "take": s.take, "give": s.give, "allows": s.allows, "managed": s.managed,
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
	set    *vendors.Set
	nodes  map[string]*corev1.Node
	pods   map[string]*corev1.Pod
	order  []string // of pods, as they came
	ledger usage.Ledger
	quotas usage.Quotas
}

// settings makes the set anew: memory-factor=N, quirks.
func (s *scenario) settings(t *testing.T, d *datadriven.TestData) string {
	config := nvidia.DefaultConfig()
	var quirks device.Quirks
	if d.HasArg("memory-factor") {
		d.ScanArgs(t, "memory-factor", &config.MemoryFactor)
	}
	if d.HasArg("quirks") {
		quirks = device.AllQuirks
	}
	b, err := nvidia.New(config)
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	set, err := vendors.New(b)
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	s.set = set.With(vendors.Options{Quirks: quirks})
	s.quotas = usage.NewQuotas(s.set)
	return "ok"
}

func first(t *testing.T, d *datadriven.TestData) string {
	t.Helper()
	if len(d.CmdArgs) == 0 || len(d.CmdArgs[0].Vals) > 0 {
		d.Fatalf(t, "%s: name missing", d.Cmd)
	}
	return d.CmdArgs[0].Key
}

// words reads a line of words key=value; the first word is a name.
func words(line string) (name string, out map[string]string) {
	out = map[string]string{}
	for i, word := range strings.Fields(line) {
		key, value, _ := strings.Cut(word, "=")
		if i == 0 {
			name = word
			continue
		}
		out[key] = value
	}
	return name, out
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

func (s *scenario) node(t *testing.T, d *datadriven.TestData) string {
	var cards []device.DeviceInfo
	for line := range strings.Lines(d.Input) {
		id, w := words(line)
		c := testkit.Card(id, number(t, d, w["memory"], 24576))
		if w["mode"] == "mig" {
			c = testkit.MIGCard(id)
		} else if mode, ok := w["mode"]; ok {
			c.Mode = mode
		}
		c.Slots = number(t, d, w["slots"], c.Slots)
		_, sick := w["unhealthy"]
		c.Healthy = !sick
		cards = append(cards, c)
	}
	s.nodes[first(t, d)] = testkit.Node(first(t, d), cards...)
	return fmt.Sprintf("%d cards", len(cards))
}

func (s *scenario) pod(t *testing.T, d *datadriven.TestData) string {
	name := first(t, d)
	arg := func(key string) string {
		var value string
		if d.HasArg(key) {
			d.ScanArgs(t, key, &value)
		}
		return value
	}
	classes := []device.ContainerClass{device.App}
	if d.HasArg("classes") {
		classes = nil
		for _, c := range d.CmdArgs[slices.IndexFunc(d.CmdArgs, func(a datadriven.CmdArg) bool { return a.Key == "classes" })].Vals {
			classes = append(classes, map[string]device.ContainerClass{"app": device.App, "init": device.Init, "sidecar": device.Sidecar}[c])
		}
	}
	pod := newPod(name, classes)
	for key, value := range map[string]string{device.AnnotationNode: arg("node"), device.AnnotationBindPhase: arg("bind-phase")} {
		if value != "" {
			pod.Annotations[key] = value
		}
	}
	pod.Spec.NodeName, pod.Status.Phase = arg("bound"), corev1.PodPhase(arg("phase"))
	if d.HasArg("deleted") {
		pod.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
	}
	s.lines(t, d, pod)
	if _, known := s.pods[name]; !known {
		s.order = append(s.order, name)
	}
	s.pods[name] = pod
	return "ok"
}

// lines reads the input of a pod: its annotations and the states of its init containers.
func (s *scenario) lines(t *testing.T, d *datadriven.TestData, pod *corev1.Pod) {
	t.Helper()
	for line := range strings.SplitSeq(strings.TrimSpace(d.Input), "\n") {
		key, value, _ := strings.Cut(line, " ")
		switch key {
		case "":
		case "allocated":
			pod.Annotations[nvidia.AnnotationAllocated] = value
		case "mig":
			pod.Annotations[device.AnnotationMIGReservation] = reservations(value)
		case "init":
			container, code, _ := strings.Cut(value, "=")
			status := corev1.ContainerStatus{Name: container}
			if code == "running" {
				status.State.Running = &corev1.ContainerStateRunning{}
			} else {
				status.State.Terminated = &corev1.ContainerStateTerminated{ExitCode: int32(number(t, d, code, 0))}
			}
			pod.Status.InitContainerStatuses = append(pod.Status.InitContainerStatuses, status)
		default:
			d.Fatalf(t, "no line %q", line)
		}
	}
}

// reservations writes the annotation for a list like "m0@6 m0@1/1", read as instances 1g.5gb at a slice of a card, and the
// container they are for; any other text is taken as it is.
func reservations(list string) string {
	var out []string
	index := map[string]int{}
	for word := range strings.FieldsSeq(list) {
		word, container, found := strings.Cut(word, "/")
		if !found {
			container = "0"
		}
		id, start, ok := strings.Cut(word, "@")
		if !ok {
			return list
		}
		out = append(out, fmt.Sprintf(`{"containerIndex":%s,"deviceIndex":%d,"gpuUUID":%q,"profile":"1g.5gb","placement":{"start":%s,"size":1}}`,
			container, index[container], id, start))
		index[container]++
	}
	return "[" + strings.Join(out, ",") + "]"
}

func report(text string, problems []device.Problem) string {
	for _, p := range problems {
		text += "problem: " + p.Error() + "\n"
	}
	return text
}

func (s *scenario) usage(t *testing.T, d *datadriven.TestData) string {
	names := s.order
	if d.HasArg("pods") {
		names = d.CmdArgs[1].Vals
	}
	var pods []*corev1.Pod
	for _, name := range names {
		pods = append(pods, s.pods[name])
	}
	n, problems := usage.Node(s.set, s.nodes[first(t, d)], pods)
	return report(testkit.Table(n), problems)
}

func (s *scenario) read(t *testing.T, d *datadriven.TestData) string {
	h, ok, problems := usage.Read(s.set, s.pods[first(t, d)])
	if !ok {
		return report("nothing\n", problems)
	}
	text := fmt.Sprintf("node %s, released %t\n", h.Node, h.Released)
	for _, hold := range h.Allocation.Collapse() {
		text += fmt.Sprintf("%s: slots %d, memory %d, cores %d\n", hold.ID, hold.Slots, hold.Memory, hold.Cores)
	}
	for _, r := range h.Reservations {
		text += fmt.Sprintf("reserved %s@%d of %s for container %d\n", r.Profile, r.Placement.Start, r.GPUUUID, r.ContainerIndex)
	}
	for _, b := range h.Blocked {
		text += fmt.Sprintf("blocked %s %q\n", b.Vendor, b.ID)
	}
	return report(text, problems)
}

func (s *scenario) observe(t *testing.T, d *datadriven.TestData) string {
	pod := s.pods[first(t, d)]
	var problems []device.Problem
	s.ledger, problems = s.ledger.Observe(s.set, pod)
	text := fmt.Sprintf("%d pods hold devices\n", s.ledger.Len())
	for _, n := range []string{"n1", "n2"} {
		if node := s.nodes[n]; node != nil {
			text += testkit.Table(s.ledger.Node(s.set.Inventory(node)))
		}
	}
	return report(text, problems)
}

func (s *scenario) quota(t *testing.T, d *datadriven.TestData) string {
	namespace, name, _ := strings.Cut(first(t, d), "/")
	rq := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	rq.Spec.Hard = corev1.ResourceList{}
	for line := range strings.Lines(d.Input) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		rq.Spec.Hard[corev1.ResourceName(key)] = resource.MustParse(value)
	}
	s.quotas = s.quotas.Set(rq)
	return s.left(namespace)
}

func (s *scenario) dropQuota(t *testing.T, d *datadriven.TestData) string {
	namespace, name, _ := strings.Cut(first(t, d), "/")
	s.quotas = s.quotas.Delete(namespace, name)
	return s.left(namespace)
}

func (s *scenario) left(namespace string) string {
	h, limited := s.quotas.Headroom(namespace)[nvidia.Vendor]
	if !limited {
		return "no limit"
	}
	show := func(l device.Limit) string {
		if !l.Set {
			return "any"
		}
		return strconv.FormatInt(l.Left, 10)
	}
	return fmt.Sprintf("left: memory %s, cores %s", show(h.Memory), show(h.Cores))
}

func (s *scenario) take(t *testing.T, d *datadriven.TestData) string {
	h := mustRead(t, s.set, s.pods[first(t, d)])
	s.quotas = s.quotas.Take(h.Namespace, h.Allocation, nil)
	return s.left(h.Namespace)
}

func (s *scenario) give(t *testing.T, d *datadriven.TestData) string {
	h := mustRead(t, s.set, s.pods[first(t, d)])
	s.quotas = s.quotas.Give(h.Namespace, h.Allocation, nil)
	return s.left(h.Namespace)
}

func (s *scenario) allows(t *testing.T, d *datadriven.TestData) string {
	var out []string
	for amounts := range strings.FieldsSeq(d.Input) {
		memory, cores, _ := strings.Cut(amounts, "/")
		h := s.quotas.Headroom(first(t, d))[nvidia.Vendor]
		verdict := "refuse"
		if h.Allows(number(t, d, memory, 0), number(t, d, cores, 0)) {
			verdict = "accept"
		}
		out = append(out, amounts+" "+verdict)
	}
	return strings.Join(out, "\n")
}

func (s *scenario) managed(_ *testing.T, d *datadriven.TestData) string {
	var out []string
	for name := range strings.FieldsSeq(d.Input) {
		out = append(out, fmt.Sprintf("%s %t", name, s.quotas.Managed(name)))
	}
	return strings.Join(out, "\n")
}
