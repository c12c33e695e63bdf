package answer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/whatif/internal/keys"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// annotations lists the annotations that nobody reads.
func (x *Explained) annotations(book *keys.Book, pod *corev1.Pod) {
	for _, name := range slices.Sorted(maps.Keys(pod.Annotations)) {
		if book.Pod(name) == nil {
			x.Unread = append(x.Unread, UnreadAnnotation{name, meant(book, name)})
		}
	}
}

// meant is the annotation that somebody may have meant by one that nobody reads.
func meant(book *keys.Book, name string) string {
	return cmp.Or(keys.Documented(name), book.LikePod(name))
}

// ineffective lists the annotations that are read for vendors only that the pod asks nothing of.
func (x *Explained) ineffective(book *keys.Book, a asked) {
	asks := asksVendors(a.request)
	for _, name := range slices.Sorted(maps.Keys(a.pod.Annotations)) {
		k := book.Pod(name)
		if k != nil && k.Asked() && !slices.ContainsFunc(asks, k.For) {
			x.Ineffect = append(x.Ineffect, IneffectiveAsking{name, k.VendorNames()})
		}
	}
}

// conditions are the policies, and what else annotations say of the devices.
func (w *World) conditions(book *keys.Book, a asked) []Condition {
	o := w.set.Options()
	out := []Condition{
		w.policy("device policy", a.pod, device.AnnotationDevicePolicy, cmp.Or(o.DevicePolicy, "spread")),
		w.policy("node policy", a.pod, device.AnnotationNodePolicy, cmp.Or(o.NodePolicy, "binpack")),
	}
	asks := asksVendors(a.request)
	if _, said := a.pod.Annotations[nvidia.AnnotationMode]; !said && slices.Contains(asks, nvidia.Vendor) {
		out = append(out, Condition{"mode", "any; of a card in mode mig each device is the smallest instance that will do", "default"})
	}
	for _, name := range slices.Sorted(maps.Keys(a.pod.Annotations)) {
		k := book.Pod(name)
		if k == nil || !k.Asked() || !slices.ContainsFunc(asks, k.For) {
			continue
		}
		if c := condition(k, a.pod.Annotations[name]); c.What != "" {
			out = append(out, c)
		}
	}
	return out
}

// policy is a policy in words, with those of its words that are none.
func (w *World) policy(what string, pod *corev1.Pod, key, otherwise string) Condition {
	text, given := pod.Annotations[key]
	c := Condition{What: what, Value: otherwise, From: "default"}
	if given {
		c.Value, c.From = text, key
	}
	if wrong := wrongPolicy(key, text); given && wrong != "" {
		c.Value = fmt.Sprintf("%q: %s", text, wrong)
	}
	if said := policyWords[c.Value]; said != "" {
		c.Value += ": " + said
	}
	return c
}

// policyWords say what the policies of one word do.
var policyWords = map[string]string{
	"binpack": "the fullest first", "spread": "the emptiest first", "numa": "devices of one NUMA node side by side",
	"mutex": "idle devices only", "topology-aware": "the best linked devices",
}

func devicePolicies() []string {
	return []string{"binpack", "spread", "numa", "mutex", "topology-aware"}
}

func nodePolicies() []string { return []string{"binpack", "spread"} }

// wrongPolicy says which words of a policy are none, and what becomes of them; empty: all are.
func wrongPolicy(key, text string) string {
	known, counts := devicePolicies(), "counts as spread"
	if key == device.AnnotationNodePolicy {
		known, counts = nodePolicies(), "counts as binpack"
	}
	bad := unknownWords(key, text, known)
	switch {
	case len(bad) == 0:
		return ""
	case len(bad) == 1 && key == device.AnnotationDevicePolicy && strings.Contains(text, ","):
		counts = "is left out"
	case len(bad) > 1:
		counts = "are left out"
	}
	return isAre(bad) + " no policy, and " + counts
}

