// Package observation asks questions about formulas of computation tree logic on programs: the
// program becomes an integer transition system in which every store is a step, and the atoms of
// the formula become conditions on its variables.
//
// The integers are those of mathematics, and so is arithmetic in atoms; or they are those of machines, and atoms
// are such that it makes no difference (machine.go). What the system has that the program may not have is no choice of E (its.Transition.Exact). Runs
// that break an assumption do not exist (branching.Problem.Excluded).
package observation

import (
	"context"
	"errors"
	"strings"

	"assay/internal/integers/branching"
	"assay/internal/integers/its"
	"assay/internal/integers/region"
	"assay/internal/logic/linear"
	"assay/internal/models/absint"
	"assay/internal/models/integerize"
	"assay/internal/program/ir"
	"assay/internal/run/lazyregexp"
	"assay/internal/temporal/ctl"
)

// Question is a formula about a program.
type Question struct {
	Text    string // the formula
	Formula ctl.Formula
	// Assumed is a condition that holds at the start, "" for none.
	Assumed string
	// Arbitrary says that locals without initialiser have arbitrary content at the start.
	Arbitrary bool
	// Wraps says that integers are those of machines, modulo 2^w.
	Wraps bool
	// Whole says that numbers of wraps are temporaries (integerize.Options.Whole).
	Whole bool
	// Position names a place of the source; nil leaves locations with the names of blocks.
	Position func(ir.Pos) string
}

// ErrNoStart says that no initial state satisfies the assumption.
var ErrNoStart = errors.New("no initial state satisfies what is assumed")

// maxSteps bounds the abstract interpretation that finds what pointers point to.
const maxSteps = 200_000

// name is a variable in a condition.
var name = lazyregexp.New(`\b[A-Za-z_]\w*(::[A-Za-z_]\w*)?\b`)

// Problem translates the program. The error is a *ctl.Error if it is about the formula or the assumption,
// *integerize.ErrUntranslated, ErrNoStart, or that of the context.
func Problem(ctx context.Context, m *ir.Module, q Question) (branching.Problem, error) {
	atoms := atomsOf(q.Formula)
	texts := []string{q.Assumed}
	for _, a := range atoms {
		texts = append(texts, a.Text)
		if ctl.HasNext(q.Formula) && takesArguments(m) {
			return branching.Problem{}, &ctl.Error{Text: q.Text, At: a.At, Message: "X counts stores, and how arguments are stored is not defined: the program calls functions with arguments"}
		}
	}
	before := beginning(m, candidates(texts[1:]), q.Arbitrary)
	facts, err := absint.Analyze(ctx, m, absint.Options{MaxSteps: maxSteps})
	if err != nil {
		return branching.Problem{}, err
	}
	semantics := integerize.Integers
	if q.Wraps {
		semantics = integerize.Wrap
	}
	program, err := integerize.Translate(ctx, m, facts, integerize.Options{Semantics: semantics, Observed: candidates(texts), Whole: q.Whole})
	if err != nil {
		return branching.Problem{}, err
	}
	ends, undefined := program.Ends()
	c := conditions{program: program, wraps: q.Wraps, regions: map[string]region.Region{}, ends: ends}
	for _, a := range atoms {
		cases, err := c.parse(a.Text)
		if err != nil {
			return branching.Problem{}, &ctl.Error{Text: q.Text, At: a.At, Message: err.Error()}
		}
		if a.Label != "" && a.Label != "exit" {
			return branching.Problem{}, &ctl.Error{Text: q.Text, At: a.At, Message: "the only label is exit, the end of the run"}
		}
		if a.Label != "" && undefined {
			return branching.Problem{}, &ctl.Error{Text: q.Text, At: a.At, Message: "whether a run ends is not defined where code may be reached that clang takes for unreachable"}
		}
		for _, cs := range cases {
			c.regions[a.Text] = c.regions[a.Text].Union(ctx, region.Of(ctx, cs...))
		}
	}
	if q.Assumed != "" {
		cases, err := c.parse(q.Assumed)
		if err != nil {
			return branching.Problem{}, &ctl.Error{Text: q.Assumed, Message: err.Error()}
		}
		program.Restrict(cases)
	}
	if !c.starts(ctx) {
		return branching.Problem{}, ErrNoStart
	}
	if q.Position != nil {
		namePlaces(program, q.Position)
	}
	p := branching.Problem{System: program.System, Formula: q.Formula, Initial: region.All(), Before: 1 + before, Adversary: !q.Arbitrary, Known: region.Of(ctx, program.Ranges()...), Facts: program.Facts, Atom: c.atom}
	if _, breaks := program.Broken(); breaks {
		p.Exclude(ctl.Atom{Text: "true", Label: brokenLabel})
	}
	return p, nil
}

