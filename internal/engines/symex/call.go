package symex

// Calls, returns, and the end of the program. A state has the whole call stack, up to
// the last call of a recursive function (recursion.go).

import (
	"slices"

	"assay/internal/evidence/symgraph"
	"assay/internal/program/ir"
)

func (x *explorer) call(s *state, f *frame, v ir.Value, d *ir.Def) control {
	args := d.Args
	callee := x.index.Funcs[d.Sym]
	if d.Sym == "" {
		p := x.operand(s, f, d.Args[0])
		args = args[1:]
		if p.Kind != symgraph.Pointer || p.Object < 0 || s.Objects[p.Object].Kind != symgraph.Function || !x.k.isZero(p.Form) {
			return x.cannot(f, d, "a call through a pointer that is not known")
		}
		callee = x.index.Funcs[s.Objects[p.Object].Name]
		types := make([]ir.Type, len(args))
		for i, a := range args {
			types[i] = f.Func.Type(a)
		}
		if !callee.Accepts(types) || callee.Result(0) != d.Type {
			return x.cannot(f, d, "a call through a pointer to a function of another type")
		}
	}
	if callee.IsDecl() {
		f.Values[v] = x.arbitrary(d.Type, x.prepare(f.Func).signed[v])
		if d.Type.Kind == ir.Void {
			f.Values[v] = value{}
		}
		return next
	}
	if callee.Variadic {
		return x.cannot(f, d, "a call of a function with a variable number of arguments, "+callee.Name)
	}
	if x.recursive[callee] {
		return x.recur(s, f, d, callee, args)
	}
	for i := range s.Frames {
		if s.Frames[i].Func == callee {
			return x.cannot(f, d, "recursion of "+callee.Name+" through a pointer")
		}
	}
	values := make([]value, len(callee.Values))
	for i, p := range callee.Params {
		values[p] = x.operand(s, f, args[i])
	}
	s.Frames = append(slices.Clip(s.Frames), frame{Func: callee, Block: 1, Values: values})
	return jumped
}

// leave returns from the last frame.
func (x *explorer) leave(s *state, f *frame, v ir.Value, d *ir.Def) control {
	if len(s.Frames) == 1 && s.Entry != 0 {
		return x.goBack(s, f)
	}
	results := make([]value, len(d.Args))
	for i, a := range d.Args {
		results[i] = x.operand(s, f, a)
	}
	depth := len(s.Frames) - 1
	for i := range s.Objects {
		if o := &s.Objects[i]; o.Kind == symgraph.Stack && o.Frame == depth {
			x.spill(s, o)
			o.Dead, o.Cells, o.Frame = true, nil, symgraph.NoFrame
		}
	}
	s.Frames = s.Frames[:depth]
	if depth == 0 {
		x.end(s, f, v, d)
		return stop
	}
	x.resumeCaller(s, results)
	return jumped
}

// resumeCaller goes on after the call that the last frame waits for, with its results.
func (x *explorer) resumeCaller(s *state, results []value) {
	g := top(s)
	g.Values = slices.Clone(g.Values)
	is := g.Func.Blocks[g.Block].Instrs
	call := is[g.Index]
	for _, e := range is[g.Index+1:] {
		if k := g.Func.Def(e); k.Op == ir.Extract && k.Args[0] == call {
			g.Values[e] = results[k.Aux]
		}
	}
	if len(results) > 0 {
		g.Values[call] = results[0]
	}
	g.Index++
}

func (x *explorer) halt(s *state, f *frame, v ir.Value, d *ir.Def) control {
	if ir.HaltKind(d.Aux) == ir.HaltExit {
		x.end(s, f, v, d)
	}
	return stop
}

// alive says whether o is, or has, heap objects that may be allocated.
func (x *explorer) alive(o *object) bool {
	return x.owns(o) || o.Kind == symgraph.Heap && !o.Dead && (o.List == nil || !x.k.isZero(o.List.Length))
}

// end checks what is allocated at the regular end.
func (x *explorer) end(s *state, f *frame, v ir.Value, d *ir.Def) {
	kept := x.reachable(s)
	lost := s.Lost || s.Entry != 0 // hidden objects may be alive
	for i := range s.Objects {
		lost = lost || !kept[i] && x.alive(&s.Objects[i])
	}
	x.pen.end()
	alive := lost
	for i := range s.Objects {
		alive = alive || x.alive(&s.Objects[i])
	}
	if !alive {
		return
	}
	for _, k := range []ir.CheckKind{ir.MemTrack, ir.MemCleanup} {
		if x.target[k] && (lost || k == ir.MemCleanup) {
			x.suspect(f, v, d, k, "a heap object may be allocated at the end of the program")
		}
	}
}

// reachable marks the objects into which pointers in globals, and in what these
// reach, point.
func (x *explorer) reachable(s *state) []bool {
	marked := make([]bool, len(s.Objects))
	var visit func(v *value)
	inside := func(o *object) {
		for k := range o.Cells {
			visit(&o.Cells[k].Value)
		}
		if o.List != nil {
			visit(&o.List.Tail)
		}
	}
	visit = func(v *value) {
		if v.Kind != symgraph.Pointer || v.Object < 0 || v.Last || marked[v.Object] {
			return
		}
		o := &s.Objects[v.Object]
		if !v.Form.IsConstant() || !o.Size.IsConstant() || v.Form.Const.Sign() < 0 || v.Form.Const.Cmp(o.Size.Const) >= 0 {
			return
		}
		marked[v.Object] = true
		inside(o)
	}
	for i := range s.Objects {
		if o := &s.Objects[i]; o.Kind == symgraph.Global {
			marked[i] = true
			inside(o)
		}
	}
	return marked
}
