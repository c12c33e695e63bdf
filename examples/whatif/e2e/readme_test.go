package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/accelfit/accelfit/examples/testbed/testbed"
)

// block is the first block of code below a text in the README.
func block(t *testing.T, below string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(module, "README.md"))
	must(t, err)
	_, rest, found := strings.Cut(string(text), below)
	_, rest, opened := strings.Cut(rest, "\n```\n")
	block, _, closed := strings.Cut(rest, "\n```\n")
	if !found || !opened || !closed {
		t.Fatalf("the README has no block of code below %q", below)
	}
	return block
}

// users is a kubeconfig whose current context is the administrator's; those of the README are jane's.
func users(t *testing.T, c *testbed.Cluster) string {
	t.Helper()
	config := api.NewConfig()
	config.CurrentContext = testbed.Admin
	config.Clusters["testbed"] = &api.Cluster{Server: c.URL(), CertificateAuthorityData: c.Authority().PEM()}
	for context, user := range map[string]string{testbed.Admin: testbed.Admin, "staging": "jane", "production": "jane"} {
		as, err := c.ConfigFor(user)
		must(t, err)
		config.Contexts[context] = &api.Context{Cluster: "testbed", AuthInfo: user}
		config.AuthInfos[user] = &api.AuthInfo{ClientCertificateData: as.CertData, ClientKeyData: as.KeyData}
	}
	file := filepath.Join(t.TempDir(), "config")
	must(t, clientcmd.WriteToFile(*config, file))
	return file
}

// goFolders are variables that keep the go command's caches where they are under another HOME.
func goFolders(t *testing.T) (out []string) {
	t.Helper()
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH"} {
		value, err := exec.Command("go", "env", name).Output()
		must(t, err)
		out = append(out, name+"="+strings.TrimSpace(string(value)))
	}
	return out
}

// administration is what the README has an administrator do with kubectl.
const administration = `kubectl apply -f manifests/rbac.yaml
kubectl create clusterrolebinding jane-whatif --clusterrole=accelfit-whatif --user=jane
`

// TestReadme runs what the README tells to do on a live cluster, and to have a plugin of kubectl. Where there is no kubectl, what an
// administrator does is done without it, and a stand-in runs the plugin.
func TestReadme(t *testing.T) {
	c := cluster(t)
	live := block(t, "**On a live cluster.**") + "\n"
	if _, err := exec.LookPath("kubectl"); err != nil {
		users, found := strings.CutPrefix(live, administration)
		if !found {
			t.Fatalf("the README has an administrator do something else: %s", live)
		}
		must(t, c.Grant(t.Context(), "jane", role(t)...))
		live = users
	}
	monday, _ := dump(t, c)
	home, folder := t.TempDir(), filepath.Dir(monday)
	bin := filepath.Join(home, "bin")
	must(t, os.Mkdir(bin, 0o700))
	must(t, os.Symlink(built.Path(t), filepath.Join(bin, "whatif")))
	if _, err := exec.LookPath("kubectl"); err != nil {
		must(t, os.WriteFile(filepath.Join(bin, "kubectl"), []byte(standIn), 0o755))
	}
	must(t, os.Rename(monday, filepath.Join(folder, "monday.json")))
	must(t, os.CopyFS(filepath.Join(folder, "manifests"), os.DirFS(filepath.Join(module, "manifests"))))
	env := append(os.Environ(), goFolders(t)...)
	env = append(env, "KUBECONFIG="+users(t, c), "HOME="+home, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))

	for _, part := range []struct{ script, dir, want string }{
		{live, folder, "6 nodes with 10 devices and 8 pending pods are answered alike."},
		{block(t, "**As a kubectl plugin.**"), module, "shop/rerank fits none of 6 nodes"},
	} {
		sh := exec.CommandContext(t.Context(), "sh", "-e")
		sh.Dir, sh.Env, sh.Stdin = part.dir, env, strings.NewReader(part.script)
		if out, err := sh.CombinedOutput(); err != nil || !strings.Contains(string(out), part.want) {
			t.Errorf("%s: %v\n%s", part.script, err, out)
		}
	}
	complete := exec.Command("sh", "-c", `exec kubectl "$@"`, "sh", "__complete", "whatif-devices", "why", "--context", "staging", "shop/rer")
	complete.Env = env
	if out, err := complete.Output(); err != nil || !strings.HasPrefix(string(out), "shop/rerank\tPending\n") {
		t.Errorf("completion: %v, %s", err, out)
	}
}
