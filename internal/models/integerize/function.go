package integerize

// Functions, and the chains of calls in which they are executed.

import (
	"context"
	"slices"

	"assay/internal/integers/its"
	"assay/internal/models/absint"
	"assay/internal/program/ir"
)

type translation struct {
	ctx    context.Context
	m      *ir.Module
	facts  *absint.Facts
	o      Options
	byName map[string]*function
	// accepting are the functions that may execute Accept.
	accepting map[*ir.Func]bool
	funcs     []*function
	root      *frame
	frames    []*frame

	cells   map[cellKey]*cell
	order   []*cell // in the order of discovery
	objects map[absint.Object]*object

	locations map[locationKey]its.Location
	places    []place
	work      []its.Location
	variables map[variableKey]int
	slots     []slot
	paths     []path
	recursive bool
	live      int          // the variable that counts live bytes, and
	peak      its.Location // where runs end that count them
	broken    its.Location // where runs end that break an assumption, 0 if there is none
	crowd     int          // states from the location that is explored
	reads     bool         // memory decides where runs go
	longest   work         // of all paths, also those that end before a location
}

// function is what is known of a function in all contexts.
type function struct {
	f        *ir.Func
	index    int
	wto      *ir.WTO
	liveIn   [][]ir.Value
	cut      []bool            // by block: a location
	cutAfter map[ir.Value]bool // by call: its return is a location
	returns  int               // paths from the last cutpoint to returns
	needed   []bool            // by value
	unsigned []bool            // by value: its view
	after    map[ir.Value][]ir.Value
	deep     *frame                // that stands for its recursive calls
	sizes    map[ir.Value]ir.Value // of blocks that the function allocates and frees
	state    uint8                 // of the computation of cuts
}

// frame is a function in a chain of calls.
type frame struct {
	id     int
	fn     *function
	parent *frame
	site   ir.Value // the call in parent
	block  ir.BlockID
	index  int // of the call in its block
	facts  *absint.Context
	kids   map[ir.Value]*frame
	// again says that the frame may be entered more than once in a run.
	again bool
	// deep says that the frame stands for all active calls of the function, and does not return.
	deep bool
}

func newTranslation(ctx context.Context, m *ir.Module, facts *absint.Facts, o Options) *translation {
	t := &translation{ctx: ctx, m: m, facts: facts, o: o, accepting: ir.Accepting(m), byName: map[string]*function{},
		cells: map[cellKey]*cell{}, objects: map[absint.Object]*object{},
		locations: map[locationKey]its.Location{}, variables: map[variableKey]int{}}
	for i, f := range m.Funcs {
		fn := &function{f: f, index: i, cutAfter: map[ir.Value]bool{}, after: map[ir.Value][]ir.Value{}}
		t.funcs = append(t.funcs, fn)
		t.byName[f.Name] = fn
		if !f.IsDecl() {
			fn.wto = ir.NewWTO(f)
			fn.needed = make([]bool, len(f.Values))
			fn.unsigned = make([]bool, len(f.Values))
		}
	}
	return t
}

// prepare computes everything that does not depend on paths.
func (t *translation) prepare() {
	entry := t.byName[t.m.Entry]
	if entry == nil || entry.f.IsDecl() {
		panic(stop{&ErrUntranslated{Func: t.m.Entry, Why: "the module has no entry function"}})
	}
	t.slice()
	t.views()
	for _, fn := range t.funcs {
		if fn.f.IsDecl() {
			continue
		}
		fn.liveIn = ir.LiveIn(fn.f)
		if t.o.Cost == Heap {
			fn.sizes = sizesOf(fn.f)
		}
		for b, live := range fn.liveIn {
			live = fn.withSizes(live)
			fn.liveIn[b] = slices.DeleteFunc(live, func(v ir.Value) bool { return !fn.tracked(v) })
		}
	}
	t.cuts(entry)
	for _, fn := range t.funcs { // those that are called through pointers
		t.cuts(fn)
	}
	t.cutRecursion()
	t.findCells()
	t.root = t.newFrame(nil, 0, 0, 0, entry)
	if t.facts != nil {
		t.root.facts = t.facts.Root
	}
}

