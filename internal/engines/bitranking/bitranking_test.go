package bitranking

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"assay/internal/certify"
	"assay/internal/evidence/invariant"
	"assay/internal/program/ir"
)

// nested is a program of n loops, each counting up to an arbitrary number, one
// in the other.
func nested(n int) string {
	var open, close strings.Builder
	for k := range n {
		from := "entry"
		if k > 0 {
			from = fmt.Sprintf("body%d", k-1)
		}
		inner := fmt.Sprintf("head%d", k+1)
		if k == n-1 {
			inner = fmt.Sprintf("next%d", k)
		}
		fmt.Fprintf(&open, "head%d:\n  %%i%d = phi i32 [i32 0, %s], [%%j%d, next%d]\n  %%c%d = slt i1 %%i%d, %%n%d\n", k, k, from, k, k, k, k, k)
		exit := "exit"
		if k > 0 {
			exit = fmt.Sprintf("next%d", k-1)
		}
		fmt.Fprintf(&open, "  condbr %%c%d, body%d, %s\nbody%d:\n  br %s\n", k, k, exit, k, inner)
		fmt.Fprintf(&close, "next%d:\n  %%j%d = add i32 %%i%d, i32 1\n  br head%d\n", k, k, k, k)
	}
	return wrap(n, open.String()+close.String())
}

// sequence is a program of n such loops, one after the other.
func sequence(n int) string {
	var b strings.Builder
	for k := range n {
		from, exit := "entry", "exit"
		if k > 0 {
			from = fmt.Sprintf("head%d", k-1)
		}
		if k < n-1 {
			exit = fmt.Sprintf("head%d", k+1)
		}
		fmt.Fprintf(&b, "head%d:\n  %%i%d = phi i32 [i32 0, %s], [%%j%d, body%d]\n  %%c%d = slt i1 %%i%d, %%n%d\n", k, k, from, k, k, k, k, k)
		fmt.Fprintf(&b, "  condbr %%c%d, body%d, %s\nbody%d:\n  %%j%d = add i32 %%i%d, i32 1\n  br head%d\n", k, k, exit, k, k, k, k)
	}
	return wrap(n, b.String())
}

func wrap(n int, loops string) string {
	var b strings.Builder
	b.WriteString("module 64 entry @main\nfunc @main() {\nentry:\n")
	for k := range n {
		fmt.Fprintf(&b, "  %%n%d = nondet i32 input \"n\"\n", k)
	}
	return b.String() + "  br head0\n" + loops + "exit:\n  halt exit\n}\n"
}

func parse(t testing.TB, text string) *ir.Module {
	t.Helper()
	m, err := ir.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	return m
}

func prove(t testing.TB, m *ir.Module) {
	t.Helper()
	r := Prove(t.Context(), m, nil)
	if r.Proof == nil {
		t.Fatal(r.Why)
	}
	if _, err := certify.Ranking(t.Context(), m, certify.Options{}, r.Proof); err != nil {
		t.Fatal(err)
	}
}

// A hint may speak of values that no candidate speaks of, also when all else has failed
// and invariants are guessed.
func TestHintOfOtherValues(t *testing.T) {
	m := parse(t, `module 64 entry @main
func @main() {
entry:
  %a = nondet i32 input "a"
  %b = mul i32 %a, i32 3
  br head
head:
  %i = phi i32 [i32 0, entry], [%j, body]
  %c = ne i1 %i, i32 7
  condbr %c, body, exit
body:
  %j = xor i32 %i, i32 1
  br head
exit:
  halt exit
}
`)
	f := m.Funcs[0]
	b := f.Blocks[1].Instrs[1]
	hint := Hint{Func: "main", Head: 2, Predicates: []invariant.Predicate{invariant.Comparison{
		Relation: invariant.AtMost, Bound: big.NewInt(5), Terms: []invariant.Term{{Value: b, Bits: 32, Coeff: 1, Signed: true}},
	}}}
	var unranked *ErrUnranked
	if r := Prove(t.Context(), m, []Hint{hint}); !errors.As(r.Why, &unranked) {
		t.Errorf("want no ranking function, got %v, %v", r.Proof, r.Why)
	}
}

func TestNested(t *testing.T) {
	for n := 1; n <= 3; n++ {
		prove(t, parse(t, nested(n)))
	}
}

func TestSequence(t *testing.T) { prove(t, parse(t, sequence(8))) }

// The cost must grow with the number of loops, not with that of paths: there are
// as many paths as the loops have iterations, multiplied.
func BenchmarkNested(b *testing.B) {
	for n := 1; n <= 6; n++ {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m := parse(b, nested(n))
			for b.Loop() {
				prove(b, m)
			}
		})
	}
}

func BenchmarkSequence(b *testing.B) {
	for _, n := range []int{1, 5, 10, 20, 40} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			m := parse(b, sequence(n))
			for b.Loop() {
				prove(b, m)
			}
		})
	}
}
