package ranges

import (
	"math/rand/v2"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/logic/term"
)

// Everything is compared with the evaluator of terms, at widths where all cases can be tried.

// some are intervals of a width: all of unsigned numbers, all of signed ones, and some with both.
func some(width uint32) (xs []interval) {
	top := all(width)
	for lo := range mask(width) + 1 {
		for hi := lo; hi <= mask(width); hi++ {
			xs = append(xs, between(lo, hi, width))
		}
	}
	for least := top.least; least <= top.most; least++ {
		for most := least; most <= top.most; most++ {
			xs = append(xs, within(least, most, width))
		}
	}
	return append(xs, between(1, mask(width)-1, width).meet(within(top.least+1, top.most-1, width), width))
}

func (x interval) has(v uint64, width uint32) bool {
	return x.lo <= v && v <= x.hi && x.least <= signed(v, width) && signed(v, width) <= x.most
}

// table are the values of a term, by those of a and b.
func table(st *term.Store, t, a, b term.ID, width uint32) (values [][]bv.BV) {
	for v := range mask(width) + 1 {
		values = append(values, nil)
		for w := range mask(width) + 1 {
			e := term.NewEvaluator(st, func(x term.ID) (bv.BV, bool) {
				if x == a {
					return bv.New(width, v), true
				}
				return bv.New(width, w), x == b
			})
			values[v] = append(values[v], e.Value(t))
		}
	}
	return values
}

// TestTransfer: the value of each operation is in its interval, for all intervals of the operands.
func TestTransfer(t *testing.T) {
	for _, width := range []uint32{1, 3} {
		st := term.NewRawStore()
		a, b := st.Var("a", term.BitVec(width)), st.Var("b", term.BitVec(width))
		all := map[string]term.ID{
			"add": st.Add(a, b), "mul": st.Mul(a, b), "neg": st.Neg(a), "not": st.BVNot(a),
			"udiv": st.UDiv(a, b), "urem": st.URem(a, b), "sdiv": st.SDiv(a, b), "srem": st.SRem(a, b),
			"shl": st.Shl(a, b), "lshr": st.LShr(a, b), "ashr": st.AShr(a, b),
			"and": st.BVAnd(a, b), "or": st.BVOr(a, b), "xor": st.BVXor(a, b),
			"concat": st.Concat(a, b), "zext": st.ZExt(a, width+2), "sext": st.SExt(a, width+2),
			"extract": st.Extract(a, width-1, 0), "low": st.Extract(a, 0, 0), "high": st.Extract(a, width-1, width/2),
			"choice": st.Ite(st.ULt(a, b), a, b), "limit": st.Ite(st.SLe(a, st.ConstU(width, 1)), a, st.ConstU(width, 1)),
			"ult": st.ULt(a, b), "ule": st.ULe(a, b), "slt": st.SLt(a, b), "sle": st.SLe(a, b), "eq": st.Eq(a, b),
		}
		xs := some(width)
		for name, op := range all {
			values := table(st, op, a, b, width)
			exact := 0
			for _, x := range xs {
				for _, y := range xs {
					r := New(st, 1000)
					c := r.contextOf(map[term.ID]interval{a: x, b: y})
					isBool := st.Sort(op).Kind == term.SortBool
					var got interval
					var holds truth
					if isBool {
						holds = r.truth(c, op)
					} else {
						got = r.value(c, op)
					}
					for v := range mask(width) + 1 {
						for w := range mask(width) + 1 {
							value := values[v][w]
							switch {
							case !x.has(v, width) || !y.has(w, width):
							case isBool && holds != unknown && (holds == yes) != value.IsTrue(),
								!isBool && !got.has(value.Uint64(), value.Width()):
								t.Fatalf("%s of width %d, %+v, %+v: %v for %d, %d is not in %+v (%d)", name, width, x, y, value, v, w, got, holds)
							}
						}
					}
					if isBool && holds != unknown || !isBool && got.single() {
						exact++
					}
				}
			}
			if exact == 0 && width > 1 {
				t.Errorf("%s of width %d: nothing is known of any operands", name, width)
			}
		}
	}
}

// TestBound: a value that a comparison with another one allows is in the bound.
func TestBound(t *testing.T) {
	const width = 3
	st := term.NewRawStore()
	a, b := st.Var("a", term.BitVec(width)), st.Var("b", term.BitVec(width))
	for _, comparison := range []term.ID{st.ULt(a, b), st.ULe(a, b), st.SLt(a, b), st.SLe(a, b)} {
		values := table(st, comparison, a, b, width)
		for _, negated := range []bool{false, true} {
			for _, x := range some(width) {
				r := New(st, 1000)
				of := func(t, other term.ID) interval {
					bound, ok := r.bound(r.contextOf(map[term.ID]interval{other: x}), comparison, negated, t)
					if !ok && !x.empty() {
						return interval{lo: 1}
					}
					if !ok {
						return all(width)
					}
					return bound
				}
				left, right := of(a, b), of(b, a)
				for v := range mask(width) + 1 {
					for w := range mask(width) + 1 {
						if values[v][w].IsTrue() == negated {
							continue
						}
						if x.has(w, width) && !left.has(v, width) || x.has(v, width) && !right.has(w, width) {
							t.Fatalf("%s, negated %v, %+v: %d, %d are not in %+v, %+v", st.String(comparison), negated, x, v, w, left, right)
						}
					}
				}
			}
		}
	}
}

