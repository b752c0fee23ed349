// Package chc turns transition systems into constrained Horn clauses in SMT-LIB
// (logic HORN), for solvers such as Spacer [KomuravelliGurfinkelChaki14: A.
// Komuravelli, A. Gurfinkel, S. Chaki. SMT-Based Model Checking for Recursive
// Programs. CAV 2014], and their solutions into invariants of the systems.
//
// A predicate Reach holds for the reachable states; sat means that no bad state is
// reachable. Three things can be done to make the clauses easier:
//
//	(C1) Control. If a state variable only takes a few constants, as the location
//	     of a program does, there is a predicate for each of them (control.go).
//	(C2) Integers. Bit-vectors become integers, read as signed or unsigned, whichever
//	     their uses ask for; sums wrap by cases (integer.go). An operation that has no
//	     linear form yields anything in its range: then the clauses have more runs
//	     than the system, and unsat says nothing (Problem.Exact).
//	(C3) Start. Where initial values or conditions depend on inputs, which the first
//	     step reads again, Reach holds for the states from step 1 on, and the first
//	     step has clauses of its own (Problem.Prefix).
package chc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"assay/internal/finite/ts"
	"assay/internal/logic/term"
)

// Options are choices of the encoding.
type Options struct {
	Integers bool // (C2)
	Split    bool // (C1)
}

// Problem is a system as clauses.
type Problem struct {
	// Text is the script, without (check-sat).
	Text string
	// Exact says that unsat means that a bad state is reachable.
	Exact bool
	// Prefix is 1 if Reach holds for the states from step 1 on, else 0.
	Prefix int

	s         *ts.System
	control   int // index of the state that locations are values of, or -1
	locations []location
	reading   *reading // of integers; nil without
}

// location is a predicate.
type location struct {
	name  string
	value term.ID // of the control state; 0 without
}

// Write prints the system with bit-vectors and one predicate, and the question.
// Justice properties are not expressible.
func Write(to io.Writer, s *ts.System) error {
	p, err := Encode(s, Options{})
	if err != nil {
		return err
	}
	_, err = io.WriteString(to, p.Text+"(check-sat)\n")
	return err
}

// Encode makes the clauses. It adds terms to the store of the system.
func Encode(s *ts.System, o Options) (*Problem, error) {
	if len(s.Bad) == 0 {
		return nil, errors.New("the model has no bad state, which is all that Horn clauses express")
	}
	p := &Problem{s: s, Exact: true, control: -1, locations: []location{{name: "Reach"}}}
	if o.Split {
		p.split()
	}
	if o.Integers {
		p.reading = newReading(s)
	}
	var text strings.Builder
	w := &writer{Problem: p, w: bufio.NewWriter(&text), names: map[term.ID]string{}}
	w.write()
	if w.err != nil {
		return nil, w.err
	}
	if err := w.w.Flush(); err != nil {
		return nil, err
	}
	p.Text = text.String()
	return p, nil
}

type writer struct {
	*Problem
	w     *bufio.Writer
	names map[term.ID]string // of states and inputs
	err   error
}

// sortText is the sort of a variable in the clauses.
func (p *Problem) sortText(t term.ID) string {
	if p.reading != nil && p.s.Store.Sort(t).Kind == term.SortBV {
		return "Int"
	}
	return p.s.Store.Sort(t).String()
}

