package interp

import (
	"context"
	"strings"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// counting counts to 4000000000 in a register and in two places of memory.
const counting = `module 64 entry @main
global @g size 8 align 4

func @main() {
entry:
  %p = alloca ptr i64 4 align 4
  store i32 7, %p
  %g4 = ptradd ptr @g, i64 4
  br head
head:
  %i = phi i32 [i32 0, entry], [%j, body]
  %c = ult i1 %i, i32 4000000000
  condbr %c, body, end
body:
  %j = add i32 %i, i32 1
  %x = load i32 %g4
  %y = add i32 %x, i32 2
  store %y, %g4
  %u = load i32 %p
  %v = sub i32 %u, i32 1
  store %v, %p
  br head
end:
  %a = load i32 %g4
  %ok = eq i1 %a, i32 3705032704
  check assertion %ok "g"
  %b = load i32 %p
  %ok2 = eq i1 %b, i32 294967303
  check assertion %ok2 "p"
  halt exit
}
`

// jumpOf is the jump of n iterations at a visit of the head of counting.
func jumpOf(m *ir.Module, visit int64, n uint64) ir.Jump {
	f := m.Func("main")
	done := uint64(visit - 1)
	word := func(x uint64) bv.BV { return bv.New(32, x) }
	j := ir.Jump{Func: "main", Visit: visit, Rounds: n}
	var pointer ir.Value
	for b := range f.Blocks {
		for _, v := range f.Blocks[b].Instrs {
			switch f.Def(v).Op {
			case ir.Phi:
				j.Head = ir.BlockID(b)
				j.Changes = append(j.Changes, ir.Change{Value: v, Start: word(done), Step: word(1), End: word(done + n)})
			case ir.Alloca:
				pointer = v
			}
		}
	}
	j.Changes = append(j.Changes,
		ir.Change{Cell: ir.Cell{Global: "g", Offset: 4, Bits: 32}, Start: word(2 * done), Step: word(2), End: word(2*done + 2*n)},
		ir.Change{Cell: ir.Cell{Pointer: pointer, Bits: 32}, Start: word(7 - done), Step: word(^uint64(0)), End: word(7 - done - n)})
	return j
}

// TestJump: the run goes on from where it jumps to, with events or without, and what
// does not fit the run ends it.
func TestJump(t *testing.T) {
	m, err := ir.Parse(counting)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	run := func(jumps []ir.Jump, observe func(Event)) Outcome {
		in := ir.Input{Jumps: jumps, Choices: []ir.Choice{{Func: "main", Value: m.Func("main").Blocks[1].Instrs[0]}}}
		out, err := Run(context.Background(), m, Options{Oracle: Replay(in), MaxSteps: 100000, Observe: observe})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if out := run(nil, nil); out.End != StepLimit {
		t.Errorf("without jump: %s", out)
	}
	whole := []ir.Jump{jumpOf(m, 1, 4000000000)}
	twice := []ir.Jump{jumpOf(m, 5, 3000000000), jumpOf(m, 8, 999999000)}
	// At visit 8, 3000000000+7 iterations have been made.
	for i := range twice[1].Changes {
		c := &twice[1].Changes[i]
		more := c.Step.Mul(bv.New(32, 3000000000))
		c.Start, c.End = c.Start.Add(more), c.End.Add(more)
	}
	for _, jumps := range [][]ir.Jump{whole, twice} {
		if out := run(jumps, nil); out.End != Halted {
			t.Errorf("%s", out)
		}
		var seen []string
		var starts []uint64
		out := run(jumps, func(e Event) {
			if e.Kind == Jumping {
				starts = append(starts, e.State.Value(e.Jump.Changes[0].Value).Uint64())
			}
			if e.Kind == Violation {
				seen = append(seen, e.Text)
			}
		})
		if out.End != Halted || len(seen) > 0 || len(starts) != len(jumps) || starts[0] != jumps[0].Changes[0].Start.Uint64() {
			t.Errorf("%s with violations %v, jumps from %v", out, seen, starts)
		}
	}
	for _, c := range []struct {
		why  string
		edit func(*ir.Jump)
	}{
		{"starts at", func(j *ir.Jump) { j.Changes[0].Start = bv.New(32, 9) }},
		{"starts at", func(j *ir.Jump) { j.Changes[1].Start = bv.New(32, 9) }},
		{"starts at", func(j *ir.Jump) { j.Changes[0].End = bv.New(8, 9) }},
		{"no phi", func(j *ir.Jump) { j.Changes[0].Value = j.Changes[2].Cell.Pointer }},
		{"cannot be written", func(j *ir.Jump) { j.Changes[1].Cell.Offset = 5 }},
		{"cannot be written", func(j *ir.Jump) { j.Changes[1].Cell.Global = "h" }},
		{"cannot be written", func(j *ir.Jump) { j.Changes[1].Cell.Bits = 31 }},
	} {
		j := jumpOf(m, 1, 4000000000)
		c.edit(&j)
		if out := run([]ir.Jump{j}, nil); out.End != Desynced || !strings.Contains(out.Err.Error(), c.why) {
			t.Errorf("want %q: %s %v", c.why, out, out.Err)
		}
	}
}
