package ctl

import (
	"math/rand/v2"
	"testing"
)

func TestStar(t *testing.T) {
	for text, want := range map[string]string{
		"E F(G ((t > 0) || (A F (w == 0))))":      "EF(EG(AP(t > 0) || AF(AP(w == 0))))",
		"A G(F x > 0)":                            "AG(AF(AP(x > 0)))",
		"E G F x > 0":                             "E G(F(AP(x > 0)))",
		"A F G x > 0":                             "A F(G(AP(x > 0)))",
		"A (F x > 0 || F G y > 0)":                "A(F(AP(x > 0)) || F(G(AP(y > 0))))",
		"A G(x > 0 -> F y > 0)":                   "AG(!AP(x > 0) || AF(AP(y > 0)))",
		"A(x > 0 && F y > 0)":                     "AP(x > 0) && AF(AP(y > 0))",
		"E(F x > 0 && F y > 0)":                   "EF(AP(x > 0) && EF(AP(y > 0))) || EF(AP(y > 0) && EF(AP(x > 0)))",
		"E(G x > 0 && F y > 0)":                   "EU(AP(x > 0), AP(y > 0) && EG(AP(x > 0)))",
		"E X X x > 0":                             "EX(EX(AP(x > 0)))",
		"E U(x > 0), (F y > 0)":                   "EU(AP(x > 0), EF(AP(y > 0)))",
		"A[x > 0 U G y > 0]":                      "",
		"E(G(x > 0 -> F y > 0) && G z > 0)":       "",
		"AG (E F G x > 0 -> A X (y > 0 U z > 0))": "AG(!EF(EG(AP(x > 0))) || AX(AU(AP(y > 0), AP(z > 0))))",
		"F > 0 && A(x) > 0":                       "AP(F > 0) && AP(A(x) > 0)",
	} {
		f, err := Parse(text)
		if want == "" {
			continue // it is enough that it ends
		}
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := f.String()
		g, err := Parse(got)
		if err != nil {
			t.Errorf("%s: printed as %s: %v", text, got, err)
			continue
		}
		if n := Normal(g).String(); n != Normal(f).String() {
			t.Errorf("%s: printed and read again: %s", text, n)
		}
		if n := Normal(f).String(); got != want && n != Normal(mustParse(t, want)).String() {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}

func mustParse(t *testing.T, text string) Formula {
	f, err := Parse(text)
	if err != nil {
		t.Fatal(text, err)
	}
	return f
}

// structure is a finite one; the i-th bit of a label says whether the atom i is true.
type structure struct {
	next  [][]int
	label []int
}

func (g *structure) holds(f Formula) []bool {
	out := make([]bool, len(g.next))
	set := func(of func(s int) bool) []bool {
		for s := range out {
			out[s] = of(s)
		}
		return out
	}
	step := func(q Quantifier, in []bool, s int) bool {
		for _, t := range g.next[s] {
			if in[t] != bool(q) {
				return in[t]
			}
		}
		return bool(q)
	}
	fixpoint := func(q Quantifier, a, b []bool, begin bool) []bool {
		out := make([]bool, len(g.next))
		for s := range out {
			out[s] = begin
		}
		for changed := true; changed; {
			changed = false
			for s := range out {
				if is := b[s] || a[s] && step(q, out, s); is != out[s] {
					out[s], changed = is, true
				}
			}
		}
		return out
	}
	switch f := f.(type) {
	case Constant:
		return set(func(int) bool { return bool(f) })
	case Atom:
		return set(func(s int) bool { return g.label[s]>>(f.Text[0]-'a')&1 == 1 })
	case Not:
		a := g.holds(f.F)
		return set(func(s int) bool { return !a[s] })
	case And:
		a, b := g.holds(f.F), g.holds(f.G)
		return set(func(s int) bool { return a[s] && b[s] })
	case Or:
		a, b := g.holds(f.F), g.holds(f.G)
		return set(func(s int) bool { return a[s] || b[s] })
	case Next:
		a := g.holds(f.F)
		return set(func(s int) bool { return step(f.Q, a, s) })
	case Until:
		return fixpoint(f.Q, g.holds(f.F), g.holds(f.G), false)
	case Weak:
		return fixpoint(f.Q, g.holds(f.F), g.holds(f.G), true)
	case Often:
		a, b := g.holds(f.F), g.holds(f.G)
		z := set(func(int) bool { return true })
		for {
			goal := make([]bool, len(z))
			for s := range goal {
				goal[s] = a[s] && b[s] && step(Some, z, s)
			}
			next, same := fixpoint(Some, a, goal, false), true
			for s := range z {
				same = same && z[s] == next[s]
			}
			if z = next; same {
				return z
			}
		}
	case Settles:
		often := g.holds(Often{Not{f.F}, Not{f.G}})
		return set(func(s int) bool { return !often[s] })
	}
	panic("unexpected formula")
}

// onLasso is where on a lasso a path formula is true; states goes back to loop at its end.
func (g *structure) onLasso(f path, states []int, loop int) []bool {
	n := len(states)
	out := make([]bool, n)
	next := func(i int) int {
		if i+1 == n {
			return loop
		}
		return i + 1
	}
	switch f := f.(type) {
	case state:
		in := g.holds(f.f)
		for i, s := range states {
			out[i] = in[s]
		}
	case opposite:
		for i, is := range g.onLasso(f.f, states, loop) {
			out[i] = !is
		}
	case both:
		a, b := g.onLasso(f.f, states, loop), g.onLasso(f.g, states, loop)
		for i := range out {
			out[i] = a[i] && b[i]
		}
	case either:
		a, b := g.onLasso(f.f, states, loop), g.onLasso(f.g, states, loop)
		for i := range out {
			out[i] = a[i] || b[i]
		}
	case later:
		a := g.onLasso(f.f, states, loop)
		for i := range out {
			out[i] = a[next(i)]
		}
	case until:
		a, b := g.onLasso(f.f, states, loop), g.onLasso(f.g, states, loop)
		for i := range out {
			out[i] = f.weak
		}
		for range 2*n + 1 {
			for i := n - 1; i >= 0; i-- {
				out[i] = b[i] || a[i] && out[next(i)]
			}
		}
	}
	return out
}

// randomPath is a path formula over the atoms a and b.
func randomPath(r *rand.Rand, depth int) path {
	if depth == 0 || r.IntN(5) == 0 {
		return state{Atom{Text: string(rune('a' + r.IntN(2)))}}
	}
	f := func() path { return randomPath(r, depth-1) }
	switch r.IntN(9) {
	case 0:
		return not(f())
	case 1:
		return conjoin(f(), f())
	case 2:
		return disjoin(f(), f())
	case 3:
		return later{f()}
	case 4, 5:
		return until{always, f(), false}
	case 6, 7:
		return until{f(), never, true}
	}
	return until{f(), f(), r.IntN(2) == 0}
}

// TestStarOnLassos: what a path formula becomes is true in a state exactly if the formula is true on some run from there, or on
// all; runs are all lassos up to a length.
func TestStarOnLassos(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 3))
	decided, asked := 0, 0
	for range 1500 {
		f := randomPath(r, 1+r.IntN(3))
		q := Quantifier(r.IntN(2) == 0)
		asked++
		var reduced Formula
		if func() (ok bool) {
			defer func() {
				if why := recover(); why != nil {
					if _, is := why.(unsupported); !is {
						panic(why)
					}
				}
			}()
			reduced = quantified(q, f)
			return true
		}() {
			decided++
		} else {
			continue
		}
		n := 1 + r.IntN(3)
		g := &structure{}
		for range n {
			g.label = append(g.label, r.IntN(4))
			var next []int
			for range 1 + r.IntN(2) {
				next = append(next, r.IntN(n))
			}
			g.next = append(g.next, next)
		}
		got := g.holds(reduced)
		for s := range n {
			want := bool(q)
			var follow func(states []int)
			follow = func(states []int) {
				last := states[len(states)-1]
				for _, u := range g.next[last] {
					for loop, v := range states {
						if v == u && want == bool(q) && g.onLasso(f, states, loop)[0] != bool(q) {
							want = !want
						}
					}
					if len(states) < 7 && want == bool(q) {
						follow(append(states[:len(states):len(states)], u))
					}
				}
			}
			follow([]int{s})
			if got[s] != want {
				t.Fatalf("%v %#v became %v, which is %v in state %d of %+v", q, f, reduced, got[s], s, g)
			}
		}
	}
	t.Logf("%d of %d are decided", decided, asked)
	if decided*3 < asked*2 {
		t.Errorf("only %d of %d path formulas are taken apart", decided, asked)
	}
}
