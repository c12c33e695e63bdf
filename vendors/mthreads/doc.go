// Package mthreads is the device model of Moore Threads GPUs.
package mthreads
