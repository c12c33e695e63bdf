package simulate_test

import (
	"os"
	"runtime"
	"runtime/pprof"
	"testing"

	"github.com/accelfit/accelfit/simulate"
)

func TestZZHeap(t *testing.T) {
	runtime.MemProfileRate = 1 << 40
	l := newLarge(t, 3000, 1500)
	before := heap()
	runtime.MemProfileRate = 512
	a := l.run(simulate.Limits{}, simulate.PlaceOptions{})
	t.Log((heap()-before)/3000, "bytes/node at the end", len(a.placed), len(a.rest), len(a.plan.Steps), len(a.plan.Unplaced))
	f, _ := os.Create("/tmp/zz.heap")
	runtime.GC()
	pprof.Lookup("heap").WriteTo(f, 0)
	f.Close()
	runtime.KeepAlive(a)
	runtime.KeepAlive(l)
}
