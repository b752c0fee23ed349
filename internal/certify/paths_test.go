package certify

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"assay/internal/engines/pathwise"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/program/ir/irtest"
)

// walked is the number of random programs for trees of paths.
var walked = flag.Int("walked", 32, "random programs whose paths are explored and walked again")

// treeOf explores a module; the tree is that of an exploration that came to its end, and found nothing.
func treeOf(ctx context.Context, m *ir.Module, targets []ir.CheckKind) (tree *verdict.PathTree, v verdict.Verdict) {
	v = pathwise.Run(ctx, m, pathwise.Options{Targets: targets, Accept: func(_ context.Context, c *verdict.Claim) (string, error) {
		tree = c.Evidence.(*verdict.PathTree)
		return "nobody", nil
	}}).Verdict
	return tree, v
}

// violates looks for a run that violates a target, among runs with random inputs.
func violates(t *testing.T, m *ir.Module, targets []ir.CheckKind) (what string) {
	target := map[ir.CheckKind]bool{}
	for _, k := range targets {
		target[k] = true
	}
	for run := range uint64(40) {
		if _, err := interp.Run(t.Context(), m, interp.Options{Oracle: interp.Random(run), MaxSteps: 1 << 16, StopAt: func(e interp.Event) bool {
			if e.Kind == interp.Violation && target[e.Check] {
				what = fmt.Sprintf("%s at %%%d of %s: %s", e.Check, e.Value, e.Func.Name, e.Text)
			}
			return what != ""
		}}); err != nil {
			t.Fatal(err)
		}
		if what != "" {
			return what
		}
	}
	return ""
}

func pathModule(seed int64) *ir.Module {
	switch seed % 3 {
	case 0:
		return irtest.Structured(uint64(seed), seed%2 == 0)
	default:
		return randomModule(seed)
	}
}

// TestPaths has random programs explored path by path, and their trees walked again; and compares
// with a complete unwinding, if there is one, and with runs.
func TestPaths(t *testing.T) {
	proofs, refuted := 0, 0
	for seed := range int64(*walked) {
		m := pathModule(seed)
		targets := randomTargets[seed%int64(len(randomTargets))]
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		tree, v := treeOf(ctx, m, targets)
		if _, ok := v.(verdict.False); ok {
			refuted++ // it was replayed
		}
		if tree == nil {
			cancel()
			continue
		}
		_, err := Paths(ctx, m, Options{Targets: targets, Engine: CaDiCaL}, tree)
		var rejected ErrRejected
		switch {
		case ctx.Err() != nil:
			t.Logf("seed %d: too hard", seed)
		case errors.As(err, &rejected):
			t.Errorf("seed %d: rejected: %v\n%s", seed, err, ir.Print(m))
		case err != nil:
			t.Logf("seed %d: %v", seed, err)
		default:
			proofs++
			if what := violates(t, m, targets); what != "" {
				t.Errorf("seed %d: accepted, but a run violates %s\n%s", seed, what, ir.Print(m))
			}
		}
		if seed%8 == 0 && err == nil {
			if _, err := Paths(ctx, m, Options{Targets: targets, Engine: CaDiCaL, Strict: true}, tree); err != nil && ctx.Err() == nil {
				t.Errorf("seed %d: strict: %v", seed, err)
			}
		}
		cancel()
	}
	t.Logf("%d of %d proved and accepted, %d refuted", proofs, *walked, refuted)
	if proofs < *walked/4 {
		t.Errorf("only %d of %d are proved and accepted", proofs, *walked)
	}
}

