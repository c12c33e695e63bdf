package anonymize

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/whatif/internal/keys"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/enflame"
	"github.com/accelfit/accelfit/vendors/mthreads"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// Where ids are in the JSON that node agents and schedulers write: values of such fields, and the names of scores.
var (
	idField   = regexp.MustCompile(`(?i)("(?:id|uuid|gpuUUID|migUUID|aic)"\s*:\s*)("(?:[^"\\]|\\.)*(?:"|$))`)
	scoreName = regexp.MustCompile(`()("(?:[^"\\]|\\.)*")\s*:\s*-?[0-9]`)
	objectKey = regexp.MustCompile(`()("(?:[^"\\]|\\.)*")\s*:\s*\{`)
)

// form is how an annotation holds names.
type form int

const (
	plain   form = iota // it holds none
	list                // comma-separated ids
	entries             // entries joined by : and ;, each beginning with an id; or JSON with ids
	object              // JSON with ids
	aNode               // the name of a node
	aCount              // JSON by names of containers
)

// forms are those of the annotations that are kept, of nodes and pods.
func forms(set *vendors.Set) map[string]form {
	out := map[string]form{
		device.AnnotationNode: aNode, device.AnnotationTime: plain, device.AnnotationBindPhase: plain, device.AnnotationBindTime: plain,
		device.AnnotationCordon: list, nvidia.AnnotationLinkScores: object, device.AnnotationMIGReservation: object,
	}
	book := keys.New(set)
	for _, b := range set.Backends() {
		n := b.Names()
		for _, key := range []string{n.Allocated, n.ToAllocate, n.Register} {
			out[key] = entries
		}
		for _, key := range append(n.Writes, n.NodeKeys...) {
			out[key] = object
			if strings.HasSuffix(key, "-node") {
				out[key] = aNode
			}
		}
		for _, key := range n.PodKeys {
			out[key] = plain
			if book.Pod(key).Kind == keys.IDs {
				out[key] = list
			}
		}
	}
	for _, key := range []string{device.AnnotationDevicePolicy, device.AnnotationNodePolicy, device.AnnotationWeights, device.AnnotationNUMABind} {
		out[key] = plain
	}
	out[enflame.AnnotationContainers], out[mthreads.AnnotationRequested] = aCount, plain
	delete(out, "")
	return out
}

// eachName goes through the names that an annotation holds, and puts in place of each what f returns.
func eachName(key string, f form, text string, name func(k kind, old string) string) string {
	id := func(old string) string { return name(dev, old) }
	switch f {
	case list:
		return eachPart(text, ",", id)
	case aNode:
		return name(node, text)
	case aCount:
		return quoted(objectKey, text, func(old string) string { return name(container, old) })
	case entries, object:
		if strings.Contains(text, "{") {
			text = quoted(idField, text, id)
			if key == nvidia.AnnotationLinkScores {
				text = quoted(scoreName, text, id)
			}
			return text
		}
		if f == entries {
			return eachPart(text, ":;", func(entry string) string {
				first, rest, more := strings.Cut(entry, ",")
				if !more {
					return entry
				}
				return eachPart(first, "", id) + "," + rest
			})
		}
	}
	return text
}

// eachPart replaces the parts between separators, blanks around them aside.
func eachPart(text, separators string, replace func(string) string) string {
	var b strings.Builder
	for len(text) > 0 || b.Len() == 0 {
		end := strings.IndexAny(text, separators)
		if end < 0 {
			end = len(text)
		}
		part := text[:end]
		if core := strings.TrimSpace(part); core != "" {
			part = strings.Replace(part, core, replace(core), 1)
		}
		b.WriteString(part)
		if end == len(text) {
			break
		}
		b.WriteByte(text[end])
		text = text[end+1:]
	}
	return b.String()
}

// quoted replaces the JSON texts that a pattern finds in its second group.
func quoted(pattern *regexp.Regexp, text string, replace func(string) string) string {
	var b strings.Builder
	from := 0
	for _, at := range pattern.FindAllStringSubmatchIndex(text, -1) {
		var old string
		found := text[at[4]:at[5]]
		if at[5] == len(text) && json.Unmarshal([]byte(found), &old) != nil { // the text ends within
			if len(found) > 1 {
				return b.String() + text[from:at[4]+1] + replace(found[1:])
			}
			continue
		}
		if json.Unmarshal([]byte(found), &old) != nil || old == "" {
			continue
		}
		now, err := json.Marshal(replace(old))
		if err != nil {
			continue
		}
		b.WriteString(text[from:at[4]])
		b.Write(now)
		from = at[5]
	}
	return b.String() + text[from:]
}
