package process

import (
	"fmt"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// LimitMemory bounds the memory that this process may allocate, in Go and in
// C, for good. Beyond it C++ throws std::bad_alloc and the Go runtime gives
// up: both end the process, and a parent has to tell why.
//
// The limit is on the data segment (private writable mappings), because the
// Go runtime and the C library reserve far more address space than they use.
// The garbage collector is told to stay below it, since the C libraries take
// their part of the same limit. A lower limit that is in force stays.
func LimitMemory(bytes uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_DATA, &now); err == nil {
		bytes = min(bytes, now.Max)
	}
	if err := unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: bytes, Max: bytes}); err != nil {
		return fmt.Errorf("setting the memory limit: %w", err)
	}
	debug.SetMemoryLimit(int64(bytes - bytes/4))
	return nil
}
