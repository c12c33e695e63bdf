package simulation_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/extender/internal/simulation"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

const registration = "hami.io/node-nvidia-register"

// node has n cards of so many MiB.
func node(name string, cards int, memory int) *corev1.Node {
	var list []string
	for i := range cards {
		list = append(list, fmt.Sprintf(
			`{"id":"GPU-%d","index":%d,"count":10,"devmem":%d,"devcore":100,"type":"NVIDIA-Tesla T4","mode":"hami-core","health":true}`,
			i, i, memory))
	}
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name, Annotations: map[string]string{registration: "[" + strings.Join(list, ",") + "]"},
	}}
}

func pod(name, memory string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{
			Limits: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("1"), "nvidia.com/gpumem": resource.MustParse(memory)},
		}}}},
	}
}

// request is what is sent; its fields that are nil are not.
type request map[string]any

func asks(p *corev1.Pod, nodes ...*corev1.Node) request {
	list := &corev1.NodeList{}
	for _, n := range nodes {
		list.Items = append(list.Items, *n)
	}
	return request{"Pod": p, "Nodes": list}
}

func (r request) with(key string, value any) request {
	r[key] = value
	return r
}

func (r request) text(t testing.TB) []byte {
	t.Helper()
	text, err := json.Marshal(r)
	require.NoError(t, err)
	return text
}

func simulator(t testing.TB) *simulation.Simulator {
	t.Helper()
	l4s, err := simulate.ProfileOfModels("two-l4", 2, "NVIDIA L4")
	require.NoError(t, err)
	s, err := simulation.New(vendors.Default(), simulation.Options{Profiles: []simulate.Profile{l4s}})
	require.NoError(t, err)
	return s
}

func answer(t testing.TB, s *simulation.Simulator, r request) *simulation.Response {
	t.Helper()
	response, err := s.Answer(t.Context(), r.text(t))
	require.NoError(t, err)
	return response
}

// result reads a response as kube-scheduler's client does.
func result(t testing.TB, r *simulation.Response) (out extenderv1.ExtenderFilterResult) {
	t.Helper()
	text, err := r.JSON()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &out))
	return out
}

// TestTheManualCheck: the three requests that a person tries first.
func TestTheManualCheck(t *testing.T) {
	template := node("template", 2, 11441)
	fits := result(t, answer(t, simulator(t), asks(pod("p", "6000"), template)))
	require.Len(t, fits.Nodes.Items, 1)
	assert.Equal(t, *template, fits.Nodes.Items[0], "the object comes back as it was sent")
	assert.Empty(t, fits.FailedNodes)

	large := result(t, answer(t, simulator(t), asks(pod("p", "20000"), template)))
	assert.Empty(t, large.Nodes.Items)
	assert.Equal(t, "2/2 CardInsufficientMemory", large.FailedNodes["template"])

	bare := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "bare"}}
	unregistered := result(t, answer(t, simulator(t), asks(pod("p", "6000"), bare)))
	assert.Empty(t, unregistered.Nodes.Items)
	assert.Equal(t, "node unregistered", unregistered.FailedAndUnresolvableNodes["bare"])
}

// TestEveryNodeThatFits comes back, in the order of the request, and the kinds of refusal are told apart.
func TestEveryNodeThatFits(t *testing.T) {
	malformed := node("malformed", 1, 11441)
	malformed.Annotations[registration] = "[{"
	response := answer(t, simulator(t), asks(pod("p", "6000"), node("z", 2, 11441), node("small", 2, 4000), malformed,
		&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "bare"}}, node("a", 1, 11441)))
	var codes []simulation.Code
	for _, v := range response.Verdicts {
		codes = append(codes, v.Code)
	}
	assert.Equal(t, []simulation.Code{
		simulation.Fits, simulation.NoRoom, simulation.MalformedDescription, simulation.NoDescription, simulation.Fits,
	}, codes)
	assert.Equal(t, []simulation.Reason{{Code: "CardInsufficientMemory", Devices: 2}}, response.Verdicts[1].Reasons)
	assert.Contains(t, strings.Join(response.Verdicts[2].Problems, "\n"), registration)

	r := result(t, response)
	require.Len(t, r.Nodes.Items, 2)
	assert.Equal(t, "z", r.Nodes.Items[0].Name)
	assert.Equal(t, "a", r.Nodes.Items[1].Name)
	assert.Len(t, r.FailedNodes, 1)
	assert.Len(t, r.FailedAndUnresolvableNodes, 2)
}

