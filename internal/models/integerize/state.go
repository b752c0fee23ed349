package integerize

// What a path knows: constraints over the variables at its start and temporaries,
// numbers for values and cells, and the choices of the run.

import (
	"slices"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// tempBase is the first variable that is a temporary of the path; emit.go
// numbers them anew.
const tempBase = 1 << 24

type valueKey struct {
	frame *frame
	value ir.Value
	index int32 // of a result
}

// temp is a temporary. Its constraints say what is known of it, and can be
// satisfied whatever the other variables are.
type temp struct {
	inexact bool
	about   []linear.Constraint
	product *its.Product
	with    []linear.Form // temporaries whose constraints say something of this one
}

// state is a path so far.
type state struct {
	broken bool // an assumption is broken here
	from   its.Location
	frame  *frame
	block  ir.BlockID
	index  int
	to     ir.BlockID // the edge from block that is to be taken, if not 0
	nth    int        // of the edges from block to to

	guard     []linear.Constraint
	temps     []temp
	values    scope
	normal    []normalised
	divisions []division
	ands      []bitwiseAnd
	cells     map[*cell]number
	ranged    map[linear.Var]interval // of variables that were read
	facts     []linear.Constraint     // that hold anyway
	picks     []pick
	splits    int
	// inexact: the path may not be one of a run, whatever its temporaries are.
	inexact bool
	// accepts: the path executes Accept, perhaps in a call that is not followed.
	accepts bool
	work    work
	amount  linear.Form // what the last instruction costs, if costs are amounts
	live    linear.Form // bytes that are allocated on the path, less those that are freed
	shared  bool        // cells and ranged belong to another state, too
}

// work is what a path has executed.
type work struct{ instructions, calls, counted int64 }

// scope is a map in layers: forks share what is below.
type scope struct {
	top   map[valueKey]number
	below *scope
}

func (s *scope) get(k valueKey) (number, bool) {
	for ; s != nil; s = s.below {
		if n, ok := s.top[k]; ok {
			return n, true
		}
	}
	return number{}, false
}

func (s *scope) set(k valueKey, n number) {
	if s.top == nil {
		s.top = map[valueKey]number{}
	}
	s.top[k] = n
}

// normalised remembers the number that a form is in a view.
type normalised struct {
	form  linear.Form
	width uint32
	view  view
	is    number
}

// pick is a choice that the run makes: the value of a Nondet, or the content of
// parts of an object.
type pick struct {
	frame *frame
	value ir.Value
	form  linear.Form // of a Nondet
	known bool
	parts []part
}

type part struct {
	offset, size uint64
	form         linear.Form
}

// fork copies the state; both go on.
func (s *state) fork() *state {
	c := *s
	below := s.values
	s.values = scope{below: &below}
	c.values = scope{below: &below}
	c.guard = slices.Clip(c.guard)
	c.temps = slices.Clip(c.temps)
	c.normal = slices.Clip(c.normal)
	c.picks = slices.Clip(c.picks)
	s.guard, s.temps, s.normal, s.picks = slices.Clip(s.guard), slices.Clip(s.temps), slices.Clip(s.normal), slices.Clip(s.picks)
	s.shared, c.shared = true, true
	return &c
}

// own makes the maps of the state its own.
func (s *state) own() {
	if !s.shared {
		return
	}
	s.shared = false
	cells := make(map[*cell]number, len(s.cells))
	for k, v := range s.cells {
		cells[k] = v
	}
	ranged := make(map[linear.Var]interval, len(s.ranged))
	for k, r := range s.ranged {
		ranged[k] = r
	}
	s.cells, s.ranged = cells, ranged
}

// fresh is a temporary with a range.
func (s *state) fresh(r interval, inexact bool) number {
	v := linear.Var(tempBase + len(s.temps))
	f := linear.Variable(v)
	s.temps = append(s.temps, temp{inexact: inexact, about: r.constraints(f)})
	return number{f, r}
}

// about adds what is known of the temporary that n is.
func (s *state) about(n number, cs ...linear.Constraint) {
	v, _ := n.form.IsVariable()
	t := &s.temps[v-tempBase]
	t.about = append(slices.Clip(t.about), cs...)
}

// require adds conditions to the path.
func (s *state) require(cs ...linear.Constraint) {
	for _, c := range cs {
		if c = c.Tighten(); !c.IsTrue() {
			s.guard = append(s.guard, c)
		}
	}
}

// note adds constraints that hold in any case: they become part of the guard only
// if it is about the same variables without them.
func (s *state) note(cs ...linear.Constraint) {
	s.facts = append(slices.Clip(s.facts), cs...)
}

// all are the constraints that hold on the path.
func (s *state) all() []linear.Constraint {
	cs := append(slices.Clone(s.guard), s.facts...)
	for v, r := range s.ranged {
		cs = append(cs, r.constraints(linear.Variable(v))...)
	}
	for _, t := range s.temps {
		cs = append(cs, t.about...)
	}
	return cs
}

// pinned is the constant that an equation of the path says a number is, or the number.
func (s *state) pinned(n number) number {
	if _, ok := n.value(); ok {
		return n
	}
	for _, cs := range [][]linear.Constraint{s.guard, s.facts} {
		for _, c := range cs {
			if !c.Equality {
				continue
			}
			for _, f := range []linear.Form{n.form.Sub(c.Form), n.form.Add(c.Form)} {
				if f.IsConstant() {
					return constant(f.Const)
				}
			}
		}
	}
	return n
}

// feasible says whether the path is possible with more conditions, as far as the
// rationals tell.
func (t *translation) feasible(s *state, more ...linear.Constraint) bool {
	for _, c := range more {
		if c.Tighten().IsFalse() {
			return false
		}
	}
	// Variables are numbered densely, and only what is connected with the new
	// conditions is looked at, unless these are none.
	cs := append(s.all(), more...)
	number := map[linear.Var]linear.Var{}
	for i, c := range cs {
		cs[i].Form = c.Form.Rename(func(v linear.Var) linear.Var {
			n, ok := number[v]
			if !ok {
				n = linear.Var(len(number))
				number[v] = n
			}
			return n
		})
	}
	return linear.IsFeasible(t.ctx, linear.Simplify(cs))
}

// alternative is one way for a path to go on.
type alternative struct {
	require []linear.Constraint
	then    func(*state) // may be nil
}

// split is thrown where a path must be split into cases before it can go on; the
// step that was being executed is executed again.
type split struct{ alternatives []alternative }

// maxSplits bounds the splits of a path; beyond it cases become temporaries.
const maxSplits = 10
