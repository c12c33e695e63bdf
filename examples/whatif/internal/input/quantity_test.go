package input

import (
	"strings"
	"testing"
)

// TestAbsurdExponents: quantities that Kubernetes' parser would not get done with are refused; texts that only look like
// them are not.
func TestAbsurdExponents(t *testing.T) {
	pod := func(label, memory string) string {
		return `{"kind":"Pod","metadata":{"name":"p","labels":{"sha":"` + label + `"}},"spec":{"containers":[{"name":"c",
			"resources":{"limits":{"nvidia.com/gpumem":` + memory + `}}}]}}`
	}
	for _, memory := range []string{`"1e6666666666"`, `"1E+2147483648"`, `"1e-99999999"`, `"0.5e12345"`, "1e6666666666"} {
		c, err := Parse("f", []byte(pod("x", memory)))
		if err != nil || len(c.Pods) != 0 || len(c.Problems) != 1 {
			t.Fatalf("%s: %v, %+v", memory, err, c)
		}
		if why := c.Problems[0].Why; !strings.Contains(why, "exponent is out of range") {
			t.Errorf("%s: %s", memory, why)
		}
	}
	c, err := Parse("f", []byte(pod("12e34567", `"1e3"`)))
	if err != nil || len(c.Pods) != 1 || len(c.Problems) != 0 {
		t.Errorf("a label: %v, %+v", err, c)
	}
}
