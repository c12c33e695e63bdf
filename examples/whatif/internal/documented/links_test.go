package documented

import (
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLinks: links within the repository lead to files that are there, and to headings that are there.
func TestLinks(t *testing.T) {
	all, within, anchored := markdown(t), 0, 0
	if len(all) < 19 {
		t.Errorf("only %d pages", len(all))
	}
	for _, p := range all {
		for link, where := range p.links() {
			target, err := url.Parse(link)
			if err != nil {
				t.Errorf("%s: %v", where, err)
				continue
			}
			if target.Scheme != "" {
				continue
			}
			within++
			if target.Fragment != "" {
				anchored++
			}
			if why := broken(all, p, target); why != "" {
				t.Errorf("%s: %s: %s", where, link, why)
			}
		}
	}
	if within < 76 || anchored < 16 {
		t.Errorf("%d links within the repository, %d to headings: some are no longer found", within, anchored)
	}
}

// broken tells what is wrong with a link from a page.
func broken(all []*page, from *page, to *url.URL) string {
	file := from.path
	if to.Path != "" {
		file = path.Join(path.Dir(from.path), to.Path)
	}
	if strings.HasPrefix(file, "..") {
		return "leaves the repository"
	}
	if _, err := os.Stat(filepath.Join(repository, filepath.FromSlash(file))); err != nil {
		return "no such file"
	}
	if to.Fragment == "" {
		return ""
	}
	i := slices.IndexFunc(all, func(p *page) bool { return p.path == file })
	if i < 0 || !slices.Contains(all[i].anchors(), to.Fragment) {
		return "no such heading"
	}
	return ""
}

// markdown reads all pages of the repository.
func markdown(t *testing.T) []*page {
	t.Helper()
	var out []*page
	err := filepath.WalkDir(repository, func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (strings.HasPrefix(e.Name(), ".") && e.Name() != ".." || e.Name() == "bin" || e.Name() == "node_modules"):
			return fs.SkipDir
		case !e.IsDir() && strings.HasSuffix(file, ".md"):
			out = append(out, read(t, file))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestBrokenLinks: each way in which a link can be wrong is found.
func TestBrokenLinks(t *testing.T) {
	from := parse("docs/vendors.md", []byte("# One\n## One two\n"))
	for link, want := range map[string]string{
		"vendors.md": "", "vendors.md#one": "", "../README.md": "", "#one-two": "", "../examples/whatif": "",
		"#three": "no such heading", "vendor.md": "no such file", "reasons.md#one": "no such heading", "../../x.md": "leaves the repository",
	} {
		to, err := url.Parse(link)
		if err != nil {
			t.Fatal(err)
		}
		if got := broken([]*page{from}, from, to); got != want {
			t.Errorf("%s: %q, want %q", link, got, want)
		}
	}
}
