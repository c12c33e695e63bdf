package vendors_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// TestFitAgreesWithNaive compares Set.Fit with the plain second implementation on random small nodes and pods.
func TestFitAgreesWithNaive(t *testing.T) {
	trials := 20000
	if testing.Short() {
		trials = 2000
	}
	set := vendors.Default()
	served := 0
	for seed := range trials {
		rnd := rand.New(rand.NewPCG(uint64(seed), 1))
		cards, pod := randomCards(rnd), randomPod(rnd)
		want, reason := naiveFit(cards, pod)
		r := request(t, set, pod.object()).WithQuota(pod.headroom())
		f := set.Fit(r, usageOf(cards))
		if got := shortly(f.Allocation); got != plainly(want) || f.Reasons.String() != reason {
			t.Fatalf("seed %d:\n got  %s %s\n want %s %s\n%s", seed, got, f.Reasons, plainly(want), reason, describe(cards, pod))
		}
		if f.OK() {
			served++
		}
	}
	if served < trials/5 || served > trials*4/5 {
		t.Errorf("%d of %d pods fit: the generator is lopsided", served, trials)
	}
}

func pick[T any](rnd *rand.Rand, from ...T) T { return from[rnd.IntN(len(from))] }

func chance(rnd *rand.Rand, percent int) bool { return rnd.IntN(100) < percent }

func places(pairs ...uint32) (out []device.Placement) {
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, device.Placement{Start: pairs[i], Size: pairs[i+1]})
	}
	return out
}

var profileSets = [][]device.MIGProfile{
	{
		{Name: "1g.5gb", Memory: 500, Cores: 15, Slices: 1, Placements: places(0, 1, 1, 1, 2, 1, 3, 1)},
		{Name: "2g.10gb", Memory: 1000, Cores: 29, Slices: 2, Placements: places(0, 2, 2, 2)},
		{Name: "3g.20gb", Memory: 2000, Cores: 43, Slices: 3, Placements: places(0, 4, 4, 4)},
	},
	{
		{Name: "2x.big", Memory: 2000, Cores: 40, Slices: 2, Placements: places(3, 1, 1, 1)},
		{Name: "1x.small", Memory: 1000, Cores: 20, Slices: 1, Placements: places(0, 1)},
		{Name: "4g.same", Memory: 1000, Cores: 25, Slices: 1, Placements: places(1, 2, 5, 1)},
	},
	{{Name: "1g.only", Memory: 3000, Cores: 60, Slices: 1, Placements: places(0, 1, 2, 1)}},
	nil,
}

// randomCards is a node of up to six cards, none of which has more taken than it has.
func randomCards(rnd *rand.Rand) []naiveCard {
	typ := pick(rnd, "NVIDIA", "NVIDIA-L4", "NVIDIA-A10")
	mixed, migs := chance(rnd, 25), pick(rnd, 0, 0, 30, 100)
	out := make([]naiveCard, 1+rnd.IntN(6))
	alike, first := chance(rnd, 40), int64(pick(rnd, 1000, 4000)) // equal cards make ties
	for i := range out {
		c := &out[i]
		c.ID, c.Index, c.Type, c.Healthy = fmt.Sprintf("g%d", i), i, typ, !chance(rnd, 5)
		if mixed {
			c.Type, c.Index = pick(rnd, "NVIDIA", "NVIDIA-L4", "NVIDIA-A10"), rnd.IntN(4)
		}
		c.Slots, c.Memory, c.Cores = pick[int64](rnd, 1, 2, 4, 10), pick[int64](rnd, 1000, 2000, 4000), pick[int64](rnd, 100, 100, 100, 200, 50, 0)
		if alike {
			c.Slots, c.Memory, c.Cores = 4, first, 100
		}
		c.NUMA, c.Mode, c.Cordoned = rnd.IntN(2), pick(rnd, "hami-core", "hami-core", "mps", ""), chance(rnd, 5)
		c.healthy = c.Healthy
		if chance(rnd, migs) {
			c.Mode, c.MIGProfiles, c.Slots = "mig", pick(rnd, profileSets...), pick[int64](rnd, 1, 2, 7)
		}
		use(rnd, c)
	}
	link(rnd, out)
	return out
}

