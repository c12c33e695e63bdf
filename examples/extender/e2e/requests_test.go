package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// simulated is the part of a simulation's answer that kube-scheduler knows.
type simulated struct {
	Nodes                                   *corev1.NodeList
	FailedNodes, FailedAndUnresolvableNodes map[string]string
	Error                                   string
}

// why is the reason of a node, wherever it stands.
func (s *simulated) why(node string) string {
	return s.FailedNodes[node] + s.FailedAndUnresolvableNodes[node]
}

// template is a node of two cards of 10000 MiB; as a JSON object.
func template(t *testing.T, name string) *corev1.Node {
	t.Helper()
	card := device.DeviceInfo{Type: "NVIDIA-NVIDIA L4", Slots: 10, Memory: 10000, Cores: 100, Healthy: true}
	first, second := card, card
	first.ID, second.ID, second.Index = "a", "b", 1
	text, err := device.EncodeRegistration([]device.DeviceInfo{first, second})
	if err != nil {
		t.Fatal(err)
	}
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{nvidia.AnnotationRegister: text}}}
}

func wishing(name, memory string) *corev1.Pod {
	pod := podsOf(name, 1)[0]
	pod.UID = "uid-of-nobody"
	pod.Spec.Containers[0].Resources.Limits = corev1.ResourceList{
		"nvidia.com/gpu": resource.MustParse("1"), "nvidia.com/gpumem": resource.MustParse(memory),
	}
	return pod
}

// post sends a body and returns the answer.
func (e *extender) post(route string, body any) (status int, answer []byte) {
	e.t.Helper()
	text, ok := body.(string)
	if !ok {
		b, err := json.Marshal(body)
		if err != nil {
			e.t.Fatal(err)
		}
		text = string(b)
	}
	r, err := e.client.Post(e.scheme+"://"+e.address+route, "application/json", strings.NewReader(text))
	if err != nil {
		e.t.Fatal(err)
	}
	defer r.Body.Close()
	answer, err = io.ReadAll(r.Body)
	if err != nil {
		e.t.Fatal(err)
	}
	return r.StatusCode, answer
}

func (e *extender) simulate(pod *corev1.Pod, nodes []*corev1.Node, more map[string]any) (out simulated) {
	e.t.Helper()
	list := corev1.NodeList{}
	for _, n := range nodes {
		list.Items = append(list.Items, *n)
	}
	body := map[string]any{"Pod": pod, "Nodes": list}
	for key, value := range more {
		body[key] = value
	}
	status, answer := e.post("/filter-simulation", body)
	if err := json.Unmarshal(answer, &out); status != http.StatusOK || err != nil {
		e.t.Fatalf("status %d, %v: %s", status, err, answer)
	}
	return out
}

// What somebody would try by hand, and what the reference's simulation left open.
func TestSimulationRequests(t *testing.T) {
	e := startExtender(t, bed.Cluster(t), nil)
	n1, n2, bare, broken := template(t, "n1"), template(t, "n2"), &corev1.Node{}, template(t, "broken")
	bare.Name = "bare"
	broken.Annotations[nvidia.AnnotationRegister] = "[{"
	all := []*corev1.Node{n2, bare, n1, broken}

	fits := e.simulate(wishing("p", "4000"), all, nil)
	if fits.Nodes == nil || len(fits.Nodes.Items) != 2 || fits.Nodes.Items[0].Name != "n2" || fits.Nodes.Items[1].Name != "n1" {
		t.Errorf("want every node that serves, in order, got %+v", fits)
	}
	if why := fits.why("bare"); why != "node unregistered" {
		t.Errorf("no description: %q", why)
	}
	if why := fits.why("broken"); why == "" || why == "node unregistered" {
		t.Errorf("a description that cannot be read: %q", why)
	}
	large := e.simulate(wishing("p", "90000"), all, nil)
	if why := large.why("n1"); why != "2/2 CardInsufficientMemory" {
		t.Errorf("no room: %q", why)
	}
	var assumed []*corev1.Pod
	for i := range 4 { // two cards, 6000 of 10000 MiB each: two pods
		pod := wishing(fmt.Sprintf("stacked-%d", i), "6000")
		r := e.simulate(pod, []*corev1.Node{n1}, map[string]any{"assumed": map[string]any{"n1": assumed}})
		if served := r.Nodes != nil && len(r.Nodes.Items) == 1; served != (i < 2) {
			t.Fatalf("pod %d on one template: %+v", i, r)
		}
		if i < 2 {
			assumed = append(assumed, pod)
		}
	}
	if status, answer := e.post("/filter-simulation", `{"Nodes": {"items": []}}`); status != http.StatusBadRequest ||
		!strings.Contains(string(answer), "missing pod") {
		t.Errorf("no pod: status %d, %s", status, answer)
	}
}

// Whatever is sent, no object changes and the extender goes on.
func TestHostileRequestsChangeNothing(t *testing.T) {
	c := bed.Cluster(t)
	createNodes(t, c)
	c.Agents(t)
	e := startExtender(t, c, nil)
	e.scheduler(c, "hostile", true, nil)
	pods, err := c.CreatePods(t.Context(), podsOf("hostile", 10)...)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.WaitBound(t.Context(), pods...); err != nil {
		t.Fatal(err)
	}
	var before []string
	settled(t, func() bool {
		last := before
		before = objectsOf(t, e)
		return slices.Equal(last, before)
	})
	const seed = 500
	random := rand.New(rand.NewPCG(seed, seed))
	routes := []string{"/filter", "/prioritize", "/bind", "/filter-simulation", "/webhook"}
	for range 500 {
		e.post(routes[random.IntN(len(routes))], hostile(random, pods))
	}
	if after := objectsOf(t, e); !slices.Equal(before, after) {
		t.Errorf("seed %d: before %v, after %v", seed, before, after)
	}
	next, err := c.CreatePods(t.Context(), podsOf("hostile", 11)[10])
	if err == nil {
		_, err = c.WaitBound(t.Context(), next...)
	}
	if err != nil {
		t.Errorf("after it: %v", err)
	}
	c.WantHolders(t, "e2e", 11)
}