// TestWithout: only the value is removed, and it is if it is at an end.
func TestWithout(t *testing.T) {
	const width = 3
	for _, x := range some(width) {
		for v := range mask(width) + 1 {
			y := x.without(v, width)
			for w := range mask(width) + 1 {
				if w != v && x.has(w, width) && !y.has(w, width) {
					t.Fatalf("%+v without %d is %+v", x, v, y)
				}
			}
			if !x.empty() && (x.lo == v || x.hi == v) && y.has(v, width) {
				t.Fatalf("%+v without %d is %+v", x, v, y)
			}
		}
	}
}

// formula is a random condition about a and b.
func formula(random *rand.Rand, st *term.Store, a, b term.ID, depth int) term.ID {
	width := st.Width(a)
	number := func() term.ID {
		x := []term.ID{a, b}[random.IntN(2)]
		y := []term.ID{a, b, st.ConstU(width, random.Uint64N(1<<width))}[random.IntN(3)]
		switch random.IntN(8) {
		case 0:
			return st.Add(x, y)
		case 1:
			return st.URem(x, y)
		case 2:
			return st.BVAnd(x, y)
		case 3:
			return st.Ite(st.ULt(x, y), y, st.ConstU(width, random.Uint64N(1<<width)))
		case 4, 5:
			return st.ConstU(width, random.Uint64N(1<<width))
		}
		return x
	}
	if depth == 0 {
		x, y := number(), number()
		switch random.IntN(5) {
		case 0:
			return st.Eq(x, y)
		case 1:
			return st.SLt(x, y)
		case 2:
			return st.SLe(x, y)
		case 3:
			return st.ULt(x, y)
		}
		return st.ULe(x, y)
	}
	x, y := formula(random, st, a, b, depth-1), formula(random, st, a, b, depth-1)
	switch random.IntN(6) {
	case 0:
		return st.Not(x)
	case 1:
		return st.Or(x, y)
	case 2:
		return st.Ite(x, y, formula(random, st, a, b, depth-1))
	}
	return st.And(x, y)
}

// TestRefuted: what is refuted under facts has no model with them; and some of what has none is refuted.
func TestRefuted(t *testing.T) {
	const width = 3
	random := rand.New(rand.NewPCG(1, 2))
	refuted, impossible := 0, 0
	for range 4_000 {
		st := term.NewRawStore()
		if random.IntN(2) == 0 {
			st = term.NewStore()
		}
		a, b := st.Var("a", term.BitVec(width)), st.Var("b", term.BitVec(width))
		fact, condition := formula(random, st, a, b, 1), formula(random, st, a, b, 1+random.IntN(4))
		steps := 10_000
		if random.IntN(4) == 0 {
			steps = random.IntN(40)
		}
		r := New(st, steps)
		r.Assume([]term.ID{fact})
		got := r.Refuted(condition)
		model := false
		facts, conditions := table(st, fact, a, b, width), table(st, condition, a, b, width)
		for v, row := range facts {
			for w, x := range row {
				model = model || x.IsTrue() && conditions[v][w].IsTrue()
			}
		}
		if got && model {
			t.Fatalf("%s is refuted under %s", st.String(condition), st.String(fact))
		}
		if !model {
			impossible++
		}
		if got {
			refuted++
		}
	}
	if refuted < impossible/4 {
		t.Errorf("of %d conditions without a model %d are refuted", impossible, refuted)
	}
	t.Logf("%d of %d", refuted, impossible)
}

// TestStates: a switch over the states of a machine, where each case assigns another state.
func TestStates(t *testing.T) {
	st := term.NewStore()
	const n = 300
	state, input := st.Var("state", term.BitVec(32)), st.Var("input", term.BitVec(32))
	number := func(v uint64) term.ID { return st.ConstU(32, v) }
	in := st.And(st.SLe(number(0), state), st.SLt(state, number(n)))
	next, other := state, in
	for i := range uint64(n) {
		here := st.Eq(state, number(i))
		next = st.Ite(here, st.Ite(st.Eq(st.URem(input, number(i+2)), number(0)), number((i+1)%n), number(i*i%n)), next)
		other = st.And(other, st.Not(here))
	}
	bad := st.Or(st.And(in, st.Not(st.And(st.SLe(number(0), next), st.SLt(next, number(n))))), other)
	if r := New(st, 20*st.Len()); !r.Refuted(bad) {
		t.Errorf("not refuted, %d steps of %d are left", r.steps, 20*st.Len())
	}
	// With one state more there is one that no case has.
	wider := st.And(st.SLe(number(0), state), st.SLe(state, number(n)))
	if r := New(st, 20*st.Len()); r.Refuted(st.And(wider, st.Not(st.ULt(next, number(n))))) {
		t.Error("a state is forgotten")
	}
}

// TestDeep: recursion ends.
func TestDeep(t *testing.T) {
	st := term.NewRawStore()
	x := st.Var("x", term.BitVec(8))
	sum, some := x, st.True()
	for range 200_000 {
		sum = st.Add(sum, x)
		some = st.Or(st.And(some, st.Eq(sum, x)), st.ULt(sum, x))
	}
	if New(st, 10*st.Len()).Refuted(some) {
		t.Error("refuted")
	}
}
