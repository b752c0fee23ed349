package absdomain

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/logic/term"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// set is a set of bit-vectors of up to 5 bits.
type set uint32

func full(w uint8) set { return set(1)<<(1<<w) - 1 }

// gamma are the elements of x.
func gamma(x Int) (s set) {
	for v := range uint64(1) << x.Width {
		if x.Has(v) {
			s |= 1 << v
		}
	}
	return s
}

// alpha is the best Int for a set, built from its elements part by part.
func alpha(w uint8, s set) Int {
	if s == 0 {
		return Bottom(uint32(w))
	}
	first := true
	var x Int
	for v := range uint64(1) << w {
		if s>>v&1 == 0 {
			continue
		}
		c := Const(uint32(w), v)
		if first {
			x, first = c, false
			continue
		}
		x.ULo, x.UHi = min(x.ULo, c.ULo), max(x.UHi, c.UHi)
		x.SLo, x.SHi = min(x.SLo, c.SLo), max(x.SHi, c.SHi)
		x.Zeros &= c.Zeros
		x.Ones &= c.Ones
		x.Mod, x.Rem = joinCongruence(x.Mod, x.Rem, c.Mod, c.Rem)
	}
	return x
}

// samples are abstract values of a width: the best ones of all sets if there
// are few, else of random sets, and values with arbitrary parts.
func samples(w uint8, n int) []Int {
	rng := rand.New(rand.NewPCG(uint64(w), 7))
	seen := map[Int]bool{}
	var list []Int
	add := func(x Int) {
		if !seen[x] {
			seen[x] = true
			list = append(list, x)
		}
	}
	if w <= 3 {
		for s := range full(w) + 1 {
			add(alpha(w, s).reduce())
		}
	}
	add(Bottom(uint32(w)))
	add(Top(uint32(w)))
	for tries := 0; len(list) < n && tries < 20*n; tries++ {
		if tries%2 == 0 {
			s := set(0)
			for range 1 + rng.IntN(5) {
				s |= 1 << rng.Uint64N(1<<w)
			}
			add(alpha(w, s).reduce())
			continue
		}
		m := maskOf(w)
		x := Top(uint32(w))
		if rng.IntN(2) == 0 {
			x.ULo, x.UHi = rng.Uint64()&m, rng.Uint64()&m
		}
		if rng.IntN(2) == 0 {
			x.SLo, x.SHi = signed(rng.Uint64(), w), signed(rng.Uint64(), w)
		}
		if rng.IntN(2) == 0 {
			x.Zeros = rng.Uint64() & rng.Uint64() & m
			x.Ones = rng.Uint64() & rng.Uint64() & m &^ x.Zeros
		}
		if rng.IntN(2) == 0 {
			x.Mod = []uint64{3, 5, 7}[rng.IntN(3)]
			x.Rem = rng.Uint64N(x.Mod)
		}
		add(x.reduce())
	}
	return list
}

func TestReduce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	exact, total := 0, 0
	for w := uint8(1); w <= 5; w++ {
		for range 40000 {
			m := maskOf(w)
			x := Top(uint32(w))
			x.ULo, x.UHi = rng.Uint64()&m, rng.Uint64()&m
			if rng.IntN(2) == 0 {
				x.ULo, x.UHi = 0, m
			}
			if rng.IntN(2) == 0 {
				x.SLo, x.SHi = signed(rng.Uint64(), w), signed(rng.Uint64(), w)
			}
			x.Zeros = rng.Uint64() & rng.Uint64() & m
			x.Ones = rng.Uint64() & rng.Uint64() & m
			if rng.IntN(2) == 0 {
				x.Mod = []uint64{3, 5, 7, 0}[rng.IntN(4)]
				x.Rem = rng.Uint64() & m
				if x.Mod != 0 {
					x.Rem %= x.Mod
				}
			}
			before := set(0)
			if x.Zeros&x.Ones == 0 {
				before = gamma(x)
			}
			r := x.reduce()
			if gamma(r) != before || r.reduce() != r {
				t.Fatalf("reduce of %+v is %+v: %b, not %b", x, r, gamma(r), before)
			}
			if (before == 0) != r.IsBottom() {
				t.Fatalf("reduce of the empty %+v is %+v", x, r)
			}
			best := alpha(w, before).reduce()
			if total++; r.ULo == best.ULo && r.UHi == best.UHi && r.SLo == best.SLo && r.SHi == best.SHi && r.Zeros == best.Zeros && r.Ones == best.Ones {
				exact++
			}
		}
	}
	t.Logf("the reduction finds the best bounds and bits in %.2f%% of %d cases", 100*float64(exact)/float64(total), total)
}

