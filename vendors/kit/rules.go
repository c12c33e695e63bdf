package kit

import "github.com/accelfit/accelfit/device"

// Rules is a rule table in the making. The zero value is empty.
type Rules []device.Rule

// usual is how many rules a request has room for at once.
const usual = 12

// Add appends a rule.
func (r *Rules) Add(rule device.Rule) {
	if *r == nil {
		*r = make(Rules, 0, usual)
	}
	*r = append(*r, rule)
}

// When appends a rule that the request at hand can break only under a condition.
func (r *Rules) When(needed bool, rule device.Rule) {
	if needed {
		r.Add(rule)
	}
}

// IDs appends the rule of a pod's lists of device ids to use and not to use (spec core §13.1), if there are any.
func (r *Rules) IDs(annotations map[string]string, use, no string) {
	if annotations[use] == "" && annotations[no] == "" {
		return
	}
	ids := device.ParseIDs(annotations[use], annotations[no])
	r.When(!ids.Everything(), device.Rule{
		Code: device.CardUuidMismatch,
		Func: func(c *device.Candidate) bool { return ids.AllowsID(c.Info().ID) },
		Explain: func(c *device.Candidate) (want, have device.Amount) {
			return device.Amount{Text: "id " + ids.String()}, device.Amount{Text: c.Info().ID}
		},
	})
}

// Types appends the rule of a pod's lists of model names to use and not to use (spec core §13.2), if there are any.
func (r *Rules) Types(annotations map[string]string, use, no string) {
	if annotations[use] == "" && annotations[no] == "" {
		return
	}
	types := device.ParseTypes(annotations[use], annotations[no])
	r.When(!types.Everything(), device.Rule{
		Code:  device.CardTypeMismatch,
		Func:  func(c *device.Candidate) bool { return types.AllowsType(c.Fit.Node, c.Device) },
		Exact: func(c *device.Candidate) bool { return types.AllowsModel(c.Fit.Node, c.Device) },
		Explain: func(c *device.Candidate) (want, have device.Amount) {
			return device.Amount{Text: "type " + types.String()}, device.Amount{Text: c.Info().Type}
		},
	})
}

// Table makes the rules ready.
func (r *Rules) Table() device.Table { return device.NewTable(*r) }

// Healthy wants a device that takes new work.
func Healthy() device.Rule { return device.Rule{Code: device.CardNotHealth, Check: device.IsHealthy} }

// Slot wants fewer tasks than slots on the device.
func Slot() device.Rule {
	return device.Rule{Code: device.CardTimeSlicingExhausted, Check: device.HasSlot}
}

// Idle wants a device without any task: for pods whose device policy is mutex.
func Idle() device.Rule {
	return device.Rule{Code: device.ExclusiveDeviceAllocateConflict, Check: device.IsIdle}
}

// Quota wants the namespace's quota to allow the device.
func Quota() device.Rule {
	return device.Rule{Code: device.ResourceQuotaNotFit, Check: device.InQuota}
}

// Memory wants enough memory left.
func Memory() device.Rule {
	return device.Rule{Code: device.CardInsufficientMemory, Check: device.HasMemory}
}

// Cores wants enough cores left.
func Cores() device.Rule {
	return device.Rule{Code: device.CardInsufficientCore, Check: device.HasCores}
}

// WholeIsIdle wants an idle device for a request for all 100 cores of a 100-core one.
func WholeIsIdle() device.Rule {
	return device.Rule{Code: device.ExclusiveDeviceAllocateConflict, Check: device.WholeIsIdle}
}

// Compute wants some core left for a request for none.
func Compute() device.Rule {
	return device.Rule{Code: device.CardComputeUnitsExhausted, Check: device.HasCompute}
}
