package answer

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/whatif/internal/keys"
	"github.com/accelfit/accelfit/examples/whatif/internal/problem"
	"github.com/accelfit/accelfit/score"
	"github.com/accelfit/accelfit/vendors/ascend"
)

func cutLimits(name string) (string, bool) { return strings.CutPrefix(name, "limits.") }

func wholeOr(q resource.Quantity) string { return whole(q, 1000) }

// pod checks what a pod asks for, and what it holds. Pods that have ended are nobody's problem.
func (c *checker) pod(p *corev1.Pod) {
	if p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
		return
	}
	c.running(p)
	if c.w.nodeOf(p) == "" {
		if err := c.w.ask(p).invalid; err != nil {
			x := c.w.instead(err)
			do := "mend the pod: it fits nowhere"
			if x.Write != "" {
				do = "write " + x.Write
			}
			if d := (*device.RequestError)(nil); !errors.As(err, &d) && x.Write != "" {
				do = x.Write
			}
			c.problems(SeverityError, "pod "+podName(p), err, always(do))
		}
	}
	asks := c.named(p)
	for _, name := range slices.Sorted(maps.Keys(p.Annotations)) {
		c.annotation(p, name, asks)
	}
}

// named lists the vendors of which a pod names a resource, whether or not a request can be made of it.
func (c *checker) named(p *corev1.Pod) []device.Vendor {
	var out []device.Vendor
	for _, b := range c.w.set.Backends() {
		n := b.Names()
		if slices.ContainsFunc(containersOf(p), func(x *corev1.Container) bool {
			return slices.ContainsFunc(slices.Concat([]string{n.Count, n.Memory, n.Percent, n.Cores}, n.Others), func(name string) bool {
				_, found := device.Quantity(x, name)
				return found
			})
		}) {
			out = append(out, b.Vendor())
		}
	}
	return out
}

// annotation checks one annotation of a pod.
func (c *checker) annotation(p *corev1.Pod, name string, asks []device.Vendor) {
	object, k, text := "pod "+podName(p), c.book.Pod(name), p.Annotations[name]
	warn := func(field, why, do string) { c.add(SeverityWarning, object, name, field, why, do) }
	switch near := meant(c.book, name); {
	case k == nil && near != "":
		warn("", "nobody reads this annotation", "write "+near+", if that is what is meant")
		return
	case k == nil || !k.Asked():
		return
	case len(asks) == 0:
		warn("", "the pod asks for no device", "take it out, or ask for a device: it has no effect")
		return
	case !slices.ContainsFunc(asks, k.For):
		warn("", fmt.Sprintf("is for %s, but the pod asks for %s", k.VendorNames(), vendorList(asks)),
			"use the annotation of the vendor asked for: this one has no effect")
		return
	}
	switch k.Kind {
	case keys.IDs:
		c.ids(p, k, text, asks)
	case keys.Models:
		c.modelNames(p, k, text)
	case keys.Modes:
		c.mode(p, k, text, warn)
	case keys.DevicePolicy, keys.NodePolicy:
		words := devicePolicies()
		if k.Kind == keys.NodePolicy {
			words = nodePolicies()
		}
		if wrong := wrongPolicy(name, text); wrong != "" {
			warn("", wrong, "write "+strings.Join(words, " or "))
		}
	case keys.NUMABind:
		if _, err := strconv.ParseBool(text); err != nil {
			warn("", strconv.Quote(text)+" is neither true nor false: counts as false", `write "true" or "false"`)
		}
	case keys.Weights:
		if _, err := score.ParseWeights(text); err != nil && c.w.nodeOf(p) != "" { // of pending pods it was told
			c.problems(SeverityWarning, object, device.In(name, err), func(problem.Problem) string { return "write slot=1,core=1,memory=1, with your numbers" })
		}
	}
}

func vendorList(vs []device.Vendor) string {
	out := make([]string, len(vs))
	for i, v := range vs {
		out[i] = string(v)
	}
	return enumerate(out)
}

// list checks what lists of ids and of models have in common; words is empty where there is no more to check.
func (c *checker) list(p *corev1.Pod, k *keys.Key, text string) (words []string) {
	words = keys.Words(text)
	if len(words) > 0 || strings.TrimSpace(text) == "" || k.No {
		return words
	}
	c.add(SeverityError, "pod "+podName(p), k.Name, "", "a list of separators only matches no device", "name what is to be used, or take the annotation out")
	return nil
}

