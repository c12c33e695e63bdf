// Package metax is the device model of MetaX GPUs, whole and shared.
package metax
