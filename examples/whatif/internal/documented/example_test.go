package documented

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/accelfit/accelfit/examples/whatif/internal/demo"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// kubectl is what "kubectl get" prints of a kind of object in the demo cluster.
func kubectl(kind string) []byte {
	var all struct{ Items []map[string]any }
	if err := yaml.Unmarshal(demo.Cluster, &all); err != nil {
		panic(err)
	}
	of := map[string][]any{}
	for _, item := range all.Items {
		of[item["kind"].(string)] = append(of[item["kind"].(string)], item)
	}
	text, err := json.Marshal(map[string]any{"items": of[kind]})
	if err != nil {
		panic(err)
	}
	return text
}

func Example_offline() {
	nodesJSON, podsJSON, quotasJSON := kubectl("Node"), kubectl("Pod"), kubectl("ResourceQuota")

	var nodes struct{ Items []*corev1.Node } // kubectl get nodes -o json
	var pods struct{ Items []*corev1.Pod }
	var quotas struct{ Items []*corev1.ResourceQuota }
	err := errors.Join(json.Unmarshal(nodesJSON, &nodes), json.Unmarshal(podsJSON, &pods), json.Unmarshal(quotasJSON, &quotas))
	if err != nil {
		panic(err)
	}
	set := vendors.Default() // or vendors.Load: the device configuration of your HAMi
	snap, problems := simulate.New(set, nodes.Items, pods.Items)
	for _, q := range quotas.Items {
		snap.SetQuota(q)
	}
	for _, pod := range pods.Items {
		if pod.Spec.NodeName != "" {
			continue
		}
		admitted, err := set.Admit(pod, vendors.AdmitOptions{}) // a pending pod as the webhook completes it
		if err != nil {
			fmt.Println(pod.Name, err)
			continue
		}
		result, err := snap.Fork().PlaceAnywhere(admitted.Pod, simulate.PlaceOptions{}) // each by itself; snap.PlaceAll: all together
		fmt.Println(pod.Name, result.OK(), result.Node, err)
	}
	fmt.Println(problems) // what could not be read, and was left out
	// Output:
	// chat true l4-2 <nil>
	// notebook-d true a100-1 <nil>
	// rerank true l4-2 <nil>
	// render false  <nil>
	// finetune false  <nil>
	// pretrain false  <nil>
	// burst false  <nil>
	// typo invalid nvidia.com/gpumem value 16Gi in container main: must be a whole number from 0 to 2147483647
	// [node l4-3: hami.io/node-nvidia-register: device 0: devmem: string is not a whole number in range]
}

// TestSnippets: the Go code of the page on embedding stands in an example that is run.
func TestSnippets(t *testing.T) {
	p := pages(t, "docs/embedding.md")[0]
	blocks := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(p.src), -1)
	if len(blocks) == 0 {
		t.Error("no snippets")
	}
	examples := squeeze(t, "example_test.go")
	for _, b := range blocks {
		if !strings.Contains(examples, strings.Join(strings.Fields(b[1]), " ")) {
			t.Errorf("%s: no example has this snippet:\n%s", p.path, b[1])
		}
	}
}

func squeeze(t *testing.T, name string) string {
	return strings.Join(strings.Fields(content(t, name)), " ")
}
