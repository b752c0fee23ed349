package show

import (
	"cmp"
	"fmt"
	"math/big"
	"strings"

	"assay/internal/evidence/invariant"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// This file writes facts about loops as C expressions that somebody else evaluates at the loop: witnesses. The
// texts of package invariant are meant over the integers; here each operand is cast such that C's
// conversions and promotions give the same: to a signed type in which nothing overflows, or, for
// equations modulo the size of a type, to an unsigned one. An expression changes nothing, reads no memory but that of
// variables, and its variables are those that have the values at the loop (current.go).

// Sees says whether a name means the variable that is declared at a place, at the loop in question.
type Sees func(name string, declared ir.Pos, global bool) bool

// Expressions are the facts of a loop head that have a form in C. Of the others left says why not.
func Expressions(m *ir.Module, h *invariant.Head, sees Sees) (texts, left []string) {
	w := &writer{m: m, f: m.Func(h.Func), head: h, sees: sees}
	w.now = currentValues(w.f)
	seen := map[string]bool{}
	add := func(text string, ok bool) {
		switch {
		case !ok:
			left = append(left, w.why)
		case text != "1" && !seen[text]:
			seen[text] = true
			texts = append(texts, text)
		}
	}
	for _, p := range h.Predicates {
		if !invariant.Trivial(p) {
			add(w.predicate(p))
		}
	}
	if len(h.Calls) > 0 {
		if n := len(h.Clauses) + len(h.Formulas); n > 0 {
			left = append(left, fmt.Sprintf("%d facts that hold for some callers only", n))
		}
		return texts, left
	}
	for _, c := range h.Clauses {
		add(w.clause(c))
	}
	for i := range h.Formulas {
		add(w.formula(&h.Formulas[i]))
	}
	return texts, left
}

// writer writes the facts of one head.
type writer struct {
	m    *ir.Module
	f    *ir.Func
	head *invariant.Head
	now  *current
	sees Sees
	why  string // the last fact has no form in C
	// rename, if set, changes the names of variables.
	rename func(string) string
	// contract says that the facts are those of a function, post that they hold at its end.
	contract, post bool
}

// none says why something has no form in C.
func (w *writer) none(format string, args ...any) (string, bool) {
	w.why = fmt.Sprintf(format, args...)
	return "", false
}

// operand is what a term names: an expression of C of an integer type, with its width and sign there.
type operand struct {
	text   string
	bits   uint32
	signed bool
	float  bool
}

// operand finds the variable of a term.
func (w *writer) operand(t invariant.Term) (operand, bool) {
	none := func(why string) (operand, bool) {
		w.why = why
		return operand{}, false
	}
	if w.contract {
		return w.ofContract(t)
	}
	if t.Up > 0 || t.Index || t.Stride != 0 || t.Value == 0 && t.Global == "" {
		return none("it is about elements, or about callers")
	}
	d := w.f.Def(t.Value)
	fits := func(c ir.CType, name string, declared ir.Pos, global bool) (operand, bool) {
		switch {
		case c.Ptr:
			return none("it is about the place that " + name + " points to")
		case c.Bits != t.Bits || c.Float != t.Float || c.Bits == 0:
			return none("it is about a part of " + name)
		case !w.sees(name, declared, global):
			return none(name + " is not visible at the loop")
		}
		if w.rename != nil {
			name = w.rename(name)
		}
		return operand{text: name, bits: c.Bits, signed: c.Signed && !c.Bool, float: c.Float}, true
	}
	if t.Cell || t.Global != "" {
		if d.Op == ir.GlobalAddr || t.Global != "" {
			g := w.m.Global(cmp.Or(t.Global, d.Sym))
			if g == nil || g.CName == "" {
				return none("it is about an object without a name")
			}
			if g.CType.Bits == t.Bits && t.Offset == 0 && uint64(t.Bits) == 8*g.Size && !strings.ContainsAny(g.CType.Name, "[{") {
				return fits(g.CType, g.CName, g.Pos, true)
			}
			return w.element(t, g, none)
		}
		if k, ok := w.now.memory[t.Value]; ok && k >= 0 && t.Offset == 0 {
			v := &w.f.Vars[k]
			return fits(v.Type, v.Name, v.Pos, false)
		}
		return none("it is about memory behind a pointer")
	}
	if d.Op == ir.Const && d.Type.Kind == ir.Int && d.Type.Bits <= 64 {
		if t.Signed {
			return operand{text: Literal(d.Const.Signed()), bits: max(t.Bits, 32), signed: true}, true
		}
		return operand{text: Literal(d.Const.Unsigned()), bits: 64, signed: true}, true
	}
	if d.Type.Kind == ir.Ptr {
		return none("it is about the place that a pointer points to")
	}
	why := "a value that no variable has there"
	for _, v := range w.now.variables(w.head.Head, t.Value) {
		if o, ok := fits(v.Type, v.Name, v.Pos, false); ok {
			return o, true
		}
		why = w.why
	}
	return none(why)
}

// element is an element of a global array of integers.
func (w *writer) element(t invariant.Term, g *ir.Global, none func(string) (operand, bool)) (operand, bool) {
	size := uint64(t.Bits / 8)
	base, count, isArray := strings.Cut(g.CType.Name, "[")
	types := map[string]operand{
		"int": {bits: 32, signed: true}, "unsigned int": {bits: 32}, "char": {bits: 8, signed: true}, "signed char": {bits: 8, signed: true}, "unsigned char": {bits: 8},
		"short": {bits: 16, signed: true}, "unsigned short": {bits: 16}, "long long": {bits: 64, signed: true}, "unsigned long long": {bits: 64},
		"long": {bits: w.m.PointerBits, signed: true}, "unsigned long": {bits: w.m.PointerBits},
	}
	o, known := types[strings.TrimSpace(base)]
	if !isArray || strings.Contains(count, "[") || !known || o.bits != t.Bits || size == 0 || t.Offset%size != 0 || t.Offset+size > g.Size {
		return none("it is about a part of " + g.CName)
	}
	if !w.sees(g.CName, g.Pos, true) {
		return none(g.CName + " is not visible at the loop")
	}
	o.text = fmt.Sprintf("%s[%d]", g.CName, t.Offset/size)
	return o, true
}

// signedType and unsignedType are the types of a width, for both data models.
func signedType(bits uint32) string {
	return map[uint32]string{8: "signed char", 16: "short", 32: "int", 64: "long long", 128: "__int128"}[bits]
}

func unsignedType(bits uint32) string {
	return map[uint32]string{8: "unsigned char", 16: "unsigned short", 32: "unsigned int", 64: "unsigned long long"}[bits]
}

// as is the operand read as signed or not, as an expression whose value is that integer.
func (o operand) as(signed bool) string {
	switch {
	case o.signed == signed:
		return o.text
	case signed:
		return "(" + signedType(o.bits) + ")" + enclosed(o.text)
	}
	return "(" + unsignedType(o.bits) + ")" + enclosed(o.text)
}

// enclosed is an expression to which a cast can be applied.
func enclosed(s string) string {
	if strings.ContainsAny(s, " -") {
		return "(" + s + ")"
	}
	return s
}

// Literal is an integer as a constant expression of C, with a suffix if int cannot hold it.
func Literal(n *big.Int) string {
	switch {
	case n.IsInt64() && n.Int64() == -1<<63:
		return "(-9223372036854775807LL - 1)"
	case n.BitLen() <= 31 && n.Cmp(big.NewInt(-1<<31)) != 0:
		return n.String()
	case n.BitLen() <= 63:
		return n.String() + "LL"
	}
	return n.String() + "ULL"
}

// predicate is a predicate as an expression.
func (w *writer) predicate(p invariant.Predicate) (string, bool) {
	switch p := p.(type) {
	case invariant.Comparison:
		return w.comparison(p)
	case invariant.Order:
		return w.order(p)
	case invariant.Guarded:
		var parts []string
		for _, c := range p.If {
			text, ok := w.comparison(c)
			if !ok {
				return "", false
			}
			parts = append(parts, "!("+text+")")
		}
		then, ok := w.predicate(p.Then)
		return strings.Join(append(parts, "("+then+")"), " || "), ok
	case *invariant.Polynomial:
		return w.polynomial(p)
	case invariant.ForAll:
		return w.none("it is about all elements of a range")
	case *invariant.SumEquation:
		return w.none("it is about a sum of elements")
	}
	panic(invariant.Unexpected(p))
}

// operands finds the variables of terms.
func (w *writer) operands(terms []invariant.Term) (map[invariant.Term]operand, bool) {
	out := map[invariant.Term]operand{}
	for _, t := range terms {
		o, ok := w.operand(t)
		if !ok {
			return nil, false
		}
		t.Coeff = 0
		out[t] = o
	}
	return out, true
}

// comparison is a comparison of sums.
func (w *writer) comparison(p invariant.Comparison) (string, bool) {
	of, ok := w.operands(p.Terms)
	if !ok {
		return "", false
	}
	lookup := func(t invariant.Term) operand {
		t.Coeff = 0
		return of[t]
	}
	if len(p.Terms) == 1 && (p.Terms[0].Coeff == 1 || p.Terms[0].Coeff == -1) {
		if text, ok := single(p, lookup(p.Terms[0])); ok {
			return text, true
		}
	}
	if p.Relation == invariant.Congruent && p.Modulus != 1 && p.Modulus&(p.Modulus-1) == 0 {
		return w.modular(p, lookup)
	}
	// The sides are sums of positive multiples; nothing wraps in a type that holds the greater one.
	sides := [2]*big.Int{new(big.Int), new(big.Int)}
	plain := true // int holds all operands
	for _, t := range p.Terms {
		o := lookup(t)
		side := 0
		if t.Coeff < 0 {
			side = 1
		}
		n := new(big.Int).Lsh(big.NewInt(1), uint(t.Bits))
		n.Mul(n, new(big.Int).Abs(big.NewInt(t.Coeff)))
		sides[side].Add(sides[side], n)
		plain = plain && (o.bits < 32 || o.bits == 32 && t.Signed)
	}
	extra := new(big.Int).Abs(p.Bound)
	if p.Relation == invariant.Congruent {
		extra.Add(extra, sides[1]) // all on one side
	}
	bits := uint32(max(new(big.Int).Add(sides[0], extra).BitLen(), new(big.Int).Add(sides[1], extra).BitLen()))
	cast := ""
	switch {
	case bits <= 31 && plain:
	case bits <= 63:
		cast = "(long long)"
	case bits <= 127 && p.Bound.BitLen() <= 63 && p.Mod().BitLen() <= 63:
		cast = "(__int128)"
	case len(p.Terms) == 2 && p.Terms[0].Coeff == -p.Terms[1].Coeff && p.Bound.Sign() == 0 && p.Relation != invariant.Congruent:
		// A comparison of two variables of one type needs no cast.
	default:
		return w.none("it compares numbers that no type of C holds")
	}
	if pairwise(p, lookup) {
		cast = ""
	}
	if cast == "" && !plain && !pairwise(p, lookup) {
		return w.none("it compares numbers that no type of C holds")
	}
	return p.Text(func(t invariant.Term) string {
		text := lookup(t).as(t.Signed)
		if cast != "" {
			return cast + enclosed(text)
		}
		return text
	}), true
}

// pairwise says that a comparison is one of two operands of one type, which C compares as they are.
func pairwise(p invariant.Comparison, lookup func(invariant.Term) operand) bool {
	if len(p.Terms) != 2 || p.Bound.Sign() != 0 || p.Relation == invariant.Congruent {
		return false
	}
	s, t := p.Terms[0], p.Terms[1]
	return s.Coeff*t.Coeff == -1 && s.Signed == t.Signed && lookup(s).bits == lookup(t).bits
}

// single is a comparison of one variable with a constant of its type; false if it is not one.
func single(p invariant.Comparison, o operand) (string, bool) {
	t := p.Terms[0]
	bound := new(big.Int).Set(p.Bound)
	if t.Coeff < 0 {
		bound.Neg(bound)
	}
	op := "<="
	switch {
	case p.Relation == invariant.NotEqual:
		op = "!="
	case p.Relation == invariant.Congruent:
		if p.Mod().BitLen() != int(t.Bits)+1 || p.Modulus&(p.Modulus-1) != 0 {
			return "", false
		}
		op = "=="
		x := bv.FromBig(t.Bits, bound)
		if bound = x.Unsigned(); t.Signed {
			bound = x.Signed()
		}
	case t.Coeff < 0:
		op = ">="
	}
	least, most := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(t.Bits))
	if t.Signed {
		most.Rsh(most, 1)
		least.Neg(most)
	}
	if bound.Cmp(least) < 0 || bound.Cmp(most) >= 0 {
		return "", false
	}
	text := Literal(bound)
	if !t.Signed && t.Bits >= 32 {
		text = strings.TrimRight(text, "UL")
		if text += "U"; bound.BitLen() > 32 {
			text += "LL"
		}
	}
	return o.as(t.Signed) + " " + op + " " + text, true
}

