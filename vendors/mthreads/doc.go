// Package mthreads is the device model of Moore Threads GPUs.
//
// A card has 16 cores and memory in blocks of 512 MiB, and is shared by up to 100 containers. A container asks for cards
// (mthreads.com/vgpu) and for memory (mthreads.com/sgpu-memory, in blocks) and cores (mthreads.com/sgpu-core), both of all
// its cards together. The cards of a node are read from its capacity of memory and cores.
//
// Admission makes whole cards of a request for several cards, and of one without memory: 96 blocks and 16 cores each, which
// counts as all that a card has, however large it is. Containers of one pod that run at the same time share one card; a container
// that asks for several cards must be the only one.
//
// The rules are those of spec mthreads; mDn and Dn name deviations from HAMi v2.10 that docs/deviations.md lists.
package mthreads