func (w *writer) write() {
	s, store := w.s, w.s.Store
	inputs := map[term.ID]bool{}
	for i, v := range s.States {
		w.names[v.Term] = fmt.Sprintf("s%d", i)
	}
	for i, v := range s.Inputs {
		w.names[v.Term] = fmt.Sprintf("i%d", i)
		inputs[v.Term] = true
	}
	initial := append([]term.ID(nil), s.Init...)
	for _, v := range s.States {
		if v.Init != 0 {
			initial = append(initial, store.Eq(v.Term, v.Init))
		}
	}
	for _, v := range store.Vars(initial...) {
		if inputs[v] {
			w.Prefix = 1
		}
	}
	fmt.Fprintln(w.w, "(set-logic HORN)")
	for i, v := range s.States {
		fmt.Fprintf(w.w, "; s%d is %s\n", i, strings.ReplaceAll(v.Name, "\n", " "))
	}
	for i, v := range s.Inputs {
		fmt.Fprintf(w.w, "; i%d is %s\n", i, strings.ReplaceAll(v.Name, "\n", " "))
	}
	for _, l := range w.locations {
		fmt.Fprintf(w.w, "(declare-fun %s (", l.name)
		for i, v := range s.States {
			if i != w.control {
				fmt.Fprintf(w.w, " %s", w.sortText(v.Term))
			}
		}
		fmt.Fprintln(w.w, " ) Bool)")
	}
	var bad []term.ID
	for _, b := range s.Bad {
		bad = append(bad, b.Term)
	}
	here := func(l location, t term.ID) term.ID {
		if l.value == 0 {
			return t
		}
		return store.Substitute(t, map[term.ID]term.ID{s.States[w.control].Term: l.value})
	}
	all := func(l location, conditions []term.ID, more ...term.ID) term.ID {
		return here(l, store.And(store.AndAll(conditions...), store.AndAll(more...)))
	}
	steps := func(from location, before string, more ...term.ID) {
		w.clause(all(from, append(append([]term.ID(nil), s.Constraints...), more...), store.OrAll(bad...)), before, nil, nil)
		step := all(from, append(append(append([]term.ID(nil), s.Constraints...), s.Transitions...), more...))
		for i := range w.locations {
			to := &w.locations[i]
			holds := step
			if to.value != 0 {
				holds = store.And(step, store.Eq(here(from, s.States[w.control].Next), to.value))
			}
			var next []term.ID
			for i, v := range s.States {
				if i != w.control {
					next = append(next, here(from, v.Next))
				}
			}
			w.clause(holds, before, to, store.SubstituteAll(next, given(store, holds)))
		}
	}
	for i := range w.locations {
		l := &w.locations[i]
		starts := all(*l, initial)
		switch {
		case store.IsFalse(starts):
		case w.Prefix == 0:
			var same []term.ID
			for i, v := range s.States {
				if i != w.control {
					same = append(same, v.Term)
				}
			}
			w.clause(starts, "", l, same)
		default:
			steps(*l, "", initial...)
		}
	}
	for _, l := range w.locations {
		steps(l, w.atom(l))
	}
}

// given are the truth values that the conjuncts of a condition have where it holds.
func given(store *term.Store, condition term.ID) map[term.ID]term.ID {
	known := map[term.ID]term.ID{}
	var visit func(t term.ID)
	visit = func(t term.ID) {
		switch store.Op(t) {
		case term.OpTrue, term.OpFalse:
		case term.OpAnd:
			visit(store.Arg(t, 0))
			visit(store.Arg(t, 1))
		case term.OpNot:
			known[store.Arg(t, 0)] = store.False()
		default:
			known[t] = store.True()
		}
	}
	visit(condition)
	return known
}

// atom is the predicate of a location in the state of the step.
func (w *writer) atom(l location) string {
	text := l.name
	for i, v := range w.s.States {
		if i != w.control {
			text += " " + w.names[v.Term]
		}
	}
	if text == l.name {
		return text
	}
	return "(" + text + ")"
}

// clause is a clause that is being printed: the names of what it has, and the
// conditions that auxiliary variables satisfy.
type clause struct {
	*writer
	lets  strings.Builder
	count int // of lets
	body  []string
	extra []string // auxiliary variables
	known map[form]string
}

// form is a term in one of its readings.
type form struct {
	t  term.ID
	as as
}

type as uint8

const (
	plain    as = iota // a Bool, or bits
	unsigned           // an integer
	signed
)

