package command

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/accelfit/accelfit/examples/whatif/internal/render"
)

// fitHelp has help texts be as wide as the terminal. It changes them only when they are shown: completions have them too.
func fitHelp(root *cobra.Command, width int) {
	if width == 0 {
		return
	}
	show := root.HelpFunc()
	usage := strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", width))
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		root.SetUsageTemplate(usage)
		c.Long = render.Style{Width: width}.Reflow(cmp.Or(c.Long, c.Short))
		for _, sub := range c.Commands() {
			sub.Short = hanging(sub.Short, width, sub.NamePadding()+3)
		}
		show(c, args)
	})
}

// hanging is a text whose first line begins at a column, and the others too.
func hanging(text string, width, column int) string {
	wrapped := render.Style{Width: max(width-column, leastWidth/2)}.Reflow(text)
	return strings.ReplaceAll(wrapped, "\n", "\n"+strings.Repeat(" ", column))
}
