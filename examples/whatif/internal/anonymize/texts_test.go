package anonymize

import (
	"testing"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/enflame"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// TestEachName: names are replaced where they are, and nothing else of a text changes, however broken it is.
func TestEachName(t *testing.T) {
	of := forms(vendors.Default())
	for _, c := range []struct{ key, text, want string }{
		{device.AnnotationNode, "n1", "<node n1>"},
		{"mthreads.com/predicate-node", "n1", "<node n1>"},
		{nvidia.AnnotationAllocated, "g0,NVIDIA,1,2:g1,NVIDIA,1,2:;;", "<dev g0>,NVIDIA,1,2:<dev g1>,NVIDIA,1,2:;;"},
		{nvidia.AnnotationAllocated, " g0 ,NVIDIA", " <dev g0> ,NVIDIA"},
		{nvidia.AnnotationAllocated, "g0;", "g0;"},
		{nvidia.AnnotationAllocated, ";", ";"},
		{nvidia.AnnotationAllocated, "", ""},
		{nvidia.AnnotationRegister, `[{"id":"g0","type":"g0","UUID" : "g1"}]`, `[{"id":"\u003cdev g0\u003e","type":"g0","UUID" : "\u003cdev g1\u003e"}]`},
		{nvidia.AnnotationRegister, `[{"id":"g0`, `[{"id":"<dev g0>`},
		{nvidia.AnnotationRegister, `[{"id":`, `[{"id":`},
		{nvidia.AnnotationRegister, `[{"id":7}]`, `[{"id":7}]`},
		{nvidia.AnnotationLinkScores, `[{"uuid":"g0","score":{"g1":-3}}]`, `[{"uuid":"\u003cdev g0\u003e","score":{"\u003cdev g1\u003e":-3}}]`},
		{"hami.io/node-dcu-register", "d0,1,2,3,T,0,true:d1,1", "<dev d0>,1,2,3,T,0,true:<dev d1>,1"},
		{nvidia.AnnotationUseUUID, " g0,, g1 ", " <dev g0>,, <dev g1> "},
		{nvidia.AnnotationUseType, "A100", "A100"},
		{enflame.AnnotationContainers, `{"main":{"request":1}}`, `{"\u003ccontainer main\u003e":{"request":1}}`},
	} {
		got := eachName(c.key, of[c.key], c.text, func(k kind, old string) string { return "<" + string(k) + " " + old + ">" })
		if got != c.want {
			t.Errorf("%s: %s: %s, want %s", c.key, c.text, got, c.want)
		}
	}
}

// TestNamesKeepTheirOrder: by which ties are settled.
func TestNamesKeepTheirOrder(t *testing.T) {
	for _, seed := range []uint64{0, 1, 2} {
		n := newNames(seed)
		for _, name := range []string{"b", "a10", "a2", "", "c", "a", "z", "y", "x", "w", "v", "u"} {
			n.note(pod, name)
		}
		n.number()
		last := ""
		for _, name := range []string{"a", "a10", "a2", "b", "c", "u", "v", "w", "x", "y", "z"} {
			now := n.of(pod, name)
			if now <= last {
				t.Errorf("seed %d: %s is %s, after %s", seed, name, now, last)
			}
			last = now
		}
	}
}
