package acceleration

import (
	"math/bits"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// This file writes closed forms as instructions.

// emitter appends instructions to a block of a function.
type emitter struct {
	ir.Editor
	l *loop
	c *closed
	// count is n, last is n-1, of c.width bits.
	count, last ir.Value
	choices     map[int32]ir.Value
	cells       map[int32]ir.Value // what they hold at the start
	start       map[ir.Value]ir.Value
	first, end  *substitution // in iteration 0, and n-1
}

// substitution gives expressions their values in one iteration.
type substitution struct {
	memo map[expr]ir.Value
	at   ir.Value // the iteration, 0 for the first
}

func (e *emitter) bin(op ir.Op, x, y ir.Value) ir.Value { return e.Op(op, e.Func.Type(x), x, y) }
func (e *emitter) cmp(op ir.Op, x, y ir.Value) ir.Value { return e.Op(op, ir.BoolType, x, y) }

func (e *emitter) assume(x ir.Value) { e.Op(ir.Assume, ir.Type{}, x) }

// resize is x modulo 2^w, or extended by zeros.
func (e *emitter) resize(x ir.Value, w uint32) ir.Value {
	switch now := e.Func.Type(x).Bits; {
	case now < w:
		return e.Op(ir.ZExt, ir.IntType(w), x)
	case now > w:
		return e.Op(ir.Trunc, ir.IntType(w), x)
	}
	return x
}

// times is n times x, of the width of x.
func (e *emitter) times(n ir.Value, x expr) ir.Value {
	w := e.l.width(x)
	n = e.resize(n, w)
	if k, ok := e.l.literal(x); ok && k.Equal(bv.New(w, 1)) {
		return n
	}
	return e.bin(ir.Mul, n, e.value(e.first, x))
}

// value is an expression in an iteration.
func (e *emitter) value(s *substitution, x expr) ir.Value {
	if v, ok := s.memo[x]; ok {
		return v
	}
	n := *e.l.at(x)
	var v ir.Value
	switch n.kind {
	case constant:
		v = e.Define(ir.Def{Op: ir.Const, Type: n.t, Const: n.value})
	case symbol:
		v = e.Define(ir.Def{Op: n.op, Type: n.t, Sym: n.sym})
	case outside:
		v = ir.Value(n.id)
	case choice:
		v = e.choices[n.id]
	case phi, cell:
		v = e.start[ir.Value(n.id)]
		if n.kind == cell {
			v = e.held(n.id)
		}
		if x := e.c.byLeaf[x]; s.at != 0 && x != nil && x.how == stepped {
			v = e.bin(ir.Add, v, e.times(s.at, x.step))
		}
	case operation:
		args := []ir.Value{}
		for _, a := range n.args {
			if a != 0 {
				args = append(args, e.value(s, a))
			}
		}
		v = e.Emit(ir.Def{Op: n.op, Type: n.t, Args: args, Aux: n.aux})
	default:
		panic("acceleration: an expression that is not known")
	}
	s.memo[x] = v
	return v
}

// held is what a cell holds at the start.
func (e *emitter) held(i int32) ir.Value {
	if v, ok := e.cells[i]; ok {
		return v
	}
	v := e.Op(ir.Load, ir.IntType(e.l.cells[i].bits), e.address(i))
	e.cells[i] = v
	return v
}

func (e *emitter) address(i int32) ir.Value {
	p := e.l.cells[i]
	root := e.value(e.first, p.root)
	if p.offset == 0 {
		return root
	}
	return e.Op(ir.PtrAdd, e.l.m.PtrType(), root, e.Number(e.l.m.PointerBits, p.offset))
}

// require assumes what must be true for n iterations.
func (e *emitter) require(r *requirement) {
	switch {
	case r.apart:
		e.apart(r)
		return
	case r.aside:
		e.ranges(r)
		less := func(s *substitution) (ir.Value, ir.Value) {
			x, y := e.value(s, r.x), e.value(s, r.y)
			return e.cmp(ir.SLt, x, y), e.cmp(ir.SLt, y, x)
		}
		l0, g0 := less(e.first)
		l1, g1 := less(e.end)
		e.assume(e.bin(ir.Or, e.bin(ir.And, l0, l1), e.bin(ir.And, g0, g1)))
		return
	}
	holds := func(s *substitution) {
		v := e.value(s, r.e)
		if !r.want {
			v = e.Not(v)
		}
		e.assume(v)
	}
	holds(e.first)
	e.ranges(r)
	if r.last {
		holds(e.end)
	}
}

// apart is (F3).
func (e *emitter) apart(r *requirement) {
	w := r.d.Width()
	distance := e.bin(ir.Sub, e.value(e.first, r.y), e.value(e.first, r.x))
	t := uint32(0)
	for !r.d.Bit(t) {
		t++
	}
	inverse := inverse(r.d.LShr(bv.New(w, uint64(t))).Trunc(w - t))
	high := distance
	if t > 0 {
		high = e.Op(ir.Trunc, ir.IntType(w-t), e.bin(ir.LShr, distance, e.Number(w, uint64(t))))
	}
	hit := e.bin(ir.Mul, high, e.Constant(inverse))
	n := max(w-t, e.c.width)
	before := e.cmp(ir.ULe, e.resize(e.count, n), e.resize(hit, n))
	if t > 0 {
		low := e.Op(ir.Trunc, ir.IntType(t), distance)
		before = e.bin(ir.Or, before, e.cmp(ir.Ne, low, e.Number(t, 0)))
	}
	e.assume(before)
}

// inverse is the inverse of an odd number modulo 2^w, by Newton's iteration: each round
// doubles the number of bits that are right.
func inverse(x bv.BV) bv.BV {
	w := x.Width()
	y := x // right modulo 8, as x*x is 1
	for range bits.Len32(w) {
		y = y.Mul(bv.New(w, 2).Sub(x.Mul(y)))
	}
	return y
}

// ranges assumes that expressions do not wrap.
func (e *emitter) ranges(r *requirement) {
	for _, x := range r.ranges {
		w := e.l.width(x.e)
		now := e.value(e.first, x.e)
		least, greatest := bv.New(w, 0), bv.New(w, 0).Not()
		if x.signed {
			least = bv.New(w, 1).Shl(bv.New(w, uint64(w-1)))
			greatest = least.Not()
		}
		up, down := e.bin(ir.Sub, e.Constant(greatest), now), e.bin(ir.Sub, now, e.Constant(least))
		if k, ok := e.l.literal(x.d); ok {
			if k.IsZero() {
				continue
			}
			room, size := up, k
			if k.Negative() && w > 1 {
				room, size = down, k.Neg()
			}
			e.atMost(e.last, bv.New(w, 0).Not().UDiv(size))
			e.assume(e.cmp(ir.ULe, e.bin(ir.Mul, e.resize(e.last, w), e.Constant(size)), room))
			continue
		}
		d := e.value(e.first, x.d)
		negative := e.cmp(ir.SLt, d, e.Number(w, 0))
		size := e.Op(ir.Select, ir.IntType(w), negative, e.bin(ir.Sub, e.Number(w, 0), d), d)
		room := e.Op(ir.Select, ir.IntType(w), negative, down, up)
		e.atMost(e.last, bv.New(w, 0).Not())
		m := e.resize(e.last, w)
		e.assume(e.Not(e.cmp(ir.UMulOvf, m, size)))
		e.assume(e.cmp(ir.ULe, e.bin(ir.Mul, m, size), room))
	}
}

// atMost assumes that x is at most k, of any width.
func (e *emitter) atMost(x ir.Value, k bv.BV) {
	w := e.Func.Type(x).Bits
	if k.Width() > w && !k.ULt(bv.New(k.Width(), 0).Not().LShr(bv.New(k.Width(), uint64(k.Width()-w)))) {
		return
	}
	n := max(w, k.Width())
	e.assume(e.cmp(ir.ULe, e.resize(x, n), e.Constant(k.ZExt(n))))
}

// change is the closed form of a variable: its value at the start, its steps, and its
// value after n iterations.
type change struct {
	v                        *variable
	start, step, second, end ir.Value
}

// after computes the closed form of a variable.
func (e *emitter) after(v *variable) change {
	c := change{v: v, start: e.value(e.first, v.leaf)}
	w := e.l.width(v.leaf)
	switch v.how {
	case stepped:
		c.step = e.value(e.first, v.step)
		c.end = e.bin(ir.Add, c.start, e.times(e.count, v.step))
	case summed:
		c.step, c.second = e.value(e.first, v.step), e.value(e.first, v.second)
		// n*(n-1)/2: one of both is even.
		one := e.Number(e.c.width, 1)
		odd := e.Op(ir.Trunc, ir.BoolType, e.count)
		half := func(x ir.Value) ir.Value { return e.resize(e.bin(ir.LShr, x, one), w) }
		t := ir.IntType(w)
		a := e.Op(ir.Select, t, odd, e.resize(e.count, w), half(e.count))
		b := e.Op(ir.Select, t, odd, half(e.last), e.resize(e.last, w))
		pairs := e.bin(ir.Mul, a, b)
		c.end = e.bin(ir.Add, c.start, e.bin(ir.Add, e.times(e.count, v.step), e.bin(ir.Mul, pairs, c.second)))
	default:
		c.end = e.value(e.end, v.update)
	}
	return c
}
