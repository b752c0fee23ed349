package certify

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/transform/recursion"
)

// This file checks certificates of termination by ranking functions [2LS §6.2].
//
// # What is proved
//
// The program is changed so that it checks the argument itself. At the head h of each
// loop the values of its functions f1..fn are computed there, over integers wide
// enough for them; phis hold those of the visit of h before in the same execution of
// the loop, and whether there was one. On each back edge of the loop stands the check
//
//	(D) there was no visit before, or for some i, f_i < f_i before, and for all
//	    j < i, f_j <= f_j before.
//
// Then Induction proves that no check fails. Loops that the certificate does not name
// have no function: for them (D) says that the back edge is not taken twice.
//
// # Soundness
//
// Suppose a run of the program is infinite. There is no recursion, so the depth of calls
// is bounded by the number of functions; some activation
// makes infinitely many steps of its own, and so visits some block infinitely often.
// Take the outermost loop around it, of which the activation has an execution that does
// not end, and in it the innermost such loop: its head is visited infinitely often in one
// execution, each time but the last by a back edge. (Loops entered beside their heads
// are uncovered where they are reached.) With x_k the tuple of the functions at visit
// k, by (D) x_k is lexicographically smaller than x_{k-1} for all k >= 1, for visit
// k is left by a back edge. The components of x_k are integers of a fixed width, so
// such sequences are finite. What the added instructions compute is theirs alone;
// loads of memory that is not there yield arbitrary values, as any x_k may be.
//
// Recursive functions are turned into loops before (package recursion, which the
// engine uses, too: this step is trusted). If recursion is left then nothing is proved:
// the contracts with which Induction cuts it say nothing of its depth.
//
// # Fair termination
//
// With Options.Fair the claim is that no run executes ir.Accept infinitely often. Each loop
// has a byte in memory of its own that every Accept of the program sets, and the head clears;
// before, it reads whether there was an Accept since its last visit. The check is
//
//	(D') (D), or there was no Accept since the visit before, and f_i = f_i before for all i.
//
// Loops in which nothing accepts, called functions included, have no check. Let a run be
// infinite with infinitely many Accepts. Of the activations that never return, the deepest
// makes infinitely many steps of its own; take the smallest loop that holds all blocks that
// it visits infinitely often. The head is one of them (or a smaller loop would hold them),
// so this execution of the loop visits it infinitely often. From some step on, all Accepts
// are executed by blocks of the loop or calls from them: it has the check, and infinitely often
// there was an Accept since the visit before. By (D') the tuples x_k never grow and become
// smaller infinitely often, which tuples of a fixed width do not. A write of the program
// through an arbitrary address may hit a byte; but the program with the
// bytes has all runs of the one without in which they lie elsewhere.
//
// The engine (package bitranking) adds its variables in other code and other form.

// Ranking checks a certificate of termination. The string names who accepted.
//
// The error is nil, the context's, an ErrRejected or an ErrIncomplete.
func Ranking(ctx context.Context, m *ir.Module, o Options, cert *verdict.Ranking) (checker string, err error) {
	loops := recursion.ToLoops(m).Module
	if f := recursion.Left(loops); f != nil {
		return "", ErrIncomplete{Why: fmt.Sprintf("nothing bounds the depth of the recursion of %s", f.Name)}
	}
	checked, err := ranked(loops, cert, o.Fair)
	if err != nil {
		return "", err
	}
	o.Targets, o.Fair = []ir.CheckKind{ir.Decrease}, false
	return Induction(ctx, checked, o, &verdict.Induction{K: cert.K, Heads: cert.Heads})
}

