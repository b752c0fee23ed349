package conductor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/run/schedule"
)

// names are those of the engines that a task runs.
func names(t Task) string {
	engines, alone := Choose(&t)
	var out []string
	for _, e := range engines {
		out = append(out, e.Name)
	}
	return fmt.Sprintf("%s %v", strings.Join(out, " "), alone)
}

func TestChoose(t *testing.T) {
	const all = "bmc abstract induction paths trial ic3 symex flat skeleton parts acceleration slice false"
	for _, c := range []struct {
		q    Question
		o    Options
		want string
	}{
		{Safety, Options{}, all},
		{Safety, Options{Only: "ic3"}, "ic3 true"},
		{Safety, Options{Only: "spacer", EachCheck: true}, "spacer true"},
		{Safety, Options{Unwind: 3}, "bmc true"},
		{Safety, Options{Unwind: 3, Only: "induction"}, "bmc true"},
		{Safety, Options{Unwind: 3, Only: "acceleration"}, "acceleration true"},
		{Safety, Options{EachCheck: true}, "bmc induction together false"},
		{Safety, Options{beside: true}, strings.Replace(strings.TrimPrefix(all, "bmc "), "parts ", "", 1)},
		{Safety, Options{EachCheck: true, Only: "symex"}, "bmc induction false"},
		{Safety, Options{EachCheck: true, Domains: []string{"zones"}, KInduction: true}, "bmc induction false"},
		{Safety, Options{EachCheck: true, Only: "bmc"}, "bmc true"},
		{Safety, Options{Domains: []string{"zones"}}, "induction true"},
		{Safety, Options{Havoc: true}, "induction true"},
		{Safety, Options{Domains: []string{"zones"}, KInduction: true}, all},
		{Safety, Options{Heap: true}, "bmc refinement false"},
		{Safety, Options{ValuesRefine: true}, "bmc refinement false"},
		{Termination, Options{}, "bmc recurrence paths integers ranking symex lasso false"},
		{Termination, Options{Unwind: 2}, "bmc true"},
		{Termination, Options{Only: "symex"}, "symex true"},
	} {
		if got := names(Task{Question: c.q, Options: c.o}); got != c.want {
			t.Errorf("%s, %+v: %s, want %s", c.q, c.o, got, c.want)
		}
	}
}

// TestTable: a line is complete, and an engine of a name has one line for a question and
// set of options.
func TestTable(t *testing.T) {
	for _, e := range table {
		if e.Name == "" || e.About == "" || e.Run == nil || e.When == nil || e.Gives == 0 || e.Share < 0 || e.Share > 1 {
			t.Errorf("an incomplete line: %+v", e)
		}
		if e.Behind != "" && (e.Share == 0 || !Answering(e.Behind, e.Question)) {
			t.Errorf("%s is behind what does not run, or has no share", e.Name)
		}
	}
	for _, o := range []Options{{}, {EachCheck: true}, {Heap: true}} {
		for _, q := range []Question{Safety, Termination} {
			engines, _ := Choose(&Task{Question: q, Options: o})
			for i, e := range engines {
				if slices.ContainsFunc(engines[:i], func(x Engine) bool { return x.Name == e.Name }) {
					t.Errorf("%s, %+v: two lines for %s", q, o, e.Name)
				}
			}
		}
	}
	if len(Names()) != strings.Count(strings.Join(Names(), " "), " ")+1 || !Answering("ic3", Safety) || Answering("ic3", Termination) {
		t.Error(Names())
	}
}

// TestAwaitEnd: an engine is waited for while it is at work, and no longer than asked for.
func TestAwaitEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, e, m := newRun(Task{}), &Engine{Name: "one"}, &ir.Module{}
		took := func(engine string) time.Duration {
			begin := time.Now()
			r.awaitEnd(t.Context(), engine, time.Minute)
			return time.Since(begin)
		}
		ended := r.began(m, e)
		if d := took("another"); d != 0 {
			t.Errorf("it waits for what is not at work: %v", d)
		}
		if d := took("one"); d != time.Minute {
			t.Errorf("the limit: %v", d)
		}
		go func() {
			time.Sleep(time.Second)
			r.began(m, &Engine{Name: "another"})(Reply{})
			time.Sleep(time.Second)
			ended(Reply{})
		}()
		if d := took("one"); d != 2*time.Second {
			t.Errorf("the end: %v", d)
		}
	})
}

// adding runs f with more lines in the table.
func adding(engines []Engine, f func()) {
	before := table
	table = append(slices.Clone(table), engines...)
	defer func() { table = before }()
	f()
}

