package schedule

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// answer is the side itself.
func answer(s Side) Side { return s }

// says is an engine that answers after a while.
func says(name string, after time.Duration, s Side) Engine[Side] {
	return Engine[Side]{Name: name, Run: func(context.Context) Side { time.Sleep(after); return s }}
}

// searches is an engine that finds nothing until it is stopped.
func searches(name string) Engine[Side] {
	return Engine[Side]{Name: name, Run: func(ctx context.Context) Side { <-ctx.Done(); return Open }}
}

// fails runs f and gives the failure that it panics with.
func fails(t *testing.T, f func()) (failure *Failure) {
	t.Helper()
	defer func() {
		var ok bool
		if failure, ok = recover().(*Failure); !ok {
			t.Fatal("no failure")
		}
	}()
	f()
	return nil
}

func TestFirstAnswerEndsTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		r := Run(t.Context(), []Engine[Side]{searches("a"), says("b", time.Second, Holds), says("c", 2*time.Second, Holds)}, answer)
		if r.First == nil || r.First.Name != "b" || r.First.Side != Holds || r.First.Time != time.Second {
			t.Errorf("first: %+v", r.First)
		}
		if r.Of("a").Side != Open || r.Of("c").Side != Holds || r.Of("d") != nil {
			t.Errorf("outcomes: %+v", r.Outcomes)
		}
		if passed := time.Since(begin); passed != 2*time.Second {
			t.Errorf("Run returned after %v, c after 2 s", passed)
		}
	})
}

func TestNobodyAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := Run(t.Context(), []Engine[Side]{says("a", time.Second, Open), says("b", 2*time.Second, Open)}, answer)
		if r.First != nil || r.Of("b").Time != 2*time.Second {
			t.Errorf("%+v", r)
		}
		if r := Run(t.Context(), nil, answer); r.First != nil || len(r.Outcomes) != 0 {
			t.Errorf("no engines: %+v", r)
		}
	})
}

func TestStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := says("late", time.Second, Holds)
		late.Start = time.Second
		r := Run(t.Context(), []Engine[Side]{says("a", 1500*time.Millisecond, Open), late}, answer)
		if r.First == nil || r.First.Name != "late" {
			t.Errorf("%+v", r.First)
		}
		begin := time.Now()
		r = Run(t.Context(), []Engine[Side]{says("a", time.Millisecond, Fails), late}, answer)
		if r.Of("late").Began || r.Of("late").Side != Open || time.Since(begin) != time.Millisecond {
			t.Errorf("what was decided before began: %+v after %v", r.Of("late"), time.Since(begin))
		}
	})
}

func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		short := searches("short")
		short.Start, short.Limit = time.Second, time.Second
		r := Run(t.Context(), []Engine[Side]{short, says("a", 5*time.Second, Holds)}, answer)
		if o := r.Of("short"); !o.Began || o.Time != time.Second {
			t.Errorf("%+v", o)
		}
		if r.First == nil || r.First.Name != "a" {
			t.Errorf("the limit of one engine ended another one: %+v", r.First)
		}
	})
}

func TestStuckEndsTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := Run(t.Context(), []Engine[Side]{says("a", time.Second, Stuck), searches("b")}, answer)
		if r.First != nil || r.Of("b").Time != time.Second {
			t.Errorf("%+v", r)
		}
	})
}

func TestStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wanted := says("wanted", 3*time.Second, Open)
		wanted.Stays = true
		wanted.Run = func(ctx context.Context) Side {
			select {
			case <-ctx.Done():
			case <-time.After(3 * time.Second):
			}
			return Open
		}
		for side, want := range map[Side]time.Duration{Holds: 3 * time.Second, Fails: time.Second, Stuck: time.Second} {
			r := Run(t.Context(), []Engine[Side]{says("a", time.Second, side), wanted, searches("b")}, answer)
			if r.Of("wanted").Time != want || r.Of("b").Time != time.Second {
				t.Errorf("%v: %+v", side, r.Outcomes)
			}
		}
	})
}

func TestContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		late := says("late", 0, Holds)
		late.Start = 2 * time.Second
		var decided atomic.Bool
		asks := Engine[Side]{Name: "asks", Run: func(ctx context.Context) Side {
			<-ctx.Done()
			decided.Store(Decided(ctx))
			return Open
		}}
		r := Run(ctx, []Engine[Side]{searches("a"), late, asks}, answer)
		if r.First != nil || !r.Of("a").Began || r.Of("late").Began || decided.Load() {
			t.Errorf("%+v", r)
		}
		Run(t.Context(), []Engine[Side]{says("a", time.Second, Holds), asks}, answer)
		if !decided.Load() {
			t.Error("the cause is not the answer of another engine")
		}
	})
}

func TestContradiction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fails(t, func() {
			Run(t.Context(), []Engine[Side]{says("prover", time.Second, Holds), says("refuter", 2*time.Second, Fails)}, answer)
		})
		for _, part := range []string{"prover and refuter contradict", "holds", "fails"} {
			if !strings.Contains(f.Error(), part) {
				t.Errorf("%q does not say %q", f, part)
			}
		}
	})
}

func explode() Side { panic("boom") }

func TestPanic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		bad := Engine[Side]{Name: "bad", Run: func(context.Context) Side { return explode() }}
		f := fails(t, func() { Run(t.Context(), []Engine[Side]{searches("a"), bad, says("b", time.Second, Holds)}, answer) })
		if f.Engine != "bad" || f.Value != "boom" || !strings.Contains(f.Stack, "explode") {
			t.Errorf("%+v", f)
		}
		if passed := time.Since(begin); passed != time.Second {
			t.Errorf("the failure came after %v: before the others had ended, or long after", passed)
		}
		// Through an engine that runs engines: the name is a path, the stack the first one.
		outer := Engine[Side]{Name: "outer", Run: func(ctx context.Context) Side {
			return Run(ctx, []Engine[Side]{bad}, answer).First.Side
		}}
		f = fails(t, func() { Run(t.Context(), []Engine[Side]{outer}, answer) })
		if f.Engine != "outer / bad" || !strings.Contains(f.Stack, "explode") {
			t.Errorf("%+v", f)
		}
	})
}

// TestPanicAfterAnswer: an answer that came before does not hide a bug.
func TestPanicAfterAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad := Engine[Side]{Name: "bad", Run: func(ctx context.Context) Side { <-ctx.Done(); return explode() }}
		f := fails(t, func() { Run(t.Context(), []Engine[Side]{says("a", time.Second, Holds), bad}, answer) })
		if f.Engine != "bad" {
			t.Errorf("%+v", f)
		}
	})
}

func TestLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lines []string
		ctx := Log(t.Context(), func(e Event) {
			lines = append(lines, strings.Join([]string{e.At.String(), e.Engine, string(e.Kind), e.Text}, "|"))
		})
		inner := Engine[Side]{Name: "inner", Run: func(ctx context.Context) Side {
			time.Sleep(time.Second)
			Say(ctx, Published, "a fact")
			return Holds
		}}
		outer := Engine[Side]{Name: "outer", Run: func(ctx context.Context) Side { return Run(ctx, []Engine[Side]{inner}, answer).First.Side }}
		late := searches("late")
		late.Start = 500 * time.Millisecond
		why := Engine[Side]{Name: "says why", Run: func(context.Context) Side { return Open }}
		never := says("never", 0, Holds)
		never.Start = time.Hour
		Run(ctx, []Engine[Side]{outer, late, never}, answer)
		Run(ctx, []Engine[Side]{why}, answer)
		want := []string{
			"0s|outer|began|", "0s|outer / inner|began|", "500ms|late|began|", "1s|outer / inner|published|a fact",
			"1s|outer / inner|answered|holds", "1s|outer|answered|holds", "1s|late|stopped|",
			"1s|says why|began|", "1s|says why|gave up|open",
		}
		if strings.Join(lines, "\n") != strings.Join(want, "\n") {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
		}
		Say(t.Context(), Began, "nobody listens")
	})
}
