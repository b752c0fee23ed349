package program

import (
	"fmt"
	"slices"

	"assay/internal/program/ir"
)

// This file copies what is reached from a location, up to the next locations, into the step
// function.

// code is the copy of what is reached from a location.
type code struct {
	*stepper
	at       location
	number   int // of the location
	env      []ir.Value
	blocks   map[ir.BlockID]ir.BlockID // by block of the flat function
	phis     []phi
	arrivals []arrival
	parallel map[ir.Value]ir.Value // phis of the location take their values together
}

// phi is a phi of the flat function with its copy.
type phi struct{ flat, copy ir.Value }

// arrival is an edge of the flat function to a location.
type arrival struct {
	from  ir.BlockID
	succ  int
	to    ir.BlockID
	block ir.BlockID // of the step function, where the step arrives
}

// code copies what is reached from location i.
func (s *stepper) code(i int) error {
	f, b := s.flat.Func, s.b
	c := &code{stepper: s, at: s.locations[i], number: i, env: make([]ir.Value, len(f.Values)), blocks: map[ir.BlockID]ir.BlockID{}, parallel: map[ir.Value]ir.Value{}}
	state := map[ir.Value]bool{}
	for _, v := range c.at.values {
		c.env[v] = s.variables[s.byValue[v]].restore
		state[v] = true
	}
	order, err := s.reached(i, state)
	if err != nil {
		return err
	}
	for k, o := range order {
		if k == 0 {
			c.blocks[o] = b.Block("code")
			b.Br(c.blocks[o])
		} else {
			c.blocks[o] = b.Block(f.Blocks[o].Name)
		}
	}
	for k, o := range order {
		b.At(c.blocks[o])
		if err := c.copyBlock(o, k == 0); err != nil {
			return err
		}
	}
	for _, p := range c.phis {
		d := f.Def(p.flat)
		for n, from := range f.Blocks[d.Block].Preds {
			if c.blocks[from] != 0 {
				b.AddIncoming(p.copy, c.operand(d.Args[n]), c.blocks[from])
			}
		}
	}
	for _, a := range c.arrivals {
		c.arrive(a)
	}
	return nil
}

// operand is the value of the step function for one of the flat function.
func (c *code) operand(v ir.Value) ir.Value {
	b := c.b
	switch d := c.flat.Func.Def(v); d.Op {
	case ir.Const:
		return b.ConstBV(d.Type, d.Const)
	case ir.Null:
		return b.Null()
	case ir.FuncAddr:
		return b.FuncAddr(d.Sym)
	case ir.GlobalAddr:
		var k int
		if n, _ := fmt.Sscanf(d.Sym, objectName+"%d", &k); n == 1 {
			return c.addr[k]
		}
		return b.GlobalAddr(d.Sym)
	default:
		if c.env[v] == 0 {
			panic(fmt.Sprintf("program: value %d (%v) of block %d is not known in the code of location %d", v, d.Op, d.Block, c.number))
		}
		return c.env[v]
	}
}

// copyBlock copies the instructions of a block; first says that it is that of the location.
func (c *code) copyBlock(o ir.BlockID, first bool) error {
	f, b := c.flat.Func, c.b
	for _, v := range f.Blocks[o].Instrs {
		d := *f.Def(v)
		b.SetPos(d.Pos)
		switch {
		case d.Op != ir.Phi:
			for v, x := range c.parallel {
				c.env[v] = x
			}
			clear(c.parallel)
			c.copyInstruction(o, v, d)
		case !first:
			c.env[v] = b.Phi(d.Type)
			c.copied(c.env[v], v)
			c.phis = append(c.phis, phi{v, c.env[v]})
		case c.at.pred != 0: // the arguments are the state
			argument, err := c.argument(o, v)
			if err != nil {
				return err
			}
			c.parallel[v] = c.operand(argument)
		}
	}
	return nil
}

