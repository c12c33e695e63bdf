// Package documented keeps the README files and docs/ true: each command line in them is run, or is known to be run by another
// test; what they show is what is printed; each link leads somewhere.
package documented

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// repository is where the paths of pages begin.
const repository = "../../../.."

// page is a Markdown file.
type page struct {
	path string // from the root of the repository, with slashes
	src  []byte
	doc  ast.Node
}

// command is a command line of a page.
type command struct {
	where string // page and line
	line  string
	shown string // what the page says it prints; empty: nothing said
	prose bool   // stands in a sentence or a table
}

func (c command) String() string { return c.where + ": " + c.line }

// pages reads the files that match the patterns, which begin at the root of the repository.
func pages(t *testing.T, patterns ...string) []*page {
	t.Helper()
	var out []*page
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(repository, filepath.FromSlash(pattern)))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: no files, %v", pattern, err)
		}
		for _, file := range files {
			out = append(out, read(t, file))
		}
	}
	return out
}

func read(t *testing.T, file string) *page {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	path, err := filepath.Rel(repository, file)
	if err != nil {
		t.Fatal(err)
	}
	return parse(filepath.ToSlash(path), src)
}

func parse(path string, src []byte) *page {
	markdown := goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	return &page{path, src, markdown.Parser().Parse(text.NewReader(src))}
}

// commands are the command lines of the page in the order in which they stand.
func (p *page) commands() []command {
	var out []command
	p.walk(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			out = append(out, p.ofBlock(n.Lines(), string(n.Language(p.src)))...)
		case *ast.CodeBlock:
			out = append(out, p.ofBlock(n.Lines(), "")...)
		case *ast.CodeSpan:
			if line := strings.Join(strings.Fields(p.text(n)), " "); programs.MatchString(line) {
				out = append(out, command{where: p.at(offset(n)), line: line, prose: true})
			}
		}
	})
	return out
}

// programs begin a command line.
var programs = regexp.MustCompile(`^([A-Z_]+=\S+ )*(whatif|go (-C|run|test|build|get|install|generate|mod|vet|tool)|kubectl|curl|helm) \S`)

// ofBlock are the command lines of a block of code: those behind $, with what they print; where none is behind $, all lines of
// a block in sh and of one that begins with a command line, of others those that look like one.
func (p *page) ofBlock(lines *text.Segments, language string) []command {
	var out []command
	whole := string(lines.Value(p.src))
	prompts := strings.Contains("\n"+whole, "\n$ ")
	all := language == "sh" || programs.MatchString(whole)
	for _, segment := range lines.Sliced(0, lines.Len()) {
		line := string(segment.Value(p.src))
		at := p.at(segment.Start)
		typed, behind := strings.CutPrefix(line, "$ ")
		switch {
		case behind:
			out = append(out, command{where: at, line: strings.TrimSpace(typed)})
		case prompts && len(out) > 0:
			out[len(out)-1].shown += line
		case !prompts && (programs.MatchString(line) || all && strings.TrimSpace(line) != ""):
			out = append(out, command{where: at, line: strings.TrimSpace(line)})
		}
	}
	return out
}

// links are the targets of links and pictures, and where they stand.
func (p *page) links() map[string]string {
	out := map[string]string{}
	p.walk(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.Link:
			out[string(n.Destination)] = p.at(offset(n))
		case *ast.Image:
			out[string(n.Destination)] = p.at(offset(n))
		}
	})
	return out
}

// anchors are the ids of the headings.
func (p *page) anchors() []string {
	var out []string
	p.walk(func(n ast.Node) {
		if h, ok := n.(*ast.Heading); ok {
			id, _ := h.AttributeString("id")
			out = append(out, string(id.([]byte)))
		}
	})
	return out
}

func (p *page) walk(visit func(ast.Node)) {
	_ = ast.Walk(p.doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // visit returns no error
		if entering {
			visit(n)
		}
		return ast.WalkContinue, nil
	})
}

// text is what stands within a node.
func (p *page) text(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(p.src))
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// offset is where the first text within a node begins.
func offset(n ast.Node) int {
	for n != nil {
		if t, ok := n.(*ast.Text); ok {
			return t.Segment.Start
		}
		n = n.FirstChild()
	}
	return 0
}

// at names the line of an offset.
func (p *page) at(offset int) string {
	return fmt.Sprintf("%s:%d", p.path, 1+bytes.Count(p.src[:offset], []byte("\n")))
}

// TestCommandsAreFound holds how pages are read.
func TestCommandsAreFound(t *testing.T) {
	src := []byte("# On A and b-c\n\nSay `whatif table\n-f x`, not `whatif` or `-o json`; [this](a.md#b), ![that](c.png).\n\n" +
		"| a |\n|---|\n| `whatif a \\| whatif b` |\n\n```sh\nset -e\n\ngo test ./...\n```\n\n" +
		"```\n$ whatif why\nno\n$ whatif table\nl4\n```\n\n```go\ngo func() {}\n```\n\n    kubectl get nodes\n    mv x y\n")
	p := parse("x.md", src)
	var got []string
	for _, c := range p.commands() {
		got = append(got, fmt.Sprintf("%s prints %q, in prose: %v", c.line, c.shown, c.prose))
	}
	want := []string{
		`whatif table -f x prints "", in prose: true`, `whatif a | whatif b prints "", in prose: true`,
		`set -e prints "", in prose: false`, `go test ./... prints "", in prose: false`,
		`whatif why prints "no\n", in prose: false`, `whatif table prints "l4\n", in prose: false`,
		`kubectl get nodes prints "", in prose: false`, `mv x y prints "", in prose: false`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("commands %q, want %q", got, want)
	}
	if links := p.links(); len(links) != 2 || links["a.md#b"] == "" || links["c.png"] == "" {
		t.Errorf("links %v", links)
	}
	if a := p.anchors(); !slices.Equal(a, []string{"on-a-and-b-c"}) {
		t.Errorf("anchors %v", a)
	}
}
