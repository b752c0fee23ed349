package term

import (
	"fmt"
	"io"
	"math/big"
	"strings"
	"testing"

	"assay/internal/logic/bv"
)

func TestHashConsing(t *testing.T) {
	s := NewStore()
	x, y := s.Var("x", BitVec(8)), s.Var("y", BitVec(8))
	if s.Var("x", BitVec(8)) != x {
		t.Error("one name, two variables")
	}
	if s.Add(x, y) != s.Add(y, x) {
		t.Error("sums in two orders differ")
	}
	wide := bv.FromBig(100, new(big.Int).Lsh(big.NewInt(5), 90))
	if s.Const(wide) != s.Const(wide) || !s.ConstValue(s.Const(wide)).Equal(wide) {
		t.Error("wide constant")
	}
	if s.ConstU(100, 5) == s.ConstU(101, 5) {
		t.Error("constants of two widths are one term")
	}
	if s.ConstU(8, 0x105) != s.ConstU(8, 5) {
		t.Error("a constant is not cut to its width")
	}
	f := s.Fresh("x", Bool())
	s.Var("z!0", Bool())
	if s.VarName(f) == "x" || s.VarName(s.Fresh("x", Bool())) == s.VarName(f) || s.VarName(s.Fresh("z", Bool())) == "z!0" {
		t.Error("a fresh variable is not fresh")
	}
	for i := range 5000 {
		s.Add(x, s.Mul(y, s.ConstU(8, uint64(i))))
	}
	if err := s.check(); err != nil {
		t.Error(err)
	}
}

func TestAccessors(t *testing.T) {
	s := NewStore()
	x := s.Var("x", BitVec(32))
	a := s.Var("a", Array(16, 8))
	e := s.Extract(x, 12, 5)
	if hi, lo := s.ExtractBounds(e); hi != 12 || lo != 5 || s.Width(e) != 8 || s.Op(e) != OpExtract || s.Arg(e, 0) != x || s.NumArgs(e) != 1 {
		t.Errorf("extract is %s", s.String(e))
	}
	if s.Sort(s.StoreArray(a, s.Extract(x, 15, 0), e)) != Array(16, 8) || s.Width(a) != 8 {
		t.Error("sort of a written array")
	}
	if m := s.RoundMode(s.FRound(x, RoundUp)); m != RoundUp {
		t.Errorf("rounding mode %s", m)
	}
	if v, ok := s.ConstUint64(s.ConstU(100, 7)); v != 7 || !ok {
		t.Error("small value of a wide constant")
	}
	if _, ok := s.ConstUint64(s.top(100)); ok {
		t.Error("a wide constant has a uint64 value")
	}
	if _, ok := s.ConstUint64(x); ok || s.IsConst(x) || s.IsConst(s.True()) || !s.IsTrue(s.Bool(true)) || !s.IsFalse(s.Not(s.True())) {
		t.Error("constants")
	}
	if s.ZExtOrTrunc(x, 32) != x || s.Width(s.ZExtOrTrunc(x, 8)) != 8 || s.Op(s.SExtOrTrunc(x, 40)) != OpSExt {
		t.Error("resizing")
	}
	if c := s.ConstF(32, 1); !s.ConstValue(c).Equal(bv.New(32, 0x3f800000)) {
		t.Errorf("1.0 is %s", s.String(c))
	}
	if got := s.String(s.AndAll(s.ULt(x, s.ConstU(32, 9)), s.Var("p q", Bool()))); got != "(and |p q| (bvult x (_ bv9 32)))" && got != "(and (bvult x (_ bv9 32)) |p q|)" {
		t.Errorf("printed %s", got)
	}
	if got := s.StringDepth(s.Neg(s.Var("y", BitVec(4))), 0); !strings.HasPrefix(got, "#") {
		t.Errorf("printed %s", got)
	}
}

