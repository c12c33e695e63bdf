package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
	"github.com/accelfit/accelfit/examples/whatif/internal/input"
	"github.com/accelfit/accelfit/examples/whatif/internal/render"
	"github.com/accelfit/accelfit/vendors"
)

// pageOf is the report about a cluster.
func pageOf(tb testing.TB, cluster []byte) []byte {
	tb.Helper()
	read, err := input.Parse("cluster", cluster)
	if err != nil {
		tb.Fatal(err)
	}
	r, err := answer.NewWorld(vendors.Default(), read, answer.Options{}).Report()
	if err != nil {
		tb.Fatal(err)
	}
	render.Clean(r)
	var out bytes.Buffer
	if err := Write(&out, r, "Devices of the cluster"); err != nil {
		tb.Fatal(err)
	}
	return out.Bytes()
}

// object is a Kubernetes object.
type object = map[string]any

// large is a cluster of nodes with eight cards each in pools of 250, two pods on every other card, and some pods that wait.
func large(nodes int) []byte {
	var items []object
	for i := range nodes {
		name := fmt.Sprintf("gpu-node-%04d", i)
		items = append(items, largeNode(name, i))
		for card := 0; card < 8; card += 2 {
			for k := range 2 {
				items = append(items, largePod(fmt.Sprintf("train-%d-%d-%d", i, card, k), name, cardID(i, card), 20000+1000*(i%15)))
			}
		}
	}
	for i := range 40 {
		items = append(items, largePod(fmt.Sprintf("waiting-%02d", i), "", "", 60000+5000*(i%5)))
	}
	text, err := json.Marshal(object{"apiVersion": "v1", "kind": "List", "items": items})
	if err != nil {
		panic(err)
	}
	return text
}

func cardID(node, card int) string {
	return fmt.Sprintf("GPU-%08x-%04x-4a5b-9c6d-%012x", node*2654435761&0xffffffff, card, node*8+card)
}

func largeNode(name string, i int) object {
	var cards []string
	for card := range 8 {
		cards = append(cards, fmt.Sprintf(`{"id":%q,"index":%d,"count":10,"devmem":81920,"devcore":100,"type":"NVIDIA-H100","numa":%d,`+
			`"mode":"hami-core","health":%t}`, cardID(i, card), card, card/4, (i*8+card)%97 != 0))
	}
	return object{
		"apiVersion": "v1", "kind": "Node",
		"metadata": object{
			"name": name, "labels": object{"agentpool": fmt.Sprintf("pool-%d", i/250)},
			"annotations": object{"hami.io/node-nvidia-register": "[" + strings.Join(cards, ",") + "]"},
		},
		"spec": object{"unschedulable": i%50 == 7},
		"status": object{
			"allocatable": object{"cpu": "96", "memory": "1Ti", "pods": "110"},
			"conditions":  []object{{"type": "Ready", "status": "True"}},
		},
	}
}

// largePod holds memory and a fifth of the cores of a card; without a node it waits for that.
func largePod(name, node, card string, memory int) object {
	pod := object{
		"apiVersion": "v1", "kind": "Pod", "metadata": object{"namespace": "ml", "name": name},
		"spec": object{"containers": []object{{"name": "main", "resources": object{"limits": object{
			"nvidia.com/gpu": "1", "nvidia.com/gpumem": fmt.Sprint(memory), "nvidia.com/gpucores": "20",
		}}}}},
		"status": object{"phase": "Pending"},
	}
	if node != "" {
		pod["metadata"] = object{"namespace": "ml", "name": name, "annotations": object{
			"hami.io/vgpu-node": node, "hami.io/bind-phase": "success",
			"hami.io/vgpu-devices-allocated": fmt.Sprintf("%s,NVIDIA,%d,20:;", card, memory),
		}}
		pod["spec"].(object)["nodeName"], pod["status"] = node, object{"phase": "Running"}
	}
	return pod
}
