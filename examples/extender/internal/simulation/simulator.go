package simulation

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// DefaultCacheBytes is how much text of nodes is kept where Options do not say.
const DefaultCacheBytes = 256 << 20

// Options of a Simulator. The zero value is usable.
type Options struct {
	// Profiles may be named by requests.
	Profiles []simulate.Profile

	// CacheBytes bounds the texts of nodes, and of lists of nodes, that are kept, half for each; what was read from them takes about as
	// much again. 0: DefaultCacheBytes; below 0: nothing is kept.
	CacheBytes int
}

// Simulator answers requests. It is safe for concurrent use, and what it keeps never changes an answer.
type Simulator struct {
	set      *vendors.Set
	profiles map[string]*simulate.Profile
	nodes    *cache[*node]
	lists    *cache[*list]
}

// list is a list of nodes that was read under a profile.
type list struct {
	text    []byte
	profile string
	nodes   []*node
}

// New makes a simulator of device models. The error names a profile that is given twice, or that cannot be applied.
func New(set *vendors.Set, o Options) (*Simulator, error) {
	limit := o.CacheBytes
	if limit == 0 {
		limit = DefaultCacheBytes
	}
	s := &Simulator{
		set: set, profiles: map[string]*simulate.Profile{},
		nodes: newCache[*node](max(0, limit/2)), lists: newCache[*list](max(0, limit/2)),
	}
	for i := range o.Profiles {
		p := &o.Profiles[i]
		if s.profiles[p.Name] != nil {
			return nil, fmt.Errorf("profile %q is given twice", p.Name)
		}
		if _, err := s.named("n", p); err != nil {
			return nil, err
		}
		s.profiles[p.Name] = p
	}
	return s, nil
}

// Kept is how many nodes and how many lists of nodes are kept.
func (s *Simulator) Kept() (nodes, lists int) { return s.nodes.len(), s.lists.len() }

// Answer answers a request, which is the JSON text of a Request. The error is a *BadRequest, or that of the context. body is
// not kept. Cost: linear in the text, and one fit for each node.
func (s *Simulator) Answer(ctx context.Context, body []byte) (*Response, error) {
	r, nodes, err := s.read(body)
	if err != nil {
		return nil, err
	}
	if err := among(nodes, r); err != nil {
		return nil, err
	}
	return s.judge(ctx, r, nodes)
}

// read reads a request and its nodes. Where the text of the nodes begins with a list that is known, the list is not read again.
func (s *Simulator) read(body []byte) (*Request, []*node, error) {
	const key, placeholder = `"Nodes":`, "0"
	at := bytes.Index(body, []byte(key)) + len(key)
	known, ok := (*list)(nil), false
	if at >= len(key) {
		known, ok = s.lists.newest(func(l *list) bool { return bytes.HasPrefix(body[at:], l.text) })
	}
	if !ok {
		return s.readAll(body)
	}
	short := slices.Concat(body[:at], []byte(placeholder), body[at+len(known.text):])
	r, nodesAt, err := read(short)
	if err != nil || nodesAt != at { // it was a field of something else
		return s.readAll(body)
	}
	if r.Profile == known.profile {
		return r, known.nodes, nil
	}
	r.Nodes = known.text
	nodes, err := s.listOf(r)
	return r, nodes, err
}

func (s *Simulator) readAll(body []byte) (*Request, []*node, error) {
	r, _, err := read(body)
	if err != nil {
		return nil, nil, err
	}
	nodes, err := s.listOf(r)
	return r, nodes, err
}

// listOf makes the nodes of a request.
func (s *Simulator) listOf(r *Request) ([]*node, error) {
	profile := s.profiles[r.Profile]
	if r.Profile != "" && profile == nil {
		return nil, bad("profile", "%q is unknown, want one of %q", r.Profile, slices.Sorted(maps.Keys(s.profiles)))
	}
	if r.NodeNames != nil {
		return s.listOfNames(*r.NodeNames, profile)
	}
	if l, ok := s.lists.newest(func(l *list) bool { return l.profile == r.Profile && bytes.Equal(l.text, r.Nodes) }); ok {
		return l.nodes, nil
	}
	nodes, err := s.list(r.Nodes, profile)
	if err != nil {
		return nil, err
	}
	l := &list{bytes.Clone(r.Nodes), r.Profile, nodes}
	s.lists.add(strconv.Quote(r.Profile)+string(l.text), l, 2*len(l.text))
	return nodes, nil
}

// among refuses pods on nodes that are not asked about.
func among(nodes []*node, r *Request) error {
	if len(r.Assumed) == 0 {
		return nil
	}
	asked := make(map[string]bool, len(nodes))
	for _, n := range nodes {
		asked[n.name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(r.Assumed)) {
		if !asked[name] {
			return bad(fmt.Sprintf("assumed[%q]", name), "the request does not ask about this node")
		}
	}
	return nil
}
