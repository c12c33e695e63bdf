package simulate_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// TestAppendIsReplay: pods that are appended one by one lead to what a Replay of all makes, wherever Append takes them.
func TestAppendIsReplay(t *testing.T) {
	const seed = 5
	random := rand.New(rand.NewPCG(seed, seed))
	set := vendors.Default()
	info := set.Inventory(testkit.Node("n", cards(4, 10000)...))
	asks := []string{"gpu=1 mem=6000", "gpu=1 mem=3000", "gpu=2 mem=2000", "gpu=1 mem=3000 nvidia.com/use-gputype=NVIDIA", ""}
	taken := map[bool]int{}
	for round := range 300 {
		var pods []*corev1.Pod
		state := simulate.Replay(set, info, nil, simulate.ReplayOptions{})
		for i := range 8 {
			pod := podOf(fmt.Sprintf("p%d %s", random.IntN(100), asks[random.IntN(len(asks))]))
			if random.IntN(6) == 0 {
				pod = bound(fmt.Sprint("b", i), "n")
			}
			pods = append(pods, pod)
			next, ok := appended(t, set, state, pod)
			want := simulate.Replay(set, info, pods, simulate.ReplayOptions{})
			taken[ok]++
			if !ok {
				next = want
			}
			if d := cmp.Diff(want.Usage.Devices(), next.Usage.Devices()); d != "" {
				t.Fatalf("seed %d round %d pod %d (-replay +append):\n%s", seed, round, i, d)
			}
			if len(want.Holdings) != len(next.Holdings) {
				t.Fatalf("%d holdings, want %d", len(next.Holdings), len(want.Holdings))
			}
			state = next
		}
	}
	if taken[true] < 500 || taken[false] < 500 {
		t.Errorf("appended or not: %v", taken)
	}
}

// appended appends a pod as a host does.
func appended(t *testing.T, set *vendors.Set, to simulate.Replayed, pod *corev1.Pod) (simulate.Replayed, bool) {
	t.Helper()
	r, err := set.Request(pod)
	if err != nil {
		t.Fatal(err)
	}
	return to.Append(pod, r, set.Fit(r, to.Usage))
}

// TestAppend: which pods are taken after a pod with 6000 MiB.
func TestAppend(t *testing.T) {
	set := vendors.Default()
	info := set.Inventory(testkit.Node("n", cards(2, 10000)...))
	first := podOf("p gpu=1 mem=6000")
	after := simulate.Replay(set, info, []*corev1.Pod{first}, simulate.ReplayOptions{})
	full := simulate.Replay(set, info, []*corev1.Pod{first, first, first}, simulate.ReplayOptions{})
	done := podOf("z gpu=1 mem=1000")
	done.Status.Phase = corev1.PodSucceeded
	for _, test := range []struct {
		why  string
		to   simulate.Replayed
		pod  *corev1.Pod
		want bool
	}{
		{"smaller", after, podOf("a gpu=1 mem=1000"), true},
		{"of the same kind", after, podOf("a gpu=1 mem=6000"), true},
		{"as large, of another kind", after, podOf("q gpu=1 mem=6000 nvidia.com/use-gputype=NVIDIA"), false},
		{"larger: it comes first", after, podOf("q gpu=1 mem=7000"), false},
		{"no room", after, podOf("q gpu=4 mem=100"), false},
		{"on record", after, bound("q", "n"), false},
		{"without devices", after, podOf("q"), true},
		{"ended", after, done, true},
		{"some found no room before", full, podOf("q gpu=1 mem=100"), false},
		{"the zero value", simulate.Replayed{}, podOf("q gpu=1 mem=100"), false},
	} {
		if test.to.Usage == nil {
			test.to.Usage = full.Usage
		}
		if _, ok := appended(t, set, test.to, test.pod); ok != test.want {
			t.Errorf("%s: %v", test.why, ok)
		}
	}
	if got := memory(after.Usage); got[0]+got[1] != 6000 {
		t.Errorf("what was appended to is changed: %v", got)
	}
}
