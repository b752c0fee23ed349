package certify

import (
	"context"
	"fmt"
	"strings"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// This file proves jumps: that a run, which is at the head of a loop, makes n
// iterations of it, and what they change.
//
// The claim is about one state of one run. It is turned into a program without loops, of
// which the checker of unwindings shows that it violates nothing (Unwinding; so the
// formula is Z3's to refute). The program chooses an i < n and makes iteration i:
//
//	(1) It starts at the head, in the state that the jump claims before iteration i:
//	    Start + i*Step in what is Stepped; anything, if i > 0, in what is Summed or
//	    Replaced. All else is as in the run: numbers that the loop does not change are
//	    the run's constants; memory is a copy of what the code refers to, or arbitrary.
//	(2) It must come back to the head. Leaving the loop, ending the program, an assumption
//	    that does not hold, and every violation of any kind, undefined behaviour
//	    included, is a violation.
//	(3) Back there, what is Stepped has grown by Step, what is Summed by Step + i*Second;
//	    in the last iteration what is Replaced has its End. Other phis are as before.
//	(4) Nothing else may be written: an instruction that could is a violation when it is
//	    reached (refuses). Nor may one be that could tell addresses of the
//	    program from those of the run.
//
// By (3) and (4), the state after iteration i is one that (1) starts i+1 from; by induction
// all n are made. That the Ends are what sums of Steps come to is arithmetic
// (ir.Change.After). Inputs that the jump fixes are constants here; all others are
// arbitrary, so the iterations are made whatever they are.
//
// An iteration may be several passes through the loop: then (1) is before the first, and
// (3) after the last of them. Loops within it are unwound as often as the jump says.
//
// Which blocks belong to the loop is a hint: an iteration that leaves them is refused. So
// are the numbers of unwindings.

// Jump checks that the run, which is at the head that j names, makes the iterations. The
// string names who accepted. The error is nil, the context's, an ErrRejected or an
// ErrIncomplete. Of the options, Targets, All and Excluded do not count.
func Jump(ctx context.Context, m *ir.Module, o Options, j *ir.Jump, s interp.State) (checker string, err error) {
	it, err := iteration(m, j, s)
	if err != nil {
		return "", err
	}
	checker, err = Unwinding(ctx, it.m, Options{Targets: jumpTargets, Label: o.Label, Engine: o.Engine, Strict: o.Strict}, it.bounds)
	return strings.TrimPrefix(checker, "second unwinding, by "), err
}

// jumpTargets is all that may not happen in an iteration; leaks are about the end of
// a program.
var jumpTargets = []ir.CheckKind{
	ir.Assertion, ir.ErrorLabel, ir.Overflow, ir.ShiftOverflow, ir.DivByZero, ir.ShiftRange, ir.InvalidDeref, ir.InvalidFree,
	ir.ReachedUnreachable, ir.FloatConversion, ir.Precondition, ir.Incompatible, ir.Invariant, ir.Decrease,
	ir.UnsignedOverflow, ir.ImplicitConversion, ir.NotANumber, ir.Uninitialised, ir.ArrayLength, ir.ArrayIndex,
}

// iterationName is the entry of the program.
const iterationName = "assay.iteration"

const (
	// maxPasses bounds the passes of an iteration.
	maxPasses = 16
	// maxGlobalCopy and maxObjectCopy bound the bytes of objects whose content is
	// copied; that of others is arbitrary.
	maxGlobalCopy = 1 << 12
	maxObjectCopy = 1 << 8
)

// iterating is the making of the program.
type iterating struct {
	m       *ir.Module // the copy
	f       *ir.Func   // whose loop it is
	j       *ir.Jump
	state   interp.State
	in      []bool // by block: copied
	b       *ir.Builder
	setup   ir.BlockID
	values  []ir.Value // by value of f
	objects map[uint64]ir.Value
	index   ir.Value // i
	fixed   map[instruction]bv.BV
	changed map[ir.Value]*ir.Change
	bounds  []verdict.Bound
}

func incomplete(format string, args ...any) error {
	return ErrIncomplete{Why: "a jump: " + fmt.Sprintf(format, args...)}
}

// iteration makes the program.
func iteration(m *ir.Module, j *ir.Jump, s interp.State) (*iterating, error) {
	it := &iterating{m: m.Clone(), j: j, state: s, objects: map[uint64]ir.Value{}, fixed: map[instruction]bv.BV{}, changed: map[ir.Value]*ir.Change{}}
	it.f = it.m.Func(j.Func)
	if it.f == nil || it.f.IsDecl() || j.Head < 1 || int(j.Head) >= len(it.f.Blocks) {
		return nil, incomplete("there is no such loop")
	}
	for _, c := range j.Choices {
		if why := it.unfit(c); why != "" {
			return nil, incomplete("value %d of %s cannot be fixed: %s", c.Value, c.Func, why)
		}
		it.fixed[instruction{c.Func, c.Value}] = c.Bits
	}
	if err := it.changes(); err != nil {
		return nil, err
	}
	it.blocks()
	it.callees()
	it.b = ir.NewFunc(it.m, iterationName)
	it.m.Entry = iterationName
	it.values = make([]ir.Value, len(it.f.Values))
	if err := it.build(); err != nil {
		return nil, err
	}
	it.b.Done()
	return it, nil
}

// unfit says why an input may not be fixed, "" if it may.
func (it *iterating) unfit(c ir.Choice) string {
	f := it.m.Func(c.Func)
	if f == nil || f.IsDecl() || c.Value < 1 || int(c.Value) >= len(f.Values) {
		return "there is no such value"
	}
	d := f.Def(c.Value)
	switch {
	case d.Op != ir.Nondet || d.Type.Kind == ir.Ptr:
		return "it is no input"
	case ir.NondetKind(d.Aux) == ir.NondetApproximate || ir.NondetKind(d.Aux) == ir.NondetUndef:
		return "it is over-approximated"
	case d.Type.Bits != c.Bits.Width():
		return "the constant has another width"
	}
	return ""
}

// changes checks the arithmetic of the changes.
func (it *iterating) changes() error {
	if it.j.Rounds == 0 {
		return incomplete("it makes no iteration")
	}
	if it.j.Passes < 0 || it.j.Passes > maxPasses {
		return incomplete("an iteration of %d passes", it.j.Passes)
	}
	for i := range it.j.Changes {
		c := &it.j.Changes[i]
		w := c.Cell.Bits
		if c.Value != 0 {
			if c.Value < 1 || int(c.Value) >= len(it.f.Values) {
				return incomplete("there is no such value")
			}
			d := it.f.Def(c.Value)
			if d.Op != ir.Phi || d.Block != it.j.Head || d.Type.Kind != ir.Int || it.changed[c.Value] != nil {
				return incomplete("%%%d is no integer of the head, or changes twice", c.Value)
			}
			w = d.Type.Bits
			it.changed[c.Value] = c
		} else if w == 0 || w%8 != 0 {
			return incomplete("a cell of %d bits", w)
		}
		if c.Start.Width() != w || c.End.Width() != w {
			return incomplete("a value has another width")
		}
		if c.Kind == ir.Replaced {
			continue
		}
		if c.Step.Width() != w || c.Kind == ir.Summed && c.Second.Width() != w {
			return incomplete("a step has another width")
		}
		if !c.After(it.j.Rounds).Equal(c.End) {
			return ErrRejected{What: fmt.Sprintf("after %d iterations the value is not %s", it.j.Rounds, c.End), Func: it.f.Name, At: "the loop"}
		}
	}
	return nil
}

// blocks finds the natural loop of the head: what its back edges can be reached from
// without passing the head.
func (it *iterating) blocks() {
	f, dom := it.f, ir.Dominators(it.f)
	it.in = make([]bool, len(f.Blocks))
	it.in[it.j.Head] = true
	var work []ir.BlockID
	take := func(b ir.BlockID) {
		if !it.in[b] {
			it.in[b] = true
			work = append(work, b)
		}
	}
	for _, p := range f.Blocks[it.j.Head].Preds {
		if dom.Dominates(it.j.Head, p) {
			take(p)
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range f.Blocks[b].Preds {
			take(p)
		}
	}
}

// build makes the function: the state, the iteration, and what is there after it.
func (it *iterating) build() error {
	b, f := it.b, it.f
	it.setup = b.Block("state")
	b.At(it.setup)
	it.globals()
	it.index = b.Nondet(ir.IntType(64), ir.NondetUninit, "iteration")
	b.Assume(b.Cmp(ir.ULt, it.index, b.Const(64, it.j.Rounds)))
	var phis []ir.Value
	for _, v := range f.Blocks[it.j.Head].Instrs {
		if f.Def(v).Op != ir.Phi {
			break
		}
		phis = append(phis, v)
	}
	for _, v := range phis {
		if c := it.changed[v]; c != nil {
			it.values[v] = it.before(c)
		} else if x, err := it.constant(v); err == nil {
			it.values[v] = x
		} else {
			return err
		}
	}
	cells := map[*ir.Change]ir.Value{} // what they hold before
	places := map[*ir.Change]ir.Value{}
	for i := range it.j.Changes {
		c := &it.j.Changes[i]
		if c.Value != 0 {
			continue
		}
		p, err := it.place(&c.Cell)
		if err != nil {
			return err
		}
		cells[c], places[c] = it.before(c), p
		b.Store(cells[c], p)
	}
	start := map[ir.Value]ir.Value{}
	for _, v := range phis {
		start[v] = it.values[v]
	}
	left := b.Block("left")
	begin := b.Block("begin")
	from := begin
	for range max(1, it.j.Passes) {
		to, err := it.pass(phis, from, left)
		if err != nil {
			return err
		}
		from = to
	}
	b.At(it.setup)
	b.Br(begin)
	b.At(left)
	it.refuse("the iteration leaves the loop")
	b.Halt(ir.HaltAbort)
	b.At(from)
	for _, v := range phis {
		if c := it.changed[v]; c != nil {
			it.after(c, start[v], it.values[v])
		} else if f.Type(v).Kind != ir.Ptr {
			it.same(start[v], it.values[v])
		}
	}
	for i := range it.j.Changes {
		if c := &it.j.Changes[i]; c.Value == 0 {
			it.after(c, cells[c], b.Load(ir.IntType(c.Cell.Bits), places[c]))
		}
	}
	b.Halt(ir.HaltAbort)
	return nil
}

// pass copies the loop once more: from is the block before it, the result the one behind
// it, where the values of the phis are those with which the head is reached again.
func (it *iterating) pass(phis []ir.Value, from, left ir.BlockID) (back ir.BlockID, err error) {
	b, f := it.b, it.f
	blocks := make([]ir.BlockID, len(f.Blocks))
	var order []ir.BlockID
	for _, x := range ir.RPO(f) {
		if it.in[x] {
			order = append(order, x)
			blocks[x] = b.Block("")
			for _, v := range f.Blocks[x].Instrs {
				if x != it.j.Head || f.Def(v).Op != ir.Phi {
					it.values[v] = 0
				}
			}
		}
	}
	for _, u := range it.j.Unwound {
		if u.Func != f.Name {
			it.bounds = append(it.bounds, verdict.Bound{Func: u.Func, Head: u.Head, N: u.N})
		} else if u.Head > 0 && int(u.Head) < len(blocks) && blocks[u.Head] != 0 {
			it.bounds = append(it.bounds, verdict.Bound{Func: iterationName, Head: blocks[u.Head], N: u.N})
		}
	}
	back = b.Block("back")
	if err := it.copyBlocks(order, blocks, back, left); err != nil {
		return 0, err
	}
	b.At(from)
	b.Br(blocks[it.j.Head])
	b.At(back)
	next := map[ir.Value]ir.Value{}
	for _, v := range phis {
		d := f.Def(v)
		if d.Type.Kind == ir.Ptr {
			for k, p := range f.Blocks[it.j.Head].Preds {
				if it.in[p] && d.Args[k] != v {
					return 0, incomplete("a pointer of the loop changes")
				}
			}
			next[v] = it.values[v]
			continue
		}
		now := b.Phi(d.Type)
		for k, p := range f.Blocks[it.j.Head].Preds {
			if it.in[p] {
				x, err := it.operand(d.Args[k])
				if err != nil {
					return 0, err
				}
				b.AddIncoming(now, x, blocks[p])
			}
		}
		next[v] = now
	}
	for v, x := range next {
		it.values[v] = x
	}
	return back, nil
}

// refuse appends a violation.
func (it *iterating) refuse(text string) { it.b.Check(ir.Invariant, it.b.Const(1, 0), text) }

// number is i as an integer of w bits.
func (it *iterating) number(w uint32) ir.Value {
	switch {
	case w < 64:
		return it.b.Op(ir.Trunc, ir.IntType(w), it.index)
	case w > 64:
		return it.b.Op(ir.ZExt, ir.IntType(w), it.index)
	}
	return it.index
}

func (it *iterating) literal(x bv.BV) ir.Value { return it.b.ConstBV(ir.IntType(x.Width()), x) }

// times is i*x.
func (it *iterating) times(x bv.BV) ir.Value {
	if x.IsZero() {
		return it.literal(x)
	}
	return it.b.Bin(ir.Mul, it.number(x.Width()), it.literal(x))
}

// before is what is there before iteration i (1).
func (it *iterating) before(c *ir.Change) ir.Value {
	b := it.b
	start := it.literal(c.Start)
	if c.Kind == ir.Stepped {
		return b.Bin(ir.Add, start, it.times(c.Step))
	}
	any := b.Nondet(ir.IntType(c.Start.Width()), ir.NondetUninit, "earlier")
	return b.Select(b.Cmp(ir.Eq, it.index, b.Const(64, 0)), start, any)
}

// after checks what is there after it (3).
func (it *iterating) after(c *ir.Change, before, now ir.Value) {
	b := it.b
	switch c.Kind {
	case ir.Replaced:
		last := b.Cmp(ir.Eq, it.index, b.Const(64, it.j.Rounds-1))
		wrong := b.Bin(ir.And, last, b.Cmp(ir.Ne, now, it.literal(c.End)))
		b.Check(ir.Invariant, b.Bin(ir.Xor, wrong, b.Const(1, 1)), "the last iteration gives another value")
		return
	case ir.Summed:
		step := b.Bin(ir.Add, it.literal(c.Step), it.times(c.Second))
		before = b.Bin(ir.Add, before, step)
	default:
		before = b.Bin(ir.Add, before, it.literal(c.Step))
	}
	b.Check(ir.Invariant, b.Cmp(ir.Eq, before, now), "an iteration makes another step")
}

// same checks that a phi that is not to change does not.
func (it *iterating) same(before, now ir.Value) {
	b := it.b
	if t := b.Func.Type(now); t.Kind == ir.Float {
		before, now = b.Op(ir.BitCast, ir.IntType(t.Bits), before), b.Op(ir.BitCast, ir.IntType(t.Bits), now)
	}
	b.Check(ir.Invariant, b.Cmp(ir.Eq, before, now), "an iteration changes what is not to change")
}
