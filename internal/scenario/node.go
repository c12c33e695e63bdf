package scenario

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
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

// node registers the devices of the input under the annotations that the node agent writes. Keys of a device, with what
// they are where left out: index (as listed), slots 10, mem 24576, cores 100, numa 0, mode hami-core, type NVIDIA-NVIDIA L4,
// profiles (none), unhealthy.
func (w *World) node(c *command) error {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: c.name(), Annotations: map[string]string{}}}
	var cards []device.DeviceInfo
	var links [][]string
	for _, line := range c.lines() {
		first, set := words(line)
		key, value, annotation := strings.Cut(line, ": ")
		switch {
		case annotation && !strings.Contains(key, " "):
			node.Annotations[key] = value
		case first == "link" || first == "links":
			links = append(links, strings.Fields(line)[1:])
		default:
			more, err := w.cards(first, set, len(cards))
			if err != nil {
				return fmt.Errorf("%s: %w", line, err)
			}
			cards = append(cards, more...)
		}
	}
	if err := link(cards, links); err != nil {
		return err
	}
	w.nodes[c.name()] = node
	return register(node, cards)
}

func register(node *corev1.Node, cards []device.DeviceInfo) error {
	if len(cards) == 0 {
		return nil
	}
	text, err := device.EncodeRegistration(cards)
	if err != nil {
		return err
	}
	node.Annotations[nvidia.AnnotationRegister] = text
	scores, err := device.EncodeLinkScores(cards)
	if scores != "[]" {
		node.Annotations[nvidia.AnnotationLinkScores] = scores
	}
	return err
}

var several = regexp.MustCompile(`^([^0-9]*)([0-9]+)\.\.([^0-9]*)([0-9]+)$`)

// cards reads one line, which may stand for several cards of consecutive numbers.
func (w *World) cards(ids string, set map[string]string, index int) ([]device.DeviceInfo, error) {
	n := numbers{words: set}
	_, sick := set["unhealthy"]
	d := device.DeviceInfo{
		ID: ids, Index: int(n.get("index", int64(index))), Slots: n.get("slots", 10), Memory: n.get("mem", 24576),
		Cores: n.get("cores", 100), NUMA: int(n.get("numa", 0)), Mode: "hami-core", Type: "NVIDIA-NVIDIA L4", Healthy: !sick,
		MIGProfiles: w.profiles[set["profiles"]],
	}
	if mode, ok := set["mode"]; ok {
		d.Mode = mode
	}
	if typ, ok := set["type"]; ok {
		d.Type = typ
	}
	m := several.FindStringSubmatch(ids)
	if m == nil {
		return []device.DeviceInfo{d}, n.err
	}
	from, _ := strconv.Atoi(m[2])
	to, _ := strconv.Atoi(m[4])
	var out []device.DeviceInfo
	for i := from; i <= to; i++ {
		d.ID = m[1] + strconv.Itoa(i)
		out = append(out, d)
		d.Index++
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
