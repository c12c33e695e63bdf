package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
)

// Explained writes what a pod really asks for.
func (s Style) Explained(w io.Writer, x *answer.Explained) {
	s.narrow(w, "", s.paint(verdict(x.Valid), x.Summary))
	for i := range x.Invalid {
		s.invalid(w, &x.Invalid[i])
	}
	for i := range x.Containers {
		s.explainedContainer(w, &x.Containers[i])
	}
	if len(x.Conditions) > 0 {
		rows := make([][]string, len(x.Conditions))
		for i, c := range x.Conditions {
			rows[i] = []string{c.What, c.Value, c.From}
		}
		s.listed(w, "Which devices", []column{{name: "WHAT", max: 30}, {name: "VALUE", max: 40}, {name: "SAID BY", max: 40}}, rows)
	}
	if len(x.Admission) > 0 {
		rows := make([][]string, len(x.Admission))
		for i, a := range x.Admission {
			rows[i] = []string{orElse(a.Container, "(pod)"), a.What, a.Name, a.Value}
		}
		s.listed(w, "What admission adds", []column{{name: "CONTAINER", max: 20}, {name: "WHAT"}, {name: "NAME", max: 40}, {name: "VALUE", max: 30}}, rows)
	}
	for i := range x.Charges {
		s.charge(w, &x.Charges[i])
	}
	s.unread(w, x)
	s.problems(w, "Problems", x.Problems, narrowWidth)
}

func (s Style) invalid(w io.Writer, i *answer.Invalid) {
	where := ""
	if i.Container != "" {
		where = "container " + i.Container + ": "
	}
	if i.Key != "" {
		where += i.Key + ": " + i.Value + ": "
	}
	fmt.Fprintln(w)
	s.narrow(w, "  ", where+s.paint(red, i.Why))
	switch {
	case i.Write == "":
	case i.Key == "":
		s.narrow(w, "  ", "What to do: "+i.Write)
	default:
		s.narrow(w, "  ", "Write instead: "+i.Write)
	}
}

// explainedContainer writes what one container asks for, each amount with what says so.
func (s Style) explainedContainer(w io.Writer, c *answer.ExplainedAsks) {
	head := s.paint(bold, c.Container) + s.paint(faint, "  "+classWords[c.Class])
	fmt.Fprintln(w)
	if len(c.Asks) == 0 {
		s.line(w, "", head+"  asks for no device")
		return
	}
	s.line(w, "", head)
	var rows [][]string
	for i := range c.Asks {
		a := &c.Asks[i]
		devices := plural(int(a.Devices), a.Vendor+" device")
		if a.Slices > 0 {
			devices = fmt.Sprintf("1 %s instance of %s", a.Vendor, plural(int(a.Slices), "slice"))
		}
		rows = append(rows, []string{devices, a.DevicesFrom})
		if a.Slices == 0 {
			rows = append(rows, []string{"  " + memoryEach(&a.Ask), a.MemoryFrom}, []string{"  " + coresEach(a), a.CoresFrom})
		}
	}
	fmt.Fprint(w, s.grid(gap, []column{{name: "ASKS FOR"}, {name: "SAID BY", max: 66}}, rows))
}

func coresEach(a *answer.ExplainedAsk) string {
	switch {
	case a.CoresInAll > 0:
		return fmt.Sprintf("%d %s in all", a.CoresInAll, coreWord(a.CoreUnit))
	case a.Cores == 0:
		return "no cores"
	}
	return fmt.Sprintf("%d %s each", a.Cores, coreWord(a.CoreUnit))
}

var classWords = map[string]string{
	"init": "init container, ends before the others start", "sidecar": "sidecar, runs for the life of the pod", "app": "app container",
}

func memoryEach(a *answer.Ask) string {
	switch {
	case a.Memory > 0:
		return fmt.Sprintf("%d MiB each", a.Memory)
	case a.Percent == 100:
		return "all memory"
	case a.Percent > 0:
		return fmt.Sprintf("%d %% of the memory each", a.Percent)
	}
	return "no memory"
}

// charge writes what a pod is charged, and each quota it counts against.
func (s Style) charge(w io.Writer, c *answer.Charge) {
	var parts []string
	switch {
	case c.Shares && c.Memory > 0:
		parts = append(parts, fmt.Sprintf("%d MiB and a share of the memory of the devices it gets", c.Memory))
	case c.Shares:
		parts = append(parts, "a share of the memory of the devices it gets")
	case c.Memory > 0:
		parts = append(parts, fmt.Sprintf("%d MiB", c.Memory))
	}
	if c.Cores > 0 {
		parts = append(parts, fmt.Sprintf("%d %s", c.Cores, coreWord(c.CoreUnit)))
	}
	line := fmt.Sprintf("Charged for %s devices: %s", c.Vendor, orElse(strings.Join(parts, ", "), "nothing that quotas count"))
	if len(c.Quotas) == 0 && len(parts) > 0 {
		line += "; no quota limits that"
	}
	fmt.Fprintln(w)
	s.narrow(w, "", line+".")
	for _, q := range c.Quotas {
		verdict := s.paint(green, "within it")
		switch {
		case c.Held:
			verdict = "taken already"
		case !q.Within:
			verdict = s.paint(red, "exceeds it")
		case c.Shares:
			verdict = "to be seen once the devices are known"
		}
		s.narrow(w, "  ", fmt.Sprintf("quota %s: %s: %s, of which %d left: %s", q.Name, q.Resource, q.Limit, q.Left, verdict))
	}
}

// unread writes which annotations have no effect.
func (s Style) unread(w io.Writer, x *answer.Explained) {
	var rows [][]string
	for _, u := range x.Unread {
		row := []string{u.Key, "no vendor reads it"}
		if u.Nearest != "" {
			row[1] = s.paint(yellow, "no vendor reads it; meant may be "+u.Nearest)
		}
		rows = append(rows, row)
	}
	for _, u := range x.Ineffect {
		rows = append(rows, []string{u.Key, s.paint(yellow, "read for "+u.Vendors+", of which the pod asks nothing")})
	}
	if len(rows) > 0 {
		s.listed(w, "Annotations without effect on devices", []column{{name: "ANNOTATION", max: 44}, {name: "WHY", max: 52}}, rows)
	}
}

// listed writes a table under a heading.
func (s Style) listed(w io.Writer, heading string, columns []column, rows [][]string) {
	s.title(w, heading)
	fmt.Fprint(w, s.grid(gap, columns, rows))
}

func orElse(text, otherwise string) string {
	if strings.TrimSpace(text) == "" {
		return otherwise
	}
	return text
}