func TestLattice(t *testing.T) {
	for w := uint8(1); w <= 5; w++ {
		list := samples(w, 250)
		thresholds := NewThresholds([]int64{3, -5})
		for _, x := range list {
			for _, y := range list {
				gx, gy := gamma(x), gamma(y)
				j := x.Join(y)
				if (gx|gy)&^gamma(j) != 0 {
					t.Fatalf("join of %v and %v is %v", x, y, j)
				}
				if !x.Leq(j) || !y.Leq(j) {
					t.Fatalf("%v and %v are not below their join %v", x, y, j)
				}
				if m := x.Meet(y); gx&gy&^gamma(m) != 0 {
					t.Fatalf("meet of %v and %v is %v", x, y, m)
				}
				if x.Leq(y) && gx&^gy != 0 {
					t.Fatalf("%v is not below %v", x, y)
				}
				for _, th := range []*Thresholds{nil, thresholds} {
					if v := x.Widen(y, th); (gx|gy)&^gamma(v) != 0 || !x.Leq(v) {
						t.Fatalf("widening of %v by %v is %v", x, y, v)
					}
				}
			}
		}
	}
}

// TestWideningStops follows long random chains.
func TestWideningStops(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	th := NewThresholds([]int64{10, 100, 1000, -7})
	longest := 0
	for range 2000 {
		x := Const(32, rng.Uint64()>>rng.IntN(64))
		steps := 0
		for range 1000 {
			y := Const(32, rng.Uint64()>>rng.IntN(64))
			if next := x.Widen(x.Join(y), th); next != x {
				x = next
				steps++
			}
		}
		longest = max(longest, steps)
	}
	if longest > 40 {
		t.Errorf("a chain of widenings had %d steps", longest)
	}
	t.Logf("the longest chain had %d steps", longest)
}

// operation is an abstract operation with its concrete meaning.
type operation struct {
	op ir.Op
	f  func(x, y Int) Int
}

var operations = []operation{
	{ir.Add, Int.Add}, {ir.Sub, Int.Sub}, {ir.Mul, Int.Mul}, {ir.UDiv, Int.UDiv}, {ir.SDiv, Int.SDiv}, {ir.URem, Int.URem}, {ir.SRem, Int.SRem},
	{ir.Shl, Int.Shl}, {ir.LShr, Int.LShr}, {ir.AShr, Int.AShr}, {ir.And, Int.And}, {ir.Or, Int.Or}, {ir.Xor, Int.Xor},
	{ir.SAddOvf, Int.SAddOvf}, {ir.UAddOvf, Int.UAddOvf}, {ir.SSubOvf, Int.SSubOvf}, {ir.USubOvf, Int.USubOvf}, {ir.SMulOvf, Int.SMulOvf}, {ir.UMulOvf, Int.UMulOvf},
	{ir.Eq, Int.Eq}, {ir.Ne, Int.Ne}, {ir.ULt, Int.ULt}, {ir.ULe, Int.ULe}, {ir.SLt, Int.SLt}, {ir.SLe, Int.SLe},
}

var unaries = []operation{
	{ir.Ctpop, func(x, _ Int) Int { return x.Ctpop() }}, {ir.Ctlz, func(x, _ Int) Int { return x.Ctlz() }}, {ir.Cttz, func(x, _ Int) Int { return x.Cttz() }},
	{ir.Bitreverse, func(x, _ Int) Int { return x.Bitreverse() }},
}

func isPredicate(op ir.Op) bool {
	return op >= ir.SAddOvf && op <= ir.UMulOvf || op >= ir.Eq && op <= ir.SLe
}

