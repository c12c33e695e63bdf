// Package usage tells what is taken of the devices of nodes, and what namespaces may still take.
//
// [Node] reads a node and its pods into a [device.NodeUsage]. A [Holding] is what one pod holds, read from its annotations
// ([Read]) or made from a fit ([Of]); [Apply] puts holdings on a node. A [Ledger] keeps the holdings of a live scheduler, a
// [Quotas] the limits of namespaces.
//
// Ledgers and quotas are values: a change returns a new one and leaves the old as it was, so readers need no lock and
// holding on to the old value is a revert. A live scheduler keeps the newest in an atomic pointer.
package usage
