package command

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
	"github.com/accelfit/accelfit/examples/whatif/internal/input"
	"github.com/accelfit/accelfit/examples/whatif/internal/live"
	"github.com/accelfit/accelfit/simulate"
)

// completionLimit bounds how long completion waits for a live cluster.
const completionLimit = 3 * time.Second

// choice is a word that completes a command line.
type choice struct{ word, about string }

// lister lists names that a cluster has.
type lister struct {
	resource string // that has them
	list     func(f *flags, c *input.Cluster) []choice
}

// complete has a shell ask for the names of the cluster that the command line so far reads. It is silent about all that is wrong.
func (f *flags) complete(root *cobra.Command) {
	podNames, nodeNames, nodeLabels := lister{live.Pods, podNames}, lister{live.Nodes, nodeNames}, lister{live.Nodes, nodeLabels}
	for name, kinds := range map[string][]lister{ // of two or more the last is for all further arguments
		"why": {podNames, nodeNames}, "place": {podNames, podNames}, "capacity": {podNames, podNames}, "table": {nodeNames, nodeNames},
		"verify": {nodeNames, nodeNames}, "fragmentation": {podNames}, "makeroom": {podNames}, "explain-request": {podNames},
		"drain": {nodeNames}, "scaleup": nil, "lint": nil, "anonymize": nil, "report": nil, "demo": nil,
	} {
		subcommand(root, name).ValidArgsFunction = f.arguments(kinds)
	}
	setCompletions(root, map[string]cobra.CompletionFunc{
		"output": fixed(outputs()...), "color": fixed("auto", "always", "never"),
		"node-policy": fixed(nodePolicies()...), "device-policy": completePolicies,
		"fail-device": f.devices(""), "cordon-device": f.devices(""), "only-device": f.devices(""), "reserve": f.devices("="),
		"cordon-node": f.value(nodeNames), "context": f.completeContexts, "request-timeout": cobra.NoFileCompletions,
	})
	setCompletions(subcommand(root, "scaleup"), map[string]cobra.CompletionFunc{
		"strategy": fixed(strategyNames()...), "group-label": f.value(nodeLabels),
	})
	for _, name := range []string{"lint", "verify", "report"} {
		setCompletions(subcommand(root, name), map[string]cobra.CompletionFunc{"group-label": f.value(nodeLabels)})
	}
	for name, flag := range map[string]string{"makeroom": "max-moves", "anonymize": "seed", "report": "title"} {
		setCompletions(subcommand(root, name), map[string]cobra.CompletionFunc{flag: cobra.NoFileCompletions})
	}
	setCompletions(subcommand(root, "diff"), map[string]cobra.CompletionFunc{"a": completeFlags, "b": completeFlags})
}

func subcommand(root *cobra.Command, name string) *cobra.Command {
	c, _, err := root.Find([]string{name})
	if err != nil {
		panic(err)
	}
	return c
}

func setCompletions(c *cobra.Command, byFlag map[string]cobra.CompletionFunc) {
	for name, f := range byFlag {
		if err := c.RegisterFlagCompletionFunc(name, f); err != nil {
			panic(err)
		}
	}
}

