// Package transform says what a transformation of programs gives: the new program, how its
// runs compare with those of the old one, and the way back for what is found of it.
//
// A transformation is a function from a module to a *Program. Transformations compose
// (Program.Then), and what is proved or refuted of the last module is taken back to the
// first in one step. The evidence still speaks of the last module; a checker either makes
// that module again by itself, or is given it with the claim.
package transform

import (
	"slices"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// Relation compares the runs of the new program with those of the old.
type Relation uint8

// The relations.
const (
	// Same: the programs have the same runs.
	Same Relation = iota
	// More: each run of the old program is one of the new, as far as the property
	// sees it. A proof carries over.
	More
	// Fewer: each run of the new program is one of the old. A refutation carries over.
	Fewer
	// Other: neither.
	Other
)

func (r Relation) String() string { return [...]string{"same", "more", "fewer", "other"}[r] }

// Then is the relation of two steps together.
func (r Relation) Then(next Relation) Relation {
	switch {
	case r == Same || r == next:
		return next
	case next == Same:
		return r
	}
	return Other
}

// Program is a program that was made of another one.
type Program struct {
	From, Module *ir.Module
	Runs         Relation
	// Needs are kinds of events that a proof has to exclude besides those of the property:
	// what comes after such an event may differ between the programs.
	Needs []ir.CheckKind
	// Blind are kinds of events that Module cannot be asked about.
	Blind []ir.CheckKind
	// Lost are guards of From that Module does not have.
	Lost []verdict.Guard
	// About says in words which program evidence is about, "" if it does not matter.
	About string
}

// Unchanged is a program as it is.
func Unchanged(m *ir.Module) *Program { return &Program{From: m, Module: m} }

// Changed says that the new program is not the old one.
func (p *Program) Changed() bool { return p.From != p.Module }

// Then is a further step, nil if it cannot be made.
func (p *Program) Then(step func(*ir.Module) *Program) *Program {
	q := step(p.Module)
	if q == nil {
		return nil
	}
	out := &Program{
		From: p.From, Module: q.Module, Runs: p.Runs.Then(q.Runs), About: p.About,
		Needs: slices.Concat(p.Needs, q.Needs), Blind: slices.Concat(p.Blind, q.Blind), Lost: slices.Concat(p.Lost, q.Lost),
	}
	switch {
	case out.About == "":
		out.About = q.About
	case q.About != "":
		out.About += ", " + q.About
	}
	return out
}

// Asked are the kinds of events that a proof about the new program has to exclude, if one
// about the old program has to exclude targets; ok is false if there is no such proof.
func (p *Program) Asked(targets []ir.CheckKind) (asked []ir.CheckKind, ok bool) {
	for _, k := range slices.Concat(targets, p.Needs) {
		if slices.Contains(p.Blind, k) {
			return nil, false
		}
		if !slices.Contains(asked, k) {
			asked = append(asked, k)
		}
	}
	return asked, true
}

// Proof takes a proof about the new program, which excludes what Asked says, to the old one.
// It panics if proofs do not carry over.
func (p *Program) Proof(t verdict.True) verdict.True {
	if p.Runs != Same && p.Runs != More {
		panic("transform: a proof about a program with " + p.Runs.String() + " runs")
	}
	t.Unclean = slices.Concat(t.Unclean, p.Lost)
	if p.About == "" {
		return t
	}
	name(t.Certificate, ", for "+p.About)
	return t
}

// name adds to the names of the checkers of a certificate.
func name(c verdict.Certificate, which string) {
	switch c := c.(type) {
	case *verdict.Several:
		for _, p := range c.Parts {
			name(p.Certificate, which)
		}
	case *verdict.Ranking:
		c.Checker += which
	case *verdict.SymbolicGraph:
		c.Checker += which
	case *verdict.Induction:
		c.Checker += which
	case *verdict.Unwinding:
		c.Checker += which
	case *verdict.PathTree:
		c.Checker += which
	case *verdict.OverIntegers:
		c.Checker += which
	case verdict.Unchecked:
	}
}
