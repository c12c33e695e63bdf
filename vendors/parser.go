package vendors

import (
	"encoding/binary"
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
)

// Parser reads pods as [Set.Request] does, but those that are equal in their containers and in the annotations that count
// only once: the pods of a workload. It is used by one goroutine at a time.
type Parser struct {
	set   *Set
	known map[string]*Request
	keys  []string // annotations that count, ascending
	text  []byte
	names []string
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

// Request reads a pod, as [Set.Request] does. Cost of a pod that is equal to one before: linear in its containers, and one
// allocation.
func (p *Parser) Request(pod *corev1.Pod) (*Request, error) {
	ok := p.write(pod)
	if known := p.known[string(p.text)]; ok && known != nil {
		r := *known
		r.Namespace, r.Name, r.UID = pod.Namespace, pod.Name, pod.UID
		return &r, nil
	}
	r, err := p.set.Request(pod)
	if err == nil && ok && len(p.known) < most {
		p.known[string(p.text)] = r
	}
	return r, err
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
	p.resources(c.Resources.Limits)
	p.resources(c.Resources.Requests)
	rest := *c
	rest.Resources.Limits, rest.Resources.Requests = nil, nil
	size := rest.Size()
	p.number(int64(size))
	from := len(p.text)
	p.text = slices.Grow(p.text, size)[:from+size]
	n, err := rest.MarshalToSizedBuffer(p.text[from:])
	return err == nil && n == size
}

func (p *Parser) resources(list corev1.ResourceList) {
	p.number(int64(len(list)))
	if len(list) == 0 {
		return
	}
	from := len(p.names)
	p.names = slices.Grow(p.names, len(list))
	for name := range maps.Keys(list) {
		p.names = append(p.names, string(name))
	}
	names := p.names[from:]
	p.names = p.names[:from]
	slices.Sort(names)
	for _, name := range names {
		q := list[corev1.ResourceName(name)]
		p.word(name)
		p.word(string(q.Format))
		n, whole := q.AsInt64()
		p.number(n)
		if whole {
			p.word("")
		} else {
			p.word(q.String())
		}
	}
}

func (p *Parser) number(n int64) { p.text = binary.AppendVarint(p.text, n) }

// word writes a text so that it cannot be taken for two.
func (p *Parser) word(s string) {
	p.text = strconv.AppendInt(p.text, int64(len(s)), 10)
	p.text = append(append(p.text, ':'), s...)
}
