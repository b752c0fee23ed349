package term

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/internal/logic/bv"
)

// This file compares random terms built with and without the simplifier under
// many assignments, and the facts of both with the values.

// twin is one application built in two stores, with its value under each
// assignment, computed by apply from the values of the arguments.
type twin struct {
	raw, simple ID
	values      []bv.BV // nil for an array
}

// laboratory grows pools of twins by sort.
type laboratory struct {
	rng         *rand.Rand
	raw, simple *Store
	pool        map[Sort][]twin
	sorts       []Sort
	assignments int
	evaluators  []*Evaluator // of the simplified store, one for each assignment
	oracles     []*Evaluator // of the raw store
	made        map[ID]bool
	arrays      bool // only what reads and writes of arrays need
	unruly      bool // some terms are not in normal form, as happens at maxDepth
}

const maxLabWidth = 9

// newLaboratory has two variables of each width, two Bools and two arrays. With
// few bits all assignments are tried.
func newLaboratory(seed uint64, widths []uint32, assignments int) *laboratory {
	l := &laboratory{
		rng: rand.New(rand.NewPCG(seed, 7)), raw: NewRawStore(), simple: NewStore(),
		pool: map[Sort][]twin{}, made: map[ID]bool{},
	}
	sorts := []Sort{Bool()}
	bits := uint32(2)
	for _, w := range widths {
		sorts = append(sorts, BitVec(w))
		bits += 2 * w
	}
	exhaustive := uint64(1)<<min(bits, 63) <= uint64(assignments)
	if exhaustive {
		assignments = 1 << bits
	}
	l.assignments = assignments
	arrays := []Sort{Array(min(widths[0], 64), widths[len(widths)-1])}
	used := uint32(0)
	value := map[string][]bv.BV{}
	for _, sort := range sorts {
		for i := range 2 {
			w := max(sort.Width, 1)
			tw := twin{values: make([]bv.BV, assignments)}
			for k := range assignments {
				if exhaustive {
					tw.values[k] = bv.New(w, uint64(k)>>used)
				} else {
					tw.values[k] = randomValue(l.rng, w)
				}
			}
			used += w
			name := fmt.Sprintf("%c%d", 'x'+i, sort.Width)
			tw.raw, tw.simple = l.raw.Var(name, sort), l.simple.Var(name, sort)
			value[name] = tw.values
			l.keep(sort, tw)
		}
	}
	content := map[string][]map[uint64]bv.BV{}
	for _, sort := range arrays {
		for i := range 2 {
			name := fmt.Sprintf("%c", 'a'+i)
			l.keep(sort, twin{raw: l.raw.Var(name, sort), simple: l.simple.Var(name, sort)})
			for range assignments {
				m := map[uint64]bv.BV{}
				for range 4 {
					m[l.rng.Uint64()&ones(sort.Index)] = randomValue(l.rng, sort.Width)
				}
				content[name] = append(content[name], m)
			}
		}
	}
	for k := range assignments {
		for _, s := range []*Store{l.simple, l.raw} {
			e := NewEvaluator(s, func(v ID) (bv.BV, bool) {
				return value[s.VarName(v)][k], true
			})
			e.SetArrays(func(v ID) (map[uint64]bv.BV, bv.BV, bool) {
				return content[s.VarName(v)][k], bv.New(s.Width(v), 1), true
			})
			if s == l.raw {
				l.oracles = append(l.oracles, e)
			} else {
				l.evaluators = append(l.evaluators, e)
			}
		}
	}
	return l
}

func (l *laboratory) keep(sort Sort, tw twin) {
	if len(l.pool[sort]) == 0 {
		l.sorts = append(l.sorts, sort)
	}
	l.pool[sort] = append(l.pool[sort], tw)
}

// pick prefers recent twins and sometimes makes a constant.
func (l *laboratory) pick(sort Sort) (twin, bool) {
	if sort.Kind == SortBV && l.rng.IntN(4) == 0 {
		v := randomValue(l.rng, sort.Width)
		tw := twin{raw: l.raw.Const(v), simple: l.simple.Const(v), values: make([]bv.BV, l.assignments)}
		for i := range tw.values {
			tw.values[i] = v
		}
		return tw, true
	}
	p := l.pool[sort]
	if len(p) == 0 {
		return twin{}, false
	}
	if n := len(p); l.rng.IntN(2) == 0 {
		return p[n-1-l.rng.IntN(min(n, 12))], true
	}
	return p[l.rng.IntN(len(p))], true
}

