// Package service answers HTTP: it limits, checks and counts requests, and hands them to the live scheduler, the simulation and
// the admission, which know nothing of HTTP.
//
// What a caller does wrong is told by a problem (RFC 9457), with the field where there is one; but the extender protocol's live
// routes answer what concerns a pod with status 200 and the field Error, as kube-scheduler expects.
package service
