package simulate_test

import (
	"os"
	"testing"

	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// BenchmarkProfile: one node of eight linked cards.
func BenchmarkProfile(b *testing.B) {
	set := vendors.Default()
	p, ok := simulate.InstanceTypeProfile("p4d.24xlarge")
	if !ok {
		b.Fatal("not built in")
	}
	node := bareNode("n")
	if err := p.Apply(set, node); err != nil {
		b.Fatal(err)
	}
	text, err := p.YAML()
	if err != nil {
		b.Fatal(err)
	}
	for name, run := range map[string]func() error{
		"parse":         func() error { _, err := simulate.ParseProfiles(text); return err },
		"apply":         func() error { return p.Apply(set, bareNode("n")) },
		"from-node":     func() error { simulate.ProfileFromNode(set, node); return nil },
		"verify":        func() error { _, err := p.Verify(set, node); return err },
		"inventory":     func() error { set.Inventory(node); return nil }, // what any reader of the node pays
		"instance-type": func() error { simulate.InstanceTypeProfile("p4d.24xlarge"); return nil },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := run(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkParseProfiles/built-in parses all built-in instance types.
func BenchmarkParseProfiles(b *testing.B) {
	text, err := os.ReadFile("instancetypes.yaml")
	if err != nil {
		b.Fatal(err)
	}
	b.Run("built-in", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := simulate.ParseProfiles(text); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// TestMatchingAllocatesNothing: profiles are matched with every node of a cluster.
func TestMatchingAllocatesNothing(t *testing.T) {
	profiles := simulate.InstanceTypeProfiles()
	labels := map[string]string{"node.kubernetes.io/instance-type": "ecs.gn7e-c16g1.32xlarge"}
	if n := testing.AllocsPerRun(10, func() {
		if simulate.ProfileFor(profiles, "", labels) == nil {
			t.Error("no profile")
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestNodesAreAsCheapWithAProfile: how often devices are described does not grow with the number of new nodes.
func TestNodesAreAsCheapWithAProfile(t *testing.T) {
	set := vendors.Default()
	p, _ := simulate.InstanceTypeProfile("p4d.24xlarge")
	sample := bareNode("t")
	if err := p.Apply(set, sample); err != nil {
		t.Fatal(err)
	}
	per := func(template simulate.Template) float64 {
		cost := func(n int) float64 {
			pods := podsOf(n, "gpu=8 mem=30000")
			return testing.AllocsPerRun(3, func() { simulate.Estimate(set, template, pods, simulate.Limits{}) })
		}
		return (cost(60) - cost(20)) / 40
	}
	warm, cold := per(simulate.Template{Node: sample}), per(simulate.Template{Node: bareNode("t"), Profile: &p})
	t.Logf("allocations for each new node of eight linked cards: %.0f from a sample, %.0f from a profile", warm, cold)
	if cold > 1.2*warm {
		t.Errorf("%v allocations for each new node, %v without a profile", cold, warm)
	}
}
