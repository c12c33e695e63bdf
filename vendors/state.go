package vendors

import (
	"github.com/accelfit/accelfit/device"
)

// ByName says whether the answer for a node may depend on its name or on the ids of its devices: the pod lists ids, or the
// caller's options have functions. Otherwise two nodes that are equal in all but names and ids give the same answer,
// position by position, and the same score; whoever keeps answers by the state of a node may then use them for both. Backends
// must hold to this: what they decide depends on ids only in rules of the code [device.CardUuidMismatch].
func (r *Request) ByName() bool {
	if r.named {
		return true
	}
	for _, plans := range r.plans {
		for i := range plans {
			if listsIDs(&plans[i]) {
				return true
			}
		}
	}
	return false
}

func listsIDs(p *device.Plan) bool {
	for _, table := range []*device.Table{&p.Rules, &p.Joins} {
		rules := table.Rules()
		for i := range rules {
			if rules[i].Code == device.CardUuidMismatch {
				return true
			}
		}
	}
	return false
}
