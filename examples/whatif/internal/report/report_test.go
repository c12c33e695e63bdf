package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
	"github.com/accelfit/accelfit/examples/whatif/internal/demo"
	"github.com/accelfit/accelfit/examples/whatif/internal/problem"
)

var update = flag.Bool("update", false, "write the golden file and the picture anew")

// TestGolden holds the page about the demo cluster, but for style and script.
func TestGolden(t *testing.T) {
	page := pageOf(t, demo.Cluster)
	if again := pageOf(t, demo.Cluster); !bytes.Equal(page, again) {
		t.Error("the page differs from one run to the next")
	}
	got := strings.Replace(string(page), styleText, "…", 1)
	got = strings.Replace(got, scriptText, "…", 1)
	_, policy, _ := strings.Cut(got, "script-src 'sha256-")
	hash, _, _ := strings.Cut(policy, "'")
	got = strings.Replace(got, hash, "…", 1)
	const path = "testdata/demo.html"
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got; -update writes it anew):\n%s", path, d)
	}
}

// TestLarge checks that the page about 2,000 nodes with eight cards each stays small.
func TestLarge(t *testing.T) {
	page := pageOf(t, large(2000))
	if len(page) > 3<<20 {
		t.Errorf("%d bytes, want at most 3 MiB", len(page))
	}
	d := dataOf(t, page)
	nodes := 0
	for _, g := range d.Maps[0] {
		nodes += len(g.Nodes)
	}
	if nodes != 2000 || len(d.Pods) < 16000 {
		t.Errorf("%d nodes and %d pods in the map", nodes, len(d.Pods))
	}
}

// dataOf reads what the script draws.
func dataOf(t *testing.T, page []byte) (d data) {
	t.Helper()
	_, rest, _ := strings.Cut(string(page), `<script type="application/json" id="data">`)
	text, _, found := strings.Cut(rest, "</script>")
	if !found {
		t.Fatal("no data in the page")
	}
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// hostile is a name that ends whatever it is written into.
const hostile = `</script></style></title>"'><script>document.title="broken in"</script><img src=x onerror="document.title='broken in'">${x}`

// hostileCluster names everything so that can be named.
func hostileCluster(t *testing.T) []byte {
	t.Helper()
	text, err := json.Marshal(hostile)
	if err != nil {
		t.Fatal(err)
	}
	inside := strings.Trim(string(text), `"`)
	cluster := strings.NewReplacer("l4-1", inside, "GPU-1f0c7a52-5a0e-4c5e-9d0a-3b8e1c6f2a01", "X", "shop", inside).Replace(string(large(3)))
	cluster = strings.NewReplacer("gpu-node-0000", inside, "pool-0", inside, `"ml"`, `"`+inside+`"`, "waiting-01", inside,
		`"main"`, `"`+inside+`"`).Replace(cluster)
	quoted, err := json.Marshal(`[{"id":` + string(text) + `,"count":1,"devmem":1,"devcore":1,"type":` + string(text) + `,"mode":` + string(text) + `,"health":true}]`)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(cluster + "\n" + `{"kind":"Node","metadata":{"name":"n","annotations":{"hami.io/node-nvidia-register":` + string(quoted) + `}}}
{"kind":"Node","metadata":{"name":"m","annotations":{"hami.io/node-nvidia-register":` + string(text) + `}}}`)
}

// TestHostile checks that no text of the input becomes markup.
func TestHostile(t *testing.T) {
	page := string(pageOf(t, hostileCluster(t)))
	for _, tag := range []string{"<script>", "<script", "</script", "<img", "</style", "</title"} {
		want := strings.Count(pageText, tag)
		if got := strings.Count(page, tag); got != want {
			t.Errorf("%d times %s, want %d", got, tag, want)
		}
	}
	names := 0
	for _, g := range dataOf(t, []byte(page)).Maps[0] {
		for _, n := range g.Nodes {
			if n.Name == hostile || len(n.Devices) > 0 && n.Devices[0].ID == hostile {
				names++
			}
		}
	}
	if names != 2 {
		t.Errorf("%d hostile names are in the map, want those of a node and of a card", names)
	}
}

// TestCharts checks that every node is in the chart of its vendor, and that no bar is drawn out of it.
func TestCharts(t *testing.T) {
	for name, v := range map[string]answer.VendorFragments{
		"memory": {Vendor: "A", ByMemory: true, Nodes: []answer.NodeFragment{
			{Devices: 1, Memory: 81920}, {Devices: 2, Memory: 40000}, {Devices: 1, Memory: 1}, {Free: 500}}},
		"all full":   {Vendor: "A", ByMemory: true, Nodes: []answer.NodeFragment{{Free: 500}, {}}},
		"by devices": {Vendor: "A", Nodes: []answer.NodeFragment{{Devices: 8}, {Devices: 3}, {Devices: 1 << 60}}},
	} {
		c := charts(&answer.Fragmentation{Vendors: []answer.VendorFragments{v, {Vendor: "without nodes"}}})
		if len(c) != 1 {
			t.Fatalf("%s: %d charts", name, len(c))
		}
		nodes := 0
		for _, b := range c[0].Bars {
			nodes += b.Nodes
			if b.Height < 0 || b.Height > chartHeight || b.X+44 > c[0].Wide {
				t.Errorf("%s: bar %+v is not within the chart", name, b)
			}
		}
		if nodes != len(v.Nodes) {
			t.Errorf("%s: %d nodes in the chart, want %d", name, nodes, len(v.Nodes))
		}
	}
}

// TestTroubles checks that the same problem is told once for each kind of object.
func TestTroubles(t *testing.T) {
	same := problem.Problem{Key: "k", Field: "f", Why: "w", LeftOut: "l"}
	var all []problem.Problem
	for _, object := range []string{"node a", "pod x", "node b"} {
		same.Object = object
		all = append(all, same)
	}
	want := []trouble{{[]string{"node a", "node b"}, "k: f", "w", "l"}, {[]string{"pod x"}, "k: f", "w", "l"}}
	if d := cmp.Diff(want, troubles(all)); d != "" {
		t.Error(d)
	}
}
