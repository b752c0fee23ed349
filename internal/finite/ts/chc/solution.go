package chc

import (
	"fmt"
	"math/big"
	"strings"

	"assay/internal/logic/bv"
	"assay/internal/logic/term"
)

// This file reads the model that a solver prints, definitions of the predicates,
// and makes of it a formula over the states of the system. Integers become signed
// bit-vectors that are so wide that nothing wraps.
//
// Nothing here has to be trusted: invariants are checked.

// Solution is the invariant that a model of the clauses is, as conjuncts: Bools over
// the states. What cannot be said without quantifiers or non-linear arithmetic is
// left out. The terms are added to the store of the system.
func (p *Problem) Solution(model string) ([]term.ID, error) {
	tree, err := parse(model)
	if err != nil {
		return nil, err
	}
	defined := map[string]*node{}
	for _, d := range tree.list {
		if len(d.list) == 5 && d.list[0].atom == "define-fun" {
			defined[d.list[1].atom] = d
		}
	}
	st := p.s.Store
	var out []term.ID
	anywhere := st.False()
	for _, l := range p.locations {
		at := p.at(l)
		anywhere = st.Or(anywhere, at)
		d := defined[l.name]
		if d == nil {
			return nil, fmt.Errorf("the model does not define %s", l.name)
		}
		env := map[string]value{}
		i := 0
		for k, v := range p.s.States {
			if k == p.control {
				continue
			}
			if i >= len(d.list[2].list) || len(d.list[2].list[i].list) != 2 {
				return nil, fmt.Errorf("%s has too few parameters in the model", l.name)
			}
			env[d.list[2].list[i].list[0].atom] = p.parameter(v.Term)
			i++
		}
		for _, c := range (&reader{st: st}).conjuncts(d.list[4], env) {
			out = append(out, st.Implies(at, c))
		}
	}
	if p.control >= 0 {
		out = append(out, anywhere)
	}
	return out, nil
}

// parameter is a state as the clauses see it.
func (p *Problem) parameter(t term.ID) value {
	if p.reading == nil || p.s.Store.Sort(t).Kind == term.SortBool {
		return value{t: t}
	}
	w, how := p.s.Store.Width(t), p.reading.of(t)
	lo, hi := bounds(w, how)
	if how == unsigned {
		t = p.s.Store.ZExt(t, w+1)
	}
	return value{t, lo, hi}
}

// value is a term: a Bool, bits, or if lo is not nil an integer between lo and hi,
// as signed bits.
type value struct {
	t      term.ID
	lo, hi *big.Int
}

// node is an S-expression.
type node struct {
	atom string
	list []*node
}

// maxNesting bounds the depth of S-expressions.
const maxNesting = 10000

// parse reads the S-expressions of a text into one list.
func parse(text string) (*node, error) {
	root := &node{}
	stack := []*node{root}
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '(':
			n := &node{}
			top := stack[len(stack)-1]
			top.list = append(top.list, n)
			if stack = append(stack, n); len(stack) > maxNesting {
				return nil, fmt.Errorf("the model nests deeper than %d", maxNesting)
			}
			i++
		case c == ')':
			if len(stack) == 1 {
				return nil, fmt.Errorf("the model has a ) too many")
			}
			stack = stack[:len(stack)-1]
			i++
		case strings.ContainsRune(" \t\r\n", rune(c)):
			i++
		case c == ';':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == '|':
			end := strings.IndexByte(text[i+1:], '|')
			if end < 0 {
				return nil, fmt.Errorf("the model ends within a name")
			}
			top := stack[len(stack)-1]
			top.list = append(top.list, &node{atom: text[i+1 : i+1+end]})
			i += end + 2
		default:
			end := i
			for end < len(text) && !strings.ContainsRune("() \t\r\n;|", rune(text[end])) {
				end++
			}
			top := stack[len(stack)-1]
			top.list = append(top.list, &node{atom: text[i:end]})
			i = end
		}
	}
	if len(stack) > 1 {
		return nil, fmt.Errorf("the model has a ( too many")
	}
	for len(root.list) == 1 && root.list[0].atom == "" {
		root = root.list[0]
	}
	if len(root.list) > 0 && root.list[0].atom == "define-fun" {
		root = &node{list: []*node{root}}
	}
	if len(root.list) > 0 && root.list[0].atom == "model" {
		root.list = root.list[1:]
	}
	return root, nil
}

// reader makes terms of expressions; failure is a panic of type unreadable.
type reader struct{ st *term.Store }

type unreadable struct{ what string }

