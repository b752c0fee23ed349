package show

import (
	"slices"

	"assay/internal/program/ir"
)

// This file says which C variable has a value at the head of a loop. A name that a value once had
// (Func.VariableNames) is good enough for people; an expression that somebody else evaluates there needs the
// variable that has the value now. The debug records say it, as definitions that reach the head:
//
//	(1) A record of a promoted variable is its assignment, and there is one at every merge where it lives.
//	(2) Where different records of a variable meet without one at the merge, it has no known value.
//	(3) A variable that stays in memory has records at its direct stores only: it names its object, and no value.

// unknownValue is that of a variable of which nothing is known.
const unknownValue ir.Value = -1

// current is what variables of a function have at the heads of blocks.
type current struct {
	f *ir.Func
	// values are those of the variables behind the phis of a block, and the records of these.
	values map[ir.BlockID][]ir.Value
	// memory are the objects of variables that stay in memory, by their allocas.
	memory map[ir.Value]int
}

// currentValues looks at a function.
func currentValues(f *ir.Func) *current {
	c := &current{f: f, values: map[ir.BlockID][]ir.Value{}, memory: map[ir.Value]int{}}
	inMemory := make([]bool, len(f.Vars))
	for b := range f.Blocks {
		instrs := f.Blocks[b].Instrs
		for i, v := range instrs {
			d := f.Def(v)
			if d.Op != ir.Dbg || len(d.Args) == 0 || i == 0 {
				continue
			}
			if s := f.Def(instrs[i-1]); s.Op == ir.Store && s.Args[0] == d.Args[0] && f.Def(s.Args[1]).Op == ir.Alloca {
				inMemory[d.Aux] = true
				if k, ok := c.memory[s.Args[1]]; ok && k != int(d.Aux) {
					c.memory[s.Args[1]] = -1
				} else {
					c.memory[s.Args[1]] = int(d.Aux)
				}
			}
		}
	}
	after := map[ir.BlockID][]ir.Value{}
	pending := []ir.BlockID{1}
	top := make([]ir.Value, len(f.Vars)) // at the entry nothing is known; 0 is "not reached yet"
	for i := range top {
		top[i] = unknownValue
	}
	for len(pending) > 0 {
		b := pending[0]
		pending = pending[1:]
		state := make([]ir.Value, len(f.Vars))
		if b == 1 {
			copy(state, top)
		}
		for _, p := range f.Blocks[b].Preds {
			if before, ok := after[p]; ok {
				for i, v := range before {
					switch {
					case state[i] == 0:
						state[i] = v
					case state[i] != v:
						state[i] = unknownValue
					}
				}
			}
		}
		head := true
		for _, v := range f.Blocks[b].Instrs {
			d := f.Def(v)
			record := d.Op == ir.Dbg
			if head && d.Op != ir.Phi && !(record && len(d.Args) > 0 && f.Def(d.Args[0]).Op == ir.Phi && f.Def(d.Args[0]).Block == b) {
				head = false
				c.values[b] = slices.Clone(state)
			}
			if record {
				state[d.Aux] = unknownValue
				if len(d.Args) > 0 && !inMemory[d.Aux] {
					state[d.Aux] = d.Args[0]
				}
			}
		}
		if old, ok := after[b]; ok && slices.Equal(old, state) {
			continue
		}
		after[b] = state
		for _, s := range f.Succs(b) {
			if !slices.Contains(pending, s) {
				pending = append(pending, s)
			}
		}
	}
	return c
}

// variables are those that have a value at the head of a block.
func (c *current) variables(b ir.BlockID, v ir.Value) []*ir.Var {
	var out []*ir.Var
	for i, has := range c.values[b] {
		if has == v {
			out = append(out, &c.f.Vars[i])
		}
	}
	return out
}
