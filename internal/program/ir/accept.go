package ir

// This file is about fair termination. An automaton that runs beside a program marks
// its accepting states: there the product of both executes Accept. A run of the product is
// fair if it executes Accept infinitely often, and a program fair-terminates if no run is
// fair. Ordinary termination is the case in which every iteration of every loop accepts.

// Accepting marks the functions that may execute Accept, themselves or in functions that
// they call. A call through a pointer may go to any function.
func Accepting(m *Module) map[*Func]bool {
	out := map[*Func]bool{}
	for _, f := range m.Funcs {
		for b := 1; b < len(f.Blocks); b++ {
			for _, v := range f.Blocks[b].Instrs {
				out[f] = out[f] || f.Def(v).Op == Accept
			}
		}
		if !out[f] {
			delete(out, f)
		}
	}
	if len(out) == 0 {
		return out
	}
	byName := map[string]*Func{}
	for _, f := range m.Funcs {
		byName[f.Name] = f
	}
	for grew := true; grew; {
		grew = false
		for _, f := range m.Funcs {
			for b := 1; b < len(f.Blocks) && !out[f]; b++ {
				for _, v := range f.Blocks[b].Instrs {
					if f.MayAccept(v, func(name string) bool { return out[byName[name]] }) {
						out[f], grew = true, true
						break
					}
				}
			}
		}
	}
	return out
}

// MayAccept says whether an instruction may execute Accept; callee says it of a function.
func (f *Func) MayAccept(v Value, callee func(name string) bool) bool {
	d := f.Def(v)
	return d.Op == Accept || d.Op == Call && (d.Sym == "" || callee(d.Sym))
}
