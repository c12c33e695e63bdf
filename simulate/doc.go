// Package simulate stacks hypothetical pods on nodes that need not exist.
//
// A [Snapshot] holds many nodes with what is taken of their devices. Fork makes an independent copy at once; pods are
// placed and removed, nodes added and removed on either without the other seeing it. [Stack] puts Fork, Revert and Commit
// around snapshots for hosts that think in stacks. [Estimate] tells how many nodes of one template a list of pods needs,
// [ScaleUp] which node groups to grow.
//
// A [Profile] says which devices the nodes of a group register: for templates of groups that have no node ([Template]), for
// nodes that have joined and not registered yet ([Upcoming]), and to find out what a node lacks ([Profile.Verify]). Common
// machines of clouds are built in ([InstanceTypeProfile]). What an answer takes for granted it says in Notes.
//
// A snapshot is asked how many more pods fit ([Snapshot.Capacity]), how large a request still does ([Snapshot.Fragments]), who
// would have to move to make room ([Snapshot.MakeRoom]) and whether a node can be emptied ([Snapshot.Drain]); and what if a
// device failed ([Snapshot.EditDevices]).
//
// Hosts that keep nodes and pods of their own ask [Replay] what the pods on a node hold, and [Template.Make] for new nodes.
//
// Only devices are judged here. Callers pass a predicate for everything else: CPU, memory, taints, affinity.
//
// Nodes and pods are told by names: of nodes without one, and of entries of lists that are nil, New, AddNode, PlaceAll and
// UpcomingNodes say so and go on. Elsewhere lists must not hold nil.
//
// # Cost
//
//	Fork                       O(1)
//	Place, Remove              one fit, O(log n) in the nodes n, and O(pods on the node)
//	PlaceAnywhere              O(n), and one fit for each state of a node that the pod's shape was not tried on
//	PlaceAll                   the same for each shape, and O(log n) for each pod and each node that has changed
//	AddNode, RemoveNode        O(log n), and O(pods) of the node
//	Estimate                   at most one fit for each distinct pod shape and state of a new node
//	Capacity                   one fit for each pod counted and state of a node
//	Fragments                  about 20 fits for each node
//	Replay                     one fit for each pod that is not on record; thrice that where pods find no room
//	MakeRoom, Drain            bounded by MoveOptions.MaxTries pairs of pod and node
//
// Two nodes are in one state when they are equal in everything that a fit reads, names and device ids aside; what comes of
// trying a shape on a state is remembered, in bounded memory, by a snapshot and all its forks. Pods that list device ids, pods
// under a quota, requests of more than 8 KiB, and fit options with functions and no Key cost a fit for each node.
//
// # Concurrency
//
// One snapshot is used by one goroutine at a time; siblings and parents are independent and may be used from different
// goroutines. Everything is deterministic: the same input gives the same answer whatever else runs.
package simulate
