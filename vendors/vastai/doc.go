// Package vastai is the device model of Vastai accelerators.
//
// A device is a card or, on nodes in die mode, one of the dies of a card. A node is in die mode when its device with the
// lowest index says so (custom info DeviceStrategy "die"); dies of one card have the same AIC, a text or a number. A
// container asks for devices (vastaitech.com/va) and takes a slot of each; there are no limits on memory or cores, which
// play a part in scores only. Several dies come from the card with the most dies to offer, then from the next. With the
// device policy mutex a die serves only if nothing runs on its whole card.
//
// A node scores higher the fewer cards a container's dies are spread over.
//
// The pod annotations vastaitech.com/use-va and vastaitech.com/nouse-va, which HAMi declares, are not read there, nor here.
//
// The rules are those of spec vastai; vDn and Dn name deviations from HAMi v2.10 that docs/deviations.md lists.
package vastai