// unknownWords lists the words of a policy that are none. A node policy is one word, as written.
func unknownWords(key, text string, known []string) (bad []string) {
	words := strings.Split(text, ",")
	if key == device.AnnotationNodePolicy || len(words) == 1 && !slices.Contains([]string{"mutex", "topology-aware"}, strings.TrimSpace(text)) {
		words = []string{text}
	} else {
		for i := range words {
			words[i] = strings.TrimSpace(words[i])
		}
	}
	for _, word := range words {
		if !slices.Contains(known, word) {
			bad = append(bad, strconv.Quote(word))
		}
	}
	return bad
}

func isAre(words []string) string {
	if len(words) == 1 {
		return words[0] + " is"
	}
	return enumerate(words) + " are"
}

// condition puts an annotation into words; What is empty for those that say nothing.
func condition(k *keys.Key, text string) Condition {
	c := Condition{Value: text, From: k.Name}
	words := keys.Words(text)
	switch k.Kind {
	case keys.IDs, keys.Models:
		if strings.TrimSpace(text) == "" || k.No && len(words) == 0 {
			return Condition{} // no constraint
		}
		c.What = "models to "
		if k.Kind == keys.IDs {
			c.What = "ids to "
		}
		c.Value = strings.Join(words, ", ")
		if k.Kind == keys.Models {
			c.Value = "names that contain " + strings.Join(words, " or ")
		}
		if k.No {
			c.What += "avoid"
			break
		}
		c.What += "use"
		if len(words) == 0 {
			c.Value = "none at all: the list has separators only, and matches nothing"
		}
	case keys.Modes:
		c.What = "mode"
		if strings.Contains(text, modeMIG) {
			c.Value += "; of a card in mode mig each device is the smallest instance that will do"
		}
	case keys.Weights:
		c.What = "weights of the device score"
	case keys.NUMABind:
		c.What = "NUMA binding"
		bind, err := strconv.ParseBool(text)
		switch {
		case err != nil:
			c.Value = fmt.Sprintf("no: %q is neither true nor false", text)
		case bind:
			c.Value = "all devices of a container from one NUMA node"
		default:
			c.Value = "no"
		}
	case keys.Setting:
		_, c.What, _ = strings.Cut(k.Name, "/")
	}
	return c
}

// added lists in what a pod after admission differs from the one before.
func added(before, now *corev1.Pod) []Added {
	out := []Added{}
	old, all := containersOf(before), containersOf(now)
	for i, c := range all {
		out = append(out, addedAmounts(c.Name, "limit", old[i].Resources.Limits, c.Resources.Limits)...)
		out = append(out, addedAmounts(c.Name, "request", old[i].Resources.Requests, c.Resources.Requests)...)
		for _, env := range c.Env {
			if !slices.ContainsFunc(old[i].Env, func(e corev1.EnvVar) bool { return e.Name == env.Name && e.Value == env.Value }) {
				out = append(out, Added{c.Name, "environment", env.Name, env.Value})
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(now.Annotations)) {
		if was, had := before.Annotations[key]; !had || was != now.Annotations[key] {
			out = append(out, Added{"", "annotation", key, now.Annotations[key]})
		}
	}
	if c := now.Spec.RuntimeClassName; c != nil && before.Spec.RuntimeClassName == nil {
		out = append(out, Added{"", "runtime class", "", *c})
	}
	if s := now.Spec.SchedulerName; s != before.Spec.SchedulerName {
		out = append(out, Added{"", "scheduler", "", s})
	}
	return out
}

func addedAmounts(container, what string, before, now corev1.ResourceList) (out []Added) {
	for _, name := range slices.Sorted(maps.Keys(now)) {
		q, old := now[name], before[name]
		if _, had := before[name]; !had || old.Cmp(q) != 0 {
			out = append(out, Added{container, what, string(name), amount(q)})
		}
	}
	return out
}
