package term

import (
	"fmt"
	"strconv"
	"strings"

	"assay/internal/logic/bv"
)

// This file reads terms for tests. The syntax is SMT-LIB's with shorter
// indices:
//
//	x y z        variables of the width of the test; x:8 has width 8
//	p q r        Bools
//	a b          arrays from the width of the test to itself
//	5 -1 5:8     constants
//	(extract hi lo t) (zext n t) (sext n t)     n is the number of added bits
//	(konst t)    a constant array
//	(frem s t) (ftosi w t) (fround mode t) ..   floating point
type reader struct {
	s     *Store
	width uint32
	toks  []string
}

func parse(s *Store, width uint32, text string) ID {
	r := &reader{s: s, width: width}
	r.toks = strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(text))
	t := r.term()
	if len(r.toks) > 0 {
		panic("trailing " + r.toks[0])
	}
	return t
}

func (r *reader) next() string {
	tok := r.toks[0]
	r.toks = r.toks[1:]
	return tok
}

func (r *reader) number() uint32 {
	n, err := strconv.Atoi(r.next())
	if err != nil {
		panic(err)
	}
	return uint32(n)
}

func (r *reader) atom(tok string) ID {
	s := r.s
	switch tok {
	case "true", "false":
		return s.Bool(tok == "true")
	case "p", "q", "r":
		return s.Var(tok, Bool())
	case "a", "b":
		return s.Var(tok, Array(r.width, r.width))
	}
	name, suffix, has := strings.Cut(tok, ":")
	width := r.width
	if has {
		w, err := strconv.Atoi(suffix)
		if err != nil {
			panic(err)
		}
		width = uint32(w)
	}
	if v, err := strconv.ParseInt(name, 0, 64); err == nil {
		return s.Const(bv.NewSigned(width, v))
	}
	return s.Var(tok, BitVec(width))
}

func (r *reader) term() ID {
	tok := r.next()
	if tok != "(" {
		return r.atom(tok)
	}
	s := r.s
	head := r.next()
	var index [2]uint32
	switch head {
	case "extract":
		index[0], index[1] = r.number(), r.number()
	case "zext", "sext", "ftosi", "ftoui", "sitof", "uitof", "ftof", "fround":
		index[0] = r.number()
	}
	var t [3]ID
	n := 0
	for r.toks[0] != ")" {
		t[n] = r.term()
		n++
	}
	r.next()
	switch head {
	case "extract":
		return s.Extract(t[0], index[0], index[1])
	case "zext":
		return s.ZExt(t[0], s.Width(t[0])+index[0])
	case "sext":
		return s.SExt(t[0], s.Width(t[0])+index[0])
	case "konst":
		return s.ConstArray(Array(r.width, s.Width(t[0])), t[0])
	case "ftosi":
		return s.FToSI(t[0], index[0])
	case "ftoui":
		return s.FToUI(t[0], index[0])
	case "sitof":
		return s.SIToF(t[0], index[0])
	case "uitof":
		return s.UIToF(t[0], index[0])
	case "ftof":
		return s.FToF(t[0], index[0])
	case "fround":
		return s.FRound(t[0], RoundMode(index[0]))
	}
	if f, ok := constructors1[head]; ok && n == 1 {
		return f(s, t[0])
	}
	if f, ok := constructors2[head]; ok && n == 2 {
		return f(s, t[0], t[1])
	}
	if f, ok := constructors3[head]; ok && n == 3 {
		return f(s, t[0], t[1], t[2])
	}
	panic(fmt.Sprintf("unknown %s of %d", head, n))
}

var constructors1 = map[string]func(*Store, ID) ID{
	"not": (*Store).Not, "neg": (*Store).Neg, "bvnot": (*Store).BVNot, "fsqrt": (*Store).FSqrt,
	"fneg": (*Store).FNeg, "fabs": (*Store).FAbs, "isnan": (*Store).FIsNaN, "isinf": (*Store).FIsInf,
	"bit": (*Store).BoolToBV, "test": (*Store).BVToBool,
}

var constructors2 = map[string]func(*Store, ID, ID) ID{
	"and": (*Store).And, "or": (*Store).Or, "xor": (*Store).Xor, "=>": (*Store).Implies, "=": (*Store).Eq,
	"add": (*Store).Add, "sub": (*Store).Sub, "mul": (*Store).Mul, "udiv": (*Store).UDiv, "urem": (*Store).URem,
	"sdiv": (*Store).SDiv, "srem": (*Store).SRem, "shl": (*Store).Shl, "lshr": (*Store).LShr, "ashr": (*Store).AShr,
	"bvand": (*Store).BVAnd, "bvor": (*Store).BVOr, "bvxor": (*Store).BVXor,
	"ult": (*Store).ULt, "ule": (*Store).ULe, "slt": (*Store).SLt, "sle": (*Store).SLe,
	"concat": (*Store).Concat, "select": (*Store).Select,
	"fadd": (*Store).FAdd, "fsub": (*Store).FSub, "fmul": (*Store).FMul, "fdiv": (*Store).FDiv, "frem": (*Store).FRem,
	"feq": (*Store).FEq, "flt": (*Store).FLt, "fle": (*Store).FLe, "fcopysign": (*Store).FCopySign,
}

var constructors3 = map[string]func(*Store, ID, ID, ID) ID{
	"ite": (*Store).Ite, "store": (*Store).StoreArray, "fma": (*Store).FMA,
}
