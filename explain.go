package assay

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"assay/internal/invariant"
	"assay/internal/ir"
	"assay/internal/verdict"
)

// depthGauge is the depth of a running search, readable from outside of it.
type depthGauge = atomic.Int64

// explain turns an engine's verdict into a result.
func explain(m *ir.Module, v verdict.Verdict) *Result {
	r := &Result{module: m}
	switch v := v.(type) {
	case verdict.True:
		r.Answer = True
		r.Unclean = places(m, v.Unclean)
		r.Certificate = certificate(m, v.Certificate)
	case verdict.False:
		if i := slices.IndexFunc(v.Passes, verdict.Guard.Traps); i >= 0 {
			r.Answer = Unknown
			r.Reasons = reasons(m, []verdict.Reason{{
				Cause: verdict.CauseOverflow, Func: v.Passes[i].Func, Pos: v.Passes[i].Pos,
				Text: "a violation was found, but on a run that divides the least integer by -1, where some machines end it",
			}})
			break
		}
		r.Answer = False
		if v.Endless != nil {
			r.explainEndless(&v)
			break
		}
		violation := place(m, v.Violation)
		r.Violation = &violation
		r.Violated = violated(v.Violation.Kind)
		r.guard = v.Violation
		for _, g := range v.Passes {
			if g.Kind.Undefined() {
				r.Passes = append(r.Passes, place(m, g))
			}
		}
		r.Replayed = v.Replayed
		r.input = v.Input
		r.explainJumps(&v)
	case verdict.Unknown:
		r.Answer = Unknown
		r.Reasons = reasons(m, v.Reasons)
	default:
		panic(fmt.Sprintf("unexpected verdict %T", v))
	}
	return r
}

// explainCheck translates the answer for one check.
func explainCheck(m *ir.Module, guard verdict.Guard, v verdict.Verdict) CheckResult {
	c := CheckResult{Place: place(m, guard), Property: violated(guard.Kind)}
	e := explain(m, v)
	c.Answer, c.Reasons = e.Answer, e.Reasons
	return c
}

func certificate(m *ir.Module, c verdict.Certificate) *Certificate {
	switch c := c.(type) {
	case *verdict.Unwinding:
		out := &Certificate{Checker: c.Checker}
		for _, b := range c.Bounds {
			out.Bounds = append(out.Bounds, Bound{Pos: position(m, b.Pos), Func: b.Func, Recursion: b.Head == 0, N: b.N})
		}
		return out
	case *verdict.Induction:
		out := &Certificate{Checker: c.Checker, K: c.K}
		if c.Module != nil {
			m = c.Module
		}
		for i := range c.Heads {
			out.Invariants = append(out.Invariants, loopInvariant(m, &c.Heads[i]))
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
	case verdict.Unchecked:
		return &Certificate{Unchecked: c.Why}
	}
	panic(fmt.Sprintf("unexpected certificate %T", c))
}

// loopInvariant shows what holds at a loop head in terms of C: a value has the
// name of the variable that it is assigned to.
func loopInvariant(m *ir.Module, h *invariant.Head) Invariant {
	f := m.Func(h.Func)
	out := Invariant{Pos: position(m, h.Pos), Func: h.Func}
	names := f.VariableNames()
	plain := func(t invariant.Term) string {
		g, names := f, names
		if t.Up > 0 {
			g = m.Func(h.Calls[len(h.Calls)-t.Up].Func)
			names = g.VariableNames()
		}
		n := names[t.Value]
		if d := g.Def(t.Value); d.Op == ir.GlobalAddr {
			n = d.Sym
		}
		if n == "" {
			n = fmt.Sprintf("value%d", t.Value)
		}
		if t.Up > 0 {
			n = g.Name + "::" + n
		}
		if t.Cell && t.Offset > 0 {
			n = fmt.Sprintf("%s+%d", n, t.Offset)
		}
		return n
	}
	name := func(t invariant.Term) string {
		if !t.Signed {
			return "(unsigned)" + plain(t)
		}
		return plain(t)
	}
	for i := range h.Predicates {
		out.Predicates = append(out.Predicates, h.Predicates[i].Text(name))
	}
	for _, c := range h.Clauses {
		out.Predicates = append(out.Predicates, c.Text(plain))
	}
	for i := range h.Formulas {
		out.Predicates = append(out.Predicates, h.Formulas[i].Text(plain))
	}
	return out
}

// namedInvariant is loopInvariant, without predicates of values that no variable
// has.
func namedInvariant(m *ir.Module, h *invariant.Head) Invariant {
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
		p.Each(func(t invariant.Term) { all = all && named[t.Value] })
		if all {
			out.Predicates = append(out.Predicates, p)
		}
	}
	return loopInvariant(m, &out)
}

