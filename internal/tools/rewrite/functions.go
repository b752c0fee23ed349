package rewrite

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"assay/internal/logic/bitwise"
)

// This file writes the functions that operations become: a branch for each rule of package bitwise that
// fits the operation. A rule with a power of two is for a constant operand; a rule whose text
// would overflow in C is left out, as is one that has bit operations on both sides.

// prelude is the text of the functions.
func prelude(functions map[string]Operation, weaken bool) string {
	var b strings.Builder
	declared := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		o := functions[name]
		if weaken && !declared[o.Type.Name] {
			declared[o.Type.Name] = true
			fmt.Fprintf(&b, "extern %s __VERIFIER_nondet_%s(void);\n", o.Type.Name, inputName(o.Type))
		}
	}
	if weaken && len(functions) > 0 {
		b.WriteString("extern void __VERIFIER_assume(int);\n")
	}
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		b.WriteString(functions[name].function(name, weaken))
	}
	return b.String()
}

// inputName is how the verification functions call a type.
func inputName(t Type) string {
	return map[string]string{"int": "int", "unsigned int": "uint", "long": "long", "unsigned long": "ulong", "long long": "longlong", "unsigned long long": "ulonglong"}[t.Name]
}

// function is the text of the function of an operation.
func (o Operation) function(name string, weaken bool) string {
	var b strings.Builder
	parameters := o.Type.Name + " a"
	if o.Op != "~" {
		second := o.Type.Name
		if o.Op == "<<" || o.Op == ">>" {
			second = "int"
		}
		parameters += ", " + second + " b"
	}
	fmt.Fprintf(&b, "static %s %s(%s) {\n", o.Type.Name, name, parameters)
	own := "a " + o.Op + " b"
	if o.Op == "~" {
		own = "~a"
	}
	always := false
	for _, r := range o.fitting(bitwise.Rewriting()) {
		if r.when == "1" {
			fmt.Fprintf(&b, "\treturn %s; /* %s */\n", r.then, r.name)
			always = true
			break
		}
		fmt.Fprintf(&b, "\tif (%s) return %s; /* %s */\n", r.when, r.then, r.name)
	}
	switch {
	case always:
	case !weaken:
		fmt.Fprintf(&b, "\treturn %s;\n", own)
	default:
		fmt.Fprintf(&b, "\t%s r = __VERIFIER_nondet_%s();\n", o.Type.Name, inputName(o.Type))
		for _, r := range o.fitting(bitwise.Weakening()) {
			fmt.Fprintf(&b, "\tif (%s) __VERIFIER_assume(%s); /* %s */\n", r.when, r.then, r.name)
		}
		b.WriteString("\treturn r;\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// branch is a rule as C has it.
type branch struct{ name, when, then string }

// fitting are the rules for an operation, with operands exchanged, too.
func (o Operation) fitting(rules []bitwise.Rule) (list []branch) {
	view := bitwise.Unsigned
	if o.Type.Signed {
		view = bitwise.Signed
	}
	for _, r := range rules {
		if r.View&view == 0 || r.Result == nil && !slices.Contains(r.Relations, "==") {
			continue
		}
		for _, exchanged := range []bool{false, true} {
			if !o.matches(r.Match) || exchanged && (o.Op == "~" || o.Op == "<<" || o.Op == ">>") {
				continue
			}
			for _, power := range o.powers(r) {
				for _, b := range o.branches(r, exchanged, power) {
					if !slices.ContainsFunc(list, func(c branch) bool { return c.when == b.when && c.then == b.then }) {
						list = append(list, b)
					}
				}
			}
		}
	}
	return list
}

// branches are the branches of a rule. The rules round quotients down, C rounds to 0: so
// there is one for operands that are not negative, and one for the others.
func (o Operation) branches(r bitwise.Rule, exchanged bool, power int) (list []branch) {
	if power >= 0 && exchanged {
		return nil // the power is that of the constant
	}
	result := r.Result
	if result == nil {
		result = r.Weak
	}
	for _, floored := range []bool{false, true} {
		w := writer{o: o, exchanged: exchanged, power: power, floored: floored}
		when, then := w.text(r.When), w.text(result)
		if w.failed || when == "0" || power >= 0 && when != "1" {
			return nil
		}
		if !w.divides || !o.Type.Signed {
			return []branch{{r.Name, when, then}}
		}
		switch {
		case floored:
		case when == "1":
			when = "a >= 0"
		default:
			when = "a >= 0 && " + when
		}
		list = append(list, branch{r.Name, when, then})
	}
	return list
}

// matches says whether a pattern is the operation itself.
func (o Operation) matches(match bitwise.Expr) bool {
	switch m := match.(type) {
	case bitwise.Unary:
		return o.Op == "~" && m.Op == "~" && m.X == bitwise.Var("a")
	case bitwise.Binary:
		return string(m.Op) == o.Op && m.X == bitwise.Var("a") && m.Y == bitwise.Var("b")
	}
	return false
}

// powers are the k for which a rule is tried; -1 if it has none.
func (o Operation) powers(r bitwise.Rule) []int {
	if !bitwise.Mentions(r.When, "k") && !bitwise.Mentions(r.When, "p") && !bitwise.Mentions(r.Result, "p") && !bitwise.Mentions(r.Weak, "p") {
		return []int{-1}
	}
	if !o.HasConstant {
		return nil
	}
	list := make([]int, o.Type.Bits-1)
	for k := range list {
		list[k] = k
	}
	return list
}

// writer writes an expression in C. Constants are computed.
type writer struct {
	o               Operation
	exchanged       bool
	floored         bool // quotients are rounded down, also those of negative numbers
	power           int
	failed, divides bool
}

// constant is the value of an expression without operands that are not constant.
func (w *writer) constant(e bitwise.Expr) (*big.Int, bool) {
	truth := func(b bool) *big.Int {
		if b {
			return big.NewInt(1)
		}
		return new(big.Int)
	}
	switch e := e.(type) {
	case bitwise.Number:
		return big.NewInt(int64(e)), true
	case bitwise.Var:
		switch e {
		case "w":
			return big.NewInt(int64(w.o.Type.Bits)), true
		case "k", "p":
			if w.power < 0 {
				return nil, false
			}
			if e == "k" {
				return big.NewInt(int64(w.power)), true
			}
			return new(big.Int).Lsh(big.NewInt(1), uint(w.power)), true
		case "lo", "hi":
			bits := uint(w.o.Type.Bits)
			if e == "lo" && !w.o.Type.Signed {
				return new(big.Int), true
			}
			if w.o.Type.Signed {
				bits--
			}
			n := new(big.Int).Lsh(big.NewInt(1), bits)
			if e == "lo" {
				return n.Neg(n), true
			}
			return n.Sub(n, big.NewInt(1)), true
		case "b":
			if w.o.HasConstant && !w.exchanged {
				return big.NewInt(w.o.Constant), true
			}
		case "a":
			if w.o.HasConstant && w.exchanged {
				return big.NewInt(w.o.Constant), true
			}
		}
		return nil, false
	case bitwise.Unary:
		x, ok := w.constant(e.X)
		if !ok {
			return nil, false
		}
		switch e.Op {
		case "-":
			return new(big.Int).Neg(x), true
		case "!":
			return truth(x.Sign() == 0), true
		}
		return nil, false
	case bitwise.Binary:
		x, ok := w.constant(e.X)
		y, also := w.constant(e.Y)
		switch {
		case ok && x.Sign() == 0 && e.Op == "&&", also && y.Sign() == 0 && e.Op == "&&":
			return new(big.Int), true
		case !ok || !also:
			return nil, false
		}
		switch e.Op {
		case "+":
			return new(big.Int).Add(x, y), true
		case "-":
			return new(big.Int).Sub(x, y), true
		case "*":
			return new(big.Int).Mul(x, y), true
		case "/", "%":
			if x.Sign() < 0 || y.Sign() <= 0 {
				return nil, false
			}
			if e.Op == "/" {
				return new(big.Int).Quo(x, y), true
			}
			return new(big.Int).Rem(x, y), true
		case "==":
			return truth(x.Cmp(y) == 0), true
		case "!=":
			return truth(x.Cmp(y) != 0), true
		case "<":
			return truth(x.Cmp(y) < 0), true
		case "<=":
			return truth(x.Cmp(y) <= 0), true
		case ">":
			return truth(x.Cmp(y) > 0), true
		case ">=":
			return truth(x.Cmp(y) >= 0), true
		case "&&":
			return truth(x.Sign() != 0 && y.Sign() != 0), true
		case "||":
			return truth(x.Sign() != 0 || y.Sign() != 0), true
		}
	}
	return nil, false
}

// text is an expression in C.
func (w *writer) text(e bitwise.Expr) string {
	if n, ok := w.constant(e); ok {
		return w.literal(n)
	}
	switch e := e.(type) {
	case bitwise.Var:
		if w.exchanged && (e == "a" || e == "b") {
			return map[bitwise.Var]string{"a": "b", "b": "a"}[e]
		}
		if e == "a" || e == "b" || e == "r" {
			return string(e)
		}
	case bitwise.Unary:
		return string(e.Op) + w.operand(e.X)
	case bitwise.Binary:
		switch e.Op {
		case "&&", "||":
			x, y := w.text(e.X), w.text(e.Y)
			if e.Op == "&&" && x == "1" {
				return y
			}
			if e.Op == "&&" && y == "1" {
				return x
			}
			if e.Op == "||" && x == "0" {
				return y
			}
			if e.Op == "||" && y == "0" {
				return x
			}
		case "==", "!=", "<", "<=", ">", ">=":
			if w.arithmetic(e.X) || w.arithmetic(e.Y) { // it might overflow
				w.failed = true
			}
		case "-":
			if y, ok := w.constant(e.Y); ok {
				if t := w.difference(e.X, y); t != "" {
					return t
				}
			}
		case "+", "*":
		case "/", "%":
			w.divides = true
			if w.floored && w.o.Type.Signed {
				x, y := w.operand(e.X), w.operand(e.Y)
				rest := fmt.Sprintf("(%s %% %s + %s) %% %s", x, y, y, y)
				if e.Op == "/" {
					return fmt.Sprintf("(%s - %s) / %s", x, rest, y)
				}
				return rest
			}
		default:
			w.failed = true
		}
		return w.operand(e.X) + " " + string(e.Op) + " " + w.operand(e.Y)
	}
	w.failed = true
	return ""
}

// difference is x - y such that no part overflows where the whole does not: -x - y is
// written as -y - x, and x + c - y as x + (c - y). "" if it has neither form.
func (w *writer) difference(x bitwise.Expr, y *big.Int) string {
	switch x := x.(type) {
	case bitwise.Unary:
		if x.Op == "-" {
			return w.literal(new(big.Int).Neg(y)) + " - " + w.operand(x.X)
		}
	case bitwise.Binary:
		if c, ok := w.constant(x.Y); ok && x.Op == "+" {
			return w.operand(x.X) + " + " + w.literal(new(big.Int).Sub(c, y))
		}
	}
	return ""
}

// arithmetic says whether an expression computes with operands.
func (w *writer) arithmetic(e bitwise.Expr) bool {
	if _, ok := w.constant(e); ok {
		return false
	}
	b, ok := e.(bitwise.Binary)
	return ok && slices.Contains([]bitwise.Op{"+", "-", "*"}, b.Op)
}

func (w *writer) operand(e bitwise.Expr) string {
	t := w.text(e)
	if strings.Contains(t, " ") && !strings.HasPrefix(t, "(-") {
		return "(" + t + ")"
	}
	return t
}

// literal is a number in the type of the operation.
func (w *writer) literal(n *big.Int) string {
	suffix := ""
	if !w.o.Type.Signed {
		suffix = "u"
	}
	if w.o.Type.Bits == 64 {
		suffix += "ll"
	}
	if n.Sign() >= 0 {
		if n.Cmp(big.NewInt(1<<31-1)) <= 0 {
			return n.String()
		}
		return n.String() + suffix
	}
	if !w.o.Type.Signed {
		w.failed = true
		return ""
	}
	if least := big.NewInt(-(1<<31 - 1)); n.Cmp(least) >= 0 {
		return n.String()
	}
	return fmt.Sprintf("(%v%s - 1)", new(big.Int).Add(n, big.NewInt(1)), suffix)
}
