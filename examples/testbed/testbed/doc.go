// Package testbed runs a real Kubernetes control plane for tests: etcd, kube-apiserver and any number of kube-schedulers, as
// processes on loopback, with certificates of their own. There are no nodes behind the Node objects: nothing runs a pod.
//
// A test package shares one cluster:
//
//	var bed testbed.Shared
//
//	func TestMain(m *testing.M) { os.Exit(bed.Run(m)) }
//
//	func TestBinds(t *testing.T) {
//		c := bed.Cluster(t) // started by the first test that asks; skips without binaries, fails with CI=true
//		...
//	}
//
// Schedulers are cheap (they start in less than a second): one for each scenario, each with a scheduler name of its own, on nodes
// that all schedulers share.
//
// # What differs from a cluster
//
//   - Nothing deletes what belongs to something deleted: there are no controllers. Delete pods without grace (DeleteAll).
//   - Nobody keeps the status of a ResourceQuota: until a test writes it, the quota limits nothing.
//   - The admission plugins ServiceAccount and TaintNodesByCondition are off: the first refuses every pod where no controller makes
//     service accounts, the second taints every new node, and nothing takes the taint off.
//   - Without Options.RBAC every user may do everything.
//
// # Binaries
//
// The binaries come from a folder named by the environment variable K8S_BIN, or by Options.Bin. Build fills such a folder.
package testbed
