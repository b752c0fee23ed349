package conductor

import (
	"slices"
	"testing"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

const fourChecks = `module 64 entry @main
func @main() {
entry:
  %x = nondet i32 input "x"
  %a = ult i1 %x, i32 10
  check assertion %a "a"
  %b = ult i1 %x, i32 20
  check assertion %b "b"
  %p = alloca ptr i64 4 align 4
  store %x, %p
  %y = load i32 %p
  %c = ult i1 %y, i32 30
  check overflow %c "c"
  halt exit
}
`

// TestQuestions: what is refuted is left out of a question if it can be, and else the question asks for nothing of its kind;
// what is proved stays.
func TestQuestions(t *testing.T) {
	m, err := ir.Parse(fourChecks)
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(Task{Module: m, Targets: []ir.CheckKind{ir.Assertion, ir.Overflow, ir.InvalidDeref}})
	s := &sets{r: r, m: m}
	all := r.sites(m)
	if len(all) != 5 {
		t.Fatalf("%d checks: %v", len(all), all)
	}
	q, kinds, asked := s.question(all)
	if q != m || len(kinds) != 3 || len(asked) != 5 {
		t.Errorf("the first question: %v, %d checks", kinds, len(asked))
	}
	if parts := s.divide(all); len(parts) != 3 {
		t.Errorf("divided by kinds: %v", parts)
	}
	refute := func(x verdict.Site) {
		r.violated(m, CheckResult{Guard: verdict.Guard{Kind: x.Kind, Func: x.Func}, Value: x.Value, Verdict: verdict.False{}})
	}
	first := all[0]
	refute(first)
	before := ir.Print(m)
	q, kinds, asked = s.question(all)
	if q == m || len(kinds) != 3 || len(asked) != 4 || slices.Contains(asked, first) {
		t.Errorf("one is refuted: %v, %d checks", kinds, len(asked))
	}
	if d := q.Func("main").Def(first.Value); !q.Func("main").Def(d.Args[0]).Const.IsTrue() {
		t.Error("it is not left out")
	}
	if ir.Print(m) != before {
		t.Error("the program has changed")
	}
	if err := ir.Verify(q); err != nil {
		t.Error(err)
	}
	access := all[slices.IndexFunc(all, func(x verdict.Site) bool { return x.Kind == ir.InvalidDeref })]
	refute(access)
	if _, kinds, asked = s.question(all); len(kinds) != 2 || len(asked) != 2 {
		t.Errorf("an access is refuted: %v, %d checks", kinds, len(asked))
	}
	r.prove(t.Context(), m, part{}, slices.DeleteFunc(slices.Clone(all), func(x verdict.Site) bool { return x != all[1] }), "test", false)
	if q, _, asked = s.question(all); len(asked) != 1 || asked[0] != all[1] {
		t.Errorf("the others are proved: %v", asked)
	}
	if open := r.open(m); len(open) != 1 || r.allProved(m) {
		t.Errorf("open: %v", open)
	}
}
