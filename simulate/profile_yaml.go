package simulate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/accelfit/accelfit/device"
)

// profileDocument is a profile as it is written.
type profileDocument struct {
	APIVersion  string            `json:"apiVersion"`
	Kind        string            `json:"kind"`
	Metadata    profileMetadata   `json:"metadata"`
	Match       ProfileMatch      `json:"match,omitzero"`
	Devices     []ProfileDevices  `json:"devices"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
}

type profileMetadata struct {
	Name string `json:"name"`
}

// ProfileError is something wrong in the text of profiles.
type ProfileError struct {
	Line  int    // from 1; 0: not known
	Field string // from the document down, for example devices[0].memoryMiB; empty: the document
	Err   error
}

// Error names line and field, as far as they are known, and the cause.
func (e *ProfileError) Error() string {
	out := e.Err.Error()
	if e.Field != "" {
		out = e.Field + ": " + out
	}
	if e.Line > 0 {
		out = fmt.Sprintf("line %d: %s", e.Line, out)
	}
	return out
}

// Unwrap returns the cause.
func (e *ProfileError) Unwrap() error { return e.Err }

// Bounds of the text of profiles.
const (
	maxProfileText   = 1 << 20 // bytes
	maxProfileErrors = 20      // that are told of one text
	maxCustomDepth   = 16      // levels of custom information
)

var (
	errProfileText = fmt.Errorf("more than %d bytes", maxProfileText)
	errAlias       = errors.New("aliases are not supported")
)

// ParseProfiles reads profiles from YAML or JSON, one or several documents; documents without content are skipped. Decoding is
// strict: unknown and repeated fields, values of another type or out of range, aliases, other kinds of document, and two
// profiles of one name are errors. All errors are told, up to 20, joined, each a [*ProfileError] with line and field. docs/deviceprofile.schema.json is
// the schema. Texts of more than 1 MiB are refused. Cost: linear in the text.
func ParseProfiles(text []byte) ([]Profile, error) {
	if len(text) > maxProfileText {
		return nil, &ProfileError{Err: errProfileText}
	}
	var out []Profile
	r := &profileReader{lines: map[string]int{}}
	for decoder := yaml.NewDecoder(bytes.NewReader(text)); len(r.errs) < maxProfileErrors; {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			r.errs = append(r.errs, syntaxError(err))
			break
		}
		if len(document.Content) == 1 && document.Content[0].ShortTag() != "!!null" {
			out = append(out, r.profile(document.Content[0]))
		}
	}
	if len(r.errs) > 0 {
		return nil, errors.Join(r.errs...)
	}
	return out, nil
}

// syntaxError is an error of the YAML parser, whose text begins with the line where that is not the first.
func syntaxError(err error) error {
	line, text := 1, strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		number, what, _ := strings.Cut(rest, ": ")
		if n, err := strconv.Atoi(number); err == nil {
			line, text = n, what
		}
	}
	return &ProfileError{Line: line, Err: errors.New(text)}
}

// YAML writes the profile as a document that [ParseProfiles] reads as the same profile. The error is about custom information that
// is no JSON.
func (p *Profile) YAML() ([]byte, error) {
	return sigsyaml.Marshal(profileDocument{
		APIVersion: ProfileAPIVersion, Kind: ProfileKind, Metadata: profileMetadata{p.Name},
		Match: p.Match, Devices: p.Devices, Annotations: p.Annotations, Labels: p.Labels,
	})
}

// profile reads a document, and checks what it says.
func (r *profileReader) profile(n *yaml.Node) Profile {
	var d profileDocument
	before := len(r.errs)
	r.fields = map[string]int{}
	r.object(n, "", fields{
		"apiVersion":  r.text(&d.APIVersion),
		"kind":        r.text(&d.Kind),
		"metadata":    r.with(fields{"name": r.text(&d.Metadata.Name)}),
		"match":       r.match(&d.Match),
		"devices":     list(r, &d.Devices, r.device),
		"annotations": r.texts(&d.Annotations),
		"labels":      r.texts(&d.Labels),
	})
	p := Profile{Name: d.Metadata.Name, Match: d.Match, Devices: d.Devices, Annotations: d.Annotations, Labels: d.Labels}
	if len(r.errs) == before {
		r.check(n, &d, &p)
	}
	return p
}

// check finds what is wrong with a document whose fields have been read.
func (r *profileReader) check(n *yaml.Node, d *profileDocument, p *Profile) {
	switch {
	case d.APIVersion != ProfileAPIVersion:
		r.fail(n, "apiVersion", fmt.Errorf("want %s, have %q", ProfileAPIVersion, d.APIVersion))
	case d.Kind != ProfileKind:
		r.fail(n, "kind", fmt.Errorf("want %s, have %q", ProfileKind, d.Kind))
	case p.Name == "":
		r.fail(n, "metadata.name", errMissing)
	case r.lines[p.Name] > 0:
		r.fail(n, "metadata.name", fmt.Errorf("%s is also the name of the profile in line %d", p.Name, r.lines[p.Name]))
	case len(p.Devices) == 0:
		r.fail(n, "devices", errMissing)
	default:
		r.lines[p.Name] = n.Line
		if _, err := p.complete(); err != nil {
			f := &fieldError{}
			errors.As(err, &f)
			r.fail(n, f.field, f.err)
		}
	}
}

func (r *profileReader) match(into *ProfileMatch) reader {
	return r.with(fields{
		"nodeGroups":    list(r, &into.NodeGroups, r.text),
		"matchLabels":   r.texts(&into.MatchLabels),
		"instanceTypes": list(r, &into.InstanceTypes, r.text),
	})
}

func (r *profileReader) device(into *ProfileDevices) reader {
	return r.with(fields{
		"vendor":      r.text((*string)(&into.Vendor)),
		"model":       r.text(&into.Model),
		"count":       whole(r, &into.Count, 1, device.MaxDevices),
		"slots":       r.amount(&into.Slots),
		"memoryMiB":   r.amount(&into.MemoryMiB),
		"cores":       r.amount(&into.Cores),
		"mode":        r.optional(&into.Mode),
		"numa":        perDevice(r, &into.NUMA, yaml.ScalarNode, r.numa),
		"migProfiles": list(r, &into.MIGProfiles, r.mig),
		"links":       r.links(&into.Links),
		"custom":      perDevice(r, &into.Custom, yaml.MappingNode, r.custom),
	})
}

func (r *profileReader) mig(into *ProfileMIG) reader {
	return r.with(fields{
		"name":       r.text(&into.Name),
		"memoryMiB":  whole(r, &into.MemoryMiB, 0, device.MaxAmount),
		"cores":      whole(r, &into.Cores, 0, device.MaxAmount),
		"slices":     whole(r, &into.Slices, 0, device.MaxAmount),
		"placements": list(r, &into.Placements, r.placement),
	})
}

func (r *profileReader) placement(into *device.Placement) reader {
	return r.with(fields{
		"start": whole(r, &into.Start, 0, device.MaxAmount),
		"size":  whole(r, &into.Size, 1, device.MaxAmount),
	})
}
