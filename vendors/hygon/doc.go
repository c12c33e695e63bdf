// Package hygon is the device model of Hygon DCUs.
//
// Memory is in MiB, cores are percent of a card. A container asks for cards (hygon.com/dcunum) and, of each, for memory
// (hygon.com/dcumem in MiB, times the configured factor; none: the whole card) and cores (hygon.com/dcucores; none: all 100). Asking
// for all 100 cores means an idle card.
//
// The rules are those of spec hygon; hDn and Dn name deviations from HAMi v2.10 that docs/deviations.md lists.
package hygon