// clause prints: for all states and inputs, the condition and the atom before
// imply the predicate of a location for the next states, or false.
func (w *writer) clause(condition term.ID, before string, to *location, next []term.ID) {
	store := w.s.Store
	if store.IsFalse(condition) || w.err != nil {
		return
	}
	c := &clause{writer: w, known: map[form]string{}}
	for t, n := range w.names {
		c.known[form{t, plain}] = n
		if w.reading != nil {
			c.known[form{t, w.reading.of(t)}] = n
		}
	}
	holds := c.text(condition, plain)
	head := "false"
	if to != nil {
		head = to.name
		for _, t := range next {
			head += " " + c.argument(t)
		}
		if len(next) > 0 {
			head = "(" + head + ")"
		}
	}
	if to == nil && w.err != nil {
		return
	}
	fmt.Fprint(w.w, "(assert ")
	var variables []string
	for _, list := range [][]term.ID{w.states(), w.inputs()} {
		for _, t := range list {
			variables = append(variables, fmt.Sprintf("(%s %s)", w.names[t], w.sortText(t)))
			if w.reading != nil && store.Sort(t).Kind == term.SortBV {
				lo, hi := bounds(store.Width(t), w.reading.of(t))
				c.body = append(c.body, fmt.Sprintf("(<= %s %s %s)", number(lo), w.names[t], number(hi)))
			}
		}
	}
	variables = append(variables, c.extra...)
	closing := 1
	if len(variables) > 0 {
		fmt.Fprintf(w.w, "(forall (%s)\n", strings.Join(variables, " "))
		closing++
	}
	fmt.Fprint(w.w, c.lets.String())
	body := "(and true"
	if before != "" {
		body += " " + before
	}
	for _, x := range append(c.body, holds) {
		body += " " + x
	}
	fmt.Fprintf(w.w, "(=> %s) %s)%s\n", body, head, strings.Repeat(")", closing+c.count))
}

func (w *writer) states() (out []term.ID) {
	for i, v := range w.s.States {
		if i != w.control {
			out = append(out, v.Term)
		}
	}
	return out
}

func (w *writer) inputs() (out []term.ID) {
	for _, v := range w.s.Inputs {
		out = append(out, v.Term)
	}
	return out
}

// argument is the next value of a state, in its reading.
func (c *clause) argument(t term.ID) string { return c.text(t, plain) }

// define gives a name to a text, unless it is short.
func (c *clause) define(text string) string {
	if len(text) < 8 {
		return text
	}
	name := fmt.Sprintf("t%d", c.count)
	fmt.Fprintf(&c.lets, "(let ((%s %s))\n", name, text)
	c.count++
	return name
}

func (c *clause) let(f form, text string) string {
	c.known[f] = c.define(text)
	return c.known[f]
}

// text is a term in one of its forms; everything below it gets a name.
func (c *clause) text(t term.ID, f as) string {
	if name, ok := c.known[form{t, f}]; ok {
		return name
	}
	if c.reading != nil {
		return c.let(form{t, f}, c.integer(t, f))
	}
	c.s.Store.Walk([]term.ID{t}, func(t term.ID) {
		if _, ok := c.known[form{t, plain}]; !ok {
			c.let(form{t, plain}, c.application(t))
		}
	})
	return c.known[form{t, plain}]
}

// application is a term over bit-vectors whose arguments have names.
func (c *clause) application(t term.ID) string {
	s := c.s.Store
	var head string
	switch op := s.Op(t); op {
	case term.OpConst:
		return fmt.Sprintf("(_ bv%s %d)", s.ConstValue(t).Unsigned(), s.Width(t))
	case term.OpTrue, term.OpFalse:
		return op.String()
	case term.OpExtract:
		hi, lo := s.ExtractBounds(t)
		head = fmt.Sprintf("(_ extract %d %d)", hi, lo)
	case term.OpZExt, term.OpSExt:
		head = fmt.Sprintf("(_ %s %d)", op, s.Width(t)-s.Width(s.Arg(t, 0)))
	default:
		head = op.String()
	}
	text := "(" + head
	for i := range s.NumArgs(t) {
		text += " " + c.known[form{s.Arg(t, i), plain}]
	}
	return text + ")"
}