// modular is an equation modulo a power of two, in an unsigned type.
func (w *writer) modular(p invariant.Comparison, lookup func(invariant.Term) operand) (string, bool) {
	width := uint32(p.Mod().BitLen()) - 1
	for _, t := range p.Terms {
		if width > t.Bits && width > 64 {
			return w.none("it is about more bits than a type of C has")
		}
	}
	word := uint32(32)
	if width > 32 {
		word = 64
	}
	cast := "(" + unsignedType(word) + ")"
	suffix := map[uint32]string{32: "U", 64: "ULL"}[word]
	sides := [2][]string{}
	mask := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(width)), big.NewInt(1))
	put := func(n *big.Int, what string) {
		c := bv.FromBig(width, n)
		k, side := c.Unsigned(), 0
		if s := c.Signed(); s.Sign() < 0 && s.BitLen() < int(width) {
			k, side = s.Neg(s), 1
		}
		switch {
		case k.Sign() == 0:
		case what == "":
			sides[side] = append(sides[side], k.String()+suffix)
		case k.Cmp(big.NewInt(1)) == 0:
			sides[side] = append(sides[side], what)
		default:
			sides[side] = append(sides[side], k.String()+suffix+"*"+what)
		}
	}
	for _, t := range p.Terms {
		put(big.NewInt(t.Coeff), cast+enclosed(lookup(t).as(t.Signed)))
	}
	put(new(big.Int).Neg(p.Bound), "")
	text := func(s []string) string {
		if len(s) == 0 {
			return "0" + suffix
		}
		return strings.Join(s, " + ")
	}
	left, right := text(sides[0]), text(sides[1])
	if width != word {
		return fmt.Sprintf("((%s) & %s%s) == ((%s) & %s%s)", left, mask, suffix, right, mask, suffix), true
	}
	return left + " == " + right, true
}