// table has the results of an operation on all operands, 255 for arbitrary.
func table(op ir.Op, w uint8) [][]uint8 {
	d := ir.Def{Op: op, Type: ir.IntType(uint32(w))}
	if isPredicate(op) {
		d.Type = ir.BoolType
	}
	t := make([][]uint8, 1<<w)
	for a := range t {
		t[a] = make([]uint8, 1<<w)
		for b := range t[a] {
			v, guard := interp.Eval(&d, []bv.BV{bv.New(uint32(w), uint64(a)), bv.New(uint32(w), uint64(b))})
			t[a][b] = 255
			if guard == 0 {
				t[a][b] = uint8(v.Uint64())
			}
		}
	}
	return t
}

// image is the set of results.
func image(t [][]uint8, rw uint8, gx, gy set) (r set) {
	for xs := gx; xs != 0; xs &= xs - 1 {
		row := t[bits.TrailingZeros32(uint32(xs))]
		for ys := gy; ys != 0; ys &= ys - 1 {
			v := row[bits.TrailingZeros32(uint32(ys))]
			if v == 255 {
				return full(rw)
			}
			r |= 1 << v
		}
	}
	return r
}

func TestBinary(t *testing.T) {
	for _, o := range operations {
		hits, total := 0, 0
		for w := uint8(1); w <= 5; w++ {
			n := 400
			if w > 3 {
				n = 120
			}
			if w == 1 && o.op == ir.SAddOvf {
				n = 10
			}
			list := samples(w, n)
			gammas := make([]set, len(list))
			for i, x := range list {
				gammas[i] = gamma(x)
			}
			results := table(o.op, w)
			rw := w
			if isPredicate(o.op) {
				rw = 1
			}
			for i, x := range list {
				for j, y := range list {
					want := image(results, rw, gammas[i], gammas[j])
					got := o.f(x, y)
					g := gamma(got)
					if got.Width != rw || want&^g != 0 || got.reduce() != got {
						t.Fatalf("%v of %v and %v at width %d: %v (%+v), which has not all of %b", o.op, x, y, w, got, got, want)
					}
					if total++; g == gamma(alpha(rw, want).reduce()) {
						hits++
					}
				}
			}
		}
		t.Logf("%-8v best in %5.1f%% of %d", o.op, 100*float64(hits)/float64(total), total)
	}
}

func TestUnary(t *testing.T) {
	neg := operation{ir.OpInvalid, func(x, _ Int) Int { return x.Neg() }}
	not := operation{ir.Unsupported, func(x, _ Int) Int { return x.Not() }}
	for _, o := range append(append([]operation{}, unaries...), neg, not) {
		hits, total := 0, 0
		for w := uint8(1); w <= 5; w++ {
			for _, x := range samples(w, 1000) {
				want := set(0)
				for v := range uint64(1) << w {
					if !x.Has(v) {
						continue
					}
					var r bv.BV
					switch o.op {
					case neg.op:
						r = bv.New(uint32(w), v).Neg()
					case not.op:
						r = bv.New(uint32(w), v).Not()
					default:
						r, _ = interp.Eval(&ir.Def{Op: o.op, Type: ir.IntType(uint32(w))}, []bv.BV{bv.New(uint32(w), v)})
					}
					want |= 1 << r.Uint64()
				}
				got := o.f(x, x)
				if want&^gamma(got) != 0 {
					t.Fatalf("%v of %v: %v", o.op, x, got)
				}
				if total++; gamma(got) == gamma(alpha(w, want).reduce()) {
					hits++
				}
			}
		}
		t.Logf("%-10v best in %5.1f%% of %d", o.op, 100*float64(hits)/float64(total), total)
	}
}

func TestConversions(t *testing.T) {
	hits, total := 0, 0
	for w := uint8(1); w <= 5; w++ {
		for to := uint8(1); to <= 5; to++ {
			for _, x := range samples(w, 1000) {
				check := func(name string, got Int, f func(bv.BV) bv.BV) {
					want := set(0)
					for v := range uint64(1) << w {
						if x.Has(v) {
							want |= 1 << f(bv.New(uint32(w), v)).Uint64()
						}
					}
					if got.Width != to || want&^gamma(got) != 0 {
						t.Fatalf("%s of %v to %d: %v", name, x, to, got)
					}
					if total++; gamma(got) == gamma(alpha(to, want).reduce()) {
						hits++
					}
				}
				switch {
				case to > w:
					check("zext", x.ZExt(uint32(to)), func(v bv.BV) bv.BV { return v.ZExt(uint32(to)) })
					check("sext", x.SExt(uint32(to)), func(v bv.BV) bv.BV { return v.SExt(uint32(to)) })
				case to < w:
					check("trunc", x.Trunc(uint32(to)), func(v bv.BV) bv.BV { return v.Trunc(uint32(to)) })
				}
			}
		}
	}
	t.Logf("conversions: best in %.1f%% of %d", 100*float64(hits)/float64(total), total)
}

