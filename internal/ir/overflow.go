package ir

import "slices"

// Overflowing is the addition, subtraction or multiplication whose signed overflow a
// Check excludes, 0 if that cannot be told: the Check negates an overflow predicate, and
// the operation has the same operands and stands in the same block, as the front end
// makes them.
func (f *Func) Overflowing(check Value) Value {
	d := f.Def(check)
	if d.Op != Check || CheckKind(d.Aux) != Overflow {
		return 0
	}
	p := f.Def(d.Args[0])
	if p.Op == Xor {
		one := f.Def(p.Args[1])
		if one.Op != Const || !one.Const.IsTrue() {
			return 0
		}
		p = f.Def(p.Args[0])
	}
	op := map[Op]Op{SAddOvf: Add, SSubOvf: Sub, SMulOvf: Mul}[p.Op]
	if op == 0 {
		return 0
	}
	for _, v := range f.Blocks[d.Block].Instrs {
		if x := f.Def(v); x.Op == op && x.Args[0] == p.Args[0] && x.Args[1] == p.Args[1] {
			return v
		}
	}
	return 0
}

// MakeArbitrary lets additions, subtractions and multiplications yield anything where they
// overflow. The function's blocks and instructions are changed; values keep their numbers.
func (f *Func) MakeArbitrary(operations map[Value]bool) {
	for b := range f.Blocks {
		var out []Value
		for _, v := range f.Blocks[b].Instrs {
			if operations[v] {
				add := func(d Def) Value {
					d.Block, d.Pos = BlockID(b), f.Values[v].Pos
					f.Values = append(f.Values, d)
					n := Value(len(f.Values) - 1)
					out = append(out, n)
					return n
				}
				d := f.Values[v]
				predicate := map[Op]Op{Add: SAddOvf, Sub: SSubOvf, Mul: SMulOvf}[d.Op]
				sum := add(Def{Op: d.Op, Type: d.Type, Args: d.Args})
				overflows := add(Def{Op: predicate, Type: IntType(1), Args: d.Args})
				other := add(Def{Op: Nondet, Type: d.Type, Aux: int64(NondetUndef)})
				f.Values[v] = Def{Op: Select, Type: d.Type, Args: []Value{overflows, other, sum}, Block: d.Block, Pos: d.Pos}
			}
			out = append(out, v)
		}
		f.Blocks[b].Instrs = out
	}
}

// WithArbitraryOverflow is the module in which signed overflow yields anything, false if some
// check of an overflow is not one of a known operation.
func WithArbitraryOverflow(m *Module) (*Module, bool) {
	out := *m
	out.Funcs = slices.Clone(m.Funcs)
	for i, f := range m.Funcs {
		if f.IsDecl() {
			continue
		}
		operations := map[Value]bool{}
		for c := 1; c < len(f.Values); c++ {
			d := f.Def(Value(c))
			if d.Block == 0 || d.Op != Check || CheckKind(d.Aux) != Overflow {
				continue
			}
			v := f.Overflowing(Value(c))
			if v == 0 {
				return nil, false
			}
			for _, x := range f.Blocks[d.Block].Instrs { // the same may be computed again
				if e := f.Def(x); e.Op == f.Def(v).Op && slices.Equal(e.Args, f.Def(v).Args) {
					operations[x] = true
				}
			}
		}
		if len(operations) > 0 {
			g := *f
			g.Values, g.Blocks = slices.Clone(f.Values), slices.Clone(f.Blocks)
			g.MakeArbitrary(operations)
			out.Funcs[i] = &g
		}
	}
	return &out, true
}
