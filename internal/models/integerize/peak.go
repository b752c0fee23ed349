package integerize

import (
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// This file has costs that are peaks: what is in use at a time.
//
// Heap: a variable of the system says how many bytes live at most. Each allocation makes a transition to a place where
// the run ends, which costs what lives then, with what is allocated. Nothing else costs anything, so
// that a bound of the cost of runs is one of the peak. Free takes off the size of a block if the function
// that frees it has allocated it; of others nothing is taken off.
//
// Frames: a call between functions of one recursion costs the frame of the callee. After it nothing returns: the call
// enters a copy of the function, of which there is one for all such calls, and whose returns end the run; or it is
// skipped, as one that has returned. What runs cost is then what such calls take that are active at a time. The
// frames of other calls are not in it.

// live starts counting live bytes.
func (t *translation) countLive() {
	if t.o.Cost != Heap {
		return
	}
	t.live = len(t.slots)
	t.slots = append(t.slots, slot{name: "live"})
	t.peak = its.Location(len(t.places))
	t.places = append(t.places, place{peak: true, has: map[int]bool{}})
}

// lives is how many bytes live where the path is.
func (t *translation) lives(s *state) linear.Form {
	if t.places[s.from].start {
		return s.live
	}
	return s.live.Add(linear.Variable(linear.Var(t.live)))
}

// allocate counts the bytes of a block.
func (t *translation) allocate(s *state, fr *frame, d *ir.Def) {
	if t.o.Cost != Heap || fr.parent == nil { // the entry function makes what arguments point to
		return
	}
	s.live = s.live.Add(t.in(s, fr, d.Args[0], unsigned).form)
	top := s.fork()
	top.amount, top.work = t.lives(s), work{}
	t.paths = append(t.paths, path{from: s.from, to: t.peak, state: top, pos: d.Pos})
}

// free takes off the bytes of a block, if their number is known.
func (t *translation) free(s *state, fr *frame, d *ir.Def) {
	if t.o.Cost != Heap {
		return
	}
	if size, ok := fr.fn.sizes[d.Args[0]]; ok {
		s.live = s.live.Sub(t.in(s, fr, size, unsigned).form)
	}
}

// sizesOf are the operands of allocations whose blocks the function frees itself. Where such a block may
// be freed, the operand has the value that it had there: it is computed on each way to the allocation, which
// is on each way to its end.
func sizesOf(f *ir.Func) map[ir.Value]ir.Value {
	out := map[ir.Value]ir.Value{}
	for _, b := range f.Blocks {
		for _, v := range b.Instrs {
			if d := f.Def(v); d.Op == ir.Free && f.Def(d.Args[0]).Op == ir.Malloc {
				out[d.Args[0]] = f.Def(d.Args[0]).Args[0]
			}
		}
	}
	return out
}

// descends says whether a call is one between functions of a recursion.
func (t *translation) descends(from, to *function) bool {
	c, recursive := t.o.Recursion[to.f.Name]
	d, ok := t.o.Recursion[from.f.Name]
	return t.o.Cost == Frames && recursive && ok && c == d
}

// cutRecursion makes the entry of each recursive function a location, so that none of its calls is lost at the end of a run.
func (t *translation) cutRecursion() {
	for _, fn := range t.funcs {
		if _, recursive := t.o.Recursion[fn.f.Name]; recursive && t.o.Cost == Frames && !fn.f.IsDecl() {
			fn.cut[1] = true
		}
	}
}

// deeper is the copy of a function that stands for all its recursive calls; nothing is known of one of them only.
func (t *translation) deeper(s *state, fr *frame, site ir.Value, fn *function) *frame {
	if fn.deep == nil {
		fn.deep = t.newFrame(fr, site, s.block, s.index, fn)
		fn.deep.deep, fn.deep.again, fn.deep.facts = true, true, nil
	}
	return fn.deep
}