// arguments completes each argument by the lister in its place.
func (f *flags) arguments(kinds []lister) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= len(kinds) && len(kinds) < 2 {
			return cobra.NoFileCompletions(cmd, args, typed)
		}
		names := kinds[min(len(args), len(kinds)-1)]
		left := slices.DeleteFunc(f.names(cmd.Context(), names), func(c choice) bool { return slices.Contains(args, c.word) })
		return words(left, typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// value completes the value of a flag.
func (f *flags) value(names lister) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return words(f.names(cmd.Context(), names), typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// fixed completes by words that are always the same.
func fixed(all ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		return words(plain(all), typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// plain are words without descriptions.
func plain(words []string) []choice {
	out := make([]choice, len(words))
	for i, word := range words {
		out[i].word = word
	}
	return out
}

// devices completes NODE/ID and what follows it: first the node, then the device.
func (f *flags) devices(then string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		node, _, found := strings.Cut(typed, "/")
		directive := cobra.ShellCompDirectiveNoFileComp
		if !found || then != "" {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
		names := lister{live.Nodes, nodeNames}
		if found {
			names.list = deviceIDs(node)
			node += "/"
		} else {
			node, then = "", "/"
		}
		out := f.names(cmd.Context(), names)
		for i := range out {
			out[i].word = node + out[i].word + then
		}
		return words(out, typed), directive
	}
}

// names reads the cluster that the command line so far tells. Standard input is left alone: it is the shell's.
func (f *flags) names(ctx context.Context, names lister) []choice {
	if slices.Contains(f.files, input.Stdin) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, completionLimit)
	defer cancel()
	f.terminal.ShowProgress = false
	f.live.only = names.resource
	c, err := f.cluster(ctx)
	if err != nil {
		return nil
	}
	return names.list(f, c)
}

// words are the choices that begin as typed, but for those that no shell could take. Descriptions follow a tab.
func words(choices []choice, typed string) []cobra.Completion {
	odd := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }
	var out []cobra.Completion
	for _, c := range choices {
		if strings.HasPrefix(c.word, typed) && !strings.ContainsFunc(c.word+c.about, odd) {
			out = append(out, cobra.CompletionWithDesc(c.word, c.about))
		}
	}
	return out
}

func nodeNames(_ *flags, c *input.Cluster) []choice {
	out := make([]choice, len(c.Nodes))
	for i, n := range c.Nodes {
		out[i].word = n.Name
	}
	return out
}

// podNames lists pods with their namespaces.
func podNames(_ *flags, c *input.Cluster) []choice {
	out := make([]choice, len(c.Pods))
	for i, p := range c.Pods {
		out[i] = choice{p.Namespace + "/" + p.Name, podState(p)}
	}
	return out
}

// podState is where a pod is, else its phase.
func podState(p *corev1.Pod) string {
	switch {
	case p.Spec.NodeName != "":
		return p.Spec.NodeName
	case p.Status.Phase == "":
		return string(corev1.PodPending)
	}
	return string(p.Status.Phase)
}

func nodeLabels(_ *flags, c *input.Cluster) []choice {
	keys := map[string]bool{}
	for _, n := range c.Nodes {
		for key := range n.Labels {
			keys[key] = true
		}
	}
	return plain(slices.Sorted(maps.Keys(keys)))
}

// deviceIDs lists the devices of a node.
func deviceIDs(node string) func(*flags, *input.Cluster) []choice {
	return func(f *flags, c *input.Cluster) []choice {
		set, err := f.set()
		if err != nil {
			return nil
		}
		t, err := answer.NewWorld(set, c, answer.Options{}).Table(node)
		if err != nil || len(t.Nodes) == 0 {
			return nil
		}
		var out []choice
		for _, d := range t.Nodes[0].Devices {
			out = append(out, choice{d.ID, d.State})
		}
		return out
	}
}

// completePolicies completes the last word of a list.
func completePolicies(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	out := devicePolicies()
	for i := range out {
		out[i] = before + out[i]
	}
	return words(plain(out), typed), cobra.ShellCompDirectiveNoFileComp
}

func (f *flags) completeContexts(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	o, err := f.live.options()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return words(plain(o.Contexts()), typed), cobra.ShellCompDirectiveNoFileComp
}

// completeFlags completes the flags that diff takes for one side.
func completeFlags(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []string
	cmd.Root().PersistentFlags().VisitAll(func(flag *pflag.Flag) {
		switch {
		case forBothSides(flag.Name):
		case flag.NoOptDefVal == "":
			out = append(out, flag.Name+"=")
		default:
			out = append(out, flag.Name)
		}
	})
	return words(plain(out), typed), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

func strategyNames() []string {
	var names []string
	for _, s := range simulate.Strategies() {
		names = append(names, string(s))
	}
	return names
}
