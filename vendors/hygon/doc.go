// Package hygon is the device model of Hygon DCUs.
package hygon
