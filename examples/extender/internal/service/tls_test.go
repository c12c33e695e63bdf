package service

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"github.com/accelfit/accelfit/examples/testbed/testbed"
	"github.com/accelfit/accelfit/vendors"
)

// running is a service on loopback with certificates in files.
type running struct {
	t         *testing.T
	dir       string
	authority *testbed.Authority
	url       string
	stop      context.CancelFunc
	ended     chan error
}

func write(t *testing.T, dir, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

// serve runs a service until the test ends.
func serve(t *testing.T, set func(*Options)) *running {
	t.Helper()
	authority, err := testbed.NewAuthority("test")
	require.NoError(t, err)
	r := &running{t: t, dir: t.TempDir(), authority: authority, ended: make(chan error, 1)}
	s := New()
	s.CertFile, s.KeyFile = r.certify()
	s.ClientCAFile = write(t, r.dir, "ca.crt", authority.PEM())
	s.Listen, s.ListenMetrics = free(t), free(t)
	set(&s.Options)
	r.url = "https://" + s.Listen
	ctx, cancel := context.WithCancel(t.Context())
	r.stop = cancel
	go func() { r.ended <- s.Run(ctx, vendors.Default(), nil, slog.New(slog.DiscardHandler)) }()
	require.Eventually(t, func() bool {
		c, err := net.Dial("tcp", s.Listen)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	}, 10*time.Second, 5*time.Millisecond)
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-r.ended)
	})
	return r
}

// certify writes a new certificate of the server.
func (r *running) certify() (cert, key string) {
	r.t.Helper()
	pair, err := r.authority.Server("127.0.0.1")
	require.NoError(r.t, err)
	return write(r.t, r.dir, "tls.crt", pair.Cert), write(r.t, r.dir, "tls.key", pair.Key)
}

func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// client has the certificate of a user, or none; set changes how it connects.
func (r *running) client(user string, set func(*tls.Config)) *http.Client {
	r.t.Helper()
	c := &tls.Config{RootCAs: r.authority.Pool()}
	if user != "" {
		pair, err := r.authority.Client(user)
		require.NoError(r.t, err)
		certificate, err := tls.X509KeyPair(pair.Cert, pair.Key)
		require.NoError(r.t, err)
		c.Certificates = []tls.Certificate{certificate}
	}
	if set != nil {
		set(c)
	}
	transport := &http.Transport{TLSClientConfig: c, ForceAttemptHTTP2: true}
	r.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: 10 * time.Second}
}

func (r *running) post(c *http.Client, path string) (status int, text string, err error) {
	body, err := json.Marshal(extenderv1.ExtenderArgs{Pod: pod("6000"), Nodes: nodes(1)})
	require.NoError(r.t, err)
	answer, err := c.Post(r.url+path, "application/json", bytes.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	all, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(all), err
}

// TestWhoMayCall: each group of routes has clients of its own.
func TestWhoMayCall(t *testing.T) {
	r := serve(t, func(o *Options) { o.LiveClients, o.SimulationClients = []string{"scheduler"}, []string{"autoscaler"} })
	for _, test := range []struct {
		user, path string
		status     int
	}{
		{"scheduler", "/filter", 200}, {"autoscaler", "/filter", 403}, {"", "/filter", 401},
		{"scheduler", "/bind", 200}, {"autoscaler", "/bind", 403}, {"autoscaler", "/prioritize", 403},
		{"autoscaler", "/filter-simulation", 200}, {"scheduler", "/filter-simulation", 403}, {"", "/filter-simulation", 401},
		{"", "/webhook", 400}, // it may, but says nothing
	} {
		status, text, err := r.post(r.client(test.user, nil), test.path)
		require.NoError(t, err)
		assert.Equal(t, test.status, status, "%q on %s: %s", test.user, test.path, text)
	}
}

func TestStrangersGetNowhere(t *testing.T) {
	r := serve(t, func(*Options) {})
	other, err := testbed.NewAuthority("other")
	require.NoError(t, err)
	pair, err := other.Client("scheduler")
	require.NoError(t, err)
	certificate, err := tls.X509KeyPair(pair.Cert, pair.Key)
	require.NoError(t, err)
	_, _, err = r.post(r.client("", func(c *tls.Config) {
		c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &certificate, nil }
	}), "/webhook")
	assert.Error(t, err)
	_, _, err = r.post(r.client("scheduler", func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 }), "/webhook")
	assert.ErrorContains(t, err, "protocol version")
	status, _, err := r.post(r.client("anybody", nil), "/filter-simulation")
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, status, "no list: everybody with a certificate")
}

