package certify

import (
	"math/big"
	"strings"
	"testing"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// undone adds up the first n elements of an array, and takes them away again.
const undone = `module 64 entry @main

global @a size 400 align 4 cell 4
global @b size 400 align 4 cell 4

func @main() {
entry:
  havoc @a, i64 400
  havoc @b, i64 400
  %n = nondet i32 input "n"
  %few = ule i1 %n, i32 90
  assume %few
  br first
first:
  %i = phi i32 [i32 0, entry], [%i2, body1]
  %s = phi i32 [i32 0, entry], [%s2, body1]
  %c1 = slt i1 %i, %n
  condbr %c1, body1, second
body1:
  %x = sext i64 %i
  %o = mul i64 %x, i64 4
  %p = ptradd ptr @a, %o
  %v = load i32 %p
  %s2 = add i32 %s, %v
  %i2 = add i32 %i, i32 1
  br first
second:
  %j = phi i32 [i32 0, first], [%j2, body2]
  %t = phi i32 [%s, first], [%t2, body2]
  %c2 = slt i1 %j, %n
  condbr %c2, body2, exit
body2:
  %y = sext i64 %j
  %q = mul i64 %y, i64 4
  %r = ptradd ptr @a, %q
  %w = load i32 %r
  %t2 = sub i32 %t, %w
  %j2 = add i32 %j, i32 1
  br second
exit:
  %z = eq i1 %t, i32 0
  check assertion %z "t == 0"
  %addresses = eq i1 @a, @b
  halt exit
}
`

// TestElementSums has sums of elements accepted, and none that is changed a little.
func TestElementSums(t *testing.T) {
	type change func(first, second *invariant.SumEquation, c *verdict.Induction)
	for name, x := range map[string]struct {
		change change
		text   [2]string // replaced in the program
		want   string
	}{
		"as they are": {want: "ok"},
		"k 1":         {change: func(_, _ *invariant.SumEquation, c *verdict.Induction) { c.K = 1 }, want: "ok"},
		"k 2":         {change: func(_, _ *invariant.SumEquation, c *verdict.Induction) { c.K = 2 }, want: "ok"},
		"constant":    {change: func(e, _ *invariant.SumEquation, _ *verdict.Induction) { e.Constant = 1 }, want: "rejected: invariant"},
		"twice":       {change: func(e, _ *invariant.SumEquation, _ *verdict.Induction) { e.Sums[0].Coeff = -2 }, want: "rejected: invariant"},
		"one more":    {change: func(e, _ *invariant.SumEquation, _ *verdict.Induction) { e.Sums[0].Count.Const = big.NewInt(1) }, want: "rejected: invariant"},
		"one later":   {change: func(e, _ *invariant.SumEquation, _ *verdict.Induction) { e.Sums[0].Offset = 4 }, want: "rejected: invariant"},
		"between":     {change: func(e, _ *invariant.SumEquation, _ *verdict.Induction) { e.Sums[0].Offset = 2 }, want: "incomplete: the elements of a sum"},
		"other sign":  {change: func(_, e *invariant.SumEquation, _ *verdict.Induction) { e.Sums[1].Coeff = -1 }, want: "rejected: "},
		"not all":     {change: func(_, e *invariant.SumEquation, _ *verdict.Induction) { e.Sums[0].Count.Const = big.NewInt(-1) }, want: "rejected: "},
		"halves":      {change: func(e, _ *invariant.SumEquation, _ *verdict.Induction) { e.Width = 16 }, want: ""},
		"no width":    {change: func(e, _ *invariant.SumEquation, _ *verdict.Induction) { e.Width = 31 }, want: "incomplete: the certificate has not the right form"},
		"no count":    {change: func(e, _ *invariant.SumEquation, _ *verdict.Induction) { e.Sums[0].Count.Const = nil }, want: "incomplete: the certificate has not the right form"},
		"large count": {change: func(e, _ *invariant.SumEquation, _ *verdict.Induction) {
			e.Sums[0].Count.Const = new(big.Int).Lsh(big.NewInt(1), 63)
		}, want: "incomplete: the certificate has not the right form"},
		"without first":   {change: func(_, _ *invariant.SumEquation, c *verdict.Induction) { c.Heads = c.Heads[1:] }, want: "rejected: "},
		"without second":  {change: func(_, _ *invariant.SumEquation, c *verdict.Induction) { c.Heads = c.Heads[:1] }, want: "rejected: "},
		"another element": {text: [2]string{"%r = ptradd ptr @a", "%r = ptradd ptr @b"}, want: "rejected: invariant"},
		"written between": {text: [2]string{"  %j2 = add", "  %any = nondet i32 input \"any\"\n  store %any, %r\n  %j2 = add"}, want: "rejected: invariant"},
		"plus":            {text: [2]string{"%t2 = sub i32 %t, %w", "%t2 = add i32 %t, %w"}, want: "rejected: invariant"},
	} {
		t.Run(name, func(t *testing.T) {
			text := undone
			if x.text[0] != "" {
				text = strings.Replace(text, x.text[0], x.text[1], 1)
			}
			m := parse(t, text)
			f := m.Func("main")
			head := func(name string) ir.BlockID {
				for b := range f.Blocks {
					if f.Blocks[b].Name == name {
						return ir.BlockID(b)
					}
				}
				t.Fatal(name)
				return 0
			}
			value := func(op ir.Op, sym string) ir.Value {
				for v := range f.Values {
					if f.Values[v].Op == op && (sym == "" || f.Values[v].Sym == sym) {
						return ir.Value(v)
					}
				}
				t.Fatal(sym)
				return 0
			}
			array, n := value(ir.GlobalAddr, "a"), value(ir.Nondet, "n")
			integer := func(c int64, v ir.Value) invariant.Term {
				return invariant.Term{Coeff: c, Value: v, Bits: 32, Signed: true}
			}
			count := func(v ir.Value) invariant.Sum {
				return invariant.Sum{Terms: []invariant.Term{integer(1, v)}, Const: new(big.Int)}
			}
			phis := func(b ir.BlockID) (i, s ir.Value) { return f.Blocks[b].Instrs[0], f.Blocks[b].Instrs[1] }
			bounds := func(i ir.Value) []invariant.Predicate {
				return []invariant.Predicate{
					invariant.Comparison{Terms: []invariant.Term{integer(-1, i)}, Bound: new(big.Int)},
					invariant.Comparison{Terms: []invariant.Term{integer(1, i), integer(-1, n)}, Bound: new(big.Int)},
				}
			}
			one, two := head("first"), head("second")
			i, s := phis(one)
			j, u := phis(two)
			first := &invariant.SumEquation{Width: 32, Terms: []invariant.Term{integer(1, s)}, Sums: []invariant.ElementSum{{Coeff: -1, Base: array, Count: count(i)}}}
			second := &invariant.SumEquation{Width: 32, Terms: []invariant.Term{integer(1, u)}, Sums: []invariant.ElementSum{
				{Coeff: -1, Base: array, Count: count(n)}, {Coeff: 1, Base: array, Count: count(j)},
			}}
			cert := &verdict.Induction{Heads: []invariant.Head{
				{Func: "main", Head: one, Predicates: append(bounds(i), first)},
				{Func: "main", Head: two, Predicates: append(bounds(j), second)},
			}}
			if x.change != nil {
				x.change(first, second, cert)
			}
			got := result(Induction(t.Context(), m, assertions, cert))
			if x.want == "" && got == "ok" || !strings.HasPrefix(got, x.want) {
				t.Errorf("got %q, want %q", got, x.want)
			}
		})
	}
}
