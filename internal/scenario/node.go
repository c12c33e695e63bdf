package scenario

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// words reads "first key=value key=value"; the value of type goes to the end of the line.
func words(line string) (first string, out map[string]string) {
	out = map[string]string{}
	if before, typ, ok := strings.Cut(line, " type="); ok {
		line, out["type"] = before, typ
	}
	for i, word := range strings.Fields(line) {
		key, value, _ := strings.Cut(word, "=")
		if i == 0 {
			first = word
		} else {
			out[key] = value
		}
	}
	return first, out
}

// numbers reads numbers out of words, and remembers what is wrong with one.
type numbers struct {
	words map[string]string
	err   error
}

func (n *numbers) get(key string, otherwise int64) int64 {
	text, ok := n.words[key]
	if !ok {
		return otherwise
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil && n.err == nil {
		n.err = fmt.Errorf("%s: %w", key, err)
	}
	return v
}

func (w *World) addProfiles(c *command) error {
	var out []device.MIGProfile
	for _, line := range c.lines() {
		name, set := words(line)
		n := numbers{words: set}
		p := device.MIGProfile{Name: name, Memory: n.get("mem", 0), Cores: n.get("core", 0), Slices: uint32(n.get("slices", 1))}
		for at := range strings.SplitSeq(set["at"], ",") {
			var place device.Placement
			if _, err := fmt.Sscanf(at, "%d+%d", &place.Start, &place.Size); err != nil {
				return fmt.Errorf("%s: %w", line, err)
			}
			p.Placements = append(p.Placements, place)
		}
		if n.err != nil {
			return n.err
		}
		out = append(out, p)
	}
	w.profiles[c.name()] = out
	return nil
}

// node describes a node by the devices of the input, as the node agent of the argument vendor does; with the argument add it
// keeps what the node has; with odd the devices need not read as they are described. Keys of a device, with what they are where left out: index (as listed), slots 10, mem 24576, cores
// 100, numa 0, unhealthy, cordoned; for NVIDIA mode hami-core, type NVIDIA-NVIDIA L4, profiles (none); for others mode (none),
// type the vendor word, custom (none) as a JSON object without blanks.
func (w *World) node(c *command) error {
	backend, err := w.backend(c)
	if err != nil {
		return err
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: c.name(), Annotations: map[string]string{}}}
	if c.has("add") {
		node = w.object(c.name()).DeepCopy()
	}
	d := description{w: w, node: node, usual: usualDevice(backend.Vendor())}
	for _, line := range c.lines() {
		if err := d.line(line); err != nil {
			return fmt.Errorf("%s: %w", line, err)
		}
	}
	if err := link(d.cards, d.links); err != nil {
		return err
	}
	w.nodes[c.name()] = node
	if len(d.cards) == 0 {
		return nil
	}
	written := maps.Clone(node.Annotations)
	err = backend.Describe(node, d.cards)
	maps.Copy(node.Annotations, written)
	if c.has("odd") {
		return nil
	}
	return err
}

func usualDevice(v device.Vendor) device.DeviceInfo {
	d := device.DeviceInfo{Slots: 10, Memory: 24576, Cores: 100, Type: string(v)}
	if v == nvidia.Vendor {
		d.Mode, d.Type = "hami-core", "NVIDIA-NVIDIA L4"
	}
	return d
}

// description is a node in the making.
type description struct {
	w     *World
	node  *corev1.Node
	usual device.DeviceInfo
	cards []device.DeviceInfo
	links [][]string
}

func (d *description) line(line string) error {
	first, set := words(line)
	key, value, annotation := strings.Cut(line, ": ")
	fields := strings.Fields(line)
	switch {
	case annotation && !strings.Contains(key, " "):
		device.Annotate(d.node, key, value)
	case first == "link" || first == "links":
		d.links = append(d.links, fields[1:])
	case first == "label" && len(fields) == 3:
		if d.node.Labels == nil {
			d.node.Labels = map[string]string{}
		}
		d.node.Labels[fields[1]] = fields[2]
	case (first == "capacity" || first == "allocatable") && len(fields) == 3:
		return d.offer(first, d.w.resourceName(fields[1]), fields[2])
	default:
		more, err := d.devices(first, set)
		d.cards = append(d.cards, more...)
		return err
	}
	return nil
}

func (d *description) offer(kind, name, amount string) error {
	q, err := resource.ParseQuantity(amount)
	if err != nil {
		return err
	}
	list := &d.node.Status.Capacity
	if kind == "allocatable" {
		list = &d.node.Status.Allocatable
	}
	if *list == nil {
		*list = corev1.ResourceList{}
	}
	(*list)[corev1.ResourceName(name)] = q
	return nil
}

var several = regexp.MustCompile(`^([^0-9]*)([0-9]+)\.\.([^0-9]*)([0-9]+)$`)

// devices reads one line, which may stand for several devices of consecutive numbers.
func (d *description) devices(ids string, set map[string]string) ([]device.DeviceInfo, error) {
	n := numbers{words: set}
	one := d.usual
	one.ID, one.Index = ids, int(n.get("index", int64(len(d.cards))))
	one.Slots, one.Memory, one.Cores = n.get("slots", one.Slots), n.get("mem", one.Memory), n.get("cores", one.Cores)
	one.NUMA, one.MIGProfiles = int(n.get("numa", 0)), d.w.profiles[set["profiles"]]
	_, sick := set["unhealthy"]
	_, one.Cordoned = set["cordoned"]
	one.Healthy = !sick
	if mode, ok := set["mode"]; ok {
		one.Mode = mode
	}
	if typ, ok := set["type"]; ok {
		one.Type = typ
	}
	if text, ok := set["custom"]; ok {
		if err := json.Unmarshal([]byte(text), &one.CustomInfo); err != nil {
			return nil, err
		}
	}
	m := several.FindStringSubmatch(ids)
	if m == nil {
		return []device.DeviceInfo{one}, n.err
	}
	from, _ := strconv.Atoi(m[2])
	to, _ := strconv.Atoi(m[4])
	var out []device.DeviceInfo
	for i := from; i <= to; i++ {
		one.ID = m[1] + strconv.Itoa(i)
		out = append(out, one)
		one.Index++
	}
	return out, n.err
}

// link reads "g0 g1 600", "g0 > g1 600" and, for all pairs not named, "20".
func link(cards []device.DeviceInfo, links [][]string) error {
	for _, l := range links {
		score, err := strconv.ParseInt(l[len(l)-1], 10, 64)
		if err != nil {
			return err
		}
		switch {
		case len(l) == 1:
			linkOthers(cards, score)
		case len(l) == 3:
			linkPair(cards, l[0], l[1], score)
			linkPair(cards, l[1], l[0], score)
		case len(l) == 4 && l[1] == ">":
			linkPair(cards, l[0], l[2], score)
		default:
			return fmt.Errorf("no link %q", l)
		}
	}
	return nil
}

func linkPair(cards []device.DeviceInfo, from, to string, score int64) {
	for i := range cards {
		if cards[i].ID != from {
			continue
		}
		if cards[i].LinkScores == nil {
			cards[i].LinkScores = map[string]int64{}
		}
		cards[i].LinkScores[to] = score
	}
}

func linkOthers(cards []device.DeviceInfo, score int64) {
	for i := range cards {
		for j := range cards {
			if _, known := cards[i].LinkScores[cards[j].ID]; i != j && !known {
				linkPair(cards, cards[i].ID, cards[j].ID, score)
			}
		}
	}
}
