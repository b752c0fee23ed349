// Package precondition has conditions on the inputs of a program, for answers that
// hold for some inputs and not for all: what the inputs are, which conditions are
// worth a try, and the program that assumes one.
//
// An input is an arbitrary integer that a run reads at most once: an argument of the
// function under analysis, or the result of an instruction in no loop of a function
// that is called once. A condition is a
// conjunction of comparisons of inputs with constants and with each other (Atom). The
// program that assumes it (Assume) has the runs of the first one in which every
// comparison holds as soon as its inputs are read, and those that end before. So what
// is proved of all its runs holds of all runs with such inputs; nothing else is to be
// trusted.
package precondition

import (
	"slices"

	"assay/internal/program/ir"
)

// Input is an integer that the program reads once.
type Input struct {
	Func   string // where it is read
	Value  ir.Value
	Bits   uint32
	Signed bool
	Name   string // in C
	Pos    ir.Pos
}

// maxInputs bounds the inputs of a program.
const maxInputs = 6

// Inputs lists the named integer inputs of a program.
func Inputs(m *ir.Module) []Input {
	entry := m.Func(m.Entry)
	if entry == nil || entry.IsDecl() {
		return nil
	}
	var out []Input
	loops := inLoops(entry)
	for b := ir.BlockID(1); int(b) < len(entry.Blocks); b++ {
		for _, v := range entry.Blocks[b].Instrs {
			d := entry.Def(v)
			f := m.Func(d.Sym)
			if d.Op != ir.Call || loops[b] || f == nil || f.IsDecl() {
				continue
			}
			vars := variables(f)
			for i, a := range d.Args {
				if i >= len(f.Params) || !isInput(entry, a) || slices.ContainsFunc(out, func(x Input) bool { return x.Value == a }) {
					continue
				}
				if v, ok := vars[f.Params[i]]; ok && !loops[entry.Def(a).Block] {
					out = append(out, Input{entry.Name, a, v.Type.Bits, v.Type.Signed, v.Name, v.Pos})
				}
			}
		}
	}
	for _, f := range once(m, entry) {
		loops, vars := inLoops(f), variables(f)
		for b := ir.BlockID(1); int(b) < len(f.Blocks); b++ {
			for _, x := range f.Blocks[b].Instrs {
				if v, ok := vars[x]; ok && !loops[b] && isInput(f, x) {
					out = append(out, Input{f.Name, x, v.Type.Bits, v.Type.Signed, v.Name, f.Def(x).Pos})
				}
			}
		}
	}
	if len(out) > maxInputs {
		out = out[:maxInputs]
	}
	return out
}

// isInput says whether a value is chosen by the run: an integer that may be anything.
func isInput(f *ir.Func, v ir.Value) bool {
	d := f.Def(v)
	return d.Op == ir.Nondet && ir.NondetKind(d.Aux) != ir.NondetApproximate && d.Type.Kind == ir.Int && d.Type.Bits >= 8 && d.Type.Bits <= 64
}

// variables gives values the variables that they are first assigned to, integers
// of the same width.
func variables(f *ir.Func) map[ir.Value]ir.Var {
	out := map[ir.Value]ir.Var{}
	for b := range f.Blocks {
		for _, v := range f.Blocks[b].Instrs {
			d := f.Def(v)
			if d.Op != ir.Dbg || len(d.Args) == 0 {
				continue
			}
			x := f.Vars[d.Aux]
			if _, ok := out[d.Args[0]]; !ok && !x.Type.Float && !x.Type.Ptr && x.Type.Bits == f.Type(d.Args[0]).Bits {
				out[d.Args[0]] = x
			}
		}
	}
	return out
}

// once are the functions, beside the entry, that a run enters at most once.
func once(m *ir.Module, entry *ir.Func) []*ir.Func {
	uses := map[string]int{}
	for _, f := range m.Funcs {
		for v := range f.Values {
			if d := &f.Values[v]; d.Op == ir.Call || d.Op == ir.FuncAddr {
				uses[d.Sym]++
			}
		}
	}
	for _, g := range m.Globals {
		for _, r := range g.Relocs {
			uses[r.Target]++
		}
	}
	out := []*ir.Func{entry}
	for i := 0; i < len(out); i++ {
		loops := inLoops(out[i])
		for b := ir.BlockID(1); int(b) < len(out[i].Blocks); b++ {
			for _, v := range out[i].Blocks[b].Instrs {
				d := out[i].Def(v)
				if d.Op != ir.Call || loops[b] || uses[d.Sym] != 1 {
					continue
				}
				if f := m.Func(d.Sym); f != nil && !f.IsDecl() && f != entry {
					out = append(out, f)
				}
			}
		}
	}
	return out[1:]
}

// inLoops says which blocks of a function can be reached from themselves.
func inLoops(f *ir.Func) []bool {
	out := make([]bool, len(f.Blocks))
	for b := ir.BlockID(1); int(b) < len(f.Blocks); b++ {
		seen := make([]bool, len(f.Blocks))
		for work := slices.Clone(f.Succs(b)); len(work) > 0 && !out[b]; {
			c := work[len(work)-1]
			work = work[:len(work)-1]
			if out[b] = c == b; seen[c] {
				continue
			}
			seen[c] = true
			work = append(work, f.Succs(c)...)
		}
	}
	return out
}
