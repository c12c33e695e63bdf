// Package layers holds the architecture: which package may import which.
package layers

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/accelfit/accelfit"

// layers lists the packages of the module from the bottom up. A package may import those of lower layers only; packages of
// one layer never import each other, so no vendor knows another.
var layers = [][]string{
	{"device", "internal/ordered", "internal/subset"},
	{"score", "vendors/kit"},
	{"vendors/*"},
	{"internal/engine"},
	{"vendors"},
	{"usage"},
	{"simulate"},
	{"internal/testkit"},
	{"device/devicetest"},
	{"internal/*"},
}

// allowed are the modules that the packages may be built from: Kubernetes' API types, YAML, and what those need.
var allowed = []string{
	module, "k8s.io/api", "k8s.io/apimachinery", "sigs.k8s.io/yaml",
	"github.com/fxamacker/cbor/v2", "github.com/go-logr/logr", "github.com/json-iterator/go", "github.com/modern-go/concurrent",
	"github.com/modern-go/reflect2", "github.com/x448/float16", "go.yaml.in/yaml/v2", "go.yaml.in/yaml/v3", "golang.org/x/net", "golang.org/x/text",
	"gopkg.in/inf.v0", "k8s.io/klog/v2", "k8s.io/kube-openapi", "k8s.io/utils", "sigs.k8s.io/json", "sigs.k8s.io/randfill",
	"sigs.k8s.io/structured-merge-diff/v6",
}

type listed struct {
	ImportPath string
	Imports    []string
	Standard   bool
	Module     *struct{ Path string }
}

func list(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports,Standard,Module", module+"/...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var all []listed
	d := json.NewDecoder(bytes.NewReader(out))
	for {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// layerOf returns the layer of a package by its path within the module; exact names go before patterns.
func layerOf(name string) int {
	for i, layer := range layers {
		if slices.Contains(layer, name) {
			return i
		}
	}
	for i, layer := range layers {
		for _, pattern := range layer {
			if ok, _ := path.Match(pattern, name); ok {
				return i
			}
		}
	}
	return -1
}

func TestImportsGoDownOnly(t *testing.T) {
	ours := 0
	for _, p := range list(t) {
		name, own := strings.CutPrefix(p.ImportPath, module+"/")
		if !own {
			continue
		}
		ours++
		layer := layerOf(name)
		if layer < 0 {
			t.Errorf("%s is in no layer", name)
		}
		for _, i := range p.Imports {
			if i == "k8s.io/klog/v2" {
				t.Errorf("%s imports klog", name)
			}
			below, own := strings.CutPrefix(i, module+"/")
			if own && layerOf(below) >= layer {
				t.Errorf("%s imports %s, which is not below it", name, below)
			}
		}
	}
	if ours < 10 {
		t.Errorf("only %d packages seen", ours)
	}
}

func TestDependenciesStayLight(t *testing.T) {
	for _, p := range list(t) {
		if p.Standard || p.Module == nil {
			continue
		}
		if !slices.Contains(allowed, p.Module.Path) {
			t.Errorf("%s comes from %s", p.ImportPath, p.Module.Path)
		}
	}
}
