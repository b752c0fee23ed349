package ssa

import (
	"testing"

	"assay/internal/logic/smt"
	"assay/internal/logic/smt/bitblast"
	"assay/internal/logic/term"
	"assay/internal/program/ir"
)

// satisfiable says whether a run satisfies a condition of a formula.
func satisfiable(t *testing.T, st *term.Store, f *Formula, conds ...term.ID) bool {
	t.Helper()
	solver := bitblast.New(st, bitblast.Options{})
	defer solver.Close()
	for _, x := range f.Facts {
		solver.Assert(x)
	}
	solver.Assert(st.OrAll(conds...))
	status, err := solver.Check(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return status == smt.Sat
}

// TestDepths unwinds programs deeper and deeper: at each depth, whether a run violates the
// assertion, and whether one goes on beyond the unwinding.
func TestDepths(t *testing.T) {
	for _, c := range []struct {
		name, text string
		// violated and limited, for the depths 1 to 4.
		violated, limited [4]bool
	}{
		{"a loop that ends", `module 64 entry @main
func @main() {
entry:
  %n = nondet i8 input "n"
  %small = ult i1 %n, i8 4
  assume %small
  br head
head:
  %i = phi i8 [i8 0, entry], [%j, body]
  %more = ult i1 %i, %n
  condbr %more, body, exit
body:
  %j = add i8 %i, i8 1
  br head
exit:
  %ok = ne i1 %i, i8 2
  check assertion %ok "i"
  halt exit
}
`, [4]bool{false, true, true, true}, [4]bool{true, true, false, false}},
		{"a recursion that ends", `module 64 entry @main
func @f(%n: i8) -> i8 {
entry:
  %zero = eq i1 %n, i8 0
  condbr %zero, end, more
end:
  ret i8 0
more:
  %m = sub i8 %n, i8 1
  %r = call i8 @f(%m)
  %s = add i8 %r, i8 2
  ret %s
}
func @main() {
entry:
  %n = nondet i8 input "n"
  %small = ult i1 %n, i8 3
  assume %small
  %r = call i8 @f(%n)
  %ok = ne i1 %r, i8 4
  check assertion %ok "r"
  halt exit
}
`, [4]bool{false, true, true, true}, [4]bool{true, false, false, false}},
		{"memory", `module 64 entry @main
global @a size 4 align 1
func @main() {
entry:
  %n = nondet i64 input "n"
  %in = ult i1 %n, i64 4
  assume %in
  %p = ptradd ptr @a, %n
  store i8 7, %p
  %x = load i8 @a
  %ok = eq i1 %x, i8 0
  check assertion %ok "a[0]"
  halt exit
}
`, [4]bool{true, true, true, true}, [4]bool{}},
	} {
		m, err := ir.Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		st := term.NewStore()
		u := New(m, st, Options{Targets: []ir.CheckKind{ir.Assertion}})
		for depth := 1; depth <= 4; depth++ {
			u.Default = depth
			f, err := u.Encode(t.Context())
			if err != nil || len(f.Obstacles) > 0 {
				t.Fatal(err, f)
			}
			var violations, limits []term.ID
			for _, e := range f.Violations {
				violations = append(violations, e.Cond)
			}
			for _, l := range f.Limits {
				limits = append(limits, l.Cond)
			}
			if got := satisfiable(t, st, f, violations...); got != c.violated[depth-1] {
				t.Errorf("%s, depth %d: violated %v", c.name, depth, got)
			}
			if got := satisfiable(t, st, f, limits...); got != c.limited[depth-1] {
				t.Errorf("%s, depth %d: limited %v", c.name, depth, got)
			}
		}
	}
}
