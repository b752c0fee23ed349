package its

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/internal/logic/linear"
)

// format is a reader with its writer, and seeds that use each feature.
type format struct {
	name  string
	read  func(file, text string) (*System, error)
	write func(*System) string
	seeds []string
}

var formats = []format{
	{"KoAT", ReadKoAT, WriteKoAT, []string{
		`(GOAL COMPLEXITY)
(STARTTERM (FUNCTIONSYMBOLS l0))
(VAR x y z)
(RULES
  l0(x,y) -> l1(x,y)
  l1(x,y) -> Com_1(l1(x-1,y+z)) :|: x > 0 && z < 5
  l1(x,y) -{2,1}> l2(x,y) :|: x <= 0
)`,
		`(GOAL EXACTRUNTIME) (STARTTERM CONSTRUCTOR-BASED) (VAR a b)
(RULES f(a) -> Com_2(g(a,b*b+2),f(a^2-1)) [ a != 0 /\ b = 3 ]
g(a,b) -{a}> f(b) :|: TRUE && (a < b || a >= -b))`,
	}},
	{"T2", ReadT2, WriteT2, []string{
		`START: 0;
// a comment
FROM: 0; x := nondet(); TO: 1;
FROM: 1; assume(x > 0); x := x - 1; TO: 1;
FROM: 1; AT(12,"a/b.c") assume(x <= 0 && !(y == 2 || x*y < 7)); y := 3*(x+y)*-1; x := y % 2; TO: loop;`,
		`START: -3; CUTPOINT: 4; SHADOW(x, y); FROM: -3; assume(nondet() > 2); assume(nondet()); assume((x)); x := x*x*y; y := x; TO: -3;`,
	}},
	{"SMT-LIB", ReadSMT, WriteSMT, []string{
		`(declare-sort Loc 0) ; c
(declare-const l0 Loc) (declare-const l1 Loc)
(assert (distinct l0 l1))
(define-fun init_main ((pc^0 Loc) (x^0 Int) (|y^0| Int)) Bool (cfg_init pc^0 l0 (> x^0 0)))
(define-fun next_main ((pc^0 Loc) (x^0 Int) (y^0 Int) (pc^post Loc) (x^post Int) (y^post Int)) Bool (or
  (cfg_trans2 pc^0 l0 pc^post l1 (and (= x^post (+ x^0 (- 1))) (<= 1 x^0) (= y^post y^post)))
  (cfg_trans2 pc^0 l1 pc^post l1 (let ((a (* x^0 y^0))) (and (= (* 2 x^post) a) (not (= y^0 3)) (=> (< a 1) (= y^post 0)))))
  (cfg_trans2 pc^0 l1 pc^post l0 (exists ((z Int)) (and (distinct z x^0 y^0) (= x^post z y^post))))))`,
	}},
	{"ARI", ReadARI, WriteARI, []string{
		`(format LCTRS :smtlib 2.6)
(theory Ints)
(fun f (-> Int Int Int))
(fun g (-> Int Int Int))
(fun stop Int)
(entrypoint f)
(rule (f x y) (g x y))
(rule (g x y) (g (- x 1) (+ y z)) :guard (and (> x 0) (< z 5)) :var ((z Int)))
(rule (g a b) stop :guard (or (= a b) (not (<= (* a b b) 7))))`,
	}},
}

// TestRoundTrip prints what was read, reads that again, and compares the prints.
func TestRoundTrip(t *testing.T) {
	for _, f := range formats {
		for i, text := range f.seeds {
			s, err := f.read("seed", text)
			if err != nil {
				t.Errorf("%s %d: %v", f.name, i, err)
				continue
			}
			roundTrip(t, f, s)
		}
	}
}

func roundTrip(t *testing.T, f format, s *System) {
	t.Helper()
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	first := f.write(s)
	again, err := f.read("printed", first)
	if err != nil {
		t.Fatalf("%s: what was printed cannot be read: %v\n%s", f.name, err, first)
	}
	again2, err := f.read("printed", f.write(again))
	if err != nil {
		t.Fatal(err)
	}
	// T2 has no simultaneous assignment: each round adds variables.
	if a, b := f.write(again), f.write(again2); a != b && f.name != "T2" {
		t.Errorf("%s: not stable:\n%s\n%s", f.name, a, b)
	}
	if len(again.Transitions) > len(s.Transitions) || len(again.Locations) > len(s.Locations)+1 {
		t.Errorf("%s: the round trip changes the size: %d to %d transitions\n%s", f.name, len(s.Transitions), len(again.Transitions), first)
	}
}