func TestFunnel(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for w := uint8(1); w <= 4; w++ {
		list := samples(w, 300)
		for range 20000 {
			x, y, n := list[rng.IntN(len(list))], list[rng.IntN(len(list))], list[rng.IntN(len(list))]
			for _, op := range []ir.Op{ir.FShl, ir.FShr} {
				got := x.FShl(y, n)
				if op == ir.FShr {
					got = x.FShr(y, n)
				}
				d := ir.Def{Op: op, Type: ir.IntType(uint32(w))}
				for range 10 {
					a, b, c := rng.Uint64N(1<<w), rng.Uint64N(1<<w), rng.Uint64N(1<<w)
					if !x.Has(a) || !y.Has(b) || !n.Has(c) {
						continue
					}
					r, _ := interp.Eval(&d, []bv.BV{bv.New(uint32(w), a), bv.New(uint32(w), b), bv.New(uint32(w), c)})
					if !got.Contains(r) {
						t.Fatalf("%v of %v %v %v: %v lacks %v", op, x, y, n, got, r)
					}
				}
			}
		}
	}
}

// TestBackward checks every refinement: operands whose result is possible stay.
func TestBackward(t *testing.T) {
	relations := []ir.Op{ir.Eq, ir.Ne, ir.ULt, ir.ULe, ir.SLt, ir.SLe}
	var removed, possible int
	for w := uint8(1); w <= 4; w++ {
		list := samples(w, 260)
		if w == 4 {
			list = samples(w, 120)
		}
		tables := map[ir.Op][][]uint8{}
		for _, o := range operations {
			tables[o.op] = table(o.op, w)
		}
		for _, x := range list {
			for _, y := range list {
				for i, op := range relations {
					a, b := Assume(Relation(i), x, y)
					if a.reduce() != a || b.reduce() != b {
						t.Fatalf("%v: %+v is not reduced", op, a)
					}
					var wx, wy set
					for u := range uint64(1) << w {
						for v := range uint64(1) << w {
							if x.Has(u) && y.Has(v) && tables[op][u][v] == 1 {
								wx |= 1 << u
								wy |= 1 << v
							}
						}
					}
					if wx&^gamma(a) != 0 || wy&^gamma(b) != 0 {
						t.Fatalf("%v of %v and %v refines to %v and %v", op, x, y, a, b)
					}
					removed += bits.OnesCount32(uint32(gamma(x) &^ gamma(a)))
					possible += bits.OnesCount32(uint32(gamma(x) &^ wx))
				}
			}
		}
		rng := rand.New(rand.NewPCG(9, uint64(w)))
		wider, narrower := samples(w+1, 100), samples(max(w, 2)-1, 100)
		for range 20000 {
			x, y, r := list[rng.IntN(len(list))], list[rng.IntN(len(list))], list[rng.IntN(len(list))]
			// one checks a refinement of x: no element goes for which keep holds.
			one := func(name string, got Int, keep func(u uint64) bool) {
				for u := range uint64(1) << w {
					if x.Has(u) && keep(u) && !got.Has(u) {
						t.Fatalf("%s: r = %v, x = %v, y = %v refines x to %v, without %d", name, r, x, y, got, u)
					}
				}
			}
			exists := func(op ir.Op, result func(uint8) bool) func(uint64) bool {
				return func(u uint64) bool {
					for v := range uint64(1) << w {
						if y.Has(v) && tables[op][u][v] != 255 && result(tables[op][u][v]) {
							return true
						}
					}
					return false
				}
			}
			inR := func(v uint8) bool { return r.Has(uint64(v)) }
			one("and", AndBack(r, x, y), exists(ir.And, inR))
			one("or", OrBack(r, x, y), exists(ir.Or, inR))
			for n := range w {
				at := func(op ir.Op) func(uint64) bool {
					return func(u uint64) bool { return r.Has(uint64(tables[op][u][n])) }
				}
				if uint64(n) < 1<<w {
					one("shl", ShlBack(r, x, n), at(ir.Shl))
					one("lshr", LShrBack(r, x, n), at(ir.LShr))
					one("ashr", AShrBack(r, x, n), at(ir.AShr))
				}
			}
			c := rng.Uint64N(1 << w)
			one("mul", MulBack(r, x, c), func(u uint64) bool { return r.Has(u * c & maskOf(w)) })
			one("saddovf", SAddOvfBack(true, x, y), exists(ir.SAddOvf, func(v uint8) bool { return v == 1 }))
			one("!saddovf", SAddOvfBack(false, x, y), exists(ir.SAddOvf, func(v uint8) bool { return v == 0 }))
			a, _ := SSubOvfBack(x, y)
			one("!ssubovf", a, exists(ir.SSubOvf, func(v uint8) bool { return v == 0 }))
			_, b := SSubOvfBack(y, x)
			one("!ssubovf right", b, func(u uint64) bool {
				for v := range uint64(1) << w {
					if y.Has(v) && tables[ir.SSubOvf][v][u] == 0 {
						return true
					}
				}
				return false
			})
			q := wider[rng.IntN(len(wider))]
			one("zext", ZExtBack(q, x), func(u uint64) bool { return q.Has(u) })
			one("sext", SExtBack(q, x), func(u uint64) bool { return q.Has(uint64(signed(u, w)) & maskOf(w+1)) })
			if w > 1 {
				q := narrower[rng.IntN(len(narrower))]
				one("trunc", TruncBack(q, x), func(u uint64) bool { return q.Has(u & maskOf(w-1)) })
			}
		}
	}
	t.Logf("comparisons remove %.1f%% of what can go", 100*float64(removed)/float64(possible))
}

