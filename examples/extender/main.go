// Command extender schedules pods onto accelerators: an extender for kube-scheduler, with a route of its own for simulations.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/accelfit/accelfit/examples/extender/internal/command"
	"github.com/accelfit/accelfit/examples/extender/internal/service"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command.New(service.New()).ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "extender:", err)
		os.Exit(1)
	}
}
