package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/yaml"

	"github.com/accelfit/accelfit/examples/testbed/testbed"
)

// namespace of the service accounts.
const namespace = "whatif"

var fill sync.Once

// cluster is the shared cluster with what "whatif demo --data" prints in it.
func cluster(t *testing.T) *testbed.Cluster {
	t.Helper()
	c := bed.Cluster(t)
	fill.Do(func() { create(t, c) })
	return c
}

func create(t *testing.T, c *testbed.Cluster) {
	var data struct{ Items []json.RawMessage }
	must(t, yaml.Unmarshal([]byte(whatif(t, "").answers(t, "demo", "--data")), &data))
	var pods []*corev1.Pod
	var quotas []*corev1.ResourceQuota
	for _, raw := range data.Items {
		var kind metav1.TypeMeta
		must(t, json.Unmarshal(raw, &kind))
		switch kind.Kind {
		case "Node":
			node := &corev1.Node{}
			must(t, json.Unmarshal(raw, node))
			_, err := c.CreateNodes(t.Context(), node)
			must(t, err)
		case "Pod":
			pods = append(pods, &corev1.Pod{})
			must(t, json.Unmarshal(raw, pods[len(pods)-1]))
		case "ResourceQuota":
			quotas = append(quotas, &corev1.ResourceQuota{})
			must(t, json.Unmarshal(raw, quotas[len(quotas)-1]))
		}
	}
	_, err := c.CreatePods(t.Context(), pods...)
	must(t, err)
	for _, q := range quotas { // after the namespaces, which the pods bring
		_, err := c.Client().CoreV1().ResourceQuotas(q.Namespace).Create(t.Context(), q, metav1.CreateOptions{})
		must(t, err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// dump writes what "kubectl get nodes,pods,resourcequotas -A -o json" prints to a file, and tells the version of each object.
func dump(t *testing.T, c *testbed.Cluster) (file string, versions map[string]string) {
	t.Helper()
	core := c.Client().CoreV1()
	nodes, err := core.Nodes().List(t.Context(), metav1.ListOptions{})
	must(t, err)
	pods, err := core.Pods("").List(t.Context(), metav1.ListOptions{})
	must(t, err)
	quotas, err := core.ResourceQuotas("").List(t.Context(), metav1.ListOptions{})
	must(t, err)
	versions = map[string]string{}
	list := &corev1.List{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "List"}}
	add := func(kind string, object metav1.Object, typed *metav1.TypeMeta) {
		*typed = metav1.TypeMeta{APIVersion: "v1", Kind: kind}
		raw, err := json.Marshal(object)
		must(t, err)
		list.Items = append(list.Items, runtime.RawExtension{Raw: raw})
		versions[kind+" "+object.GetNamespace()+"/"+object.GetName()] = object.GetResourceVersion()
	}
	for i := range nodes.Items {
		add("Node", &nodes.Items[i], &nodes.Items[i].TypeMeta)
	}
	for i := range pods.Items {
		add("Pod", &pods.Items[i], &pods.Items[i].TypeMeta)
	}
	for i := range quotas.Items {
		add("ResourceQuota", &quotas.Items[i], &quotas.Items[i].TypeMeta)
	}
	text, err := json.Marshal(list)
	must(t, err)
	file = filepath.Join(t.TempDir(), "cluster.json")
	must(t, os.WriteFile(file, text, 0o600))
	return file, versions
}

// account makes a service account that may do what the rules say, unless it is there, and returns a token of it.
func account(t *testing.T, c *testbed.Cluster, name string, rules ...rbacv1.PolicyRule) (token string) {
	t.Helper()
	client := c.Client()
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	_, err := client.CoreV1().Namespaces().Create(t.Context(), space, metav1.CreateOptions{})
	must(t, unlessThere(err))
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_, err = client.CoreV1().ServiceAccounts(namespace).Create(t.Context(), account, metav1.CreateOptions{})
	must(t, unlessThere(err))
	if err == nil && len(rules) > 0 {
		must(t, c.Grant(t.Context(), "system:serviceaccount:"+namespace+":"+name, rules...))
	}
	request, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(t.Context(), name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	must(t, err)
	return request.Status.Token
}

func unlessThere(err error) error {
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// role is the rules of the manifest.
func role(t *testing.T) []rbacv1.PolicyRule {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(module, "manifests", "rbac.yaml"))
	must(t, err)
	var role rbacv1.ClusterRole
	must(t, yaml.UnmarshalStrict(text, &role))
	return role.Rules
}

// kubeconfig writes a file with a context for each token, by name; the first argument is the current one.
func kubeconfig(t *testing.T, c *testbed.Cluster, current string, tokens map[string]string) string {
	t.Helper()
	config := api.NewConfig()
	config.CurrentContext = current
	config.Clusters["testbed"] = &api.Cluster{Server: c.URL(), CertificateAuthorityData: c.Authority().PEM()}
	for name, token := range tokens {
		config.Contexts[name] = &api.Context{Cluster: "testbed", AuthInfo: name}
		config.AuthInfos[name] = &api.AuthInfo{Token: token}
	}
	file := filepath.Join(t.TempDir(), "config")
	must(t, clientcmd.WriteToFile(*config, file))
	return file
}
