package command

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

const defaultName = "whatif"

// name is how the program was started, and how people are told to start it.
type name struct {
	program string // file name
	shown   string // what one types
}

// nameOf follows kubectl: the file kubectl-whatif_devices is its command whatif-devices. Whatever is no plugin is whatif.
func nameOf(program string) name {
	program = strings.TrimSuffix(filepath.Base(program), ".exe")
	words, plugin := strings.CutPrefix(program, "kubectl-")
	if !plugin {
		return name{program: defaultName, shown: defaultName}
	}
	return name{program: program, shown: "kubectl " + strings.NewReplacer("-", " ", "_", "-").Replace(words)}
}

// apply has help texts and errors say the name.
func (n name) apply(root *cobra.Command) {
	root.Use = n.program
	root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: n.shown}
	if n.shown != defaultName {
		n.rewrite(root)
	}
}

// rewrite replaces the name in the command lines of long texts.
func (n name) rewrite(c *cobra.Command) {
	c.Long = strings.ReplaceAll(c.Long, defaultName+" ", n.shown+" ")
	for _, sub := range c.Commands() {
		n.rewrite(sub)
	}
}
