package e2e

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accelfit/accelfit/examples/testbed/testbed"
	"github.com/accelfit/accelfit/vendors"
)

// extender is an extender that runs as a process.
type extender struct {
	t       *testing.T
	cluster *testbed.Cluster
	address string
	args    []string
	client  *http.Client
	scheme  string
	process *exec.Cmd
	log     *bytes.Buffer
}

// startExtender starts an extender that the test stops. files is its TLS, or nil.
func startExtender(t *testing.T, c *testbed.Cluster, files *tlsFiles, args ...string) *extender {
	t.Helper()
	kubeconfig, err := c.KubeconfigFile(testbed.Admin)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e := &extender{t: t, cluster: c, address: l.Addr().String(), scheme: "http", client: &http.Client{Timeout: 30 * time.Second}}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	e.args = append([]string{"--kubeconfig", kubeconfig, "--http_bind", e.address, "--metrics-bind-address=127.0.0.1:0"}, args...)
	if files != nil {
		e.args = append(e.args, "--cert_file", files.serverCert, "--key_file", files.serverKey, "--client-ca-file", files.ca)
		e.scheme, e.client.Transport = "https", &http.Transport{TLSClientConfig: files.config(t)}
	}
	e.start()
	t.Cleanup(e.stop)
	return e
}

func (e *extender) start() {
	e.t.Helper()
	e.log = &bytes.Buffer{}
	e.process = exec.Command(program.Path(e.t), e.args...)
	e.process.Stdout, e.process.Stderr = e.log, e.log
	e.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := e.process.Start(); err != nil {
		e.t.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); !e.ready(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			e.t.Fatal("the extender does not become ready")
		}
	}
}

func (e *extender) ready() bool {
	r, err := e.client.Get(e.scheme + "://" + e.address + "/readyz?function=live")
	if err != nil {
		return false
	}
	return r.Body.Close() == nil && r.StatusCode == http.StatusOK
}

// kill ends the extender as a crash would.
func (e *extender) kill() {
	_ = e.process.Process.Kill()
	_ = e.process.Wait()
}

// stop ends the extender as Kubernetes does: it must end by itself, without an error.
func (e *extender) stop() {
	e.client.CloseIdleConnections()
	_ = e.process.Process.Signal(syscall.SIGTERM)
	watchdog := time.AfterFunc(20*time.Second, func() { _ = e.process.Process.Kill() })
	defer watchdog.Stop()
	if err := e.process.Wait(); err != nil {
		e.t.Errorf("the extender ends with %v", err)
	}
	if e.t.Failed() {
		e.t.Log(e.log.String())
	}
}

// scheduler starts a kube-scheduler that calls the extender for pods that name it.
func (e *extender) scheduler(c *testbed.Cluster, name string, cacheCapable bool, files *tlsFiles) {
	e.t.Helper()
	var managed []string
	for _, r := range vendors.Default().ManagedResources() {
		managed = append(managed, fmt.Sprintf("{name: %s, ignoredByScheduler: true}", r))
	}
	secure := ""
	if files != nil {
		secure = fmt.Sprintf("enableHTTPS: true, tlsConfig: {certFile: %s, keyFile: %s, caFile: %s}, ",
			files.clientCert, files.clientKey, files.ca)
	}
	s, err := c.StartScheduler(e.t.Context(), testbed.SchedulerOptions{Config: fmt.Sprintf(`
profiles: [{schedulerName: %s}]
extenders: [{urlPrefix: "%s://%s", filterVerb: filter, prioritizeVerb: prioritize, bindVerb: bind, weight: 1,
  nodeCacheCapable: %t, httpTimeout: 20s, %smanagedResources: [%s]}]`,
		name, e.scheme, e.address, cacheCapable, secure, strings.Join(managed, ", "))})
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			e.t.Error(err)
		}
	})
}

// report has the node agents answer the handshakes, as they do every half minute.
func report(t *testing.T, c *testbed.Cluster) {
	t.Helper()
	nodes, err := c.Client().CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes.Items {
		for key, value := range n.Annotations {
			if !strings.HasPrefix(value, "Requesting_") {
				continue
			}
			patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:"Reported"}}}`, key)
			if _, err := c.Client().CoreV1().Nodes().Patch(t.Context(), n.Name, types.MergePatchType, []byte(patch),
				metav1.PatchOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// tlsFiles are the certificates of an extender and of those who call it.
type tlsFiles struct{ ca, serverCert, serverKey, clientCert, clientKey string }

func newTLSFiles(t *testing.T, c *testbed.Cluster) *tlsFiles {
	t.Helper()
	server, err := c.Authority().Server()
	if err != nil {
		t.Fatal(err)
	}
	client, err := c.Authority().Client(testbed.SchedulerUser)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return &tlsFiles{
		write("ca.pem", c.Authority().PEM()), write("server.pem", server.Cert), write("server.key", server.Key),
		write("client.pem", client.Cert), write("client.key", client.Key),
	}
}
