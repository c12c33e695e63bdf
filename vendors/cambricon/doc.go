// Package cambricon is the device model of Cambricon MLUs.
//
// A card is divided among up to 100 containers. A container asks for cards (cambricon.com/vmlu), and of each for memory in
// blocks of 256 MiB (cambricon.com/mlu.smlu.vmemory; none: the whole card) and percent of its compute
// (cambricon.com/mlu.smlu.vcore; none: 100). The cards of a node are read from its capacity of memory and compute.
//
// The profile annotation tells the node agent of the first card of the first container only: that is the protocol. Model
// names cannot be selected: the pod annotations cambricon.com/use-mlutype and cambricon.com/nouse-mlutype, which HAMi declares,
// are not read there, nor here. Taking and giving back the lock of a node, which is the vendor's own, is not part of the model.
//
// The rules are those of spec cambricon; cDn and Dn name deviations from HAMi v2.10 that docs/deviations.md lists.
package cambricon
