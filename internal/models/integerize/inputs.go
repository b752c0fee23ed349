package integerize

// The inputs of a program as variables of its system: what is chosen on paths that are executed at
// most once, so that bounds can speak of it.

import (
	"fmt"
	"slices"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// WithInputs is the system in which the choices on transitions that are on no cycle are
// initial values of variables, named as in the program. Over machine integers a name says which
// way of reading the bits is meant, if it is not that of its type.
func (p *Program) WithInputs() *its.System {
	component, _ := p.System.Components()
	var names []string
	type key struct {
		transition int // -1 for those from the start, of which a run takes one
		frame      *frame
		value      ir.Value
	}
	number := map[key]int{}
	inputs := make([]map[linear.Var]int, len(p.System.Transitions))
	for i, t := range p.System.Transitions {
		if component[t.From] == component[t.To] {
			continue
		}
		inputs[i] = map[linear.Var]int{}
		for _, c := range p.choices[i] {
			v, single := c.form.IsVariable()
			if !c.known || !single || int(v) < len(p.System.Variables) {
				continue
			}
			if _, twice := inputs[i][v]; twice {
				continue
			}
			k := key{i, c.frame, c.value}
			if t.From == p.System.Initial {
				k.transition = -1
			}
			j, ok := number[k]
			if !ok {
				j = len(names)
				number[k] = j
				names = append(names, p.inputName(c, names))
			}
			if !slices.Contains(values(inputs[i]), j) {
				inputs[i][v] = j
			}
		}
	}
	return p.System.WithInputs(names, func(i int, v linear.Var) (int, bool) {
		j, ok := inputs[i][v]
		return j, ok
	})
}

func values(m map[linear.Var]int) (out []int) {
	for _, j := range m {
		out = append(out, j)
	}
	return out
}

// inputName is the name of the parameter or variable that gets the choice, else the place.
func (p *Program) inputName(c choice, taken []string) string {
	f := c.frame.fn.f
	d := f.Def(c.value)
	name := d.Sym
	variable := p.receiver(f, c.value)
	if variable != nil {
		name = variable.Name
		if c.frame.parent != nil && d.Pos.Line != 0 {
			name = fmt.Sprintf("%s@%d", name, d.Pos.Line)
		}
		if unsigned := c.frame.fn.unsigned[c.value]; !p.integers && unsigned == variable.Type.Signed && !variable.Type.Bool {
			name = ir.CastInC(d.Type.Bits, !unsigned) + name
		}
	} else if d.Pos.Line != 0 {
		name = fmt.Sprintf("%s@%d", name, d.Pos.Line)
	}
	for k, plain := 2, name; slices.Contains(taken, name); k++ {
		name = fmt.Sprintf("%s#%d", plain, k)
	}
	return name
}

// receiver is the variable of C that a value is first given to, nil if there is none: in its own
// function, or the parameter for which it is an argument.
func (p *Program) receiver(f *ir.Func, v ir.Value) *ir.Var {
	for _, b := range f.Blocks {
		for _, x := range b.Instrs {
			d := f.Def(x)
			switch d.Op {
			case ir.Dbg:
				if len(d.Args) == 1 && d.Args[0] == v {
					return &f.Vars[d.Aux]
				}
			case ir.Call:
				g := p.Module.Func(d.Sym)
				if i := slices.Index(d.Args, v); i >= 0 && g != nil && !g.IsDecl() && i < len(g.Params) {
					if r := p.receiver(g, g.Params[i]); r != nil {
						return r
					}
				}
			}
		}
	}
	return nil
}
