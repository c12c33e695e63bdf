package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// World is a cluster that commands build up and ask about. Use [New].
type World struct {
	set      *vendors.Set
	profiles map[string][]device.MIGProfile
	names    map[string]string                     // short names of resources, see nvidiaNames
	known    map[device.Vendor]device.HealthMemory // see health
	nodes    map[string]*corev1.Node
	pods     []*corev1.Pod
	quotas   usage.Quotas
}

// New is an empty cluster under the built-in configuration.
func New() *World {
	w := &World{
		profiles: map[string][]device.MIGProfile{}, names: maps.Clone(nvidiaNames), known: map[device.Vendor]device.HealthMemory{},
	}
	w.use(vendors.Default())
	return w
}

// use starts anew with a set; profiles stay.
func (w *World) use(set *vendors.Set) {
	w.set, w.nodes, w.pods = set, map[string]*corev1.Node{}, nil
	w.quotas = usage.NewQuotas(set)
}

// Arg is an argument of a command, "key", "key=value" or "key=(value, value)".
type Arg struct {
	Key  string
	Vals []string
}

type command struct {
	args  []Arg
	input string
}

// Do carries a command out and returns its answer.
func (w *World) Do(name string, args []Arg, input string) (string, error) {
	c := &command{args, input}
	switch name {
	case "config":
		return w.config(c)
	case "profiles":
		return "", w.addProfiles(c)
	case "names":
		return "", w.addNames(c)
	case "node":
		return "", w.node(c)
	case "existing":
		return "", w.existing(c)
	case "end":
		return "", w.end(c.name())
	case "quota":
		return "", w.setQuota(c)
	case "usage":
		return w.showUsage(c.name()), nil
	case "inventory":
		return w.showInventory(c), nil
	case "health":
		return w.health(c)
	}
	ask, ok := map[string]func(*command, *corev1.Pod) (string, error){
		"request": w.request, "admit": w.admit, "fit": w.fit, "place": w.place, "filter": w.filter, "why": w.why,
		"score": w.score, "annotations": w.annotations,
	}[name]
	if !ok {
		return "", fmt.Errorf("no command %q", name)
	}
	return w.each(c, ask)
}

// each asks about every pod of a command.
func (w *World) each(c *command, ask func(*command, *corev1.Pod) (string, error)) (string, error) {
	pods, err := w.parsePods(c.input)
	if err != nil {
		return "", err
	}
	var out []string
	for _, pod := range pods {
		text, err := ask(c, pod)
		if err != nil {
			return "", err
		}
		out = append(out, strings.TrimSuffix(text, "\n"))
	}
	return strings.Join(out, "\n"), nil
}

// backend is the one that the argument vendor names; NVIDIA's where it is not given.
func (w *World) backend(c *command) (device.Backend, error) {
	v := nvidia.Vendor
	if name := c.value("vendor"); name != "" {
		v = device.Vendor(name)
	}
	if b := w.set.Backend(v); b != nil {
		return b, nil
	}
	return nil, fmt.Errorf("no vendor %q", v)
}

// name is the first argument.
func (c *command) name() string {
	if len(c.args) == 0 {
		return ""
	}
	return c.args[0].Key
}

func (c *command) has(key string) bool {
	return slices.ContainsFunc(c.args, func(a Arg) bool { return a.Key == key })
}

func (c *command) values(key string) []string {
	for _, a := range c.args {
		if a.Key == key {
			return a.Vals
		}
	}
	return nil
}

func (c *command) value(key string) string { return strings.Join(c.values(key), ",") }

