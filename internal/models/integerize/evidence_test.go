package integerize

import (
	"context"
	"testing"

	"assay/internal/certify"
	"assay/internal/engines/bitranking"
	"assay/internal/integers/ranking"
	"assay/internal/integers/refutation"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
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

// ending are programs that end, with arguments of several kinds.
var ending = []struct{ name, text string }{
	{"a counter", `module 64 entry @main
func @main() {
entry:
  %1 = nondet i32 input "n"
  br head
head:
  %2 = phi i32 [i32 0, entry], [%4, body]
  %3 = slt i1 %2, %1
  condbr %3, body, exit
body:
  %4 = add i32 %2, i32 1
  br head
exit:
  halt exit
}
`},
	{"the inner loop changes what the outer one counts", `module 64 entry @main
func @main() {
entry:
  %1 = nondet i32 input "n"
  br outer
outer:
  %2 = phi i32 [%1, entry], [%8, inner]
  %3 = slt i1 i32 0, %2
  condbr %3, enter, exit
enter:
  %4 = sub i32 %2, i32 1
  br inner
inner:
  %8 = phi i32 [%4, enter], [%5, body]
  %6 = nondet i1 input "b"
  %9 = slt i1 i32 5, %8
  %7 = and i1 %6, %9
  condbr %7, body, outer
body:
  %5 = sub i32 %8, i32 2
  br inner
exit:
  halt exit
}
`},
	{"phases", `module 64 entry @main
func @main() {
entry:
  %1 = nondet i8 input "x"
  %2 = nondet i8 input "y"
  br head
head:
  %3 = phi i8 [%1, entry], [%6, body]
  %4 = phi i8 [%2, entry], [%7, body]
  %5 = slt i1 i8 0, %3
  %8 = slt i1 i8 -100, %4
  %9 = slt i1 %3, i8 50
  %10 = slt i1 %4, i8 50
  %11 = and i1 %5, %8
  %12 = and i1 %9, %10
  %13 = and i1 %11, %12
  condbr %13, body, exit
body:
  %6 = add i8 %3, %4
  %7 = sub i8 %4, i8 1
  br head
exit:
  halt exit
}
`},
	{"a lexicographic order", `module 64 entry @main
func @main() {
entry:
  %1 = nondet i32 input "x"
  %2 = nondet i32 input "y"
  br head
head:
  %3 = phi i32 [%1, entry], [%6, first], [%3, second]
  %4 = phi i32 [%2, entry], [%14, first], [%7, second]
  %5 = slt i1 i32 0, %3
  %8 = slt i1 i32 0, %4
  %11 = and i1 %5, %8
  condbr %11, body, exit
body:
  %12 = nondet i1 input "b"
  condbr %12, first, second
first:
  %6 = sub i32 %3, i32 1
  %14 = nondet i32 input "z"
  br head
second:
  %7 = sub i32 %4, i32 1
  br head
exit:
  halt exit
}
`},
}

// TestArguments: an argument of the system becomes functions and invariants that are
// accepted on the bit-vectors.
func TestArguments(t *testing.T) {
	for _, e := range ending {
		t.Run(e.name, func(t *testing.T) {
			m := parsed(t, e.text)
			p := translated(t, m, Options{})
			r, ok := ranking.Prove(context.Background(), p.System, ranking.Options{}).(ranking.Proved)
			if !ok {
				t.Fatalf("no argument\n%s", p.System)
			}
			var hints []bitranking.Hint
			for _, l := range p.Argument(r.Argument) {
				if len(l.Functions) == 0 {
					t.Error("no function for a loop")
				}
				hints = append(hints, bitranking.Hint{Func: l.Func.Name, Head: l.Head, Functions: l.Functions, Predicates: l.Predicates})
			}
			b := bitranking.Prove(context.Background(), m, hints)
			if b.Proof == nil {
				t.Fatalf("%v\n%s", b.Why, r.Argument.Format(p.System))
			}
			if _, err := certify.Ranking(context.Background(), m, certify.Options{}, b.Proof); err != nil {
				t.Fatal(err)
			}
		})
	}
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
	r, ok := refutation.Refute(context.Background(), p.System, refutation.Options{}).(refutation.Refuted)
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