// withSizes adds the sizes of blocks to values that are live.
func (fn *function) withSizes(live []ir.Value) []ir.Value {
	for _, v := range live {
		if size, ok := fn.sizes[v]; ok && !ir.IsConst(fn.f.Def(size).Op) && !slices.Contains(live, size) {
			live = append(live, size)
		}
	}
	return live
}

// tracked says whether a value is worth a variable.
func (fn *function) tracked(v ir.Value) bool {
	return fn.needed[v] && fn.f.Type(v).Kind == ir.Int
}

func (t *translation) newFrame(parent *frame, site ir.Value, block ir.BlockID, index int, fn *function) *frame {
	if len(t.frames) >= t.o.MaxFrames {
		t.fail(fn.f, 0, "too many calls to follow")
	}
	fr := &frame{id: len(t.frames), fn: fn, parent: parent, site: site, block: block, index: index, kids: map[ir.Value]*frame{}}
	if parent != nil {
		fr.again = parent.again || len(parent.fn.wto.Heads[block]) > 0
		if parent.facts != nil {
			for _, c := range parent.facts.Calls {
				if c.Site == site && c.Func == fn.f && !c.Recursive {
					fr.facts = c
				}
			}
		}
	}
	t.frames = append(t.frames, fr)
	return fr
}

// enter is the frame of a call.
func (t *translation) enter(fr *frame, site ir.Value, block ir.BlockID, index int, fn *function) *frame {
	k := fr.kids[site]
	if k == nil || k.fn != fn {
		k = t.newFrame(fr, site, block, index, fn)
		fr.kids[site] = k
	}
	return k
}

// active finds the frame of a function that is being executed.
func (fr *frame) active(fn *function) *frame {
	for ; fr != nil; fr = fr.parent {
		if fr.fn == fn {
			return fr
		}
	}
	return nil
}

// fact is what the abstract interpreter knows of a value in the frame.
func (t *translation) fact(fr *frame, v ir.Value) (f absint.Fact, ok bool) {
	switch {
	case t.facts == nil:
		return f, false
	case fr.facts != nil && !fr.recursive():
		return fr.facts.Value(v), true
	}
	return t.facts.Value(fr.fn.index, v), true
}

// recursive says whether the frame or one around it stands for several.
func (fr *frame) recursive() bool { return fr.facts != nil && fr.facts.Recursive }

// mayViolate says whether a guard of an instruction may be violated.
func (t *translation) mayViolate(fr *frame, v ir.Value, kind ir.CheckKind) bool {
	if t.facts == nil {
		return true
	}
	if fr.facts != nil && !fr.recursive() {
		return fr.facts.MayViolate(v, kind)
	}
	return t.facts.MayViolate(fr.fn.index, v, kind)
}

// reached says whether a run may get to a block; runs over mathematical integers are
// not those that the abstract interpreter knows.
func (t *translation) reached(fr *frame, b ir.BlockID) bool {
	if t.facts == nil || t.o.Semantics == Integers {
		return true
	}
	if fr.facts != nil && !fr.recursive() {
		return fr.facts.Reached(b)
	}
	return t.facts.Reached(fr.fn.index, b)
}

// callee is the function that a call enters: nil if it is not known.
func (t *translation) callee(fr *frame, d *ir.Def) *function {
	if d.Sym != "" {
		return t.byName[d.Sym]
	}
	f, ok := t.fact(fr, d.Args[0])
	if !ok {
		return nil
	}
	targets, ok := f.Targets()
	if !ok || len(targets) != 1 || targets[0].Func == nil {
		return nil
	}
	fn := t.byName[targets[0].Func.Name]
	if fn == nil || len(fn.f.Params) != len(d.Args)-1 {
		return nil
	}
	return fn
}

// arguments of a call.
func arguments(d *ir.Def) []ir.Value {
	if d.Sym == "" {
		return d.Args[1:]
	}
	return d.Args
}