// severe is an error for pods that wait and of whose list nothing is there, and a warning otherwise.
func (c *checker) severe(p *corev1.Pod, k *keys.Key, words, missing []string) string {
	if !k.No && len(missing) == len(words) && c.w.nodeOf(p) == "" {
		return SeverityError
	}
	return SeverityWarning
}

// ids checks that listed ids exist, as devices of the vendor that reads the list.
func (c *checker) ids(p *corev1.Pod, k *keys.Key, text string, asks []device.Vendor) {
	words := c.list(p, k, text)
	c.excluded(p, k, words)
	if c.w.needNodes() != nil {
		return
	}
	missing := slices.DeleteFunc(slices.Clone(words), func(id string) bool { return slices.ContainsFunc(c.owners[id], k.For) })
	for _, id := range missing {
		why, do := "no device that can be read has the id", "compare it with the ids of whatif table --full-ids; letter case counts"
		if others := c.owners[id]; len(others) > 0 {
			mine := slices.DeleteFunc(slices.Clone(asks), func(v device.Vendor) bool { return !k.For(v) })
			why, do = "the id is of a "+vendorList(others)+" device", "name devices of "+vendorList(mine)
		}
		c.add(c.severe(p, k, words, missing), "pod "+podName(p), k.Name, id, why, do)
	}
}

// excluded finds ids to use that a list of ids not to use names too.
func (c *checker) excluded(p *corev1.Pod, k *keys.Key, words []string) {
	if k.No {
		return
	}
	for _, other := range slices.Sorted(maps.Keys(p.Annotations)) {
		no := c.book.Pod(other)
		if no == nil || no.Kind != keys.IDs || !no.No || !slices.ContainsFunc(k.Vendors, no.For) {
			continue
		}
		not := keys.Words(p.Annotations[other])
		both := slices.DeleteFunc(slices.Clone(words), func(id string) bool { return !slices.Contains(not, id) })
		for _, id := range both {
			c.add(c.severe(p, k, words, both), "pod "+podName(p), k.Name, id, other+" names the id as well, and wins",
				"take it out of one of the lists")
		}
	}
}

// modelNames checks that each fragment is in the name of some device of a vendor that reads the list.
func (c *checker) modelNames(p *corev1.Pod, k *keys.Key, text string) {
	words := c.list(p, k, text)
	if c.w.needNodes() != nil {
		return
	}
	missing := slices.DeleteFunc(slices.Clone(words), func(fragment string) bool {
		return slices.ContainsFunc(k.Vendors, func(v device.Vendor) bool { return c.model(v, strings.ToLower(fragment)) })
	})
	for _, fragment := range missing {
		c.add(SeverityWarning, "pod "+podName(p), k.Name, fragment, "no device has this in the name of its model",
			"compare it with the models of whatif table; letter case does not count; fine where new nodes will bring such devices")
	}
}

func (c *checker) model(v device.Vendor, fragment string) bool {
	key := [2]string{string(v), fragment}
	found, known := c.models[key]
	if known {
		return found
	}
	for _, info := range c.infos {
		for i, to := info.Range(v); i < to && !found; i++ {
			found = info.TypeContains(i, fragment)
		}
	}
	c.models[key] = found
	return found
}

// mode checks that some device has a mode that is allowed.
func (c *checker) mode(p *corev1.Pod, k *keys.Key, text string, warn func(field, why, do string)) {
	if k.Name == ascend.AnnotationMode {
		if text != ascend.ModeSoftSplit {
			warn("", strconv.Quote(text)+" is no mode: counts as the hard split by templates", "write "+ascend.ModeSoftSplit+", or take the annotation out")
		}
		return
	}
	modes := c.modesFor(k)
	if len(modes) == 0 || slices.ContainsFunc(modes, func(m string) bool { return strings.Contains(text, m) }) {
		return
	}
	warn("", "no device is in a mode that "+strconv.Quote(text)+" contains; there are: "+strings.Join(modes, ", "),
		"write a mode that devices are in; fine where new nodes will bring such devices")
}

// modesFor lists the modes that devices are in of the vendors that read an annotation.
func (c *checker) modesFor(k *keys.Key) []string {
	if known, found := c.modes[k.Name]; found {
		return known
	}
	seen := map[string]bool{}
	for _, info := range c.infos {
		for _, v := range k.Vendors {
			for i, to := info.Range(v); i < to; i++ {
				seen[info.Device(i).Mode] = true
			}
		}
	}
	delete(seen, "")
	c.modes[k.Name] = slices.Sorted(maps.Keys(seen))
	return c.modes[k.Name]
}