// conjuncts are the conjuncts of a formula, without those that are unreadable.
func (r *reader) conjuncts(n *node, env map[string]value) (out []term.ID) {
	switch {
	case n.head() == "and":
		for _, x := range n.list[1:] {
			out = append(out, r.conjuncts(x, env)...)
		}
		return out
	case n.head() == "let" && len(n.list) == 3:
		inner, ok := r.bind(n.list[1], env)
		if ok {
			return r.conjuncts(n.list[2], inner)
		}
		return nil
	}
	if v, ok := r.try(n, env); ok && r.st.Sort(v.t).Kind == term.SortBool {
		return []term.ID{v.t}
	}
	return nil
}

func (n *node) head() string {
	if len(n.list) == 0 {
		return ""
	}
	return n.list[0].atom
}

// try is the value of an expression, if it is readable.
func (r *reader) try(n *node, env map[string]value) (v value, ok bool) {
	defer func() {
		if p := recover(); p != nil {
			if _, mine := p.(unreadable); !mine {
				panic(p)
			}
			ok = false
		}
	}()
	return r.value(n, env), true
}

// bind is the environment with the bindings of a let.
func (r *reader) bind(list *node, env map[string]value) (map[string]value, bool) {
	inner := map[string]value{}
	for k, v := range env {
		inner[k] = v
	}
	for _, b := range list.list {
		if len(b.list) != 2 {
			return nil, false
		}
		v, ok := r.try(b.list[1], env)
		if !ok {
			delete(inner, b.list[0].atom)
			continue
		}
		inner[b.list[0].atom] = v
	}
	return inner, true
}

func fail(format string, args ...any) value {
	panic(unreadable{fmt.Sprintf(format, args...)})
}

// maxWidth bounds the bit-vectors that integers become.
const maxWidth = 1 << 10

// integer is the value of an integer term within bounds.
func (r *reader) integer(t term.ID, lo, hi *big.Int) value { return value{t, lo, hi} }

// widthFor is the width of signed bits for the bounds.
func widthFor(lo, hi *big.Int) uint32 {
	a, b := lo, hi
	n := uint32(b.BitLen())
	if a.Sign() < 0 {
		n = max(n, uint32(new(big.Int).Not(a).BitLen()))
	}
	return n + 1
}

func (r *reader) wide(v value, w uint32) term.ID {
	if w > maxWidth {
		fail("integers of %d bits", w)
	}
	return r.st.SExtOrTrunc(v.t, w)
}

func (r *reader) constant(n *big.Int) value {
	w := widthFor(n, n)
	if w > maxWidth {
		fail("a number of %d bits", w)
	}
	return value{r.st.Const(bv.FromBig(w, n)), n, n}
}

func (r *reader) isBool(v value) bool { return v.lo == nil && r.st.Sort(v.t).Kind == term.SortBool }
func (r *reader) isBits(v value) bool { return v.lo == nil && r.st.Sort(v.t).Kind == term.SortBV }

// value is the value of an expression.
func (r *reader) value(n *node, env map[string]value) value {
	st := r.st
	if n.atom != "" {
		return r.leaf(n.atom, env)
	}
	if len(n.list) == 0 {
		return fail("()")
	}
	if n.list[0].atom == "" {
		return r.indexed(n, env)
	}
	switch n.head() {
	case "let":
		if len(n.list) != 3 {
			return fail("let")
		}
		inner, ok := r.bind(n.list[1], env)
		if !ok {
			return fail("let")
		}
		return r.value(n.list[2], inner)
	case "_": // (_ bv5 8)
		if len(n.list) == 3 && strings.HasPrefix(n.list[1].atom, "bv") {
			v, ok := new(big.Int).SetString(n.list[1].atom[2:], 10)
			w, ok2 := index(n.list[2])
			if ok && ok2 && w > 0 && v.Sign() >= 0 {
				return value{t: st.Const(bv.FromBig(w, v))}
			}
		}
		return fail("an indexed identifier")
	case "forall", "exists", "!":
		return fail("a quantifier")
	}
	var args []value
	for _, x := range n.list[1:] {
		args = append(args, r.value(x, env))
	}
	return r.apply(n.head(), args)
}

func index(n *node) (uint32, bool) {
	v, ok := new(big.Int).SetString(n.atom, 10)
	if !ok || v.Sign() < 0 || v.BitLen() > 24 {
		return 0, false
	}
	return uint32(v.Uint64()), true
}

func (r *reader) leaf(atom string, env map[string]value) value {
	if v, ok := env[atom]; ok {
		return v
	}
	switch {
	case atom == "true" || atom == "false":
		return value{t: r.st.Bool(atom == "true")}
	case strings.HasPrefix(atom, "#b") || strings.HasPrefix(atom, "#x"):
		base, w := 2, uint32(len(atom)-2)
		if atom[1] == 'x' {
			base, w = 16, 4*w
		}
		v, ok := new(big.Int).SetString(atom[2:], base)
		if !ok || w == 0 || v.Sign() < 0 {
			return fail("the literal %s", atom)
		}
		return value{t: r.st.Const(bv.FromBig(w, v))}
	}
	v, ok := new(big.Int).SetString(atom, 10)
	if !ok {
		return fail("the name %s", atom)
	}
	return r.constant(v)
}

