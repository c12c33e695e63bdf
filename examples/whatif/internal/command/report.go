package command

import (
	"bytes"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
	"github.com/accelfit/accelfit/examples/whatif/internal/render"
	"github.com/accelfit/accelfit/examples/whatif/internal/report"
)

var errNoReport = errors.New("nowhere to write the report to: give -o FILE; - is standard output")

func reportCommand(f *flags) *cobra.Command {
	var file, title string
	c := &cobra.Command{
		Use:   "report -o FILE",
		Short: "Write an HTML page about the cluster: a map of its devices, pending pods, ways to scale up",
		Long: `Writes one HTML page that needs nothing else, no network either: summary, map of nodes and devices with who holds them,
pending pods with why they wait, ways to scale up with the new nodes as they would be filled, fragmentation, and problems
of the input.

  whatif demo --data | whatif report -f - -o report.html`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file == "" {
				return errNoReport
			}
			w, err := f.world(cmd.Context())
			if err != nil {
				return err
			}
			r, err := w.Report()
			if err != nil {
				return err
			}
			f.progress.clear()
			render.Clean(r)
			return f.writeReport(file, r, render.Printable(title))
		},
	}
	c.Flags().StringVarP(&file, "output", "o", "", "`file` to write; - is standard output")
	c.Flags().StringVar(&title, "title", "Devices of the cluster", "heading of the page")
	f.groupLabelFlag(c)
	c.Flags().BoolVar(&f.noInstanceTypes, "no-instance-types", false, "assume no devices from instance types")
	return c
}

func (f *flags) writeReport(file string, r *answer.Report, title string) error {
	var page bytes.Buffer
	if err := report.Write(&page, r, title); err != nil {
		return err
	}
	if file == "-" {
		_, err := page.WriteTo(f.terminal.Out)
		return err
	}
	return os.WriteFile(file, page.Bytes(), 0o644)
}
