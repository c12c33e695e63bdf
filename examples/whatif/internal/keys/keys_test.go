package keys

import (
	"testing"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// TestEveryKeyIsKnown: what the vendors read of pods has a kind, and lists of what is not to be used are told apart.
func TestEveryKeyIsKnown(t *testing.T) {
	set := vendors.Default()
	book := New(set)
	for _, b := range set.Backends() {
		for _, name := range b.Names().PodKeys {
			k := book.Pod(name)
			if k == nil || !k.For(b.Vendor()) || !k.Asked() {
				t.Errorf("%s of %s: %+v", name, b.Vendor(), k)
			}
		}
	}
	for name, want := range map[string]Key{
		"nvidia.com/use-gpuuuid":         {Kind: IDs},
		"nvidia.com/nouse-gputype":       {Kind: Models, No: true},
		"hami.io/no-use-Ascend310P-uuid": {Kind: IDs, No: true},
		"aws.amazon.com/use-neuron-uuid": {Kind: IDs},
		"hygon.com/nouse-dcutype":        {Kind: Models, No: true},
		"nvidia.com/vgpu-mode":           {Kind: Modes},
		"metax-tech.com/sgpu-qos-policy": {Kind: Setting},
		device.AnnotationNUMABind:        {Kind: NUMABind},
		device.AnnotationMIGReservation:  {Kind: State},
	} {
		if k := book.Pod(name); k == nil || k.Kind != want.Kind || k.No != want.No {
			t.Errorf("%s: %+v, want %+v", name, k, want)
		}
	}
}

func TestNearest(t *testing.T) {
	book := New(vendors.Default())
	for name, want := range map[string]string{
		"nvidia.com/use-gputypes":       "nvidia.com/use-gputype",
		"nvidia.com/use-gpuuid":         "nvidia.com/use-gpuuuid",
		"nvidia.com/ues-gputype":        "nvidia.com/use-gputype",
		"hami.io/gpu-scheduling-policy": "hami.io/gpu-scheduler-policy",
		"hami.io/GPU-scheduler-policy":  "hami.io/gpu-scheduler-policy",
		"prometheus.io/scrape":          "",
		"":                              "",
	} {
		if got := book.LikePod(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := book.LikeNode("hami.io/node-nvidia-registr"); got != "hami.io/node-nvidia-register" {
		t.Error(got)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "ab", 2}, {"ab", "", 2}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "acb", 1}, {"abcd", "bcd", 1}, {"kitten", "sitting", 3}} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("%s %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
