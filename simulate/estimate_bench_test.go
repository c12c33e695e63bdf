package simulate_test

import (
	"runtime"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// madeAgain makes everything of an estimate's nodes anew that the answer consists of: objects, descriptions under their ids,
// usages, pods and allocations. The pods are looked up in a map.
func madeAgain(e *simulate.Estimated, known map[string]*corev1.Pod) []simulate.NewNode {
	out := make([]simulate.NewNode, len(e.Nodes))
	for i := range e.Nodes {
		n, o := &e.Nodes[i], &out[i]
		o.Object = n.Object.DeepCopy()
		o.Name = o.Object.Name + strconv.Itoa(i)
		info := n.Usage.Info().Renamed(o.Name, func(k int) string { return o.Name + strconv.Itoa(k) })
		for key, text := range o.Object.Annotations {
			o.Object.Annotations[key] = text[:len(text)/2] + o.Name + text[len(text)/2:]
		}
		o.Usage = device.NewNodeUsage(info).Update(func(d []device.DeviceUsage) { copy(d, n.Usage.Devices()) })
		o.Pods, o.Placed = make([]*corev1.Pod, len(n.Pods)), make([]*device.Allocation, len(n.Placed))
		for k := range n.Pods {
			o.Pods[k], o.Placed[k] = known[n.Pods[k].Name], n.Placed[k].DeepCopy()
		}
	}
	return out
}

// BenchmarkEstimateEqual estimates nodes for 1,000 equal pods. The bound, measured in the same run, is to look up each pod in
// a map and to make the answer: the estimate is to stay within three times of it.
func BenchmarkEstimateEqual(b *testing.B) {
	set := vendors.Default()
	template := simulate.Template{Node: testkit.Node("t", cards(8, 24000)...)}
	for name, line := range map[string]string{"small": "gpu=1 mem=3000", "half": "gpu=1 mem=12000", "pair": "gpu=2 mem=9000 cores=30"} {
		b.Run(name, func(b *testing.B) {
			pods := podsOf(1000, line)
			known := map[string]*corev1.Pod{}
			for _, p := range pods {
				known[p.Name] = p
			}
			var e simulate.Estimated
			runs := 0
			b.ReportAllocs()
			for b.Loop() {
				e = simulate.Estimate(set, template, pods, simulate.Limits{})
				runs++
			}
			taken := b.Elapsed()
			start := time.Now()
			for range runs {
				runtime.KeepAlive(madeAgain(&e, known))
			}
			bound := time.Since(start)
			b.ReportMetric(float64(e.Fits), "fits")
			b.ReportMetric(float64(len(e.Nodes)), "nodes")
			b.ReportMetric(float64(taken)/float64(bound), "times-the-bound")
		})
	}
}
