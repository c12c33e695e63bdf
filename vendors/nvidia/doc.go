// Package nvidia is the device model of NVIDIA GPUs, as HAMi's node agent registers them: whole, shared by hami-core or
// MPS, or cut into MIG instances.
//
// Memory is in MiB, cores are percent of a card. A container asks for cards (nvidia.com/gpu) and, of each, for memory
// (nvidia.com/gpumem in MiB, or nvidia.com/gpumem-percentage; neither: the whole card) and cores (nvidia.com/gpucores; none:
// no share of its own). Asking for all 100 cores means an idle card. On cards in MIG mode each card asked for becomes one
// instance: the smallest profile with enough memory and a free placement, so one card can serve several.
//
// Not modelled: what happens inside a container (memory and core limits are enforced by HAMi's library), and node agents
// other than HAMi's.
//
// The rules are those of spec nvidia; Nn and Dn name deviations from HAMi v2.10 that docs/deviations.md lists.
package nvidia
