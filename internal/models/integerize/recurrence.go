package integerize

// Infinite runs of the system in terms of the program: the inputs of a run that
// follows the stem and goes around the loop some times, the inputs that are the same
// each time, and the recurrent sets as predicates of loop heads. They are candidates:
// their users check them on the bit-vectors.

import (
	"math/big"

	"assay/internal/evidence/invariant"
	"assay/internal/integers/its"
	"assay/internal/logic/bv"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// InfiniteRun is what a recurrence of the system says of the program.
type InfiniteRun struct {
	// Input leads the interpreter along the stem and Rounds times around the loop.
	Input ir.Input
	// Heads are the loop heads of the recurrent sets with what holds in them.
	Heads []invariant.Head
}

// InfiniteRun translates a recurrence; rounds is how often the loop is followed.
func (p *Program) InfiniteRun(r its.Recurrence, rounds int) (run InfiniteRun, err error) {
	state := r.Stem.State
	step := func(i int, inputs []*big.Int) error {
		tr := &p.System.Transitions[i]
		values, err := p.valuesOf(tr, state, inputs)
		if err != nil {
			return err
		}
		run.Input.Choices = append(run.Input.Choices, p.chosen(i, values)...)
		state, err = p.System.Step(tr, state, inputs)
		return err
	}
	for _, m := range r.Stem.Steps {
		if err := step(m.Transition, m.Inputs); err != nil {
			return run, err
		}
	}
	at, parameters := r.Entry, r.Parameters
	for range rounds {
		m := r.Sets[at].Moves[0]
		value := func(v linear.Var) linear.Number { return linear.FromBigInt(parameters[v]) }
		eval := func(fs []linear.Form) (out []*big.Int) {
			for _, f := range fs {
				out = append(out, f.Eval(value).Floor().BigInt())
			}
			return out
		}
		for k, i := range m.Path {
			if err := step(i, eval(m.Inputs[k])); err != nil {
				return run, err
			}
		}
		at = m.Target
		if m.Next != nil {
			parameters = eval(m.Next)
			continue
		}
		next := make([]*big.Int, r.Sets[at].Parameters)
		for v, f := range r.Sets[at].State {
			if q, ok := f.IsVariable(); ok && r.Sets[at].Known[v] && int(q) < len(next) {
				next[q] = state[v]
			}
		}
		for q := range next {
			if next[q] == nil {
				next[q] = new(big.Int)
			}
		}
		parameters = next
	}
	for i := range r.Sets {
		if h, ok := p.setHead(&r.Sets[i]); ok {
			run.Heads = append(run.Heads, h)
		}
	}
	return run, nil
}

// valuesOf are the values of variables and temporaries in a step.
func (p *Program) valuesOf(tr *its.Transition, state, inputs []*big.Int) ([]*big.Int, error) {
	values := append(append([]*big.Int(nil), state...), inputs...)
	for i := range values {
		if values[i] == nil {
			values[i] = new(big.Int)
		}
	}
	value := func(v linear.Var) linear.Number { return linear.FromBigInt(values[v]) }
	for _, pr := range tr.Products {
		values[pr.Temp] = new(big.Int).Mul(pr.A.Eval(value).Floor().BigInt(), pr.B.Eval(value).Floor().BigInt())
	}
	return values, nil
}

// chosen are the choices of the program on a step.
func (p *Program) chosen(transition int, values []*big.Int) (out []ir.Choice) {
	number := func(f linear.Form, bits uint32) bv.BV {
		n := f.Eval(func(v linear.Var) linear.Number { return linear.FromBigInt(values[v]) })
		return bv.FromBig(bits, n.Floor().BigInt())
	}
	for _, c := range p.choices[transition] {
		f := c.frame.fn.f
		d := f.Def(c.value)
		choice := ir.Choice{Func: f.Name, Value: c.value}
		switch {
		case d.Op == ir.Nondet && c.known:
			choice.Bits = number(c.form, d.Type.Bits)
		case d.Op == ir.Nondet:
			choice.Bits = bv.New(d.Type.Bits, 0)
		default:
			for _, q := range c.parts {
				for uint64(len(choice.Bytes)) < q.offset+q.size {
					choice.Bytes = append(choice.Bytes, 0)
				}
				x := number(q.form, uint32(8*q.size)).Uint64()
				for i := range q.size {
					choice.Bytes[q.offset+i] = byte(x >> (8 * i))
				}
			}
		}
		out = append(out, choice)
	}
	return out
}

// setHead is a recurrent set as predicates, if it is at a loop head and its
// parameters are variables.
func (p *Program) setHead(set *its.RecurrentSet) (invariant.Head, bool) {
	place := &p.Places[set.Location]
	if !place.Head {
		return invariant.Head{}, false
	}
	h := invariant.Head{Func: place.Func.Name, Head: place.Block, Pos: place.Pos()}
	variable := map[linear.Var]linear.Var{}
	for v, f := range set.State {
		if q, ok := f.IsVariable(); ok && set.Known[v] {
			if _, twice := variable[q]; !twice {
				variable[q] = linear.Var(v)
			}
		}
	}
	add := func(c linear.Constraint) {
		for _, q := range p.predicates(set.Location, c) {
			h.Predicates = append(h.Predicates, q)
		}
	}
	over := func(f linear.Form) (linear.Form, bool) {
		for _, m := range f.Terms {
			if _, ok := variable[m.Var]; !ok {
				return f, false
			}
		}
		return f.Rename(func(q linear.Var) linear.Var { return variable[q] }), true
	}
	for _, c := range set.Constraints {
		if f, ok := over(c.Form); ok {
			add(linear.Constraint{Form: f, Equality: c.Equality})
		}
	}
	for v, f := range set.State {
		if g, ok := over(f); ok && set.Known[v] && f.IsIntegral() {
			if c := linear.Equals(linear.Variable(linear.Var(v)), g).Tighten(); !c.IsTrue() {
				add(c)
			}
		}
	}
	return h, true
}