func use(rnd *rand.Rand, c *naiveCard) {
	for range pick(rnd, 0, 0, 0, 1, 2) {
		if c.used >= c.Slots {
			return
		}
		if c.Mode != "mig" {
			c.used++
			c.mem = min(c.Memory, c.mem+pick[int64](rnd, 0, 500, 1000))
			c.core = min(c.Cores, c.core+pick[int64](rnd, 0, 10, 50, 100))
			continue
		}
		if p, at, ok := bestInstance(c.MIGProfiles, c.occupied, pick[int64](rnd, 100, 900)); ok {
			c.used++
			c.mem, c.core, c.occupied = c.mem+p.Memory, c.core+p.Cores, append(c.occupied, at)
		}
	}
}

func link(rnd *rand.Rand, cards []naiveCard) {
	values := pick(rnd, []int64{0}, []int64{10, 20}, []int64{0, 10, 100, 600}, []int64{-5, 1, 2, 3, 4})
	for i := range cards {
		cards[i].LinkScores = map[string]int64{}
		for j := range cards {
			if i != j && chance(rnd, 90) {
				cards[i].LinkScores[cards[j].ID] = pick(rnd, values...)
			}
		}
	}
}

var policies = []string{
	"", "spread", "binpack", "mutex", "numa", "topology-aware", "topology-aware", "binpack,numa", "numa,binpack", "spread,numa",
	"mutex,topology-aware", "topology-aware,binpack", " binpack", "binpack , mutex", "topology-aware,numa", "other", "binpack,",
}

func randomPod(rnd *rand.Rand) naivePod {
	p := naivePod{policy: pick(rnd, policies...), numaBind: chance(rnd, 30), memMax: -1, corMax: -1}
	if chance(rnd, 30) {
		p.memMax = pick[int64](rnd, 0, 500, 1000, 2000, 4000)
	}
	if chance(rnd, 15) {
		p.corMax = pick[int64](rnd, 0, 30, 60, 100, 200)
	}
	if chance(rnd, 15) {
		mode := pick(rnd, "mig", "hami-core", "hami-core,mig", "mps", "")
		p.mode = &mode
	}
	if chance(rnd, 10) {
		p.useID = []string{"g0", "g2", "g3"}
	}
	if chance(rnd, 10) {
		p.noID = []string{"g1", "g2"}
	}
	if chance(rnd, 10) {
		p.useType = pick(rnd, "L4", "nvidia", "a10")
	}
	for range 1 + rnd.IntN(4)*rnd.IntN(2) {
		p.containers = append(p.containers, randomAsk(rnd))
	}
	slices.SortStableFunc(p.containers, func(a, b naiveAsk) int { // init containers and sidecars come first
		return min(1, int(b.class)) - min(1, int(a.class))
	})
	if p.containers[len(p.containers)-1].class != device.App {
		p.containers = append(p.containers, naiveAsk{})
	}
	return p
}

func randomAsk(rnd *rand.Rand) naiveAsk {
	a := naiveAsk{class: pick(rnd, device.App, device.App, device.Init, device.Sidecar), percent: 101}
	if chance(rnd, 10) {
		return naiveAsk{class: a.class}
	}
	a.nums = pick[int64](rnd, 1, 1, 1, 2, 2, 3, 4)
	switch rnd.IntN(4) {
	case 0:
		a.percent = pick[int64](rnd, 10, 33, 50, 100)
	case 1:
		a.mem, a.percent = pick[int64](rnd, 300, 900), pick[int64](rnd, 10, 101)
	default:
		a.mem = pick[int64](rnd, 1, 100, 400, 500, 501, 1000, 1500)
	}
	a.core = pick[int64](rnd, 0, 0, 10, 30, 50, 100, 150)
	return a
}