func (c *command) lines() []string {
	return slices.DeleteFunc(strings.Split(c.input, "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
}

// addNames gives resources short names: "vmlu cambricon.com/vmlu" per line.
func (w *World) addNames(c *command) error {
	for _, line := range c.lines() {
		short, long, ok := strings.Cut(line, " ")
		if !ok {
			return fmt.Errorf("no name %q", line)
		}
		w.names[short] = long
	}
	return nil
}

var quirks = map[string]device.Quirks{
	"SidecarIsInit": device.SidecarIsInit, "LastNUMARun": device.LastNUMARun, "QuotaByRequest": device.QuotaByRequest,
	"MIGSlotsUnchecked": device.MIGSlotsUnchecked, "QuotaAtAdmission": device.QuotaAtAdmission, "OneCardOfMetaX": device.OneCardOfMetaX, "WholeCardIs48GiB": device.WholeCardIs48GiB,
	"EnflameByPercent": device.EnflameByPercent, "all": device.AllQuirks,
}

// config makes everything anew. Without input the built-in configuration is used.
func (w *World) config(c *command) (string, error) {
	set := vendors.Default()
	if c.input != "" {
		var err error
		if set, err = vendors.Load([]byte(c.input)); err != nil {
			return err.Error(), nil
		}
	}
	o := vendors.Options{NodePolicy: c.value("node-policy"), DevicePolicy: c.value("device-policy")}
	for _, name := range c.values("quirks") {
		q, ok := quirks[name]
		if !ok {
			return "", fmt.Errorf("no quirk %q", name)
		}
		o.Quirks |= q
	}
	w.use(set.With(o))
	var out []string
	for _, p := range set.Problems() {
		out = append(out, p.Error())
	}
	return strings.Join(out, "\n"), nil
}

// existing adds a running pod with what its annotations say that it holds.
func (w *World) existing(c *command) error {
	backend, err := w.backend(c)
	if err != nil {
		return err
	}
	pod := &corev1.Pod{}
	pod.Name = fmt.Sprintf("existing-%d", len(w.pods))
	if name := c.value("name"); name != "" {
		pod.Name = name
	}
	pod.Namespace, pod.Spec.NodeName, pod.Status.Phase = "default", c.name(), corev1.PodRunning
	pod.Annotations = map[string]string{device.AnnotationNode: c.name()}
	var reserved []string
	for _, line := range c.lines() {
		word, rest, _ := strings.Cut(line, " ")
		if word == "holds" {
			word, rest = "allocated", holds(backend.Vendor(), strings.Fields(rest))
		}
		switch word {
		case "allocated":
			pod.Annotations[backend.Names().Allocated] = rest
			for range strings.Count(rest, ";") {
				pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{})
			}
		case "reserved":
			text, err := reservation(rest, len(reserved))
			if err != nil {
				return err
			}
			reserved = append(reserved, text)
		default:
			key, value, ok := strings.Cut(line, ": ")
			if !ok {
				return fmt.Errorf("no line %q", line)
			}
			pod.Annotations[key] = value
		}
	}
	if reserved != nil {
		pod.Annotations[nvidia.AnnotationMIG] = "[" + strings.Join(reserved, ",") + "]"
	}
	w.pods = append(w.pods, pod)
	return nil
}

// holds writes "MIB/CORES ID…" as an allocation of one container; "ID*N" is N times the same device.
func holds(v device.Vendor, fields []string) string {
	var b strings.Builder
	for i := 1; i < len(fields); i++ {
		id, times, _ := strings.Cut(fields[i], "*")
		n, _ := strconv.Atoi(times)
		for range max(1, n) {
			fmt.Fprintf(&b, "%s,%s,%s:", id, v, strings.Replace(fields[0], "/", ",", 1))
		}
	}
	return b.String() + ";"
}

func reservation(line string, n int) (string, error) {
	var id, profile string
	var start, size, container int
	at := n
	if _, err := fmt.Sscanf(line, "%s %s %d+%d %d/%d", &id, &profile, &start, &size, &container, &at); err != nil {
		if _, err := fmt.Sscanf(line, "%s %s %d+%d", &id, &profile, &start, &size); err != nil {
			return "", fmt.Errorf("reserved %s: %w", line, err)
		}
	}
	return fmt.Sprintf(`{"containerIndex":%d,"deviceIndex":%d,"gpuUUID":%q,"profile":%q,"placement":{"start":%d,"size":%d}}`,
		container, at, id, profile, start, size), nil
}

// end removes a pod and gives back what it took of its quota.
func (w *World) end(name string) error {
	for i, pod := range w.pods {
		if pod.Name != name {
			continue
		}
		if h, ok, _ := usage.Read(w.set, pod); ok {
			w.quotas = w.quotas.Give(pod.Namespace, h.Allocation, w.set.Inventory(w.object(h.Node)))
		}
		w.pods = slices.Delete(w.pods, i, i+1)
		return nil
	}
	return fmt.Errorf("no pod %q", name)
}

func (w *World) setQuota(c *command) error {
	namespace, name, _ := strings.Cut(c.name(), "/")
	if c.input == "" {
		w.quotas = w.quotas.Delete(namespace, name)
		return nil
	}
	rq := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	rq.Spec.Hard = corev1.ResourceList{}
	for _, line := range c.lines() {
		key, value, _ := strings.Cut(line, " ")
		q, err := resource.ParseQuantity(value)
		if err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
		rq.Spec.Hard[corev1.ResourceName("limits."+w.resourceName(key))] = q
	}
	w.quotas = w.quotas.Set(rq)
	return nil
}

// object is a node. One that was never described has no annotations.
func (w *World) object(name string) *corev1.Node {
	if node, ok := w.nodes[name]; ok {
		return node
	}
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

// usageOf is a node with what the pods hold there.
func (w *World) usageOf(name string) (*device.NodeUsage, []device.Problem) {
	return usage.Node(w.set, w.object(name), w.pods)
}

// put records a pod with the annotations that it would be given.
func (w *World) put(pod *corev1.Pod, node string, a *device.Allocation) {
	pod.Annotations = w.annotated(pod, node, a)
	pod.Spec.NodeName, pod.Status.Phase = node, corev1.PodRunning
	if pod.UID == "" {
		pod.UID = types.UID(pod.Name)
	}
	w.quotas = w.quotas.Take(pod.Namespace, a, w.set.Inventory(w.object(node)))
	w.pods = append(w.pods, pod)
}
