package live

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/accelfit/accelfit/examples/whatif/internal/input"
)

// Rule is what a ClusterRole needs so that those it is bound to can be answered about a live cluster, as YAML of one line.
const Rule = `{apiGroups: [""], resources: [nodes, pods, resourcequotas], verbs: [get, list]}`

// Error tells why a cluster could not be read. Its text is a sentence; Err is what client-go said.
type Error struct {
	Context  string // of the kubeconfig; empty: the cluster this runs in, or none was chosen
	Server   string // URL; empty where none was found
	Resource string // that was to be listed; empty: it did not come to that
	Why      string // and what to do
	Err      error
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.Context != "" {
		b.WriteString("context " + e.Context + ": ")
	}
	if e.Resource != "" {
		b.WriteString("list " + e.Resource + ": ")
	}
	b.WriteString(e.Why)
	if e.Err != nil {
		b.WriteString(" (" + e.Err.Error() + ")")
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// fault tells why a resource could not be listed.
func (t *target) fault(resource string, err error) error {
	e := &Error{Context: t.context, Server: t.config.Host, Resource: resource, Err: err}
	var timeout net.Error
	var transport *url.Error
	switch {
	case errors.Is(err, context.Canceled):
		e.Why = "given up"
	case errors.Is(err, input.ErrNothing):
		e.Why = "there is nothing to answer about"
	case apierrors.IsForbidden(err):
		e.Why = "not allowed; a ClusterRole that is bound to this user needs the rule " + Rule
	case apierrors.IsUnauthorized(err):
		e.Why = t.config.Host + " does not accept the credentials, which may have expired: log in again"
	case errors.As(err, &timeout) && timeout.Timeout():
		e.Why = t.config.Host + " does not answer in time; see --request-timeout"
	case errors.As(err, &transport) && strings.HasPrefix(transport.Err.Error(), "getting credentials:"): // of no type
		e.Why, e.Err = "no credentials for "+t.config.Host+": log in again", transport.Err
	case errors.As(err, &transport):
		e.Why, e.Err = "no answer from "+t.config.Host, transport.Err
	default:
		e.Why = t.config.Host + " answers with an error"
	}
	return e
}
