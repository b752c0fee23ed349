package solve

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/finite/ic3"
	"assay/internal/finite/ts"
	"assay/internal/finite/ts/dimspec"
	"assay/internal/logic/bv"
	"assay/internal/logic/term"
)

// This file compares all engines, all formats and all checkers with explicit
// enumeration, on random small systems.

// randomSystem has at most 6 state bits and 3 input bits.
func randomSystem(r *rand.Rand) *ts.System {
	store := term.NewStore()
	s := &ts.System{Store: store}
	var words, bools []term.ID
	add := func(t term.ID) {
		if store.Sort(t).Kind == term.SortBool {
			bools = append(bools, t)
		} else {
			words = append(words, t)
		}
	}
	sort := func() term.Sort {
		if r.IntN(2) == 0 {
			return term.Bool()
		}
		return term.BitVec(2)
	}
	for i := range 1 + r.IntN(3) {
		name := fmt.Sprintf("s%d", i)
		v := store.Var(name, sort())
		s.States = append(s.States, ts.State{Term: v, Name: name})
		add(v)
	}
	for i := range r.IntN(3) {
		name := fmt.Sprintf("i%d", i)
		so := sort()
		if i > 0 {
			so = term.Bool()
		}
		v := store.Var(name, so)
		s.Inputs = append(s.Inputs, ts.Input{Term: v, Name: name})
		add(v)
	}
	add(store.True())
	add(store.ConstU(2, uint64(r.IntN(4))))
	word := func() term.ID { return words[r.IntN(len(words))] }
	boolean := func() term.ID { return bools[r.IntN(len(bools))] }
	for range 6 + r.IntN(14) {
		switch r.IntN(10) {
		case 0:
			add(store.Add(word(), word()))
		case 1:
			add(store.Mul(word(), word()))
		case 2:
			add(store.BVXor(word(), word()))
		case 3, 4:
			add(store.Ite(boolean(), word(), word()))
		case 5:
			add(store.Eq(word(), word()))
		case 6:
			add(store.ULt(word(), word()))
		case 7:
			add(store.And(boolean(), boolean()))
		case 8:
			add(store.Xor(boolean(), boolean()))
		case 9:
			add(store.Not(boolean()))
		}
	}
	of := func(like term.ID) term.ID {
		if store.Sort(like).Kind == term.SortBool {
			return boolean()
		}
		return word()
	}
	for i := range s.States {
		v := &s.States[i]
		v.Next = of(v.Term)
		switch r.IntN(6) {
		case 0: // arbitrary
		case 1: // of inputs and earlier states
			t := of(v.Term)
			allowed := map[term.ID]bool{}
			for _, w := range s.States[:i] {
				allowed[w.Term] = true
			}
			for _, w := range s.Inputs {
				allowed[w.Term] = true
			}
			fine := true
			for _, x := range store.Vars(t) {
				fine = fine && allowed[x]
			}
			if fine {
				v.Init = t
				continue
			}
			fallthrough
		default:
			if store.Sort(v.Term).Kind == term.SortBool {
				v.Init = store.Bool(r.IntN(2) == 0)
			} else {
				v.Init = store.ConstU(2, uint64(r.IntN(4)))
			}
		}
	}
	some := func(chance int) []term.ID {
		var out []term.ID
		for r.IntN(chance) == 0 {
			out = append(out, boolean())
		}
		return out
	}
	s.Init, s.Constraints, s.Transitions = some(6), some(5), some(6)
	for i := range 1 + r.IntN(2) {
		s.Bad = append(s.Bad, ts.Property{Term: store.And(boolean(), boolean()), Name: fmt.Sprint("b", i)})
	}
	if r.IntN(2) == 0 {
		s.Justice = []ts.Justice{{Terms: []term.ID{boolean()}, Name: "j0"}}
		if r.IntN(2) == 0 {
			s.Justice[0].Terms = append(s.Justice[0].Terms, boolean())
		}
		s.Fair = some(3)
	}
	return s
}

// truth is what enumeration finds.
type truth struct {
	shortest int  // number of steps of a shortest run to a bad state, or 0
	lasso    bool // the first justice property can be violated
}

