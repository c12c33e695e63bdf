// Package vendors brings the device models of several vendors together: it parses a pod once and fits it on any number of
// nodes.
//
// A [Set] is made by [Default], from a HAMi device configuration by [Load], or from backends of your own by [New]. Its
// methods are pure: what a decision depends on is in their arguments. A Set is immutable and safe for concurrent use; any
// number of sets with different configurations live side by side.
//
// Four outcomes stay apart: a pod that asks for the impossible (the error of [Set.Request]), a node without device
// description ([device.NodeUnregistered]), a description that cannot be read ([device.NodeMalformed]), and no room (the
// counts in [Fit].Reasons).
package vendors
