package render

import (
	"fmt"
	"io"

	"github.com/accelfit/accelfit/examples/whatif/internal/anonymize"
)

// Names writes which name is in whose place.
func (s Style) Names(w io.Writer, all []anonymize.Name) {
	rows := make([][]string, len(all))
	for i, n := range all {
		rows[i] = []string{n.Kind, n.New, Printable(n.Old)}
	}
	if len(rows) == 0 {
		fmt.Fprintln(w, "There are no names.")
		return
	}
	fmt.Fprint(w, s.grid(0, []column{{name: "KIND"}, {name: "NEW"}, {name: "OLD"}}, rows))
}
