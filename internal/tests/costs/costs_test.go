// Package costs_test compares upper bounds of costs with the costs of runs: programs are executed by the
// interpreter, integer transition systems by their own steps, from random inputs. No run may cost more than
// the bound says. The programs are those of testdata, or those of a table of tasks.
package costs_test

import (
	"context"
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/integers/bound"
	"assay/internal/integers/complexity"
	"assay/internal/integers/its"
	"assay/internal/integers/walk"
	"assay/internal/logic/linear"
	"assay/internal/program/frontend"
	"assay/internal/tools/bench"
)

var (
	tasks   = flag.String("tasks", "", "a table of tasks, whose property complexity is looked at")
	sets    = flag.String("sets", "bounds,bounds-its", "of which sets")
	samples = flag.Int("samples", 100, "inputs for each bound")
	seed    = flag.Uint64("seed", 1, "of random numbers")
	limit   = flag.Duration("limit", 10*time.Second, "time for each bound")
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == frontend.ChildCommand {
		os.Exit(frontend.ChildMain(os.Args[2:]))
	}
	flag.Parse()
	os.Exit(m.Run())
}

// sizes of inputs, in turns.
var sizes = []int64{2, 5, 12, 40, 150, 1000}

// Limits on a run.
const (
	maxSteps = 20_000  // of a system
	maxWork  = 300_000 // instructions of a program
	patience = 30 * time.Second
)

// tally counts what was compared.
type tally struct{ bounds, runs, skipped int }

// TestCosts looks at every bound of the files.
func TestCosts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		t.Fatal(err)
	}
	if *tasks != "" {
		files = fromTable(t, *tasks)
	}
	var sum tally
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), func(t *testing.T) {
			r := rand.New(rand.NewPCG(*seed, 19))
			if filepath.Ext(file) == ".c" {
				sum.program(t, file, r)
			} else {
				sum.system(t, file, r)
			}
		})
	}
	t.Logf("%d bounds, %d runs compared, %d not comparable", sum.bounds, sum.runs, sum.skipped)
	if sum.runs < sum.bounds**samples/2 || sum.bounds == 0 {
		t.Errorf("only %d runs for %d bounds", sum.runs, sum.bounds)
	}
}

func fromTable(t *testing.T, table string) (files []string) {
	all, err := bench.ReadTasks([]string{table}, func(string) ([]string, error) { return nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range all {
		if x.Property == "complexity" && slices.Contains(strings.Split(*sets, ","), x.Set) {
			files = append(files, x.Paths...)
		}
	}
	return files
}

// upper is a bound that was accepted, if there is one.
func upper(t *testing.T, s *its.System) (bound.Expression, bool) {
	ctx, cancel := context.WithTimeout(t.Context(), *limit)
	defer cancel()
	f, ok := complexity.Upper(ctx, s).(complexity.Found)
	if !ok {
		return bound.Expression{}, false
	}
	if err := accept.Bound(t.Context(), s, &f.Certificate); err != nil {
		t.Logf("not accepted: %v", err)
		return bound.Expression{}, false
	}
	return f.Certificate.Bound, true
}

// system compares the bound of a file with an integer transition system.
func (x *tally) system(t *testing.T, file string, r *rand.Rand) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := its.Read(file, string(text))
	if err != nil {
		t.Fatal(err)
	}
	if e, ok := upper(t, s); ok {
		x.bounds++
		x.walks(t, s, e, r)
	}
}

// walks compares random runs of a system with its bound.
func (x *tally) walks(t *testing.T, s *its.System, e bound.Expression, r *rand.Rand) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for i := range *samples {
		size := sizes[i%len(sizes)]
		state := make([]*big.Int, len(s.Variables))
		for v := range state {
			state[v] = big.NewInt(r.Int64N(size+size/2+1) - size/2)
		}
		most, ok := e.Eval(func(v linear.Var) *big.Int { return state[v] })
		if !ok {
			x.skipped++ // the bound is astronomic
			continue
		}
		cost := new(big.Int)
		var path []string
		walk.From(ctx, s, r, s.Initial, state, maxSteps, size, func(y walk.Step) bool {
			if y.Transition < 0 {
				return false
			}
			tr := &s.Transitions[y.Transition]
			cost.Add(cost, price(s, tr, y))
			if len(path) < 20 {
				path = append(path, fmt.Sprintf("%s %v", s.Locations[tr.From], y.State))
			}
			if most.Cmp(new(big.Rat).SetInt(cost)) < 0 {
				t.Fatalf("a run from %v costs %v, more than %v = %s:\n%s", state, cost, most.RatString(), e.Format(s.VarName), strings.Join(path, "\n"))
			}
			return true
		})
		x.runs++
	}
}

// price is the cost of a step.
func price(s *its.System, t *its.Transition, y walk.Step) *big.Int {
	values := append(slices.Clone(y.State), y.Inputs...)
	eval := func(f linear.Form) *big.Int {
		return f.Eval(func(v linear.Var) linear.Number { return linear.FromBigInt(values[v]) }).BigInt()
	}
	for _, p := range t.Products {
		values[p.Temp] = new(big.Int).Mul(eval(p.A), eval(p.B))
	}
	return eval(t.Cost)
}
