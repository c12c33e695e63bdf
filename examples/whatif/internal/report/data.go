package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
)

// data is what the script of the page draws: short names, and what many devices have in common once.
type data struct {
	Kinds []kind    `json:"kinds"`
	Pods  []string  `json:"pods"`
	Maps  [][]group `json:"maps"` // of the live nodes, then of the new nodes of each option
}

// kind is what devices have in common.
type kind struct {
	Vendor string   `json:"vendor"`
	Model  string   `json:"model"`
	Mode   string   `json:"mode"`
	Unit   string   `json:"unit"` // of cores
	All    [3]int64 `json:"all"`  // memory in MiB, cores, slots
}

// group is nodes under one heading.
type group struct {
	Name  string `json:"name"`
	Nodes []node `json:"nodes"`
}

type node struct {
	Name    string   `json:"n"`
	Marks   []string `json:"m,omitempty"` // not ready, cordoned and the like
	Facts   string   `json:"f,omitempty"`
	Devices []gpu    `json:"d"`
}

// gpu is one device.
type gpu struct {
	ID    string     `json:"i"`
	Kind  int        `json:"k"`           // position in data.Kinds
	State string     `json:"s,omitempty"` // unless ok
	NUMA  int        `json:"a,omitempty"`
	Used  [3]int64   `json:"u"`           // memory in MiB, cores, slots
	Pods  [][4]int64 `json:"p,omitempty"` // position in data.Pods, then what it holds as in Used
	MIG   *strip     `json:"g,omitempty"`
}

// strip is the slices of a card in mode mig.
type strip struct {
	Slices    int        `json:"n"`
	Instances []instance `json:"i"`
}

type instance struct {
	Profile string `json:"p"`
	Start   uint32 `json:"s"`
	Size    uint32 `json:"n"`
}

// packer gathers data.
type packer struct {
	out   data
	kinds map[kind]int
	pods  map[string]int
}

func pack(r *answer.Report) data {
	p := packer{kinds: map[kind]int{}, pods: map[string]int{}}
	p.out = data{Kinds: []kind{}, Pods: []string{}}
	p.out.Maps = append(p.out.Maps, p.live(r))
	for _, o := range r.Options {
		p.out.Maps = append(p.out.Maps, p.grown(o.Plan))
	}
	return p.out
}

// live groups the nodes of the cluster by the label that names groups; those without it come last.
func (p *packer) live(r *answer.Report) []group {
	out := []group{}
	at := map[string]int{}
	for i := range r.Table.Nodes {
		n := &r.Table.Nodes[i]
		name := r.Groups[n.Name]
		k, known := at[name]
		if !known {
			k = len(out)
			at[name] = k
			out = append(out, group{Name: cmp.Or(name, "no group")})
		}
		out[k].Nodes = append(out[k].Nodes, p.node(n))
	}
	slices.SortStableFunc(out, func(a, b group) int { return cmp.Compare(r.Groups[a.Nodes[0].Name], r.Groups[b.Nodes[0].Name]) })
	if len(out) > 1 && r.Groups[out[0].Nodes[0].Name] == "" {
		out = append(out[1:], out[0])
	}
	return out
}

func (p *packer) node(n *answer.NodeRow) node {
	out := node{Name: n.Name, Facts: fmt.Sprintf("cpu %s of %s · memory %s of %s · pods %s of %s",
		n.CPU.Used, n.CPU.All, n.Memory.Used, n.Memory.All, n.Pods.Used, n.Pods.All)}
	if !n.Ready {
		out.Marks = append(out.Marks, "not ready")
	}
	if n.Cordoned {
		out.Marks = append(out.Marks, "cordoned")
	}
	for _, v := range n.Unreadable {
		out.Marks = append(out.Marks, v+" cannot be read")
	}
	out.Devices = p.devices(n.Devices)
	return out
}

// grown are the new nodes of a plan, by group.
func (p *packer) grown(plan *answer.ScaleUp) []group {
	out := []group{}
	for _, s := range plan.Steps {
		g := group{Name: s.Group}
		for i := range s.Nodes {
			n := &s.Nodes[i]
			facts := count(len(n.Pods), "pod")
			g.Nodes = append(g.Nodes, node{Name: n.Name, Marks: []string{"new"}, Facts: facts, Devices: p.devices(n.Devices)})
		}
		out = append(out, g)
	}
	return out
}

func (p *packer) devices(rows []answer.DeviceRow) []gpu {
	out := make([]gpu, len(rows))
	for i := range rows {
		d := &rows[i]
		out[i] = gpu{ID: d.ID, NUMA: d.NUMA, Used: [3]int64{d.Memory.Used, d.Cores.Used, d.Slots.Used}}
		out[i].Kind = position(p.kinds, &p.out.Kinds, kind{
			d.Vendor, d.Type, d.Mode, d.CoreUnit, [3]int64{d.Memory.All, d.Cores.All, d.Slots.All},
		})
		if d.State != "ok" {
			out[i].State = d.State
		}
		for _, h := range d.Pods {
			pod := int64(position(p.pods, &p.out.Pods, h.Pod))
			out[i].Pods = append(out[i].Pods, [4]int64{pod, h.Memory, h.Cores, h.Slots})
		}
		if d.MIG != nil {
			out[i].MIG = &strip{Slices: d.MIG.Slices, Instances: make([]instance, len(d.MIG.Instances))}
			for k, x := range d.MIG.Instances {
				out[i].MIG.Instances[k] = instance(x)
			}
		}
	}
	return out
}

// position is where a value is in a list, at whose end it is put if it is new.
func position[T comparable](known map[T]int, list *[]T, value T) int {
	at, ok := known[value]
	if !ok {
		at = len(*list)
		known[value] = at
		*list = append(*list, value)
	}
	return at
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
