// Package enflame is the device model of Enflame GCUs, whole and partitioned.
package enflame
