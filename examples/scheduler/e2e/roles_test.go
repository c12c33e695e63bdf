package e2e

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/accelfit/accelfit/examples/testbed/testbed"
)

// grant creates the cluster roles and bindings of the manifests.
func grant(t *testing.T, c *testbed.Cluster) {
	t.Helper()
	text, err := os.ReadFile("../manifests/rbac.yaml")
	require.NoError(t, err)
	rbac := c.Client().RbacV1()
	for _, doc := range bytes.Split(text, []byte("\n---\n")) {
		var kind metav1.TypeMeta
		require.NoError(t, yaml.Unmarshal(doc, &kind))
		switch kind.Kind {
		case "ClusterRole":
			var role rbacv1.ClusterRole
			require.NoError(t, yaml.UnmarshalStrict(doc, &role))
			_, err = rbac.ClusterRoles().Create(t.Context(), &role, metav1.CreateOptions{})
		case "ClusterRoleBinding":
			var binding rbacv1.ClusterRoleBinding
			require.NoError(t, yaml.UnmarshalStrict(doc, &binding))
			_, err = rbac.ClusterRoleBindings().Create(t.Context(), &binding, metav1.CreateOptions{})
		}
		require.NoError(t, err)
	}
}

// The roles of the manifests are enough to bind a pod under the lock of its node and a quota of its namespace.
func TestRolesSuffice(t *testing.T) {
	c, err := testbed.Start(t.Context(), testbed.Options{Bin: testbed.Binaries(t), RBAC: true})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Stop()) })
	grant(t, c)
	createNodes(t, c, "model: NVIDIA L4, count: 1")
	pods, err := c.CreatePods(t.Context(), podOf("roles", "p", wishes[0]))
	require.NoError(t, err)
	_, err = c.Client().CoreV1().ResourceQuotas("e2e").Create(t.Context(), &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "gpus"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"limits.nvidia.com/gpumem": resource.MustParse("6000")}},
	}, metav1.CreateOptions{})
	require.NoError(t, err)
	startAs(t, c, "roles", `{}`, "system:serviceaccount:accelfit:accelfit-scheduler")
	_, err = c.WaitBound(t.Context(), pods...)
	require.NoError(t, err)
	c.WantHolders(t, "e2e", 1)
}
