// Package amd is the device model of AMD Instinct GPUs.
//
// A card is shared by as many containers as its node agent registers slots. A container asks for cards (amd.com/gpu), for MiB
// of each (amd.com/gpumem; none: the whole card) and for percent of the compute units (CU) of each (amd.com/gpucores; none: 100).
// What is booked is CUs, rounded down, at least one; quotas count percent. Only limits are read.
//
// The node agent turns the CUs of a card into ranges that do not overlap; the lock of the node lets it do so for one pod at a
// time. The annotations amd.com/gpu-index and amd.com/predicate-node, which HAMi declares, are not used there, nor here.
//
// The rules are those of spec amd; aDn and Dn name deviations from HAMi v2.10 that docs/deviations.md lists.
package amd
