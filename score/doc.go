// Package score says in which order the devices of a node are tried, and which of several nodes is the best.
//
// The order of devices follows the pod's device policy ([ParsePolicy], spec core §8) and the device score ([Device],
// §9); nodes are scored by [Node] and ordered by [Compare] under a node policy (§10); [Normalize] is for frameworks that want
// 0..100.
//
// Scores are computed in binary32, every product and sum rounded, because equal scores decide (deviation D7). No decision
// depends on an unstable sort: equal devices keep the order they had, equal nodes are taken by name.
package score
