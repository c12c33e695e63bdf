// Package live decides with what a cluster holds: the extender's filter, prioritize and bind for pods that are really placed.
//
// A [Scheduler] learns of nodes, pods and quotas from informers. What a pod holds is what its annotations say, and, from the
// filter call that chose its devices until the API server shows them, what this process reserved. One filter call decides at a
// time, and reserves before it writes, so that no device is given twice; nothing is locked while the API server is asked.
// After a restart, or when leadership changes hands, everything is read again from the annotations (spec core §14).
package live
