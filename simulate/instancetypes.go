package simulate

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

// instanceTypes holds instancetypes.yaml: profiles of the machines that clouds rent out, by instance type.
//
//go:embed instancetypes.yaml
var instanceTypes embed.FS

// InstanceTypeProfile is the built-in profile of a cloud's instance type, such as p4d.24xlarge; ok is false for one that is not
// built in. It says what machines of the type have by their documentation, and node agents register in HAMi's default
// configuration: what a group has set otherwise (slots, memory scaling, MIG) it cannot know. Cost: one document is parsed.
func InstanceTypeProfile(instanceType string) (p Profile, ok bool) {
	if instanceType == "" {
		return Profile{}, false
	}
	for document := range strings.SplitSeq(builtIn(), "\n---\n") {
		if !strings.Contains(document, instanceType) {
			continue
		}
		for _, p := range parsed(document) {
			if slices.Contains(p.Match.InstanceTypes, instanceType) {
				return p, true
			}
		}
	}
	return Profile{}, false
}

// InstanceTypeProfiles are all built-in profiles of instance types, each for one or several types of machine.
func InstanceTypeProfiles() []Profile { return parsed(builtIn()) }

func builtIn() string {
	text, err := instanceTypes.ReadFile("instancetypes.yaml")
	if err != nil {
		panic("simulate: " + err.Error()) // it is embedded
	}
	return string(text)
}

func parsed(text string) []Profile {
	profiles, err := ParseProfiles([]byte(text))
	if err != nil {
		panic(fmt.Sprintf("simulate: instancetypes.yaml: %v", err)) // a test reads it all
	}
	return profiles
}