// dummy is a line of the table with an engine that answers v.
func dummy(name string, gives Answers, v verdict.Verdict) Engine {
	return Engine{Name: name, About: "a dummy", Gives: gives, When: byName, Run: func(*run, context.Context, *ir.Module) Reply { return Reply{Verdict: v} }}
}

var (
	holds = verdict.True{Certificate: verdict.Unchecked{Why: "a dummy"}}
	fails = verdict.False{Violation: verdict.Guard{Text: "a dummy"}}
)

// TestDummyEngine: a line in the table is all that the conductor needs to know of an
// engine: it is chosen by its name, listed in the help, and its answer comes out.
func TestDummyEngine(t *testing.T) {
	adding([]Engine{dummy("dummy", True, holds)}, func() {
		a := Decide(t.Context(), Task{Module: &ir.Module{}, Options: Options{Only: "dummy"}})
		if v, ok := a.Verdict.(verdict.True); !ok || v.Certificate != holds.Certificate {
			t.Errorf("%+v", a.Verdict)
		}
		if !slices.Contains(Names(), "dummy") || !strings.Contains(Help(), "a dummy") {
			t.Error("the help does not know it")
		}
	})
}

// failure is what f panics with.
func failure(t *testing.T, f func()) (out *schedule.Failure) {
	t.Helper()
	defer func() {
		var ok bool
		if out, ok = recover().(*schedule.Failure); !ok {
			t.Fatal("no failure")
		}
	}()
	f()
	return nil
}

// sideBySide runs two dummies, and nothing else.
func sideBySide(t *testing.T, a, b Engine) Answer {
	a.When, b.When = always, always
	before := table
	table = []Engine{a, b}
	defer func() { table = before }()
	return Decide(t.Context(), Task{Module: &ir.Module{}})
}

func TestAnswersThatMustNotBe(t *testing.T) {
	f := failure(t, func() { sideBySide(t, dummy("a", True, fails), dummy("b", True, nil)) })
	if f.Engine != "a" || !strings.Contains(f.Error(), "cannot") {
		t.Errorf("an engine that answers what it cannot: %v", f)
	}
	f = failure(t, func() { sideBySide(t, dummy("a", True, holds), dummy("b", False, fails)) })
	if !strings.Contains(f.Error(), "contradict") {
		t.Errorf("a contradiction: %v", f)
	}
}

// TestReasons: those of engines that gave up are put together, but not those of engines
// that were ended, or that say nothing by that.
func TestReasons(t *testing.T) {
	why := func(text string) verdict.Unknown {
		return verdict.Unknown{Reasons: []verdict.Reason{{Cause: verdict.CauseUnwinding, Text: text}}}
	}
	reasons := func(a Answer) (out []string) {
		for _, r := range a.Verdict.(verdict.Unknown).Reasons {
			out = append(out, r.Text)
		}
		return out
	}
	if got := reasons(sideBySide(t, dummy("a", True, why("x")), dummy("b", False, why("y")))); !slices.Equal(got, []string{"x", "y"}) {
		t.Errorf("got %q", got)
	}
	if got := reasons(sideBySide(t, dummy("a", True, why("x")), dummy("b", False, why("x")))); !slices.Equal(got, []string{"x"}) {
		t.Errorf("twice the same: got %q", got)
	}
	quiet := dummy("b", False, why("y"))
	quiet.Quiet = true
	if got := reasons(sideBySide(t, dummy("a", True, why("x")), quiet)); !slices.Equal(got, []string{"x"}) {
		t.Errorf("a quiet engine: got %q", got)
	}
	stuck := dummy("a", True, nil)
	stuck.Run = func(*run, context.Context, *ir.Module) Reply {
		return Reply{Verdict: why("unsupported"), Hopeless: true}
	}
	ended := dummy("b", False, nil)
	ended.Run = func(_ *run, ctx context.Context, _ *ir.Module) Reply {
		<-ctx.Done()
		return Reply{Verdict: why("the time limit was reached")}
	}
	late := dummy("c", False, nil)
	late.Start = time.Hour
	if got := reasons(sideBySide(t, stuck, ended)); !slices.Equal(got, []string{"unsupported"}) {
		t.Errorf("an engine that was ended: got %q", got)
	}
	if got := reasons(sideBySide(t, stuck, late)); !slices.Equal(got, []string{"unsupported"}) {
		t.Errorf("an engine that never began: got %q", got)
	}
}