// ranked is the program with the checks (D), or (D').
func ranked(m *ir.Module, cert *verdict.Ranking, fair bool) (*ir.Module, error) {
	var accepting map[*ir.Func]bool
	var bytes []string // that Accept sets
	if fair {
		accepting = ir.Accepting(m)
	}
	arguments := map[headKey][]verdict.RankingFunction{}
	for _, l := range cert.Loops {
		k := headKey{l.Func, l.Head}
		if _, twice := arguments[k]; twice {
			return nil, ErrIncomplete{Why: fmt.Sprintf("the certificate has not the right form: block %d of %s is there twice", l.Head, l.Func)}
		}
		arguments[k] = l.Functions
	}
	out := *m
	out.Funcs = slices.Clone(m.Funcs)
	for i, f := range out.Funcs {
		if f.IsDecl() {
			continue
		}
		r := &ranker{m: m, f: f, forest: newForest(f), dom: ir.Dominators(f)}
		changed := false
		for h := ir.BlockID(1); int(h) < len(f.Blocks); h++ {
			k := headKey{f.Name, h}
			if !r.dom.Reachable(h) || !r.forest.isHead(h) {
				continue
			}
			if fair {
				if !r.accepts(h, accepting) {
					delete(arguments, k)
					continue
				}
				r.byte = fmt.Sprintf("certify.accepted.%d", len(bytes))
				bytes = append(bytes, r.byte)
			}
			if !changed {
				r.copy()
				changed = true
			}
			if why := r.loop(h, arguments[k]); why != "" {
				return nil, ErrIncomplete{Why: fmt.Sprintf("the certificate has not the right form: block %d of %s: %s", h, f.Name, why)}
			}
			delete(arguments, k)
		}
		if changed {
			r.finish()
			out.Funcs[i] = r.f
		}
	}
	for k := range arguments {
		f := m.Func(k.f)
		if f == nil || f.IsDecl() || k.head < 1 || int(k.head) >= len(f.Blocks) {
			return nil, ErrIncomplete{Why: fmt.Sprintf("the certificate has not the right form: %s has no block %d", k.f, k.head)}
		}
		if ir.Dominators(f).Reachable(k.head) {
			return nil, ErrIncomplete{Why: fmt.Sprintf("the certificate has not the right form: block %d of %s is no loop head", k.head, k.f)}
		}
	}
	setBytes(&out, bytes, accepting)
	if err := ir.Verify(&out); err != nil {
		panic("certify: the program with checks of ranking functions is malformed: " + err.Error())
	}
	return &out, nil
}

// ranker adds the checks to one function.
type ranker struct {
	m      *ir.Module
	f      *ir.Func
	forest *forest
	dom    *ir.DomTree
	// incoming are the arguments of the phis of a block by edge: the block it
	// comes from, and how many edges from there to here come before it.
	incoming map[ir.BlockID]map[edgeKey][]ir.Value
	block    ir.BlockID
	pos      ir.Pos
	// byte is the global that says whether there was an Accept; empty if it is not asked.
	byte string
}

type edgeKey struct {
	from ir.BlockID
	nth  int
}

// copy makes a function whose instructions can be changed.
func (r *ranker) copy() {
	g := *r.f
	g.Values = slices.Clone(g.Values)
	g.Blocks = slices.Clone(g.Blocks)
	for b := range g.Blocks {
		g.Blocks[b].Instrs = slices.Clone(g.Blocks[b].Instrs)
	}
	r.f = &g
	r.incoming = map[ir.BlockID]map[edgeKey][]ir.Value{}
	for b := ir.BlockID(1); int(b) < len(g.Blocks); b++ {
		edges := map[edgeKey][]ir.Value{}
		count := map[ir.BlockID]int{}
		for i, u := range g.Blocks[b].Preds {
			var args []ir.Value
			for _, v := range g.Blocks[b].Instrs {
				if d := g.Def(v); d.Op == ir.Phi {
					args = append(args, d.Args[i])
				}
			}
			edges[edgeKey{u, count[u]}] = args
			count[u]++
		}
		r.incoming[b] = edges
	}
}

// finish puts predecessors and arguments of phis in order.
func (r *ranker) finish() {
	r.f.ComputePreds()
	for b := ir.BlockID(1); int(b) < len(r.f.Blocks); b++ {
		edges, ok := r.incoming[b]
		if !ok {
			continue
		}
		count := map[ir.BlockID]int{}
		var columns [][]ir.Value
		for _, u := range r.f.Blocks[b].Preds {
			columns = append(columns, edges[edgeKey{u, count[u]}])
			count[u]++
		}
		n := 0
		for _, v := range r.f.Blocks[b].Instrs {
			d := r.f.Def(v)
			if d.Op != ir.Phi {
				break
			}
			d.Args = make([]ir.Value, len(columns))
			for i := range columns {
				d.Args[i] = columns[i][n]
			}
			n++
		}
	}
}

