package documented

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/accelfit/accelfit/vendors"
)

// table are the rows of the first table below a heading or a line of a page: the cells of each, without those of the head.
func table(t *testing.T, page, below string) [][]string {
	t.Helper()
	_, rest, found := strings.Cut(content(t, filepath.Join(repository, filepath.FromSlash(page))), "\n"+below+"\n")
	if !found {
		t.Fatalf("%s has no %q", page, below)
	}
	_, rest, _ = strings.Cut(rest, "\n|---")
	var out [][]string
	for line := range strings.SplitSeq(rest, "\n") {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case strings.Trim(line, "-|") == "" && len(out) == 0: // the rest of the line below the head
		case !strings.HasPrefix(line, "| "):
			return out
		default:
			out = append(out, cells)
		}
	}
	return out
}

// complete checks that rows have so many cells, and something to say in each.
func complete(t *testing.T, rows [][]string, cells int) {
	t.Helper()
	for _, r := range rows {
		if len(r) != cells || slices.ContainsFunc(r, func(c string) bool { return c == "" }) {
			t.Errorf("want %d cells that say something: %q", cells, r)
		}
	}
}

// words are those of a cell that are set as code, without the marks.
func words(cell string) string { return strings.Trim(cell, "`") }

// TestUnits: the page on vendors has each resource of each vendor, in the unit in which its backend counts.
func TestUnits(t *testing.T) {
	units := map[string]string{}
	for _, r := range table(t, "docs/vendors.md", "## Resources") {
		if len(r) >= 4 && len(r[3]) > 0 {
			units[words(r[1])] = r[2]
		}
	}
	for _, b := range vendors.Default().Backends() {
		n := b.Names()
		memory, ok := map[int64]string{0: "MiB", 1: "MiB", 256: "256 MiB", 512: "512 MiB", 1024: "GiB"}[n.MemoryFactor]
		if !ok {
			t.Errorf("%s: no unit is known for %d MiB", b.Vendor(), n.MemoryFactor)
		}
		cores := "percent"
		if n.CoreUnit != "" {
			cores = ""
		}
		for name, unit := range map[string]string{n.Count: "", n.Memory: memory, n.Percent: "percent", n.Cores: cores} {
			got, found := units[name]
			if !found {
				got, found = units[strings.ReplaceAll(name, string(b.Vendor()), "<w>")]
			}
			if name != "" && (!found || !strings.Contains(got, unit)) {
				t.Errorf("%s is said to count in %q, want %q", name, got, unit)
			}
		}
	}
}
