package device_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/accelfit/accelfit/device"
)

// TestReasonsAreDocumented compares the tables of docs/reasons.md with the codes: each has its row, in order, in the table
// it belongs to, with something to say about it.
func TestReasonsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/reasons.md")
	if err != nil {
		t.Fatal(err)
	}
	var devices, nodes []string
	for _, c := range device.Codes() {
		if !c.OfNode() {
			devices = append(devices, c.String())
		} else {
			nodes = append(nodes, c.String())
		}
	}
	if diff := cmp.Diff(devices, documented(t, string(text), "Of single devices")); diff != "" {
		t.Errorf("reasons of devices (-codes +documented):\n%s", diff)
	}
	if diff := cmp.Diff(nodes, documented(t, string(text), "Of nodes as a whole")); diff != "" {
		t.Errorf("reasons of nodes (-codes +documented):\n%s", diff)
	}
}

// documented are the reasons in a section of the page, each with what it means and what to do.
func documented(t *testing.T, text, section string) []string {
	t.Helper()
	_, text, ok := strings.Cut(text, "\n## "+section+"\n")
	if !ok {
		t.Fatalf("no section %q", section)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(line, "| `") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) != 3 || len(cells[1]) < 10 || len(cells[2]) < 10 {
			t.Errorf("row %q: want reason, meaning and what to do", line)
		}
		out = append(out, strings.Trim(cells[0], "`"))
	}
	return out
}

// TestCodesAreWords: every code has a text of its own, by which it is found again.
func TestCodesAreWords(t *testing.T) {
	for _, c := range device.Codes() {
		if got, ok := device.CodeOf(c.String()); !ok || got != c || c.String() == "" || strings.Contains(c.String(), ",") {
			t.Errorf("code %d reads %q, which is code %d", c, c, got)
		}
	}
	for _, text := range []string{"", "cardcordoned", "Code(1)"} {
		if got, ok := device.CodeOf(text); ok || got != device.Fits {
			t.Errorf("%q is code %d", text, got)
		}
	}
	if got := device.Code(200).String(); got != "Code(200)" {
		t.Errorf("a code from the future reads %q", got)
	}
}

// TestCodesAreAppendOnly: the number of a code is part of the API, because values of Reasons are compared and kept.
func TestCodesAreAppendOnly(t *testing.T) {
	for code, number := range map[device.Code]int{
		device.Fits: 0, device.CardTypeMismatch: 1, device.CardCordoned: 8, device.CardMigTopologyInfeasible: 12,
		device.CardAppClassMismatch: 18, device.NodeInsufficientDevice: 19, device.VendorUnknown: 22,
	} {
		if int(code) != number {
			t.Errorf("%v is %d, was %d", code, code, number)
		}
	}
}

func TestReasonsCounts(t *testing.T) {
	var r device.Reasons
	if !r.IsZero() || r.String() != "" {
		t.Errorf("no reason reads %q", r.String())
	}
	r.Total = 3
	r.Add(device.CardCordoned, 2)
	r.Add(device.CardCordoned, 1)
	r.Set(device.AllocatedCardsInsufficientRequest, 5)
	r.Set(device.AllocatedCardsInsufficientRequest, 4)
	if r.Count(device.CardCordoned) != 3 || r.Count(device.AllocatedCardsInsufficientRequest) != 4 || r.Count(device.NumaNotFit) != 0 {
		t.Errorf("%v", r)
	}
	if !r.Has(device.CardCordoned) || r.Has(device.NumaNotFit) || r.Has(device.NodeUnregistered) || r.IsZero() {
		t.Errorf("%v", r)
	}
	node := device.Reasons{Node: device.NodeUnregistered}
	if node.Count(device.NodeUnregistered) != 1 || !node.Has(device.NodeUnregistered) || node.Has(device.NodeMalformed) {
		t.Errorf("%v", node)
	}
	if same := r; same != r || r == node {
		t.Error("reasons are comparable values")
	}
}

// TestCountOfZeroIsTold: a count that is set to 0 is a reason too, until it is set to something else.
func TestCountOfZeroIsTold(t *testing.T) {
	r := device.Reasons{Total: 2}
	r.Set(device.AllocatedCardsInsufficientRequest, 0)
	r.Add(device.CardNotHealth, 1)
	if got, want := r.String(), "0/2 AllocatedCardsInsufficientRequest, 1/2 CardNotHealth"; got != want || !r.Counted() {
		t.Errorf("%q, want %q", got, want)
	}
	r = device.Reasons{}
	r.Set(device.AllocatedCardsInsufficientRequest, 0)
	if !r.Counted() || r.IsZero() || r.Has(device.AllocatedCardsInsufficientRequest) {
		t.Errorf("%+v", r)
	}
	r.Set(device.AllocatedCardsInsufficientRequest, 1)
	if one := (device.Reasons{}); !one.IsZero() || r.String() != "1/0 AllocatedCardsInsufficientRequest" {
		t.Errorf("%s", r)
	}
}
