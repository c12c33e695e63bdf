package simulate

import (
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// schema is the part of a JSON schema that tells of fields.
type schema struct {
	Properties map[string]*schema `json:"properties"`
	Items      *schema            `json:"items"`
	OneOf      []*schema          `json:"oneOf"`
	Closed     *bool              `json:"-"`

	AdditionalProperties json.RawMessage `json:"additionalProperties"`
}

// TestSchemaHasTheFieldsOfTheType, and no others; objects with fields allow none besides.
func TestSchemaHasTheFieldsOfTheType(t *testing.T) {
	text, err := os.ReadFile("../docs/deviceprofile.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var s schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	compareFields(t, "", &s, reflect.TypeFor[profileDocument]())
}

func compareFields(t *testing.T, path string, s *schema, typ reflect.Type) {
	t.Helper()
	switch {
	case typ == reflect.TypeFor[*ProfileLinks]() || strings.HasPrefix(typ.Name(), "PerDevice["):
		if len(s.OneOf) != 2 {
			t.Errorf("%s: %d forms in the schema, want one for a value and one for a list", path, len(s.OneOf))
		}
	case typ.Kind() == reflect.Slice:
		if s.Items == nil {
			t.Errorf("%s: the schema has no items", path)
			return
		}
		compareFields(t, path+"[]", s.Items, typ.Elem())
	case typ.Kind() == reflect.Struct:
		names := map[string]reflect.Type{}
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			names[name] = typ.Field(i).Type
		}
		want, have := slices.Sorted(maps.Keys(names)), slices.Sorted(maps.Keys(s.Properties))
		if !slices.Equal(want, have) || string(s.AdditionalProperties) != "false" {
			t.Errorf("%s: fields %v, in the schema %v, others allowed: %s", path, want, have, s.AdditionalProperties)
			return
		}
		for name, typ := range names {
			compareFields(t, path+"."+name, s.Properties[name], typ)
		}
	}
}
