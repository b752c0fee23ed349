package validate

import (
	"fmt"
	"slices"

	"assay/internal/program/ir"
	"assay/internal/program/syntax"
	"assay/internal/user/witness"
)

// This file works on the compiled program with a witness in it: it finds what the inserted expressions became, by their
// positions, and makes the question about them.
//
// Of a correctness witness an expression holds if it is true and its evaluation has no undefined behaviour: C gives it no
// value otherwise. So every check and every access in it becomes an assertion.
//
// Of a violation witness an expression whose evaluation is undefined is not true; here the run ends, so runs are missed that
// come to the place once more (partial). A run is along the witness if it passes all
// segments but the last one, violates the property at the target, and nowhere before: checks at the target count only
// in the last segment, and checks elsewhere end the run.

// impure is the error of an expression that calls or writes something.
type impure struct {
	owner int
	what  string
}

func (e *impure) Error() string { return e.what }

// place says what an instruction of the new program is in terms of the old one.
type place struct {
	pos   ir.Pos
	owner int // of inserted text: the element, or noOwner; noOwner-1 for the program's own
}

// place looks a position up.
func (x *instrumented) place(m *ir.Module, p ir.Pos) place {
	i := x.fileOf(m, p.File)
	if i < 0 || p.Line == 0 {
		return place{p, noOwner - 1}
	}
	l, c, owner := x.maps[i].original(x.files[i], int(p.Line), int(p.Col))
	return place{ir.Pos{File: p.File, Line: int32(l), Col: int32(c)}, owner}
}

// edit is how checks change.
type edit struct {
	// owned makes of a check in an expression of the witness what is asked. cond is its condition, text what it says.
	owned func(e *ir.Editor, owner int, cond ir.Value, text string)
	// own changes a check of the program; false leaves it.
	own func(e *ir.Editor, f *ir.Func, v ir.Value, d ir.Def, at ir.Pos) bool
	// ends says what must hold where the program ends.
	ends func(e *ir.Editor, at ir.Pos)
}

// rewrite makes the module in which checks are changed, and positions are those of the original text.
func (x *instrumented) rewrite(m *ir.Module, change edit) (*ir.Module, error) {
	var wrong error
	out := ir.Rewrite(m, func(*ir.Func) bool { return true }, func(e *ir.Editor, old *ir.Func) {
		// The definitions are looked at as they were; new ones come behind them.
		places := make([]place, len(old.Values))
		for v := range old.Values {
			places[v] = x.place(m, old.Values[v].Pos)
		}
		e.Each(func(v ir.Value) {
			d := *old.Def(v)
			at := places[v]
			e.Pos = at.pos
			if at.owner < noOwner { // of the program
				if d.Op == ir.Halt && ir.HaltKind(d.Aux) == ir.HaltExit && change.ends != nil && !old.Model {
					change.ends(e, at.pos)
				}
				if d.Op == ir.Check && d.Sym == insertedText {
					wrong = &misfit{&errNoPlace{"a place of the witness got lost"}}
				}
				if d.Op == ir.Check && change.own != nil {
					if change.own(e, old, v, d, at.pos) {
						e.Replace(v, ir.Def{Op: ir.Assume, Args: []ir.Value{e.Number(1, 1)}})
					}
				}
				return
			}
			if at.owner == noOwner {
				return
			}
			switch d.Op {
			case ir.Check:
				text := d.Sym
				if text == insertedText {
					text = ""
				}
				change.owned(e, at.owner, d.Args[0], text)
				e.Replace(v, ir.Def{Op: ir.Assume, Args: []ir.Value{e.Number(1, 1)}})
			case ir.Load:
				size := e.Number(m.PointerBits, uint64(d.Type.Bits+7)/8)
				valid := e.Op(ir.ValidRange, ir.BoolType, d.Args[0], size)
				change.owned(e, at.owner, valid, "invalid read")
			case ir.Call:
				wrong = &impure{at.owner, "calls a function"}
			case ir.Store, ir.MemCpy, ir.MemSet, ir.Havoc, ir.Malloc, ir.Free, ir.VaStart, ir.Halt:
				wrong = &impure{at.owner, "changes something"}
			case ir.Unsupported:
				wrong = &impure{at.owner, "is not modelled: " + d.Sym}
			}
		})
		for v := range places {
			e.Func.Values[v].Pos = places[v].pos
		}
		e.Func.Pos = x.place(m, old.Pos).pos
		e.Func.Vars = slices.Clone(old.Vars)
		for i := range e.Func.Vars {
			e.Func.Vars[i].Pos = x.place(m, old.Vars[i].Pos).pos
		}
	})
	if wrong != nil {
		return nil, wrong
	}
	if err := ir.Verify(out); err != nil {
		return nil, fmt.Errorf("the program with a witness is ill-formed, which is a bug of assay: %w", err)
	}
	return out, nil
}

// ownedText begins the text of a check that belongs to an element of the witness. insertedText is that of an assertion which was
// inserted; it must be found to belong to one.
const (
	ownedText    = "witness "
	insertedText = "condition of a witness"
)

// asserted makes checks of the invariants of a correctness witness; the program's own checks of other kinds than the targets
// go away if they are assertions, for these are what the invariants are.
func (x *instrumented) asserted(m *ir.Module, targets []ir.CheckKind) (*ir.Module, error) {
	assertions := slices.Contains(targets, ir.Assertion)
	return x.rewrite(m, edit{
		owned: func(e *ir.Editor, owner int, cond ir.Value, text string) {
			e.Emit(ir.Def{Op: ir.Check, Args: []ir.Value{cond}, Aux: int64(ir.Assertion), Sym: fmt.Sprintf("%s%d: %s", ownedText, owner, text)})
		},
		own: func(_ *ir.Editor, _ *ir.Func, _ ir.Value, d ir.Def, _ ir.Pos) bool {
			return ir.CheckKind(d.Aux) == ir.Assertion && !assertions
		},
	})
}

