package guess

import (
	"math/big"

	"assay/internal/evidence/invariant"
	"assay/internal/logic/bv"
	"assay/internal/logic/term"
	"assay/internal/models/encode"
	"assay/internal/program/ir"
	"assay/internal/transform/cut"
)

// This file evaluates recursive functions of one number whose calls depend on
// nothing else: what they return for small numbers is a table, a candidate of a
// contract for each line. Results are kept, so that what takes a program
// exponential time takes time linear in the table. Where a value does not depend on
// the argument alone, there is no line.

// Limits of tables.
const (
	maxTable      = 64 // lines
	maxTableSteps = 1 << 16
	maxTableDepth = 256
)

// evaluator computes functions on constants.
type evaluator struct {
	st    *term.Store
	funcs map[string]*ir.Func
	known map[call]term.ID // 0: it is being computed, or cannot be
	steps int
}

type call struct {
	f *ir.Func
	x term.ID
}

// table guesses the result of a function of one number for small arguments: up to
// the greatest number that callers compare it with.
func (p *promiser) table() {
	results := p.a.ended.Values[len(p.a.entered.Values):]
	if len(p.f.Params) != 1 || len(p.params) != 1 || len(results) == 0 || results[0].Global != "" {
		return
	}
	x, r := p.params[0], results[0]
	last := int64(-1)
	for _, n := range p.bounds[x] {
		if n.IsInt64() && n.Int64() < maxTable {
			last = max(last, n.Int64())
		}
	}
	e := &evaluator{st: term.NewStore(), funcs: map[string]*ir.Func{}, known: map[call]term.ID{}}
	for _, f := range p.m.Funcs {
		e.funcs[f.Name] = f
	}
	for n := int64(-1); n <= last; n++ {
		t := e.call(p.f, []term.ID{e.st.Const(bv.FromBig(x.Bits, big.NewInt(n)))}, 0)
		if t == 0 {
			continue
		}
		v, _ := e.st.ConstUint64(t)
		for _, q := range equal(r, big.NewInt(Number(v, r.Bits, true))) {
			p.out = append(p.out, cut.Candidate{Loop: p.side(true), Predicate: invariant.When(equal(x, big.NewInt(n)), q)})
		}
	}
}

// call is the result of a call with constants, 0 if it is not known.
func (e *evaluator) call(f *ir.Func, args []term.ID, depth int) term.ID {
	if len(f.Blocks) == 0 || len(f.Results) != 1 || len(args) != len(f.Params) || depth > maxTableDepth {
		return 0
	}
	if len(args) != 1 {
		return e.run(f, args, depth)
	}
	k := call{f, args[0]}
	if t, ok := e.known[k]; ok {
		return t
	}
	e.known[k] = 0
	t := e.run(f, args, depth)
	e.known[k] = t
	return t
}

// run executes a function.
func (e *evaluator) run(f *ir.Func, args []term.ID, depth int) term.ID {
	env := make([]term.ID, len(f.Values))
	for i, p := range f.Params {
		env[p] = args[i]
	}
	for v := range f.Values {
		if d := &f.Values[v]; d.Op == ir.Const {
			env[v] = e.st.Const(d.Const)
		}
	}
	at, from := ir.BlockID(1), ir.BlockID(0)
	for {
		next := ir.BlockID(0)
		var phis []term.ID
		for _, v := range f.Blocks[at].Instrs {
			if e.steps++; e.steps > maxTableSteps {
				return 0
			}
			d := f.Def(v)
			if d.Op == ir.Phi {
				// An edge taken twice gives a phi its first argument: such blocks
				// are given up.
				n := 0
				for i, b := range f.Blocks[at].Preds {
					if b == from {
						phis = append(phis, env[d.Args[i]])
						n++
					}
				}
				if n != 1 {
					return 0
				}
				continue
			}
			for i, t := range phis {
				env[f.Blocks[at].Instrs[i]] = t
			}
			phis = nil
			in := make([]term.ID, len(d.Args))
			for i, a := range d.Args {
				in[i] = env[a]
				if in[i] == 0 && d.Op != ir.Dbg {
					return 0
				}
			}
			switch d.Op {
			case ir.Dbg, ir.Check:
			case ir.Br:
				next = d.Succs[0]
			case ir.CondBr:
				next = d.Succs[1]
				if n, _ := e.st.ConstUint64(in[0]); n != 0 {
					next = d.Succs[0]
				}
			case ir.Ret:
				return in[0]
			case ir.Call:
				g := e.funcs[d.Sym]
				if g == nil {
					return 0
				}
				if env[v] = e.call(g, in, depth+1); env[v] == 0 {
					return 0
				}
			case ir.Select:
				env[v] = in[2]
				if n, _ := e.st.ConstUint64(in[0]); n != 0 {
					env[v] = in[1]
				}
			case ir.Freeze:
				env[v] = in[0]
			default:
				if d.Type.Kind != ir.Int {
					return 0
				}
				undefined := false
				t := encode.Scalar(e.st, d, in, func(_ ir.CheckKind, cond term.ID, _ string) term.ID {
					undefined = undefined || !e.st.IsFalse(cond)
					return e.st.ConstU(d.Type.Bits, 0)
				})
				if t == 0 || undefined || !e.st.IsConst(t) {
					return 0
				}
				env[v] = t
			}
		}
		if next == 0 {
			return 0
		}
		at, from = next, at
	}
}
