package vendors_test

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/accelfit/accelfit/device"
)

// This file is a second implementation of spec core §5, §7 to §9 and nvidia §5 to §8, as plain as it can be: it copies
// everything, sorts everything, and lists every combination. It is for small nodes only.

// naiveCard is a card with what is taken of it.
type naiveCard struct {
	device.DeviceInfo
	used, mem, core int64
	healthy         bool
	occupied        []device.Placement
}

func (c naiveCard) clone() naiveCard {
	c.occupied = slices.Clone(c.occupied)
	return c
}

func cloneCards(cards []naiveCard) []naiveCard {
	out := make([]naiveCard, len(cards))
	for i := range cards {
		out[i] = cards[i].clone()
	}
	return out
}

// naiveAsk is what a container asks for; no cards: nothing.
type naiveAsk struct {
	class                    device.ContainerClass
	nums, mem, percent, core int64
}

// naivePod is a pod as a generator makes it.
type naivePod struct {
	containers     []naiveAsk
	policy         string
	numaBind       bool
	mode           *string
	useID, noID    []string // nil: no list
	useType        string   // one fragment; empty: no list
	memMax, corMax int64    // quota; negative: none
}

// naiveTake is a card that a container was given.
type naiveTake struct {
	container int
	id        string
	mem, core int64
	profile   string
	place     device.Placement
}

func (t naiveTake) String() string {
	s := fmt.Sprintf("%d:%s %d/%d", t.container, t.id, t.mem, t.core)
	if t.profile != "" {
		s += fmt.Sprintf(" %s@%d+%d", t.profile, t.place.Start, t.place.Size)
	}
	return s
}

// naiveFit fits a pod: the cards of every container, or the reason.
func naiveFit(cards []naiveCard, pod naivePod) (takes []naiveTake, reason string) {
	n := &naive{pod: pod}
	shared := cloneCards(cards)
	for _, class := range []device.ContainerClass{device.Sidecar, device.Init, device.App} {
		for i, ask := range pod.containers {
			if ask.class != class || ask.nums == 0 {
				continue
			}
			on := shared
			if class == device.Init {
				on = cloneCards(shared)
			}
			if reason := n.container(on, i, ask); reason != "" {
				return nil, reason
			}
		}
	}
	sort.SliceStable(n.takes, func(i, j int) bool { return n.takes[i].container < n.takes[j].container })
	return n.takes, ""
}

type naive struct {
	pod   naivePod
	takes []naiveTake

	// of the container at hand
	at     int
	ask    naiveAsk
	counts map[string]int
}

func (n *naive) tokens() []string {
	tokens := strings.Split(n.pod.policy, ",")
	for i := range tokens {
		tokens[i] = strings.TrimSpace(tokens[i])
	}
	return tokens
}

func (n *naive) has(token string) bool { return slices.Contains(n.tokens(), token) }

func (n *naive) asksForMIG(cards []naiveCard) bool {
	return (n.pod.mode == nil || strings.Contains(*n.pod.mode, "mig")) &&
		slices.ContainsFunc(cards, func(c naiveCard) bool { return c.Mode == "mig" })
}

// container fits one container, books it on cards and leaves them in visiting order.
func (n *naive) container(cards []naiveCard, at int, ask naiveAsk) string {
	n.at, n.ask, n.counts = at, ask, map[string]int{}
	n.sort(cards)
	if int(ask.nums) > len(cards) && !n.asksForMIG(cards) {
		return "NodeInsufficientDevice"
	}
	got := n.visit(cards)
	if got == nil {
		return n.text(len(cards))
	}
	for _, t := range got {
		for i := range cards {
			if cards[i].ID == t.id {
				cards[i].used++
				cards[i].mem += t.mem
				cards[i].core += t.core
				if t.profile != "" {
					cards[i].occupied = append(cards[i].occupied, t.place)
				}
			}
		}
		n.takes = append(n.takes, t)
	}
	return ""
}

func (n *naive) text(total int) string {
	var parts []string
	for word, count := range n.counts {
		if count > 0 {
			parts = append(parts, fmt.Sprintf("%d/%d %s", count, total, word))
		}
	}
	sort.Strings(parts)
	return strings.Join(parts, ", ")
}

