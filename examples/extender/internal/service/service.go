package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/pflag"
	"golang.org/x/sync/errgroup"
	"sigs.k8s.io/controller-runtime/pkg/certwatcher"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/extender/internal/admission"
	"github.com/accelfit/accelfit/examples/extender/internal/live"
	"github.com/accelfit/accelfit/examples/extender/internal/simulation"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// Service serves on the addresses of its options.
type Service struct{ Options }

// New returns a service with the default options.
func New() *Service { return &Service{NewOptions()} }

// AddFlags adds the options to a command line.
func (s *Service) AddFlags(flags *pflag.FlagSet) { s.addFlags(flags) }

// Run serves until ctx ends and the requests under way are answered, or their time is up. scheduler is nil where only simulations
// are served.
func (s *Service) Run(ctx context.Context, set *vendors.Set, scheduler *live.Scheduler, log *slog.Logger) error {
	s.Log = log
	ctrllog.SetLogger(logr.FromSlogHandler(log.With("from", "controller-runtime").Handler()))
	var decides Live
	if scheduler != nil {
		decides = scheduler
	}
	h, err := s.handler(set, decides)
	if err != nil {
		return err
	}
	config, certificate, err := s.tlsConfig()
	if err != nil {
		return err
	}
	main, err := net.Listen("tcp", s.Listen)
	if err != nil {
		return &OptionError{"--http_bind", err}
	}
	metrics, err := net.Listen("tcp", s.ListenMetrics)
	if err != nil {
		return &OptionError{"--metrics-bind-address", errors.Join(err, main.Close())}
	}
	s.Log.Info("serving", "address", main.Addr().String(), "metrics", metrics.Addr().String(), "tls", config != nil)
	deciding := s.server(h)
	deciding.TLSConfig = config
	return s.serve(ctx, certificate, map[*http.Server]net.Listener{deciding: main, s.server(h.observed()): metrics})
}

// handler puts the routes together.
func (s *Service) handler(set *vendors.Set, decides Live) (*handler, error) {
	profiles, err := readProfiles(s.ProfileFiles)
	if err != nil {
		return nil, &OptionError{"--device-profiles", err}
	}
	simulator, err := simulation.New(set, simulation.Options{Profiles: profiles, CacheBytes: s.CacheBytes})
	if err != nil {
		return nil, &OptionError{"--device-profiles", err}
	}
	a := &admission.Handler{Set: set, Options: vendors.AdmitOptions{
		SchedulerName: s.SchedulerName, KeepDefaultScheduler: s.KeepDefaultScheduler,
	}}
	if decides != nil {
		a.Headroom = func(namespace string) map[device.Vendor]device.Headroom { return decides.Headroom(namespace) }
	}
	h := newHandler(s.Options, decides, simulator, a)
	if decides != nil {
		h.metrics.registry.MustRegister(newVerdicts(decides.Judged))
	}
	if decides != nil && len(profiles) > 0 {
		h.metrics.registry.MustRegister(newDrift(set, profiles, decides.Nodes))
	}
	return h, nil
}

func readProfiles(files []string) (all []simulate.Profile, err error) {
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		profiles, err := simulate.ParseProfiles(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, profiles...)
	}
	return all, nil
}

func (s *Service) server(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: min(10*time.Second, s.ReadLimit), ReadTimeout: s.ReadLimit, WriteTimeout: s.WriteLimit, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10,
		ErrorLog:       slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
	}
}

// serve runs the servers until ctx ends or one of them fails.
func (s *Service) serve(ctx context.Context, certificate *certwatcher.CertWatcher, servers map[*http.Server]net.Listener) error {
	group, ctx := errgroup.WithContext(ctx)
	if certificate != nil {
		group.Go(func() error { return certificate.Start(ctx) })
	}
	for server, listener := range servers {
		group.Go(func() error { return listen(server, listener) })
		group.Go(func() error {
			<-ctx.Done()
			ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.Shutdown)
			defer cancel()
			return server.Shutdown(ending)
		})
	}
	return group.Wait()
}

func listen(server *http.Server, listener net.Listener) (err error) {
	if server.TLSConfig != nil {
		err = server.ServeTLS(listener, "", "")
	} else {
		err = server.Serve(listener)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
