package show

import (
	"context"

	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// This file finds out whether a null pointer was null from the start of a run, or was made so by the program. A pointer
// is followed back (origin.go) to what made it. If that is memory, the run is
// replayed once more, and the memory is watched.

// cell is where a pointer comes from: the arguments of the function under analysis, or memory; neither is the program.
type cell struct {
	argument      bool
	name          string // of the parameter
	address, size uint64
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

// alwaysNull replays the run up to the violation and says whether the bytes were made by nothing in the program, as arguments are, also
// between calls of constructors and of the function under analysis, and were 0 since then; or that this is open, for the replay did not end.
func (r *Run) alwaysNull(ctx context.Context, c cell) (always, open bool) {
	calls, depth := 0, 0
	null, ended := true, false
	born := false // the cell has been made, and not by the program
	_, err := interp.Run(ctx, r.Module, interp.Options{Oracle: interp.Replay(r.Input), Blocks: true, StopAt: func(e interp.Event) bool {
		inside := calls >= 2 && e.Func.Name != r.Module.Entry && depth >= 2 // else arguments are being made
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
		b, ok := e.State.Memory(c.address, c.size)
		switch {
		case !ok && !born:
			return false // it will be made
		case !inside && !born:
			born = true
		case !born: // by the program
			null = false
		}
		if calls < 2 || e.Func.Name == r.Module.Entry || depth < 2 {
			return false
		}
		for _, x := range b {
			ok = ok && x == 0
		}
		null = null && ok
		return !null
	}})
	return err == nil && null && ended && born, err != nil
}