// TestStacking: ten pods of 6000 MiB need five nodes of two cards of 11441 MiB, told of in either way.
func TestStacking(t *testing.T) {
	s := simulator(t)
	for _, byAnnotation := range []bool{false, true} {
		on := []*corev1.Pod{}
		for i, want := range []simulation.Code{simulation.Fits, simulation.Fits, simulation.NoRoom} {
			template := node("template", 2, 11441)
			r := asks(pod("next", "6000"), template)
			if byAnnotation {
				text, err := json.Marshal(on)
				require.NoError(t, err)
				template.Annotations[simulation.AnnotationAssumed] = string(text)
				r = asks(pod("next", "6000"), template)
			} else {
				r.with("assumed", map[string][]*corev1.Pod{"template": on})
			}
			assert.Equal(t, want, answer(t, s, r).Verdicts[0].Code, "%d pods on the node, by annotation: %v", i, byAnnotation)
			on = append(on, pod(fmt.Sprint("p", i), "6000"))
		}
	}
}

func TestPodsWithoutDevicesFitEverywhere(t *testing.T) {
	p := pod("p", "1")
	p.Spec.Containers[0].Resources.Limits = nil
	response := answer(t, simulator(t), request{"Pod": p, "NodeNames": []string{"a", "b"}})
	assert.Equal(t, []string{"a", "b"}, *result(t, response).NodeNames)
	assert.Nil(t, result(t, response).Nodes)
}

func TestInvalidRequestsFitNowhere(t *testing.T) {
	response := answer(t, simulator(t), asks(pod("p", "-1"), node("a", 2, 11441)))
	assert.Equal(t, simulation.InvalidRequest, response.Verdicts[0].Code)
	assert.Contains(t, result(t, response).FailedAndUnresolvableNodes["a"], "nvidia.com/gpumem")
}

func TestProfiles(t *testing.T) {
	s := simulator(t)
	names := request{"Pod": pod("p", "6000"), "NodeNames": []string{"new"}}
	assert.Equal(t, simulation.UnknownNode, answer(t, s, names).Verdicts[0].Code)
	assert.Equal(t, simulation.Fits, answer(t, s, names.with("profile", "two-l4")).Verdicts[0].Code)

	bare := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "bare"}}
	r := asks(pod("p", "6000"), bare, node("small", 1, 1000)).with("profile", "two-l4")
	response := answer(t, s, r)
	assert.Equal(t, simulation.Fits, response.Verdicts[0].Code)
	assert.Equal(t, simulation.NoRoom, response.Verdicts[1].Code, "a node that describes itself has no other devices")
	assert.Equal(t, *bare, result(t, response).Nodes.Items[0], "as it was sent")
	assert.Equal(t, simulation.NoDescription, answer(t, s, asks(pod("p", "6000"), bare)).Verdicts[0].Code, "without the profile again")
}

func TestPlacementAndExplanation(t *testing.T) {
	r := asks(pod("p", "6000"), node("a", 2, 11441), node("small", 1, 1000)).with("placement", true).with("explain", true)
	response := answer(t, simulator(t), r)
	first := response.Verdicts[0]
	assert.Equal(t, []simulation.Placed{{Vendor: "NVIDIA", Device: "GPU-1", MemoryMiB: 6000}}, first.Placement)
	assert.Equal(t, "GPU-1,NVIDIA,6000,0:;", first.Annotations["hami.io/vgpu-devices-allocated"])
	assert.Equal(t, []simulation.Found{
		{Vendor: "NVIDIA", Device: "GPU-0", Reason: "CardInsufficientMemory", Want: "6000 MiB", Have: "1000 MiB"},
	}, response.Verdicts[1].Devices)
	assert.Empty(t, answer(t, simulator(t), asks(pod("p", "6000"), node("a", 2, 11441))).Verdicts[0].Placement, "on request only")
}

