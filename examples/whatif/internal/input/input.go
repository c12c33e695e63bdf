// Package input reads what kubectl prints: nodes, pods and resource quotas, as JSON or YAML.
package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// Stdin is the file name that stands for standard input.
const Stdin = "-"

// ErrNothing is returned when the files hold no node, no pod and no quota.
var ErrNothing = errors.New("no nodes, pods or quotas in the input")

// Read reads files in the order given. What cannot be read of single objects and documents is in the Problems of the
// result; the error tells of a file that cannot be read at all, or wraps [ErrNothing].
func Read(files []string, stdin io.Reader) (*Cluster, error) {
	c := newCluster()
	for _, name := range files {
		text, label, err := content(name, stdin)
		if err != nil {
			return nil, err
		}
		if err := c.Add(label, text); err != nil {
			return nil, err
		}
	}
	if c.empty() {
		return nil, fmt.Errorf("%w%s", ErrNothing, c.hint())
	}
	return c, nil
}

// Text reads a file that holds other things than objects of a cluster; label names it in errors.
func Text(name string, stdin io.Reader) (text []byte, label string, err error) {
	text, label, err = content(name, stdin)
	if err != nil {
		return nil, label, err
	}
	if text, err = decoded(text); err != nil {
		return nil, label, fmt.Errorf("%s: %w", label, err)
	}
	return text, label, nil
}

// decoded is a text as UTF-8, without a byte order mark; PowerShell writes UTF-16.
func decoded(text []byte) ([]byte, error) {
	out, _, err := transform.Bytes(unicode.BOMOverride(transform.Nop), text)
	return out, err
}

func content(name string, stdin io.Reader) (text []byte, label string, err error) {
	if name == Stdin {
		text, err = io.ReadAll(stdin)
		return text, "standard input", err
	}
	text, err = os.ReadFile(name)
	return text, name, err
}

// Add reads one text: a List, a single object, or several JSON or YAML documents one after the other. label names it in
// problems. The error tells that the text is neither JSON nor YAML, or ends early.
func (c *Cluster) Add(label string, text []byte) error {
	text, err := decoded(text)
	if err != nil {
		return fmt.Errorf("%s: %w", label, err)
	}
	if looksLikeJSON(text) {
		return c.jsonStream(label, text)
	}
	return c.yamlStream(label, text)
}

func looksLikeJSON(text []byte) bool {
	first := bytes.TrimLeft(text, " \t\r\n")
	return len(first) > 1 && first[0] == '{' && bytes.HasPrefix(bytes.TrimLeft(first[1:], " \t\r\n"), []byte(`"`))
}

func (c *Cluster) jsonStream(label string, text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	for {
		var doc json.RawMessage
		err := decoder.Decode(&doc)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return fmt.Errorf("%s: the file ends in the middle of a JSON document", label)
		case err != nil:
			return fmt.Errorf("%s: not JSON after byte %d: %w", label, decoder.InputOffset(), err)
		}
		c.document(label, doc)
	}
}

// yamlStream goes on with the next document after one that cannot be read, unless it is the only one.
func (c *Cluster) yamlStream(label string, text []byte) error {
	reader := utilyaml.NewYAMLReader(newReader(text))
	good, count := 0, 0
	var failed error
	for {
		doc, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", label, err)
		}
		count++
		doc, err = yaml.YAMLToJSON(doc)
		if err == nil {
			good++
			c.document(label, doc)
			continue
		}
		failed = errors.Join(failed, fmt.Errorf("document %d: %w", count, err))
	}
	if failed != nil && good == 0 {
		return fmt.Errorf("%s: neither JSON nor YAML: %w", label, failed)
	}
	if failed != nil {
		c.note(label, failed, "the document")
	}
	return nil
}
