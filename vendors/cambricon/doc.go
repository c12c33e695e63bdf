// Package cambricon is the device model of Cambricon MLUs.
package cambricon
