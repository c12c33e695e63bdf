package devicetest_test

import (
	"errors"
	"fmt"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/device/devicetest"
)

// Laws are values: they can be listed, chosen from and checked without a test.
func ExampleLaws() {
	h := harnessOf(newToy())
	for _, l := range devicetest.Laws() {
		if err := l.Check(h); err != nil {
			fmt.Println(err)
		} else {
			fmt.Printf("%s: %s\n", l.Name, l.Says)
		}
	}
	// Output:
	// pure: no call changes its arguments, nor what was handed out before, not even when called at the same time
	// deterministic: the same question has the same answer, whatever is asked before or at the same time, and the order in which devices are listed changes no verdict
	// monotone: more pods on the node never make a pod fit that did not
	// larger request: asking for more never makes a pod fit that did not
	// no over-commit: what is given out is there, takes new work, is as much as was asked for, and never more than a device has
	// conserve: placing a pod and removing it leaves everything as it was
	// round trip: a described node reads as the devices it was described with, an annotated pod as what it was given, and an announced handshake as one that waits
	// reasons: a refusal has a known reason for every device, and errors say what they are about
	// rules: every rule refuses some device in some situation
	// copies: what is handed out is the caller's, and deep copies share nothing
	// whole card: all of a device, in percent, is all of it, whatever its size
	// nodes: the answer for a node depends neither on its name nor on other nodes
	// hostile: whatever a node or pod says, there is an answer or a typed error in time, and devices that are read can be told apart
	// claims: every sharing mode, policy and reason that the author claims is seen
}

// A backend whose rule about memory was forgotten.
func ExampleCheck() {
	b := planOf(func(_ *device.PodContext, p *device.Plan) { instead(p, device.HasMemory) })
	err := devicetest.Check(harnessOf(b))
	var v *devicetest.Violation
	if errors.As(err, &v) {
		fmt.Println("broken:", v.Law)
		fmt.Println("wrong:", v.Err)
		fmt.Println(v.Case)
	}
	// Output:
	// broken: no over-commit
	// wrong: 32768 MiB of device chip-0 are taken, and it has 16384
	// node n:
	//   chip-0: T100, index 0, 4 slots, 16384 MiB, 100 cores, NUMA node 0, mode shared
	// pod: container [toy.io/chip=1]
}
