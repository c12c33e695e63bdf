package command

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"github.com/accelfit/accelfit/examples/whatif/internal/demo"
)

// TestProblems checks that one bad object never hides the others, and that each is named with what was left out.
func TestProblems(t *testing.T) {
	for name, c := range map[string]struct {
		object string
		want   []string
	}{
		"null item":       {`null`, []string{"item 0", "null", "the item"}},
		"a number":        {`7`, []string{"item 0", "not a Kubernetes object"}},
		"no kind":         {`{"metadata":{"name":"x"}}`, []string{"item 0", "says no kind"}},
		"no name":         {`{"kind":"Pod"}`, []string{"a Pod without a name"}},
		"other kinds":     {`{"kind":"Service","metadata":{"name":"x"}}`, []string{"only nodes, pods and resourcequotas", "1 Service"}},
		"other API group": {`{"apiVersion":"metrics.k8s.io/v1beta1","kind":"Pod","metadata":{"name":"x"}}`, []string{"1 Pod"}},
		"bad quantity": {`{"kind":"Pod","metadata":{"name":"x"},"spec":{"containers":[{"resources":{"limits":{"cpu":"much"}}}]}}`,
			[]string{"pod default/x: quantities must match", "(left out: the pod)"}},
		"wrong type":       {`{"kind":"Node","metadata":{"name":"x"},"spec":{"taints":"no"}}`, []string{"node x: ", "(left out: the node)"}},
		"null spec":        {`{"kind":"Pod","metadata":{"name":"x"},"spec":null}`, []string{"pod default/x: refused at admission: pod has no containers"}},
		"null containers":  {`{"kind":"Pod","metadata":{"name":"x"},"spec":{"containers":[null]}}`, nil},
		"empty node":       {`{"kind":"Node","metadata":{"name":"x","annotations":null},"status":null}`, nil},
		"registered null":  {register(`[null]`), []string{"node x: hami.io/node-nvidia-register: device 0: ", "all NVIDIA devices"}},
		"registered {}":    {register(`{}`), []string{"node x: hami.io/node-nvidia-register", "all NVIDIA devices"}},
		"huge count":       {register(`[{"id":"g","count":99999999999999999999}]`), []string{"device 0 count"}},
		"negative memory":  {register(`[{"id":"g","devmem":-1}]`), []string{"device 0 devmem"}},
		"one id twice":     {register(`[{"id":"g"},{"id":"g"}]`), []string{"node x: hami.io/node-nvidia-register", "(left out: the entry)"}},
		"half a text":      {register(`[{"id":"g"`), []string{"node x: hami.io/node-nvidia-register"}},
		"bad allocation":   {allocate("GPU-1f0c7a52,NVIDIA,much,0:;", ""), []string{"pod default/x: hami.io/vgpu-devices-allocated", "takes no new work"}},
		"bad reservation":  {allocate(";", `[{"containerIndex":-1}]`), []string{"pod default/x: hami.io/vgpu-mig-allocations", "take no new work"}},
		"unknown node":     {`{"kind":"Pod","metadata":{"name":"x"},"spec":{"nodeName":"gone"}}`, []string{"pod default/x: is on a node that is not"}},
		"no annotation":    {runs(`"nvidia.com/gpu":"1"`), []string{"pod default/x: asks for devices, but no annotation"}},
		"same name":        {`{"kind":"Node","metadata":{"name":"l4-1"}}`, []string{"node l4-1: is in the input twice", "the later one"}},
		"fractional quota": {`{"kind":"ResourceQuota","metadata":{"name":"x"},"spec":{"hard":{"limits.nvidia.com/gpumem":"1500m"}}}`, []string{"resourcequota default/x: limits.nvidia.com/gpumem: invalid value 1500m", "the limit"}},
	} {
		t.Run(name, func(t *testing.T) {
			list := file(t, "list.json", `{"kind":"List","items":[`+c.object+`]}`)
			out := answered(t, string(demo.Cluster), "scaleup", "-f", list, "-f", "-")
			if !strings.Contains(out, "l4-new-00000") {
				t.Errorf("the demo cluster was not answered:\n%s", out)
			}
			problems := strings.Join(strings.Fields(out[strings.Index(out, "\nProblems\n"):]), " ")
			for _, want := range c.want {
				if !strings.Contains(problems, want) {
					t.Errorf("no %q in %s", want, problems)
				}
			}
			if known := strings.Count(problems, "left out:"); c.want == nil && known != 2 {
				t.Errorf("something is wrong with an object that is not: %s", problems)
			}
		})
	}
}

func register(text string) string {
	quoted, _ := json.Marshal(text)
	return `{"kind":"Node","metadata":{"name":"x","annotations":{"hami.io/node-nvidia-register":` + string(quoted) + `}}}`
}

func allocate(allocated, reserved string) string {
	a, _ := json.Marshal(allocated)
	r, _ := json.Marshal(reserved)
	return fmt.Sprintf(`{"kind":"Pod","metadata":{"name":"x","annotations":{"hami.io/vgpu-node":"l4-1",
		"hami.io/vgpu-devices-allocated":%s,"hami.io/vgpu-mig-allocations":%s}},"spec":{"nodeName":"l4-1"}}`, a, r)
}

