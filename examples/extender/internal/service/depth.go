package service

import "fmt"

// maxDepth is how deep a request may nest: pods and nodes need about 20 levels, with the fields that API servers manage.
const maxDepth = 64

// checkDepth refuses a text whose brackets nest deeper than maxDepth, before anything recursive reads it. What else is wrong with
// the text is not its business. Cost: one pass, no allocation.
func checkDepth(text []byte) error {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++ // whatever it escapes
		case quoted:
		case c == '{', c == '[':
			if depth++; depth > maxDepth {
				return fmt.Errorf("brackets nest deeper than %d levels at byte %d", maxDepth, i)
			}
		case c == '}', c == ']':
			depth--
		}
	}
	return nil
}