func TestWrongSorts(t *testing.T) {
	s := NewStore()
	p, x, y := s.Var("p", Bool()), s.Var("x", BitVec(8)), s.Var("y", BitVec(9))
	a := s.Var("a", Array(8, 9))
	for name, f := range map[string]func(){
		"variable":   func() { s.Var("x", BitVec(9)) },
		"not":        func() { s.Not(x) },
		"and":        func() { s.And(p, x) },
		"no term":    func() { s.And(p, 0) },
		"eq":         func() { s.Eq(x, y) },
		"eq arrays":  func() { s.Eq(a, a) },
		"ite":        func() { s.Ite(x, x, x) },
		"branches":   func() { s.Ite(p, x, y) },
		"add":        func() { s.Add(x, y) },
		"add bools":  func() { s.Add(p, p) },
		"neg":        func() { s.Neg(p) },
		"concat":     func() { s.Concat(p, x) },
		"extract":    func() { s.Extract(x, 8, 0) },
		"zext":       func() { s.ZExt(y, 8) },
		"select":     func() { s.Select(a, y) },
		"store":      func() { s.StoreArray(a, x, x) },
		"konst":      func() { s.ConstArray(Array(8, 9), x) },
		"fadd":       func() { s.FAdd(x, x) },
		"to float":   func() { s.SIToF(x, 24) },
		"test":       func() { s.BVToBool(x) },
		"width 0":    func() { BitVec(0) },
		"wide index": func() { Array(65, 8) },
		"value":      func() { s.ConstValue(x) },
		"name":       func() { s.VarName(s.Neg(x)) },
		"substitute": func() { s.Substitute(x, map[ID]ID{x: y}) },
	} {
		func() {
			defer func() {
				if r := recover(); r == nil || !strings.HasPrefix(fmt.Sprint(r), "term: ") {
					t.Errorf("%s: recovered %v", name, r)
				}
			}()
			f()
		}()
	}
}

func TestWalk(t *testing.T) {
	s := NewStore()
	x, y := s.Var("x", BitVec(8)), s.Var("y", BitVec(8))
	sum := s.Add(x, y)
	root := s.ULt(s.Mul(sum, sum), sum)
	seen := map[ID]int{}
	s.Walk([]ID{sum, root, root}, func(t2 ID) {
		for i := range s.NumArgs(t2) {
			if seen[s.Arg(t2, i)] == 0 {
				t.Errorf("%s before its argument", s.String(t2))
			}
		}
		seen[t2]++
		s.Walk([]ID{sum}, func(ID) {}) // walks may nest
	})
	if len(seen) != 5 {
		t.Errorf("walked %v", seen)
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("%s was visited %d times", s.String(id), n)
		}
	}
	if vars := s.Vars(root); len(vars) != 2 || vars[0] != x || vars[1] != y {
		t.Errorf("variables %v", vars)
	}
}

func TestSubstitute(t *testing.T) {
	s := NewStore()
	x, y, z := s.Var("x", BitVec(8)), s.Var("y", BitVec(8)), s.Var("z", BitVec(8))
	sum := s.Add(x, y)
	t1 := s.ULt(s.Mul(sum, x), y)
	// At once, not one after the other.
	if got, want := s.Substitute(t1, map[ID]ID{x: y, y: x}), s.ULt(s.Mul(sum, y), x); got != want {
		t.Errorf("swapped: %s", s.String(got))
	}
	if got, want := s.Substitute(t1, map[ID]ID{sum: z, y: x}), s.ULt(s.Mul(z, x), x); got != want {
		t.Errorf("a compound term: %s", s.String(got))
	}
	if got := s.Substitute(t1, map[ID]ID{x: s.ConstU(8, 0), y: s.ConstU(8, 1)}); got != s.True() {
		t.Errorf("constants: %s", s.String(got))
	}
	if got := s.Substitute(t1, map[ID]ID{z: x}); got != t1 {
		t.Errorf("nothing: %s", s.String(got))
	}
	if got := s.SubstituteAll([]ID{x, sum}, map[ID]ID{x: z}); got[0] != z || got[1] != s.Add(z, y) {
		t.Errorf("several: %v", got)
	}
}

