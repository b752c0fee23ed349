package ir

// Idle says of each value of each function whether no run depends on it: it goes, itself or through what is
// computed from it, nowhere but into operations that are defined for all operands and only compute, into
// checks, and into debug records; parameters that are idle and results that nobody uses are on the
// way. A run in which it is another goes the same way, with the same memory. Values that are no
// integers, and constants, are never idle. The indexes are those of Module.Funcs and Func.Values.
func Idle(m *Module) [][]bool {
	a := &idleness{m: m, index: map[string]int{}, needed: make([][]bool, len(m.Funcs)), result: make([]bool, len(m.Funcs))}
	for i, f := range m.Funcs {
		a.index[f.Name] = i
		a.needed[i] = make([]bool, len(f.Values))
	}
	a.roots()
	for len(a.work) > 0 {
		x := a.work[len(a.work)-1]
		a.work = a.work[:len(a.work)-1]
		a.follow(x)
	}
	idle := make([][]bool, len(m.Funcs))
	for i, f := range m.Funcs {
		idle[i] = make([]bool, len(f.Values))
		for v := 1; v < len(f.Values); v++ {
			d := &f.Values[v]
			idle[i][v] = !a.needed[i][v] && d.HasResult() && d.Type.Kind == Int && !IsConst(d.Op)
		}
	}
	return idle
}

// idleness is the analysis: what is needed is followed back to what it is made of.
type idleness struct {
	m      *Module
	index  map[string]int
	needed [][]bool
	result []bool               // a result of the function is needed
	calls  map[int][]ofFunction // by callee
	work   []ofFunction
}

type ofFunction struct {
	f int
	v Value
}

func (a *idleness) need(f int, v Value) {
	if !a.needed[f][v] {
		a.needed[f][v] = true
		a.work = append(a.work, ofFunction{f, v})
	}
}

// needResult says that somebody uses what a function returns.
func (a *idleness) needResult(f int) {
	if a.result[f] {
		return
	}
	a.result[f] = true
	for b := 1; b < len(a.m.Funcs[f].Blocks); b++ {
		for _, v := range a.m.Funcs[f].Blocks[b].Instrs {
			if d := a.m.Funcs[f].Def(v); d.Op == Ret {
				for _, x := range d.Args {
					a.need(f, x)
				}
			}
		}
	}
}

// callee is the function that a call enters, if it is known and has a body.
func (a *idleness) callee(d *Def) (int, bool) {
	if d.Sym == "" {
		return 0, false
	}
	i, ok := a.index[d.Sym]
	return i, ok && len(a.m.Funcs[i].Blocks) > 0
}

// roots are the operands of all that acts.
func (a *idleness) roots() {
	pointed := func(name string) {
		if i, ok := a.index[name]; ok {
			a.needResult(i) // who calls through a pointer may use it
		}
	}
	pointed(a.m.Entry)
	for _, g := range a.m.Globals {
		for _, r := range g.Relocs {
			pointed(r.Target)
		}
	}
	for i, f := range a.m.Funcs {
		for v := 1; v < len(f.Values); v++ {
			if d := &f.Values[v]; IsConst(d.Op) && d.Sym != "" {
				pointed(d.Sym)
			}
		}
		for b := 1; b < len(f.Blocks); b++ {
			for _, v := range f.Blocks[b].Instrs {
				d := f.Def(v)
				switch {
				case d.Op == Dbg || d.Op == Check || d.Op == Ret || d.Op == Extract || d.Op.total():
				case d.Op == Call:
					callee, known := a.callee(d)
					for k, x := range d.Args {
						if !known || k >= len(a.m.Funcs[callee].Params) {
							a.need(i, x)
						}
					}
				default:
					for _, x := range d.Args {
						a.need(i, x)
					}
				}
			}
		}
	}
	// Arguments of calls follow from parameters.
	calls := map[int][]ofFunction{}
	for i, f := range a.m.Funcs {
		for b := 1; b < len(f.Blocks); b++ {
			for _, v := range f.Blocks[b].Instrs {
				if d := f.Def(v); d.Op == Call {
					if callee, known := a.callee(d); known {
						calls[callee] = append(calls[callee], ofFunction{i, v})
					}
				}
			}
		}
	}
	a.calls = calls
}

// follow needs what a needed value is made of.
func (a *idleness) follow(x ofFunction) {
	f := a.m.Funcs[x.f]
	d := f.Def(x.v)
	switch {
	case d.Op == Param:
		for k, p := range f.Params {
			if p != x.v {
				continue
			}
			for _, c := range a.calls[x.f] {
				if args := a.m.Funcs[c.f].Def(c.v).Args; k < len(args) {
					a.need(c.f, args[k])
				}
			}
		}
	case d.Op == Call:
		if callee, known := a.callee(d); known {
			a.needResult(callee)
		}
	case d.Op == Extract || d.Op.total():
		for _, y := range d.Args {
			a.need(x.f, y)
		}
	}
}
