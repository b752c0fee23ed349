package graph

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// value is a value on a path: dead, anything, an integer modulo 2^bits, a truth
// value as a formula, or a pointer whose offset is such an integer.
type value struct {
	kind   symgraph.Kind
	n      number // Int, Pointer
	truth  string // of one-bit integers, instead of n; empty if n counts
	object int32
	last   bool // into the last node of a list segment
}

type frame struct {
	f      *ir.Func
	block  ir.BlockID
	index  int
	values []value
	seen   []ir.BlockID // entered on this path
}

type object struct {
	kind     symgraph.ObjectKind
	dead     bool
	frame    int
	name     string
	global   *ir.Global
	pristine bool
	written  []span // of a pristine object: what is not that of the image
	size     number
	based    bool
	base     number
	cells    []cell
	list     *segment
	slots    *slots
	strings  *texts
}

type span struct{ at, n int64 }

type cell struct {
	at number // an offset, exact
	t  ir.Type
	v  value
}

type state struct {
	frames  []frame
	objects []object
	lost    bool
	entry   int32 // as in symgraph.State, or beginning
	// The arguments with which the activation of the first frame began.
	arguments []value
}

func (s *state) top() *frame { return &s.frames[len(s.frames)-1] }

func (s *state) clone() *state {
	t := *s
	t.frames = slices.Clone(s.frames)
	for i := range t.frames {
		t.frames[i].values = slices.Clone(t.frames[i].values)
	}
	t.objects = slices.Clone(s.objects)
	return &t
}

// start is the state at the beginning of the program.
func (c *checkerState) start() *state {
	f := c.index.Funcs[c.m.Entry]
	if f == nil || f.IsDecl() {
		return nil
	}
	return &state{frames: []frame{{f: f, block: 1, values: make([]value, len(f.Values))}}, objects: c.fixed()}
}

// fixed are the objects of globals and functions.
func (c *checkerState) fixed() []object {
	var os []object
	for _, g := range c.m.Globals {
		os = append(os, object{kind: symgraph.Global, name: g.Name, global: g, pristine: !g.External, size: num(new(big.Int).SetUint64(g.Size))})
	}
	for _, f := range c.m.Funcs {
		os = append(os, object{kind: symgraph.Function, name: f.Name, size: small(0)})
	}
	return os
}

// form is a form over symbols as a number; ok is false if a symbol has no term.
func form(f linear.Form, term func(linear.Var) (number, bool)) (number, bool) {
	if !f.IsIntegral() {
		return number{}, false
	}
	k := f.Const.BigInt()
	low, high := new(big.Int).Set(k), new(big.Int).Set(k)
	var b strings.Builder
	b.WriteString("(+ " + integer(k))
	for _, t := range f.Terms {
		n, ok := term(t.Var)
		if !ok {
			return number{}, false
		}
		m := t.Coef.BigInt()
		fmt.Fprintf(&b, " (* %s %s)", integer(m), n.t)
		x, y := new(big.Int).Mul(m, n.low), new(big.Int).Mul(m, n.high)
		low.Add(low, least(x, y))
		high.Add(high, greatest(x, y))
	}
	b.WriteString(")")
	if len(f.Terms) == 0 {
		return num(k), true
	}
	if len(f.Terms) == 1 && k.Sign() == 0 && f.Terms[0].Coef.IsOne() {
		n, _ := term(f.Terms[0].Var)
		return n, true
	}
	return number{b.String(), low, high}, true
}

// constraint is a constraint as a formula.
func constraint(k linear.Constraint, term func(linear.Var) (number, bool)) (string, bool) {
	f := k.Form
	for _, t := range f.Terms { // clear fractions
		f = f.Scale(t.Coef.Denominator())
	}
	f = f.Scale(f.Const.Denominator())
	n, ok := form(f, term)
	if !ok {
		return "", false
	}
	if k.Equality {
		return same(small0, n), true
	}
	return atMost(small0, n), true
}

// ranges are the bounds that constraints with one symbol give to it.
func ranges(cs []linear.Constraint) map[linear.Var][2]*big.Int {
	m := map[linear.Var][2]*big.Int{}
	for _, k := range cs {
		if len(k.Form.Terms) != 1 {
			continue
		}
		t := k.Form.Terms[0]
		b := m[t.Var]
		limit := k.Form.Const.Neg().Div(t.Coef)
		if t.Coef.Sign() > 0 || k.Equality {
			if n := limit.Ceil().BigInt(); b[0] == nil || n.Cmp(b[0]) > 0 {
				b[0] = n
			}
		}
		if t.Coef.Sign() < 0 || k.Equality {
			if n := limit.Floor().BigInt(); b[1] == nil || n.Cmp(b[1]) < 0 {
				b[1] = n
			}
		}
		m[t.Var] = b
	}
	return m
}

// load puts the state of a node into Z3, where paths begin.
func (c *checkerState) load(i int) *state {
	symbols := map[linear.Var]number{}
	s := c.loadState(i, symbols)
	c.from = make([]number, c.symbols())
	for v, n := range symbols {
		c.from[v] = n
	}
	return s
}

