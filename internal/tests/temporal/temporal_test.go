// Package temporal_test compares what is answered of small C programs and formulas of linear temporal logic, by
// every engine alone and by all together, with a search of all their states.
package temporal_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/conductor"
	"assay/internal/evidence/verdict"
	"assay/internal/program/frontend"
	"assay/internal/temporal/buchi"
	"assay/internal/temporal/inclusion"
	"assay/internal/temporal/ltl"
	"assay/internal/temporal/ltl/ltltest"
	"assay/internal/temporal/tableau"
	"assay/internal/transform/product/producttest"
	"assay/internal/user/formula"
)

var (
	pairs     = flag.Int("pairs", 20, "pairs of a program and a formula")
	firstSeed = flag.Uint64("seed", 1, "the first of their seeds")
	limit     = flag.Duration("limit", 60*time.Millisecond, "time of each engine alone")
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == frontend.ChildCommand {
		os.Exit(frontend.ChildMain(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// maxStates bounds the states of a program.
const maxStates = 64

// atom is an atom of ltltest in a formula.
var atom = regexp.MustCompile(`\b[ab]\b`)

// pair is a question with its answer.
type pair struct {
	source, formula string
	violated        bool
}

// random is the pair of a seed.
func random(t *testing.T, seed uint64) pair {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 64))
	steps := r.IntN(6) == 0
	var p producttest.Program
	for p == nil || p.Configurations(steps) > maxStates {
		p = producttest.Random(r, steps)
	}
	f := ltltest.Random(r, 2+r.IntN(7), 2)
	not, err := tableau.New(ltl.Not(f))
	if err != nil {
		t.Fatal(err)
	}
	word, violated := buchi.Intersect(p.Rows(steps), inclusion.Automaton(not)).Witness()
	if violated && lasso(word).Evaluate(f)[f][0] {
		t.Fatalf("seed %d: %v is true of %v", seed, f, word)
	}
	local := r.IntN(3) == 0 && (steps || !conductor.HasNext(f))
	text := atom.ReplaceAllStringFunc(f.String(), func(name string) string { return "AP(" + producttest.Atoms(local)[name] + ")" })
	return pair{p.C(local), text, violated}
}

// lasso is a word whose letters are the atoms of ltltest.
func lasso(w buchi.Word) *ltl.Lasso {
	letters := slices.Concat(w.Stem, w.Loop)
	return &ltl.Lasso{Len: len(letters), Loop: len(w.Stem), Holds: func(a ltl.Atom, at int) bool {
		return letters[at]>>slices.Index(ltltest.Names, a.Text)&1 == 1
	}}
}

// load compiles a program with the atoms of a formula.
func (p pair) load(t *testing.T) (conductor.Formula, *frontend.Program) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "p.c")
	if err := os.WriteFile(file, []byte(p.source), 0o666); err != nil {
		t.Fatal(err)
	}
	f, program, err := formula.Load(t.Context(), &ltl.Source{Text: p.formula, File: "--ltl", Col: 1}, frontend.Options{Files: []string{file}})
	if err != nil {
		t.Fatalf("%s\n%s\n%v", p.source, p.formula, err)
	}
	return f, program
}

// TestPairs: no engine says something else than the search; all together decide.
func TestPairs(t *testing.T) {
	type score struct{ proved, refuted, open int }
	scores := map[string]*score{}
	violated := 0
	for seed := *firstSeed; seed < *firstSeed+uint64(*pairs); seed++ {
		p := random(t, seed)
		if p.violated {
			violated++
		}
		f, program := p.load(t)
		task := conductor.Task{Module: program.Module, Question: conductor.Temporal, Formula: f, Semantics: conductor.C, Options: conductor.Options{Solver: "cadical"}}
		ask := func(name string, task conductor.Task, limit time.Duration) {
			ctx, stop := context.WithTimeoutCause(t.Context(), limit, errors.New("enough"))
			defer stop()
			s := scores[name]
			if s == nil {
				s = &score{}
				scores[name] = s
			}
			switch v := conductor.Decide(ctx, task).Verdict.(type) {
			case verdict.True:
				s.proved++
				if p.violated {
					t.Errorf("seed %d: %s proves %s, which is violated\n%s", seed, name, p.formula, p.source)
				}
			case verdict.False:
				s.refuted++
				if !p.violated {
					t.Errorf("seed %d: %s refutes %s, which holds\n%s", seed, name, p.formula, p.source)
				}
			case verdict.Unknown:
				s.open++
				if name == "all" {
					t.Logf("seed %d: %s is not decided, violated: %v: %v\n%s", seed, p.formula, p.violated, v.Reasons, p.source)
				}
			}
		}
		ask("all", task, 20*time.Second)
		over := task
		over.Semantics = conductor.Integers
		ask("over the integers", over, 5**limit)
		for _, name := range conductor.Names() {
			if conductor.Answering(name, conductor.Temporal) {
				alone := task
				alone.Options.Only = name
				ask(name, alone, *limit)
			}
		}
	}
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(scores)) {
		s := scores[name]
		fmt.Fprintf(&out, "%18s: %d proved, %d refuted, %d open\n", name, s.proved, s.refuted, s.open)
	}
	t.Logf("%d pairs, %d violated\n%s", *pairs, violated, &out)
	if s := scores["all"]; s.open > *pairs/10 {
		t.Errorf("all together leave %d of %d open", s.open, *pairs)
	}
}
