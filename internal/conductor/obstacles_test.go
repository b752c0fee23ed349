package conductor

import (
	"strings"
	"testing"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
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
