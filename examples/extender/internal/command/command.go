// Package command is the extender's command line: it reads flags, makes the device models and the live scheduler, and runs them
// with the service that answers HTTP.
package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"github.com/accelfit/accelfit/examples/extender/internal/live"
	"github.com/accelfit/accelfit/vendors"
)

// Service answers HTTP.
type Service interface {
	// AddFlags adds the service's own flags.
	AddFlags(flags *pflag.FlagSet)

	// Run serves until ctx ends and the calls under way are answered. scheduler is nil where only simulations are served.
	Run(ctx context.Context, set *vendors.Set, scheduler *live.Scheduler, log *slog.Logger) error
}

// FlagError is a flag whose value cannot be used.
type FlagError struct {
	Flag string // with its dashes
	Err  error
}

// Error names the flag.
func (e *FlagError) Error() string { return e.Flag + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *FlagError) Unwrap() error { return e.Err }

// flags are named as the reference's where it has them (spec core §15.1).
type flags struct {
	kubeconfig     string
	qps            float32
	burst          int
	deviceConfig   string
	nodePolicy     string
	devicePolicy   string
	simulationOnly bool
	logLevel       string

	elect               bool
	leaseName, leaseIn  string
	leaseFor, leaseWait time.Duration
	live                live.Options
}

func (f *flags) add(set *pflag.FlagSet) {
	set.StringVar(&f.kubeconfig, "kubeconfig", "", "kubeconfig file; empty: the service account of the pod")
	set.Float32Var(&f.qps, "kube-api-qps", 200, "requests per second to the API server")
	set.IntVar(&f.burst, "kube-api-burst", 400, "requests to the API server in a burst")
	set.StringVar(&f.deviceConfig, "device-config-file", "", "HAMi device configuration; empty: that of HAMi's chart")
	set.StringVar(&f.nodePolicy, "node-scheduler-policy", "binpack", "node policy of pods that name none")
	set.StringVar(&f.devicePolicy, "gpu-scheduler-policy", "spread", "device policy of pods that name none")
	set.BoolVar(&f.simulationOnly, "simulation-only", false, "serve simulations only, without a cluster")
	set.StringVar(&f.logLevel, "log-level", "info", "debug, info, warn or error")
	set.StringVar(&f.live.NodeSelector, "node-label-selector", "", "label selector of the nodes with devices; empty: all")
	set.DurationVar(&f.live.Timeout, "timeout", live.DefaultTimeout,
		"how long a live call may take; less than the scheduler's httpTimeout")
	set.DurationVar(&f.live.LockTimeout, "node-lock-timeout", 5*time.Minute, "how long the lock of a node counts")
	set.DurationVar(&f.live.LockRetry, "node-lock-retry-timeout", 28*time.Second,
		"how long members of a pod group wait for a lock; 0: no time")
	set.BoolVar(&f.elect, "leader-elect", false, "decide only while this replica holds the lease")
	set.StringVar(&f.leaseName, "leader-elect-resource-name", "accelfit-extender", "name of the lease")
	set.StringVar(&f.leaseIn, "leader-elect-resource-namespace", "", "namespace of the lease")
	set.DurationVar(&f.leaseFor, "leader-elect-lease-duration", 15*time.Second, "how long a lease counts that is not renewed")
	set.DurationVar(&f.leaseWait, "leader-elect-renew-deadline", 10*time.Second,
		"how long the leader tries to renew before it stops")
}

// New is the command with a service.
func New(service Service) *cobra.Command {
	f := &flags{}
	c := &cobra.Command{
		Use:           "extender",
		Short:         "Schedule pods onto accelerators: an extender for kube-scheduler",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(c *cobra.Command, _ []string) error {
			var level slog.Level
			if err := level.UnmarshalText([]byte(f.logLevel)); err != nil {
				return &FlagError{"--log-level", err}
			}
			log := slog.New(slog.NewJSONHandler(c.ErrOrStderr(), &slog.HandlerOptions{Level: level}))
			klog.SetSlogLogger(log.With("from", "client-go"))
			return f.run(c.Context(), service, log)
		},
	}
	f.add(c.Flags())
	service.AddFlags(c.Flags())
	return c
}

// run runs the service, and the live scheduler until the service has answered its last call.
func (f *flags) run(ctx context.Context, service Service, log *slog.Logger) error {
	set, err := f.set(log)
	if err != nil {
		return err
	}
	if f.simulationOnly {
		return service.Run(ctx, set, nil, log)
	}
	scheduler, err := f.scheduler(set, log)
	if err != nil {
		return err
	}
	serving, stopServing := context.WithCancel(ctx)
	defer stopServing()
	living, stopLiving := context.WithCancel(context.WithoutCancel(ctx))
	defer stopLiving()
	ended := make(chan error, 1)
	go func() {
		defer stopServing()
		ended <- scheduler.Run(living)
	}()
	err = service.Run(serving, set, scheduler, log)
	stopLiving()
	return errors.Join(err, <-ended)
}

// set makes the device models.
func (f *flags) set(log *slog.Logger) (*vendors.Set, error) {
	set := vendors.Default()
	if f.deviceConfig != "" {
		text, err := os.ReadFile(f.deviceConfig)
		if err == nil {
			set, err = vendors.Load(text)
		}
		if err != nil {
			return nil, &FlagError{"--device-config-file", err}
		}
	}
	for _, p := range set.Problems() {
		log.Warn("device configuration", "problem", p.Error())
	}
	options := set.Options()
	options.NodePolicy, options.DevicePolicy = f.nodePolicy, f.devicePolicy
	return set.With(options), nil
}

// scheduler makes the live scheduler.
func (f *flags) scheduler(set *vendors.Set, log *slog.Logger) (*live.Scheduler, error) {
	o := f.live
	o.Log = log
	if _, err := labels.Parse(o.NodeSelector); err != nil {
		return nil, &FlagError{"--node-label-selector", err}
	}
	if f.elect {
		host, err := os.Hostname()
		if err != nil {
			return nil, err
		}
		if f.leaseIn == "" {
			return nil, &FlagError{"--leader-elect-resource-namespace", errors.New("is needed for --leader-elect")}
		}
		o.Election = &live.Election{
			Namespace: f.leaseIn, Name: f.leaseName, Identity: host + "_" + string(uuid.NewUUID()),
			Duration: f.leaseFor, RenewDeadline: f.leaseWait,
		}
	}
	config, err := f.config()
	if err != nil {
		return nil, &FlagError{"--kubeconfig", err}
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	return live.New(set, client, o), nil
}

func (f *flags) config() (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", f.kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS, config.Burst = f.qps, f.burst
	config.UserAgent = "accelfit-extender"
	return config, nil
}