// visit walks the cards from the last to the first.
func (n *naive) visit(cards []naiveCard) []naiveTake {
	choose := n.has("topology-aware")
	var got []naiveTake
	run := -1
	for i := len(cards) - 1; i >= 0; i-- {
		for {
			c := cards[i]
			if n.pod.numaBind && !choose && n.joins(c) && c.NUMA != run {
				n.counts["NumaNotFit"] += len(got)
				got, run = nil, c.NUMA
			}
			take, why := n.check(c, got)
			if why != "" {
				n.counts[why]++
				break
			}
			got = append(got, take)
			if !choose && len(got) == int(n.ask.nums) {
				return got
			}
			if c.Mode != "mig" {
				break
			}
		}
	}
	if choose {
		return n.choose(cards, got)
	}
	n.short(len(got))
	return nil
}

func (n *naive) short(found int) {
	if found > 0 {
		n.counts["AllocatedCardsInsufficientRequest"] = found
	}
}

func (n *naive) joins(c naiveCard) bool { return n.excluded(c) == "" }

// excluded is checks 1 to 3.
func (n *naive) excluded(c naiveCard) string {
	switch {
	case !c.healthy:
		return "CardNotHealth"
	case c.Cordoned:
		return "CardCordoned"
	case n.pod.useType != "" && !strings.Contains(strings.ToLower(c.Type), strings.ToLower(n.pod.useType)):
		return "CardTypeMismatch"
	case n.pod.mode != nil && !strings.Contains(*n.pod.mode, c.Mode):
		return "CardTypeMismatch"
	}
	return ""
}

// check is the table of spec nvidia §5.
func (n *naive) check(c naiveCard, got []naiveTake) (take naiveTake, why string) {
	if why := n.excluded(c); why != "" {
		return take, why
	}
	core := min(n.ask.core, 100)
	need := n.ask.mem
	if need == 0 && n.ask.percent != 101 {
		need = c.Memory * n.ask.percent / 100
	}
	take = naiveTake{container: n.at, id: c.ID, mem: need, core: core}
	booked, bookable := take, true
	if c.Mode == "mig" {
		booked, bookable = n.instance(c, got, take)
	}
	switch {
	case n.pod.useID != nil && !slices.Contains(n.pod.useID, c.ID) || slices.Contains(n.pod.noID, c.ID):
		return take, "CardUuidMismatch"
	case c.Slots <= c.used:
		return take, "CardTimeSlicingExhausted"
	case n.has("mutex") && c.used > 0:
		return take, "ExclusiveDeviceAllocateConflict"
	case !n.inQuota(append(n.cheapest(got), booked)):
		return take, "ResourceQuotaNotFit"
	case c.Memory-c.mem < need:
		return take, "CardInsufficientMemory"
	case c.Cores-c.core < core:
		return take, "CardInsufficientCore"
	case c.Cores == 100 && core == 100 && c.used > 0:
		return take, "ExclusiveDeviceAllocateConflict"
	case c.Cores != 0 && c.core == c.Cores && core == 0:
		return take, "CardComputeUnitsExhausted"
	case !bookable:
		return take, "CardMigTopologyInfeasible"
	case c.Mode == "mig" && c.used+int64(len(onCard(got, c.ID))) >= c.Slots: // N5, N6
		return take, "CardTimeSlicingExhausted"
	}
	return booked, ""
}

func onCard(got []naiveTake, id string) (out []naiveTake) {
	for _, t := range got {
		if t.id == id {
			out = append(out, t)
		}
	}
	return out
}

// instance replays what the container was granted on the card, then chooses for the take.
func (n *naive) instance(c naiveCard, got []naiveTake, take naiveTake) (naiveTake, bool) {
	occupied := slices.Clone(c.occupied)
	for range onCard(got, c.ID) { // each asked for the same memory
		_, place, _ := bestInstance(c.MIGProfiles, occupied, take.mem)
		occupied = append(occupied, place)
	}
	p, place, ok := bestInstance(c.MIGProfiles, occupied, take.mem)
	if !ok {
		return take, false
	}
	take.mem, take.core, take.profile, take.place = p.Memory, p.Cores, p.Name, place
	return take, true
}

