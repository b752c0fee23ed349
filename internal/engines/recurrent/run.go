package recurrent

import (
	"context"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// This file runs a program with fixed inputs, to show the loop that does not end: a
// stem, and three rounds of the loop.

// oracle makes the decisions of a run: the fixed inputs, and zeros.
type oracle struct {
	interp.Zero
	values map[site]bv.BV
}

type site struct {
	f string
	v ir.Value
}

// Next implements interp.Oracle.
func (o oracle) Next(r interp.Request) (ir.Choice, error) {
	if x, ok := o.values[site{r.Func.Name, r.Value}]; ok && r.Kind == interp.WantValue {
		return ir.Choice{Func: r.Func.Name, Value: r.Value, Bits: x}, nil
	}
	return o.Zero.Next(r)
}

const (
	// runSteps is how long the run is watched.
	runSteps = 1 << 16
	rounds   = 3
)

// visit is a visit of a loop head.
type visit struct {
	f     *ir.Func
	head  ir.BlockID
	depth int
	step  int64
	asked int
}

// Run runs the program with the inputs of a set and finds the loop that goes on: of
// those that are visited to the end, the outermost. It also says which blocks are
// executed. Without answer why says what happens instead. The error is that of the context.
func Run(ctx context.Context, m *ir.Module, set *verdict.RecurrentSet) (e *verdict.False, executed Executed, why string, err error) {
	executed = Executed{}
	o := oracle{values: map[site]bv.BV{}}
	for _, s := range set.Inputs {
		o.values[site{s.Func, s.Value}] = s.Bits
	}
	orders := map[*ir.Func]*ir.WTO{}
	var visits []visit
	var depth int // the least one since; visits of deeper frames that are left are dropped
	asked := 0
	seen := map[verdict.Guard]bool{}
	var passes []verdict.Guard
	r := interp.NewRecorder(o)
	out, err := interp.Run(ctx, m, interp.Options{
		Oracle: r, MaxSteps: runSteps, Blocks: true,
		Observe: func(ev interp.Event) {
			switch ev.Kind {
			case interp.ChoiceMade:
				asked++
			case interp.Violation:
				g := verdict.Guard{Kind: ev.Check, Text: ev.Text, Func: ev.Func.Name, Pos: ev.Pos}
				if g.Kind.Undefined() && !seen[g] {
					seen[g] = true
					passes = append(passes, g)
				}
			case interp.BlockEntered:
				w := orders[ev.Func]
				if w == nil {
					w = ir.NewWTO(ev.Func)
					orders[ev.Func] = w
				}
				if executed[ev.Func] == nil {
					executed[ev.Func] = make([]bool, len(ev.Func.Blocks))
				}
				executed[ev.Func][ev.Block] = true
				depth = ev.Depth
				if w.IsHead(ev.Block) && !ev.Func.Model {
					visits = append(visits, visit{ev.Func, ev.Block, depth, ev.Step, asked})
				}
			}
		},
	})
	if err != nil {
		return nil, nil, "", err
	}
	if out.End != interp.StepLimit {
		return nil, nil, "the run ends: " + out.String(), nil
	}
	first, last, ok := outermost(visits, orders)
	if !ok {
		return nil, nil, "no loop of the run was seen often enough", nil
	}
	in := r.Input()
	in.Choices = in.Choices[:visits[last].asked]
	v := visits[first]
	return &verdict.False{
		Input: in, Passes: passes, Replayed: []string{"interpreter"},
		Endless: &verdict.Endless{
			Func: v.f.Name, Head: v.head, Pos: v.f.BlockPos(v.head), First: v.asked,
			FirstStep: v.step, LastStep: visits[last].step, Visits: rounds, Set: set,
		},
	}, executed, "", nil
}

// outermost chooses the loop that goes on: of the heads that are visited in the last
// half of the run, the one in the frame nearest to the entry, there the outermost.
// The indexes are those of the first of its last visits, and of that rounds later.
func outermost(visits []visit, orders map[*ir.Func]*ir.WTO) (first, last int, ok bool) {
	best := -1
	better := func(x, y visit) bool {
		if x.depth != y.depth {
			return x.depth < y.depth
		}
		return x.f == y.f && x.head != y.head && orders[x.f].Contains(x.head, y.head)
	}
	count := map[ir.BlockID]int{}
	for i := len(visits) / 2; i < len(visits); i++ {
		if best < 0 || better(visits[i], visits[best]) {
			best = i
		}
	}
	if best < 0 {
		return 0, 0, false
	}
	b := visits[best]
	// Its first visit after which the frame was not left.
	first = -1
	for i, v := range visits {
		switch {
		case v.depth < b.depth:
			first = -1
		case v.depth == b.depth && v.f == b.f && v.head == b.head:
			if first < 0 {
				first, count[v.head] = i, 0
			}
			if count[v.head]++; count[v.head] == rounds+1 && i >= first {
				return first, i, true
			}
		}
	}
	return 0, 0, false
}