// TestCertificatesAreReloaded: new connections see the new certificate of the server, and the new authority of clients.
func TestCertificatesAreReloaded(t *testing.T) {
	r := serve(t, func(*Options) {})
	serial := func() string {
		c, err := tls.Dial("tcp", strings.TrimPrefix(r.url, "https://"), &tls.Config{RootCAs: r.authority.Pool(), MinVersion: tls.VersionTLS13})
		if err != nil {
			return ""
		}
		defer c.Close()
		return c.ConnectionState().PeerCertificates[0].SerialNumber.String()
	}
	before := serial()
	require.NotEmpty(t, before)
	r.certify()
	require.Eventually(t, func() bool { now := serial(); return now != "" && now != before }, 30*time.Second, 50*time.Millisecond)

	old := r.client("scheduler", nil)
	next, err := testbed.NewAuthority("next")
	require.NoError(t, err)
	file := write(t, r.dir, "ca.crt", next.PEM())
	require.NoError(t, os.Chtimes(file, time.Time{}, time.Now().Add(time.Minute)))
	require.Eventually(t, func() bool {
		status, _, err := r.post(old, "/filter-simulation")
		old.CloseIdleConnections()
		return err != nil || status == http.StatusUnauthorized
	}, 10*time.Second, 20*time.Millisecond)
}

func TestOptionsThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	for flag, set := range map[string]func(*Options){
		"--client-ca-file":       func(o *Options) { o.ClientCAFile = "x" },
		"--cert_file":            func(o *Options) { o.CertFile, o.KeyFile = dir+"/none", dir+"/none" },
		"--tls-min-version":      func(o *Options) { o.CertFile, o.MinTLS = "x", "1.1" },
		"--device-profiles":      func(o *Options) { o.ProfileFiles = []string{write(t, dir, "p.yaml", []byte("kind: DeviceProfile"))} },
		"--live-clients":         func(o *Options) { o.LiveClients = []string{"scheduler"} },
		"--http_bind":            func(o *Options) { o.Listen = "nowhere" },
		"--metrics-bind-address": func(o *Options) { o.ListenMetrics = "nowhere" },
	} {
		s := New()
		s.Listen, s.ListenMetrics = "127.0.0.1:0", "127.0.0.1:0"
		set(&s.Options)
		err := s.Run(t.Context(), vendors.Default(), nil, slog.New(slog.DiscardHandler))
		var bad *OptionError
		if assert.ErrorAs(t, err, &bad, flag) {
			assert.Equal(t, flag, bad.Option)
		}
	}
}

// TestShutdownWaits: a request that is under way when the service ends is answered.
func TestShutdownWaits(t *testing.T) {
	live := &cluster{block: make(chan struct{})}
	s := New()
	h, err := s.handler(vendors.Default(), live)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.serve(ctx, nil, map[*http.Server]net.Listener{s.server(h): listener}) }()
	body, err := json.Marshal(names("a"))
	require.NoError(t, err)
	answered := make(chan int, 1)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	go func() {
		r, err := (&http.Client{Transport: transport}).Post("http://"+listener.Addr().String()+"/filter", "application/json", bytes.NewReader(body))
		if err != nil {
			answered <- 0
			return
		}
		answered <- r.StatusCode
		_ = r.Body.Close()
	}()
	require.Eventually(t, func() bool { return live.calls.Load() == 1 }, 5*time.Second, time.Millisecond)
	cancel()
	select {
	case <-ended:
		t.Fatal("ended before the request was answered")
	case <-time.After(50 * time.Millisecond):
	}
	close(live.block)
	assert.Equal(t, http.StatusOK, <-answered)
	assert.NoError(t, <-ended)
}
