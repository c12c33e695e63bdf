package input

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
)

// Kubernetes' quantity parser takes seconds for exponents of some millions below zero and does not come back from ones
// beyond 32 bits. No quantity needs four digits.
var (
	longExponent = regexp.MustCompile(`[0-9.][eE][+-]?[0-9]{4,}`)
	absurd       = regexp.MustCompile(`^[+-]?[0-9.]+[eE][+-]?[0-9]{4,}$`)
)

// quantityFields are the fields of nodes, pods and quotas that hold quantities, or maps of them.
var quantityFields = []string{
	"limits", "requests", "capacity", "allocatable", "hard", "used", "overhead", "allocatedResources", "sizeLimit", "divisor",
}

// checkQuantities refuses an object with a quantity that its decoder would not get done with.
func checkQuantities(raw []byte) error {
	if !longExponent.Match(raw) {
		return nil
	}
	var object any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&object); err != nil {
		return nil // the object's own decoder says what is wrong
	}
	return walk("", object, false)
}

func walk(path string, value any, quantity bool) error {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			at := path + "." + key
			if err := walk(at, v[key], quantity || slices.Contains(quantityFields, key)); err != nil {
				return err
			}
		}
	case []any:
		for i, item := range v {
			if err := walk(fmt.Sprintf("%s[%d]", path, i), item, quantity); err != nil {
				return err
			}
		}
	case json.Number:
		return walk(path, v.String(), quantity)
	case string:
		if quantity && absurd.MatchString(v) {
			return fmt.Errorf("%s: %s is no quantity: its exponent is out of range", path[1:], v)
		}
	}
	return nil
}
