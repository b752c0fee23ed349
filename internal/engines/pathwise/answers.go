package pathwise

import (
	"slices"

	"assay/internal/logic/term"
	"assay/internal/models/ssa"
	"assay/internal/program/ir"
)

// This file finds calls that answer a question: is_one_of(c, "+-*/"), find(c, table, n) >= 0, strchr("+-", c) != 0. Such a function looks at memory and changes none, and what it returns decides
// branches and nothing else. How often its loops ran is then of no interest any more, so all ways through
// it are kept together until they return, where one path per character that was compared would go on
// otherwise: a summary of the call, as in [Godefroid07], but computed anew for the operands of each call.
//
// Constants that say where in its input a program is are not joined elsewhere (ssa.Path.Mergeable). Here they
// are, in the blocks behind the last loop and the last access to memory: what is left of them is what is returned.
// Ways are joined that differ in what they say of one byte, as those of a search in a table do. Those of a comparison
// of strings say something of several, and their disjunction would have to be solved, not looked up (condition.go, Q2).
//
// The region of such an activation ends with maxAnswer blocks, so that a loop over a string of any length
// does not hold up the paths that leave it early.

// maxAnswer bounds the blocks that a path takes before ways through such a function are divided after all.
const maxAnswer = 600

// answers knows the functions and calls of a module.
type answers struct {
	m     *ir.Module
	quiet map[*ir.Func]bool
	tails map[*ir.Func][]bool
	uses  map[*ir.Func][][]ir.Value
}

func newAnswers(m *ir.Module) *answers {
	return &answers{m, map[*ir.Func]bool{}, map[*ir.Func][]bool{}, map[*ir.Func][][]ir.Value{}}
}

// asked says whether the top activation of a path is a call whose result only decides branches.
func (a *answers) asked(p *ssa.Path) bool {
	if !a.isQuiet(p.Func()) {
		return false
	}
	decides := true
	p.Callers(func(f *ir.Func, call ir.Value) bool {
		returned := false
		decides = a.decides(f, call, map[ir.Value]bool{}, &returned)
		return decides && returned
	})
	return decides
}

// isQuiet says that a function returns one number or pointer, changes no memory, and chooses nothing.
func (a *answers) isQuiet(f *ir.Func) bool {
	if known, ok := a.quiet[f]; ok {
		return known
	}
	a.quiet[f] = false // a recursion is not
	a.quiet[f] = len(f.Results) == 1 && (f.Results[0].Kind == ir.Int || f.Results[0].Kind == ir.Ptr) && a.looks(f)
	return a.quiet[f]
}

func (a *answers) looks(f *ir.Func) bool {
	for b := 1; b < len(f.Blocks); b++ {
		for _, v := range f.Blocks[b].Instrs {
			switch d := f.Def(v); d.Op {
			case ir.Store, ir.MemCpy, ir.MemSet, ir.Havoc, ir.Alloca, ir.Malloc, ir.Free, ir.LifetimeStart, ir.LifetimeEnd,
				ir.StackSave, ir.StackRestore, ir.VaStart, ir.Assume, ir.Nondet, ir.Accept, ir.Unsupported:
				return false
			case ir.Call:
				if g := a.m.Func(d.Sym); d.Sym == "" || g == nil || g.IsDecl() || !a.isQuiet(g) {
					return false
				}
			}
		}
	}
	return len(f.Blocks) > 1
}

// decides says whether a value of f decides branches only, or is compared with constants, a pointer with null. What it is
// returned for is left to the caller: returned is set.
func (a *answers) decides(f *ir.Func, v ir.Value, seen map[ir.Value]bool, returned *bool) bool {
	if seen[v] || f.Def(v).Type == (ir.Type{Kind: ir.Int, Bits: 1}) {
		return true
	}
	seen[v] = true
	fixed := func(x ir.Value) bool {
		op := f.Def(x).Op
		return op == ir.Null || f.Def(x).Type.Kind != ir.Ptr && ir.IsConst(op)
	}
	for _, u := range a.users(f, v) {
		switch d := f.Def(u); d.Op {
		case ir.Eq, ir.Ne, ir.ULt, ir.ULe, ir.SLt, ir.SLe:
			if !fixed(d.Args[0]) && !fixed(d.Args[1]) {
				return false
			}
		case ir.ZExt, ir.SExt, ir.Trunc, ir.Phi, ir.Freeze:
			if !a.decides(f, u, seen, returned) {
				return false
			}
		case ir.Switch, ir.CondBr, ir.Dbg:
		case ir.Ret:
			if len(d.Args) != 1 {
				return false
			}
			*returned = true
		default:
			return false
		}
	}
	return true
}

// users are the instructions that have a value as operand.
func (a *answers) users(f *ir.Func, v ir.Value) []ir.Value {
	all := a.uses[f]
	if all == nil {
		all = make([][]ir.Value, len(f.Values))
		for b := 1; b < len(f.Blocks); b++ {
			for _, u := range f.Blocks[b].Instrs {
				for _, x := range f.Def(u).Args {
					all[x] = append(all[x], u)
				}
			}
		}
		a.uses[f] = all
	}
	return all[v]
}

// tail says whether a block of f only computes what is returned: behind it there is no loop, no access and no call.
func (a *answers) tail(f *ir.Func, b ir.BlockID) bool {
	if b == 0 {
		return true
	}
	tails := a.tails[f]
	if tails == nil {
		tails = make([]bool, len(f.Blocks))
		for changed := true; changed; {
			changed = false
			for c := 1; c < len(f.Blocks); c++ {
				if !tails[c] && computes(f, ir.BlockID(c), tails) {
					tails[c], changed = true, true
				}
			}
		}
		a.tails[f] = tails
	}
	return tails[b]
}

// computes says whether a block only computes, and is followed by such blocks.
func computes(f *ir.Func, b ir.BlockID, tails []bool) bool {
	for _, v := range f.Blocks[b].Instrs {
		switch f.Def(v).Op {
		case ir.Load, ir.Call, ir.ValidRange, ir.ObjectSize, ir.Check, ir.Halt, ir.Unreachable:
			return false
		}
	}
	for _, to := range f.Succs(b) {
		if !tails[to] {
			return false
		}
	}
	return true
}

// aboutOne says whether what two guards say beyond what they have in common is about one variable of at most 8 bits.
func (c *conditions) aboutOne(a, b *ssa.Guard) bool {
	top := ssa.Meet(a, b)
	one := int32(-1)
	alone := func(t term.ID) bool {
		p := c.part(t)
		if p.values == nil || one >= 0 && p.vars[0] != one {
			return false
		}
		one = p.vars[0]
		return true
	}
	for _, g := range []*ssa.Guard{a, b} {
		for ; g != top; g = g.Parent() {
			if !alone(g.Cond()) && slices.ContainsFunc(c.conjuncts(g.Cond(), nil), func(t term.ID) bool { return !alone(t) }) {
				return false
			}
		}
	}
	return true
}