// argument is the one of a phi for the previous block of the location.
func (c *code) argument(o ir.BlockID, v ir.Value) (argument ir.Value, err error) {
	f := c.flat.Func
	for n, p := range f.Blocks[o].Preds {
		if p != c.at.pred {
			continue
		}
		if argument != 0 && argument != f.Def(v).Args[n] {
			return 0, &ErrUnsupported{Func: c.flat.Blocks[o].Activation.Func.Name, Pos: f.Def(v).Pos, Why: "two edges between the same blocks carry different values"}
		}
		argument = f.Def(v).Args[n]
	}
	return argument, nil
}

// copyInstruction copies one; edges to locations lead to blocks where the step arrives.
func (c *code) copyInstruction(o ir.BlockID, v ir.Value, d ir.Def) {
	d.Args = slices.Clone(d.Args)
	for n, a := range d.Args {
		d.Args[n] = c.operand(a)
	}
	d.Succs = slices.Clone(d.Succs)
	for n, to := range d.Succs {
		if !c.isLocation(to) {
			d.Succs[n] = c.blocks[to]
			continue
		}
		a := arrival{o, n, to, c.b.Block("arrive")}
		c.arrivals = append(c.arrivals, a)
		d.Succs[n] = a.block
	}
	c.env[v] = c.b.Emit(d)
	c.copied(c.env[v], v)
}

// arrive returns the location and the values that it needs.
func (c *code) arrive(a arrival) {
	f, b := c.flat.Func, c.b
	b.At(a.block)
	b.SetPos(ir.Pos{})
	n := edgeNumber(f, a.from, a.to, a.succ)
	next := c.locationOf(a.to, a.from)
	values := make([]ir.Value, len(c.returned))
	for _, v := range c.locations[next].values {
		r := c.variables[c.byValue[v]].result
		d := f.Def(v)
		if c.locations[next].pred == 0 && d.Op == ir.Phi && d.Block == a.to {
			values[r] = c.operand(d.Args[n])
		} else {
			values[r] = c.operand(v)
		}
	}
	b.AddIncoming(c.returned[0], b.Const(c.pcBits(), uint64(next)), a.block)
	for r := 1; r < len(values); r++ {
		p := c.returned[r]
		if values[r] == 0 {
			values[r] = c.zero(b.Func.Type(p))
		}
		b.AddIncoming(p, values[r], a.block)
	}
	b.Br(c.ret)
}

// edgeNumber is the index among the predecessors of block to of the edge that is
// successor number succ of block from.
func edgeNumber(f *ir.Func, from, to ir.BlockID, succ int) int {
	skip := 0
	for _, s := range f.Succs(from)[:succ] {
		if s == to {
			skip++
		}
	}
	for i, p := range f.Blocks[to].Preds {
		if p == from {
			if skip == 0 {
				return i
			}
			skip--
		}
	}
	panic("program: predecessors do not match successors")
}

// reached are the blocks of the code of a location, in a topological order.
func (s *stepper) reached(i int, state map[ir.Value]bool) ([]ir.BlockID, error) {
	f := s.flat.Func
	type visit struct {
		b    ir.BlockID
		next int
	}
	start := s.locations[i].block
	seen := map[ir.BlockID]bool{start: true}
	var order []ir.BlockID
	stack := []visit{{b: start}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if succs := f.Succs(top.b); top.next < len(succs) {
			to := succs[top.next]
			top.next++
			if !seen[to] && !s.isLocation(to) {
				seen[to] = true
				stack = append(stack, visit{b: to})
			}
			continue
		}
		order = append(order, top.b)
		stack = stack[:len(stack)-1]
	}
	slices.Reverse(order)
	if s.small {
		return order, nil
	}
	for k, o := range order {
		for _, v := range f.Blocks[o].Instrs {
			if state[v] && (k > 0 || f.Def(v).Op != ir.Phi) {
				at := s.flat.Values[v]
				return nil, &ErrUnsupported{Func: at.Activation.Func.Name, Pos: f.Def(v).Pos, Why: "a loop has several entries"}
			}
		}
	}
	return order, nil
}
