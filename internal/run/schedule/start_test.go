package schedule

import (
	"context"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// TestMain gives the tests, whose time is that of synctest, a processor that is always busy.
func TestMain(m *testing.M) {
	processor = func() time.Duration { return time.Duration(time.Now().UnixNano()) }
	os.Exit(m.Run())
}

// TestBegin: an engine begins when the others have had their time on the processor (B2), and not before Start has
// passed (B1); without others, and where nothing else comes, it does not wait for that.
func TestBegin(t *testing.T) {
	const after, step = 100 * time.Millisecond, 10 * time.Millisecond
	for _, x := range []struct {
		name    string
		part    float64 // of the time that passes, which the process has on processors
		working bool
		want    time.Duration
	}{
		{"one processor", 1, true, after},
		{"two processors", 2, true, after},
		{"a quarter of a processor", 0.25, true, 4 * after},
		{"nobody works", 0.25, false, after},
		{"those that work wait", 0, true, longest * after},
	} {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			defer func(p func() time.Duration) { processor = p }(processor)
			processor = func() time.Duration { return 1 + time.Duration(x.part*float64(time.Since(begin))) }
			s := newStart()
			if x.working {
				s.works("other", false)
			}
			if !s.wait(t.Context(), after) {
				t.Fatal("it does not begin")
			}
			if got := time.Since(begin); got < x.want || got > x.want+step {
				t.Errorf("%s: it begins after %v, want %v", x.name, got, x.want)
			}
			ctx, cancel := context.WithTimeout(t.Context(), after/2)
			defer cancel()
			if newStart().wait(ctx, after) {
				t.Error("it begins though its context has ended")
			}
		})
	}
}