// TestWrongTrees walks trees that claim what is wrong: those of explorations that looked for other
// violations, and these with changes. None may be accepted of a program with a violation.
func TestWrongTrees(t *testing.T) {
	wrong, changed := 0, 0
	for seed := range int64(*walked) {
		m := pathModule(seed)
		targets := randomTargets[seed%int64(len(randomTargets))]
		what := violates(t, m, targets)
		if what == "" {
			continue
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		tree, _ := treeOf(ctx, m, nil)
		if tree == nil {
			cancel()
			continue
		}
		wrong++
		if _, err := Paths(ctx, m, Options{Targets: targets, Engine: CaDiCaL}, tree); err == nil {
			t.Errorf("seed %d: accepted, but a run violates %s\n%s", seed, what, ir.Print(m))
		}
		if _, err := Paths(ctx, m, Options{Targets: targets, Engine: CaDiCaL, All: true}, tree); err == nil {
			t.Errorf("seed %d: accepted for runs that go on after a violation, but one violates %s\n%s", seed, what, ir.Print(m))
		}
		rng := rand.New(rand.NewPCG(uint64(seed), 7))
		for range 3 {
			changeTree(rng, tree.Root)
			changed++
			if _, err := Paths(ctx, m, Options{Targets: targets, Engine: CaDiCaL}, tree); err == nil {
				t.Errorf("seed %d: accepted after a change, but a run violates %s\n%s", seed, what, ir.Print(m))
			}
		}
		cancel()
	}
	t.Logf("%d trees, %d changes", wrong, changed)
	if wrong == 0 {
		t.Errorf("only %d trees", wrong)
	}
}

// changeTree makes a tree another one, at a random node.
func changeTree(rng *rand.Rand, n *verdict.PathNode) {
	for len(n.Parts) > 0 && rng.IntN(3) > 0 {
		n = n.Parts[rng.IntN(len(n.Parts))].Node
	}
	switch k := rng.IntN(9); {
	case k == 0 && len(n.Parts) > 1:
		i := rng.IntN(len(n.Parts))
		n.Parts = append(n.Parts[:i:i], n.Parts[i+1:]...)
	case k == 1 && len(n.Parts) > 1:
		n.Parts[0], n.Parts[1] = n.Parts[1], n.Parts[0]
	case k == 2 && len(n.Moves) > 0:
		i := rng.IntN(len(n.Moves))
		n.Moves[i].Drop = !n.Moves[i].Drop
	case k == 3 && len(n.Moves) > 0:
		i := rng.IntN(len(n.Moves))
		n.Moves = append(n.Moves[:i:i], n.Moves[i+1:]...)
	case k == 4 && len(n.Parts) > 0 && n.Operand >= 0:
		v := &n.Parts[0].Value
		if w := v.Bits.Width(); w > 0 {
			v.Bits = v.Bits.Add(bv.New(w, 1))
		} else {
			v.Made++
		}
	case k == 5:
		n.Parts = nil
	case k == 6 && len(n.Moves) > 0:
		ways := n.Moves[rng.IntN(len(n.Moves))].Ways
		ways[rng.IntN(len(ways))].Round += rng.IntN(3) - 1
	case k == 7 && len(n.Moves) > 0:
		x := &n.Moves[rng.IntN(len(n.Moves))]
		x.Ways = x.Ways[:rng.IntN(len(x.Ways))]
	default:
		n.End += int64(rng.IntN(3)) - 1
	}
}

// TestPathTreeMalformed has trees that do not fit the program.
func TestPathTreeMalformed(t *testing.T) {
	m := parse(t, `module 64 entry @main
func @main() {
entry:
  %n = nondet i8 input "n"
  %c = ult i1 %n, i8 7
  condbr %c, a, b
a:
  halt exit
b:
  check assertion %c "n < 7"
  halt exit
}
`)
	way := func(succ int) []verdict.PathWay { return []verdict.PathWay{{From: 1, Succ: succ}} }
	leaf := func() *verdict.PathNode { return &verdict.PathNode{Operand: -1} }
	o := Options{Targets: []ir.CheckKind{ir.Assertion}, Engine: CaDiCaL}
	for name, n := range map[string]*verdict.PathNode{
		"nothing said":       {Operand: -1},
		"one way dropped":    {Operand: -1, Moves: []verdict.PathMove{{Step: 3, Drop: true, Ways: way(1)}}},
		"both dropped":       {Operand: -1, Moves: []verdict.PathMove{{Step: 3, Drop: true, Ways: append(way(0), way(1)...)}}},
		"joined":             {Operand: -1, Moves: []verdict.PathMove{{Step: 3, Ways: append(way(0), way(1)...)}}},
		"no such way":        {Operand: -1, Moves: []verdict.PathMove{{Step: 3, Ways: way(5)}}},
		"divided":            {Operand: -1, End: 3, Parts: []verdict.PathPart{{Node: leaf()}, {Ways: way(1), Node: leaf()}}},
		"no such operand":    {Operand: 7, End: 1, Parts: []verdict.PathPart{{Node: leaf()}}},
		"value left out":     {Operand: 0, End: 1, Parts: []verdict.PathPart{{Node: leaf(), Value: verdict.PathValue{Bits: bv.New(8, 3)}}}},
		"value of no width":  {Operand: 0, End: 1, Parts: []verdict.PathPart{{Node: leaf()}}},
		"division too late":  {Operand: -1, End: 99, Parts: []verdict.PathPart{{Node: leaf()}}},
		"move in the middle": {Operand: -1, Moves: []verdict.PathMove{{Step: 1, Drop: true, Ways: way(0)}}},
	} {
		if _, err := Paths(t.Context(), m, o, &verdict.PathTree{Root: n}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	good := &verdict.PathNode{Operand: -1, End: 3, Parts: []verdict.PathPart{{Node: leaf()}, {Ways: way(1), Node: leaf()}}}
	if _, err := Paths(t.Context(), m, Options{Engine: CaDiCaL}, &verdict.PathTree{Root: good}); err != nil {
		t.Errorf("without a target: %v", err)
	}
}
