// Package amd is the device model of AMD GPUs.
package amd
