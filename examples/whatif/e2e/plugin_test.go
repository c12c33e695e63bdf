package e2e

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/accelfit/accelfit/examples/testbed/testbed"
)

// standIn runs a plugin, and what completes it, as kubectl does.
const standIn = `#!/bin/sh
prefix=kubectl-
if [ "$1" = __complete ]; then prefix=kubectl_complete-; shift; fi
name=$prefix$(echo "$1" | tr - _); shift
exec "$name" "$@"
`

// kubectl is the real one, or, where there is none, a stand-in. It finds the plugin, and what completes it.
func kubectl(t *testing.T, kubeconfig string) program {
	t.Helper()
	p := whatif(t, kubeconfig)
	complete, err := os.ReadFile(filepath.Join(module, "plugin", "kubectl_complete-whatif_devices"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(files, "kubectl_complete-whatif_devices"), complete, 0o755))
	if p.path, err = exec.LookPath("kubectl"); err != nil {
		t.Log("a stand-in for kubectl")
		p.path = filepath.Join(files, "kubectl")
		must(t, os.WriteFile(p.path, []byte(standIn), 0o755))
	}
	return p
}

// TestPlugin: kubectl finds the plugin, which calls itself as people do, and completes its arguments from the cluster.
func TestPlugin(t *testing.T) {
	c := cluster(t)
	p := kubectl(t, kubeconfig(t, c, "reader", map[string]string{"reader": account(t, c, "reader", role(t)...)}))
	if out := p.answers(t, "whatif-devices", "why", "shop/rerank", "l4-1"); !strings.HasPrefix(out, "shop/rerank does not fit on l4-1") {
		t.Errorf("why: %s", out)
	}
	if out := p.answers(t, "whatif-devices", "--help"); !strings.Contains(out, "\n  kubectl whatif-devices [command]\n") {
		t.Errorf("help: %s", out)
	}
	p.refuses(t, []string{"whatif-devices", "why", "nobody"}, "kubectl whatif-devices: pod nobody: not in the input")
	for typed, want := range map[string]string{
		"shop/re": "shop/render\tPending\nshop/rerank\tPending\n:4\n",
		"l4-":     "",
	} {
		out, errs, code := p.run(t, "__complete", "whatif-devices", "why", typed)
		if code != 0 || !strings.HasPrefix(out, want) || want == "" && strings.Contains(out, "l4-") {
			t.Errorf("%q completes to %q, exit code %d, %s", typed, out, code, errs)
		}
	}
}

// TestInterrupted: a program that waits for a server ends at once when it is interrupted.
func TestInterrupted(t *testing.T) {
	c := cluster(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer silent.Close()
	file := kubeconfig(t, c, "reader", map[string]string{"reader": "token"})
	text, err := os.ReadFile(file)
	must(t, err)
	elsewhere := strings.ReplaceAll(string(text), c.URL(), "https://"+silent.Addr().String())
	must(t, os.WriteFile(file, []byte(elsewhere), 0o600))

	p := whatif(t, file)
	cmd := exec.Command(p.path, "table", "--request-timeout", "0")
	cmd.Env = append(os.Environ(), p.env...)
	must(t, cmd.Start())
	dialled, err := silent.Accept()
	must(t, err)
	defer dialled.Close()
	start := time.Now()
	must(t, cmd.Process.Signal(os.Interrupt))
	err = cmd.Wait()
	if took := time.Since(start); err == nil || took > 5*time.Second {
		t.Errorf("it ends with %v after %v", err, took)
	}
	p.refuses(t, []string{"table", "--request-timeout", "200ms"}, "context reader: list nodes: https://127.0.0.1:", "does not answer in time", "-f FILE")
}

// TestBrokenOff: of an answer that breaks off, people are told once; client-go's log is not shown.
func TestBrokenOff(t *testing.T) {
	testbed.Binaries(t)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte("{"))
	}))
	defer s.Close()
	file := filepath.Join(t.TempDir(), "config")
	config := api.NewConfig()
	config.CurrentContext = "here"
	config.Contexts["here"] = &api.Context{Cluster: "half"}
	config.Clusters["half"] = &api.Cluster{Server: s.URL}
	must(t, clientcmd.WriteToFile(*config, file))
	whatif(t, file).refuses(t, []string{"table"}, "context here: list nodes: ", "unexpected EOF", "-f FILE")
}