// polynomial is an equation of products modulo a power of two.
func (w *writer) polynomial(p *invariant.Polynomial) (string, bool) {
	word := uint32(32)
	if p.Width > 32 {
		word = 64
	}
	cast, suffix := "("+unsignedType(word)+")", map[uint32]string{32: "U", 64: "ULL"}[word]
	sides := [2][]string{}
	for _, mono := range p.Monomials {
		c := bv.New(p.Width, mono.Coeff)
		k, side := c.Unsigned(), 0
		if s := c.Signed(); s.Sign() < 0 && s.BitLen() < int(p.Width) {
			k, side = s.Neg(s), 1
		}
		if k.Sign() == 0 {
			continue
		}
		var factors []string
		if k.Cmp(big.NewInt(1)) != 0 || len(mono.Factors) == 0 {
			factors = append(factors, k.String()+suffix)
		}
		for _, t := range mono.Factors {
			o, ok := w.operand(t)
			if !ok {
				return "", false
			}
			factors = append(factors, cast+enclosed(o.as(t.Signed)))
		}
		sides[side] = append(sides[side], strings.Join(factors, "*"))
	}
	text := func(s []string) string {
		if len(s) == 0 {
			return "0" + suffix
		}
		return strings.Join(s, " + ")
	}
	if p.Width != word {
		mask := uint64(1)<<p.Width - 1
		return fmt.Sprintf("((%s) & %d%s) == ((%s) & %d%s)", text(sides[0]), mask, suffix, text(sides[1]), mask, suffix), true
	}
	return text(sides[0]) + " == " + text(sides[1]), true
}