// object is the pod as a user writes it.
func (p naivePod) object() *corev1.Pod {
	pod := asking(nil, device.AnnotationDevicePolicy, p.policy, device.AnnotationNUMABind, strconv.FormatBool(p.numaBind))
	pod.Spec.Containers = nil
	if p.mode != nil {
		pod.Annotations["nvidia.com/vgpu-mode"] = *p.mode
	}
	for key, value := range map[string]string{
		"nvidia.com/use-gpuuuid": strings.Join(p.useID, ","), "nvidia.com/nouse-gpuuuid": strings.Join(p.noID, " , "),
		"nvidia.com/use-gputype": p.useType,
	} {
		if value != "" {
			pod.Annotations[key] = value
		}
	}
	always := corev1.ContainerRestartPolicyAlways
	for i, a := range p.containers {
		c := corev1.Container{Name: fmt.Sprintf("c%d", i)}
		c.Resources.Limits = a.limits()
		switch a.class {
		case device.App:
			pod.Spec.Containers = append(pod.Spec.Containers, c)
			continue
		case device.Sidecar:
			c.RestartPolicy = &always
		}
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, c)
	}
	return pod
}

func (a naiveAsk) limits() corev1.ResourceList {
	list := corev1.ResourceList{}
	set := func(name string, n int64) {
		list[corev1.ResourceName("nvidia.com/"+name)] = *resource.NewQuantity(n, resource.DecimalSI)
	}
	if a.nums == 0 {
		return list
	}
	set("gpu", a.nums)
	set("gpucores", a.core)
	if a.mem > 0 {
		set("gpumem", a.mem)
	}
	if a.percent != 101 {
		set("gpumem-percentage", a.percent)
	}
	return list
}

func (p naivePod) headroom() map[device.Vendor]device.Headroom {
	return map[device.Vendor]device.Headroom{"NVIDIA": {
		Memory: device.Limit{Left: max(0, p.memMax), Set: p.memMax >= 0},
		Cores:  device.Limit{Left: max(0, p.corMax), Set: p.corMax >= 0},
	}}
}

// usageOf is the cards as a node.
func usageOf(cards []naiveCard) *device.NodeUsage {
	infos := make([]device.DeviceInfo, len(cards))
	for i := range cards {
		infos[i] = cards[i].DeviceInfo
	}
	info := device.NewNodeInfo("n", device.Inventory{Vendor: "NVIDIA", Devices: infos})
	return device.NewNodeUsage(info).Update(func(devices []device.DeviceUsage) {
		for i := range cards {
			hold := device.Hold{Slots: cards[i].used, Memory: cards[i].mem, Cores: cards[i].core}
			for _, p := range cards[i].occupied {
				hold.MIG = append(hold.MIG, device.MIGInstance{Profile: "some", Placement: p})
			}
			devices[i].Take(hold)
		}
	})
}

func shortly(a *device.Allocation) string {
	if a == nil {
		return plainly(nil)
	}
	var takes []naiveTake
	for _, d := range a.Devices {
		takes = append(takes, naiveTake{d.Container, d.ID, d.Memory, d.Cores, d.MIG.Profile, d.MIG.Placement})
	}
	return plainly(takes)
}

func plainly(takes []naiveTake) string { return fmt.Sprint(takes) }

func describe(cards []naiveCard, pod naivePod) string {
	var b strings.Builder
	for _, c := range cards {
		fmt.Fprintf(&b, "%s idx=%d %s %s numa=%d slots %d/%d mem %d/%d cores %d/%d healthy=%t cordoned=%t occupied=%v profiles=%v links=%v\n",
			c.ID, c.Index, c.Type, c.Mode, c.NUMA, c.used, c.Slots, c.mem, c.Memory, c.core, c.Cores, c.healthy, c.Cordoned, c.occupied, c.MIGProfiles, c.LinkScores)
	}
	fmt.Fprintf(&b, "policy=%q numa-bind=%t use=%v no=%v type=%q quota=%d/%d", pod.policy, pod.numaBind, pod.useID, pod.noID, pod.useType, pod.memMax, pod.corMax)
	if pod.mode != nil {
		fmt.Fprintf(&b, " mode=%q", *pod.mode)
	}
	fmt.Fprintf(&b, " containers=%+v", pod.containers)
	return b.String()
}