// contract shows the contract of a recursive function.
func contract(m *ir.Module, k *invariant.Contract) Invariant {
	f := m.Func(k.Func)
	out := Invariant{Pos: position(m, k.Pos), Func: k.Func}
	names := f.VariableNames()
	name := func(t invariant.Term) string {
		n := names[t.Value]
		switch {
		case t.Global != "":
			n = t.Global
			if t.Offset != 0 {
				n += fmt.Sprintf("[byte %d]", t.Offset)
			}
			if t.Old {
				n = "old(" + n + ")"
			}
		case t.Value == 0:
			n = "result"
		case n == "":
			n = fmt.Sprintf("argument%d", slices.Index(f.Params, t.Value)+1)
		}
		if !t.Signed {
			return "(unsigned)" + n
		}
		return n
	}
	for i := range k.Pre {
		out.Predicates = append(out.Predicates, "requires "+k.Pre[i].Text(name))
	}
	for i := range k.Post {
		out.Predicates = append(out.Predicates, "ensures "+k.Post[i].Text(name))
	}
	return out
}

func places(m *ir.Module, gs []verdict.Guard) []Place {
	var out []Place
	for _, g := range gs {
		out = append(out, place(m, g))
	}
	return out
}

func place(m *ir.Module, g verdict.Guard) Place {
	return Place{Pos: position(m, g.Pos), Func: g.Func, Kind: kindText(g.Kind), Text: describe(g.Kind, g.Text)}
}

// describe says in words what went wrong, with the text of the check.
func describe(k ir.CheckKind, text string) string {
	kind := kindText(k)
	switch {
	case text == "":
		return kind
	case strings.HasPrefix(text, kind), strings.HasPrefix(text, "invalid "):
		return text
	}
	return kind + ": " + text
}

// kindText says in words what went wrong.
func kindText(k ir.CheckKind) string {
	switch k {
	case ir.Assertion:
		return "assertion"
	case ir.ErrorLabel:
		return "error label reached"
	case ir.Overflow:
		return "signed overflow"
	case ir.ShiftOverflow:
		return "signed left shift loses bits"
	case ir.DivByZero:
		return "division by zero"
	case ir.ShiftRange:
		return "shift amount out of range"
	case ir.InvalidDeref:
		return "invalid access"
	case ir.InvalidFree:
		return "invalid free"
	case ir.ReachedUnreachable:
		return "end of a function without a return value, or unreachable code reached"
	case ir.FloatConversion:
		return "float does not fit the integer type"
	case ir.Precondition:
		return "precondition of a library function"
	case ir.MemTrack:
		return "memory leak"
	case ir.MemCleanup:
		return "memory not freed at the end"
	case ir.Incompatible:
		return "call through an incompatible function pointer"
	case ir.Invariant:
		return "invariant of a loop does not hold"
	}
	return "undefined behaviour"
}

func reasons(m *ir.Module, rs []verdict.Reason) []Reason {
	var out []Reason
	for _, r := range rs {
		out = append(out, Reason{Cause: r.Cause.String(), Text: r.Text, Pos: position(m, r.Pos), Func: r.Func, Hint: r.Hint})
	}
	return out
}
