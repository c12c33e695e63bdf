// Package ascend is the device model of Ascend NPUs, one model for each chip.
package ascend
