// Package biren is the device model of Biren GPUs.
//
// A card is shared by as many containers as it has slots, without limits on memory or cores: a container asks for cards
// (birentech.com/gpu) and takes a slot of each. Memory plays a part in scores only.
//
// The pod annotations birentech.com/use-biren and birentech.com/nouse-biren, which HAMi declares, are not read there, nor here.
//
// The rules are those of spec biren; bDn and Dn name deviations from HAMi v2.10 that docs/deviations.md lists.
package biren
