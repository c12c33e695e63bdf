package simulate

import "github.com/accelfit/accelfit/device"

// supersede forgets what was found out for a pod's kind under another state of its namespace's quotas.
func (k *packing) supersede(w *pending, q *question) {
	if !q.limited && len(k.last) == 0 {
		return
	}
	of := lastKey{w.pod.Namespace, w.kind}
	before, asked := k.last[of]
	if asked && before != q.key {
		k.drop(before)
		delete(k.last, of)
	}
	if q.limited {
		k.last[of] = q.key
	}
}

// answer is what comes of trying a pod on node i, evaluated once for each state of a node.
func (k *packing) answer(q *question, i int) *outcome {
	n := &k.nodes[i]
	if q.byName {
		return k.onThis(q, i)
	}
	if q.known == nil {
		q.known = k.answers(q)
	}
	o := q.known[n.level]
	if o == nil {
		o = k.try(q, n.level.usage)
		q.known[n.level] = o
	}
	return o
}

// answers is what is known of a question.
func (k *packing) answers(q *question) answers {
	of := k.known
	if q.limited {
		of = k.own
	}
	known := of[q.key]
	if known == nil {
		known = answers{}
		of[q.key] = known
	}
	return known
}

// onThis is what comes of trying a pod on node i, where the answer may be another for every node.
func (k *packing) onThis(q *question, i int) *outcome {
	n := &k.nodes[i]
	tried := k.here[q.key]
	if o, known := tried[i]; known && o.pods == len(n.pods) {
		return o.outcome
	}
	if n.usage == nil {
		n.usage = k.filled(i)
	}
	if tried == nil {
		tried = map[int]localOutcome{}
		k.here[q.key] = tried
	}
	o := k.try(q, n.usage)
	tried[i] = localOutcome{o, len(n.pods)}
	return o
}

func (k *packing) try(q *question, u *device.NodeUsage) *outcome {
	k.fits++
	return &outcome{Fit: k.set.Fit(q.request, u), info: u.Info()}
}