func bestInstance(profiles []device.MIGProfile, occupied []device.Placement, need int64) (device.MIGProfile, device.Placement, bool) {
	sorted := slices.Clone(profiles)
	sort.SliceStable(sorted, func(i, j int) bool {
		if sorted[i].Memory != sorted[j].Memory {
			return sorted[i].Memory < sorted[j].Memory
		}
		return sorted[i].Slices < sorted[j].Slices
	})
	for _, p := range sorted {
		if p.Memory < need {
			continue
		}
		places := slices.Clone(p.Placements)
		sort.SliceStable(places, func(i, j int) bool {
			if strings.HasPrefix(p.Name, "1g.") || strings.HasPrefix(p.Name, "3g.") {
				return places[i].Start > places[j].Start
			}
			return places[i].Start < places[j].Start
		})
		for _, place := range places {
			if !slices.ContainsFunc(occupied, func(o device.Placement) bool { return intersect(o, place) }) {
				return p, place, true
			}
		}
	}
	return device.MIGProfile{}, device.Placement{}, false
}

func intersect(a, b device.Placement) bool {
	for s := a.Start; s < a.Start+a.Size; s++ {
		if s >= b.Start && s < b.Start+b.Size {
			return true
		}
	}
	return false
}

// cheapest is the grants that count beside a candidate (N3).
func (n *naive) cheapest(got []naiveTake) []naiveTake {
	out := slices.Clone(got)
	if !n.has("topology-aware") {
		return out
	}
	sort.SliceStable(out, func(i, j int) bool {
		if out[i].mem != out[j].mem {
			return out[i].mem < out[j].mem
		}
		return out[i].core < out[j].core
	})
	return out[:min(len(out), int(n.ask.nums)-1)]
}

// inQuota adds up the pod as it would be with the given cards for the container.
func (n *naive) inQuota(now []naiveTake) bool {
	type sums struct{ sidecar, app, init [2]int64 }
	cards := map[string]*sums{}
	for _, t := range append(slices.Clone(n.takes), now...) {
		if cards[t.id] == nil {
			cards[t.id] = &sums{}
		}
		s := cards[t.id]
		for k, amount := range []int64{t.mem, t.core} {
			switch n.pod.containers[t.container].class {
			case device.Sidecar:
				s.sidecar[k] += amount
			case device.Init:
				s.init[k] = max(s.init[k], amount)
			default:
				s.app[k] += amount
			}
		}
	}
	var total [2]int64
	for _, s := range cards {
		for k := range total {
			total[k] += s.sidecar[k] + max(s.init[k], s.app[k])
		}
	}
	return (n.pod.memMax < 0 || total[0] <= n.pod.memMax) && (n.pod.corMax < 0 || total[1] <= n.pod.corMax)
}

// choose picks among all that passed (spec nvidia §6, N2, N3).
func (n *naive) choose(cards []naiveCard, got []naiveTake) []naiveTake {
	k := int(n.ask.nums)
	groups := [][]naiveTake{got}
	if n.pod.numaBind && k > 1 {
		groups = byNUMA(cards, got)
	}
	enough := false
	for _, g := range groups {
		enough = enough || len(g) >= k
	}
	if !enough {
		for i, g := range groups {
			if i < len(groups)-1 {
				n.counts["NumaNotFit"] += len(g)
			} else {
				n.short(len(g))
			}
		}
		return nil
	}
	if k == 1 {
		return worst(cards, got)
	}
	var best []naiveTake
	var bestTotal int64
	for _, g := range groups {
		combinations(len(g), k, func(choice []int) {
			picked := make([]naiveTake, k)
			for i, at := range choice {
				picked[i] = g[at]
			}
			if total := links(cards, picked); prefixes(g, choice) && (best == nil || total > bestTotal) && n.inQuota(picked) {
				best, bestTotal = picked, total
			}
		})
	}
	if best == nil {
		n.counts["ResourceQuotaNotFit"] += len(got)
	}
	return best
}

func byNUMA(cards []naiveCard, got []naiveTake) (groups [][]naiveTake) {
	last := -1
	for _, t := range got {
		if numa := cards[place(cards, t.id)].NUMA; numa != last {
			groups, last = append(groups, nil), numa
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], t)
	}
	return groups
}

func place(cards []naiveCard, id string) int {
	return slices.IndexFunc(cards, func(c naiveCard) bool { return c.ID == id })
}

