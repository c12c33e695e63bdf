package answer

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// Charge is what a pod is charged for the devices of one vendor, and the quotas that limit it.
type Charge struct {
	Vendor   string `json:"vendor"`
	Memory   int64  `json:"memoryMiB"`
	Cores    int64  `json:"cores"`
	CoreUnit string `json:"coreUnit"` // of Cores; %: percent of a card

	// Shares says that some container asks for a share of each device's memory: Memory is then what is known before the devices
	// are.
	Shares bool `json:"shares,omitempty"`

	Held bool `json:"held,omitempty"` // the pod runs: it is charged what it holds

	Quotas []AppliedQuota `json:"quotas"`
}

// AppliedQuota is a limit of a namespace that a charge counts against.
type AppliedQuota struct {
	Name     string `json:"name"`     // of the ResourceQuota
	Resource string `json:"resource"` // limits.<resource>
	Limit    string `json:"limit"`    // as written
	Left     int64  `json:"left"`     // MiB or cores that the namespace may still take, of all its quotas
	Within   bool   `json:"within"`   // the charge is, as far as it is known; that of a pod that runs always
}

// charges is what a pod is charged for the devices of each vendor it asks for.
func (w *World) charges(a asked) []Charge {
	out := []Charge{}
	for _, v := range asksVendors(a.request) {
		b := w.set.Backend(v)
		c := Charge{Vendor: string(v), CoreUnit: w.coreUnit(v), Quotas: []AppliedQuota{}}
		if !w.held(&c, a.pod, b) {
			c.Memory, c.Cores = w.set.Charge(a.pod, a.request, v)
			c.Shares = asksForShares(a.request, v)
		}
		c.counted(b.Names())
		w.limits(&c, a.pod.Namespace, b)
		out = append(out, c)
	}
	return out
}

// asksForShares says whether some container asks for a share of each device's memory.
func asksForShares(r *vendors.Request, v device.Vendor) bool {
	for _, asks := range r.Containers() {
		for _, ask := range asks {
			if ask.Vendor == v && ask.Memory == 0 && ask.MemoryPercent > 0 && ask.MemoryPercent != device.PercentUnset {
				return true
			}
		}
	}
	return false
}

// held is what a pod is charged that holds devices; false: it holds none.
func (w *World) held(c *Charge, pod *corev1.Pod, b device.Backend) bool {
	node, holds := w.snapshot.PlacedOn(podKey(pod))
	u, known := w.snapshot.Node(node)
	if !holds || !known {
		return false
	}
	for _, h := range w.snapshot.Holdings(node) {
		if h.Key() != podKey(pod) {
			continue
		}
		for _, hold := range h.Allocation.Collapse() {
			if hold.Vendor != b.Vendor() {
				continue
			}
			memory, cores := hold.Memory, hold.Cores
			if x, ok := b.(device.Charger); ok {
				if i := u.Info().Find(hold.Vendor, hold.ID); i >= 0 {
					memory, cores = x.Charge(u.Info().Device(i), memory, cores)
				}
			}
			c.Held, c.Memory, c.Cores = true, device.Sum(c.Memory, memory), device.Sum(c.Cores, cores)
		}
	}
	return c.Held
}

// counted leaves out amounts that no quota can limit, because the vendor has no resource for them.
func (c *Charge) counted(n device.Names) {
	if n.Memory == "" {
		c.Memory, c.Shares = 0, false
	}
	if n.Cores == "" {
		c.Cores = 0
	}
	if c.CoreUnit == "core mask" {
		c.CoreUnit = "cores"
	}
}

// limits lists the quotas of a namespace that count what is charged of a vendor.
func (w *World) limits(c *Charge, namespace string, b device.Backend) {
	headroom := w.snapshot.Quotas().Headroom(namespace)[b.Vendor()]
	names, known := b.Names(), usage.NewQuotas(w.set)
	quotas := slices.Clone(w.input.Quotas)
	slices.SortStableFunc(quotas, func(a, b *corev1.ResourceQuota) int { return compareNames(a, b) })
	for _, q := range quotas {
		if q.Namespace != namespace {
			continue
		}
		for _, of := range []struct {
			resource string
			limit    device.Limit
			charge   int64
		}{{names.Memory, headroom.Memory, c.Memory}, {names.Cores, headroom.Cores, c.Cores}} {
			hard, found := q.Spec.Hard[corev1.ResourceName("limits."+of.resource)]
			if found && of.limit.Set && known.Managed(of.resource) {
				c.Quotas = append(c.Quotas, AppliedQuota{
					Name: q.Name, Resource: "limits." + of.resource, Limit: amount(hard), Left: of.limit.Left, Within: of.charge <= of.limit.Left || c.Held,
				})
			}
		}
	}
}
