package simulate_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

const head = "apiVersion: accelfit.dev/v1alpha1\nkind: DeviceProfile\nmetadata: {name: p}\ndevices:\n" // five lines

// TestProfileErrors: strict decoding; every error names line and field.
func TestProfileErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{head + "- vendor: NVIDIA\n  model: NVIDIA L4\n  memory: 3\n", "line 7: devices[0].memory: unknown field, want one of cores, count, custom, links, memoryMiB, migProfiles, mode, model, numa, slots, vendor"},
		{head + "- model: NVIDIA L4\n  memoryMiB: 40Gi\n", `line 6: devices[0].memoryMiB: want a whole number, have "40Gi"`},
		{head + "- model: NVIDIA L4\n  memoryMiB: 1.5\n", `line 6: devices[0].memoryMiB: want a whole number, have "1.5"`},
		{head + "- model: NVIDIA L4\n  slots: -1\n", "line 6: devices[0].slots: -1 is out of range, want 0 to 2147483647"},
		{head + "- model: NVIDIA L4\n  cores: 99999999999999999999\n", "line 6: devices[0].cores: want a whole number, have \"99999999999999999999\""},
		{head + "- model: NVIDIA L4\n  count: 0\n", "line 6: devices[0].count: 0 is out of range, want 1 to 1024"},
		{head + "- model: NVIDIA L4\n  model: NVIDIA L4\n", "line 6: devices[0].model: is there twice"},
		{head + "- model: 4\n", "line 5: devices[0].model: want a text, have 4; put it in quotes"},
		{head + "- model: NVIDIA L4\n  count: 2\n  numa:\n  - 1\n", ""},
		{head + "- model: NVIDIA L4\n  count: 3\n  numa:\n  - 1\n  - 1\n", "line 8: devices[0].numa: 2 values for 3 devices"},
		{head + "- model: NVIDIA L4\n  numa: []\n", "line 6: devices[0].numa: the list is empty"},
		{head + "- model: NVIDIA L4\n  count: 2\n  links: [[1]]\n", "line 7: devices[0].links: 1 rows for 2 devices"},
		{head + "- model: NVIDIA L4\n  count: 2\n  links:\n  - [0, 1]\n  - [1]\n", "line 9: devices[0].links[1]: 1 columns, want 2, or 2 for all devices of the vendor"},
		{head + "- model: NVIDIA L4\n  count: 300\n  links: 1\n", "line 7: devices[0].links: 300 devices of the vendor, of more than 256 no links can be given"},
		{head + "- model: NVIDIA L4\n  custom: 3\n", "line 6: devices[0].custom: want a list"},
		{head + "- model: NVIDIA L4\n  custom: {a: &x 1, b: *x}\n", "line 6: devices[0].custom.b: aliases are not supported"},
		{head + "- {vendor: NVIDIA}\n", "line 5: devices[0].model: is missing: the vendor has several"},
		{head + "- {model: NVIDIA Z9}\n", `line 5: devices[0].vendor: is missing, and "NVIDIA Z9" is no built-in model`},
		{head + "- {count: 2}\n", "line 5: devices[0].vendor: is missing"},
		{head + "- {vendor: NVIDIA, model: NVIDIA Z9}\n", "line 5: devices[0].memoryMiB: is missing"},
		{head + "- {vendor: NVIDIA, model: NVIDIA Z9, memoryMiB: 1}\n", ""},
		{head + "- {vendor: MLU}\n", "line 5: devices[0].memoryMiB: is missing, and the built-in models that it could be have different ones"},
		{head + "- {vendor: MLU, memoryMiB: 24576}\n", ""},
		{head + "- {model: NVIDIA L4, count: 1000}\n- {model: NVIDIA L4, count: 25}\n", "line 6: devices[1].count: more than 1024 devices of the vendor"},
		{strings.Replace(head, "devices:\n", "devices: []\n", 1), "line 4: devices: is missing"},
		{strings.Replace(head, "metadata: {name: p}\n", "", 1) + "- {model: NVIDIA L4}\n", "line 1: metadata.name: is missing"},
		{strings.Replace(head, "v1alpha1", "v2", 1) + "- {model: NVIDIA L4}\n", `line 1: apiVersion: want accelfit.dev/v1alpha1, have "accelfit.dev/v2"`},
		{strings.Replace(head, "DeviceProfile", "Node", 1) + "- {model: NVIDIA L4}\n", `line 2: kind: want DeviceProfile, have "Node"`},
		{head + "- {model: NVIDIA L4}\nmatch: [a]\n", "line 6: match: want an object"},
		{head + "- {model: NVIDIA L4}\nmatch: {nodeGroups: a}\n", "line 6: match.nodeGroups: want a list"},
		{head + "- {model: NVIDIA L4}\nlabels: {a: true}\n", "line 6: labels.a: want a text, have true; put it in quotes"},
		{head + "- {model: NVIDIA L4}\n---\n" + head + "- {model: NVIDIA L4}\n", "line 9: metadata.name: p is also the name of the profile in line 1"},
		{"a: b: c\n", "line 1: mapping values are not allowed in this context"},
		{"- a\n", "line 1: want an object"},
		{"? [a]\n: b\n", "line 1: a field's name must be a text"},
	} {
		_, err := simulate.ParseProfiles([]byte(test.text))
		switch at := (*simulate.ProfileError)(nil); {
		case test.want == "" && err == nil:
		case !errors.As(err, &at) || at.Error() != test.want:
			t.Errorf("%s\ngot  %v\nwant %s", test.text, err, test.want)
		}
	}
}

