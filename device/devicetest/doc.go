// Package devicetest is the conformance kit for device models: what must hold for a [device.Backend], whoever wrote it.
//
// A [Harness] names a backend, nodes and pods to try it with, and what its author claims of it. [Run] checks every law as a
// subtest; [Check] does so without a testing.T and returns joined errors, each of them a [*Violation] with the smallest
// situation found that breaks the law:
//
//	func TestConformance(t *testing.T) {
//		devicetest.Run(t, devicetest.Harness{Backend: mine, Nodes: nodes, Pods: pods})
//	}
//
// Nodes and pods are where the kit starts from: it makes more of them, with fewer, sick and cordoned devices, other amounts,
// more containers, every device policy, other pods on the node. All of it is deterministic. [FuzzLaws] lets Go's fuzzer
// choose instead, [FuzzHostile] lets it write the texts and quantities that a model reads, and [Bench] times the backend.
//
// Most laws are tried with hostile nodes and pods too. There, panics and calls that take longer than [Harness.Limit] break the law
// "hostile" alone; a call that never returns is left behind in its goroutine.
//
// A law that a model does not hold is waived in [Claims.Waived] with the reason, which Run prints. Claims and waived laws
// must be shown by some situation: a claim without a case fails.
//
// Run tests of a backend with the race detector: the law "pure" calls it from several goroutines at once.
package devicetest
