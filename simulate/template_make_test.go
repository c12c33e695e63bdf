package simulate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// TestMakeEqualsEstimate: what Make makes is the first node that Estimate adds, before any pod is on it.
func TestMakeEqualsEstimate(t *testing.T) {
	set := vendors.Default()
	sample := testkit.Node("gpu-a", cards(2, 11441)...)
	template := simulate.Template{Node: sample, Pods: []*corev1.Pod{podOf("agent gpu=1 mem=441")}}
	before := sample.DeepCopy()

	est := simulate.Estimate(set, template, []*corev1.Pod{podOf("p gpu=1 mem=6000")}, simulate.Limits{})
	if len(est.Nodes) != 1 {
		t.Fatalf("estimate: %+v", est)
	}
	want := est.Nodes[0]
	made := template.Make(set, want.Name)
	if diff := cmp.Diff(want.Object, made.Object); diff != "" {
		t.Error("object, estimated and made:", diff)
	}
	with := made.Usage.With(want.Placed[0])
	for i := range with.Info().Len() {
		if got, want := with.Device(i), want.Usage.Device(i); got.Memory != want.Memory || got.Slots != want.Slots {
			t.Errorf("device %d: %+v, estimated %+v", i, got, want)
		}
	}
	if len(made.Problems) > 0 || len(made.Notes) > 0 {
		t.Error(made.Problems, made.Notes)
	}

	made.Object.Annotations["hami.io/node-nvidia-register"] = "mine"
	if diff := cmp.Diff(before, sample); diff != "" {
		t.Error("the sample has changed:", diff)
	}
}

func TestMakeTellsWhatItTakesForGranted(t *testing.T) {
	cloud := &corev1.Node{}
	cloud.Labels = map[string]string{corev1.LabelInstanceTypeStable: "g5.xlarge"}
	made := (&simulate.Template{Node: cloud}).Make(vendors.Default(), "new")
	if len(made.Notes) != 1 || made.Notes[0].Kind != simulate.AssumedFromInstanceType || made.Usage.Info().Len() != 1 {
		t.Errorf("%v, %d devices", made.Notes, made.Usage.Info().Len())
	}

	crowded := simulate.Template{Node: testkit.Node("gpu-a", cards(1, 1000)...), Pods: []*corev1.Pod{podOf("agent gpu=1 mem=2000")}}
	if made := crowded.Make(vendors.Default(), "new"); len(made.Problems) != 1 {
		t.Error(made.Problems)
	}
}

func TestShare(t *testing.T) {
	set := vendors.Default()
	usage := (&simulate.Template{Node: testkit.Node("n", cards(4, 10000)...)}).Make(set, "n").Usage
	for _, test := range []struct {
		pod  string
		want float64
	}{
		{"p gpu=1 mem=10000", 0.25},
		{"p gpu=2 mem=1000 cores=100", 0.5},
		{"p gpu=4 mem=20000", 2},
		{"p gpu=1 mem=2000 | init gpu=1 mem=10000", 0.25},
		{"p gpu=1 mem=2000 | gpu=1 mem=10000", 0.3},
		{"p", 0},
	} {
		r, err := set.Request(podOf(test.pod))
		if err != nil {
			t.Fatal(err)
		}
		if got := simulate.Share(r, usage.Info()); got != test.want {
			t.Errorf("%s: %v, want %v", test.pod, got, test.want)
		}
	}
}
