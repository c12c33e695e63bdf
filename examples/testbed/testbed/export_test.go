package testbed

// APIServerPID is the id of kube-apiserver's process.
func (c *Cluster) APIServerPID() int { return c.apiServer.os.Pid }
