// Package simulate stacks hypothetical pods on nodes that need not exist.
//
// A [Snapshot] holds many nodes with what is taken of their devices. Fork makes an independent copy at once; pods are
// placed and removed, nodes added and removed on either without the other seeing it. [Stack] puts Fork, Revert and Commit
// around snapshots for hosts that think in stacks. [Estimate] tells how many nodes of one template a list of pods needs,
// [ScaleUp] which node groups to grow.
//
// Only devices are judged here. Callers pass a predicate for everything else: CPU, memory, taints, affinity.
//
// # Cost
//
//	Fork                       O(1)
//	Place, Remove              one fit, O(log n) in the nodes n, and O(pods on the node)
//	PlaceAnywhere              one fit for each node
//	AddNode, RemoveNode        O(log n), and O(pods) of the node
//	Estimate                   at most one fit for each distinct pod shape and state of a new node
//
// # Concurrency
//
// One snapshot is used by one goroutine at a time; siblings and parents are independent and may be used from different
// goroutines. Everything is deterministic: the same input gives the same answer whatever else runs.
package simulate
