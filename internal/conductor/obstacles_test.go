package conductor

import (
	"strings"
	"testing"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/transform/cut"
)

// TestObstacles: engines whose time was over have one line, about the first open check; what names a place comes
// before what does not, quiet engines come last, and repetitions are dropped.
func TestObstacles(t *testing.T) {
	f := &ir.Func{Name: "main", Pos: ir.Pos{Line: 1}}
	m := &ir.Module{Entry: "main", Funcs: []*ir.Func{f}}
	at := func(line int32) ir.Pos { return ir.Pos{Line: line} }
	loud, loud2, quiet := &Engine{Name: "induction"}, &Engine{Name: "paths"}, &Engine{Name: "symex", Quiet: true}
	r := newRun(Task{Module: m})
	open := &verdict.CheckCount{Proved: 3, Open: []verdict.Guard{{Text: "invalid read", Func: "main", Pos: at(7)}, {Text: "invalid write", Func: "main", Pos: at(9)}}}
	uncut := verdict.Reason{Cause: verdict.CauseUnwinding, Text: "the loop cannot be cut", Func: "main", Pos: at(5)}
	list := []heard{
		{engine: &Engine{Name: "bmc"}, reasons: []verdict.Reason{{Cause: verdict.CauseTimeout, Text: "the time limit was reached; no violation within 2 unwindings"}}},
		{engine: &Engine{Name: "abstract", Quiet: true}, reasons: []verdict.Reason{{Cause: verdict.CauseInexact, Func: "main", Pos: at(7), Checks: open}}},
		{engine: loud, reasons: []verdict.Reason{uncut, uncut}},
		{engine: loud2, atWork: true},
		{engine: quiet, reasons: []verdict.Reason{{Cause: verdict.CauseInexact, Text: "no place"}, {Cause: verdict.CauseInexact, Text: "quiet", Func: "main", Pos: at(3)}}},
	}
	got := r.obstacles(m, list, nil)
	if len(got) != 3 {
		t.Fatalf("%d reasons: %v", len(got), got)
	}
	first := got[0]
	if first.Pos != at(7) || first.Checks != open || !strings.Contains(first.Text, "invalid read (the first of 2 open checks)") ||
		!strings.Contains(first.Text, "at work: bmc (no violation within 2 unwindings), paths") || first.Hint == "" {
		t.Errorf("the time: %+v", first)
	}
	if got[1].Text != uncut.Text || got[2].Text != "quiet" {
		t.Errorf("then %q, %q", got[1].Text, got[2].Text)
	}
	if got[2].Hint == "" {
		t.Error("no hint about what may be a false alarm")
	}
	// If somebody ends them, it is that reason.
	got = r.obstacles(m, list, &verdict.Reason{Cause: verdict.CauseInterrupt, Text: "the run was interrupted"})
	if got[0].Cause != verdict.CauseInterrupt || !strings.HasPrefix(got[0].Text, "the run was interrupted; it is open") {
		t.Errorf("interrupted: %+v", got[0])
	}
	// If all gave up, what is open is said by the engine that knows it.
	got = r.obstacles(m, list[1:3], nil)
	if len(got) != 2 || got[0].Text != uncut.Text || got[1].Checks != open {
		t.Errorf("all gave up: %v", got)
	}
}

// TestOpenLoop: the time of a question about termination is over at a loop without ranking functions, not at the first one.
func TestOpenLoop(t *testing.T) {
	m, err := ir.Parse(`module 64 entry @main
file "a.c"

func @main() {
entry:
  br one
one:
  %a = nondet i1 input "a" !0:3:1
  condbr %a, one, two
two:
  %b = nondet i1 input "b" !0:7:1
  condbr %b, two, three
three:
  %c = nondet i1 input "c" !0:9:1
  condbr %c, three, exit
exit:
  halt exit
}
`)
	if err != nil {
		t.Fatal(err)
	}
	loops, err := cut.Loops(m)
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(Task{Module: m, Question: Termination})
	line := func() int32 { return r.timeOver(m, nil, nil, nil).Pos.Line }
	if got := line(); got != loops[0].Pos().Line {
		t.Errorf("nothing is known: line %d", got)
	}
	r.unranked(loops[1:])
	r.unranked([]*cut.Loop{loops[0], loops[2]})
	if got := line(); got != loops[2].Pos().Line {
		t.Errorf("one is open whatever is looked at: line %d", got)
	}
	r.unranked(loops[:1]) // what was open is ranked now, as far as is known
	if got := line(); got != loops[0].Pos().Line {
		t.Errorf("another is open at last: line %d", got)
	}
}
