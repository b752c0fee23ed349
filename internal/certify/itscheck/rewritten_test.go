package itscheck

import (
	"strings"
	"testing"

	"assay/internal/integers/equations"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

func rewrittenCubes(t *testing.T) (*its.System, *equations.Result) {
	t.Helper()
	s, err := its.Read("a.koat", `(GOAL COMPLEXITY)
(STARTTERM (FUNCTIONSYMBOLS start))
(VAR n x y z k)
(RULES
  start(n, x, y, z, k) -> loop(0, 0, 1, 6, k)
  loop(n, x, y, z, k) -> loop(n + 1, x + y, y + z, z + 6, k) :|: 3*n*n + 3*n + 1 <= k && x*x >= 0
  loop(n, x, y, z, k) -> done(n, x, y, z, k) :|: 3*n*n + 3*n + 1 > k
)`)
	if err != nil {
		t.Fatal(err)
	}
	r := equations.Rewrite(t.Context(), s, nil, nil)
	if r == nil {
		t.Fatal("nothing is rewritten")
	}
	return s, r
}

func rewrittenPowers(t *testing.T) (*its.System, *equations.Result) {
	t.Helper()
	s, err := its.Read("a.koat", `(GOAL COMPLEXITY)
(STARTTERM (FUNCTIONSYMBOLS start))
(VAR n x y z a)
(RULES
  start(n, x, y, z, a) -> loop(0, 0, 1, 6, a)
  loop(n, x, y, z, a) -> loop(n + 1, x + y, y + z, z + 6, a) :|: x + y <= (a + 1)*(a + 1)*(a + 1)
  loop(n, x, y, z, a) -> done(n, x, y, z, a) :|: x + y > (a + 1)*(a + 1)*(a + 1)
)`)
	if err != nil {
		t.Fatal(err)
	}
	r := equations.Rewrite(t.Context(), s, nil, nil)
	if r == nil || r.Left != 0 {
		t.Fatal("the powers stay")
	}
	return s, r
}

// TestPowers: comparisons of odd powers are accepted as those of their bases, and nothing else.
func TestPowers(t *testing.T) {
	for name, test := range map[string]struct {
		want   string
		mutate func(w *equations.Powers)
	}{
		"as it is":          {"", func(*equations.Powers) {}},
		"an even degree":    {"odd", func(w *equations.Powers) { w.Degree = 2 }},
		"another degree":    {"another polynomial", func(w *equations.Powers) { w.Degree = 5 }},
		"a negative factor": {"positive", func(w *equations.Powers) { w.Factor = w.Factor.Neg() }},
		"other bases":       {"another polynomial", func(w *equations.Powers) { w.Left = w.Left.Plus(linear.Int(1)) }},
		"a half":            {"integers", func(w *equations.Powers) { w.Left = w.Left.Scale(linear.Fraction(1, 2)) }},
		"another constant":  {"another polynomial", func(w *equations.Powers) { w.Constant = w.Constant.Add(linear.Int(1)) }},
	} {
		for at := range 2 {
			s, r := rewrittenPowers(t)
			test.mutate(r.Certificate.Guards[at+1][0].Powers)
			err := Rewritten(t.Context(), s, r.System, nil, r.Certificate)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%s: got %v, want %q", name, err, test.want)
			}
		}
	}
	// The comparison that is claimed is the one of the certificate, but one off.
	for at := 1; at <= 2; at++ {
		for _, off := range []int64{-1, 1} {
			s, r := rewrittenPowers(t)
			c := &r.Certificate.Guards[at][0]
			c.By = c.By.Plus(linear.Int(off))
			r.System.Transitions[at].Guard[c.Index] = linear.Constraint{Form: c.By}.Tighten()
			if err := Rewritten(t.Context(), s, r.System, nil, r.Certificate); err == nil || !strings.Contains(err.Error(), "another comparison") {
				t.Errorf("transition %d, %d off: %v", at, off, err)
			}
		}
	}
}

// TestRewritten: what the engine finds is accepted; what claims something else is not.
func TestRewritten(t *testing.T) {
	one := linear.Int(1)
	for name, mutate := range map[string]func(s *its.System, r *equations.Result) (want string){
		"as it is": func(*its.System, *equations.Result) string { return "" },
		"another constant in a guard": func(_ *its.System, r *equations.Result) string {
			r.System.Transitions[1].Guard[0].Form = r.System.Transitions[1].Guard[0].Form.Plus(one)
			return "the certificate does not say"
		},
		"the same with the certificate": func(_ *its.System, r *equations.Result) string {
			c := &r.Certificate.Guards[1][0]
			c.By = c.By.Plus(one)
			r.System.Transitions[1].Guard[c.Index] = linear.Constraint{Form: c.By}.Tighten()
			return "another polynomial"
		},
		"an equation that is not kept": func(s *its.System, r *equations.Result) string {
			at := s.Transitions[1].From
			r.Certificate.Equations[at][0] = r.Certificate.Equations[at][0].AddScaled(one, rational.Constant(one))
			return "another polynomial"
		},
		"an equation of the start": func(s *its.System, r *equations.Result) string {
			r.Certificate.Equations[s.Initial] = []rational.Polynomial{rational.Variable(0)}
			return "initial"
		},
		"an equation about a temporary": func(s *its.System, r *equations.Result) string {
			at := s.Transitions[1].From
			r.Certificate.Equations[at][0] = rational.Variable(5)
			return "temporaries"
		},
		"an update": func(_ *its.System, r *equations.Result) string {
			r.System.Transitions[1].Update[0] = r.System.Transitions[1].Update[0].Plus(one)
			return "the certificate does not say"
		},
		"a transition less": func(_ *its.System, r *equations.Result) string {
			r.System.Transitions = r.System.Transitions[:2]
			return "another shape"
		},
		"a square that is none": func(_ *its.System, r *equations.Result) string {
			root := linear.Variable(0)
			for i := range r.Certificate.Guards[1] {
				if r.Certificate.Guards[1][i].Root != nil {
					r.Certificate.Guards[1][i].Root = &root
				}
			}
			return "no square"
		},
		"a frozen variable that matters": func(_ *its.System, r *equations.Result) string {
			r.Certificate.Frozen[2] = true
			for i := range r.System.Transitions {
				r.System.Transitions[i].Update[2] = linear.Variable(2)
			}
			return "frozen"
		},
	} {
		s, r := rewrittenCubes(t)
		want := mutate(s, r)
		err := Rewritten(t.Context(), s, r.System, nil, r.Certificate)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
	s, r := rewrittenCubes(t)
	if err := Rewritten(t.Context(), s, r.System, []bool{false, true}, r.Certificate); err == nil {
		t.Error("x, which is observed, is frozen")
	}
}