func (r *ranker) put(list *[]ir.Value, d ir.Def) ir.Value {
	d.Block, d.Pos = r.block, r.pos
	r.f.Values = append(r.f.Values, d)
	v := ir.Value(len(r.f.Values) - 1)
	*list = append(*list, v)
	return v
}

func (r *ranker) constant(w uint32, n *big.Int) ir.Value {
	r.f.Values = append(r.f.Values, ir.Def{Op: ir.Const, Type: ir.IntType(w), Const: bv.FromBig(w, n)})
	return ir.Value(len(r.f.Values) - 1)
}

// loop adds the checks of one loop; it says what is wrong with its functions, if
// anything is.
func (r *ranker) loop(h ir.BlockID, functions []verdict.RankingFunction) string {
	f := r.f
	for k := range r.incoming[h] {
		if r.around(h, k.from) && !r.dom.Dominates(h, k.from) {
			return "its loop is entered beside it"
		}
	}
	r.block, r.pos = h, ir.Pos{}
	for _, v := range f.Blocks[h].Instrs {
		if p := f.Def(v).Pos; p.Line != 0 {
			r.pos = p
			break
		}
	}
	phis := 0
	for f.Def(f.Blocks[h].Instrs[phis]).Op == ir.Phi {
		phis++
	}
	// The values at this visit.
	var code, before []ir.Value
	widths := make([]uint32, len(functions))
	now := make([]ir.Value, len(functions))
	for i, fn := range functions {
		if why := r.wrong(h, fn); why != "" {
			return why
		}
		widths[i] = widthOf(fn)
		now[i] = r.value(&code, widths[i], fn)
	}
	// Whether there was an Accept since the one before.
	boolean := ir.IntType(1)
	var accepted ir.Value
	if r.byte != "" {
		r.f.Values = append(r.f.Values, ir.Def{Op: ir.GlobalAddr, Type: r.m.PtrType(), Sym: r.byte})
		at := ir.Value(len(r.f.Values) - 1)
		zero := r.constant(8, new(big.Int))
		set := r.put(&code, ir.Def{Op: ir.Load, Type: ir.IntType(8), Args: []ir.Value{at}, Aux: 1})
		accepted = r.put(&code, ir.Def{Op: ir.Ne, Type: boolean, Args: []ir.Value{set, zero}})
		r.put(&code, ir.Def{Op: ir.Store, Args: []ir.Value{zero, at}, Aux: 1})
	}
	// The values of the one before.
	for i := range functions {
		r.put(&before, ir.Def{Op: ir.Phi, Type: ir.IntType(widths[i])})
	}
	again := r.put(&before, ir.Def{Op: ir.Phi, Type: boolean})
	outside := make([]ir.Value, 0, len(before))
	for i := range functions {
		outside = append(outside, r.constant(widths[i], new(big.Int)))
	}
	outside = append(outside, r.constant(1, new(big.Int)))
	inside := append(slices.Clone(now), r.constant(1, big.NewInt(1)))

	own := f.Blocks[h].Instrs
	f.Blocks[h].Instrs = slices.Concat(own[:phis], before, code, own[phis:])
	edges := map[edgeKey][]ir.Value{}
	keys := slices.SortedFunc(maps.Keys(r.incoming[h]), func(a, b edgeKey) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.nth, b.nth))
	})
	for _, k := range keys {
		args := r.incoming[h][k]
		if !r.around(h, k.from) {
			edges[k] = slices.Concat(args, outside)
			continue
		}
		// The back edge leads through a block with the check.
		f.Blocks = append(f.Blocks, ir.Block{Name: "decrease"})
		b := ir.BlockID(len(f.Blocks) - 1)
		edges[edgeKey{b, 0}] = slices.Concat(args, inside)
		r.redirect(k, h, b)
		r.block = b
		var list []ir.Value
		bin := func(op ir.Op, t ir.Type, x, y ir.Value) ir.Value {
			return r.put(&list, ir.Def{Op: op, Type: t, Args: []ir.Value{x, y}})
		}
		holds := r.constant(1, new(big.Int))
		if accepted != 0 {
			holds = bin(ir.Xor, boolean, accepted, r.constant(1, big.NewInt(1)))
		}
		for i := len(functions) - 1; i >= 0; i-- {
			holds = bin(ir.And, boolean, bin(ir.SLe, boolean, now[i], before[i]), holds)
			holds = bin(ir.Or, boolean, bin(ir.SLt, boolean, now[i], before[i]), holds)
		}
		first := bin(ir.Xor, boolean, again, r.constant(1, big.NewInt(1)))
		ok := bin(ir.Or, boolean, first, holds)
		r.put(&list, ir.Def{Op: ir.Check, Args: []ir.Value{ok}, Aux: int64(ir.Decrease), Sym: "the ranking functions of the loop decrease"})
		r.put(&list, ir.Def{Op: ir.Br, Succs: []ir.BlockID{h}})
		f.Blocks[b].Instrs = list
		r.block = h
	}
	r.incoming[h] = edges
	return ""
}

