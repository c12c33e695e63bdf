package device_test

import (
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/accelfit/accelfit/device"
)

const key = "hami.io/node-nvidia-register"

// decodeErrors lists the DecodeErrors in err, which must be one or a join of them.
func decodeErrors(t *testing.T, err error) []*device.DecodeError {
	t.Helper()
	if d, ok := err.(*device.DecodeError); ok {
		return []*device.DecodeError{d}
	}
	parts, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("%v is a %T, not a DecodeError", err, err)
	}
	var out []*device.DecodeError
	for _, part := range parts.Unwrap() {
		out = append(out, decodeErrors(t, part)...)
	}
	return out
}

// TestDecodeErrorsNameTheirPlace checks key, item and field of the error of each decoder, under two layers of wrapping.
func TestDecodeErrorsNameTheirPlace(t *testing.T) {
	registration := func(text string) error { _, _, err := device.DecodeRegistration(text, device.RefuseAll); return err }
	legacy := func(text string) error {
		_, _, err := device.DecodeLegacyRegistration(text, device.RefuseAll)
		return err
	}
	links := func(text string) error { _, err := device.DecodeLinkScores(text); return err }
	allocation := func(text string) error { _, _, _, err := device.DecodeAllocation(text, "NVIDIA"); return err }
	reservations := func(text string) error { _, err := device.DecodeMIGReservations(text); return err }
	lock := func(text string) error { _, err := device.ParseLock(text); return err }
	for _, test := range []struct {
		name, item, field string
		err               error
	}{
		{"whole text", "", "", registration(`{}`)},
		{"null device", "device 1", "", registration(`[{},null]`)},
		{"type of a field", "device 1", "devmem", registration(`[{"id":"a"},{"devmem":"x"}]`)},
		{"negative amount", "device 0", "devcore", registration(`[{"devcore":-1}]`)},
		{"profile", "device 0", "migProfiles.placements.start", registration(`[{"migProfiles":[{"placements":[{"start":-1}]}]}]`)},
		{"negative profile", "device 0", "migProfiles.1g.5gb", registration(`[{"migProfiles":[{"name":"1g.5gb","core":-1}]}]`)},
		{"legacy text", "", "", legacy(``)},
		{"legacy field", "device 1", "numa", legacy(`a,1,1,1,T,0,true:b,1,1,1,T,x,true:`)},
		{"legacy fields", "device 0", "", legacy(`a,1:`)},
		{"link scores", "device 0", "score", links(`[{"uuid":"a","score":{"b":"x"}}]`)},
		{"allocation", "container 1 device u2", "memory", allocation(`u1,N,1,2:;u2,N,x,2:`)},
		{"negative allocation", "container 0 device u1", "core", allocation(`u1,N,1,-2:`)},
		{"reservation", "reservation 0", "placement.size", reservations(`[{"placement":{"size":-1}}]`)},
		{"incomplete reservation", "", "", reservations(`[{}]`)},
		{"lock", "", "", lock(`a,b`)},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := fmt.Errorf("node n1: %w", device.Problem{Object: "x", Err: device.In(key, test.err)})
			var d *device.DecodeError
			for _, d = range decodeErrors(t, device.In(key, test.err)) {
				if d.Key != key || d.Item != test.item || d.Field != test.field {
					t.Errorf("key %q item %q field %q, want %q and %q", d.Key, d.Item, d.Field, test.item, test.field)
				}
			}
			if !errors.As(err, &d) {
				t.Errorf("%v does not lead to its DecodeError", err)
			}
		})
	}
}

func TestDecodeErrorText(t *testing.T) {
	cause := errors.New("cause")
	for _, test := range []struct {
		err  device.DecodeError
		want string
	}{
		{device.DecodeError{Err: cause}, "cause"},
		{device.DecodeError{Key: "k", Err: cause}, "k: cause"},
		{device.DecodeError{Item: "i", Field: "f", Err: cause}, "i: f: cause"},
		{device.DecodeError{Key: "k", Item: "i", Field: "f", Err: cause}, "k: i: f: cause"},
	} {
		if got := test.err.Error(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
		if !errors.Is(&test.err, cause) {
			t.Errorf("%v does not lead to its cause", &test.err)
		}
	}
}

// TestDecodeErrorCauses: what stands behind an error can be asked for.
func TestDecodeErrorCauses(t *testing.T) {
	_, _, err := device.DecodeLegacyRegistration("a,99999999999,1,1,T,0,true:", device.RefuseAll)
	if !errors.Is(err, strconv.ErrRange) {
		t.Errorf("%v does not lead to strconv.ErrRange", err)
	}
	_, _, _, err = device.DecodeAllocation("a,N,1,x:;b,N,99999999999,1:", "N")
	if !errors.Is(err, strconv.ErrRange) || !errors.Is(err, strconv.ErrSyntax) {
		t.Errorf("%v does not lead to both causes", err)
	}
	_, err = device.ParseLock("x,ns,p")
	if p := (*time.ParseError)(nil); !errors.As(err, &p) {
		t.Errorf("%v does not lead to the time's error", err)
	}
}

func TestIn(t *testing.T) {
	cause := errors.New("cause")
	one, two := &device.DecodeError{Item: "one", Err: cause}, &device.DecodeError{Item: "two", Err: cause}
	keyed := &device.DecodeError{Key: "inner", Err: cause}
	for _, test := range []struct {
		why  string
		err  error
		want string
	}{
		{"an error without key gets it", one, "k: one: cause"},
		{"a key that is there stays, the other one goes around it", keyed, "k: inner: cause"},
		{"any other error is wrapped", cause, "k: cause"},
		{"what wraps a DecodeError keeps its own words", fmt.Errorf("reading: %w", one), "k: reading: one: cause"},
		{"of joined errors none is lost", errors.Join(one, two), "k: one: cause\nk: two: cause"},
		{"several causes in one text are one error", fmt.Errorf("%w and %w", one, two), "k: one: cause and two: cause"},
	} {
		got := device.In("k", test.err)
		if got.Error() != test.want {
			t.Errorf("%s: %q, want %q", test.why, got, test.want)
		}
		if !errors.Is(got, cause) {
			t.Errorf("%s: does not lead to its cause", test.why)
		}
	}
	if diff := cmp.Diff("", one.Key); diff != "" {
		t.Errorf("the error that was given was changed:\n%s", diff)
	}
	if err := device.In("k", nil); err != nil {
		t.Errorf("no error became %v", err)
	}
}

func TestRequestErrorText(t *testing.T) {
	err := &device.RequestError{Container: "main", Key: "nvidia.com/gpumem", Value: "1.5", Why: "must be whole"}
	if got, want := err.Error(), "invalid nvidia.com/gpumem value 1.5 in container main: must be whole"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	err.Container = ""
	if got, want := err.Error(), "invalid nvidia.com/gpumem value 1.5: must be whole"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestProblem(t *testing.T) {
	p := device.Problem{Object: "node n1", Err: device.In(key, device.ErrNoDescription)}
	if got, want := p.Error(), "node n1: "+key+": no device description"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if !errors.Is(p, device.ErrNoDescription) {
		t.Error("does not lead to its cause")
	}
}