func runs(limits string) string {
	return `{"kind":"Pod","metadata":{"name":"x"},"spec":{"nodeName":"l4-1","containers":[{"resources":{"limits":{` + limits + `}}}]}}`
}

// TestImpossibleQuantities checks that a pod with an impossible quantity is refused, never taken for one without devices.
func TestImpossibleQuantities(t *testing.T) {
	for _, value := range []string{"16Gi", "-1", "1.5", "9223372036854775808", "1e30"} {
		pod := `{"kind":"Pod","metadata":{"name":"x"},"spec":{"containers":[{"name":"c","resources":{"limits":{"nvidia.com/gpu":"1","nvidia.com/gpumem":"` + value + `"}}}]}}`
		list := file(t, "pod.json", pod)
		for _, args := range [][]string{{"why", "x"}, {"why", "x", "--no-admission"}, {"place", "x"}} {
			out, _, code := run(t, string(demo.Cluster), append(args, "--fail", "-f", "-", "-f", list)...)
			if code != ExitNoFit || !strings.Contains(out, "pod default/x: nvidia.com/gpumem: container c: invalid value") {
				t.Errorf("%s, %v: exit code %d\n%s", value, args, code, out)
			}
		}
	}
}

// TestForms reads the same cluster in the forms in which it can come.
func TestForms(t *testing.T) {
	want := answered(t, string(demo.Cluster), "table", "-f", "-")
	asList := answered(t, "", "demo", "--data")
	var objects struct{ Items []json.RawMessage }
	decodeYAML(t, asList, &objects)
	var single, pods, nodes, others []string
	for _, o := range objects.Items {
		single = append(single, string(o))
		switch {
		case strings.Contains(string(o), `"kind":"Pod"`):
			pods = append(pods, strings.Replace(string(o), `"kind":"Pod",`, "", 1))
		case strings.Contains(string(o), `"kind":"Node"`):
			nodes = append(nodes, strings.Replace(string(o), `"kind":"Node",`, "", 1))
		default:
			others = append(others, string(o))
		}
	}
	list := func(kind string, items []string) string {
		return `{"kind":"` + kind + `","items":[` + strings.Join(items, ",") + `]}`
	}
	wide, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(list("List", single))
	if err != nil {
		t.Fatal(err)
	}
	for name, files := range map[string][]string{
		"one JSON list":        {list("List", single)},
		"JSON objects":         {strings.Join(single, "\n")},
		"YAML documents":       {"---\n" + strings.Join(single, "\n---\n") + "\n---\n"},
		"lists of one kind":    {list("PodList", pods), list("NodeList", nodes), strings.Join(others, "")},
		"everything twice":     {list("List", single), list("List", single)},
		"UTF-16, byte order":   {wide},
		"a byte order mark":    {"\ufeff" + list("List", single)},
		"Windows line endings": {strings.ReplaceAll(asList, "\n", "\r\n")},
	} {
		t.Run(name, func(t *testing.T) {
			var args []string
			for _, text := range files {
				args = append(args, "-f", file(t, "f", text))
			}
			if got := answered(t, "", append([]string{"table"}, args...)...); got != want {
				t.Errorf("got:\n%s", got)
			}
		})
	}
}

// FuzzCommand answers and prints any text.
func FuzzCommand(f *testing.F) {
	pod := `{"kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","resources":{"limits":{"nvidia.com/gpu":"1"}}}]}}`
	mig := `[{"id":"m","count":7,"devmem":40960,"devcore":100,"type":"A100","mode":"mig","health":true,"migProfiles":[` +
		`{"name":"7g","memoryMB":40192,"core":100,"sliceCount":7,"placements":[{"start":4294967290,"size":4294967290}]}]}]`
	f.Add(register(mig) + pod)
	f.Add(register(octo()) + pod + allocate("GPU-00,NVIDIA,1,1:;", `[{"gpuUUID":"m","profile":"7g","placement":{"start":1,"size":4294967295}}]`))
	for _, name := range []string{faulty + ".yaml", "../../testdata/private.yaml"} {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, args := range [][]string{{"table"}, {"why", "p"}, {"place", "p"}, {"scaleup", "--group-label", "pool"},
			{"scaleup", "--group-label", "pool", "--profiles", profiles}, {"verify", "--profiles", profiles},
			{"explain-request", "p"}, {"lint", "--profiles", profiles}, {"diff", "-", "--b", "all-quirks", "--b", "profiles=" + profiles},
			{"anonymize"}, {"anonymize", "--names"}} {
			if args[0] != "diff" {
				args = append(args, "-f", "-")
			}
			out, errs, code := run(t, text, args...)
			if code == ExitAnswered && out == "" || code == ExitBadInput && errs == "" {
				t.Errorf("exit code %d, but nothing said", code)
			}
			if strings.Contains(errs, "internal error") {
				t.Error(errs)
			}
			if args[0] == "anonymize" && len(args) == 3 && code == ExitAnswered {
				_, before, want := run(t, text, "table", "-f", "-")
				if _, errs, code := run(t, out, "table", "-f", "-"); code != want {
					t.Errorf("anonymized: exit code %d %s, want %d %s", code, errs, want, before)
				}
			}
		}
	})
}
