package device

import "slices"

// ModeMIG is the mode of devices that are cut into instances.
const ModeMIG = "mig"

// Placement is the slices an instance occupies on a device in mode mig: [Start, Start+Size).
type Placement struct {
	Start uint32 `json:"start"`
	Size  uint32 `json:"size"`
}

// End is the first slice behind the placement.
func (p Placement) End() uint64 { return uint64(p.Start) + uint64(p.Size) }

// Overlaps says whether the two half-open slice ranges share a slice.
func (p Placement) Overlaps(q Placement) bool {
	return uint64(p.Start) < q.End() && uint64(q.Start) < p.End()
}

// MIGProfile is one way to cut an instance out of a device in mode mig.
type MIGProfile struct {
	Name       string      `json:"name"`       // for example 2g.10gb
	Memory     int64       `json:"memoryMB"`   // MiB of one instance
	Cores      int64       `json:"core"`       // percent of the device
	Slices     uint32      `json:"sliceCount"` // compute slices
	Placements []Placement `json:"placements"` // where instances may lie
}

// MIGInstance is an instance that is taken, or about to be: its profile and where it lies. The zero value means none.
type MIGInstance struct {
	Profile   string
	Placement Placement
}

// IsZero reports whether there is no instance.
func (m MIGInstance) IsZero() bool { return m.Profile == "" && m.Placement == Placement{} }

// MIGState is the [State] of a device in mode mig: its instances in use, in the order they were taken.
type MIGState []MIGInstance

// DeepCopyState implements [State].
func (m MIGState) DeepCopyState() State { return slices.Clone(m) }

// Free says whether nothing in use overlaps p.
func (m MIGState) Free(p Placement) bool {
	for i := range m {
		if m[i].Placement.Overlaps(p) {
			return false
		}
	}
	return true
}
