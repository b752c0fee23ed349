package process

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// The garbage collector of Go begins when the heap has doubled, from 4 MiB on. Most
// questions are answered with less than 50 MiB, in a fraction of a second, and collecting
// took a tenth of their time. RelaxCollector lets small heaps grow more: to five times
// what lives as long as that is little, then by spare; a heap of spare and more doubles
// as before, so that big questions need no more memory than they did. A limit on the memory
// (debug.SetMemoryLimit) goes before all this.
const (
	relaxed = 400       // percent by which a small heap grows
	usual   = 100       // percent by which a big one does
	spare   = 256 << 20 // bytes by which a heap between them grows
)

// RelaxCollector sets how often this process collects garbage, from now on. It does nothing
// if the environment says how (GOGC).
func RelaxCollector() {
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(relaxed)
	watchCollector(relaxed)
}

// growth is by how many percent a heap in which this many bytes live may grow.
func growth(live uint64) int {
	return int(min(relaxed, max(usual, spare*100/max(live, 1))))
}

// watchCollector sets the percentage anew after each collection: the finaliser of an object
// that nobody refers to runs after the next one.
func watchCollector(now int) {
	type sentinel struct{ _ [16]byte } // tiny objects share blocks, and may live longer
	runtime.SetFinalizer(new(sentinel), func(*sentinel) {
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(sample)
		next := growth(sample[0].Value.Uint64())
		if next != now {
			debug.SetGCPercent(next)
		}
		watchCollector(next)
	})
}
