package service

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/certwatcher"
)

// OptionError is an option that cannot be used.
type OptionError struct {
	Option string // the flag
	Err    error
}

// Error names the flag.
func (e *OptionError) Error() string { return e.Option + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *OptionError) Unwrap() error { return e.Err }

// tlsConfig returns how connections are secured, and what keeps the certificate up to date; nil where they are not.
func (o *Options) tlsConfig() (*tls.Config, *certwatcher.CertWatcher, error) {
	if err := o.checkClients(); err != nil {
		return nil, nil, err
	}
	if o.CertFile == "" && o.KeyFile == "" {
		if o.ClientCAFile != "" {
			return nil, nil, &OptionError{"--client-ca-file", errors.New("needs --cert_file")}
		}
		return nil, nil, nil
	}
	least, ok := map[string]uint16{"1.2": tls.VersionTLS12, "1.3": tls.VersionTLS13}[o.MinTLS]
	if !ok {
		return nil, nil, &OptionError{"--tls-min-version", fmt.Errorf("%q: want 1.2 or 1.3", o.MinTLS)}
	}
	watcher, err := certwatcher.New(o.CertFile, o.KeyFile)
	if err != nil {
		return nil, nil, &OptionError{"--cert_file", err}
	}
	config := &tls.Config{MinVersion: least, GetCertificate: watcher.GetCertificate, NextProtos: []string{"h2", "http/1.1"}}
	if o.ClientCAFile != "" {
		authority := &authority{file: o.ClientCAFile}
		if _, err := authority.pool(); err != nil {
			return nil, nil, &OptionError{"--client-ca-file", err}
		}
		config.GetConfigForClient = authority.configs(config)
	}
	return config, watcher, nil
}

// checkClients refuses lists of clients that nobody could be on.
func (o *Options) checkClients() error {
	for flag, list := range map[string][]string{
		"--live-clients": o.LiveClients, "--simulation-clients": o.SimulationClients, "--webhook-clients": o.WebhookClients,
	} {
		if len(list) > 0 && o.ClientCAFile == "" {
			return &OptionError{flag, errors.New("needs --client-ca-file")}
		}
	}
	return nil
}

// authority reads the certificates of those who sign clients' anew when their file has changed.
type authority struct {
	file string

	mu   sync.Mutex
	read time.Time // when the file was last changed, as of the last reading
	last *x509.CertPool
}

// configs returns the configuration for each new connection: clients may come without a certificate, since health checks and
// the webhook need none, but one that is shown must be good.
func (a *authority) configs(base *tls.Config) func(*tls.ClientHelloInfo) (*tls.Config, error) {
	return func(*tls.ClientHelloInfo) (*tls.Config, error) {
		pool, err := a.pool()
		if err != nil {
			return nil, err
		}
		c := base.Clone()
		c.GetConfigForClient, c.ClientCAs, c.ClientAuth = nil, pool, tls.VerifyClientCertIfGiven
		return c, nil
	}
}

// pool returns the certificates. While a new file cannot be read, those of the old one count.
func (a *authority) pool() (*x509.CertPool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	info, err := os.Stat(a.file)
	if err == nil && info.ModTime().Equal(a.read) {
		return a.last, nil
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(a.file)
	}
	pool := x509.NewCertPool()
	if err == nil && !pool.AppendCertsFromPEM(text) {
		err = fmt.Errorf("%s has no certificates", a.file)
	}
	if err != nil {
		if a.last != nil {
			return a.last, nil
		}
		return nil, err
	}
	a.last, a.read = pool, info.ModTime()
	return pool, nil
}
