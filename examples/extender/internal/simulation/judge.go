package simulation

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// judge tries the pod on every node.
func (s *Simulator) judge(ctx context.Context, r *Request, nodes []*node) (*Response, error) {
	out := &Response{names: r.NodeNames != nil, nodes: nodes, Verdicts: make([]Verdict, len(nodes))}
	request, err := s.set.Request(r.Pod)
	for i, n := range nodes {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		v := &out.Verdicts[i]
		v.Node = n.name
		switch {
		case err != nil:
			v.Code, v.Text = InvalidRequest, err.Error()
		case request.Empty():
			v.Code = Fits
		case !n.known:
			v.Code, v.Text = UnknownNode, "nothing is known of the node: send the object, or a profile"
		default:
			s.fit(v, r, request, n)
		}
	}
	return out, nil
}

// fit tries the pod on one node.
func (s *Simulator) fit(v *Verdict, r *Request, request *vendors.Request, n *node) {
	usage := s.with(n, r.Assumed[n.name])
	explained := vendors.Explanation{}
	if r.Explain {
		explained = s.set.Explain(request, usage)
	} else {
		explained.Fit = s.set.Fit(request, usage)
	}
	for _, p := range n.info.Problems() {
		v.Problems = append(v.Problems, p.Error())
	}
	v.explain(explained.Verdicts)
	if explained.OK() {
		v.Code = Fits
		if r.Placement {
			v.place(s.set, r.Pod, n.info, explained.Allocation)
		}
		return
	}
	v.Code, v.Vendor, v.Text = codeOf(&explained.Reasons), string(explained.Reasons.Vendor), explained.Reasons.Detail()
	for _, code := range device.Codes() {
		if count := explained.Reasons.Count(code); count > 0 {
			v.Reasons = append(v.Reasons, Reason{code.String(), count})
		}
	}
	if len(v.Reasons) == 0 {
		v.Reasons = []Reason{{explained.Reasons.Node.String(), 0}}
	}
}

func codeOf(why *device.Reasons) Code {
	switch why.Node {
	case device.NodeUnregistered:
		return NoDescription
	case device.NodeMalformed:
		return MalformedDescription
	}
	return NoRoom
}

// place tells which devices the pod gets.
func (v *Verdict) place(set *vendors.Set, pod *corev1.Pod, node *device.NodeInfo, a *device.Allocation) {
	for _, d := range a.Devices {
		placed := Placed{Container: d.Container, Vendor: string(d.Vendor), Device: d.ID, MemoryMiB: d.Memory, Cores: d.Cores}
		if !d.MIG.IsZero() {
			placed.Instance = fmt.Sprintf("%s at %d", d.MIG.Profile, d.MIG.Placement.Start)
		}
		v.Placement = append(v.Placement, placed)
	}
	v.Annotations = set.Annotations(pod, node, a, time.Time{})
}

// explain tells what was found of each device.
func (v *Verdict) explain(verdicts []vendors.Verdict) {
	for _, d := range verdicts {
		found := Found{Container: d.Container, Vendor: string(d.Vendor), Device: d.Device, Granted: d.Granted}
		if !d.Granted {
			found.Reason, found.Want, found.Have = d.Code.String(), d.Want.String(), d.Have.String()
		}
		v.Devices = append(v.Devices, found)
	}
}
