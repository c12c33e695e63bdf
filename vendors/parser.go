package vendors

import (
	"encoding/binary"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
)

// Parser reads pods as [Set.Request] does, but those that are equal in their containers and in the annotations that count
// only once: the pods of a workload. It remembers a bounded number of them, and is used by one goroutine at a time.
type Parser struct {
	set   *Set
	known map[string]*Request
	keys  []string // annotations that count, ascending
	text  []byte
	names []string // of a pod's annotations that count

	// The names of the resources of the container before, ascending: those of the next one are the same more often than not.
	limits, requests []string
}

// most is how many different pods a Parser remembers; the pods behind them are read one by one.
const most = 4096

// Parser returns a parser that knows no pod.
func (s *Set) Parser() *Parser {
	p := &Parser{set: s, known: map[string]*Request{}, keys: []string{
		device.AnnotationDevicePolicy, device.AnnotationNodePolicy, device.AnnotationWeights, device.AnnotationNUMABind,
	}}
	for i := range s.names {
		p.keys = append(p.keys, s.names[i].PodKeys...)
	}
	slices.Sort(p.keys)
	p.keys = slices.Compact(p.keys)
	return p
}

// Request reads a pod, as [Set.Request] does. Equal pods share one request, whose namespace, name and UID are those of the
// first; see [Request.For]. Cost of a pod that is equal to one before: linear in its containers, without allocation.
func (p *Parser) Request(pod *corev1.Pod) (*Request, error) {
	ok := p.write(pod)
	if known := p.known[string(p.text)]; ok && known != nil {
		return known, nil
	}
	r, err := p.set.Request(pod)
	if err == nil && ok && len(p.known) < most {
		p.known[string(p.text)] = r
	}
	return r, err
}

// For returns the request of another pod that asks for the same. r is unchanged.
func (r *Request) For(pod *corev1.Pod) *Request {
	c := *r
	c.Namespace, c.Name, c.UID = pod.Namespace, pod.Name, pod.UID
	return &c
}

// write leaves everything that counts of a pod in p.text; false: it cannot be written.
func (p *Parser) write(pod *corev1.Pod) bool {
	p.text = p.text[:0]
	p.names = p.names[:0]
	for key := range pod.Annotations {
		if _, counts := slices.BinarySearch(p.keys, key); counts {
			p.names = append(p.names, key)
		}
	}
	slices.Sort(p.names)
	p.number(int64(len(p.names)))
	for _, key := range p.names {
		p.word(key)
		p.word(pod.Annotations[key])
	}
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		p.number(int64(len(containers)))
		for i := range containers {
			if !p.container(&containers[i]) {
				return false
			}
		}
	}
	return true
}

// container writes the resources of a container by hand, which costs a tenth, and the rest as the API does.
func (p *Parser) container(c *corev1.Container) bool {
	p.limits = p.resources(c.Resources.Limits, p.limits)
	p.requests = p.resources(c.Resources.Requests, p.requests)
	rest := *c
	rest.Resources.Limits, rest.Resources.Requests = nil, nil
	size := rest.Size()
	p.number(int64(size))
	from := len(p.text)
	p.text = slices.Grow(p.text, size)[:from+size]
	n, err := rest.MarshalToSizedBuffer(p.text[from:])
	return err == nil && n == size
}

// resources writes a list, whose names are likely to be the given ones, ascending; it returns them as they are.
func (p *Parser) resources(list corev1.ResourceList, names []string) []string {
	p.number(int64(len(list)))
	from := len(p.text)
	if len(list) == 0 || len(list) == len(names) && p.amounts(list, names) {
		return names
	}
	p.text, names = p.text[:from], names[:0]
	for name := range list {
		names = append(names, string(name))
	}
	slices.Sort(names)
	p.amounts(list, names)
	return names
}

// amounts writes what a list says of some names; false: it says nothing of one of them.
func (p *Parser) amounts(list corev1.ResourceList, names []string) bool {
	for _, name := range names {
		q, ok := list[corev1.ResourceName(name)]
		if !ok {
			return false
		}
		p.word(name)
		p.quantity(q)
	}
	return true
}

func (p *Parser) quantity(q resource.Quantity) {
	p.word(string(q.Format))
	n, whole := q.AsInt64()
	p.number(n)
	if whole {
		p.word("")
	} else {
		p.word(q.String())
	}
}

func (p *Parser) number(n int64) { p.text = binary.AppendVarint(p.text, n) }

// word writes a text so that it cannot be taken for two.
func (p *Parser) word(s string) {
	p.text = append(binary.AppendUvarint(p.text, uint64(len(s))), s...)
}
