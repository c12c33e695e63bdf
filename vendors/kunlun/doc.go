// Package kunlun is the device model of Kunlunxin XPUs, in the two ways in which they are handed out: a node offers whole cards
// or virtual cards, not both.
//
// [Cards] are whole: a container asks for cards (kunlunxin.com/xpu) and has them to itself. The node tells no more than how many
// it has.
//
// [VirtualCards] are parts of cards: a container asks for virtual cards (kunlunxin.com/vxpu), each on a card of its own, and
// for the memory of each (kunlunxin.com/vxpu-memory, MiB), which is rounded up to a quarter, a half or the whole of a card
// with 98304 MiB; no memory means a whole card. A card is divided into parts of one size, and cores go with the memory. The number of
// slots that a card registers plays no part: memory alone limits sharing.
//
// The cards of a container are linked: a board has eight cards in two wings, and only sets of 1, 2, 4 or 8 cards of one
// board are given out, those that leave the most for others. Where no set is free, the reason is NumaNotFit, with the number 1.
//
// The rules are those of spec kunlun; kDn and Dn name deviations from HAMi v2.10 that docs/deviations.md lists.
package kunlun
