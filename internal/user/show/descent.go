package show

import (
	"fmt"
	"math/big"
	"strings"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// CurrentValue is a value with the variables that have it at a place.
type CurrentValue struct {
	Value ir.Value
	Vars  []*ir.Var
}

// Current lists what the promoted variables of a function have at the head of a block, in the order of the
// variables. A variable of which it is not known is left out.
func Current(f *ir.Func, b ir.BlockID) []CurrentValue {
	var out []CurrentValue
	now := currentValues(f)
	for i, v := range now.values[b] {
		if v > 0 {
			out = append(out, CurrentValue{v, []*ir.Var{&f.Vars[i]}})
		}
	}
	return out
}

// Float is a float as a constant of C.
func Float(v bv.BV) string { return invariant.FloatText(v) }

// Descent says that the functions of a loop go down in lexicographic order from any earlier visit of the loop to
// this one, as the draft of format 2.1 of witnesses has it: \at(x, AnyPrev) is x at the earlier visit.
// Otherwise why says why there is no such expression.
func Descent(m *ir.Module, l *verdict.RankedLoop, sees Sees) (text, why string) {
	w := &writer{m: m, f: m.Func(l.Func), head: &invariant.Head{Func: l.Func, Head: l.Head}, sees: sees}
	w.now = currentValues(w.f)
	before := func(s string) string { return `\at(` + s + `, AnyPrev)` }
	here := func(s string) string { return s }
	var parts []string
	equal := ""
	for _, f := range l.Functions {
		old, ok := w.rank(f, before)
		now, ok2 := w.rank(f, here)
		if !ok || !ok2 {
			return "", w.why
		}
		parts = append(parts, equal+old+" > "+now)
		equal += old + " == " + now + " && "
	}
	for i := range parts {
		if len(parts) > 1 {
			parts[i] = "(" + parts[i] + ")"
		}
	}
	return strings.Join(parts, " || "), ""
}

// rank is a ranking function as an expression of a type in which it does not overflow.
func (w *writer) rank(f verdict.RankingFunction, at func(string) string) (string, bool) {
	size := new(big.Int)
	for _, c := range f {
		n := new(big.Int).Abs(big.NewInt(c.Constant))
		for _, t := range c.Terms {
			k := new(big.Int).Lsh(new(big.Int).Abs(big.NewInt(t.Coeff)), uint(t.Bits))
			n.Add(n, k)
		}
		if n.Cmp(size) > 0 {
			size = n
		}
	}
	cast := "(long long)"
	switch {
	case size.BitLen() > 126:
		return w.none("its values fit no type of C")
	case size.BitLen() > 62:
		cast = "(__int128)"
	}
	out := ""
	for _, c := range f {
		var when []string
		for _, p := range c.When {
			old := w.rename
			w.rename = at
			text, ok := w.comparison(p)
			w.rename = old
			if !ok {
				return "", false
			}
			when = append(when, text)
		}
		failed := false
		sum := invariant.SumText(c.Terms, c.Constant, func(t invariant.Term) string {
			w.rename = at
			o, ok := w.operand(t)
			w.rename = nil
			failed = failed || !ok
			return cast + enclosed(o.as(t.Signed))
		})
		if failed {
			return "", false
		}
		if len(when) == 0 {
			out += "(" + sum + ")"
			break
		}
		out += "(" + strings.Join(when, " && ") + ") ? (" + sum + ") : "
	}
	if len(f) > 1 {
		out = "(" + out + ")"
	}
	return out, true
}

// ContractExpressions are the conditions of a contract that have a form in ACSL.
func ContractExpressions(m *ir.Module, k *invariant.Contract, sees Sees) (requires, ensures string, left []string) {
	f := m.Func(k.Func)
	side := func(list []invariant.Predicate, post bool) string {
		w := &writer{m: m, f: f, head: &invariant.Head{Func: k.Func}, sees: sees, contract: true, post: post}
		w.now = &current{f: f}
		var out []string
		for _, p := range list {
			if text, ok := w.predicate(p); ok {
				out = append(out, text)
			} else {
				left = append(left, w.why)
			}
		}
		for i := range out {
			if len(out) > 1 {
				out[i] = "(" + out[i] + ")"
			}
		}
		return strings.Join(out, " && ")
	}
	return side(k.Pre, false), side(k.Post, true), left
}

// ofContract is what a term of a contract names: a parameter, a global, or the result.
func (w *writer) ofContract(t invariant.Term) (operand, bool) {
	none := func(format string, args ...any) (operand, bool) {
		w.why = fmt.Sprintf(format, args...)
		return operand{}, false
	}
	if t.Global != "" {
		g := w.m.Global(t.Global)
		switch {
		case g == nil || g.CName == "" || t.Offset != 0 || g.CType.Bits != t.Bits || g.CType.Ptr || uint64(t.Bits) != 8*g.Size:
			return none("it is about a part of %s", t.Global)
		case !w.sees(g.CName, g.Pos, true):
			return none("%s is not visible at the function", g.CName)
		}
		o := operand{text: g.CName, bits: t.Bits, signed: g.CType.Signed, float: g.CType.Float}
		if t.Old && w.post {
			o.text = `\old(` + o.text + ")"
		}
		return o, true
	}
	if t.Value == 0 {
		if len(w.f.Results) != 1 || w.f.Results[0].Kind != ir.Int {
			return none("it is about a result that is no integer")
		}
		// The result is read as the fact reads it: of a type of this width either way a cast gives it.
		return operand{text: "(" + map[bool]string{true: signedType(t.Bits), false: unsignedType(t.Bits)}[t.Signed] + `)\result`, bits: t.Bits, signed: t.Signed}, signedType(t.Bits) != ""
	}
	for b := range w.f.Blocks {
		for _, v := range w.f.Blocks[b].Instrs {
			if d := w.f.Def(v); d.Op == ir.Dbg && len(d.Args) > 0 && d.Args[0] == t.Value && w.f.Def(t.Value).Op == ir.Param {
				c := &w.f.Vars[d.Aux]
				if c.Type.Bits == t.Bits && !c.Type.Ptr && c.Type.Float == t.Float && w.sees(c.Name, c.Pos, false) {
					return operand{text: c.Name, bits: c.Type.Bits, signed: c.Type.Signed && !c.Type.Bool, float: c.Type.Float}, true
				}
			}
		}
	}
	return none("it is about a parameter that is no number")
}
