package integerize

import (
	"context"
	"testing"

	"assay/internal/ir"
	"assay/internal/ir/interp"
	"assay/internal/recurrence"
)

// Evidence found on the system, taken back to the program.

func parsed(t *testing.T, text string) *ir.Module {
	t.Helper()
	m, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestInfiniteRuns: a recurrence of the system becomes a run that goes on.
func TestInfiniteRuns(t *testing.T) {
	m := parsed(t, `module 64 entry @main
global @g size 4 align 4
func @main() {
  %10 = globaladdr @g
entry:
  %1 = nondet i32 input "x"
  store %1, @g
  br head
head:
  %2 = phi i32 [%1, entry], [%5, body]
  %3 = load i32 @g
  %6 = slt i1 i32 3, %3
  condbr %6, body, exit
body:
  %4 = nondet i32 input "y"
  %7 = slt i1 i32 0, %4
  assume %7
  %5 = sub i32 %2, i32 1
  %8 = sub i32 %3, %4
  store %8, @g
  %9 = slt i1 %8, i32 7
  %11 = select i32 %9, i32 1000, %8
  store %11, @g
  br head
exit:
  halt exit
}
`)
	p := translated(t, m, Options{})
	r, ok := recurrence.Refute(context.Background(), p.System, recurrence.Options{}).(recurrence.Refuted)
	if !ok {
		t.Fatalf("no recurrence\n%s", p.System)
	}
	run, err := p.InfiniteRun(r.Evidence, 20)
	if err != nil {
		t.Fatal(err)
	}
	visits := 0
	out, err := interp.Run(context.Background(), m, interp.Options{Oracle: interp.Replay(run.Input), Blocks: true, Observe: func(e interp.Event) {
		if e.Kind == interp.BlockEntered && e.Block == 2 {
			visits++
		}
	}})
	if err != nil || out.End != interp.OutOfChoices || visits < 20 {
		t.Errorf("%v %v after %d visits\n%s", out, err, visits, r.Evidence.Format(p.System))
	}
}
