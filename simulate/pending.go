package simulate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// pending is a pod that is to be placed.
type pending struct {
	pod  *corev1.Pod
	err  error // the request is invalid
	kind *kind // nil: see err
}

// kind is what pods have in common that ask for the same.
type kind struct {
	key     string           // see shapeKey; empty: nothing is known to ask for the same
	byName  bool             // vendors.Request.ByName
	request *vendors.Request // of one of the pods
	vendors []device.Vendor  // asked for
	number  int              // of all kinds, in the order in which they were met
}

// pendings are pods to be placed, each parsed once, in an order that does not depend on any node: by namespace and name, then
// by UID and shape (the pods of a workload that does not exist yet may have neither name nor UID).
type pendings struct {
	pods  []pending
	given []int32 // positions in pods, in the order in which the pods were given
	kinds []*kind
}

func parse(set *vendors.Set, pods []*corev1.Pod, options vendors.FitOptions) *pendings {
	p := &pendings{pods: make([]pending, len(pods))}
	parser := set.Parser()
	known, kinds := map[*vendors.Request]*kind{}, map[string]*kind{}
	for i, pod := range pods {
		if pod == nil {
			p.pods[i] = pending{pod: new(corev1.Pod), err: fmt.Errorf("pods[%d] %w", i, ErrNil)}
			continue
		}
		r, err := parser.Request(pod)
		p.pods[i] = pending{pod: pod, err: err}
		if err != nil {
			continue
		}
		k := known[r]
		if k == nil {
			k = p.kindOf(kinds, r.With(options))
			known[r] = k
		}
		p.pods[i].kind = k
	}
	p.sort()
	return p
}

func (p *pendings) sort() {
	order := make([]int32, len(p.pods)) // position before → after, the other way round than p.given
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(x, y int32) int {
		a, b := &p.pods[x], &p.pods[y]
		if c := compareNames(a.pod, b.pod); c != 0 { // as good as always
			return c
		}
		return cmp.Or(cmp.Compare(a.pod.UID, b.pod.UID), cmp.Compare(a.shape(), b.shape()))
	})
	sorted := make([]pending, len(order))
	p.given = make([]int32, len(order))
	for i, before := range order {
		sorted[i] = p.pods[before]
		p.given[before] = int32(i)
	}
	p.pods = sorted
}

// compareNames compares namespace/name, as texts.
func compareNames(a, b *corev1.Pod) int {
	if a.Namespace == b.Namespace {
		return cmp.Compare(a.Name, b.Name)
	}
	return cmp.Compare(a.Namespace+"/"+a.Name, b.Namespace+"/"+b.Name)
}

func (w *pending) shape() string {
	if w.kind == nil {
		return ""
	}
	return w.kind.request.Shape()
}

func (p *pendings) kindOf(kinds map[string]*kind, r *vendors.Request) *kind {
	key := shapeKey(r)
	if k := kinds[key]; k != nil && key != "" {
		return k
	}
	k := &kind{key: key, byName: r.ByName(), request: r, number: len(p.kinds)}
	for _, asks := range r.Containers() {
		for i := range asks {
			if !slices.Contains(k.vendors, asks[i].Vendor) {
				k.vendors = append(k.vendors, asks[i].Vendor)
			}
		}
	}
	p.kinds = append(p.kinds, k)
	kinds[key] = k
	return k
}

// shapeKey is the same for requests that are granted and score the same; empty: there is no key.
func shapeKey(r *vendors.Request) string {
	if r.Empty() {
		key := []byte("nothing " + r.NodePolicy + " ")
		for _, class := range r.Classes() {
			key = append(key, byte(class))
		}
		return string(key)
	}
	return r.Shape()
}

// order returns the positions of the pods, the most demanding first. share is the part of a node that a kind takes.
func (p *pendings) order(share func(*kind) float64) []int32 {
	shares := make([]float64, len(p.kinds))
	for i, k := range p.kinds {
		shares[i] = share(k)
	}
	of := func(i int32) float64 {
		if k := p.pods[i].kind; k != nil {
			return shares[k.number]
		}
		return 0
	}
	out := make([]int32, len(p.pods))
	for i := range out {
		out[i] = int32(i)
	}
	slices.SortStableFunc(out, func(a, b int32) int { return cmp.Compare(of(b), of(a)) })
	return out
}

// question tells apart what pods of the kind ask for in a namespace that may still take so much, and says whether that limits
// any vendor they ask for.
func (k *kind) question(headroom map[device.Vendor]device.Headroom) (key string, limited bool) {
	key = k.key
	if key == "" {
		key = "#" + strconv.Itoa(k.number)
	}
	if !k.limitedBy(headroom) {
		return key, false
	}
	b := append([]byte(key), " quota"...)
	for _, v := range k.vendors {
		h := headroom[v]
		for _, l := range [...]device.Limit{h.Memory, h.Cores} {
			b = append(b, ' ')
			if l.Set {
				b = strconv.AppendInt(b, l.Left, 36)
			}
		}
	}
	return string(b), true
}

// limitedBy says whether a namespace that may still take so much limits any vendor asked for.
func (k *kind) limitedBy(headroom map[device.Vendor]device.Headroom) bool {
	for _, v := range k.vendors {
		if h, ok := headroom[v]; ok && h.Limited() {
			return true
		}
	}
	return false
}