// TestTerm compares facts with their terms for all values.
func TestTerm(t *testing.T) {
	for w := uint8(1); w <= 5; w++ {
		for _, x := range samples(w, 400) {
			s := term.NewStore()
			v := s.Var("v", term.BitVec(uint32(w)))
			f := x.Term(s, v)
			for u := range uint64(1) << w {
				e := term.NewEvaluator(s, func(term.ID) (bv.BV, bool) { return bv.New(uint32(w), u), true })
				if e.Bool(f) != x.Has(u) {
					t.Fatalf("the term of %v (%+v) is %v at %d", x, x, e.Bool(f), u)
				}
			}
		}
	}
}

func TestCongruence(t *testing.T) {
	for w := uint8(1); w <= 5; w++ {
		for _, x := range samples(w, 400) {
			mod, rem := x.Congruence()
			for u := range uint64(1) << w {
				if x.Has(u) && (mod == 0 && u != rem || mod > 0 && u%mod != rem) {
					t.Fatalf("%v is not %d modulo %d", x, rem, mod)
				}
			}
		}
	}
	if x := Congruent(32, 12, 16); x.String() == "" || x.ULo != 4 {
		t.Errorf("4 modulo 12 is %v", x)
	}
	if mod, rem := Congruent(32, 12, 16).Congruence(); mod != 12 || rem != 4 {
		t.Errorf("4 modulo 12 is %d modulo %d", rem, mod)
	}
}

func BenchmarkAdd(b *testing.B) {
	b.ReportAllocs()
	x, y := Range(32, 3, 100), Congruent(32, 12, 4)
	for b.Loop() {
		x.Add(y)
	}
}

func BenchmarkJoin(b *testing.B) {
	b.ReportAllocs()
	x, y := Range(32, 3, 100), Congruent(32, 12, 4)
	for b.Loop() {
		x.Join(y)
	}
}

func ExampleInt() {
	i := Range(32, 0, 99).Mul(Const(32, 12)).Add(Const(32, 4))
	fmt.Println(i)
	// Output: u[4,1192] s[4,1192] 000000000000000000000?????????00 ≡1 mod 3
}