// TestCrossFormats writes a system in every format, and compares what it does
// with what the original does, step by step, for small states and inputs.
func TestCrossFormats(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 60 {
		s := randomSystem(r)
		for _, f := range formats {
			u, err := f.read("printed", f.write(s))
			if err != nil {
				t.Fatalf("%s: %v\n%s", f.name, err, f.write(s))
			}
			compareSteps(t, f.name, s, u)
		}
	}
}

func randomSystem(r *rand.Rand) *System {
	s := NewSystem("x", "y")
	s.AddLocation("a")
	for range 1 + r.IntN(3) {
		b := s.Build(Location(r.IntN(2)), Location(r.IntN(2)))
		atoms := []linear.Form{linear.Variable(0), linear.Variable(1)}
		if r.IntN(2) == 0 {
			atoms = append(atoms, b.Temp())
		}
		if r.IntN(3) == 0 {
			atoms = append(atoms, b.Product(atoms[0], atoms[len(atoms)-1].Plus(linear.Int(1))))
		}
		form := func() linear.Form {
			f := linear.Constant(linear.Int(r.Int64N(7) - 3))
			for _, a := range atoms {
				f = f.AddScaled(linear.Int(r.Int64N(5)-2), a)
			}
			return f
		}
		for range r.IntN(2) {
			b.Assume(linear.Constraint{Form: form(), Equality: r.IntN(5) == 0})
		}
		b.AssignAll([]linear.Form{form(), form()})
		b.Add()
	}
	return s
}

// reachable are the states, as text, that one step reaches from a state, by
// location number, with small values for temporaries. Variables other than x and
// y are ignored.
func reachable(s *System, from Location, state []*big.Int, name func(Location) string) []string {
	var out []string
	full := make([]*big.Int, len(s.Variables))
	for v := range full {
		full[v] = new(big.Int)
	}
	var at [2]int
	for k, n := range []string{"x", "y"} {
		// What no command of T2 mentions does not exist there.
		if at[k] = slices.Index(s.Variables, n); at[k] >= 0 {
			full[at[k]] = state[k]
		} else if at[k] = slices.Index(s.Variables, "x"+string(rune('0'+k))); at[k] >= 0 {
			full[at[k]] = state[k] // ARI does not name the positions
		}
	}
	if at[0] < 0 || at[1] < 0 {
		return nil
	}
	for i := range s.Transitions {
		t := &s.Transitions[i]
		if name(t.From) != name(from) {
			continue
		}
		inputs := make([]*big.Int, t.Temps)
		var choose func(j int)
		choose = func(j int) {
			for j < t.Temps && t.isProduct(s.Temp(j)) {
				j++
			}
			if j < t.Temps {
				for v := int64(-40); v <= 40; v++ {
					inputs[j] = big.NewInt(v)
					choose(j + 1)
				}
				return
			}
			if next, err := s.Step(t, full, inputs); err == nil && next[at[0]].IsInt64() && next[at[1]].IsInt64() {
				if a, b := next[at[0]].Int64(), next[at[1]].Int64(); max(a, -a, b, -b) < 8 {
					out = append(out, name(t.To)+" "+next[at[0]].String()+" "+next[at[1]].String())
				}
			}
		}
		choose(0)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func compareSteps(t *testing.T, what string, s, u *System) {
	t.Helper()
	// Writers name locations by number; readers number them by appearance.
	number := func(s *System) func(Location) string {
		return func(l Location) string {
			n := s.Locations[l]
			return strings.TrimPrefix(n, "l")
		}
	}
	mine := func(l Location) string { return string(rune('0' + l)) }
	for i := range s.Transitions {
		if s.Transitions[i].Temps > 2 || i < len(u.Transitions) && u.Transitions[i].Temps > 3 {
			return
		}
	}
	for _, p := range [][2]int64{{0, 0}, {1, -2}, {3, 1}} {
		state := []*big.Int{big.NewInt(p[0]), big.NewInt(p[1])}
		for l := range s.Locations {
			other := slices.IndexFunc(u.Locations, func(n string) bool { return strings.TrimPrefix(n, "l") == mine(Location(l)) })
			if other < 0 {
				continue // no transition mentions it
			}
			a := reachable(s, Location(l), state, mine)
			b := reachable(u, Location(other), state, number(u))
			if b == nil && what == "T2" {
				continue
			}
			// Reading may split or drop inputs, but not change where steps lead.
			if !slices.Equal(a, b) {
				t.Fatalf("%s: from %v at %d: %v, after the round trip %v\n%s\n%s", what, state, l, a, b, s, u)
			}
		}
	}
}

func TestMistakes(t *testing.T) {
	for _, test := range []struct{ file, text, want string }{
		{"a.koat", "(RULES f(x) -> g(x)", "end of the file"},
		{"a.koat", "(VAR x) (RULES )", "no start symbol"},
		{"a.koat", "\n(FOO)", "a.koat:2: unknown section"},
		{"a.t2", "FROM: 0; TO: 1;", "no START"},
		{"a.t2", "START: 0;\nFROM: 0;\nx = 3;\nTO: 1;", `a.t2:3: expected ":="`},
		{"a.smt2", "(assert true)", "init_main or next_main is missing"},
		{"a.ari", "(format TRS)", "only the format LCTRS"},
		{"a.ari", "(format LCTRS", "without its ')'"},
		{"a.c", "int main() {}", ".koat, .t2, .smt2 or .ari"},
		{"a.t2", "START: 0; FROM: 0; assume(" + strings.Repeat("(", 2000) + "x", "nested too deeply"},
		{"a.t2", "START: 0; FROM: 0; assume(" + strings.Repeat("(x != 0) && ", 20) + "x > 0); TO: 0;", "cases"},
	} {
		_, err := Read(test.file, test.text)
		var syntax *ParseError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.text, err, test.want)
		}
	}
}