// TestAllErrorsAreTold, up to a bound, each with its line.
func TestAllErrorsAreTold(t *testing.T) {
	_, err := simulate.ParseProfiles([]byte(head + "- {count: x}\n- {slots: y, numa: z}\n"))
	if lines := strings.Split(err.Error(), "\n"); len(lines) != 3 {
		t.Errorf("%d errors: %v", len(lines), err)
	}
	_, err = simulate.ParseProfiles([]byte(head + strings.Repeat("- {count: x}\n", 10000)))
	if lines := strings.Split(err.Error(), "\n"); len(lines) != 20 {
		t.Errorf("%d errors", len(lines))
	}
}

// TestHostileProfiles: neither size nor depth nor repetition costs more than linear time and memory.
func TestHostileProfiles(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("[", 1<<19), strings.Repeat("a: ", 1<<18), strings.Repeat("---\n", 1<<18),
		head + "- custom: {a: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "}\n",
		head + "- {model: NVIDIA L4, numa: [" + strings.Repeat("1,", 1<<18) + "]}\n",
		"a: &a [x]\nb: &b [*a,*a]\nc: [*b,*b]\n", strings.Repeat("x", 1<<21),
	} {
		if _, err := simulate.ParseProfiles([]byte(text)); err == nil && !strings.HasPrefix(text, "---") {
			t.Errorf("%.40s: no error", text)
		}
	}
}

// TestLongNamesAreNotRepeated: a name of half a megabyte is not written down again with each of the fields below it.
func TestLongNamesAreNotRepeated(t *testing.T) {
	long := strings.Repeat("k", 1<<19)
	many := strings.Repeat("x,", 1<<17)
	var fields strings.Builder
	for i := 0; fields.Len() < 1<<18; i++ {
		fmt.Fprintf(&fields, "a%d: 1, ", i)
	}
	for _, below := range []string{"{" + fields.String() + "}", "[" + many + "]"} {
		text := head + "- {model: NVIDIA L4, custom: {? " + long + " : " + below + "}}\n"
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		p, err := simulate.ParseProfiles([]byte(text))
		runtime.ReadMemStats(&after)
		if err != nil || len(p[0].Devices[0].Custom[0][long]) < 1<<17 {
			t.Fatal(err)
		}
		if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 256 {
			t.Errorf("%d bytes of text cost %d MiB", len(text), mib)
		}
	}
}

// TestNothingIsNoProfile: documents without content are skipped.
func TestNothingIsNoProfile(t *testing.T) {
	for _, text := range []string{"", "# nothing\n", "---\n---\n", "null\n"} {
		if p, err := simulate.ParseProfiles([]byte(text)); err != nil || len(p) != 0 {
			t.Errorf("%q: %v %v", text, p, err)
		}
	}
}

// TestJSONIsYAML.
func TestJSONIsYAML(t *testing.T) {
	p, err := simulate.ParseProfiles([]byte(`{"apiVersion":"accelfit.dev/v1alpha1","kind":"DeviceProfile","metadata":{"name":"p"},
		"devices":[{"model":"NVIDIA L4","custom":{"a":[1,{"b":null}],"c":1e3}}]}`))
	if err != nil || string(p[0].Devices[0].Custom[0]["a"]) != `[1,{"b":null}]` || string(p[0].Devices[0].Custom[0]["c"]) != "1000" {
		t.Errorf("%+v %v", p, err)
	}
}

// TestDocumentedProfiles: the documents in docs/profiles.md are read, and can be applied.
func TestDocumentedProfiles(t *testing.T) {
	text, err := os.ReadFile("../docs/profiles.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1)
	if len(blocks) == 0 {
		t.Fatal("no documents")
	}
	for _, b := range blocks {
		profiles, err := simulate.ParseProfiles(b[1])
		if err != nil || len(profiles) == 0 {
			t.Fatalf("%v\n%s", err, b[1])
		}
		for i := range profiles {
			node := apply(t, vendors.Default(), &profiles[i], "n")
			if drifts, err := profiles[i].Verify(vendors.Default(), node); err != nil || len(drifts) > 0 {
				t.Errorf("%v %v", drifts, err)
			}
		}
	}
}

func FuzzParseProfiles(f *testing.F) {
	f.Add(head + "- {model: NVIDIA L4, count: 2, links: [[0, 1], [1, 0]], numa: [0, 1], custom: {a: 1}}\n")
	f.Add(head + "- {vendor: NVIDIA, model: x, memoryMiB: 3, mode: mig, migProfiles: [{name: 1g, placements: [{start: 0, size: 1}]}]}\n---\n" + head)
	set := vendors.Default()
	f.Fuzz(func(t *testing.T, text string) {
		profiles, err := simulate.ParseProfiles([]byte(text))
		if err != nil {
			return
		}
		for i := range profiles {
			written, err := profiles[i].YAML()
			if err != nil {
				t.Fatal(err)
			}
			again, err := simulate.ParseProfiles(written)
			if err != nil || len(again) != 1 {
				t.Fatalf("%v\n%s", err, written)
			}
			node := bareNode("n")
			if again[0].Apply(set, node) != nil {
				continue
			}
			if drifts, err := profiles[i].Verify(set, node); err != nil || len(drifts) > 0 {
				t.Fatalf("%v %v", drifts, err)
			}
		}
	})
}
