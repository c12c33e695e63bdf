package simulate_test

import (
	"fmt"
	"testing"

	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// TestInstanceTypes: a bare node of a known type has its devices, unless options, a description or a profile say otherwise.
func TestInstanceTypes(t *testing.T) {
	set := vendors.Default()
	p, _ := simulate.ProfileOfModels("two", 2, "NVIDIA L4")
	sized := bareNode("t", "node.kubernetes.io/instance-type=g5.12xlarge")
	described := testkit.Node("t", cards(1, 24000)...)
	described.Labels = sized.Labels
	for _, test := range []struct {
		name     string
		template simulate.Template
		devices  int
		note     string
	}{
		{"known", simulate.Template{Node: sized}, 4, "[node t: devices assumed from instance type g5.12xlarge]"},
		{"off", simulate.Template{Node: sized, Options: simulate.TemplateOptions{NoInstanceTypes: true}}, 0, "[]"},
		{"described", simulate.Template{Node: described}, 1, "[]"},
		{"profile", simulate.Template{Node: sized, Profile: &p}, 2, "[node t: devices assumed from device profile two]"},
		{"unknown", simulate.Template{Node: bareNode("t", "node.kubernetes.io/instance-type=g5.13xlarge")}, 0, "[]"},
		{"part of a name", simulate.Template{Node: bareNode("t", "node.kubernetes.io/instance-type=g5.12")}, 0, "[]"},
	} {
		plan := simulate.ScaleUp(set, []simulate.NodeGroup{{Name: "g", Template: test.template}}, podsOf(1, ""), simulate.LeastNodes, simulate.Limits{})
		n := &plan.Steps[0].Nodes[0]
		if got := fmt.Sprint(plan.Notes); n.Usage.Info().Len() != test.devices || got != test.note || got != fmt.Sprint(plan.Steps[0].Notes) {
			t.Errorf("%s: %d devices, %s", test.name, n.Usage.Info().Len(), got)
		}
		registers(t, set, n)
	}
}

// TestEveryInstanceTypeIsRight: all can be applied, by their built-in models, and no type is in two profiles.
func TestEveryInstanceTypeIsRight(t *testing.T) {
	set := vendors.Default()
	seen, types := map[string]bool{}, 0
	for _, p := range simulate.InstanceTypeProfiles() {
		for _, name := range p.Match.InstanceTypes {
			types++
			found, ok := simulate.InstanceTypeProfile(name)
			if !ok || found.Name != p.Name || seen[name] {
				t.Errorf("%s: %v, %s, seen %v", name, ok, found.Name, seen[name])
			}
			seen[name] = true
			node := bareNode("n", "node.kubernetes.io/instance-type="+name)
			if err := p.Apply(set, node); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if drifts, err := p.Verify(set, node); err != nil || len(drifts) > 0 || node.Labels["node.kubernetes.io/instance-type"] != name {
				t.Errorf("%s: %v %v", name, drifts, err)
			}
		}
	}
	for name, want := range map[string]string{
		"p4d.24xlarge": "8 × NVIDIA A100-SXM4-40GB", "p4de.24xlarge": "8 × NVIDIA A100-SXM4-80GB", "p5.48xlarge": "8 × NVIDIA H100 80GB HBM3",
		"g4dn.12xlarge": "4 × NVIDIA-Tesla T4", "g5.48xlarge": "8 × NVIDIA A10G", "g6.xlarge": "1 × NVIDIA L4", "inf2.48xlarge": "12 × AWSNeuron",
		"trn1.32xlarge": "16 × AWSNeuron", "Standard_ND96asr_v4": "8 × NVIDIA A100-SXM4-40GB", "Standard_NC96ads_A100_v4": "4 × NVIDIA A100 80GB PCIe",
		"a2-highgpu-4g": "4 × NVIDIA A100-SXM4-40GB", "a2-ultragpu-8g": "8 × NVIDIA A100-SXM4-80GB", "a3-highgpu-8g": "8 × NVIDIA H100 80GB HBM3",
		"g2-standard-24": "2 × NVIDIA L4", "ecs.gn7-c13g1.26xlarge": "8 × NVIDIA A100-SXM4-40GB", "ecs.gn6v-c8g1.8xlarge": "4 × NVIDIA-Tesla V100-SXM2-16GB",
	} {
		p, _ := simulate.InstanceTypeProfile(name)
		if got := fmt.Sprintf("%d × %s", p.Devices[0].Count, p.Devices[0].Model); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	t.Logf("%d instance types", types)
}
