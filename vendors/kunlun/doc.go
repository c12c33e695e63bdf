// Package kunlun is the device model of Kunlunxin XPUs, whole and virtual.
package kunlun