// indexed is an application of an indexed operator, as ((_ extract 3 0) x).
func (r *reader) indexed(n *node, env map[string]value) value {
	f := n.list[0]
	if f.head() != "_" || len(n.list) != 2 {
		return fail("an application")
	}
	x := r.value(n.list[1], env)
	var k []uint32
	for _, i := range f.list[2:] {
		v, ok := index(i)
		if !ok {
			return fail("an index")
		}
		k = append(k, v)
	}
	if !r.isBits(x) {
		return fail("bits wanted")
	}
	w := r.st.Width(x.t)
	switch op := f.list[1].atom; {
	case op == "extract" && len(k) == 2 && k[0] < w && k[1] <= k[0]:
		return value{t: r.st.Extract(x.t, k[0], k[1])}
	case op == "zero_extend" && len(k) == 1 && w+k[0] <= maxWidth:
		return value{t: r.st.ZExt(x.t, w+k[0])}
	case op == "sign_extend" && len(k) == 1 && w+k[0] <= maxWidth:
		return value{t: r.st.SExt(x.t, w+k[0])}
	case op == "repeat" && len(k) == 1 && k[0] > 0 && uint64(w)*uint64(k[0]) <= maxWidth:
		out := x.t
		for range k[0] - 1 {
			out = r.st.Concat(out, x.t)
		}
		return value{t: out}
	}
	return fail("the operator %s", f.list[1].atom)
}

// apply is an operator on its arguments.
func (r *reader) apply(op string, a []value) value {
	st := r.st
	bools, bits, ints := len(a) > 0, len(a) > 0, len(a) > 0
	for _, x := range a {
		bools = bools && r.isBool(x)
		bits = bits && r.isBits(x)
		ints = ints && x.lo != nil
	}
	for _, x := range a[min(1, len(a)):] {
		bits = bits && (st.Sort(x.t) == st.Sort(a[0].t) || op == "concat")
	}
	chain := func(f func(x, y term.ID) term.ID) value {
		t := a[0].t
		for _, x := range a[1:] {
			t = f(t, x.t)
		}
		return value{t: t}
	}
	switch {
	case op == "ite" && len(a) == 3 && r.isBool(a[0]):
		switch {
		case a[1].lo != nil && a[2].lo != nil:
			lo, hi := least(a[1].lo, a[2].lo), greatest(a[1].hi, a[2].hi)
			w := widthFor(lo, hi)
			return r.integer(st.Ite(a[0].t, r.wide(a[1], w), r.wide(a[2], w)), lo, hi)
		case a[1].lo == nil && a[2].lo == nil && st.Sort(a[1].t) == st.Sort(a[2].t):
			return value{t: st.Ite(a[0].t, a[1].t, a[2].t)}
		}
	case bools:
		switch {
		case op == "not" && len(a) == 1:
			return value{t: st.Not(a[0].t)}
		case op == "and":
			return chain(st.And)
		case op == "or":
			return chain(st.Or)
		case op == "xor" && len(a) == 2:
			return chain(st.Xor)
		case op == "=>" && len(a) == 2:
			return chain(st.Implies)
		case op == "=" && len(a) == 2:
			return chain(st.Eq)
		case op == "distinct" && len(a) == 2:
			return chain(st.Xor)
		}
	case ints:
		return r.arithmetic(op, a)
	case bits:
		return r.bitvector(op, a, chain)
	}
	return fail("the operator %s", op)
}

