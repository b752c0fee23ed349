package acceleration

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// This file takes a violation of the program with jumps back to the program (J1). The
// run of the former, made again, tells where it jumps, and from what to what. Then the
// program itself is run, and each jump proved at the state where it begins.

// Options say what was asked.
type Options struct {
	// Targets are the kinds of events that must not happen.
	Targets []ir.CheckKind
	// Label is the C label that ErrorLabel means; ERROR if empty.
	Label string
	// Accept is asked about every jump; Solver is the one that found the violation.
	Accept verdict.Accept
	Solver string
}

// shortJump is how many steps the iterations of a jump may have that are made one by one.
const shortJump = 1 << 12

// maxReplaySteps bounds a replay.
const maxReplaySteps = 1 << 31

// Confirm makes the run of a violation of p.Module on the program. The answer is nil
// if that cannot be done, why says why; then the jumps in question are not offered again.
// The error is that of the context.
func (p *Program) Confirm(ctx context.Context, v verdict.False, o Options) (answer *verdict.False, why string, err error) {
	if o.Label == "" {
		o.Label = "ERROR"
	}
	for _, short := range []int64{shortJump, 0} {
		t := &translation{p: p, o: o, short: short, visits: map[gateKey]int64{}}
		if err := t.read(ctx, v.Input); err != nil {
			return nil, "", err
		}
		answer, why, err = t.replay(ctx, v)
		if answer != nil || err != nil {
			return answer, "", err
		}
		if t.refused >= 0 {
			p.refused[t.jumps[t.refused].id] = true
		} else if short == 0 {
			for _, j := range t.all {
				p.refused[j.id] = true
			}
		}
	}
	return nil, why, nil
}

// translation is the work on one run.
type translation struct {
	p     *Program
	o     Options
	short int64
	// visits counts the visits of heads in the run of the program.
	visits  map[gateKey]int64
	pending *jump
	input   ir.Input
	jumps   []*jump // of input.Jumps
	all     []*jump // with those whose iterations are made one by one
	refused int     // the jump that was not proved, -1 if none was
}

// broken says that an event violates the property.
func (t *translation) broken(ev interp.Event) (verdict.Guard, bool) {
	g, ok := verdict.Broken(ev, t.o.Label)
	return g, ok && slices.Contains(t.o.Targets, g.Kind)
}

// read runs the program with jumps, and fills in the input of the program.
func (t *translation) read(ctx context.Context, in ir.Input) error {
	t.input.Globals = in.Globals
	_, err := interp.Run(ctx, t.p.Module, interp.Options{
		Oracle: interp.Replay(in), Observe: t.observe, Blocks: true, MaxSteps: maxReplaySteps,
		StopAt: func(ev interp.Event) bool { _, stop := t.broken(ev); return stop },
	})
	return err
}

// observe handles an event of the program with jumps.
func (t *translation) observe(ev interp.Event) {
	switch ev.Kind {
	case interp.ChoiceMade:
		if f := t.p.From.Func(ev.Func.Name); f != nil && int(ev.Value) < len(f.Values) {
			t.input.Choices = append(t.input.Choices, ev.Choice)
		}
	case interp.BlockEntered:
		k := gateKey{ev.Func.Name, ev.Block}
		if j := t.p.jumps[k]; j != nil {
			t.pending = j
			return
		}
		if t.p.gates[k] == nil {
			return
		}
		t.visits[k]++
		if t.pending != nil {
			t.made(k, t.pending, ev.State)
			t.pending = nil
		}
	}
}

// made notes a jump that has been made; the state is that at the head.
func (t *translation) made(k gateKey, j *jump, s interp.State) {
	out := ir.Jump{Func: k.function, Head: k.block, Visit: t.visits[k], Rounds: s.Value(j.count).Uint64()}
	t.all = append(t.all, j)
	fixed := map[int32]ir.Choice{}
	for i, v := range j.choices {
		x := j.loop.choices[i]
		fixed[i] = ir.Choice{Func: x.f.Name, Value: x.v, Bits: s.Value(v)}
	}
	if out.Rounds <= uint64(t.short/max(1, j.path.steps)) {
		for range out.Rounds {
			for _, i := range j.path.choices {
				t.input.Choices = append(t.input.Choices, fixed[i])
			}
		}
		t.visits[k] += int64(out.Rounds) * int64(j.path.passes)
		return
	}
	out.Passes, out.Unwound = j.path.passes, j.path.unwound
	for i := range j.loop.choices {
		if c, ok := fixed[int32(i)]; ok {
			out.Choices = append(out.Choices, c)
		}
	}
	for _, x := range j.changes {
		c := ir.Change{Start: s.Value(x.start), End: s.Value(x.end)}
		switch x.v.how {
		case stepped:
			c.Kind, c.Step = ir.Stepped, s.Value(x.step)
		case summed:
			c.Kind, c.Step, c.Second = ir.Summed, s.Value(x.step), s.Value(x.second)
		default:
			c.Kind = ir.Replaced
		}
		if n := j.loop.at(x.v.leaf); n.kind == phi {
			c.Value = ir.Value(n.id)
		} else {
			at := j.loop.cells[n.id]
			c.Cell = ir.Cell{Offset: at.offset, Bits: at.bits}
			if root := j.loop.at(at.root); root.kind == symbol {
				c.Cell.Global = root.sym
			} else {
				c.Cell.Pointer = ir.Value(root.id)
			}
		}
		out.Changes = append(out.Changes, c)
	}
	t.input.Jumps = append(t.input.Jumps, out)
	t.jumps = append(t.jumps, j)
}

// replay runs the program, and proves its jumps.
func (t *translation) replay(ctx context.Context, v verdict.False) (answer *verdict.False, why string, err error) {
	t.refused = -1
	a := verdict.False{Input: t.input, Replayed: v.Replayed}
	found, next := false, 0
	var failed error
	seen := map[verdict.Guard]bool{}
	observe := func(ev interp.Event) {
		if ev.Kind != interp.Jumping || failed != nil {
			return
		}
		checker, err := t.o.Accept(ctx, &verdict.Claim{
			Program: t.p.From, Evidence: &verdict.MadeJump{Jump: ev.Jump, State: ev.State}, Label: t.o.Label, Solver: cmp.Or(t.o.Solver, verdict.CaDiCaL),
		})
		if err != nil {
			failed = err
			t.refused = next
		}
		a.JumpChecker = checker
		next++
	}
	stop := func(ev interp.Event) bool {
		if failed != nil {
			return true
		}
		g, ok := verdict.Broken(ev, t.o.Label)
		switch {
		case !ok:
		case slices.Contains(t.o.Targets, g.Kind):
			found, a.Violation = true, g
		case !seen[g]:
			seen[g] = true
			a.Passes = append(a.Passes, g)
		}
		return found
	}
	out, err := interp.Run(ctx, t.p.From, interp.Options{Oracle: interp.Replay(t.input), Observe: observe, StopAt: stop, MaxSteps: maxReplaySteps})
	switch {
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case err != nil:
		return nil, err.Error(), nil
	case failed != nil:
		return nil, fmt.Sprintf("a jump of %d iterations was not proved: %v", t.input.Jumps[next-1].Rounds, failed), nil
	case !found:
		return nil, "the run of the program ends differently: " + out.String(), nil
	}
	return &a, "", nil
}
