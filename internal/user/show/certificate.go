package show

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// Certificate is what backs a True.
type Certificate struct {
	// Bounds are the unwindings with which every loop ends.
	Bounds []Bound `json:"bounds,omitempty"`
	// K is the depth of a proof by induction, 0 if the predicates are inductive by
	// themselves; Invariants what holds at the loops, and the contracts of recursive
	// functions.
	K          int         `json:"k,omitempty"`
	Invariants []Invariant `json:"invariants,omitempty"`
	// Nodes is the number of states at loop heads of a symbolic execution graph.
	Nodes int `json:"nodes,omitempty"`
	// Paths is the number of paths that all were followed to their end.
	Paths int `json:"paths,omitempty"`
	// Rankings are the arguments that the loops end.
	Rankings []Ranking `json:"rankings,omitempty"`
	// Parts is the number of proofs of which it consists, each of some checks; 0 if it is one of all.
	Parts int `json:"parts,omitempty"`
	// Checker is who accepted it.
	Checker string `json:"checker,omitempty"`
	// Unchecked says why no checker was asked, empty if one was.
	Unchecked string `json:"unchecked,omitempty"`
}

// Invariant is what holds each time a loop is reached, or the contract of a recursive
// function, in C.
type Invariant struct {
	Pos        Position `json:"position"`
	Func       string   `json:"function"`
	Predicates []string `json:"predicates,omitempty"`
}

// Ranking says why a loop ends: at each iteration its functions decrease, in
// lexicographic order, with what holds at the loop.
type Ranking struct {
	Pos        Position `json:"position"`
	Func       string   `json:"function"`
	Functions  []string `json:"functions"`
	Recursion  bool     `json:"recursion,omitempty"` // it stands for recursive calls of Func
	Invariants []string `json:"invariants,omitempty"`
}

// Bound is the number of unwindings of a loop, or of a recursive function.
type Bound struct {
	Pos       Position `json:"position"`
	Func      string   `json:"function"`
	Recursion bool     `json:"recursion,omitempty"`
	N         int      `json:"unwindings"`
}

// CertificateOf shows a certificate for a module.
func CertificateOf(m *ir.Module, c verdict.Certificate) *Certificate {
	switch c := c.(type) {
	case *verdict.Unwinding:
		out := &Certificate{Checker: c.Checker}
		for _, b := range c.Bounds {
			out.Bounds = append(out.Bounds, Bound{Pos: PositionOf(m, b.Pos), Func: ir.NameInC(b.Func), Recursion: b.Head == 0, N: b.N})
		}
		return out
	case *verdict.PathTree:
		return &Certificate{Checker: c.Checker, Paths: c.Paths}
	case *verdict.Several:
		out := &Certificate{Parts: len(c.Parts)}
		for _, p := range c.Parts {
			out.add(CertificateOf(p.Program, p.Certificate))
		}
		return out
	case *verdict.Induction:
		out := &Certificate{Checker: c.Checker, K: c.K}
		if c.Module != nil {
			m = c.Module
		}
		namers := map[string]*namer{}
		heads := oncePerLoop(c.Heads)
		for i := range heads {
			h := &heads[i]
			n := namers[h.Func]
			if n == nil {
				n = newNamer(m, m.Func(h.Func))
				namers[h.Func] = n
			}
			out.Invariants = append(out.Invariants, invariantOf(m, n, h))
		}
		for i := range c.Contracts {
			out.Invariants = append(out.Invariants, contract(m, &c.Contracts[i]))
		}
		return out
	case *verdict.SymbolicGraph:
		return &Certificate{Checker: c.Checker, Nodes: len(c.Graph.Nodes)}
	case *verdict.Ranking:
		out := &Certificate{Checker: c.Checker}
		for i := range c.Loops {
			out.Rankings = append(out.Rankings, loopRanking(c.Program, &c.Loops[i], c.Heads))
		}
		return out
	case *verdict.OverIntegers:
		if c.Checker == "" {
			return &Certificate{Unchecked: "--certify=off"}
		}
		return &Certificate{Checker: c.Checker}
	case verdict.Unchecked:
		return &Certificate{Unchecked: c.Why}
	}
	panic(fmt.Sprintf("unexpected certificate %T", c))
}

