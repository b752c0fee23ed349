package bitwise

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"assay/internal/logic/smt/z3"
)

// all are all rules.
func all() []Rule { return append(slices.Clone(Rewriting()), Weakening()...) }

// names has a view's name.
var names = map[View]string{Signed: "signed", Unsigned: "unsigned"}

// mentions says that an expression has a variable.
func mentions(e Expr, v Var) bool {
	switch e := e.(type) {
	case Var:
		return e == v
	case Unary:
		return mentions(e.X, v)
	case Binary:
		return mentions(e.X, v) || mentions(e.Y, v)
	}
	return false
}

// parameter says that a rule is about each k.
func (r Rule) parameter() bool {
	for _, e := range []Expr{r.When, r.Match, r.Result, r.Weak} {
		if e != nil && (mentions(e, "k") || mentions(e, "p")) {
			return true
		}
	}
	return false
}

// machine evaluates expressions at a small width.
type machine struct {
	width     int
	view      View
	variables map[Var]int64
}

// of reads the low bits of a number in the view.
func (m *machine) of(n int64) int64 {
	n &= 1<<m.width - 1
	if m.view == Signed && n>>(m.width-1) != 0 {
		n -= 1 << m.width
	}
	return n
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (m *machine) eval(e Expr) int64 {
	switch e := e.(type) {
	case Var:
		v, ok := m.variables[e]
		if !ok {
			panic("no variable " + e)
		}
		return v
	case Number:
		return int64(e)
	case Unary:
		x := m.eval(e.X)
		switch e.Op {
		case "-":
			return -x
		case "!":
			return truth(x == 0)
		case "~":
			return m.of(^x)
		}
	case Binary:
		x := m.eval(e.X)
		if e.Op == "&&" || e.Op == "||" {
			if (x != 0) == (e.Op == "||") {
				return truth(x != 0)
			}
			return truth(m.eval(e.Y) != 0)
		}
		y := m.eval(e.Y)
		mask := int64(1)<<m.width - 1
		switch e.Op {
		case "==":
			return truth(x == y)
		case "!=":
			return truth(x != y)
		case "<":
			return truth(x < y)
		case "<=":
			return truth(x <= y)
		case ">":
			return truth(x > y)
		case ">=":
			return truth(x >= y)
		case "+":
			return x + y
		case "-":
			return x - y
		case "*":
			return x * y
		case "/", "%":
			if y <= 0 {
				panic("a divisor that is not positive")
			}
			rest := (x%y + y) % y
			if e.Op == "%" {
				return rest
			}
			return (x - rest) / y
		case "&":
			return m.of(x & y)
		case "|":
			return m.of(x | y)
		case "^":
			return m.of(x ^ y)
		case "<<":
			return m.of(x << y)
		case ">>":
			return m.of(x >> y) // of a number of the view: its sign, if it has one
		case ">>>":
			return m.of(x & mask >> y)
		}
	}
	panic(fmt.Sprintf("unexpected %v", e))
}

// holds says that a rule is right about these operands, and whether its condition is met.
func (m *machine) holds(r Rule) (right, met bool) {
	if m.eval(r.When) == 0 {
		return true, false
	}
	match := m.eval(r.Match)
	if r.Result != nil {
		return m.eval(r.Result) == match, true
	}
	for x := m.variables["lo"]; x <= m.variables["hi"]; x++ {
		m.variables["r"] = x
		for _, relation := range r.Relations {
			if m.eval(Binary{relation, Var("r"), Number(match)}) != 0 && m.eval(r.Weak) == 0 {
				return false, true
			}
		}
	}
	return true, true
}

// TestExhaustive tries all operands at 1 to 5 bits, and every k.
func TestExhaustive(t *testing.T) {
	for _, r := range all() {
		met := 0
		for width := 1; width <= 5; width++ {
			for _, view := range []View{Signed, Unsigned} {
				if r.View&view == 0 {
					continue
				}
				lo, hi := int64(0), int64(1)<<width-1
				if view == Signed {
					lo, hi = -1<<(width-1), 1<<(width-1)-1
				}
				for k := range int64(width) + 1 {
					if k > 0 && !r.parameter() {
						break
					}
					for a := lo; a <= hi; a++ {
						for b := lo; b <= hi; b++ {
							m := &machine{width, view, map[Var]int64{"a": a, "b": b, "k": k, "p": 1 << k, "w": int64(width), "lo": lo, "hi": hi}}
							right, is := m.holds(r)
							if !right {
								t.Fatalf("%s, %s, %d bits: %v", r.Name, names[view], width, m.variables)
							}
							met += int(truth(is))
						}
					}
				}
			}
		}
		if met == 0 {
			t.Errorf("%s: the condition is never met", r.Name)
		}
	}
}

// script writes a rule as a question to Z3. Integers are bit-vectors that are wide
// enough for all that the rules compute. A quotient and its rest are what they are
// defined by, two new constants.
type script struct {
	width, wide int
	view        View
	k           int
	out         strings.Builder
	fresh       int
}

func (s *script) number(n int64) string {
	if n < 0 {
		return "(bvneg " + s.number(-n) + ")"
	}
	return fmt.Sprintf("(_ bv%d %d)", n, s.wide)
}

// power is 2^k.
func (s *script) power(k int) string {
	return fmt.Sprintf("(bvshl (_ bv1 %d) (_ bv%d %d))", s.wide, k, s.wide)
}

// widen reads a bit-vector in the view.
func (s *script) widen(x string) string {
	how := "sign_extend"
	if s.view == Unsigned {
		how = "zero_extend"
	}
	return fmt.Sprintf("((_ %s %d) %s)", how, s.wide-s.width, x)
}

// narrow has the low bits of an integer.
func (s *script) narrow(x string) string {
	return fmt.Sprintf("((_ extract %d 0) %s)", s.width-1, x)
}

// flag is 1 or 0.
func (s *script) flag(condition string) string {
	return fmt.Sprintf("(ite %s %s %s)", condition, s.number(1), s.number(0))
}

// is is an expression as a condition.
func (s *script) is(e Expr) string {
	return fmt.Sprintf("(distinct %s %s)", s.term(e), s.number(0))
}

// term is an expression as an integer.
func (s *script) term(e Expr) string {
	switch e := e.(type) {
	case Var:
		switch e {
		case "k":
			return s.number(int64(s.k))
		case "p":
			return s.power(s.k)
		case "w":
			return s.number(int64(s.width))
		case "lo":
			if s.view == Signed {
				return "(bvneg " + s.power(s.width-1) + ")"
			}
			return s.number(0)
		case "hi":
			if s.view == Signed {
				return fmt.Sprintf("(bvsub %s %s)", s.power(s.width-1), s.number(1))
			}
			return fmt.Sprintf("(bvsub %s %s)", s.power(s.width), s.number(1))
		}
		return s.widen(string(e))
	case Number:
		return s.number(int64(e))
	case Unary:
		switch e.Op {
		case "-":
			return "(bvneg " + s.term(e.X) + ")"
		case "!":
			return s.flag("(not " + s.is(e.X) + ")")
		case "~":
			return s.widen("(bvnot " + s.narrow(s.term(e.X)) + ")")
		}
	case Binary:
		switch e.Op {
		case "&&":
			return s.flag("(and " + s.is(e.X) + " " + s.is(e.Y) + ")")
		case "||":
			return s.flag("(or " + s.is(e.X) + " " + s.is(e.Y) + ")")
		}
		x, y := s.term(e.X), s.term(e.Y)
		shift := map[View]string{Signed: "bvashr", Unsigned: "bvlshr"}[s.view]
		switch e.Op {
		case "==", "!=":
			return s.flag(map[Op]string{"==": "(=", "!=": "(distinct"}[e.Op] + " " + x + " " + y + ")")
		case "<", "<=", ">", ">=":
			return s.flag(map[Op]string{"<": "(bvslt", "<=": "(bvsle", ">": "(bvsgt", ">=": "(bvsge"}[e.Op] + " " + x + " " + y + ")")
		case "+", "-", "*":
			return map[Op]string{"+": "(bvadd", "-": "(bvsub", "*": "(bvmul"}[e.Op] + " " + x + " " + y + ")"
		case "/", "%":
			s.fresh++
			q, r := fmt.Sprintf("q%d", s.fresh), fmt.Sprintf("r%d", s.fresh)
			fmt.Fprintf(&s.out, "(declare-const %s (_ BitVec %d))(declare-const %s (_ BitVec %d))\n", q, s.wide, r, s.wide)
			bound := s.power(s.width + 1)
			fmt.Fprintf(&s.out, "(assert (and (= %s (bvadd (bvmul %s %s) %s)) (bvsle (bvneg %s) %s) (bvsle %s %s) (bvsle %s %s) (bvslt %s %s)))\n",
				x, q, y, r, bound, q, q, bound, s.number(0), r, r, y)
			if e.Op == "/" {
				return q
			}
			return r
		case "&", "|", "^", "<<", ">>", ">>>":
			op := map[Op]string{"&": "bvand", "|": "bvor", "^": "bvxor", "<<": "bvshl", ">>": shift, ">>>": "bvlshr"}[e.Op]
			return s.widen(fmt.Sprintf("(%s %s %s)", op, s.narrow(x), s.narrow(y)))
		}
	}
	panic(fmt.Sprintf("unexpected %v", e))
}

// question asserts that a rule is wrong.
func (s *script) question(r Rule, relation Op) string {
	s.wide = 2*s.width + 8
	for _, v := range []string{"a", "b", "r"} {
		fmt.Fprintf(&s.out, "(declare-const %s (_ BitVec %d))\n", v, s.width)
	}
	when := s.is(r.When)
	var wrong string
	if r.Result != nil {
		wrong = fmt.Sprintf("(distinct %s %s)", s.term(r.Match), s.term(r.Result))
	} else {
		wrong = fmt.Sprintf("(and %s (not %s))", s.is(Binary{relation, Var("r"), r.Match}), s.is(r.Weak))
	}
	return fmt.Sprintf("(push)\n%s(assert %s)\n(assert %s)\n(check-sat-using (then simplify propagate-values solve-eqs simplify bit-blast sat))\n(pop)\n", &s.out, when, wrong)
}

// parameters are the k for which a rule is proved: all at 8 bits, and at more
// the least, the greatest and some between. A rule without k is proved once.
func (r Rule) parameters(width int) (ks []int) {
	for k := 0; k <= width; k++ {
		if width <= 8 || k < 2 || k%24 == 0 || k >= width-2 {
			ks = append(ks, k)
		}
	}
	if !r.parameter() {
		return ks[:1]
	}
	return ks
}

// TestProofs proves each rule by Z3.
func TestProofs(t *testing.T) {
	widths := []int{8, 16, 32, 64}
	questions := 0
	for _, r := range all() {
		for _, view := range []View{Signed, Unsigned} {
			if r.View&view == 0 {
				continue
			}
			var text strings.Builder
			var asked []string
			for _, width := range widths {
				for _, k := range r.parameters(width) {
					relations := r.Relations
					if r.Result != nil {
						relations = equal
					}
					for _, relation := range relations {
						s := &script{width: width, view: view, k: k}
						text.WriteString(s.question(r, relation))
						asked = append(asked, fmt.Sprintf("%s, %s, %d bits, k = %d, %s", r.Name, names[view], width, k, relation))
					}
				}
			}
			z, err := z3.NewScript()
			if err != nil {
				t.Fatal(err)
			}
			out, err := z.Eval(context.Background(), text.String())
			z.Close()
			if err != nil {
				t.Fatalf("%s: %v", r.Name, err)
			}
			answers := strings.Fields(out)
			if len(answers) != len(asked) {
				t.Fatalf("%s: %d answers to %d questions: %.200s", r.Name, len(answers), len(asked), out)
			}
			for i, a := range answers {
				if a != "unsat" {
					t.Errorf("%s: %s", asked[i], a)
				}
			}
			questions += len(asked)
		}
	}
	t.Logf("%d rules, %d questions", len(all()), questions)
}

// TestWrongRules: rules with a slip are refuted in both ways.
func TestWrongRules(t *testing.T) {
	for _, r := range []Rule{
		rewrite("low bits of a signed one with C's rest", Signed, "b == p - 1", "a & b", "a - a / p"),
		rewrite("all is 0", Either, "b == 0", "a | b", "0"),
		rewrite("no range", Either, "b == k && k < w", "a << b", "a * p"),
		weaken("no sign", Signed, "1", atMost, "a & b", "r <= a"),
		weaken("the other relation", Either, "a >= 0 && b >= 0", atLeast, "a & b", "r <= a"),
	} {
		exhaustive := false
		for a := int64(-4); a <= 3 && !exhaustive; a++ {
			for b := int64(-4); b <= 3; b++ {
				for k := range int64(4) {
					m := &machine{3, Signed, map[Var]int64{"a": a, "b": b, "k": k, "p": 1 << k, "w": 3, "lo": -4, "hi": 3}}
					right, _ := m.holds(r)
					exhaustive = exhaustive || !right
				}
			}
		}
		proved := true
		z, err := z3.NewScript()
		if err != nil {
			t.Fatal(err)
		}
		for k := range 9 {
			relations := r.Relations
			if r.Result != nil {
				relations = equal
			}
			for _, relation := range relations {
				s := &script{width: 8, view: Signed, k: k}
				out, err := z.Eval(context.Background(), s.question(r, relation))
				if err != nil {
					t.Fatal(err)
				}
				proved = proved && strings.TrimSpace(out) == "unsat"
			}
		}
		z.Close()
		if !exhaustive || proved {
			t.Errorf("%s: refuted by trying: %t, proved: %t", r.Name, exhaustive, proved)
		}
	}
}

// TestPrint: expressions are printed so that they are read back.
func TestPrint(t *testing.T) {
	for _, r := range all() {
		for _, e := range []Expr{r.When, r.Match, r.Result, r.Weak} {
			if e != nil && parse(e.String()) != e {
				t.Errorf("%s: %v is read as %v", r.Name, e, parse(e.String()))
			}
		}
	}
}
