package service

import (
	"log/slog"
	"runtime"
	"time"

	"github.com/spf13/pflag"
)

// Options say how requests are served; NewOptions returns the defaults.
type Options struct {
	Listen        string // address of the routes that decide
	ListenMetrics string // address of metrics and health, without TLS

	CertFile, KeyFile string // empty: plain HTTP
	MinTLS            string // "1.2" or "1.3"

	// ClientCAFile is the authority of clients. With it, live and simulation routes are for clients with a certificate, and
	// if there is a list, for those on it: by common name or DNS name.
	ClientCAFile      string
	LiveClients       []string
	SimulationClients []string
	WebhookClients    []string // empty: the webhook is for everybody, since API servers usually have no certificate

	MaxBody    int64         // bytes
	ReadLimit  time.Duration // for a request to arrive
	WriteLimit time.Duration // for a request to be answered
	Shutdown   time.Duration // for requests under way when the service ends

	LiveConcurrency, SimulationConcurrency, WebhookConcurrency int
	LiveRate, SimulationRate, WebhookRate                      float64 // requests per second; 0: any

	// SchedulerName is set on pods that ask for devices. KeepDefaultScheduler leaves pods alone that name default-scheduler.
	SchedulerName        string
	KeepDefaultScheduler bool

	ProfileFiles []string // device profiles that simulations may name, and that nodes are compared with
	CacheBytes   int      // of simulations

	Log *slog.Logger
}

// NewOptions returns the defaults.
func NewOptions() Options {
	return Options{
		Listen: "127.0.0.1:8080", ListenMetrics: ":9395", MinTLS: "1.3",
		MaxBody: 64 << 20, ReadLimit: 30 * time.Second, WriteLimit: time.Minute, Shutdown: 20 * time.Second,
		LiveConcurrency: 64, SimulationConcurrency: 4 * runtime.GOMAXPROCS(0), WebhookConcurrency: 64,
		CacheBytes: 256 << 20, Log: slog.New(slog.DiscardHandler),
	}
}

func (o *Options) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Listen, "http_bind", o.Listen, "address to serve on")
	f.StringVar(&o.ListenMetrics, "metrics-bind-address", o.ListenMetrics, "address of metrics and health, without TLS")
	f.StringVar(&o.CertFile, "cert_file", o.CertFile, "certificate; empty: no TLS")
	f.StringVar(&o.KeyFile, "key_file", o.KeyFile, "key of the certificate")
	f.StringVar(&o.MinTLS, "tls-min-version", o.MinTLS, "1.2 or 1.3")
	f.StringVar(&o.ClientCAFile, "client-ca-file", o.ClientCAFile, "authority of clients; empty: clients need no certificate")
	f.StringSliceVar(&o.LiveClients, "live-clients", o.LiveClients, "names of clients that may filter, prioritize and bind; empty: all with a certificate")
	f.StringSliceVar(&o.SimulationClients, "simulation-clients", o.SimulationClients, "names of clients that may simulate; empty: all with a certificate")
	f.StringSliceVar(&o.WebhookClients, "webhook-clients", o.WebhookClients, "names of clients that may call the webhook; empty: all")
	f.Int64Var(&o.MaxBody, "max-body-bytes", o.MaxBody, "largest request")
	f.DurationVar(&o.ReadLimit, "read-timeout", o.ReadLimit, "how long a request may take to arrive")
	f.DurationVar(&o.WriteLimit, "write-timeout", o.WriteLimit, "how long a request may take in all")
	f.DurationVar(&o.Shutdown, "shutdown-timeout", o.Shutdown, "how long requests under way may take when the service ends")
	f.IntVar(&o.LiveConcurrency, "live-concurrency", o.LiveConcurrency, "live requests served at a time, for each route")
	f.IntVar(&o.SimulationConcurrency, "simulation-concurrency", o.SimulationConcurrency, "simulations served at a time")
	f.IntVar(&o.WebhookConcurrency, "webhook-concurrency", o.WebhookConcurrency, "admissions served at a time")
	f.Float64Var(&o.LiveRate, "live-rate", o.LiveRate, "live requests per second, for each route; 0: any number")
	f.Float64Var(&o.SimulationRate, "simulation-rate", o.SimulationRate, "simulations per second; 0: any number")
	f.Float64Var(&o.WebhookRate, "webhook-rate", o.WebhookRate, "admissions per second; 0: any number")
	f.StringVar(&o.SchedulerName, "scheduler-name", o.SchedulerName, "scheduler of pods that ask for devices; empty: theirs")
	f.BoolVar(&o.KeepDefaultScheduler, "keep-default-scheduler", o.KeepDefaultScheduler, "leave alone pods that name default-scheduler")
	f.StringSliceVar(&o.ProfileFiles, "device-profiles", o.ProfileFiles, "files of device profiles")
	f.IntVar(&o.CacheBytes, "simulation-cache-bytes", o.CacheBytes, "text of nodes that simulations keep; below 0: none")
}
