package ltl

import (
	"fmt"
	"testing"
)

// row is the truth of a formula at each observation of a lasso, a bit each.
type row uint8

// shape is a form of lassos.
type shape struct{ len, loop int }

// next is the row that is true where r is at the observation that follows.
func (s shape) next(r row) row {
	return r>>1 | r>>s.loop&1<<(s.len-1)
}

// evaluate gives a formula in normal form its row. Untils are computed from false
// and releases from true, in as many steps as there are observations, twice.
func (s shape) evaluate(f Formula, variables map[Atom]row) row {
	all := row(1<<s.len - 1)
	switch f := f.(type) {
	case Constant:
		if f {
			return all
		}
		return 0
	case Prop:
		return variables[f.Atom]
	case Unary:
		switch r := s.evaluate(f.F, variables); f.Op {
		case NotOp:
			return all &^ r
		case NextOp:
			return s.next(r)
		}
	case Binary:
		l, r := s.evaluate(f.L, variables), s.evaluate(f.R, variables)
		switch f.Op {
		case AndOp:
			return l & r
		case OrOp:
			return l | r
		case UntilOp:
			x := row(0)
			for range 2 * s.len {
				x = r | l&s.next(x)
			}
			return x
		case ReleaseOp:
			x := all
			for range 2 * s.len {
				x = r & (l | s.next(x))
			}
			return x
		}
	}
	panic(fmt.Sprintf("unexpected %v", f))
}

// admits says whether rows meet a condition.
func (s shape) admits(c condition, v map[Atom]row) bool {
	all := row(1<<s.len - 1)
	a, b := v[c.a], v[c.b]
	switch c.word {
	case "":
		return true
	case "implies":
		return a&^b == 0
	case "excludes":
		return a&b == 0
	case "or":
		return a|b == all
	case "eventual":
		return s.next(a)&^a == 0
	case "universal":
		return a&^s.next(a) == 0
	case "both":
		return a == s.next(a)
	}
	panic(c.word)
}

// TestRules proves each rule: for all rows of truth of its variables on all lassos
// up to length 5 (4 with three variables), that meet the condition. A formula that is
// put in for a variable has one of these rows.
func TestRules(t *testing.T) {
	used := 0
	for _, p := range patterns() {
		atoms := Atoms(And(p.from, p.to))
		length := 5
		if len(atoms) == 3 {
			length = 4
		}
		admitted := 0
		for n := 1; n <= length; n++ {
			for loop := range n {
				s := shape{n, loop}
				v := map[Atom]row{}
				for k := range 1 << (n * len(atoms)) {
					for i, a := range atoms {
						v[a] = row(k >> (i * n) & (1<<n - 1))
					}
					if !s.admits(p.condition, v) {
						continue
					}
					admitted++
					if from, to := s.evaluate(p.from, v), s.evaluate(p.to, v); from != to {
						t.Fatalf("%s to %s when %q: %b and %b with %v on a lasso of %d back to %d", p.match, p.result, p.when, from, to, v, n, loop)
					}
				}
			}
		}
		if admitted == 0 {
			t.Errorf("%s to %s: the condition %q is never met", p.match, p.result, p.when)
		}
		used += admitted
	}
	t.Logf("%d rules, %d rows", len(patterns()), used)
}

// TestRulesApply: each rule is applied to what it matches, with formulas that meet
// its condition, and does not without.
func TestRulesApply(t *testing.T) {
	// Formulas for the variables that meet a condition, and that do not.
	meets := map[string][2]string{
		"": {"p", "q"}, "implies": {"p && q", "q"}, "excludes": {"p && q", "!q"}, "or": {"p || q", "!q"},
		"eventual": {"F p", "q"}, "universal": {"G p", "q"}, "both": {"G F p", "q"},
	}
	for _, p := range patterns() {
		bind := func(first, second string) binding {
			var m binding
			for _, v := range []string{"a", "b", "c"} {
				f := MustParse("s")
				switch a := (Atom{CAtom, v}); {
				case p.condition.word == "":
					f = Prop{a}
				case a == p.condition.a:
					f = Normal(MustParse(first))
				case a == p.condition.b:
					f = Normal(MustParse(second))
				}
				m = append(m, struct {
					variable Atom
					f        Formula
				}{Atom{CAtom, v}, f})
			}
			return m
		}
		try := func(m binding) bool {
			s := &simplifier{done: map[Formula]Formula{}, implied: map[both]bool{}}
			_, ok := s.apply(&p, m.in(p.from))
			return ok
		}
		two := meets[p.condition.word]
		if !try(bind(two[0], two[1])) {
			t.Errorf("%s is not applied when %q", p.match, p.when)
		}
		if p.condition.word != "" && try(bind("q", "r")) {
			t.Errorf("%s is applied without %q", p.match, p.when)
		}
	}
}

// TestConditions: what the structure says of implication, eventualities and
// universalities is so, for all pairs of small formulas on all lassos up to length 4.
func TestConditions(t *testing.T) {
	a, b := Prop{Atom{CAtom, "a"}}, Prop{Atom{CAtom, "b"}}
	fs := []Formula{a, b, Not(a), True}
	for range 2 {
		for _, f := range fs[:min(len(fs), 8)] {
			fs = append(fs, Next(f))
			for _, g := range fs[:4] {
				fs = append(fs, Until(f, g), Release(g, f), And(f, g), Or(g, f), Until(True, Release(False, f)))
			}
		}
	}
	fs = sorted(fs)
	s := &simplifier{done: map[Formula]Formula{}, implied: map[both]bool{}}
	var shapes []shape
	for n := 1; n <= 4; n++ {
		for loop := range n {
			shapes = append(shapes, shape{n, loop})
		}
	}
	rows := map[Formula][]row{}
	for _, f := range fs {
		g := Normal(f)
		for _, sh := range shapes {
			for k := range 1 << (2 * sh.len) {
				v := map[Atom]row{a.Atom: row(k & (1<<sh.len - 1)), b.Atom: row(k >> sh.len)}
				rows[f] = append(rows[f], sh.evaluate(g, v))
			}
		}
	}
	implications := 0
	for _, f := range fs {
		eventual, universal := s.eventual(f), s.universal(f)
		if k := 0; eventual || universal {
			for _, sh := range shapes {
				for range 1 << (2 * sh.len) {
					r := rows[f][k]
					if eventual && sh.next(r)&^r != 0 || universal && r&^sh.next(r) != 0 {
						t.Fatalf("%v is not eventual or not universal", f)
					}
					k++
				}
			}
		}
		for _, g := range fs {
			if !s.implies(f, g) {
				continue
			}
			implications++
			for k, r := range rows[f] {
				if r&^rows[g][k] != 0 {
					t.Fatalf("%v does not imply %v", f, g)
				}
			}
		}
	}
	t.Logf("%d formulas, %d implications", len(fs), implications)
}
