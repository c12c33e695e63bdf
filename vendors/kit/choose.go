package kit

import "github.com/accelfit/accelfit/device"

// InOrder returns the positions of the first n granted devices, for a [device.Chooser] to work with and to answer in
// ([device.ContainerFit.Ints]).
func InOrder(f *device.ContainerFit, n int) []int {
	all := f.Ints(n)
	for i := range all {
		all[i] = i
	}
	return all
}

// WithinQuota says whether the namespace's quota allows the picked ones of the granted devices together.
func WithinQuota(f *device.ContainerFit, picked []int) bool {
	if f.Quota == nil {
		return true
	}
	var few [8]device.Grant
	grants := few[:0]
	for _, at := range picked {
		grants = append(grants, f.Granted[at])
	}
	return f.WithinQuota(grants...)
}

// OtherCard returns the id of a device other than the candidate that an earlier container of the pod took, one that together
// says is bound to the container at hand by the classes of both; empty: there is none.
func OtherCard(c *device.Candidate, together func(a, b device.ContainerClass) bool) string {
	f, info := c.Fit, c.Info()
	for i := range f.Taken {
		t := &f.Taken[i]
		if t.Vendor == info.Vendor && t.ID != info.ID && together(f.Classes[t.Container], f.Class) {
			return t.ID
		}
	}
	return ""
}
