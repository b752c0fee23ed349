package show

import (
	"slices"
	"strings"

	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// This file follows the pointer of an invalid access back through sums, joins of paths, calls and parameters, to what made
// it: an allocation, memory, an argument. The steps on the way that gave the pointer to a variable are its history. The run
// is over when this is asked, so a register has the value that was computed last:
//
//	(1) Of a join that is met again, as in a loop, the ways that have been followed are not followed again: the history of
//	    a pointer that walks is its last step and where the walk began.
//	(2) So addresses are not part of a history, only places.

// Origin is a step in the history of a pointer.
type Origin struct {
	Pos  Position `json:"position"`
	Func string   `json:"function"`
	// Text says what got the value there, and how: "p, computed from q", "read from s.buf".
	Text string `json:"text"`
}

// maxOrigins bounds a history.
const maxOrigins = 8

// source follows a pointer of the current function back; its history is the earliest step first.
func (t *tracer) source(e interp.Event, v ir.Value) (from cell, history []Origin) {
	type visited struct {
		depth int
		v     ir.Value
	}
	seen := map[visited]bool{}
	s := e.State
	names := s.Func().VariableNames()
	note := func(v ir.Value, how string) {
		f := s.Func()
		text := names[v]
		if text != "" && how != "" {
			text += ", "
		}
		text += how
		at := PositionOf(t.run.Module, t.writtenAt(f, v))
		if f.Model || text == "" || at.IsZero() || len(history) == maxOrigins {
			return
		}
		if n := len(history); n > 0 && history[n-1].Pos.Line == at.Line && history[n-1].Func == ir.NameInC(f.Name) && text == history[n-1].Text {
			return
		}
		history = append(history, Origin{Pos: at, Func: ir.NameInC(f.Name), Text: text})
	}
	defer func() { slices.Reverse(history) }()
	for depth := len(t.stack) - 1; depth >= 0; {
		f := s.Func()
		if f.Name == t.run.Module.Entry {
			return cell{argument: true}, history
		}
		if seen[visited{depth, v}] {
			return cell{}, history
		}
		seen[visited{depth, v}] = true
		d := f.Def(v)
		switch d.Op {
		case ir.PtrAdd, ir.Freeze:
			how := ""
			if base := names[d.Args[0]]; base != "" && names[v] != "" {
				how = "computed from " + base
			}
			note(v, how)
			v = d.Args[0]
		case ir.Select:
			note(v, "")
			v = d.Args[2]
			if !s.Value(d.Args[0]).IsZero() {
				v = d.Args[1]
			}
		case ir.Phi:
			k := phiOperand(f, d, t.stack[depth].from[d.Block])
			if k < 0 || seen[visited{depth, d.Args[k]}] {
				k = slices.IndexFunc(d.Args, func(a ir.Value) bool { return !seen[visited{depth, a}] })
			}
			if k < 0 {
				return cell{}, history
			}
			v = d.Args[k]
		case ir.Load:
			from = cell{address: s.Value(d.Args[0]).Uint64(), size: d.Type.Size()}
			how := ""
			name, _ := t.cellName(e, from.address, from.size)
			if name != "" {
				how = "read from " + name
			}
			note(v, how)
			if w, ok := t.wrote[from.address]; ok && w.holds(s, from) && len(history) < maxOrigins {
				history = append(history, Origin{Pos: PositionOf(t.run.Module, w.pos), Func: ir.NameInC(w.f.Name), Text: strings.TrimSuffix("stored in "+name, " in ")})
			}
			return from, history
		case ir.Param:
			caller, ok := s.Caller()
			site := s.CallSite()
			if !ok || site == 0 {
				return cell{}, history
			}
			call := caller.Func().Def(site)
			args := call.Args
			if call.Sym == "" {
				args = args[1:]
			}
			k := slices.Index(f.Params, v)
			if k < 0 || k >= len(args) {
				return cell{}, history
			}
			if caller.Func().Name == t.run.Module.Entry {
				return cell{argument: true, name: parameterName(f, v)}, history
			}
			callee := f
			s, v, depth = caller, args[k], depth-1
			names = s.Func().VariableNames()
			if !callee.Model {
				how := "passed to " + ir.NameInC(callee.Name)
				if name := parameterName(callee, callee.Params[k]); name != "" {
					how += " as " + name
				}
				note(site, how)
			}
		case ir.Call:
			if callee := t.run.Module.Func(d.Sym); callee != nil {
				note(v, "returned by "+ir.NameInC(callee.Name))
			}
			return cell{}, history
		case ir.Malloc:
			note(v, "the start of the block")
			return cell{}, history
		case ir.GlobalAddr:
			note(v, "the address of "+d.Sym)
			return cell{}, history
		default:
			note(v, "")
			return cell{}, history
		}
	}
	return cell{}, history
}

// writtenAt is where a value is computed; a sum that has no place, as front ends leave it, has that of the record which
// gives it to a variable.
func (t *tracer) writtenAt(f *ir.Func, v ir.Value) ir.Pos {
	if p := f.Def(v).Pos; p.Line != 0 {
		return p
	}
	for b := range f.Blocks {
		for _, i := range f.Blocks[b].Instrs {
			if d := f.Def(i); d.Op == ir.Dbg && len(d.Args) > 0 && d.Args[0] == v && d.Pos.Line != 0 {
				return d.Pos
			}
		}
	}
	return ir.Pos{}
}