// TestDeep has a term a million deep in everything that follows arguments.
func TestDeep(t *testing.T) {
	const depth = 1_000_000
	s := NewStore()
	x, y := s.Var("x", BitVec(32)), s.Var("y", BitVec(32))
	root := x
	for range depth / 2 {
		root = s.Add(s.Mul(root, y), x)
	}
	count := 0
	s.Walk([]ID{root}, func(ID) { count++ })
	if count < depth {
		t.Errorf("%d terms", count)
	}
	e := NewEvaluator(s, func(v ID) (bv.BV, bool) { return bv.New(32, uint64(v)), true })
	want := uint32(x)
	for range depth / 2 {
		want = want*uint32(y) + uint32(x)
	}
	if got := e.Value(root).Uint64(); got != uint64(want) {
		t.Errorf("value %d, want %d", got, want)
	}
	if got := s.Substitute(root, map[ID]ID{y: s.ConstU(32, 0)}); got != x {
		t.Errorf("substituted: %s", s.String(got))
	}
	s.Extract(root, 7, 0)
	s.Eq(root, s.ConstU(32, 5))
	if len(s.String(root)) > 10000 {
		t.Error("printed too much")
	}
	if err := s.WriteSMTLIB(io.Discard, []ID{s.ULt(root, x)}); err != nil {
		t.Error(err)
	}

	// Chains that rules follow.
	chain, array := x, s.Var("a", Array(32, 32))
	cond := s.True()
	for i := range 20000 {
		p := s.Var(fmt.Sprint("p", i), Bool())
		chain = s.Ite(p, s.ConstU(32, uint64(i)), chain)
		array = s.StoreArray(array, s.Add(x, s.ConstU(32, uint64(i))), y)
		cond = s.And(cond, s.Or(p, s.Not(cond)))
	}
	s.Eq(chain, s.ConstU(32, 7))
	s.ULt(chain, s.ConstU(32, 7))
	s.Extract(chain, 7, 0)
	s.Select(array, s.Add(x, s.ConstU(32, 7)))
	// A graph with 2^60 paths.
	sum := s.Var("wide", BitVec(64))
	for i := range 60 {
		sum = s.Add(s.Mul(sum, sum), s.Var(fmt.Sprint("w", i), BitVec(64)))
	}
	before := s.Len()
	s.Extract(sum, 31, 0)
	if grown := s.Len() - before; grown > 200 {
		t.Errorf("an extraction built %d terms", grown)
	}
	if err := s.check(); err != nil {
		t.Error(err)
	}
}

func TestEvaluator(t *testing.T) {
	s := NewStore()
	x, p := s.Var("x", BitVec(8)), s.Var("p", Bool())
	a, b := s.Var("a", Array(8, 16)), s.Var("b", Array(8, 16))
	written := s.Ite(p, s.StoreArray(a, x, s.ConstU(16, 9)), b)
	vx, vp := uint64(3), true
	e := NewEvaluator(s, func(v ID) (bv.BV, bool) {
		switch v {
		case x:
			return bv.New(8, vx), true
		case p:
			return bv.Bool(vp), true
		}
		return bv.BV{}, false
	})
	e.SetArrays(func(v ID) (map[uint64]bv.BV, bv.BV, bool) {
		return map[uint64]bv.BV{3: bv.New(16, 30), 4: bv.New(16, 40)}, bv.New(16, 7), v == a
	})
	at := func(i uint64) uint64 { return e.Value(s.Select(written, s.ConstU(8, i))).Uint64() }
	if at(3) != 9 || at(4) != 40 || at(5) != 7 {
		t.Errorf("elements %d %d %d", at(3), at(4), at(5))
	}
	got := e.Array(written)
	if len(got.Elements) != 2 || got.Elements[3].Uint64() != 9 || got.Other.Uint64() != 7 {
		t.Errorf("array %v", got)
	}
	vx, vp = 4, false
	if at(3) != 9 {
		t.Error("a value was forgotten")
	}
	e.Reset()
	if at(3) != 0 || e.Bool(p) || e.Value(x).Uint64() != 4 {
		t.Error("a value was kept")
	}
	if v := e.Value(s.Var("unknown", BitVec(70))); !v.IsZero() || v.Width() != 70 {
		t.Errorf("an unknown variable is %s", v)
	}
}
