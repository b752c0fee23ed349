package equations

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/internal/integers/its"
	"assay/internal/integers/walk"
)

// cubes is Cohen's: x are the cubes of n, y and z their differences.
const cubes = `(GOAL COMPLEXITY)
(STARTTERM (FUNCTIONSYMBOLS start))
(VAR n x y z k)
(RULES
  start(n, x, y, z, k) -> loop(0, 0, 1, 6, k)
  loop(n, x, y, z, k) -> loop(n + 1, x + y, y + z, z + 6, k) :|: 3*n*n + 3*n + 1 <= k
  loop(n, x, y, z, k) -> done(n, x, y, z, k) :|: 3*n*n + 3*n + 1 > k
)`

func read(t testing.TB, text string) *its.System {
	t.Helper()
	s, err := its.Read("a.koat", text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRewrite(t *testing.T) {
	s := read(t, cubes)
	r := Rewrite(t.Context(), s, nil, nil)
	if r == nil || r.Left != 0 || r.Products != 2 {
		t.Fatalf("%+v", r)
	}
	if got := r.replaced(s); len(got) != 2 || got[0].Old != "-3*n*n + k - 3*n - 1 >= 0" || got[0].New != "k >= y" || len(got[0].Because) != 1 {
		t.Errorf("replaced: %+v", got)
	}
	text := r.System.String()
	if strings.Contains(text, "*n") || !strings.Contains(text, "if k >= y") {
		t.Errorf("the rewritten system is\n%s", text)
	}
}

// TestVariables: inputs that some variable begins with are no copies of it, and stay in equations.
func TestVariables(t *testing.T) {
	s := read(t, `(GOAL COMPLEXITY)
(STARTTERM (FUNCTIONSYMBOLS start))
(VAR a b p q r s x y copy)
(RULES
  start(a, b, p, q, r, s, x, y, copy) -> loop(m, n, 1, 0, 0, 1, m, n, m) :|: m >= 1 && n >= 1
  loop(a, b, p, q, r, s, x, y, copy) -> loop(a - b, b, p - q, q, r - s, s, x, y, copy) :|: y*r + x*p != x*q + y*s && a > b
  loop(a, b, p, q, r, s, x, y, copy) -> loop(a, b - a, p, q - p, r, s - r, x, y, copy) :|: y*r + x*p != x*q + y*s && a <= b
)`)
	if got := related(s); len(got) != 6 {
		t.Errorf("related: %v", got)
	}
	r := Rewrite(t.Context(), s, nil, nil)
	if r == nil || r.Left != 0 {
		t.Fatalf("%+v", r)
	}
	if text := r.System.String(); strings.Contains(text, "*") {
		t.Errorf("the rewritten system is\n%s", text)
	}
	if left := Nonlinear(s); len(left) != 2 || left[0].Location != "loop" {
		t.Errorf("with products: %q", left)
	}
}

// TestSameSteps: from states of runs both systems have the same steps, but for frozen variables.
func TestSameSteps(t *testing.T) {
	for name, text := range map[string]string{
		"cubes": cubes,
		"sums of squares": `(GOAL COMPLEXITY)
(STARTTERM (FUNCTIONSYMBOLS start))
(VAR i s k p)
(RULES
  start(i, s, k, p) -> loop(0, 0, k, 2)
  loop(i, s, k, p) -> loop(i + 1, s + (i + 1)*(i + 1), k, 1) :|: 6*s <= k
  loop(i, s, k, p) -> done(i, s, k, 2*i*i*i + 3*i*i + i - k) :|: 6*s > k
)`,
		"odd powers": `(GOAL COMPLEXITY)
(STARTTERM (FUNCTIONSYMBOLS start))
(VAR n x y z a)
(RULES
  start(n, x, y, z, a) -> loop(0, 0, 1, 6, a)
  loop(n, x, y, z, a) -> loop(n + 1, x + y, y + z, z + 6, a) :|: x + y <= (a + 1)*(a + 1)*(a + 1)
  loop(n, x, y, z, a) -> done(n, x, y, z, a) :|: x + y > (a + 1)*(a + 1)*(a + 1)
)`,
		"geometric": `(GOAL COMPLEXITY)
(STARTTERM (FUNCTIONSYMBOLS start))
(VAR x y z k)
(RULES
  start(x, y, z, k) -> loop(1, z, z, k)
  loop(x, y, z, k) -> loop(x*z + 1, y*z, z, k) :|: x*z - x - y + 1 < k && z*z >= 0
  loop(x, y, z, k) -> done(x, y, z, k) :|: x*z - x - y + 1 >= k
)`,
	} {
		s := read(t, text)
		r := Rewrite(t.Context(), s, nil, []bool{false, false, false, true})
		if r == nil {
			t.Errorf("%s: nothing is rewritten", name)
			continue
		}
		rng := rand.New(rand.NewPCG(1, 1))
		steps := 0
		walk.Runs(t.Context(), s, nil, func(x walk.Step) {
			for i := range s.Transitions {
				if x.Transition < 0 || s.Transitions[i].From != s.Transitions[x.Transition].From {
					continue
				}
				inputs := make([]*big.Int, s.Transitions[i].Temps)
				for k := range inputs {
					inputs[k] = big.NewInt(rng.Int64N(9) - 4)
				}
				want, err1 := s.Step(&s.Transitions[i], x.State, inputs)
				got, err2 := r.System.Step(&r.System.Transitions[i], x.State, inputs)
				if (err1 == nil) != (err2 == nil) {
					t.Fatalf("%s: transition %d from %v: %v, and %v", name, i, x.State, err1, err2)
				}
				for v := range want {
					if !r.Certificate.Frozen[v] && want[v].Cmp(got[v]) != 0 {
						t.Fatalf("%s: transition %d from %v: %s is %v, and %v", name, i, x.State, s.Variables[v], want[v], got[v])
					}
				}
				steps++
			}
		})
		if steps < 500 {
			t.Errorf("%s: %d steps", name, steps)
		}
	}
}

// TestNone: there is nothing to do without products, and nothing can be done where products are free.
func TestNone(t *testing.T) {
	for _, guard := range []string{"x < y", "x*y < 10"} {
		s := read(t, `(GOAL COMPLEXITY)
(STARTTERM (FUNCTIONSYMBOLS start))
(VAR x y)
(RULES
  start(x, y) -> loop(x, y)
  loop(x, y) -> loop(x + 1, y) :|: `+guard+`
)`)
		if r := Rewrite(t.Context(), s, nil, nil); r != nil {
			t.Errorf("%s is rewritten:\n%s", guard, r.System)
		}
	}
}

// TestRare: equations hold at a location that hardly any sampled run comes to, and are not lost behind it.
func TestRare(t *testing.T) {
	s := read(t, `(GOAL COMPLEXITY)
(STARTTERM (FUNCTIONSYMBOLS start))
(VAR i s k)
(RULES
  start(i, s, k) -> loop(0, 0, k)
  loop(i, s, k) -> rare(i, s, k) :|: k = 123457 && i*i <= k
  loop(i, s, k) -> next(i, s, k) :|: i*i > k
  rare(i, s, k) -> next(i, s, k)
  next(i, s, k) -> loop(i + 1, s + 2*i + 1, k)
)`)
	r := Rewrite(t.Context(), s, nil, nil)
	if r == nil || r.Left != 0 || len(r.Certificate.Equations[s.Transitions[3].From]) == 0 {
		t.Fatalf("%+v", r)
	}
}

// TestOverwritten: what only gets values of others is no part of equations that would be too many.
func TestOverwritten(t *testing.T) {
	s := read(t, `(GOAL COMPLEXITY)
(STARTTERM (FUNCTIONSYMBOLS start))
(VAR y x p k)
(RULES
  start(y, x, p, k) -> loop(0, 0, 0, k)
  loop(y, x, p, k) -> loop(y + 1, x + y*y, x + k, k) :|: 6*x <= 2*y*y*y - 3*y*y + k
)`)
	for v, want := range []bool{false, false, true, false} {
		if got := overwritten(s, v); got != want {
			t.Errorf("%s: %v", s.Variables[v], got)
		}
	}
}

func BenchmarkRewrite(b *testing.B) {
	s := read(b, cubes)
	for b.Loop() {
		if Rewrite(b.Context(), s, nil, nil) == nil {
			b.Fatal("nothing is rewritten")
		}
	}
}
