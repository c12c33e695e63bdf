// Package iluvatar is the device model of Iluvatar GPUs, one model for each chip.
package iluvatar
