package devicetest

import (
	"fmt"
	"strings"
)

// shapes say in words what the bits are.
var shapes = []string{
	"the lists in pod annotations 1, 3, …", "the lists in pod annotations 2, 4, …", "NUMA binding", "two containers", "an init container and a sidecar",
	"a quota", "the description in every annotation and label but the registration", "amounts in requests", "memory in percent",
	"the vendor's other resources", "node policy spread",
}

// fields are the texts of an attack, with what they are.
func (a *attack) fields() (names []string, of []*string) {
	return []string{
			"the node's description", "offers of devices", "offers of memory", "offers of cores",
			"the pod's lists", "asks for devices", "asks for memory", "asks for cores",
			"device policy", "a pod that runs there holds", "its instances",
		}, []*string{
			&a.description, &a.offer.count, &a.offer.memory, &a.offer.cores, &a.lists, &a.ask.count, &a.ask.memory, &a.ask.cores,
			&a.policy, &a.allocated, &a.reserved,
		}
}

// attackText shows an attack, long texts cut off.
func (x *exam) attackText(a *attack) string {
	var b strings.Builder
	fmt.Fprintf(&b, "the harness's node %s, changed", x.bases[int(a.base)%len(x.bases)].node.Name)
	names, texts := a.fields()
	own := x.bases[int(a.base)%len(x.bases)].node.Annotations[x.names.Register]
	for i, text := range texts {
		if i == 0 && *text == own {
			b.WriteString("\n  the node's description: as it is")
		} else if shown := *text; len(shown) > 500 {
			fmt.Fprintf(&b, "\n  %s: %q and so on, %d bytes", names[i], shown[:60], len(shown))
		} else if shown != "" || i == 0 {
			fmt.Fprintf(&b, "\n  %s: %q", names[i], shown)
		}
	}
	for bit, what := range shapes {
		if a.has(1 << bit) {
			fmt.Fprintf(&b, "\n  with %s", what)
		}
	}
	if q := a.quirks(); q != 0 {
		fmt.Fprintf(&b, "\n  with quirks %#b", q)
	}
	return b.String()
}

// smaller lists attacks that are a part of a: with a text or a bit less, or with half of a text, or a letter less.
func (a *attack) smaller() (out []attack) {
	less := func(i int, text string) {
		s := *a
		_, texts := s.fields()
		*texts[i] = text
		out = append(out, s)
	}
	_, texts := a.fields()
	for i, text := range texts {
		if *text != "" {
			less(i, "")
		}
	}
	for bit := range 16 {
		if s := *a; s.has(1 << bit) {
			s.shape &^= 1 << bit
			out = append(out, s)
		}
	}
	for i, text := range texts {
		n := len(*text)
		for part := n / 2; part > 0; part /= 2 {
			less(i, (*text)[part:])
			less(i, (*text)[:n-part])
		}
	}
	return out
}
