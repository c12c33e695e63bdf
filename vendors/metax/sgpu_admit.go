package metax

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// The QoS policies.
const (
	bestEffort = "best-effort"
	fixedShare = "fixed-share"
	burstShare = "burst-share"
)

// Admit implements [device.Backend] (spec metax §II.6): pods that are not online get a QoS policy, and neither class nor policy may
// be anything else; a container of a pod of either class asks for one card. What Request would refuse is refused.
func (b *SGPU) Admit(pod *corev1.Pod, c *corev1.Container) (device.Admitted, error) {
	if !kit.Limited(c, b.Config().ResourceVCountName) {
		return device.Admitted{}, nil
	}
	if err := b.checkClass(pod, c); err != nil {
		return device.Admitted{}, err
	}
	if err := completeQoS(pod); err != nil {
		return device.Admitted{}, err
	}
	return kit.AdmitAsked(b, c, true)
}

func (b *SGPU) checkClass(pod *corev1.Pod, c *corev1.Container) error {
	class, named := pod.Annotations[AnnotationAppClass]
	if !named {
		return nil
	}
	if err := oneOf(pod, AnnotationAppClass, online, offline); err != nil {
		return err
	}
	n := c.Resources.Limits[corev1.ResourceName(b.Config().ResourceVCountName)]
	if n.Value() != 1 && !n.IsZero() { // 0 asks for nothing
		return &kit.Refusal{
			Text:  "app-class pod must request single device",
			Cause: kit.Invalid(c, b.Config().ResourceVCountName, "must be 1 in "+class+" pods"),
		}
	}
	return nil
}

func completeQoS(pod *corev1.Pod) error {
	if pod.Annotations[AnnotationAppClass] == online {
		return nil
	}
	if _, given := pod.Annotations[AnnotationQoS]; given {
		return oneOf(pod, AnnotationQoS, bestEffort, fixedShare, burstShare)
	}
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	pod.Annotations[AnnotationQoS] = bestEffort
	return nil
}

func oneOf(pod *corev1.Pod, key string, words ...string) error {
	value := pod.Annotations[key]
	if slices.Contains(words, value) {
		return nil
	}
	why := fmt.Sprintf("must be set one of [%s]", strings.Join(words, ", "))
	return &kit.Refusal{Text: key + " " + why, Cause: &device.RequestError{Key: key, Value: value, Why: why}}
}
