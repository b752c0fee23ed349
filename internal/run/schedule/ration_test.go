package schedule

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"assay/internal/run/pause"
)

// works is an engine that works for a time, if the others let it.
func works(work time.Duration, s Side) func(context.Context) Side {
	return func(ctx context.Context) Side {
		for done := time.Duration(0); done < work && ctx.Err() == nil; done += time.Millisecond {
			pause.Wait(ctx)
			time.Sleep(time.Millisecond)
		}
		return s
	}
}

// TestShare: an engine with a share rests beside others, once it has worked for its burst (C1), but not if nobody else
// works, or those that rest themselves, or one that is not that which it is behind (C2), and no rest takes for ever (C3).
func TestShare(t *testing.T) {
	const work = 600 * time.Millisecond
	rationed := Engine[Side]{Name: "rationed", Share: 1. / 3, Run: works(work, Holds)}
	burst := rationed
	burst.Burst = work / 2
	other := Engine[Side]{Name: "other", Run: works(time.Hour, Open)}
	resting := other
	resting.Share = 1. / 2
	behind, strangers := rationed, rationed
	behind.Behind, strangers.Behind = "other", "third"
	for _, x := range []struct {
		name      string
		engines   []Engine[Side]
		idle      bool
		want, not time.Duration
	}{
		{"beside another", []Engine[Side]{rationed, other}, false, 5 * work / 2, 7 * work / 2},
		{"with a burst", []Engine[Side]{burst, other}, false, 3 * work / 2, 5 * work / 2},
		{"alone", []Engine[Side]{rationed}, false, work, work * 11 / 10},
		{"with one that rests", []Engine[Side]{rationed, resting}, false, work, work * 11 / 10},
		{"behind the other", []Engine[Side]{behind, other}, false, 5 * work / 2, 7 * work / 2},
		{"behind one that is not at work", []Engine[Side]{strangers, other}, false, work, work * 11 / 10},
		{"beside one that waits", []Engine[Side]{rationed, other}, true, work, 20 * work},
	} {
		synctest.Test(t, func(t *testing.T) {
			if x.idle {
				defer func(p func() time.Duration) { processor = p }(processor)
				processor = func() time.Duration { return 1 }
			}
			begin := time.Now()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r := Run(pause.With(ctx), x.engines, answer)
			if passed := time.Since(begin); r.First == nil || r.First.Name != "rationed" || passed < x.want || passed > x.not {
				t.Errorf("%s: %v, want %v to %v", x.name, passed, x.want, x.not)
			}
		})
	}
}
