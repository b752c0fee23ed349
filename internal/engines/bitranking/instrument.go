package bitranking

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/internal/engines/inference"
	"assay/internal/evidence/invariant"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
	"assay/internal/program/ir"
	"assay/internal/transform/cut"
)

// This file gives a program the variables that the argument is about. At each
// loop head, the values that functions may use are read (integers are there, cells
// are loaded, pointers give their offsets); phis hold what was read at the head before,
// and whether there was a head before. For fair termination a global says whether there was
// an Accept since. Each back edge gets a block of its own with a
// check that may fail at will: a failed check in a model is a back edge that is taken.

// maxPlaces bounds the values of one loop that functions may use.
const maxPlaces = 14

// place is a value at a loop head: the Coeff and Signed of its term have no
// meaning.
type place = invariant.Term

// ranked is what is known of a loop.
type ranked struct {
	places []place
	// fixed is the number of places, the last ones, that iterations do not change.
	fixed int
	// now are the values of the places at the head, before those of the head
	// before; again says that there was one. All in the function with variables.
	now, before []ir.Value
	again       ir.Value
	// back are the blocks of the back edges.
	back []ir.BlockID
	// seen are pairs from runs.
	seen      []pair
	hinted    [][]function // suggested
	functions []function
	done      bool
	// needless says that the loop never accepts, and needs no functions.
	needless bool
	// accepted says that an Accept was executed since the head before; 0 if that does not matter.
	accepted ir.Value
}

// program is the program with variables.
type program struct {
	stage    stage
	m        *ir.Module
	loops    []*cut.Loop // of m
	original []*cut.Loop // the same of the program as it was
	ranked   []ranked
	// observed are the values that each check observes: again, accepted if there is one,
	// before, now.
	observed map[string]map[ir.Value][]ir.Value
	// at finds the loop of a block of a back edge.
	at map[*ir.Func]map[ir.BlockID]int
	// fair asks for fair termination.
	fair bool
}

// markName is the text of the checks.
const markName = "assay.back."

// acceptedName begins the names of the globals that say whether there was an Accept.
const acceptedName = "assay.accepted."

// instrument makes the program with variables.
func instrument(m *ir.Module, loops []*cut.Loop, hints []Hint, fair bool) (*program, error) {
	c := *m
	c.Funcs = slices.Clone(m.Funcs)
	p := &program{m: &c, original: loops, ranked: make([]ranked, len(loops)), observed: map[string]map[ir.Value][]ir.Value{}, at: map[*ir.Func]map[ir.BlockID]int{}, fair: fair}
	copies := map[*ir.Func]*ir.Func{}
	var accepting map[*ir.Func]bool
	if fair {
		accepting = ir.Accepting(m)
	}
	for i, f := range m.Funcs {
		if accepting[f] || slices.ContainsFunc(loops, func(l *cut.Loop) bool { return l.Func == f }) {
			copies[f] = f.Clone()
			c.Funcs[i] = copies[f]
			p.observed[f.Name], p.at[copies[f]] = map[ir.Value][]ir.Value{}, map[ir.BlockID]int{}
		}
	}
	for i, l := range loops {
		r := &p.ranked[i]
		if r.needless = fair && !accepts(m, l, accepting); r.needless {
			r.done = true
			continue
		}
		r.places, r.fixed = places(m, l)
		if h, ok := of(hints, l); ok {
			r.mention(h, l)
			r.hinted = converted(r.places, h)
		}
		p.variables(copies[l.Func], i)
	}
	if fair {
		p.remember(copies)
	}
	for _, f := range copies {
		f.OrderPreds()
	}
	if err := ir.Verify(&c); err != nil {
		panic("bitranking: the program with variables is malformed: " + err.Error())
	}
	found, err := cut.Loops(&c)
	if err != nil {
		return nil, err
	}
	for _, l := range loops {
		k := slices.IndexFunc(found, func(x *cut.Loop) bool { return x.Func == copies[l.Func] && x.Head == l.Head })
		p.loops = append(p.loops, found[k])
	}
	return p, nil
}

