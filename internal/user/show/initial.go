package show

import (
	"context"
	"slices"

	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// This file finds out whether a null pointer was null from the start of a run, or was made so by the program. A pointer
// is followed back through sums, joins of paths and parameters to what made it. If that is memory, the run is
// replayed once more, and the memory is watched.

// cell is where a pointer comes from: the arguments of the function under analysis, or memory; neither is the program.
type cell struct {
	argument      bool
	name          string // of the parameter
	address, size uint64
}

// source follows a pointer of the current function back.
func (t *tracer) source(e interp.Event, v ir.Value) cell {
	s := e.State
	for depth := len(t.stack) - 1; depth >= 0; {
		f := s.Func()
		if f.Name == t.run.Module.Entry {
			return cell{argument: true}
		}
		switch d := f.Def(v); d.Op {
		case ir.PtrAdd, ir.Freeze:
			v = d.Args[0]
		case ir.Select:
			v = d.Args[2]
			if !s.Value(d.Args[0]).IsZero() {
				v = d.Args[1]
			}
		case ir.Phi:
			k := phiOperand(f, d, t.stack[depth].from[d.Block])
			if k < 0 {
				return cell{}
			}
			v = d.Args[k]
		case ir.Load:
			return cell{address: s.Value(d.Args[0]).Uint64(), size: d.Type.Size()}
		case ir.Param:
			caller, ok := s.Caller()
			site := s.CallSite()
			if !ok || site == 0 {
				return cell{}
			}
			call := caller.Func().Def(site)
			args := call.Args
			if call.Sym == "" {
				args = args[1:]
			}
			k := slices.Index(f.Params, v)
			if k < 0 || k >= len(args) {
				return cell{}
			}
			if caller.Func().Name == t.run.Module.Entry {
				return cell{argument: true, name: parameterName(f, v)}
			}
			s, v, depth = caller, args[k], depth-1
		default:
			return cell{}
		}
	}
	return cell{}
}

// parameterName is what the source calls a parameter, empty if that is not known.
func parameterName(f *ir.Func, v ir.Value) string {
	for b := range f.Blocks {
		for _, i := range f.Blocks[b].Instrs {
			if d := f.Def(i); d.Op == ir.Dbg && len(d.Args) > 0 && d.Args[0] == v {
				return f.Vars[d.Aux].Name
			}
		}
	}
	return ""
}

// phiOperand is the argument that a phi takes from a block, -1 if there is none.
func phiOperand(f *ir.Func, d *ir.Def, from ir.BlockID) int {
	for k, p := range f.Blocks[d.Block].Preds {
		if p == from && k < len(d.Args) {
			return k
		}
	}
	return -1
}

// alwaysNull replays the run up to the violation and says whether the bytes were there when the function under analysis was
// called, and 0 since then.
func (r *Run) alwaysNull(ctx context.Context, c cell) bool {
	calls, depth := 0, 0
	null, ended := true, false
	_, err := interp.Run(ctx, r.Module, interp.Options{Oracle: interp.Replay(r.Input), Blocks: true, StopAt: func(e interp.Event) bool {
		switch e.Kind {
		case interp.Enter:
			calls++
			depth++
		case interp.Leave:
			depth--
		case interp.Violation:
			g := r.Violation
			if e.Check == g.Kind && e.Func.Name == g.Func && (e.Pos == g.Pos || e.Func.Model) {
				ended = true
				return true
			}
		}
		if calls < 2 || e.Func.Name == r.Module.Entry || depth < 2 {
			return false // the arguments are being made
		}
		b, ok := e.State.Memory(c.address, c.size)
		for _, x := range b {
			ok = ok && x == 0
		}
		null = null && ok
		return !null
	}})
	return err == nil && null && ended
}
