package testbed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"
)

// SchedulerOptions say what scheduler to start. The zero value is kube-scheduler as it comes.
type SchedulerOptions struct {
	// Config is a KubeSchedulerConfiguration as YAML. Of it may be left out, and are added: apiVersion, kind, the connection to the
	// cluster, backoffs of a second, and that there is no leader election.
	Config string

	// Binary is a kube-scheduler, for example one with plugins; empty: the one in the folder of the binaries.
	Binary string

	// User is who the scheduler is; empty: SchedulerUser.
	User string

	// Flags and Env are added to its arguments and environment.
	Flags, Env []string
}

// Scheduler is a kube-scheduler that runs.
type Scheduler struct {
	cluster        *Cluster
	name           string
	process        *process
	cert, key, url string
}

// errStopped says that a cluster has stopped.
var errStopped = errors.New("the cluster has stopped")

// StartScheduler starts a kube-scheduler and returns when it is ready. ctx bounds the start only; the scheduler runs until it,
// or the cluster, is stopped. The error of a scheduler that does not become ready is a *ProcessError; the logs are then kept.
func (c *Cluster) StartScheduler(ctx context.Context, o SchedulerOptions) (*Scheduler, error) {
	ctx, cancel := context.WithTimeout(ctx, c.options.Limit)
	defer cancel()
	if o.Binary == "" {
		o.Binary = filepath.Join(c.options.Bin, schedulerBinary)
	}
	if err := executable(o.Binary); err != nil {
		return nil, err
	}
	s, err := c.newScheduler()
	if err != nil {
		return nil, err
	}
	err = onFreePorts(false, func() error { return s.start(ctx, o) })
	if err == nil {
		err = c.adopt(s)
	}
	if err != nil {
		_ = s.process.stop() // whether it had ended before does not matter
		if !errors.Is(ctx.Err(), context.Canceled) {
			c.KeepLogs()
		}
		return nil, fmt.Errorf("starting a scheduler: %w", err)
	}
	return s, nil
}

// newScheduler makes the folder of a scheduler.
func (c *Cluster) newScheduler() (*Scheduler, error) {
	c.mu.Lock()
	c.number++
	name := fmt.Sprintf("%s-%d", schedulerBinary, c.number)
	c.mu.Unlock()
	return &Scheduler{cluster: c, name: name}, os.Mkdir(filepath.Join(c.state(), name), 0o700)
}

// adopt has the cluster stop a scheduler with itself.
func (c *Cluster) adopt(s *Scheduler) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return errStopped
	}
	c.schedulers = append(c.schedulers, s)
	return nil
}

// start starts the process on a free port.
func (s *Scheduler) start(ctx context.Context, o SchedulerOptions) error {
	config, err := s.write(o)
	if err != nil {
		return err
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	s.url = "https://127.0.0.1:" + port
	args := slices.Concat([]string{
		"--config=" + config, "--bind-address=127.0.0.1", "--secure-port=" + port, "--cert-dir=" + filepath.Dir(config),
		"--tls-cert-file=" + s.cert, "--tls-private-key-file=" + s.key, "--authentication-skip-lookup",
	}, o.Flags)
	s.process, err = launch(schedulerBinary, o.Binary, s.cluster.logOf(s.name), args, o.Env)
	if err != nil {
		return err
	}
	client, err := httpClient(s.cluster.authority, nil)
	if err != nil {
		return err
	}
	return s.process.await(ctx, func(ctx context.Context) error { return answers(ctx, client, s.url+"/readyz") })
}

// write writes the files of a scheduler, and returns the path of its configuration.
func (s *Scheduler) write(o SchedulerOptions) (config string, err error) {
	if o.User == "" {
		o.User = SchedulerUser
	}
	pair, err := s.cluster.authority.Server()
	if err != nil {
		return "", err
	}
	if s.cert, s.key, _, err = s.cluster.writePair(filepath.Join(s.name, "server"), pair, s.cluster.authority); err != nil {
		return "", err
	}
	text, err := s.cluster.Kubeconfig(o.User)
	if err != nil {
		return "", err
	}
	kubeconfig, err := s.cluster.write(filepath.Join(s.name, "kubeconfig"), text)
	if err != nil {
		return "", err
	}
	if text, err = completeConfig(o.Config, kubeconfig); err != nil {
		return "", err
	}
	return s.cluster.write(filepath.Join(s.name, "config.yaml"), text)
}

// completeConfig adds to a KubeSchedulerConfiguration what a scheduler of the test bed needs and the configuration leaves out.
func completeConfig(text, kubeconfig string) ([]byte, error) {
	config := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &config); err != nil {
		return nil, fmt.Errorf("scheduler configuration: %w", err)
	}
	if config == nil {
		config = map[string]any{}
	}
	for key, value := range map[string]any{
		"apiVersion":               "kubescheduler.config.k8s.io/v1",
		"kind":                     "KubeSchedulerConfiguration",
		"leaderElection":           map[string]any{"leaderElect": false},
		"clientConnection":         map[string]any{"kubeconfig": kubeconfig, "qps": 1000, "burst": 1000},
		"podInitialBackoffSeconds": 1,
		"podMaxBackoffSeconds":     1,
	} {
		if _, there := config[key]; !there {
			config[key] = value
		}
	}
	return yaml.Marshal(config)
}

// Log is the path of the scheduler's log.
func (s *Scheduler) Log() string { return s.process.log }

// PID is the id of the scheduler's process.
func (s *Scheduler) PID() int { return s.process.os.Pid }

// Stop stops the scheduler, at the latest after five seconds. The error, a *ProcessError, says that it had ended before.
func (s *Scheduler) Stop() error {
	if !s.forget() {
		return nil
	}
	return s.process.stop()
}

// Kill ends the scheduler at once, as a crash would.
func (s *Scheduler) Kill() {
	if s.forget() {
		s.process.kill()
	}
}

// forget takes the scheduler off its cluster; it is false if it had been taken off.
func (s *Scheduler) forget() bool {
	c := s.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.schedulers, s)
	if i < 0 {
		return false
	}
	c.schedulers = slices.Delete(c.schedulers, i, i+1)
	return true
}
