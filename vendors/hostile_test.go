//go:build !race

package vendors_test // no goroutine is started here, and the race detector slows it ten-fold

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// repeated joins n copies of a piece; each # in it is the number of the copy.
func repeated(n int, piece, separator string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = strings.ReplaceAll(piece, "#", fmt.Sprint(i))
	}
	return strings.Join(parts, separator)
}

func registered(text string, more ...string) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", Annotations: map[string]string{"hami.io/node-nvidia-register": "[" + text + "]"}}}
	for i := 0; i < len(more); i += 2 {
		node.Annotations[more[i]] = more[i+1]
	}
	return node
}

const (
	anyCard   = `{"id":"g#","index":#,"count":9,"devmem":9000,"devcore":100,"health":true}`
	migCard   = `{"id":"m#","count":2147483647,"devmem":2147483647,"devcore":100,"mode":"mig","health":true,"migProfiles":[PROFILES]}`
	numaCards = `{"id":"g#","numa":#,"count":9,"devmem":9000,"devcore":100,"health":true},{"id":"h#","numa":#,"count":9,"devmem":9000,"devcore":100,"health":true}`
)

// manyInstances is profiles as large as they are read, every instance in a place of its own.
func manyInstances(profiles, placements int) string {
	var out []string
	for p := profiles; p > 0; p-- {
		at := make([]string, placements)
		for i := range at {
			at[i] = fmt.Sprintf(`{"start":%d,"size":1}`, p*placements+i)
		}
		out = append(out, fmt.Sprintf(`{"name":"%dx","memoryMB":%d,"sliceCount":1,"placements":[%s]}`, p, 1000+p, strings.Join(at, ",")))
	}
	return strings.Join(out, ",")
}

// denseLinks is a score for every pair of n cards, none like another.
func denseLinks(n int) string {
	rnd := rand.New(rand.NewPCG(1, 1))
	entries := make([]string, n)
	for i := range entries {
		pairs := make([]string, n)
		for j := range pairs {
			pairs[j] = fmt.Sprintf(`"g%d":%d`, j, rnd.IntN(1000))
		}
		entries[i] = fmt.Sprintf(`{"uuid":"g%d","score":{%s}}`, i, strings.Join(pairs, ","))
	}
	return "[" + strings.Join(entries, ",") + "]"
}

// TestHostileWork: annotations of a size that the API server never lets pass, and numbers beyond all sense, are answered in
// seconds at the most; without bounds in the library these take minutes, or for ever.
func TestHostileWork(t *testing.T) {
	links := "[" + repeated(300, `{"uuid":"g#","score":{"g1":#,"g2":7,"g3":#,"g299":1}}`, ",") + "]"
	dense := denseLinks(200)
	numa := []string{device.AnnotationNUMABind, "true"}
	topology := []string{device.AnnotationDevicePolicy, "topology-aware"}
	both := append(numa[:2:2], topology...)
	for _, c := range []struct {
		name  string
		node  *corev1.Node
		nums  string
		more  []string
		quota bool
	}{
		{"topology/5000-cards/1", registered(repeated(5000, anyCard, ",")), "1", topology, false},
		{"topology/20000-cards/1", registered(repeated(20000, anyCard, ",")), "1", topology, false},
		{"topology/5000-cards/8", registered(repeated(5000, anyCard, ",")), "8", topology, false},
		{"topology/5000-cards/500", registered(repeated(5000, anyCard, ",")), "500", topology, false},
		{"topology/5000-cards/4999", registered(repeated(5000, anyCard, ",")), "4999", topology, false},
		{"topology/links/8", registered(repeated(5000, anyCard, ","), "hami.io/node-nvidia-score", links), "8", topology, false},
		{"topology/links/150", registered(repeated(300, anyCard, ","), "hami.io/node-nvidia-score", links), "150", topology, false},
		{"topology/dense/8", registered(repeated(200, anyCard, ","), "hami.io/node-nvidia-score", dense), "8", topology, false},
		{"topology/dense/100", registered(repeated(200, anyCard, ","), "hami.io/node-nvidia-score", dense), "100", topology, false},
		{"topology/quota/8", registered(repeated(5000, anyCard, ",")), "8", topology, true},
		{"topology/numa/2", registered(repeated(2000, numaCards, ",")), "2", both, false},
		{"topology/numa/quota/2", registered(repeated(2000, numaCards, ",")), "2", both, true},
		{"plain/quota/4000", registered(repeated(5000, anyCard, ",")), "4000", nil, true},
		{"plain/2147483647", registered(repeated(5000, anyCard, ",")), "2147483647", nil, false},
		{"numa/3", registered(repeated(2000, numaCards, ",")), "3", numa, false},
		{"mig/2147483647", registered(strings.ReplaceAll(repeated(1, migCard, ","), "PROFILES", manyInstances(128, 128))), "2147483647", nil, false},
		{"mig/cards/2147483647", registered(strings.ReplaceAll(repeated(100, migCard, ","), "PROFILES", manyInstances(4, 64))), "2147483647", nil, false},
		{"mig/topology/50", registered(strings.ReplaceAll(repeated(100, migCard, ","), "PROFILES", manyInstances(4, 64))), "50", topology, false},
		{"ids", registered(repeated(5000, anyCard, ",")), "1", []string{"nvidia.com/use-gpuuuid", repeated(1<<17, "id#", ",")}, false},
		{"types", registered(repeated(5000, anyCard, ",")), "1", []string{"nvidia.com/use-gputype", repeated(1<<15, "t#", ",")}, false},
		{"mode", registered(repeated(5000, anyCard, ",")), "1", []string{"nvidia.com/vgpu-mode", strings.Repeat("x", 1<<20)}, false},
		{"policy", registered(repeated(5000, anyCard, ",")), "1", []string{device.AnnotationDevicePolicy, strings.Repeat("numa,", 1<<18)}, false},
		{"cordon", registered(repeated(5000, anyCard, ","), device.AnnotationCordon, repeated(1<<17, "id#", ",")), "1", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) { tryWork(t, c.node, asking(gpus(c.nums, "1000"), c.more...), c.quota) })
	}
}

func tryWork(t *testing.T, node *corev1.Node, pod *corev1.Pod, quota bool) {
	t.Helper()
	set := vendors.Default()
	u, _ := usage.Node(set, node, nil)
	r := request(t, set, pod)
	if quota {
		r = r.WithQuota(map[device.Vendor]device.Headroom{"NVIDIA": {Memory: device.Limit{Left: 1 << 40, Set: true}}})
	}
	fit := set.Fit(r, u)
	if !fit.OK() && fit.Reasons.IsZero() {
		t.Error("neither fit nor reasons")
	}
}