// around says whether the loop of a head is around a block.
func (r *ranker) around(h, b ir.BlockID) bool {
	for x := r.forest.in[b]; x != nil && x.outer != nil; x = x.outer {
		if x.head == h {
			return true
		}
	}
	return false
}

// redirect lets an edge lead to b.
func (r *ranker) redirect(k edgeKey, h, b ir.BlockID) {
	instrs := r.f.Blocks[k.from].Instrs
	d := r.f.Def(instrs[len(instrs)-1])
	d.Succs = slices.Clone(d.Succs)
	n := 0
	for i, s := range d.Succs {
		// Edges to h that lead to their blocks already count, too.
		if s == h || int(s) >= len(r.forest.in) && r.leadsTo(s, h) {
			if n == k.nth {
				d.Succs[i] = b
				return
			}
			n++
		}
	}
	panic("certify: an edge is not there")
}

func (r *ranker) leadsTo(b, h ir.BlockID) bool {
	return len(r.f.Blocks[b].Instrs) > 0 && r.f.Succs(b)[0] == h
}

// wrong says what is wrong with a function, if anything is.
func (r *ranker) wrong(h ir.BlockID, fn verdict.RankingFunction) string {
	if len(fn) == 0 || len(fn[len(fn)-1].When) > 0 {
		return "a function is not defined everywhere"
	}
	for _, c := range fn {
		for _, w := range c.When {
			if w.Relation == invariant.NotEqual || w.Relation == invariant.Congruent && w.Modulus == 0 {
				return "a case is neither an inequality nor a congruence"
			}
			if why := r.wrongTerms(h, w); why != "" {
				return why
			}
		}
		if why := r.wrongTerms(h, invariant.Comparison{Terms: c.Terms, Bound: new(big.Int)}); why != "" {
			return why
		}
	}
	return ""
}

// wrongTerms says what is wrong with a comparison; offsets of pointers are no
// terms of those of a head, but of these.
func (r *ranker) wrongTerms(h ir.BlockID, p invariant.Comparison) string {
	terms := p.Terms
	p.Terms = nil
	for _, t := range terms {
		if t.Global != "" {
			return "a summand is named by a global"
		}
		if t.Value >= 1 && int(t.Value) < len(r.f.Values) && !t.Cell && r.f.Def(t.Value).Type.Kind == ir.Ptr {
			if t.Bits != r.m.PointerBits {
				return fmt.Sprintf("the offset of value %d has not %d bits", t.Value, t.Bits)
			}
			t.Cell, t.Bits = true, 8 // the same is asked of a cell
		}
		p.Terms = append(p.Terms, t)
	}
	return illFormed(r.m, r.f, r.dom, h, p)
}

