package answer

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/accelfit/accelfit/examples/whatif/internal/keys"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// Config checks a device configuration, and returns the vendors by it; nil: it cannot be read.
func (l *Linter) Config(file string, text []byte) *vendors.Set {
	set, err := vendors.Load(text)
	if err != nil {
		why := strings.TrimPrefix(err.Error(), "device configuration: ")
		l.add(SeverityError, file, configKey(why), "", afterKey(why), "mend the value; nothing else was judged by this configuration")
		return nil
	}
	for _, p := range set.Problems() {
		key, why, _ := strings.Cut(p.Err.Error(), ": ")
		do := "take the key out: it has no effect"
		last := key[strings.LastIndexByte(key, '.')+1:]
		if near := keys.Nearest(last, maps.Keys(configKeys())); near != "" {
			do = "write " + near + ", if that is what is meant"
		}
		l.add(SeverityWarning, file, key, "", why, do)
	}
	return set
}

// configKey is the key that the text of an error names first; empty: none.
func configKey(why string) string {
	key, _, found := strings.Cut(why, ": ")
	if !found || strings.ContainsAny(key, " ") {
		return ""
	}
	return key
}

func afterKey(why string) string {
	if key := configKey(why); key != "" {
		return strings.TrimPrefix(why, key+": ")
	}
	return why
}

// configKeys are the keys of device configurations, whatever section they are of.
func configKeys() map[string]bool {
	out := map[string]bool{}
	var visit func(t reflect.Type)
	visit = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Slice, reflect.Pointer, reflect.Map:
			visit(t.Elem())
		case reflect.Struct:
			for i := range t.NumField() {
				name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
				if name != "" && !out[name] {
					out[name] = true
				}
				visit(t.Field(i).Type)
			}
		}
	}
	visit(reflect.TypeFor[vendors.Config]())
	return out
}

// Profiles checks a file with device profiles, and adds those that can be used to the ones before.
func (l *Linter) Profiles(into *Profiles, set *vendors.Set, file string, text []byte) {
	if err := into.Add(set, file, text); err != nil {
		l.profileErrors(file, err)
	}
}

func (l *Linter) profileErrors(file string, err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range joined.Unwrap() {
			l.profileErrors(file, e)
		}
		return
	}
	do := "mend the field; docs/profiles.md lists what each may hold"
	if p := (*simulate.ProfileError)(nil); !errors.As(err, &p) {
		do = "mend the profile; docs/profiles.md tells what it needs"
	}
	l.file(file, err, do)
}

// Groups checks a file with node groups. w is nil where there is no cluster to look for samples in.
func (l *Linter) Groups(w *World, file string, text []byte) {
	const do = `mend the field; "whatif scaleup --help" lists what a group may hold`
	specs, err := ParseGroups(file, text)
	if err != nil {
		l.file(file, err, do)
	}
	if w == nil {
		return
	}
	for i := range specs {
		_, _, err := w.group(&specs[i])
		switch {
		case errors.Is(err, ErrUnknown):
			l.file(file, err, "name a node of the cluster, or give the group a node or a profile in place of the sample")
		case errors.Is(err, errNoProfile):
			l.file(file, err, "name a profile of --profiles")
		case err != nil:
			l.file(file, err, do)
		}
	}
}

// unusedProfiles adds profiles that match nothing.
func (l *Linter) unusedProfiles(w *World) {
	if w.needNodes() != nil {
		return
	}
	names := w.options.Profiles.names()
	for _, p := range w.unused(nil) {
		i := slices.Index(names, strings.TrimPrefix(p.Object, "device profile "))
		where := p.Object
		if i >= 0 {
			where = w.options.Profiles.where[i] + ": " + p.Object
		}
		l.add(SeverityWarning, where, "match", "", "matches no node",
			"compare match with the labels of the nodes; a group without nodes names the profile in the groups file")
	}
}
