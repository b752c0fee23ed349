package absdomain

import "assay/internal/logic/term"

// Box bounds terms where variables have known sets of values, without a solver: the value of each
// operation is that of its abstract operands, which are taken to be independent.
type Box struct {
	store  *term.Store
	values func(t term.ID) (Int, bool)
	memo   map[term.ID]Int
	floats map[term.ID]Float
}

// NewBox makes a box; values gives what is known of a term, of variables or others, and false
// where that follows from its arguments, or nothing is known.
func NewBox(s *term.Store, values func(t term.ID) (Int, bool)) *Box {
	return &Box{store: s, values: values, memo: map[term.ID]Int{}, floats: map[term.ID]Float{}}
}

// Value is a set that contains the values of a term, a Bool having one bit. Of arrays, wide bit-vectors,
// and the bits of floating-point results nothing is known.
func (b *Box) Value(t term.ID) Int {
	if x, ok := b.memo[t]; ok {
		return x
	}
	x, ok := b.values(t)
	if !ok {
		x = b.operation(t)
	}
	b.memo[t] = x
	return x
}

func (b *Box) top(t term.ID) Int {
	switch s := b.store.Sort(t); s.Kind {
	case term.SortBool:
		return Top(1)
	case term.SortBV:
		return Top(s.Width)
	}
	return Int{}
}

func (b *Box) operation(t term.ID) Int {
	st := b.store
	top := b.top(t)
	op := st.Op(t)
	switch op {
	case term.OpTrue, term.OpFalse:
		return Bool(op == term.OpTrue)
	case term.OpConst:
		if top.Width != 0 {
			return Of(st.ConstValue(t))
		}
		return top
	case term.OpVar, term.OpSelect, term.OpStore, term.OpConstArray:
		return top
	}
	switch op {
	case term.OpFEq:
		return b.Float(st.Arg(t, 0)).Equals(b.Float(st.Arg(t, 1)))
	case term.OpFLt, term.OpFLe:
		return b.Float(st.Arg(t, 0)).Less(b.Float(st.Arg(t, 1)), op == term.OpFLe)
	}
	if op >= term.OpFAdd || top.Width == 0 {
		return top
	}
	var a [3]Int
	n := st.NumArgs(t)
	for i := range n {
		if a[i] = b.Value(st.Arg(t, i)); a[i].Width == 0 && op != term.OpExtract {
			return top
		}
	}
	if a[0].Width == 0 {
		return top
	}
	w := uint32(top.Width)
	switch op {
	case term.OpNot, term.OpBVNot:
		return a[0].Not()
	case term.OpAnd, term.OpBVAnd:
		return a[0].And(a[1])
	case term.OpOr, term.OpBVOr:
		return a[0].Or(a[1])
	case term.OpXor, term.OpBVXor:
		return a[0].Xor(a[1])
	case term.OpEq:
		return a[0].Eq(a[1])
	case term.OpIte:
		switch v, known := a[0].Value(); {
		case known && v == 1:
			return a[1]
		case known:
			return a[2]
		}
		return a[1].Join(a[2])
	case term.OpAdd:
		return a[0].Add(a[1])
	case term.OpMul:
		return a[0].Mul(a[1])
	case term.OpNeg:
		return a[0].Neg()
	case term.OpUDiv:
		if a[1].contains(0) {
			return top
		}
		return a[0].UDiv(a[1])
	case term.OpURem:
		if a[1].contains(0) {
			return top
		}
		return a[0].URem(a[1])
	case term.OpSDiv:
		if a[1].contains(0) {
			return top
		}
		return a[0].SDiv(a[1])
	case term.OpSRem:
		if a[1].contains(0) {
			return top
		}
		return a[0].SRem(a[1])
	case term.OpShl, term.OpLShr, term.OpAShr:
		if a[1].UHi >= uint64(w) { // the operations of the domain are arbitrary there
			return top
		}
		switch op {
		case term.OpShl:
			return a[0].Shl(a[1])
		case term.OpLShr:
			return a[0].LShr(a[1])
		}
		return a[0].AShr(a[1])
	case term.OpULt:
		return a[0].ULt(a[1])
	case term.OpULe:
		return a[0].ULe(a[1])
	case term.OpSLt:
		return a[0].SLt(a[1])
	case term.OpSLe:
		return a[0].SLe(a[1])
	case term.OpConcat:
		return a[0].ZExt(w).Shl(Const(w, uint64(a[1].Width))).Or(a[1].ZExt(w))
	case term.OpExtract:
		_, lo := st.ExtractBounds(t)
		x := a[0]
		if lo > 0 {
			x = x.LShr(Const(uint32(x.Width), uint64(lo)))
		}
		if uint32(x.Width) == w {
			return x
		}
		return x.Trunc(w)
	case term.OpZExt:
		return a[0].ZExt(w)
	case term.OpSExt:
		return a[0].SExt(w)
	}
	return top
}

// Float is a set that contains the values of a term of 16, 32 or 64 bits read as a floating-point number.
func (b *Box) Float(t term.ID) Float {
	if x, ok := b.floats[t]; ok {
		return x
	}
	st := b.store
	w := st.Width(t)
	x := FloatTop(w)
	switch arg := func(i int) term.ID { return st.Arg(t, i) }; st.Op(t) {
	case term.OpConst:
		x = FloatConst(w, st.ConstValue(t).Uint64())
	case term.OpIte:
		switch v, known := b.Value(arg(0)).Value(); {
		case known && v == 1:
			x = b.Float(arg(1))
		case known:
			x = b.Float(arg(2))
		default:
			x = b.Float(arg(1)).Join(b.Float(arg(2)))
		}
	case term.OpFAdd:
		x = b.Float(arg(0)).Add(b.Float(arg(1)))
	case term.OpFMul:
		x = b.Float(arg(0)).Mul(b.Float(arg(1)))
	case term.OpFDiv:
		x = b.Float(arg(0)).Div(b.Float(arg(1)))
	case term.OpFToF:
		if from := st.Width(arg(0)); from != 16 && w != 16 {
			x = b.Float(arg(0)).Convert(w)
		}
	case term.OpSIToF, term.OpUIToF:
		if i := b.Value(arg(0)); i.Width != 0 && w != 16 {
			x = FloatFrom(w, i, st.Op(t) == term.OpSIToF)
		}
	}
	b.floats[t] = x
	return x
}

// contains says whether v is in the unsigned interval, at least.
func (x Int) contains(v uint64) bool { return x.ULo <= v && v <= x.UHi }
