// Package iluvatar is the device model of Iluvatar CoreX GPUs: one for each configured chip, whose common word <W>, for
// example BI-V150, is the vendor word.
//
// A container asks for cards (iluvatar.ai/<W>-vgpu) and, of each, for memory (iluvatar.ai/<W>.vMem in units of 256 MiB; none: the
// whole card) and cores (iluvatar.ai/<W>.vCore in percent; none: no share of its own). Asking for all 100 cores means an idle
// card. Admission gives containers that ask for several cards all cores of each.
//
// Annotations that choose cards by model do not exist: each chip has resources of its own. HAMi uses these chips only with its
// flag --enable-iluvatar; here they are used when they are configured.
//
// The rules are those of spec iluvatar; iDn and Dn name deviations from HAMi v2.10 that docs/deviations.md lists.
package iluvatar