func (l *laboratory) anySort(kind SortKind) Sort {
	for {
		if s := l.sorts[l.rng.IntN(len(l.sorts))]; s.Kind == kind {
			return s
		}
	}
}

// step builds one random application in both stores.
func (l *laboratory) step(t *testing.T, floats bool) bool {
	ops := []Op{
		OpNot, OpAnd, OpOr, OpXor, OpEq, OpIte, OpAdd, OpMul, OpNeg, OpUDiv, OpURem, OpSDiv, OpSRem,
		OpShl, OpLShr, OpAShr, OpBVNot, OpBVAnd, OpBVOr, OpBVXor, OpULt, OpULe, OpSLt, OpSLe,
		OpConcat, OpExtract, OpZExt, OpSExt, OpConcat, OpExtract, OpZExt, OpIte, OpIte, OpEq,
		OpSelect, OpStore, OpConstArray,
	}
	if l.arrays {
		ops = []Op{OpSelect, OpSelect, OpStore, OpStore, OpStore, OpIte, OpIte, OpAdd, OpBVNot, OpConstArray, OpEq, OpAnd}
	}
	if floats {
		ops = append(ops, OpFAdd, OpFMul, OpFDiv, OpFRem, OpFSqrt, OpFMA, OpFRound, OpFEq, OpFLt, OpFLe,
			OpFToSI, OpFToUI, OpSIToF, OpUIToF, OpFToF)
	}
	op := ops[l.rng.IntN(len(ops))]
	in, a, b, ok := l.operands(op)
	if !ok {
		return false
	}
	n := int(arity[op])
	var args [3]twin
	for i := range n {
		tw, ok := l.pick(in[i])
		if !ok {
			return false
		}
		args[i] = tw
	}
	if l.unruly && l.rng.IntN(3) == 0 {
		l.simple.depth = maxDepth // no rule applies
	}
	tw := twin{
		raw:    build(l.raw, op, [3]ID{args[0].raw, args[1].raw, args[2].raw}, a, b),
		simple: build(l.simple, op, [3]ID{args[0].simple, args[1].simple, args[2].simple}, a, b),
	}
	l.simple.depth = 0
	sort := l.raw.Sort(tw.raw)
	if sort != l.simple.Sort(tw.simple) {
		t.Fatalf("%s of sort %s became %s", l.raw.String(tw.raw), sort, l.simple.String(tw.simple))
	}
	if l.made[tw.raw] {
		return true
	}
	l.made[tw.raw] = true
	if sort.Kind == SortArray {
		l.check(t, tw, nil)
	} else {
		tw.values = make([]bv.BV, l.assignments)
		for k := range tw.values {
			if op == OpSelect || l.raw.Op(tw.raw) != op {
				tw.values[k] = l.oracles[k].Value(tw.raw)
				continue
			}
			var vals [3]bv.BV
			for i := range n {
				vals[i] = args[i].values[k]
			}
			tw.values[k] = apply(op, sort.Width, l.raw.nodes[tw.raw].aux, vals[:n])
		}
		l.check(t, tw, tw.values)
	}
	if sort.Width <= maxLabWidth || len(l.pool[sort]) > 0 {
		if len(l.pool[sort]) > 0 || sort.Kind == SortBV {
			l.keep(sort, tw)
		}
	}
	return true
}