// accepts says whether an iteration of a loop may execute Accept.
func accepts(m *ir.Module, l *cut.Loop, accepting map[*ir.Func]bool) bool {
	for b := 1; b < len(l.Func.Blocks); b++ {
		if l.In(ir.BlockID(b)) && slices.ContainsFunc(l.Func.Blocks[b].Instrs, func(v ir.Value) bool {
			return l.Func.MayAccept(v, func(name string) bool { return accepting[m.Func(name)] })
		}) {
			return true
		}
	}
	return false
}

// remember lets each Accept set the globals of all loops.
func (p *program) remember(copies map[*ir.Func]*ir.Func) {
	for _, f := range copies {
		e := p.edit(f)
		for b := range f.Blocks {
			for _, v := range slices.Clone(f.Blocks[b].Instrs) {
				if f.Def(v).Op != ir.Accept {
					continue
				}
				e.After(v, func() {
					one := e.Number(8, 1)
					for i := range p.ranked {
						if !p.ranked[i].needless {
							e.Emit(ir.Def{Op: ir.Store, Args: []ir.Value{one, e.Global(p.flag(i))}, Aux: 1})
						}
					}
				})
			}
		}
	}
}

// flag is the name of the global of loop i.
func (p *program) flag(i int) string {
	name := acceptedName + strconv.Itoa(i)
	if p.m.Global(name) == nil {
		p.m.Globals = append(slices.Clip(p.m.Globals), &ir.Global{Name: name, Size: 1, Align: 1})
	}
	return name
}

func (p *program) edit(f *ir.Func) *ir.Editor { return &ir.Editor{Module: p.m, Func: f} }

// variables adds the variables of one loop.
func (p *program) variables(f *ir.Func, i int) {
	l := p.original[i]
	e := p.edit(f)
	e.Before(e.AfterPhis(l.Head), func() {
		e.Pos = l.Pos()
		p.reads(e, i)
	})
	// In front of what is read now, behind the phis.
	e.Before(e.AfterPhis(l.Head), func() {
		e.Pos = l.Pos()
		p.phis(e, i)
	})
	for k, u := range f.Blocks[l.Head].Preds {
		if l.In(u) {
			p.back(e, i, k)
		}
	}
}

// reads appends the values that the places of loop i have now.
func (p *program) reads(e *ir.Editor, i int) {
	r := &p.ranked[i]
	for _, x := range r.places {
		v := x.Value
		if x.Cell {
			if x.Offset != 0 {
				v = e.Op(ir.PtrAdd, p.m.PtrType(), v, e.Number(p.m.PointerBits, x.Offset))
			}
			v = e.Emit(ir.Def{Op: ir.Load, Type: ir.IntType(x.Bits), Args: []ir.Value{v}, Aux: 1})
		} else if e.Func.Def(v).Type.Kind == ir.Ptr {
			v = e.Op(ir.ObjectOffset, p.m.WordType(), v)
		}
		r.now = append(r.now, v)
	}
	if p.fair {
		flag := e.Global(p.flag(i))
		set := e.Emit(ir.Def{Op: ir.Load, Type: ir.IntType(8), Args: []ir.Value{flag}, Aux: 1})
		r.accepted = e.Op(ir.Ne, ir.BoolType, set, e.Number(8, 0))
		e.Emit(ir.Def{Op: ir.Store, Args: []ir.Value{e.Number(8, 0), flag}, Aux: 1})
	}
}

