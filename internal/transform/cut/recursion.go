package cut

import (
	"fmt"
	"slices"

	"assay/internal/logic/components"
	"assay/internal/program/ir"
)

// This file finds the recursive functions, and what their activations share.
//
// A component is a set of functions that call each other. A call of one of them
// from outside begins a nest: all activations until it returns. Calls within a
// nest are replaced by contracts (contract.go), which needs that an activation
// cannot be told from another but by its arguments and by objects that were there
// before the nest:
//
//	(R1) a pointer that is passed within the nest points into the same global, or
//	     into what the same pointer of the call from outside points into;
//	(R2) within the nest, calls of other functions included, nothing is allocated
//	     or freed, no pointer is made of an integer or an integer of a pointer,
//	     and no pointer is written to memory, or read from it but from locals.
//
// So no activation can get at the locals of another.

// Component is a set of mutually recursive functions.
type Component struct {
	Funcs []*ir.Func
	Has   map[string]bool
	// origin says what the pointer parameters of a function point into, for a
	// nest that begins with a call of another: by that function.
	origin map[string]map[param]origin
}

// origin is what a pointer parameter points into: a global, or what the
// parameter number n of the nest's first function points into.
type origin struct {
	global string
	n      int
}

// calls lists the functions that one can call, by pointers as well.
func calls(m *ir.Module) (edges map[string][]string, taken []string) {
	edges = map[string][]string{}
	for _, g := range m.Globals {
		for _, r := range g.Relocs {
			taken = append(taken, r.Target)
		}
	}
	for _, f := range m.Funcs {
		for v := 1; v < len(f.Values); v++ {
			if d := f.Def(ir.Value(v)); d.Op == ir.FuncAddr {
				taken = append(taken, d.Sym)
			}
		}
	}
	for _, f := range m.Funcs {
		for b := range f.Blocks {
			for _, v := range f.Blocks[b].Instrs {
				if d := f.Def(v); d.Op == ir.Call && d.Sym != "" {
					edges[f.Name] = append(edges[f.Name], d.Sym)
				} else if d.Op == ir.Call {
					edges[f.Name] = append(edges[f.Name], taken...)
				}
			}
		}
	}
	return edges, taken
}

