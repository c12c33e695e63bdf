package live

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	_ "k8s.io/client-go/plugin/pkg/client/auth/oidc" // kubeconfigs name it
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// ErrNoCluster says that there is no kubeconfig, and that this does not run in a pod.
var ErrNoCluster = errors.New("no kubeconfig")

// Requests per second, and at once, of a client that reads many pages; as kubectl's.
const (
	perSecond = 50
	atOnce    = 300
)

// target is the API server to ask.
type target struct {
	config  *rest.Config
	context string // of the kubeconfig; empty: the cluster this runs in
}

// target finds the API server as kubectl does.
func (o *Options) target() (target, error) {
	rules, config := o.loader()
	raw, err := config.RawConfig()
	if err != nil {
		return target{}, &Error{Why: "the kubeconfig cannot be read", Err: err}
	}
	t := target{context: raw.CurrentContext}
	if o.Context != "" {
		t.context = o.Context
	}
	if t.config, err = config.ClientConfig(); err != nil {
		return target{}, unusable(t.context, slices.Sorted(maps.Keys(raw.Contexts)), rules.GetLoadingPrecedence(), err)
	}
	t.config.QPS, t.config.Burst = perSecond, atOnce
	t.config.Timeout = o.Timeout
	t.config.UserAgent = "accelfit-whatif"
	t.config.WarningHandler = rest.NoWarnings{}
	t.config.ContentType = runtime.ContentTypeProtobuf
	t.config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	return t, nil
}

// unusable tells why a context cannot be used: those there are, and the files looked for.
func unusable(chosen string, contexts, files []string, err error) error {
	e := &Error{Context: chosen, Err: err}
	switch {
	case len(contexts) == 0 && chosen == "":
		return fmt.Errorf("%w in %s", ErrNoCluster, strings.Join(files, ", "))
	case len(contexts) == 0:
		e.Why = "there is no kubeconfig that has it"
	case chosen == "":
		e.Why = "the kubeconfig has no current context: choose with --context: " + strings.Join(contexts, ", ")
	case !slices.Contains(contexts, chosen):
		e.Why = "the kubeconfig has only " + strings.Join(contexts, ", ")
	default:
		e.Why = "the kubeconfig cannot be used"
	}
	return e
}

func (o *Options) loader() (*clientcmd.ClientConfigLoadingRules, clientcmd.ClientConfig) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.Kubeconfig
	rules.WarnIfAllMissing = false
	overrides := &clientcmd.ConfigOverrides{CurrentContext: o.Context}
	return rules, clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
}

// Contexts lists the contexts of the kubeconfig, sorted; none where it cannot be read. Options.Context does not matter.
func (o *Options) Contexts() []string {
	_, config := o.loader()
	raw, err := config.RawConfig()
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(raw.Contexts))
}