// widthOf is a width in which neither the function nor a step of its
// computation wraps.
func widthOf(fn verdict.RankingFunction) uint32 {
	most := new(big.Int)
	sum := func(terms []invariant.Term, constant *big.Int) {
		n := new(big.Int).Abs(constant)
		for _, t := range terms {
			// A coefficient of 0 needs the width of its summand, too.
			weight := new(big.Int).Abs(big.NewInt(t.Coeff))
			weight.Add(weight, big.NewInt(1))
			n.Add(n, weight.Lsh(weight, uint(t.Bits)))
		}
		if n.Cmp(most) > 0 {
			most = n
		}
	}
	for _, c := range fn {
		for _, p := range c.When {
			sum(p.Terms, new(big.Int).Add(new(big.Int).Abs(p.Bound), new(big.Int).SetUint64(p.Modulus)))
		}
		sum(c.Terms, big.NewInt(c.Constant))
	}
	return uint32(most.BitLen()) + 2
}

// value computes a function at the head.
func (r *ranker) value(code *[]ir.Value, w uint32, fn verdict.RankingFunction) ir.Value {
	out := ir.Value(0)
	for i := len(fn) - 1; i >= 0; i-- {
		v := r.sum(code, w, fn[i].Terms, big.NewInt(fn[i].Constant))
		if out == 0 {
			out = v
			continue
		}
		holds := r.constant(1, big.NewInt(1))
		for _, p := range fn[i].When {
			d := r.sum(code, w, p.Terms, new(big.Int).Neg(p.Bound))
			compare := ir.SLe
			if p.Relation == invariant.Congruent {
				compare = ir.Eq
				op, m := ir.SRem, new(big.Int).SetUint64(p.Modulus)
				if p.Modulus&(p.Modulus-1) == 0 { // a multiple of 2^n is a number whose n low bits are 0
					op, m = ir.And, m.SetUint64(p.Modulus-1)
				}
				d = r.put(code, ir.Def{Op: op, Type: ir.IntType(w), Args: []ir.Value{d, r.constant(w, m)}})
			}
			c := r.put(code, ir.Def{Op: compare, Type: ir.IntType(1), Args: []ir.Value{d, r.constant(w, new(big.Int))}})
			holds = r.put(code, ir.Def{Op: ir.And, Type: ir.IntType(1), Args: []ir.Value{holds, c}})
		}
		out = r.put(code, ir.Def{Op: ir.Select, Type: ir.IntType(w), Args: []ir.Value{holds, v, out}})
	}
	// A phi takes it over: it must be an instruction or a constant, which both are.
	return out
}

// sum computes an affine sum at the head.
func (r *ranker) sum(code *[]ir.Value, w uint32, terms []invariant.Term, constant *big.Int) ir.Value {
	t := ir.IntType(w)
	out := ir.Value(0)
	if len(terms) == 0 || constant.Sign() != 0 {
		out = r.constant(w, constant)
	}
	for _, s := range terms {
		x := s.Value
		switch {
		case s.Cell:
			if s.Offset != 0 {
				n := r.constant(r.m.PointerBits, new(big.Int).SetUint64(s.Offset))
				x = r.put(code, ir.Def{Op: ir.PtrAdd, Type: r.m.PtrType(), Args: []ir.Value{x, n}})
			}
			x = r.put(code, ir.Def{Op: ir.Load, Type: ir.IntType(s.Bits), Args: []ir.Value{x}, Aux: 1})
		case r.f.Def(x).Type.Kind == ir.Ptr:
			x = r.put(code, ir.Def{Op: ir.ObjectOffset, Type: r.m.WordType(), Args: []ir.Value{x}})
		}
		extend := ir.ZExt
		if s.Signed {
			extend = ir.SExt
		}
		x = r.put(code, ir.Def{Op: extend, Type: t, Args: []ir.Value{x}})
		op := ir.Add
		switch {
		case s.Coeff == -1:
			op = ir.Sub
			if out == 0 {
				out = r.constant(w, new(big.Int))
			}
		case s.Coeff != 1:
			x = r.put(code, ir.Def{Op: ir.Mul, Type: t, Args: []ir.Value{x, r.constant(w, big.NewInt(s.Coeff))}})
		}
		if out == 0 {
			out = x
			continue
		}
		out = r.put(code, ir.Def{Op: op, Type: t, Args: []ir.Value{out, x}})
	}
	return out
}
