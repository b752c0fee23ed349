package its

import (
	"fmt"
	"strings"
	"unicode"

	"assay/internal/logic/linear"
)

func isCName(name string) bool {
	for i, r := range name {
		if r > unicode.MaxASCII || !cName(r, i == 0) {
			return false
		}
	}
	switch name {
	case "", "nondet", "NONDET", "brandom", "random", "assume", "true", "TRUE", "false", "FALSE", "AT", "TO", "FROM", "START", "CUTPOINT", "SHADOW":
		return false
	}
	return true
}

// printNames names variables and temporaries for a writer: the given names where
// they are valid and different, else invented ones.
func (s *System) printNames(valid func(string) bool) func(linear.Var) string {
	used := map[string]bool{}
	for _, n := range s.Variables {
		used[n] = true
	}
	fresh := func(prefix string, k int) string {
		n := fmt.Sprintf("%s%d", prefix, k)
		for used[n] {
			n += "_"
		}
		used[n] = true
		return n
	}
	names := make([]string, len(s.Variables))
	seen := map[string]bool{}
	for v, n := range s.Variables {
		if !valid(n) || seen[n] {
			n = fresh("v", v)
		}
		seen[n] = true
		names[v] = n
	}
	temps := []string{}
	return func(v linear.Var) string {
		if int(v) < len(names) {
			return names[v]
		}
		k := int(v) - len(names)
		for len(temps) <= k {
			temps = append(temps, fresh("tmp", len(temps)))
		}
		return temps[k]
	}
}

func (t *Transition) isProduct(v linear.Var) bool {
	for _, p := range t.Products {
		if p.Temp == v {
			return true
		}
	}
	return false
}

// inlineProducts prints the temporary of a product as the product.
func (s *System) inlineProducts(t *Transition, names func(linear.Var) string) func(linear.Var) string {
	if len(t.Products) == 0 {
		return names
	}
	var name func(v linear.Var) string
	name = func(v linear.Var) string {
		for _, p := range t.Products {
			if p.Temp == v {
				return factor(p.A, name) + "*" + factor(p.B, name)
			}
		}
		return names(v)
	}
	return name
}

func factor(f linear.Form, name func(linear.Var) string) string {
	if _, ok := f.IsVariable(); ok {
		return f.Format(name)
	}
	return "(" + f.Format(name) + ")"
}

// Format prints a transition for people.
func (s *System) Format(t *Transition) string {
	var b strings.Builder
	name := s.inlineProducts(t, s.VarName)
	fmt.Fprintf(&b, "%s -> %s", s.Locations[t.From], s.Locations[t.To])
	for i, c := range t.Guard {
		b.WriteString([]string{"  if ", " && "}[min(i, 1)])
		b.WriteString(c.Format(name))
	}
	sep := "  do "
	for v, u := range t.Update {
		if w, ok := u.IsVariable(); ok && w == linear.Var(v) {
			continue
		}
		fmt.Fprintf(&b, "%s%s := %s", sep, s.Variables[v], u.Format(name))
		sep = ", "
	}
	if !t.Fair {
		b.WriteString("  unfair")
	}
	if !t.Exact {
		b.WriteString("  inexact")
	}
	return b.String()
}

// String prints all transitions.
func (s *System) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "start at %s\n", s.Locations[s.Initial])
	for i := range s.Transitions {
		fmt.Fprintf(&b, "%d: %s\n", i, s.Format(&s.Transitions[i]))
	}
	return b.String()
}