// operands chooses the sorts of an operation's operands, and its parameters; ok is false if there are
// none.
func (l *laboratory) operands(op Op) (in [3]Sort, a, b uint32, ok bool) {
	word := l.anySort(SortBV)
	if op >= OpFAdd {
		for _, ok := formatOf(word.Width); !ok; _, ok = formatOf(word.Width) {
			word = l.anySort(SortBV)
		}
	}
	switch op {
	case OpNot, OpAnd, OpOr, OpXor:
		in = [3]Sort{}
	case OpEq:
		if l.rng.IntN(4) == 0 {
			word = Bool()
		}
		in = [3]Sort{word, word}
	case OpIte:
		k := l.sorts[l.rng.IntN(len(l.sorts))]
		if l.arrays {
			k = l.anySort(SortArray)
		}
		in = [3]Sort{Bool(), k, k}
	case OpConcat:
		in = [3]Sort{word, l.anySort(SortBV)}
		if word.Width+in[1].Width > 80 {
			return in, 0, 0, false
		}
	case OpExtract:
		b = uint32(l.rng.IntN(int(word.Width)))
		if l.rng.IntN(3) == 0 {
			b = 0
		}
		a = b + uint32(l.rng.IntN(int(word.Width-b)))
		in[0] = word
	case OpZExt, OpSExt:
		a = word.Width + uint32(l.rng.IntN(4))
		in[0] = word
	case OpSelect, OpStore:
		if len(l.pool[l.sorts[len(l.sorts)-1]]) == 0 {
			return in, 0, 0, false
		}
		found := false
		for _, s := range l.sorts {
			if s.Kind == SortArray {
				in, found = [3]Sort{s, BitVec(s.Index), BitVec(s.Width)}, true
			}
		}
		if !found {
			return in, 0, 0, false
		}
	case OpConstArray:
		found := false
		for _, s := range l.sorts {
			if s.Kind == SortArray {
				in, a, found = [3]Sort{BitVec(s.Width)}, s.Index, true
			}
		}
		if !found {
			return in, 0, 0, false
		}
	case OpFRound:
		in[0], a = word, uint32(l.rng.IntN(5))
	case OpFToSI, OpFToUI:
		in[0], a = word, l.anySort(SortBV).Width
	case OpSIToF, OpUIToF:
		in[0], a = l.anySort(SortBV), word.Width
	case OpFToF:
		in[0], a = word, []uint32{16, 32, 64}[l.rng.IntN(3)]
	default:
		in = [3]Sort{word, word, word}
	}
	return in, a, b, true
}

func (l *laboratory) check(t *testing.T, tw twin, values []bv.BV) {
	for k := range l.assignments {
		if values == nil {
			x, y := l.oracles[k].Array(tw.raw), l.evaluators[k].Array(tw.simple)
			if !maps.EqualFunc(x.Elements, y.Elements, bv.BV.Equal) || !x.Other.Equal(y.Other) {
				t.Fatalf("%s is %v, but\n%s is %v", l.raw.String(tw.raw), x, l.simple.String(tw.simple), y)
			}
			continue
		}
		want := values[k]
		if got := l.evaluators[k].Value(tw.simple); !got.Equal(want) {
			t.Fatalf("%s is %v, but\n%s is %v", l.raw.String(tw.raw), want, l.simple.String(tw.simple), got)
		}
		checkFact(t, l.raw, tw.raw, want)
		checkFact(t, l.simple, tw.simple, want)
	}
}

func checkFact(t *testing.T, s *Store, id ID, v bv.BV) {
	t.Helper()
	if s.Sort(id).Kind != SortBV {
		return
	}
	if z := s.TrailingZeros(id); z > 0 && !v.Extract(z-1, 0).IsZero() {
		t.Fatalf("%s is %s, but should have %d trailing zeros", s.String(id), v, z)
	}
	zeros, ones, ok := s.KnownBits(id)
	lo, hi, _ := s.UnsignedRange(id)
	if u := v.Uint64(); ok && (u&zeros != 0 || u&ones != ones || u < lo || u > hi) {
		t.Fatalf("%s is %s, but should be in [%d, %d], without bits %#x, with bits %#x", s.String(id), v, lo, hi, zeros, ones)
	}
}