func fuzz(f *testing.F, which format) {
	for _, s := range which.seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := which.read("fuzz", text)
		if err != nil || len(text) > 2000 {
			return
		}
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		if _, err := which.read("printed", which.write(s)); err != nil {
			t.Fatalf("what was printed cannot be read: %v\n%s", err, which.write(s))
		}
	})
}

func FuzzKoAT(f *testing.F) { fuzz(f, formats[0]) }
func FuzzT2(f *testing.F)   { fuzz(f, formats[1]) }
func FuzzSMT(f *testing.F)  { fuzz(f, formats[2]) }
func FuzzARI(f *testing.F)  { fuzz(f, formats[3]) }

// TestT2Meaning fixes what sequences of commands mean.
func TestT2Meaning(t *testing.T) {
	s, err := ReadT2("t", "START: 0; FROM: 0; x := x - 1; y := -1*x; assume(y > x); x := 1 + y; x := -1*x + y*y; TO: 1;")
	if err != nil {
		t.Fatal(err)
	}
	state := []*big.Int{big.NewInt(-4), big.NewInt(9)}
	tr := &s.Transitions[0]
	next, err := s.Step(tr, state, make([]*big.Int, tr.Temps))
	if err != nil {
		t.Fatal(err)
	}
	// x = -5, y = 5, x = 6, x = -6 + 25
	if next[0].Int64() != 19 || next[1].Int64() != 5 {
		t.Error(next)
	}
	state[0] = big.NewInt(3)
	if _, err := s.Step(tr, state, make([]*big.Int, tr.Temps)); err == nil {
		t.Error("the assumption y > x should fail")
	}
}

// TestSimplifyKeepsRuns maps steps of the simplified system back and executes them.
func TestSimplifyKeepsRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	executed := 0
	for range 300 {
		s := randomSystem(r)
		simple, _ := Simplify(context.Background(), s, DefaultOptions)
		for i := range simple.Transitions {
			u := &simple.Transitions[i]
			state := []*big.Int{big.NewInt(r.Int64N(9) - 4), big.NewInt(r.Int64N(9) - 4)}
			inputs := make([]*big.Int, u.Temps)
			for k := range inputs {
				inputs[k] = big.NewInt(r.Int64N(9) - 4)
			}
			want, err := simple.Step(u, state, inputs)
			if err != nil {
				continue
			}
			for _, p := range u.Products { // Step has computed them; so do we
				inputs[int(p.Temp)-2] = product(simple, u, p, state, inputs)
			}
			value := func(v linear.Var) linear.Number {
				if v < 2 {
					return linear.FromBigInt(state[v])
				}
				return linear.FromBigInt(inputs[v-2])
			}
			got, k := state, 0
			for _, j := range u.Path {
				o := &s.Transitions[j]
				var in []*big.Int
				for range o.Temps {
					in = append(in, u.Inputs[k].Eval(value).BigInt())
					k++
				}
				if got, err = s.Step(o, got, in); err != nil {
					t.Fatalf("%v\n%s%s", err, s, simple)
				}
			}
			executed++
			relevant := simple.Relevant(false)
			for v := range want {
				if relevant[v] && want[v].Cmp(got[v]) != 0 {
					t.Fatalf("variable %d: %v, mapped back %v\n%s%s", v, want, got, s, simple)
				}
			}
		}
	}
	if executed < 100 {
		t.Error("only", executed, "steps")
	}
}

func product(s *System, t *Transition, p Product, state, inputs []*big.Int) *big.Int {
	value := func(v linear.Var) linear.Number {
		if v < 2 {
			return linear.FromBigInt(state[v])
		}
		return linear.FromBigInt(inputs[v-2])
	}
	return p.A.Eval(value).Mul(p.B.Eval(value)).BigInt()
}