func bitsOf(v bv.BV) uint64 { return v.Uint64() }

// explore enumerates the states and inputs of the system.
func explore(s *ts.System) truth {
	g := enumerate(s)
	var result truth
	if g.initialBad {
		result.shortest = 1
	}
	distance := g.distances()
	for st, d := range distance {
		if d > 0 && g.bad[st] && (result.shortest == 0 || d < result.shortest) {
			result.shortest = d
		}
	}
	result.lasso = len(s.Justice) > 0 && g.lasso(distance)
	return result
}

// edge is a step.
type edge struct {
	to   uint64
	mask uint32 // justice and fairness conditions that hold
}

// stateGraph is a system written out.
type stateGraph struct {
	edges      [][]edge
	first      []edge // of initial states
	bad        []bool
	initialBad bool
	full       uint32 // all conditions
}

// enumerate writes a system out.
func enumerate(s *ts.System) *stateGraph {
	store := s.Store
	values := map[term.ID]bv.BV{}
	e := term.NewEvaluator(store, func(v term.ID) (bv.BV, bool) { x, ok := values[v]; return x, ok })
	total := func(width func(i int) uint32, n int) uint64 {
		bits := uint32(0)
		for i := range n {
			bits += width(i)
		}
		return 1 << bits
	}
	states := total(func(i int) uint32 { return s.Width(s.States[i].Term) }, len(s.States))
	inputs := total(func(i int) uint32 { return s.Width(s.Inputs[i].Term) }, len(s.Inputs))
	all := func(ts []term.ID) bool {
		for _, t := range ts {
			if !e.Bool(t) {
				return false
			}
		}
		return true
	}
	g := &stateGraph{edges: make([][]edge, states), bad: make([]bool, states)}
	var conditions []term.ID
	if len(s.Justice) > 0 {
		conditions = append(append(conditions, s.Justice[0].Terms...), s.Fair...)
	}
	g.full = uint32(1)<<len(conditions) - 1
	for st := range states {
		for in := range inputs {
			x := st
			for _, v := range s.States {
				w := s.Width(v.Term)
				values[v.Term] = bv.New(w, x)
				x >>= w
			}
			x = in
			for _, v := range s.Inputs {
				w := s.Width(v.Term)
				values[v.Term] = bv.New(w, x)
				x >>= w
			}
			e.Reset()
			if !all(s.Constraints) {
				continue
			}
			init := all(s.Init)
			for _, v := range s.States {
				init = init && (v.Init == 0 || e.Value(v.Init).Equal(values[v.Term]))
			}
			isBad := false
			for _, b := range s.Bad {
				isBad = isBad || e.Bool(b.Term)
			}
			g.bad[st] = g.bad[st] || isBad
			g.initialBad = g.initialBad || init && isBad
			if !all(s.Transitions) {
				continue
			}
			next, shift := uint64(0), uint32(0)
			for _, v := range s.States {
				next |= bitsOf(e.Value(v.Next)) << shift
				shift += s.Width(v.Term)
			}
			var mask uint32
			for i, c := range conditions {
				if e.Bool(c) {
					mask |= 1 << i
				}
			}
			g.edges[st] = append(g.edges[st], edge{next, mask})
			if init {
				g.first = append(g.first, edge{next, mask})
			}
		}
	}
	return g
}

// distances are the lengths of the shortest runs to states, the first state counted; 0 if there is
// none.
func (g *stateGraph) distances() []int {
	distance := make([]int, len(g.edges))
	var queue []uint64
	reach := func(st uint64, d int) {
		if distance[st] == 0 {
			distance[st] = d
			queue = append(queue, st)
		}
	}
	for _, e := range g.first {
		reach(e.to, 2)
	}
	for i := 0; i < len(queue); i++ {
		for _, e := range g.edges[queue[i]] {
			reach(e.to, distance[queue[i]]+1)
		}
	}
	return distance
}