// build calls the constructor of op.
func build(s *Store, op Op, t [3]ID, a, b uint32) ID {
	unary := map[Op]func(*Store, ID) ID{OpNot: (*Store).Not, OpNeg: (*Store).Neg, OpBVNot: (*Store).BVNot, OpFSqrt: (*Store).FSqrt}
	if f, ok := unary[op]; ok {
		return f(s, t[0])
	}
	if f, ok := binaryConstructor[op]; ok {
		return f(s, t[0], t[1])
	}
	switch op {
	case OpIte:
		return s.Ite(t[0], t[1], t[2])
	case OpExtract:
		return s.Extract(t[0], a, b)
	case OpZExt:
		return s.ZExt(t[0], a)
	case OpSExt:
		return s.SExt(t[0], a)
	case OpStore:
		return s.StoreArray(t[0], t[1], t[2])
	case OpConstArray:
		return s.ConstArray(Array(a, s.Width(t[0])), t[0])
	case OpFMA:
		return s.FMA(t[0], t[1], t[2])
	case OpFRound:
		return s.FRound(t[0], RoundMode(a))
	case OpFToSI:
		return s.FToSI(t[0], a)
	case OpFToUI:
		return s.FToUI(t[0], a)
	case OpSIToF:
		return s.SIToF(t[0], a)
	case OpUIToF:
		return s.UIToF(t[0], a)
	case OpFToF:
		return s.FToF(t[0], a)
	}
	panic(op.String())
}

var binaryConstructor = map[Op]func(*Store, ID, ID) ID{
	OpAnd: (*Store).And, OpOr: (*Store).Or, OpXor: (*Store).Xor, OpEq: (*Store).Eq,
	OpAdd: (*Store).Add, OpMul: (*Store).Mul, OpUDiv: (*Store).UDiv, OpURem: (*Store).URem,
	OpSDiv: (*Store).SDiv, OpSRem: (*Store).SRem, OpShl: (*Store).Shl, OpLShr: (*Store).LShr, OpAShr: (*Store).AShr,
	OpBVAnd: (*Store).BVAnd, OpBVOr: (*Store).BVOr, OpBVXor: (*Store).BVXor,
	OpULt: (*Store).ULt, OpULe: (*Store).ULe, OpSLt: (*Store).SLt, OpSLe: (*Store).SLe,
	OpConcat: (*Store).Concat, OpSelect: (*Store).Select,
	OpFAdd: (*Store).FAdd, OpFMul: (*Store).FMul, OpFDiv: (*Store).FDiv, OpFRem: (*Store).FRem,
	OpFEq: (*Store).FEq, OpFLt: (*Store).FLt, OpFLe: (*Store).FLe,
}

var seeds = flag.Int("seeds", 1, "random pools for each set of widths in TestRandom")

func TestRandom(t *testing.T) {
	cases := []struct {
		widths      []uint32
		assignments int
		steps       int
		variant     string // floats, arrays, unruly
	}{
		{[]uint32{1}, 16, 6000, ""},
		{[]uint32{2}, 64, 6000, ""},
		{[]uint32{1, 2}, 256, 2500, ""},
		{[]uint32{3}, 256, 2500, ""},
		{[]uint32{4}, 1024, 600, ""},
		{[]uint32{2, 5}, 100, 3000, ""},
		{[]uint32{8, 3}, 100, 4000, ""},
		{[]uint32{16, 32, 8}, 60, 4000, "floats"},
		{[]uint32{64, 1, 32}, 60, 4000, "floats"},
		{[]uint32{65, 8}, 40, 2500, ""},
		{[]uint32{2}, 64, 3000, "arrays"},
		{[]uint32{2}, 64, 2000, "unruly arrays"},
		{[]uint32{2}, 64, 4000, "unruly"},
		{[]uint32{8, 3}, 60, 3000, "unruly"},
		{[]uint32{3}, 40, 3000, "arrays"},
	}
	for _, c := range cases {
		t.Run(fmt.Sprint(c.widths, c.variant), func(t *testing.T) {
			t.Parallel()
			for seed := range *seeds {
				l := newLaboratory(uint64(seed), c.widths, c.assignments)
				l.arrays = strings.Contains(c.variant, "arrays")
				l.unruly = strings.Contains(c.variant, "unruly")
				deepest := 0
				l.simple.fired = func(string) { deepest = max(deepest, l.simple.depth) }
				// Small pools give small terms with many coincidences.
				for n := 0; n < c.steps; n++ {
					l.step(t, c.variant == "floats")
					if n%400 == 399 {
						l.forget()
					}
				}
				if deepest >= maxDepth/2 {
					t.Errorf("seed %d: rules nest to depth %d", seed, deepest)
				}
				if err := l.simple.check(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// forget keeps the variables and starts anew.
func (l *laboratory) forget() {
	for sort, p := range l.pool {
		if len(p) > 2 {
			l.pool[sort] = p[:2]
		}
	}
}