func least(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

func greatest(a, b *big.Int) *big.Int {
	if a.Cmp(b) > 0 {
		return a
	}
	return b
}

// arithmetic is an operator on integers.
func (r *reader) arithmetic(op string, a []value) value {
	st := r.st
	switch {
	case op == "-" && len(a) == 1:
		lo, hi := new(big.Int).Neg(a[0].hi), new(big.Int).Neg(a[0].lo)
		w := max(widthFor(lo, hi), st.Width(a[0].t))
		return r.integer(st.Neg(r.wide(a[0], w)), lo, hi)
	case op == "+" || op == "-":
		sum := a[0]
		for _, x := range a[1:] {
			lo, hi := new(big.Int).Add(sum.lo, x.lo), new(big.Int).Add(sum.hi, x.hi)
			if op == "-" {
				lo, hi = new(big.Int).Sub(sum.lo, x.hi), new(big.Int).Sub(sum.hi, x.lo)
			}
			w := max(widthFor(lo, hi), st.Width(sum.t), st.Width(x.t))
			y := r.wide(x, w)
			if op == "-" {
				y = st.Neg(y)
			}
			sum = r.integer(st.Add(r.wide(sum, w), y), lo, hi)
		}
		return sum
	case op == "*" && len(a) == 2:
		var lo, hi *big.Int
		for _, x := range []*big.Int{a[0].lo, a[0].hi} {
			for _, y := range []*big.Int{a[1].lo, a[1].hi} {
				p := new(big.Int).Mul(x, y)
				if lo == nil {
					lo, hi = p, p
				}
				lo, hi = least(lo, p), greatest(hi, p)
			}
		}
		w := max(widthFor(lo, hi), st.Width(a[0].t), st.Width(a[1].t))
		return r.integer(st.Mul(r.wide(a[0], w), r.wide(a[1], w)), lo, hi)
	case (op == "mod" || op == "div") && len(a) == 2 && a[1].lo.Cmp(a[1].hi) == 0 && a[1].lo.Sign() > 0:
		return r.quotient(op, a[0], a[1].lo)
	case len(a) == 2:
		w := max(st.Width(a[0].t), st.Width(a[1].t))
		x, y := r.wide(a[0], w), r.wide(a[1], w)
		switch op {
		case "=":
			return value{t: st.Eq(x, y)}
		case "distinct":
			return value{t: st.Not(st.Eq(x, y))}
		case "<":
			return value{t: st.SLt(x, y)}
		case "<=":
			return value{t: st.SLe(x, y)}
		case ">":
			return value{t: st.SLt(y, x)}
		case ">=":
			return value{t: st.SLe(y, x)}
		}
	}
	return fail("the operator %s", op)
}

// quotient is the quotient by a positive constant, rounded down, or the remainder,
// which is never negative.
func (r *reader) quotient(op string, x value, d *big.Int) value {
	st := r.st
	w := max(st.Width(x.t), widthFor(d, d)) + 1
	t, k := r.wide(x, w), st.Const(bv.FromBig(w, d))
	rest := st.SRem(t, k)
	negative := st.SLt(rest, st.ConstU(w, 0))
	if op == "mod" {
		return r.integer(st.Ite(negative, st.Add(rest, k), rest), new(big.Int), new(big.Int).Sub(d, one))
	}
	q := st.SDiv(t, k)
	q = st.Ite(negative, st.Add(q, st.Const(bv.FromBig(w, big.NewInt(-1)))), q)
	floor := func(n *big.Int) *big.Int { return new(big.Int).Div(n, d) } // Euclidean: rounded down for d > 0
	return r.integer(q, floor(x.lo), floor(x.hi))
}

// bitvector is an operator on bit-vectors.
func (r *reader) bitvector(op string, a []value, chain func(func(x, y term.ID) term.ID) value) value {
	st := r.st
	not := func(f func(x, y term.ID) term.ID) value { return value{t: st.Not(f(a[0].t, a[1].t))} }
	unary := map[string]func(term.ID) term.ID{"bvnot": st.BVNot, "bvneg": st.Neg}
	folded := map[string]func(x, y term.ID) term.ID{
		"bvadd": st.Add, "bvmul": st.Mul, "bvand": st.BVAnd, "bvor": st.BVOr, "bvxor": st.BVXor, "concat": st.Concat, "bvsub": st.Sub,
	}
	binary := map[string]func(x, y term.ID) term.ID{
		"=": st.Eq, "bvult": st.ULt, "bvule": st.ULe, "bvslt": st.SLt, "bvsle": st.SLe, "bvudiv": st.UDiv, "bvurem": st.URem, "bvsdiv": st.SDiv,
		"bvsrem": st.SRem, "bvshl": st.Shl, "bvlshr": st.LShr, "bvashr": st.AShr,
		// Z3's names for what it knows not to divide by 0.
		"bvudiv_i": st.UDiv, "bvurem_i": st.URem, "bvsdiv_i": st.SDiv, "bvsrem_i": st.SRem,
	}
	swapped := map[string]func(x, y term.ID) term.ID{"bvugt": st.ULe, "bvuge": st.ULt, "bvsgt": st.SLe, "bvsge": st.SLt, "distinct": st.Eq}
	if f := unary[op]; f != nil && len(a) == 1 {
		return value{t: f(a[0].t)}
	}
	if f := folded[op]; f != nil {
		return chain(f)
	}
	if f := binary[op]; f != nil && len(a) == 2 {
		return value{t: f(a[0].t, a[1].t)}
	}
	if f := swapped[op]; f != nil && len(a) == 2 { // x > y is not x <= y
		return not(f)
	}
	if op == "bvcomp" && len(a) == 2 {
		return value{t: st.BoolToBV(st.Eq(a[0].t, a[1].t))}
	}
	return fail("the operator %s", op)
}