func TestBadRequests(t *testing.T) {
	whole := asks(pod("p", "6000"), node("a", 2, 11441))
	for _, test := range []struct{ body, want string }{
		{"", "want a JSON object"},
		{"[]", "want a JSON object"},
		{"null", "want a JSON object"},
		{`{"Pod":{}`, "truncated"},
		{string(whole.text(t)) + "x", "something follows"},
		{`{}`, "Pod: extender args missing pod"},
		{`{"Pod":null,"NodeNames":[]}`, "Pod: extender args missing pod"},
		{`{"Pod":{}}`, "Nodes: extender args missing nodes"},
		{`{"Pod":{},"Nodes":null}`, "Nodes: extender args missing nodes"},
		{`{"Pod":{},"Nodes":{"items":[]},"NodeNames":[]}`, "Nodes: extender args have both"},
		{`{"Pod":{},"Nodes":0}`, "Nodes: json: cannot unmarshal number"},
		{`{"Pod":{},"Pod":{},"NodeNames":[]}`, "Pod: is given twice"},
		{`{"Pod":{},"NodeNames":[],"dryRun":true}`, "dryRun: unknown field"},
		{`{"Pod":{},"NodeNames":["a","a"]}`, `NodeNames[1]: node "a" is given twice`},
		{`{"Pod":{},"Nodes":{"items":[{"metadata":{}}]}}`, "Nodes.items[0]: metadata.name"},
		{`{"Pod":{},"Nodes":{"items":[null]}}`, "Nodes.items[0]"},
		{`{"Pod":{"spec":7},"NodeNames":[]}`, "Pod: json"},
		{`{"Pod":{},"NodeNames":["a"],"profile":"x"}`, `profile: "x" is unknown, want one of ["two-l4"]`},
		{`{"Pod":{},"NodeNames":["a"],"assumed":{"b":[]}}`, `assumed["b"]: the request does not ask`},
		{`{"Pod":{},"NodeNames":["a"],"assumed":{"a":[null]}}`, `assumed["a"][0]: null`},
		{`{"Pod":{},"Nodes":{"items":[{"metadata":{"name":"a","annotations":{"simulation.accelfit.dev/assumed":"["}}}]}}`, "Nodes.items[0]: metadata.annotations[simulation.accelfit.dev/assumed]"},
		{`{"Pod":{"x":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `},"NodeNames":[]}`, "exceeded max depth"},
	} {
		_, err := simulator(t).Answer(t.Context(), []byte(test.body))
		var bad *simulation.BadRequest
		if assert.ErrorAs(t, err, &bad, test.body) {
			assert.ErrorContains(t, err, test.want)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := simulator(t).Answer(ctx, asks(pod("p", "6000"), node("a", 2, 11441)).text(t))
	assert.ErrorIs(t, err, context.Canceled)
}

// TestListsThatLookKnown: a text that is known is recognised where it is the list of nodes, and nowhere else.
func TestListsThatLookKnown(t *testing.T) {
	s := simulator(t)
	known := asks(pod("p", "6000"), node("a", 2, 11441))
	answer(t, s, known)
	list, err := json.Marshal(known["Nodes"])
	require.NoError(t, err)
	for _, body := range []string{
		`{"Pod":{"Nodes":` + string(list) + `},"NodeNames":["b"]}`,
		`{"Pod":{"Nodes":` + string(list) + `},"Nodes":{"items":[{"metadata":{"name":"b"}}]}}`,
	} {
		response, err := s.Answer(t.Context(), []byte(body))
		require.NoError(t, err)
		assert.Equal(t, "b", response.Verdicts[0].Node)
	}
	_, err = s.Answer(t.Context(), []byte(`{"Pod":{"Nodes":`+string(list)+`},"Nodes":0}`))
	assert.Error(t, err)
	_, err = s.Answer(t.Context(), []byte(`{"Pod":{},"Nodes":`+string(list)+`junk}`))
	assert.Error(t, err)
}

// TestSameBodySameAnswer: on a fresh simulator, on one that has seen everything, and on one that keeps nothing, from many goroutines.
func TestSameBodySameAnswer(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	var bodies [][]byte
	for i := range 40 {
		var nodes []*corev1.Node
		for j := range 1 + r.IntN(4) {
			nodes = append(nodes, node(fmt.Sprint("n", j), r.IntN(3), 4000+4000*r.IntN(3)))
		}
		q := asks(pod("p", fmt.Sprint(2000*(1+r.IntN(6)))), nodes...).with("placement", i%2 == 0).with("explain", i%3 == 0)
		if i%4 == 0 {
			q.with("assumed", map[string][]*corev1.Pod{"n0": {pod("q", "3000")}}).with("profile", "two-l4")
		}
		bodies = append(bodies, q.text(t))
	}
	text := func(s *simulation.Simulator, body []byte) string {
		response, err := s.Answer(context.Background(), body)
		if err != nil {
			return err.Error()
		}
		text, err := response.JSON()
		if err != nil {
			return err.Error()
		}
		return string(text)
	}
	var want []string
	for _, body := range bodies {
		want = append(want, text(simulator(t), body))
	}
	profile, err := simulate.ProfileOfModels("two-l4", 2, "NVIDIA L4")
	require.NoError(t, err)
	for _, bytes := range []int{0, -1, 3000} {
		s, err := simulation.New(vendors.Default(), simulation.Options{CacheBytes: bytes, Profiles: []simulate.Profile{profile}})
		require.NoError(t, err)
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				for _, i := range rand.New(rand.NewPCG(2, uint64(g))).Perm(len(bodies)) {
					assert.Equal(t, want[i], text(s, bodies[i]))
				}
			})
		}
		wg.Wait()
		nodes, lists := s.Kept()
		if bytes < 0 {
			assert.Zero(t, nodes+lists)
		}
	}
}

// TestEveryVendor: a node of every vendor's devices serves a pod that asks for one of them, and not one that asks for a thousand.
func TestEveryVendor(t *testing.T) {
	set, s := vendors.Default(), simulator(t)
	seen := map[device.Vendor]bool{}
	for _, model := range vendors.Models() {
		b := set.Backend(model.Vendor)
		if b == nil || seen[model.Vendor] {
			continue
		}
		seen[model.Vendor] = true
		n := described(t, b, &model)
		for _, test := range []struct {
			count string
			code  simulation.Code
		}{{"1", simulation.Fits}, {"1000", simulation.NoRoom}} {
			p := pod("p", "1")
			p.Spec.Containers[0].Resources.Limits = corev1.ResourceList{corev1.ResourceName(b.Names().Count): resource.MustParse(test.count)}
			v := answer(t, s, asks(p, n)).Verdicts[0]
			assert.Equal(t, test.code, v.Code, "%s %s of %s: %s", test.count, b.Names().Count, model.Name, v.Text)
		}
	}
	assert.Greater(t, len(seen), 10)
}

// TestMalformedStaysMalformed: a profile speaks for nodes that say nothing, not for those that cannot be understood.
func TestMalformedStaysMalformed(t *testing.T) {
	malformed := node("malformed", 1, 11441)
	malformed.Annotations[registration] = "[{"
	v := answer(t, simulator(t), asks(pod("p", "6000"), malformed).with("profile", "two-l4")).Verdicts[0]
	assert.Equal(t, simulation.MalformedDescription, v.Code)
}

// described is a node with eight devices of a model, on two NUMA nodes where the vendor tells of them.
func described(t *testing.T, b device.Backend, model *device.Model) *corev1.Node {
	t.Helper()
	var err error
	for _, perNUMA := range []int{4, 8} {
		devices := make([]device.DeviceInfo, 8)
		for i := range devices {
			id := fmt.Sprint("d", i)
			if named, ok := b.(device.Identifier); ok {
				id = named.DeviceID("n", i)
			}
			devices[i] = model.Device(id, i)
			devices[i].NUMA = i / perNUMA
		}
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
		if err = b.Describe(n, devices); err == nil {
			return n
		}
	}
	t.Fatal(err)
	return nil
}
