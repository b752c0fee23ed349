package main

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/internal/temporal/ctl"
)

var randomCTL = flag.Int("random-ctl", 40, "how many random programs, with a formula each")

// A random program has two globals, unsigned char a and signed char b, or int that wrap, or int over mathematical integers, and is compared with
// a list of all its states. Its instructions are steps, which makes no difference to formulas without X. States from which all
// runs break an assumption do not exist.

// instruction assigns to a variable, branches, or ends the program.
type instruction struct {
	of     byte // 'a' or 'b'; '?' branches, '!' assumes, 0 ends
	value  func(a, b int) []int
	holds  func(a, b int) bool
	target int // of a branch that is not taken
}

type generator struct {
	r    *rand.Rand
	wide bool // int
	code []instruction
	text strings.Builder
}

// value is a random expression.
func (g *generator) value() (text string, of func(a, b int) []int) {
	n := g.r.IntN(90) - 30
	if g.wide && g.r.IntN(5) == 0 {
		if g.r.IntN(2) == 0 {
			return fmt.Sprintf("a * b - 3 * a + %d", n), func(a, b int) []int { return []int{a*b - 3*a + n} }
		}
		return fmt.Sprintf("a * a - 6 * b * b + 7 * b - %d", n), func(a, b int) []int { return []int{a*a - 6*b*b + 7*b - n} }
	}
	switch g.r.IntN(6) {
	case 0:
		return fmt.Sprint(n), func(int, int) []int { return []int{n} }
	case 1:
		return fmt.Sprintf("a + %d", n), func(a, _ int) []int { return []int{a + n} }
	case 2:
		return fmt.Sprintf("b - %d", n), func(_, b int) []int { return []int{b - n} }
	case 3:
		return "a - b", func(a, b int) []int { return []int{a - b} }
	case 4:
		return "__VERIFIER_nondet_bool() ? a : b + 1", func(a, b int) []int { return []int{a, b + 1} }
	}
	most := 256
	if g.wide {
		most = 8
	}
	text = "__VERIFIER_nondet_uchar()"
	if g.wide {
		text += " % 8"
	}
	return text, func(int, int) []int {
		all := make([]int, most)
		for i := range all {
			all[i] = i
		}
		return all
	}
}

// comparison is a random condition.
func (g *generator) comparison() (text string, of func(a, b int) bool) {
	n := g.r.IntN(120) - 40
	switch g.r.IntN(5) {
	case 0:
		return fmt.Sprintf("a < %d", n), func(a, _ int) bool { return a < n }
	case 1:
		return fmt.Sprintf("b >= %d", n), func(_, b int) bool { return b >= n }
	case 2:
		return "a > b", func(a, b int) bool { return a > b }
	case 3:
		return fmt.Sprintf("a == %d", n), func(a, _ int) bool { return a == n }
	}
	return fmt.Sprintf("b != %d", n), func(_, b int) bool { return b != n }
}

func (g *generator) statements(count, depth int) {
	for range count {
		switch kind := g.r.IntN(8); {
		case kind == 0 && depth > 0:
			text, holds := g.comparison()
			fmt.Fprintf(&g.text, "while (%s) {\n", text)
			head := len(g.code)
			g.code = append(g.code, instruction{of: '?', holds: holds})
			g.statements(1+g.r.IntN(2), depth-1)
			g.code = append(g.code, instruction{of: '?', holds: func(int, int) bool { return false }, target: head})
			g.code[head].target = len(g.code)
			g.text.WriteString("}\n")
		case kind <= 2 && depth > 0:
			text, holds := g.comparison()
			fmt.Fprintf(&g.text, "if (%s) {\n", text)
			head := len(g.code)
			g.code = append(g.code, instruction{of: '?', holds: holds})
			g.statements(1+g.r.IntN(2), depth-1)
			if g.r.IntN(5) == 0 {
				g.text.WriteString([]string{"return 0;\n", "exit(1);\n", "abort();\n"}[g.r.IntN(3)])
				g.code = append(g.code, instruction{})
			}
			g.code[head].target = len(g.code)
			g.text.WriteString("}\n")
		case kind == 3 && g.r.IntN(2) == 0:
			text, holds := g.comparison()
			fmt.Fprintf(&g.text, "__VERIFIER_assume(%s);\n", text)
			g.code = append(g.code, instruction{of: '!', holds: holds})
		default:
			text, of := g.value()
			variable := "ab"[g.r.IntN(2)]
			fmt.Fprintf(&g.text, "%c = %s;\n", variable, text)
			g.code = append(g.code, instruction{of: variable, value: of})
		}
	}
}

