package command

import (
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf8"

	"sigs.k8s.io/yaml"
)

// encode is a value as JSON or YAML. Its texts are as they were read, also those that tables do not show as they are.
func encode(value any, asYAML bool) ([]byte, error) {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return nil, err
	}
	text = append(escaped(text), '\n')
	if asYAML {
		return yaml.JSONToYAML(text)
	}
	return text, nil
}

// escaped is a JSON text that says the same, with escapes in place of characters that play with a terminal or cannot be seen: JSON
// itself asks for them only below U+0020, and YAML cannot be made of a text with others that control something.
func escaped(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for _, r := range string(text) {
		if r == '\n' || r > 0xffff || unicode.IsPrint(r) {
			out = utf8.AppendRune(out, r)
			continue
		}
		out = fmt.Appendf(out, `\u%04x`, r)
	}
	return out
}