// phis appends the values that the places had one iteration before, and whether there was one.
func (p *program) phis(e *ir.Editor, i int) {
	l, r := p.original[i], &p.ranked[i]
	phi := func(bits uint32, back ir.Value) ir.Value {
		start := e.Number(bits, 0)
		var args []ir.Value
		for _, u := range e.Func.Blocks[l.Head].Preds {
			if l.In(u) {
				args = append(args, back)
			} else {
				args = append(args, start)
			}
		}
		return e.Op(ir.Phi, ir.IntType(bits), args...)
	}
	for k, x := range r.places {
		if k >= len(r.places)-r.fixed {
			r.before = append(r.before, r.now[k])
			continue
		}
		r.before = append(r.before, phi(x.Bits, r.now[k]))
	}
	r.again = phi(1, e.Number(1, 1))
}

// back leads an edge of loop i, that of predecessor k of the head, through a block of its own, where
// everything is observed. Earlier edges from the same block do not lead to the head any more.
func (p *program) back(e *ir.Editor, i, k int) {
	f, l, r := e.Func, p.original[i], &p.ranked[i]
	u := f.Blocks[l.Head].Preds[k]
	b := e.NewBlock("back")
	f.Blocks[b].Preds = []ir.BlockID{u}
	succs := f.Succs(u)
	succs[slices.Index(succs, l.Head)] = b
	f.Blocks[l.Head].Preds[k] = b
	r.back = append(r.back, b)
	p.at[f][b] = i
	e.At, e.Pos = b, l.Pos()
	first := []ir.Value{r.again}
	if p.fair {
		first = append(first, r.accepted)
	}
	var observed []ir.Value
	for _, v := range slices.Concat(first, r.before, r.now) {
		observed = append(observed, e.Op(ir.Freeze, f.Def(v).Type, v))
	}
	free := e.Emit(ir.Def{Op: ir.Nondet, Type: ir.BoolType, Aux: int64(ir.NondetInput), Sym: "assay.back"})
	check := e.Emit(ir.Def{Op: ir.Check, Args: []ir.Value{free}, Aux: int64(ir.Decrease), Sym: markName + strconv.Itoa(i)})
	e.Jump(l.Head)
	p.observed[f.Name][check] = observed
}

// mark is a back edge in the formula.
type mark struct {
	// cond says that it is taken, after an iteration that is not the first.
	cond        term.ID
	accepted    term.ID // since the iteration before
	before, now []term.ID
}

// marks collects the back edges by loop.
func (p *program) marks(s *inference.Session) [][]mark {
	st := s.Store()
	out := make([][]mark, len(p.ranked))
	for _, v := range s.Seen(ir.Decrease) {
		i, err := strconv.Atoi(strings.TrimPrefix(v.Text, markName))
		first := 1
		if p.fair {
			first = 2
		}
		if err != nil || len(v.Observed) != 2*len(p.ranked[i].places)+first {
			panic(fmt.Sprintf("bitranking: %d values are observed at %s", len(v.Observed), v.Text))
		}
		k := mark{cond: st.And(v.Cond, st.BVToBool(v.Observed[0].Bits)), accepted: st.True()}
		if p.fair {
			k.accepted = st.BVToBool(v.Observed[1].Bits)
		}
		if st.IsFalse(k.cond) {
			continue
		}
		n2 := len(p.ranked[i].places)
		for j := range n2 {
			k.before = append(k.before, v.Observed[first+j].Bits)
			k.now = append(k.now, v.Observed[first+n2+j].Bits)
		}
		out[i] = append(out[i], k)
	}
	return out
}

// pairsInModel reads the pairs of the back edges that a model takes.
func pairsInModel(s *inference.Session, marks []mark) []pair {
	var out []pair
	for _, k := range marks {
		if !s.Solver().Value(k.cond).IsTrue() {
			continue
		}
		out = append(out, readPair(s.Solver(), k))
	}
	return out
}

func readPair(s smt.Solver, k mark) pair {
	x := pair{accepted: s.Value(k.accepted).IsTrue()}
	for j := range k.now {
		x.before = append(x.before, s.Value(k.before[j]).Uint64())
		x.now = append(x.now, s.Value(k.now[j]).Uint64())
	}
	return x
}
