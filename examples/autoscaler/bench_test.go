package autoscaler_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	kubeschedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"

	"github.com/accelfit/accelfit/examples/schedulerplugin"
)

// filterer is a plugin that was asked about a pod, and can be asked about nodes.
type filterer interface {
	fwk.PreFilterPlugin
	fwk.FilterPlugin
}

// rivals are the plugin, and the built-in one that it is measured against.
func rivals(b *testing.B) (ours, builtIn filterer) {
	b.Helper()
	args := argsOf(profile(b, schedulerplugin.Args{}), "NodeResourcesFit").(*kubeschedulerconfig.NodeResourcesFitArgs)
	fit, err := noderesources.NewFit(b.Context(), args, nil, feature.Features{})
	require.NoError(b, err)
	plugin, err := schedulerplugin.New(b.Context(), nil, nil)
	require.NoError(b, err)
	return plugin.(filterer), fit.(filterer)
}

// prepared is a pod's cycle after PreFilter.
func prepared(b *testing.B, f filterer, pod *corev1.Pod) fwk.CycleState {
	b.Helper()
	state := framework.NewCycleState()
	_, status := f.PreFilter(context.Background(), state, pod, nil)
	require.True(b, status.IsSuccess())
	return state
}

// nodeOf is a node of 8 cards with pods.
func nodeOf(b *testing.B, pods ...*corev1.Pod) *framework.NodeInfo {
	b.Helper()
	n := framework.NewNodeInfo()
	n.SetNode(cards("n", 8, 11441))
	for _, pod := range pods {
		push(b, n, pod)
	}
	return n
}

func push(b *testing.B, n fwk.NodeInfo, pod *corev1.Pod) {
	info, err := framework.NewPodInfo(pod)
	require.NoError(b, err)
	n.AddPodInfo(info)
}

// BenchmarkFilter asks about a node of 8 cards, the plugin and NodeResourcesFit by turns: a state that was seen before, on which
// the pod fits or not, and states that were not, each with one pod more than the one before. The last figure is how the time
// relates to that of NodeResourcesFit.
func BenchmarkFilter(b *testing.B) {
	for _, test := range []struct {
		name string
		pod  *corev1.Pod
		code fwk.Code
	}{{"known/fits", asks("p", "1", "1000"), fwk.Success}, {"known/refused", asks("p", "1", "6000"), fwk.Unschedulable}} {
		b.Run(test.name, func(b *testing.B) {
			ours, builtIn := rivals(b)
			node := nodeOf(b, asks("a", "8", "6000"))
			mine, theirs := prepared(b, ours, test.pod), prepared(b, builtIn, test.pod)
			ctx := context.Background()
			require.Equal(b, test.code, ours.Filter(ctx, mine, test.pod, node).Code())
			b.ReportAllocs()
			compare(b, func() { ours.Filter(ctx, mine, test.pod, node) }, func() { builtIn.Filter(ctx, theirs, test.pod, node) })
		})
	}
	b.Run("new", benchmarkNewStates)
}

// compare times the first function as the benchmark's, and says how it relates to the other.
func compare(b *testing.B, first, other func()) {
	const batch = 1000
	var a, o time.Duration
	for n := 0; n < b.N; n += batch {
		start := time.Now()
		for range min(batch, b.N-n) {
			first()
		}
		middle := time.Now()
		b.StopTimer()
		for range min(batch, b.N-n) {
			other()
		}
		a, o = a+middle.Sub(start), o+time.Since(middle)
		b.StartTimer()
	}
	b.ReportMetric(float64(o.Nanoseconds())/float64(b.N), "ns/NodeResourcesFit")
	b.ReportMetric(float64(a)/float64(o), "of-NodeResourcesFit")
}

func benchmarkNewStates(b *testing.B) {
	const chain = 8 // pods that the node takes
	ours, builtIn := rivals(b)
	pod := asks("p", "1", "6000")
	mine, theirs := prepared(b, ours, pod), prepared(b, builtIn, pod)
	ctx := context.Background()
	object := cards("n", 8, 11441)
	var a, o time.Duration
	n := 0
	for b.Loop() {
		b.StopTimer()
		node := framework.NewNodeInfo()
		node.SetNode(object)
		states := []fwk.NodeInfo{node.Snapshot()}
		ours.Filter(ctx, mine, pod, states[0])
		for i := range chain {
			push(b, node, asks(fmt.Sprint("q", i), "1", "6000"))
			states = append(states, node.Snapshot())
		}
		b.StartTimer()
		start := time.Now()
		for _, s := range states[1:] {
			ours.Filter(ctx, mine, pod, s)
		}
		middle := time.Now()
		b.StopTimer()
		for _, s := range states[1:] {
			builtIn.Filter(ctx, theirs, pod, s)
		}
		a, o, n = a+middle.Sub(start), o+time.Since(middle), n+chain
		b.StartTimer()
	}
	b.ReportMetric(float64(a.Nanoseconds())/float64(n), "ns/Filter")
	b.ReportMetric(float64(o.Nanoseconds())/float64(n), "ns/NodeResourcesFit")
	b.ReportMetric(float64(a)/float64(o), "of-NodeResourcesFit")
}

// BenchmarkThousandPods is an estimate of 1,000 pods of which two fit on a node: 500 nodes, 250,500 Filter calls, first fit. The
// plugin's calls and those of NodeResourcesFit are timed apart.
func BenchmarkThousandPods(b *testing.B) {
	ours, builtIn := rivals(b)
	ctx := context.Background()
	var a, o time.Duration
	calls := 0
	for b.Loop() {
		var nodes []*framework.NodeInfo
		for i := range 1000 {
			pod := asks(fmt.Sprint("p", i), "1", "6000")
			start := time.Now()
			mine := prepared(b, ours, pod)
			at := 0
			for ; at < len(nodes) && !ours.Filter(ctx, mine, pod, nodes[at]).IsSuccess(); at++ {
				calls++
			}
			a += time.Since(start)
			start = time.Now()
			theirs := prepared(b, builtIn, pod)
			for _, n := range nodes[:min(at+1, len(nodes))] {
				builtIn.Filter(ctx, theirs, pod, n)
			}
			o += time.Since(start)
			if at == len(nodes) {
				next := framework.NewNodeInfo()
				next.SetNode(cards(fmt.Sprint("template-node-for-x-e-", at), 2, 11441))
				nodes = append(nodes, next)
			}
			push(b, nodes[at], pod)
		}
		require.Len(b, nodes, 500)
	}
	b.ReportMetric(float64(a.Milliseconds())/float64(b.N), "ms/estimate")
	b.ReportMetric(float64(o.Milliseconds())/float64(b.N), "ms/NodeResourcesFit")
	b.ReportMetric(float64(calls)/float64(b.N), "refused/estimate")
	b.ReportMetric(float64(a)/float64(o), "of-NodeResourcesFit")
}
