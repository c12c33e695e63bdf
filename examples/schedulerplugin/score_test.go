package schedulerplugin

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/accelfit/accelfit/device"
)

// The best node has 100 alone, and equal ones are told apart by their names.
func TestScore(t *testing.T) {
	p := pluginOf(t, nil, `{}`)
	busy, idle := infoOf(l4s(t, "busy", 2, 11441), wants("a", "1", "6000")), infoOf(l4s(t, "idle", 2, 11441))
	twin := infoOf(l4s(t, "twin", 2, 11441), wants("a", "1", "6000"))
	for policy, want := range map[string][]int64{"binpack": {100, 0, 99}, "spread": {0, 100, 0}} {
		pod := wants("p", "1", "100")
		pod.Annotations = map[string]string{device.AnnotationNodePolicy: policy}
		state := newState()
		_, _ = p.PreFilter(ctx, state, pod, nil)
		require.True(t, p.PreScore(ctx, state, pod, nil).IsSuccess())
		var list fwk.NodeScoreList
		for _, n := range []*fakeNode{busy, idle, twin} {
			raw, status := p.Score(ctx, state, pod, n)
			require.True(t, status.IsSuccess())
			list = append(list, fwk.NodeScore{Name: n.object.Name, Score: raw})
		}
		require.True(t, p.ScoreExtensions().NormalizeScore(ctx, state, pod, list).IsSuccess())
		var got []int64
		for _, s := range list {
			got = append(got, s.Score)
		}
		assert.Equal(t, want, got, policy)
	}
	assert.True(t, p.PreScore(ctx, newState(), &corev1.Pod{}, nil).IsSkip(), "a pod without devices")
	_, status := p.Score(ctx, newState(), &corev1.Pod{}, idle)
	assert.True(t, status.IsError())
	assert.True(t, p.NormalizeScore(ctx, newState(), &corev1.Pod{}, nil).IsError())
	state := newState()
	large := wants("p", "1", "20000")
	_, _ = p.PreFilter(ctx, state, large, nil)
	for _, n := range []*fakeNode{idle, infoOf(nil)} {
		_, status = p.Score(ctx, state, large, n)
		assert.True(t, status.IsError(), fmt.Sprint(n))
	}
}