// namePlaces calls locations by their positions in the source.
func namePlaces(p *integerize.Program, position func(ir.Pos) string) {
	for l, place := range p.Places {
		if place.Func == nil {
			continue
		}
		instrs := place.Func.Blocks[place.Block].Instrs
		if place.Index < len(instrs) {
			if pos := place.Func.Def(instrs[place.Index]).Pos; pos.Line > 0 {
				p.System.Locations[l] = position(pos)
			}
		}
	}
}

// atomsOf are the atoms of a formula that are conditions.
func atomsOf(f ctl.Formula) (list []ctl.Atom) {
	if a, ok := f.(ctl.Atom); ok {
		return []ctl.Atom{a}
	}
	for _, g := range ctl.Children(f) {
		list = append(list, atomsOf(g)...)
	}
	return list
}

// takesArguments says whether a function of the program has parameters.
func takesArguments(m *ir.Module) bool {
	for _, f := range m.Funcs {
		if !f.IsDecl() && len(f.Params) > 0 {
			return true
		}
	}
	return false
}

// candidates are the names that conditions mention, as globals and as locals of main.
func candidates(texts []string) []string {
	list := []string{}
	for _, t := range texts {
		for _, n := range name.FindAllString(t, -1) {
			list = append(list, n)
			if !strings.Contains(n, "::") {
				list = append(list, "main::"+n)
			}
		}
	}
	return list
}

// brokenLabel is the label of the atom that is true where an assumption is broken. No formula that is parsed has it.
const brokenLabel = "an assumption is broken"

type conditions struct {
	program *integerize.Program
	wraps   bool
	regions map[string]region.Region
	ends    []bool
}

// variable is the one with a name: a global if there is one, else a local of main.
func (c *conditions) variable(name string) (linear.Var, error) {
	v, err := c.program.Variable(name)
	if err != nil && !strings.Contains(name, "::") {
		v, err = c.program.Variable("main::" + name)
	}
	return v, err
}

// declared is the type of the variable with a name.
func (c *conditions) declared(name string) (ir.CType, error) {
	v, err := c.variable(name)
	if err != nil {
		return ir.CType{}, err
	}
	return c.program.Declared(v), nil
}

// parse reads a condition over the program's variables. A name is that of a global if there is
// one, as at the end of the file, else that of a local of main.
func (c *conditions) parse(text string) (cases [][]linear.Constraint, err error) {
	if text == "true" {
		return [][]linear.Constraint{{}}, nil
	}
	if c.wraps {
		if err := machine(text, c.declared); err != nil {
			return nil, err
		}
	}
	s := &its.System{Variables: make([]string, len(c.program.System.Variables))}
	for i := range s.Variables {
		s.Variables[i] = "?" // no name
	}
	plain := name.ReplaceAllStringFunc(text, func(n string) string {
		v, e := c.variable(n)
		if e != nil {
			if err == nil {
				err = e
			}
			return n
		}
		plain := strings.ReplaceAll(n, "::", "__of__")
		s.Variables[v] = plain
		return plain
	})
	if err != nil {
		return nil, err
	}
	cases, err = s.ParseCondition(plain)
	var syntax *its.ParseError
	if errors.As(err, &syntax) {
		err = errors.New(syntax.Message)
	}
	return cases, err
}

// atom is where an atom is true.
func (c *conditions) atom(l its.Location, a ctl.Atom) (region.Region, error) {
	if a.Label == brokenLabel {
		if b, ok := c.program.Broken(); ok && b == l {
			return region.All(), nil
		}
		return nil, nil
	}
	if a.Label != "" && !c.ends[l] {
		return nil, nil
	}
	return c.regions[a.Text], nil
}

// starts says whether there may be an initial state.
func (c *conditions) starts(ctx context.Context) bool {
	s := c.program.System
	for i := range s.Transitions {
		if t := &s.Transitions[i]; t.From == s.Initial && linear.IsFeasible(ctx, t.Guard) {
			return true
		}
	}
	return false
}
