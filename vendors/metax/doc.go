// Package metax is the device model of MetaX GPUs: whole ones ([GPU]) and shared ones ([SGPU]).
//
// Of whole GPUs a node tells only how many it has (capacity of metax-tech.com/gpu), and how well so and so many of them are
// linked; a container asks for a number of them, and the node agent picks the physical cards. Every card counts as 65536 MiB
// and 100 percent, whatever it has.
//
// Shared GPUs are registered card by card. A container asks for cards (metax-tech.com/sgpu) and, of each, for memory
// (metax-tech.com/vmemory, GiB as a bare number or bytes with a suffix; none: the whole card) and cores (metax-tech.com/vcore,
// percent of a card; none: all 100). Only limits are read. A card has one QoS policy at a time, that of the pods on it; online
// and offline pods share cards with each other, but not with pods of neither class, and online pods take no cores.
//
// Not modelled: what happens inside a container, and which physical cards whole GPUs are.
//
// The rules are those of spec metax; DGn, DSn and Dn name deviations from HAMi v2.10 that docs/deviations.md lists.
package metax
