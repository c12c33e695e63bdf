package answer

import (
	"cmp"
	"slices"
	"strings"

	"github.com/accelfit/accelfit/device"
)

// phrases say in plain words why devices do not serve.
var phrases = map[device.Code]string{
	device.CardTypeMismatch:                  "the wrong model or mode of card",
	device.CardUuidMismatch:                  "cards that the pod's id lists exclude",
	device.CardTimeSlicingExhausted:          "no free slot on the cards",
	device.CardComputeUnitsExhausted:         "no compute left on the cards",
	device.CardInsufficientMemory:            "too little device memory left",
	device.CardInsufficientCore:              "too few cores left",
	device.CardNotHealth:                     "unhealthy cards",
	device.CardUnhealthy:                     "unhealthy cards",
	device.CardCordoned:                      "cordoned cards",
	device.NumaNotFit:                        "cards on different NUMA nodes",
	device.ExclusiveDeviceAllocateConflict:   "no idle card for an exclusive request",
	device.CardMigTopologyInfeasible:         "no free MIG placement that is large enough",
	device.AllocatedCardsInsufficientRequest: "too few cards that serve",
	device.ResourceQuotaNotFit:               "the namespace's quota used up",
	device.ModeNotFit:                        "the wrong mode of card",
	device.CardExcluded:                      "cards that are to be left alone",
	device.CardMemoryReserved:                "device memory that is kept back",
	device.NodeInsufficientDevice:            "too few cards",
	device.NodeUnregistered:                  "no devices",
	device.NodeMalformed:                     "devices that cannot be read",
}

// phrase says in plain words why a node does not serve.
func phrase(n *WhyNode) string {
	if n.Reasons == "" {
		var rules []string
		for _, f := range n.Rules {
			rules = append(rules, rulePhrase(f.Rule))
		}
		return enumerate(rules)
	}
	var out []string
	for _, code := range mostFrequent(n.Counts) {
		if p := cmp.Or(phrases[code], code.String()); !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return enumerate(out)
}

// enumerate reads "a, b and c".
func enumerate(parts []string) string {
	last := len(parts) - 1
	if last < 1 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

// mostFrequent is the reasons that most devices gave; that some were left over only where nothing else is known.
func mostFrequent(counts map[string]int) []device.Code {
	var out []device.Code
	most := 0
	for _, c := range device.Codes() {
		switch n := counts[c.String()]; {
		case n == 0 || c == device.AllocatedCardsInsufficientRequest && len(counts) > 1:
		case n > most:
			out, most = []device.Code{c}, n
		case n == most:
			out = append(out, c)
		}
	}
	return out
}

func rulePhrase(rule string) string {
	switch rule {
	case "cordoned":
		return "the node cordoned"
	case "notReady":
		return "the node not ready"
	case "taint":
		return "a taint that the pod does not tolerate"
	case "nodeSelector", "nodeAffinity":
		return rule + " not matched"
	case "pods":
		return "no room for another pod"
	}
	return "not enough " + rule
}