// target is where the last segment of a violation witness says that the property is violated.
type target struct {
	file       *syntax.File
	line       int
	begin, end int          // the bytes of the expression or statement; both 0: the line
	entry      *syntax.Func // set if the target is a return of the function where runs start
}

// targetOf finds the target; nil if the witness has none. ends says that the property is violated where the program ends, which is no
// expression.
func (x *instrumented) targetOf(w *witness.Witness, ends bool) (*target, error) {
	last := w.Segments[len(w.Segments)-1].Last()
	if last.Type != witness.Target {
		return nil, nil
	}
	f, err := x.find(last.At)
	if err == nil {
		err = exists(f, last.At)
	}
	if err != nil {
		return nil, err
	}
	t := &target{file: f, line: last.At.Line}
	if last.At.Column == 0 {
		return t, nil
	}
	fits := func(n *syntax.Node) bool {
		return n.Kind != syntax.Compound && (n.Full || n.Kind.Statement() || n.Kind == syntax.Call)
	}
	for _, n := range nodes(f, last.At, begins, fits) {
		t.extent(n)
		return t, nil
	}
	// Nothing begins there: it may be inside of a full expression.
	at, _ := f.Offset(last.At.Line, last.At.Column)
	if fn := f.At(at); fn != nil {
		fn.Body.Walk(func(n *syntax.Node) {
			if n.Full && n.Begin <= at && at < n.End {
				t.extent(n)
			}
		})
	}
	if t.end == 0 && !ends {
		return nil, noPlace("no statement or expression stands there")
	}
	return t, nil
}

// returns is the return of the entry that stands at the target, and nil if none does.
func (t *target) returns(entry string) *syntax.Node {
	fn := t.file.Func(entry)
	if fn == nil {
		return nil
	}
	var out *syntax.Node
	fn.Body.Walk(func(n *syntax.Node) {
		line, _ := t.file.Position(n.Begin)
		if n.Kind == syntax.Return && (t.end > 0 && n.Begin == t.begin || t.end == 0 && line == t.line) && t.file.StatementEnd(n) > 0 {
			out = n
		}
	})
	if out != nil {
		t.begin, t.end, t.entry = out.Begin, out.End, fn
	}
	return out
}

// endsAt says whether the program may end at the target.
func (x *instrumented) endsAt(m *ir.Module, t *target) bool {
	for _, f := range m.Funcs {
		for v := range f.Values {
			if d := &f.Values[v]; d.Op == ir.Halt && ir.HaltKind(d.Aux) == ir.HaltExit && t.matches(m, x.place(m, d.Pos).pos) {
				return true
			}
		}
	}
	return false
}

// extent makes the target a node: of a statement with a condition, the condition.
func (t *target) extent(n *syntax.Node) {
	t.begin, t.end = n.Begin, n.End
	switch {
	case n.CondEnd > 0 && n.Kind != syntax.Do:
		t.end = n.CondEnd
	case n.Macro:
		t.end = max(t.end, n.Begin+1)
	}
}

// matches says whether a position of a check is that of the target.
func (t *target) matches(m *ir.Module, p ir.Pos) bool {
	if int(p.File) >= len(m.Files) || !sameFile(m.Files[p.File], t.file.Name) || p.Line == 0 {
		return false
	}
	if t.end == 0 || p.Col == 0 {
		return int(p.Line) == t.line
	}
	at, ok := t.file.Offset(int(p.Line), int(p.Col))
	return ok && t.begin <= at && at < t.end
}

// confined asks for violations at the target in the last segment only.
func (x *instrumented) confined(m *ir.Module, targets []ir.CheckKind, t *target, last int) (*ir.Module, error) {
	passed := func(e *ir.Editor) ir.Value {
		segment := e.Emit(ir.Def{Op: ir.Load, Type: ir.IntType(32), Args: []ir.Value{e.Global(segmentName)}, Aux: 4})
		return e.Op(ir.Eq, ir.BoolType, segment, e.Number(32, uint64(last)))
	}
	var ends func(*ir.Editor, ir.Pos)
	if t != nil && len(targets) == 1 && leak(targets[0]) && m.Global(segmentName) != nil {
		call := x.endsAt(m, t)
		ends = func(e *ir.Editor, at ir.Pos) {
			if call && !t.matches(m, at) {
				e.Op(ir.Assume, ir.Type{}, e.Number(1, 0))
			}
			e.Op(ir.Assume, ir.Type{}, passed(e))
		}
	}
	return x.rewrite(m, edit{
		ends: ends,
		owned: func(e *ir.Editor, _ int, cond ir.Value, _ string) {
			e.Op(ir.Assume, ir.Type{}, cond)
			x.partial = true
		},
		own: func(e *ir.Editor, f *ir.Func, _ ir.Value, d ir.Def, at ir.Pos) bool {
			switch {
			case !slices.Contains(targets, ir.CheckKind(d.Aux)) || t == nil:
				return false
			case !f.Model && !t.matches(m, at):
				e.Op(ir.Assume, ir.Type{}, d.Args[0])
				return true
			}
			if m.Global(segmentName) == nil { // no waypoint is in what can be executed: no segment is ever passed
				return last > 0
			}
			elsewhere := e.Not(passed(e))
			e.Emit(ir.Def{Op: ir.Check, Args: []ir.Value{e.Op(ir.Or, ir.BoolType, d.Args[0], elsewhere)}, Aux: d.Aux, Sym: d.Sym})
			return true
		},
	})
}
