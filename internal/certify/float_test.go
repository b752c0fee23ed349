package certify

import (
	"context"
	"math"
	"math/big"
	"strings"
	"testing"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// filterText is y = y/2 + x/2 for inputs x from 0 to 10, kept in a phi, in a global h,
// and now and then in a global g, and checked, now and then, to be at most 10; of the global it is checked that it
// is no NaN.
const filterText = `module 64 entry @main
file "a.c"
global @g size 4 align 4
global @h size 4 align 4

func @main() {
entry:
  br head
head:
  %y = phi f32 [f32 0x0, entry], [%next, body]
  %x = nondet f32 input "x"
  %low = fle i1 f32 0x0, %x
  %high = fle i1 %x, f32 0x41200000
  %in = and i1 %low, %high
  assume %in
  br body
body:
  %a = fmul f32 %y, f32 0x3f000000
  %b = fmul f32 %x, f32 0x3f000000
  %next = fadd f32 %a, %b
  %quiet = nondet i1 input "quiet"
  %most = fle i1 %y, f32 0x41200000
  %ok = or i1 %quiet, %most
  check assertion %ok "y <= 10"
  %z = load f32 @g
  %same = feq i1 %z, %z
  %number = or i1 %quiet, %same
  check assertion %number "g == g"
  %keep = select f32 %quiet, %z, %next
  store %keep, @g
  store %next, @h
  br head
}
`

// TestFloatPredicates has bounds and orders that hold, that are too strong, and that
// are none.
func TestFloatPredicates(t *testing.T) {
	m := parse(t, filterText)
	f := m.Func("main")
	y := f.Blocks[2].Instrs[0]
	var g, h ir.Value
	for v := range f.Values {
		switch d := f.Def(ir.Value(v)); {
		case d.Op == ir.GlobalAddr && d.Sym == "g":
			g = ir.Value(v)
		case d.Op == ir.GlobalAddr:
			h = ir.Value(v)
		}
	}
	float := func(v ir.Value, coeff int64) invariant.Term {
		return invariant.Term{Coeff: coeff, Value: v, Cell: v == g || v == h, Bits: 32, Signed: true, Float: true}
	}
	at := func(v float64) int64 { return invariant.Position(bv.New(32, uint64(math.Float32bits(float32(v))))) }
	most := func(v ir.Value, b float64) invariant.Order {
		return invariant.Order{Terms: []invariant.Term{float(v, 1)}, Bound: big.NewInt(at(b))}
	}
	least := func(v ir.Value, b float64) invariant.Order {
		return invariant.Order{Terms: []invariant.Term{float(v, -1)}, Bound: big.NewInt(-at(b))}
	}
	order := func(a, b ir.Value, bound int64) invariant.Order {
		return invariant.Order{Terms: []invariant.Term{float(a, 1), float(b, -1)}, Bound: big.NewInt(bound)}
	}
	ps := func(p ...invariant.Predicate) []invariant.Predicate { return p }
	integer := most(y, 10)
	integer.Terms[0].Float = false
	narrow := most(y, 10)
	narrow.Terms[0].Bits = 64
	body := invariant.Comparison{Terms: []invariant.Term{float(g, 1)}, Bound: big.NewInt(at(10))}
	constant := func(n int64) invariant.Sum { return invariant.Sum{Const: big.NewInt(n)} }
	ranged := invariant.ForAll{Range: invariant.Range{From: constant(0), To: constant(3)}, Body: body}
	to := invariant.ForAll{Range: invariant.Range{From: constant(0), To: invariant.Sum{Const: new(big.Int), Terms: []invariant.Term{float(y, 1)}}}, Body: invariant.Comparison{Bound: new(big.Int)}}
	unequal := invariant.Comparison{Terms: []invariant.Term{float(y, 1)}, Relation: invariant.NotEqual, Bound: new(big.Int)}
	guard := invariant.Guarded{If: []invariant.Comparison{unequal}, Then: most(y, 10)}
	for name, x := range map[string]struct {
		predicates []invariant.Predicate
		want       string
	}{
		"bounds":              {ps(most(y, 10), least(y, 0), most(g, 10)), "ok"},
		"wider bounds":        {ps(most(y, 10), least(y, -4), most(g, 12)), "ok"},
		"numbers only":        {ps(most(y, math.Inf(1)), most(g, math.Inf(1))), "rejected: "},
		"equal":               {ps(most(y, 10), least(y, 0), most(g, 10), order(y, h, 0), order(h, y, 0)), "ok"},
		"no bound of g":       {ps(most(y, 10)), "rejected: "},
		"nothing of g":        {ps(most(y, 10), least(y, 0)), "rejected: "},
		"too strong":          {ps(most(y, 9), least(y, 0), most(g, 10)), "rejected: "},
		"not initially":       {ps(most(y, 10), least(y, 1), most(g, 10)), "rejected: "},
		"never less":          {ps(most(y, 10), least(y, 0), most(g, 10), order(y, h, -1)), "rejected: "},
		"an integer":          {ps(integer), "incomplete: the certificate has not the right form"},
		"other width":         {ps(narrow), "incomplete: the certificate has not the right form"},
		"quantified":          {ps(ranged), "incomplete: the certificate has not the right form"},
		"range of a float":    {ps(to), "incomplete: the certificate has not the right form"},
		"where a float is":    {ps(guard), "incomplete: the certificate has not the right form"},
		"no order":            {ps(unequal), "incomplete: the certificate has not the right form"},
		"a sum":               {ps(order(y, g, 7)), "incomplete: the certificate has not the right form"},
		"of what is no float": {ps(most(f.Blocks[2].Instrs[2], 1)), "incomplete: the certificate has not the right form"},
	} {
		for _, engine := range []string{"", "z3"} {
			if engine == "z3" && x.want == "ok" && testing.Short() {
				continue
			}
			o := assertions
			o.Engine = engine
			cert := &verdict.Induction{K: 1, Heads: []invariant.Head{{Func: "main", Head: 2, Predicates: x.predicates}}}
			if got := result(Induction(context.Background(), m, o, cert)); !strings.HasPrefix(got, x.want) {
				t.Errorf("%s: got %q, want %q", name, got, x.want)
			}
		}
	}
}
