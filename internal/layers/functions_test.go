package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	longestFunction = 80 // lines, in tests too
	medianFunction  = 10 // lines, without tests
)

// TestFunctionsAreShort prints how long the functions of the repository are, and fails where they are too long.
func TestFunctionsAreShort(t *testing.T) {
	var lengths []int
	longest, where := 0, ""
	for name, n := range functions(t, "../..") {
		if n > longestFunction {
			t.Errorf("%s has %d lines, more than %d", name, n, longestFunction)
		}
		if n > longest {
			longest, where = n, name
		}
		if !strings.Contains(name, "_test.go:") {
			lengths = append(lengths, n)
		}
	}
	slices.Sort(lengths)
	median := lengths[len(lengths)/2]
	t.Logf("%d functions without tests, median %d lines; the longest, tests included: %s, %d lines", len(lengths), median, where, longest)
	if median > medianFunction {
		t.Errorf("the median function has %d lines, more than %d", median, medianFunction)
	}
}

// functions returns the number of lines of every function below a directory, by "file:name".
func functions(t *testing.T, root string) map[string]int {
	t.Helper()
	out := map[string]int{}
	set := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") {
			return err
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok {
				name, _ := filepath.Rel(root, path)
				out[name+":"+f.Name.Name] = set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
