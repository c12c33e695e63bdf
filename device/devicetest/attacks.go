package devicetest

import (
	"fmt"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// attacks start from each node of the harness.
func (x *exam) attacks() (out []attack) {
	for i := range min(len(x.bases), 255) {
		out = append(out, x.attacksOn(uint8(i))...)
	}
	return out
}

func (x *exam) attacksOn(i uint8) (out []attack) {
	b := &x.bases[i]
	of := func(name string) string {
		q := b.node.Status.Capacity[corev1.ResourceName(name)]
		return q.String()
	}
	registration := b.node.Annotations[x.names.Register]
	offer := texts{of(x.names.Count), of(x.names.Memory), of(x.names.Cores)}
	first, last := b.devices[0].ID, b.devices[len(b.devices)-1].ID
	held := fmt.Sprintf("%s,%s,1000,10:%s,%s,1,0:;", first, x.Backend.Vendor(), last, x.Backend.Vendor())
	cut := `[{"containerIndex":0,"deviceIndex":0,"gpuUUID":"` + first + `","profile":"1g.5gb","placement":{"start":6,"size":1}}]`
	half := registration[:len(registration)/2]
	out = x.misregistered(i, registration, first, offer)
	return append(out, []attack{
		{i, registration, offer, "", texts{"1", "", ""}, "", "", "", 0},
		{i, registration, offer, first + "," + last, texts{"2", "1000", "20"}, "binpack", held, cut, evenLists | twoContainers | underQuota},
		{i, registration, offer, first, texts{"1", "1", "100"}, "mutex", held, "", oddLists | initAndSidecar | inRequests | spreadNodes},
		{i, registration, offer, "true", texts{"8", "50", "0"}, "numa,topology-aware", "", "", 0xffff &^ underQuota},
		{i, registration + registration, texts{"0", "-1", "1e3"}, ",", texts{"2147483647", "2147483648", "150"}, "spread,numa", ";;,,:", "null", elsewhere | numaBind | percent},
		{i, half, texts{"1.5", "1Gi", "500m"}, " ", texts{"-1", "16Gi", "0.1"}, "topology-aware", first + ",,2147483647,-1:;", "[null]", others | evenLists | oddLists},
		{i, "[null]", texts{"1k", "2Ti", ""}, "{}", texts{"4k", "1k", "1"}, ",", first + ":;" + first + ",x,1,1:;", "{}", elsewhere | others},
		{i, "[]", texts{"1024", "1", "1"}, "[", texts{"3", "", ""}, "binpack", "", "", elsewhere},
		{i, ":", texts{"1025", "", ""}, "0", texts{"", "1", "1"}, "numa", "", "", percent},
		{i, "{", texts{"", "", ""}, "", texts{"0", "0", "0"}, "x", "", "", 0},
		{i, "", texts{"9223372036854775807", "9223372036854775807", ""}, "", texts{"9223372036854775807", "", ""}, "", "", "", elsewhere},
		{i, registration, offer, "", texts{"1500m", "1500m", "1500m"}, "", "", "", 0},
	}...)
}

var number = regexp.MustCompile(`([:,])[0-9]+`)

// misregistered are attacks with registrations that no agent should write, and nothing else.
func (x *exam) misregistered(i uint8, registration, id string, offer texts) (out []attack) {
	for _, text := range []string{
		"", "null", "[]", "[null]", "[{}]", "[[]]", `[{"id":""}]`, "a", ",,,,,,:", registration + registration, twice(registration),
		number.ReplaceAllString(registration, "${1}-1"), number.ReplaceAllString(registration, "${1}0"),
		number.ReplaceAllString(registration, "${1}2147483647"), number.ReplaceAllString(registration, "${1}9223372036854775807"),
		strings.Replace(registration, id, id+",:;", 1), strings.Replace(registration, id, "", 1),
	} {
		out = append(out, attack{base: i, description: text, offer: offer, ask: texts{count: "1"}})
	}
	return out
}

// twice is a registration in which every device is listed twice, as far as that is plain from the text.
func twice(registration string) string {
	if strings.HasPrefix(registration, "[{") && strings.HasSuffix(registration, "}]") {
		return registration[:len(registration)-1] + "," + registration[1:]
	}
	return registration + registration
}

// large is how long a hostile text is: as much as an API server lets into the annotations of an object.
const large = 256 << 10

// largeAttacks have texts that take for ever where a reader does more than look at each letter a few times.
func (x *exam) largeAttacks() (out []attack) {
	size := large
	if x.short {
		size /= 16
	}
	for _, text := range []string{"a", ",", ":", ";", "[", "{", `{"`, `[{"id":"a"},`, "a,b,c,d:", "9", "0,", " \n"} {
		long := strings.Repeat(text, size/len(text))
		out = append(out,
			attack{description: long, lists: long, ask: texts{count: "1"}, policy: long, allocated: long, reserved: long, shape: evenLists | oddLists},
			attack{description: long, lists: "", ask: texts{count: "1", memory: "1"}, shape: elsewhere})
	}
	return out
}
