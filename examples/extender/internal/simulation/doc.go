// Package simulation answers whether a pod would fit on nodes that the caller describes, in full: on which of them, why not
// on the others, and with which devices.
//
// A request is a kube-scheduler's extender arguments, and may say more (Request). What comes out depends on the request and on
// the device models alone: not on a cluster, on earlier requests, or on the replica that is asked. Nodes are read from the
// objects that are sent; nothing is taken on them but by the pods that the request assumes to be there. So a caller stacks pods
// by telling what it has stacked.
//
// Texts of nodes and of lists of nodes that were read before are recognised by their bytes and not read again, in bounded memory.
package simulation
