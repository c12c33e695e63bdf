package simulation_test

import (
	"encoding/json"
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/examples/extender/internal/simulation"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// FuzzAnswer: a body is a bad request, or has an answer that kube-scheduler's client can read, of every node once; and asked again it
// gets the same.
func FuzzAnswer(f *testing.F) {
	r := asks(pod("p", "6000"), node("a", 2, 11441), node("b", 1, 4000))
	f.Add(r.text(f))
	f.Add(r.with("assumed", map[string][]*corev1.Pod{"a": {pod("q", "9000")}}).with("explain", true).with("placement", true).text(f))
	f.Add(request{"Pod": pod("p", "1"), "NodeNames": []string{"n"}, "profile": "two-l4"}.text(f))
	f.Add([]byte(`{"Pod":{"Nodes":{"items":[]}},"Nodes":{"items":[{"metadata":{"name":"a"}}]}}`))
	f.Add([]byte(`{"Pod":{},"Pod":null}`))
	l4s, err := simulate.ProfileOfModels("two-l4", 2, "NVIDIA L4")
	if err != nil {
		f.Fatal(err)
	}
	set := vendors.Default()
	f.Fuzz(func(t *testing.T, body []byte) {
		s, err := simulation.New(set, simulation.Options{Profiles: []simulate.Profile{l4s}})
		if err != nil {
			t.Fatal(err)
		}
		first, err := s.Answer(t.Context(), body)
		if err != nil {
			var bad *simulation.BadRequest
			if !errors.As(err, &bad) {
				t.Fatal(err)
			}
			return
		}
		text, err := first.JSON()
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(text) {
			t.Fatalf("no JSON: %s", text)
		}
		back := result(t, first)
		fit := len(first.Verdicts) - len(back.FailedNodes) - len(back.FailedAndUnresolvableNodes)
		if back.Nodes != nil && len(back.Nodes.Items) != fit || back.NodeNames != nil && len(*back.NodeNames) != fit {
			t.Fatalf("%d of %d nodes fit: %s", fit, len(first.Verdicts), text)
		}
		again, err := s.Answer(t.Context(), body)
		if err != nil {
			t.Fatal(err)
		}
		if second, err := again.JSON(); err != nil || string(second) != string(text) {
			t.Fatalf("%s\nthen %s %v", text, second, err)
		}
	})
}
