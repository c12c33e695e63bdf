package testbed

import (
	"context"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

const (
	// Admin is the user who may do everything.
	Admin = "admin"

	// SchedulerUser is the user that kube-scheduler is, whom a cluster's own roles let schedule pods.
	SchedulerUser = "system:kube-scheduler"

	mastersGroup = "system:masters"
)

// Config is the administrator's. It belongs to the caller.
func (c *Cluster) Config() *rest.Config { return rest.CopyConfig(c.admin) }

// ConfigFor is a configuration to talk to the cluster as a user of some groups. The user need not be known before: the cluster
// issues a certificate. Service accounts are users too: system:serviceaccount:<namespace>:<name>. Requests are not throttled.
func (c *Cluster) ConfigFor(user string, groups ...string) (*rest.Config, error) {
	if user == Admin {
		groups = append(groups, mastersGroup)
	}
	pair, err := c.authority.Client(user, groups...)
	if err != nil {
		return nil, err
	}
	return &rest.Config{
		Host: c.url, QPS: -1,
		TLSClientConfig: rest.TLSClientConfig{CAData: c.authority.PEM(), CertData: pair.Cert, KeyData: pair.Key},
	}, nil
}

// Kubeconfig is ConfigFor as the text of a kubeconfig file.
func (c *Cluster) Kubeconfig(user string, groups ...string) ([]byte, error) {
	config, err := c.ConfigFor(user, groups...)
	if err != nil {
		return nil, err
	}
	const name = "testbed"
	return clientcmd.Write(api.Config{
		CurrentContext: name,
		Contexts:       map[string]*api.Context{name: {Cluster: name, AuthInfo: user}},
		Clusters:       map[string]*api.Cluster{name: {Server: config.Host, CertificateAuthorityData: config.CAData}},
		AuthInfos: map[string]*api.AuthInfo{
			user: {ClientCertificateData: config.CertData, ClientKeyData: config.KeyData},
		},
	})
}

// KubeconfigFile writes Kubeconfig to a file that Stop removes, and returns its path.
func (c *Cluster) KubeconfigFile(user string, groups ...string) (path string, err error) {
	text, err := c.Kubeconfig(user, groups...)
	if err != nil {
		return "", err
	}
	return c.write(strings.NewReplacer(":", "-", "/", "-").Replace(user)+".kubeconfig", text)
}

// Grant lets a user do in the whole cluster what the rules say, by a role of the user's own. It matters under Options.RBAC.
func (c *Cluster) Grant(ctx context.Context, user string, rules ...rbacv1.PolicyRule) error {
	meta := metav1.ObjectMeta{GenerateName: "testbed-"}
	role, err := c.client.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: meta, Rules: rules}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	_, err = c.client.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: meta,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}, metav1.CreateOptions{})
	return err
}