// RecursiveComponents finds the recursive components that can be reached, callees first.
func RecursiveComponents(m *ir.Module) ([]*Component, error) {
	edges, taken := calls(m)
	byName := map[string]*ir.Func{}
	for _, f := range m.Funcs {
		byName[f.Name] = f
	}
	names, number := []string{m.Entry}, map[string]int{m.Entry: 0}
	for i := 0; i < len(names); i++ { // what can be reached, and what is called there
		for _, to := range edges[names[i]] {
			if _, ok := number[to]; !ok {
				number[to] = len(names)
				names = append(names, to)
			}
		}
	}
	g := components.Graph{N: len(names), Next: func(i int, visit func(int)) {
		for _, to := range edges[names[i]] {
			visit(number[to])
		}
	}}
	var out []*Component
	found := components.Of(g, 0)
	cyclic := found.Cyclic(g)
	for k, set := range found.Nodes {
		if !cyclic[k] {
			continue
		}
		c := &Component{Has: map[string]bool{}, origin: map[string]map[param]origin{}}
		for _, i := range slices.Backward(set) {
			c.Funcs, c.Has[names[i]] = append(c.Funcs, byName[names[i]]), true
		}
		out = append(out, c)
	}
	for _, c := range out {
		for _, f := range c.Funcs {
			if err := c.admits(m, f, edges, byName, taken); err != nil {
				return nil, err
			}
		}
		if err := c.origins(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Refuse is the error that the recursion of a function cannot be cut.
func Refuse(f *ir.Func, why string) error {
	return &ErrUncut{Func: f.Name, Pos: f.Pos, What: "the recursion of " + f.Name, Why: why}
}

// admits checks a function of the component, and what it calls, for (R2).
func (c *Component) admits(m *ir.Module, f *ir.Func, edges map[string][]string, byName map[string]*ir.Func, taken []string) error {
	switch {
	case f.Name == m.Entry || slices.Contains(taken, f.Name):
		return Refuse(f, "its address is taken")
	case f.Variadic:
		return Refuse(f, "it has variable arguments")
	}
	for _, t := range f.Results {
		if t.Kind == ir.Ptr {
			return Refuse(f, "it returns a pointer")
		}
	}
	seen := map[string]bool{}
	var check func(g *ir.Func) string
	check = func(g *ir.Func) string {
		seen[g.Name] = true
		for b := range g.Blocks {
			for _, v := range g.Blocks[b].Instrs {
				if why := tells(g, v); why != "" {
					return why
				}
			}
		}
		for _, to := range edges[g.Name] {
			if h := byName[to]; h != nil && !seen[to] {
				if why := check(h); why != "" {
					return why
				}
			}
		}
		return ""
	}
	if why := check(f); why != "" {
		return Refuse(f, why)
	}
	return nil
}

// tells says how an instruction could let activations know of each other, empty
// if it does not.
func tells(f *ir.Func, v ir.Value) string {
	d := f.Def(v)
	switch d.Op {
	case ir.Malloc, ir.Free:
		return "it allocates or frees memory"
	case ir.StackSave, ir.StackRestore, ir.VaStart:
		return "it has arrays of variable length"
	case ir.PtrToInt, ir.IntToPtr:
		return "it turns pointers into integers"
	case ir.Nondet:
		if d.Type.Kind == ir.Ptr {
			return "it uses an arbitrary pointer"
		}
	case ir.Store:
		if f.Type(d.Args[0]).Kind == ir.Ptr {
			return "it writes pointers to memory"
		}
	case ir.Load:
		if d.Type.Kind == ir.Ptr {
			return "it reads pointers from memory"
		}
	case ir.Call:
		if d.Sym == "" {
			return "it calls through a pointer"
		}
	}
	return ""
}

// origins finds what the pointer parameters point into (R1).
func (c *Component) origins() error {
	for _, first := range c.Funcs {
		of := map[param]origin{}
		for n, p := range first.Params {
			if first.Type(p).Kind == ir.Ptr {
				of[param{first.Name, p}] = origin{n: n}
			}
		}
		c.origin[first.Name] = of
		byName := map[string]*ir.Func{}
		for _, f := range c.Funcs {
			byName[f.Name] = f
		}
		for grown := true; grown; {
			grown = false
			for _, f := range c.Funcs {
				for v := 1; v < len(f.Values); v++ {
					d := f.Def(ir.Value(v))
					if d.Op != ir.Call || !c.Has[d.Sym] {
						continue
					}
					g := byName[d.Sym]
					for n, p := range g.Params {
						if g.Type(p).Kind != ir.Ptr {
							continue
						}
						from, known, ok := c.pointsInto(f, d.Args[n], of, map[ir.Value]bool{})
						if !ok {
							return Refuse(g, "a pointer that is passed to it may point to another object each time")
						}
						if !known {
							continue
						}
						k := param{g.Name, p}
						if old, have := of[k]; !have {
							of[k], grown = from, true
						} else if old != from {
							return Refuse(g, "a pointer that is passed to it may point to another object each time")
						}
					}
				}
			}
		}
	}
	return nil
}

// pointsInto is what an argument points into; not known if that of a parameter
// of f is not known so far.
func (c *Component) pointsInto(f *ir.Func, v ir.Value, of map[param]origin, seen map[ir.Value]bool) (o origin, known, ok bool) {
	if seen[v] {
		return o, false, true
	}
	seen[v] = true
	var args []ir.Value
	switch d := f.Def(v); d.Op {
	case ir.Param:
		o, known = of[param{f.Name, v}]
		return o, known, true
	case ir.GlobalAddr:
		return origin{global: d.Sym}, true, true
	case ir.PtrAdd, ir.Freeze:
		args = d.Args[:1]
	case ir.Select:
		args = d.Args[1:]
	case ir.Phi:
		args = d.Args
	default:
		return o, false, false
	}
	for _, a := range args {
		x, k, fine := c.pointsInto(f, a, of, seen)
		if !fine || k && known && x != o {
			return o, false, false
		}
		if k {
			o, known = x, true
		}
	}
	return o, known, true
}

// Complete finds what calls of the functions of a component may write; of other
// components that they call it has been done.
func (w *Writes) Complete(c *Component) {
	for _, f := range c.Funcs {
		w.Of[f.Name] = &Effects{Globals: map[string]bool{}, Params: map[int]bool{}}
	}
	size := func() (n int) {
		for _, f := range c.Funcs {
			e := w.Of[f.Name]
			n += len(e.Globals) + len(e.Params) + len(e.wild)
		}
		return n
	}
	for before := -1; before != size(); {
		before = size()
		for _, f := range c.Funcs {
			w.collect(f, w.Of[f.Name])
		}
	}
}

// levelName names the copy of a recursive function that runs n activations
// below an arbitrary one.
func levelName(f string, n int) string { return fmt.Sprint(f, levelMark, n) }