func links(cards []naiveCard, picked []naiveTake) (total int64) {
	for i := range picked {
		for j := i + 1; j < len(picked); j++ {
			total += cards[place(cards, picked[i].id)].LinkScores[picked[j].id]
		}
	}
	return total
}

// prefixes says whether of each card the instances granted first are chosen.
func prefixes(g []naiveTake, choice []int) bool {
	for _, at := range choice {
		for before := range at {
			if g[before].id == g[at].id && !slices.Contains(choice, before) {
				return false
			}
		}
	}
	return true
}

// combinations lists the k of n numbers in lexicographic order.
func combinations(n, k int, each func([]int)) {
	var choose func(from int, chosen []int)
	choose = func(from int, chosen []int) {
		if len(chosen) == k {
			each(chosen)
			return
		}
		for i := from; i < n; i++ {
			choose(i+1, append(slices.Clone(chosen), i))
		}
	}
	choose(0, nil)
}

// worst picks the card that is connected worst.
func worst(cards []naiveCard, got []naiveTake) []naiveTake {
	best, lowest := -1, int64(0)
	for i, t := range got {
		var sum int64
		for _, o := range got {
			if o.id != t.id {
				sum += cards[place(cards, t.id)].LinkScores[o.id]
			}
		}
		if best < 0 || sum < lowest {
			best, lowest = i, sum
		}
	}
	return []naiveTake{got[best]}
}

// sort puts the cards into the order of the policy; the last is visited first.
func (n *naive) sort(cards []naiveCard) {
	scores := map[string]float32{}
	for _, c := range cards {
		scores[c.ID] = n.score(c)
	}
	sort.SliceStable(cards, func(i, j int) bool { return n.before(cards[i], cards[j], scores) })
}

// naiveKey says how two cards compare under one sort key.
type naiveKey struct{ less, greater bool }

func (n *naive) before(a, b naiveCard, scores map[string]float32) bool {
	x, y := scores[a.ID], scores[b.ID]
	up, down := naiveKey{x < y, x > y}, naiveKey{x > y, x < y}
	numa, numaDown := naiveKey{a.NUMA < b.NUMA, a.NUMA > b.NUMA}, naiveKey{a.NUMA > b.NUMA, a.NUMA < b.NUMA}
	var order []naiveKey
	switch policy, bind := n.pod.policy, n.pod.numaBind; {
	case strings.Contains(policy, ",") || policy == "numa":
		order = n.chain(map[string]naiveKey{"binpack": up, "spread": down, "numa": numa})
		order = append(order, naiveKey{a.Index < b.Index, a.Index > b.Index})
	case policy == "mutex":
		order = []naiveKey{{a.used > b.used, a.used < b.used}, numa}
	case policy == "binpack" && bind:
		order = []naiveKey{numaDown, up}
	case policy == "binpack":
		order = []naiveKey{up, numa}
	case bind:
		order = []naiveKey{numa, down}
	default:
		order = []naiveKey{down, numa}
	}
	for _, k := range order {
		if k.less || k.greater {
			return k.less
		}
	}
	return false
}

// chain is the sort keys of a policy of several words (spec core §8.2).
func (n *naive) chain(known map[string]naiveKey) (order []naiveKey) {
	var words []string
	for _, t := range n.tokens() {
		if _, ok := known[t]; ok && !slices.Contains(words, t) {
			words = append(words, t)
		}
	}
	if len(words) == 0 {
		words = []string{"spread"}
	}
	if n.pod.numaBind && words[0] != "numa" {
		words = append([]string{"numa"}, words...)
	}
	for _, word := range words {
		order = append(order, known[word])
	}
	return order
}

// score is the device score with equal weights (spec core §9).
func (n *naive) score(c naiveCard) float32 {
	if c.Slots == 0 || c.Cores == 0 || c.Memory == 0 {
		return 0
	}
	used, core, mem := c.used, c.core, c.mem
	if c.Type == "NVIDIA" {
		used++
		core += n.ask.core
		if n.ask.percent != 0 && n.ask.percent != 101 {
			mem += c.Memory * n.ask.percent / 100
		} else {
			mem += n.ask.mem
		}
	}
	s := float32(used) / float32(c.Slots)
	k := float32(core) / float32(c.Cores)
	m := float32(mem) / float32(c.Memory)
	sum := float32(s + k)
	sum = float32(sum + m)
	return float32(sum * 10)
}
