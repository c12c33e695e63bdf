// Package vastai is the device model of Vastai accelerators.
package vastai