// order is a bound of a float, or the order of two.
func (w *writer) order(p invariant.Order) (string, bool) {
	of := map[ir.Value]operand{}
	for _, t := range p.Terms {
		o, ok := w.operand(t)
		switch {
		case !ok:
			return "", false
		case t.Bits != 32 && t.Bits != 64:
			return w.none("it is about a float of %d bits", t.Bits)
		}
		of[t.Value] = o
	}
	if len(p.Terms) == 1 && invariant.Position(p.FloatBound()) == invariant.Infinity(p.Terms[0].Bits) && p.Terms[0].Coeff > 0 ||
		len(p.Terms) == 1 && invariant.Position(p.FloatBound()) == -invariant.Infinity(p.Terms[0].Bits) && p.Terms[0].Coeff < 0 {
		x := of[p.Terms[0].Value].text
		return x + " == " + x, true // it is no NaN
	}
	text := p.Text(func(t invariant.Term) string { return of[t.Value].text })
	if strings.Contains(text, "INFINITY") || strings.Contains(text, "NAN") {
		return w.none("it is about infinity")
	}
	return text, true
}

// clause is a disjunction of bits.
func (w *writer) clause(c invariant.Clause) (string, bool) {
	var out []string
	for _, l := range c {
		t := l.Term
		o, ok := w.operand(t)
		if !ok {
			return "", false
		}
		word := max(32, o.bits)
		text := fmt.Sprintf("(((%s)%s >> %d) & 1)", unsignedType(word), enclosed(o.as(false)), l.Bit)
		if l.Negated {
			text = "!" + text
		}
		out = append(out, text)
	}
	if len(out) == 0 {
		return "0", true
	}
	return strings.Join(out, " || "), true
}
