package metax

import (
	"strings"

	"github.com/accelfit/accelfit/device"
)

// Classes of pods. Any value of the annotation but online and offline is no class (spec metax §II.9).
const (
	online   = "online"
	offline  = "offline"
	ordinary = "ordinary"
)

func classOf(annotations map[string]string) string {
	switch class := annotations[AnnotationAppClass]; class {
	case online, offline:
		return class
	}
	return ordinary
}

// Tag implements [device.Tagger]: the class of the pod and, unless it is online, the QoS policy that it left on the card. Usage so
// knows the policy of a card before its node agent registers it anew, for as long as the pod is there (deviation DS3).
func (b *SGPU) Tag(annotations map[string]string, d *device.ContainerDevice) string {
	return tag(annotations, d.Cores)
}

func tag(annotations map[string]string, cores int64) string {
	switch class := classOf(annotations); {
	case class == online:
		return class
	case cores == 100: // whoever has all cores leaves the card without a policy
		return class + ":"
	default:
		return class + ":" + annotations[AnnotationQoS]
	}
}

// untag is the inverse of tag.
func untag(tag string) (class, qos string) {
	class, qos, _ = strings.Cut(tag, ":")
	return class, qos
}

// crowd counts the pods of either class on a card.
type crowd struct{ online, offline int }

func crowdOf(u *device.DeviceUsage) (n crowd) {
	for _, t := range u.Tags() {
		switch class, _ := untag(t); class {
		case online:
			n.online++
		case offline:
			n.offline++
		}
	}
	return n
}

// accepts says whether a pod of a class may join the pods on a card that is in use (spec metax §II.9 check 3).
func (n crowd) accepts(class string) bool {
	switch class {
	case online:
		return n.online > 0 || n.offline > 0
	case offline:
		return n.online == 0 && n.offline > 0
	}
	return n == crowd{}
}

// String lists the classes for people.
func (n crowd) String() string {
	switch {
	case n.online > 0 && n.offline > 0:
		return "online and offline pods"
	case n.online > 0:
		return "online pods"
	case n.offline > 0:
		return "offline pods"
	}
	return "ordinary pods"
}
