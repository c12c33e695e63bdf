package device

import "slices"

// Renamed returns the description of a node that has another name and whose devices have other ids, and is the same in
// everything else: equal nodes of one group. id returns the new id of device i; link scores follow it. What cannot change is
// shared with n, which stays as it is. Cost: linear in the devices, and in the link scores.
func (n *NodeInfo) Renamed(name string, id func(i int) string) *NodeInfo {
	c := *n
	c.name, c.byID = name, nil
	c.devices = slices.Clone(n.devices)
	for i := range c.devices {
		c.devices[i].ID = id(i)
	}
	for i := range c.devices {
		c.devices[i].LinkScores = c.relinked(n, i)
	}
	c.index()
	return &c
}

// relinked are the link scores of device i, which had other ids on the node old.
func (n *NodeInfo) relinked(old *NodeInfo, i int) map[string]int64 {
	scores := old.devices[i].LinkScores
	if len(scores) == 0 {
		return scores
	}
	out := make(map[string]int64, len(scores))
	for id, score := range scores {
		if at := old.Find(old.devices[i].Vendor, id); at >= 0 {
			id = n.devices[at].ID
		}
		out[id] = score
	}
	return out
}

// On returns the same usage of another node, whose devices are equal but for their ids, position by position. What is
// immutable is shared. Cost: one copy of the node's usage.
func (n *NodeUsage) On(info *NodeInfo) *NodeUsage {
	next := roomFor(info)
	copy(next.devices, n.devices)
	next.settle()
	return next
}
