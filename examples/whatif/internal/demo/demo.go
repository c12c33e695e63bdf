// Package demo holds a small cluster to try the tool on.
package demo

import _ "embed"

// Cluster is the demo cluster, as kubectl prints one.
//
//go:embed demo.yaml
var Cluster []byte

// WhyPod is a pod to ask about: it fits nowhere, for several reasons.
const WhyPod = "research/finetune"

// Pods and a node to ask the other questions about: one that has room for more, one that others have to make room for, and a
// node to empty.
const (
	CapacityPod = "shop/chat"
	MakeRoomPod = "shop/rerank"
	DrainNode   = "l4-1"
)

// PlacePods returns pods to place one after the other.
func PlacePods() []string { return []string{"shop/chat", "research/notebook-d"} }
