package kit

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
)

// Asks is what a model reads of containers where they ask by [Shares] and admission completes nothing. A model embeds it, and
// writes those of its methods anew that are otherwise with its vendor.
type Asks struct {
	shares Shares
	mine   func(c *corev1.Container, name string) bool
}

// Asked makes a container the vendor's that names the devices in its limits or requests.
func Asked(s Shares) Asks { return Asks{s, Named} }

// AskedInLimits makes a container the vendor's that names the devices in its limits. Amounts are read from requests too.
func AskedInLimits(s Shares) Asks { return Asks{s, Limited} }

// Request implements [device.Backend].
func (a *Asks) Request(c *corev1.Container) (device.ContainerRequest, error) {
	return a.shares.Request(c)
}

// Admit implements [device.Backend]: what Request would refuse is refused.
func (a *Asks) Admit(_ *corev1.Pod, c *corev1.Container) (device.Admitted, error) {
	return AdmitAsked(a, c, a.mine(c, a.shares.Count))
}

// requester is the part of [device.Backend] that reads a container.
type requester interface {
	Request(*corev1.Container) (device.ContainerRequest, error)
}

// AdmitAsked is the admission of vendors that complete nothing: a container is theirs when it names the resource, and what
// Request would refuse is refused (deviation D11).
func AdmitAsked(b requester, c *corev1.Container, named bool) (device.Admitted, error) {
	if _, err := b.Request(c); err != nil {
		return device.Admitted{}, err
	}
	return device.Admitted{Mine: named}, nil
}