// add joins the evidence of a part to that of others.
func (c *Certificate) add(part *Certificate) {
	for _, x := range part.Bounds {
		if !slices.Contains(c.Bounds, x) {
			c.Bounds = append(c.Bounds, x)
		}
	}
	for _, x := range part.Invariants {
		i := slices.IndexFunc(c.Invariants, func(o Invariant) bool { return o.Pos == x.Pos && o.Func == x.Func })
		if i < 0 {
			c.Invariants = append(c.Invariants, x)
			continue
		}
		for _, p := range x.Predicates {
			if !slices.Contains(c.Invariants[i].Predicates, p) {
				c.Invariants[i].Predicates = append(slices.Clip(c.Invariants[i].Predicates), p)
			}
		}
	}
	c.K, c.Nodes, c.Paths = max(c.K, part.K), c.Nodes+part.Nodes, c.Paths+part.Paths
	c.Rankings = append(c.Rankings, part.Rankings...)
	if !slices.Contains(strings.Split(c.Checker, "; "), part.Checker) {
		c.Checker = strings.TrimPrefix(c.Checker+"; "+part.Checker, "; ")
	}
	c.Unchecked = cmp.Or(c.Unchecked, part.Unchecked)
}

// oncePerLoop joins what is known of a loop by the same calls: engines have a list of predicates and one of
// clauses.
func oncePerLoop(heads []invariant.Head) (out []invariant.Head) {
	of := map[string]int{}
	for _, h := range heads {
		key := fmt.Sprint(h.Func, h.Head, h.Calls)
		if i, ok := of[key]; ok {
			x := &out[i]
			x.Predicates = slices.Concat(x.Predicates, h.Predicates)
			x.Clauses = slices.Concat(x.Clauses, h.Clauses)
			x.Formulas = slices.Concat(x.Formulas, h.Formulas)
			continue
		}
		of[key] = len(out)
		out = append(out, h)
	}
	return out
}

// InvariantOf shows what holds at a loop head in terms of C: a value has the
// name of the variable that it is assigned to.
func InvariantOf(m *ir.Module, h *invariant.Head) Invariant {
	return invariantOf(m, newNamer(m, m.Func(h.Func)), h)
}

func invariantOf(m *ir.Module, n *namer, h *invariant.Head) Invariant {
	n.calls = h.Calls
	out := Invariant{Pos: PositionOf(m, h.Pos), Func: ir.NameInC(h.Func), Predicates: n.texts(h.Predicates, h.Clauses)}
	for i := range h.Formulas {
		out.Predicates = append(out.Predicates, h.Formulas[i].Text(n.plain))
	}
	return out
}

// NamedInvariant is InvariantOf, without predicates of values that no variable
// has.
func NamedInvariant(m *ir.Module, h *invariant.Head) Invariant {
	f := m.Func(h.Func)
	named := map[ir.Value]bool{}
	for v := 1; v < len(f.Values); v++ {
		switch d := f.Def(ir.Value(v)); d.Op {
		case ir.Dbg:
			for _, a := range d.Args {
				named[a] = true
			}
		case ir.GlobalAddr:
			named[ir.Value(v)] = true
		}
	}
	out := *h
	out.Predicates = nil
	for _, p := range h.Predicates {
		all := true
		p.Each(func(t invariant.Term) { all = all && (named[t.Value] || t.Global != "") })
		if all {
			out.Predicates = append(out.Predicates, p)
		}
	}
	return InvariantOf(m, &out)
}

// contract shows the contract of a function.
func contract(m *ir.Module, k *invariant.Contract) Invariant {
	f := m.Func(k.Func)
	out := Invariant{Pos: PositionOf(m, k.Pos), Func: ir.NameInC(k.Func)}
	names := f.VariableNames()
	post := false
	name := func(t invariant.Term) string {
		n := names[t.Value]
		switch {
		case t.Global != "":
			n = t.Global
			if t.Offset != 0 {
				n += fmt.Sprintf("[byte %d]", t.Offset)
			}
			if t.Old && post {
				n = "old(" + n + ")"
			}
		case t.Value == 0:
			n = "result"
		case n == "":
			n = fmt.Sprintf("argument%d", slices.Index(f.Params, t.Value)+1)
		}
		if !t.Signed {
			return ir.CastInC(t.Bits, false) + n
		}
		return n
	}
	for i := range k.Pre {
		out.Predicates = append(out.Predicates, "requires "+k.Pre[i].Text(name))
	}
	post = true
	for i := range k.Post {
		out.Predicates = append(out.Predicates, "ensures "+k.Post[i].Text(name))
	}
	return out
}
