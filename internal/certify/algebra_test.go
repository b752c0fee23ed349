package certify

import (
	"context"
	"strings"
	"testing"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// cubes computes i^3 by additions, and checks it.
const cubes = `module 64 entry @main
file "a.c"

global @g size 4 align 4

func @main() {
entry:
  br head
head:
  %i = phi i16 [i16 0, entry], [%i2, body]
  %x = phi i16 [i16 0, entry], [%x2, body]
  %y = phi i16 [i16 1, entry], [%y2, body]
  %z = phi i16 [i16 6, entry], [%z2, body]
  %s = mul i16 %i, %i
  %c = mul i16 %s, %i
  %ok = eq i1 %x, %c
  check assertion %ok "x == i*i*i" !0:3:1
  %end = eq i1 %i, i16 9999
  condbr %end, out, body
body:
  %i2 = add i16 %i, i16 1
  %x2 = add i16 %x, %y
  %y2 = add i16 %y, %z
  %z2 = add i16 %z, i16 6
  br head
out:
  ret
}
`

// product is a monomial of phis of the head; where a name is missing it is 1.
func product(m *ir.Module, coeff int64, phis ...int) invariant.Monomial {
	f := m.Func("main")
	x := invariant.Monomial{Coeff: uint64(coeff) & 0xffff}
	for _, n := range phis {
		v := f.Blocks[2].Instrs[n]
		x.Factors = append(x.Factors, invariant.Term{Coeff: 1, Value: v, Bits: f.Values[v].Type.Bits, Signed: true})
	}
	return x
}

// TestPolynomials: equations between products are proved by calculation, and wrong ones
// are not.
func TestPolynomials(t *testing.T) {
	m := parse(t, cubes)
	head := label(t, m, "main", "head")
	if head != 2 {
		t.Fatal(head)
	}
	const i, x, y, z = 0, 1, 2, 3
	sum := func(ms ...invariant.Monomial) invariant.Predicate {
		return &invariant.Polynomial{Width: 16, Monomials: ms}
	}
	one := func(c int64, phis ...int) invariant.Monomial { return product(m, c, phis...) }
	cube := sum(one(1, x), one(-1, i, i, i))
	square := sum(one(1, y), one(-3, i, i), one(-3, i), one(-1))
	line := sum(one(1, z), one(-6, i), one(-6))
	wide := &invariant.Polynomial{Width: 8, Monomials: []invariant.Monomial{one(1, z), one(-6, i), one(-6)}}
	for _, test := range []struct {
		name       string
		predicates []invariant.Predicate
		want       string
	}{
		{"all", []invariant.Predicate{cube, square, line}, "ok"},
		{"the property is the first", []invariant.Predicate{square, line}, "ok"},
		{"a coefficient", []invariant.Predicate{cube, sum(one(1, y), one(-3, i, i), one(-5, i), one(-1)), line}, "rejected"},
		{"a constant", []invariant.Predicate{cube, square, sum(one(1, z), one(-6, i), one(-7))}, "rejected"},
		{"one is missing", []invariant.Predicate{cube, square}, "rejected"},
		{"too wide", []invariant.Predicate{wide}, "incomplete: the certificate has not the right form"},
	} {
		t.Run(test.name, func(t *testing.T) {
			cert := &verdict.Induction{K: 1, Algebraic: true, Heads: []invariant.Head{{Func: "main", Head: head, Predicates: test.predicates}}}
			o := Options{Targets: []ir.CheckKind{ir.Assertion}}
			got := result(Induction(context.Background(), m, o, cert))
			if !strings.HasPrefix(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
			checker, _ := Induction(context.Background(), m, o, cert)
			if test.want == "ok" && !strings.Contains(checker, "calculation") {
				t.Errorf("accepted %s", checker)
			}
		})
	}
}