// lasso says whether there is one: from a reachable state back to it, with all conditions on the way.
// The state after an initial one is reachable; a loop through step 0 also has a copy of it later.
func (g *stateGraph) lasso(distance []int) bool {
	type node struct {
		st   uint64
		mask uint32
	}
	for st := range uint64(len(g.edges)) {
		if distance[st] == 0 {
			continue
		}
		seen := map[node]bool{}
		work := []node{{st, 0}}
		for len(work) > 0 {
			n := work[len(work)-1]
			work = work[:len(work)-1]
			for _, e := range g.edges[n.st] {
				m := node{e.to, n.mask | e.mask}
				if m.st == st && m.mask == g.full {
					return true
				}
				if !seen[m] {
					seen[m] = true
					work = append(work, m)
				}
			}
		}
	}
	return false
}

// rounds is how many random systems a test tries: ASSAY_TS_ROUNDS for more.
func rounds(n int) uint64 {
	if k, err := strconv.Atoi(os.Getenv("ASSAY_TS_ROUNDS")); err == nil {
		return uint64(k)
	}
	return uint64(n)
}

func TestEnginesAgreeWithEnumeration(t *testing.T) {
	ctx := context.Background()
	violated, proved, lassos, live := 0, 0, 0, 0
	for seed := range rounds(120) {
		r := rand.New(rand.NewPCG(seed, 7))
		s := randomSystem(r)
		if err := s.Check(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		want := explore(s)
		what := fmt.Sprintf("seed %d", seed)
		for _, e := range []Engine{IC3, KInduction, Auto} {
			o := Options{Accept: accept.TransitionSystem, Engine: e, IC3: ic3.Default}
			o.IC3.Lifting = ic3.Lifting(seed % 3)
			o.IC3.CTGs = int(seed % 4)
			o.IC3.Infinite = seed%2 == 0
			o.IC3.Shared = seed%5 == 0
			safe := *s
			safe.Justice = nil
			a, err := Decide(ctx, &safe, o)
			if err != nil {
				t.Fatalf("%s, %s: %v", what, e, err)
			}
			if (a.Trace != nil) != (want.shortest > 0) || (a.Proof != nil) != (want.shortest == 0) {
				t.Fatalf("%s, %s: trace %v, proof %v (%s); the shortest run has %d steps", what, e, a.Trace != nil, a.Proof != nil, a.Reason, want.shortest)
			}
			if e == KInduction && a.Trace != nil && len(a.Trace.Inputs) != want.shortest {
				t.Fatalf("%s: the run has %d steps, the shortest has %d", what, len(a.Trace.Inputs), want.shortest)
			}
		}
		if want.shortest > 0 {
			violated++
		} else {
			proved++
		}
		if len(s.Justice) == 0 {
			continue
		}
		justice := *s
		justice.Bad = nil
		e := []Engine{IC3, KInduction, Auto}[seed%3]
		a, err := Decide(ctx, &justice, Options{Accept: accept.TransitionSystem, Engine: e, IC3: ic3.Default})
		if err != nil {
			t.Fatalf("%s, justice, %s: %v", what, e, err)
		}
		if (a.Trace != nil) != want.lasso || (a.Proof != nil) == want.lasso {
			t.Fatalf("%s, justice, %s: trace %v, proof %v (%s); there is a lasso: %v", what, e, a.Trace != nil, a.Proof != nil, a.Reason, want.lasso)
		}
		if want.lasso {
			lassos++
		} else {
			live++
		}
	}
	t.Logf("%d violated, %d proved, %d lassos, %d live", violated, proved, lassos, live)
	if min(violated, proved, lassos, live) < 10 && rounds(120) >= 120 {
		t.Error("the random systems are too much alike")
	}
}

// TestSpacerAgreesWithEnumeration: both encodings as Horn clauses, and what is read
// back. Where Spacer answers, it is right, and its invariants are accepted.
func TestSpacerAgreesWithEnumeration(t *testing.T) {
	violated, proved := 0, 0
	for seed := range rounds(20) {
		s := randomSystem(rand.New(rand.NewPCG(seed, 7)))
		s.Justice = nil
		want := explore(s)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		a, err := Decide(ctx, s, Options{Accept: accept.TransitionSystem, Engine: Spacer})
		cancel()
		switch {
		case err != nil:
			t.Fatalf("seed %d: %v", seed, err)
		case a.Trace != nil && want.shortest == 0 || a.Proof != nil && want.shortest > 0:
			t.Fatalf("seed %d: trace %v, proof %v; the shortest run has %d steps", seed, a.Trace != nil, a.Proof != nil, want.shortest)
		case a.Trace != nil:
			violated++
		case a.Proof != nil:
			proved++
		default:
			t.Logf("seed %d: %s", seed, a.Reason)
		}
	}
	t.Logf("%d violated, %d proved", violated, proved)
	if violated < 3 || proved < 3 {
		t.Error("Spacer answers too seldom")
	}
}

// TestFormatsPreserve writes random systems in every format, reads them back, and
// decides again; witnesses are written, read and simulated.
func TestFormatsPreserve(t *testing.T) {
	ctx := context.Background()
	for seed := range rounds(40) {
		r := rand.New(rand.NewPCG(seed, 8))
		s := randomSystem(r)
		want := explore(s)
		m := &Model{System: s, Format: BTOR2}
		for _, target := range Targets {
			what := fmt.Sprintf("seed %d, %s", seed, target)
			var text strings.Builder
			if err := m.Export(context.Background(), &text, target); err != nil {
				if target == "btor2" && strings.Contains(err.Error(), "depends on an input") {
					continue
				}
				t.Fatalf("%s: %v", what, err)
			}
			if target == "smt2" {
				checkHorn(t, what, text.String(), want.shortest == 0)
				continue
			}
			again, err := Parse("x", []byte(text.String()))
			if err != nil {
				t.Fatalf("%s: %v\n%s", what, err, text.String())
			}
			justice := len(s.Justice) > 0 && (target == "btor2" || target == "aiger" || target == "aag") && want.shortest == 0
			if want.shortest > 0 || !justice {
				again.System.Justice = nil
			}
			a, err := Decide(ctx, again.System, Options{Accept: accept.TransitionSystem, Engine: Auto, IC3: ic3.Default})
			if err != nil {
				t.Fatalf("%s: %v\n%s", what, err, text.String())
			}
			violated := want.shortest > 0 || justice && want.lasso
			if (a.Trace != nil) != violated || (a.Proof != nil) == violated {
				t.Fatalf("%s: trace %v, proof %v (%s), want violated = %v\n%s", what, a.Trace != nil, a.Proof != nil, a.Reason, violated, text.String())
			}
			if a.Trace == nil {
				continue
			}
			var witness strings.Builder
			if err := again.WriteWitness(&witness, a.Trace); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if again.Format != DimSpec {
				fresh, err := Parse("x", []byte(text.String()))
				if err != nil {
					t.Fatal(err)
				}
				again = fresh
			}
			if _, err := again.CheckWitness([]byte(witness.String())); err != nil {
				t.Fatalf("%s: the witness is refuted: %v\n%s\n%s", what, err, text.String(), witness.String())
			}
			if target == "plain" {
				if _, err := m.PlainTrace([]byte(strings.Replace(witness.String(), "1\nb0", "1\nb0", 1))); err != nil {
					t.Fatalf("%s: the witness does not simulate on the original: %v", what, err)
				}
			}
			if again.Format == DimSpec {
				sol, err := dimspec.ReadSolution([]byte(witness.String()))
				if err != nil || len(sol) != len(a.Trace.Inputs) {
					t.Fatalf("%s: %v", what, err)
				}
			}
		}
	}
}

// checkHorn asks the command z3, if there is one, whether no bad state is
// reachable. Spacer does not always have an answer.
func checkHorn(t *testing.T, what, text string, safe bool) {
	t.Helper()
	z3, err := exec.LookPath("z3")
	if err != nil {
		return
	}
	cmd := exec.Command(z3, "-in", "-T:3")
	cmd.Stdin = strings.NewReader(text)
	out, _ := cmd.Output()
	want := "unsat"
	if safe {
		want = "sat"
	}
	if got := strings.TrimSpace(string(out)); got != want && got != "" && got != "unknown" && got != "timeout" {
		t.Errorf("%s: z3 says %q, want %s\n%s", what, got, want, text)
	}
}