func (g *generator) formula(depth int) string {
	if depth == 0 || g.r.IntN(6) == 0 {
		text, _ := g.comparison()
		return "(" + text + ")"
	}
	f := func() string { return g.formula(depth - 1) }
	q := "AE"[g.r.IntN(2)]
	if g.r.IntN(8) == 0 { // CTL*
		text := []string{"(Q G F (f))", "(Q F G (f))", "(Q(F(f) && G(g)))", "(Q(G F (f) -> F(g)))", "(Q(G(f) || F G (g)))", "(Q(G(f) && G F (g)))"}[g.r.IntN(6)]
		return strings.NewReplacer("Q", string(q), "f", f(), "g", f()).Replace(text)
	}
	switch g.r.IntN(8) {
	case 0:
		return "!(" + f() + ")"
	case 1:
		return "(" + f() + " && " + f() + ")"
	case 2:
		return "(" + f() + " || " + f() + ")"
	case 3, 4:
		return fmt.Sprintf("%cF(%s)", q, f())
	case 5, 6:
		return fmt.Sprintf("%cG(%s)", q, f())
	}
	return fmt.Sprintf("%c[(%s) U (%s)]", q, f(), f())
}

// machine is a state of the program.
type machine struct{ at, a, b int }

// explicitStates lists the states that are reached, and their successors; nil if there are too many.
func explicitStates(code []instruction, wide, wraps bool) map[machine][]machine {
	next := map[machine][]machine{}
	work := []machine{{}}
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		if _, seen := next[s]; seen {
			continue
		}
		if len(next) > 60_000 {
			return nil
		}
		var list []machine
		switch c := code[s.at]; c.of {
		case 0:
			list = []machine{s}
		case '!':
			if c.holds(s.a, s.b) {
				list = []machine{{s.at + 1, s.a, s.b}}
			}
		case '?':
			t := machine{s.at + 1, s.a, s.b}
			if !c.holds(s.a, s.b) {
				t.at = c.target
			}
			list = []machine{t}
		default:
			for _, v := range c.value(s.a, s.b) {
				t := machine{s.at + 1, s.a, s.b}
				switch {
				case wide && wraps:
					v = int(int32(v))
				case wide && (v < -maxWide || v > maxWide):
					return nil
				}
				if wide && c.of == 'a' {
					t.a = v
				} else if wide {
					t.b = v
				} else if c.of == 'a' {
					t.a = int(uint8(v))
				} else {
					t.b = int(int8(v))
				}
				list = append(list, t)
			}
		}
		next[s] = list
		work = append(work, list...)
	}
	return existing(next)
}

// maxWide bounds the numbers of a program over mathematical integers.
const maxWide = 3000

// existing are the states from which some run breaks no assumption.
func existing(next map[machine][]machine) map[machine][]machine {
	for changed := true; changed; {
		changed = false
		for s, list := range next {
			alive := slices.DeleteFunc(list, func(t machine) bool { _, is := next[t]; return !is })
			if next[s] = alive; len(alive) == 0 {
				delete(next, s)
				changed = true
			} else {
				changed = changed || len(alive) < len(list)
			}
		}
	}
	return next
}