// loadState puts the state of a node into Z3, with new names for its symbols.
func (c *checkerState) loadState(i int, symbols map[linear.Var]number) *state {
	n := &c.g.Nodes[i]
	known := limits(n.State.Constraints)
	for _, v := range n.Symbols {
		b := known[v]
		if b[0] == nil || b[1] == nil {
			c.reject(nil, "a symbol without bounds")
			return nil
		}
		if b[1] == huge {
			symbols[v] = number{c.name("s"), b[0], huge}
			c.say("(declare-const %s Int)\n", symbols[v].t)
			c.define("(<= " + integer(b[0]) + " " + symbols[v].t + ")")
		} else {
			symbols[v] = c.unknown("s", b[0], b[1])
		}
	}
	term := func(v linear.Var) (number, bool) { n, ok := symbols[v]; return n, ok }
	for _, k := range n.State.Constraints {
		t, ok := constraint(k, term)
		if !ok {
			c.reject(nil, "a constraint over unknown symbols")
			return nil
		}
		c.assert(t)
	}
	s := &state{lost: n.State.Lost, entry: n.State.Entry}
	exact := func(f linear.Form) number {
		r, ok := form(f, term)
		if !ok {
			c.reject(nil, "a value over unknown symbols")
			return small(0)
		}
		return c.short(r)
	}
	get := func(x symgraph.Value) value {
		switch x.Kind {
		case symgraph.Int, symgraph.Pointer:
			return value{kind: x.Kind, object: x.Object, last: x.Last, n: exact(x.Form)}
		}
		return value{kind: x.Kind}
	}
	for _, a := range n.State.Arguments {
		s.arguments = append(s.arguments, get(a))
	}
	for k := range n.State.Frames {
		f := &n.State.Frames[k]
		g := frame{f: f.Func, block: f.Block, index: f.Index, values: make([]value, len(f.Values))}
		for v := range f.Values {
			g.values[v] = get(f.Values[v])
			if t := f.Func.Values[v].Type; t.Kind == ir.Int && g.values[v].kind == symgraph.Pointer || t.Kind != ir.Int && g.values[v].kind == symgraph.Int {
				c.reject(nil, "a value of the wrong type")
			}
		}
		s.frames = append(s.frames, g)
	}
	s.objects = c.fixed()
	if len(n.State.Objects) < len(s.objects) {
		c.reject(nil, "globals are missing")
		return nil
	}
	for k := range n.State.Objects {
		o := &n.State.Objects[k]
		if k < len(s.objects) {
			p := &s.objects[k]
			if o.Kind != p.kind || o.Name != p.name || o.Dead {
				c.reject(nil, "the globals are not those of the program")
				return nil
			}
			p.pristine = p.pristine && (o.Pristine || o.Global != nil && o.Global.Constant)
		} else {
			if o.Kind > symgraph.Heap {
				c.reject(nil, "an unknown global")
				return nil
			}
			_, most := bounds(c.m.PointerBits, false)
			size := exact(o.Size)
			c.assert(fmt.Sprintf("(<= 0 %s %s)", size.t, integer(most)))
			s.objects = append(s.objects, object{kind: o.Kind, dead: o.Dead, frame: o.Frame, size: size})
		}
		p := &s.objects[k]
		if o.List != nil {
			if p.list = c.loadSegment(n, k, exact, term); p.list == nil {
				return nil
			}
			continue
		}
		if o.HasBase && !o.Dead {
			p.based, p.base = true, exact(o.Base)
		}
		if o.Slots != nil {
			if p.slots = c.loadSlots(n, o, exact, term); p.slots == nil {
				return nil
			}
		}
		if o.Strings != nil {
			p.strings = c.loadStrings(n, o, func(l *symgraph.Strings) *slots {
				var out []number
				for _, f := range l.Out {
					out = append(out, exact(f))
				}
				return c.wordSlots(exact(l.From), exact(l.To), out)
			})
			if p.strings == nil {
				return nil
			}
		}
		for _, x := range o.Cells {
			at := exact(x.Offset)
			p.cells = append(p.cells, cell{at, x.Type, get(x.Value)})
			if p.pristine {
				if !at.isConst() || !at.low.IsInt64() {
					c.reject(nil, "a cell at an unknown offset of an initialised object")
					return nil
				}
				p.written = append(p.written, span{at.low.Int64(), int64(x.Type.Size())})
			}
		}
		c.distinct(p, 0)
	}
	return s
}

// distinct tells Z3 that cells of one type in one place have one value, for the
// cells from k on.
func (c *checkerState) distinct(o *object, k int) {
	for i := k; i < len(o.cells); i++ {
		for j := range i {
			c.same(&o.cells[i], &o.cells[j])
		}
	}
}

func (c *checkerState) same(a, b *cell) {
	if a.t != b.t || a.v.kind != symgraph.Int || b.v.kind != symgraph.Int || a.v.truth != "" || b.v.truth != "" {
		return
	}
	at := same(a.at, b.at)
	if at == "false" {
		return
	}
	x, y := c.view(a.v.n, a.t.Bits, true), c.view(b.v.n, b.t.Bits, true)
	c.define(not(all([]string{at, not(same(x, y))})))
}