// holdsIn are the states in which a formula is true, by the definition of the operators. atoms say what C says.
func holdsIn(f ctl.Formula, next map[machine][]machine, atom func(text string, s machine) bool) map[machine]bool {
	out := map[machine]bool{}
	in := func(g ctl.Formula) map[machine]bool { return holdsIn(g, next, atom) }
	set := func(of func(machine) bool) map[machine]bool {
		for s := range next {
			out[s] = of(s)
		}
		return out
	}
	until := func(q ctl.Quantifier, a, b map[machine]bool, begin bool) map[machine]bool {
		set(func(machine) bool { return begin })
		for changed := true; changed; {
			changed = false
			for s, list := range next {
				step := bool(q)
				for _, t := range list {
					if out[t] != bool(q) {
						step = out[t]
						break
					}
				}
				if is := b[s] || a[s] && step; is != out[s] {
					out[s], changed = is, true
				}
			}
		}
		return out
	}
	switch f := f.(type) {
	case ctl.Constant:
		return set(func(machine) bool { return bool(f) })
	case ctl.Atom:
		return set(func(s machine) bool { return atom(f.Text, s) })
	case ctl.Not:
		a := in(f.F)
		return set(func(s machine) bool { return !a[s] })
	case ctl.And:
		a, b := in(f.F), in(f.G)
		return set(func(s machine) bool { return a[s] && b[s] })
	case ctl.Or:
		a, b := in(f.F), in(f.G)
		return set(func(s machine) bool { return a[s] || b[s] })
	case ctl.Until:
		return until(f.Q, in(f.F), in(f.G), false)
	case ctl.Weak:
		return until(f.Q, in(f.F), in(f.G), true)
	case ctl.Often:
		a, b := in(f.F), in(f.G)
		again := a
		for {
			goal := map[machine]bool{}
			for s, list := range next {
				goal[s] = a[s] && b[s] && slices.ContainsFunc(list, func(t machine) bool { return again[t] })
			}
			out = map[machine]bool{}
			until(ctl.Some, a, goal, false)
			if maps.Equal(out, again) {
				return out
			}
			again = out
		}
	case ctl.Settles:
		often := in(ctl.Often{F: ctl.Not{F: f.F}, G: ctl.Not{F: f.G}})
		return set(func(s machine) bool { return !often[s] })
	}
	panic(fmt.Sprintf("unexpected %T", f))
}

// atomIn evaluates an atom of random formulas.
func atomIn(t *testing.T) func(text string, s machine) bool {
	return func(text string, s machine) bool {
		var left, operator, right string
		if n, _ := fmt.Sscan(strings.Trim(text, "() "), &left, &operator, &right); n != 3 {
			t.Fatalf("atom %q", text)
		}
		value := func(word string) (n int) {
			switch word {
			case "a":
				return s.a
			case "b":
				return s.b
			}
			fmt.Sscan(word, &n)
			return n
		}
		switch x, y := value(left), value(right); operator {
		case "<":
			return x < y
		case ">":
			return x > y
		case ">=":
			return x >= y
		case "==":
			return x == y
		default:
			return x != y
		}
	}
}

// TestCTLRandom: formulas over machine integers are true and false of the programs of which a list of all states says so.
func TestCTLRandom(t *testing.T) {
	decided, asked := 0, 0
	excluded := 0
	for seed := range *randomCTL {
		g := &generator{r: rand.New(rand.NewPCG(18, uint64(seed))), wide: seed%3 > 0}
		g.text.WriteString("extern unsigned char __VERIFIER_nondet_uchar(void);\nextern _Bool __VERIFIER_nondet_bool(void);\nextern void __VERIFIER_assume(int);\n" +
			"extern void exit(int);\nextern void abort(void);\n")
		semantics := "wrap"
		if g.wide {
			if seed%3 == 1 {
				semantics = "integers"
			}
			g.text.WriteString("int a;\nint b;\nint main(void) {\n")
		} else {
			g.text.WriteString("unsigned char a;\nsigned char b;\nint main(void) {\n")
		}
		g.statements(2+g.r.IntN(4), 2)
		g.code = append(g.code, instruction{})
		g.text.WriteString("return 0;\n}\n")
		text := g.formula(1 + g.r.IntN(3))
		next := explicitStates(g.code, g.wide, semantics == "wrap")
		if next == nil {
			continue
		}
		if len(next) == 0 {
			excluded++
		}
		f, err := ctl.Parse(text)
		if err != nil {
			t.Fatal(text, err)
		}
		want := exitFalse
		if holdsIn(f, next, atomIn(t))[machine{}] {
			want = exitTrue
		}
		o := invoke(t, "check", "--semantics", semantics, "--timeout=3", "--ctl", text, write(t, "program.c", g.text.String()))
		if strings.Contains(o.stderr, "is no integer variable that the program assigns to") {
			continue
		}
		asked++
		if o.code == want && len(next) > 0 {
			decided++
		} else if len(next) == 0 && o.code == exitTrue {
			continue // of nothing, everything is true; in time it would be told
		} else if o.code != exitUnknown {
			t.Errorf("seed %d: %s: code %d, want %d\n%s\n%s%s", seed, text, o.code, want, g.text.String(), o.stdout, o.stderr)
		}
	}
	t.Logf("%d of %d decided; %d without a run", decided, asked, excluded)
	if decided*2 < asked {
		t.Errorf("only %d of %d are decided", decided, asked)
	}
}
