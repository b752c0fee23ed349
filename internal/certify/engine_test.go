package certify

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"testing"
	"time"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/floats"
	"assay/internal/logic/smt"
	"assay/internal/logic/smt/bitblast"
	"assay/internal/logic/term"
	"assay/internal/models/ssa"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// engineSays decides a module with the engine's encoder and CaDiCaL, at one
// depth. If everything is proved, the bounds are those of the certificate.
func engineSays(t *testing.T, m *ir.Module, targets []ir.CheckKind, all bool, depth int) (proved bool, bounds []verdict.Bound, why string) {
	t.Helper()
	st := term.NewStore()
	u := ssa.New(m, st, ssa.Options{Targets: targets, All: all})
	u.Default = depth
	f, err := u.Encode(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if f.Instructions > 5000 {
		t.Skip("too large")
	}
	s := bitblast.New(st, bitblast.Options{Lower: floats.Lower})
	defer s.Close()
	for _, x := range f.Facts {
		s.Assert(x)
	}
	sat := func(c term.ID) bool {
		if st.IsFalse(c) {
			return false
		}
		status, err := s.Check(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		return status == smt.Sat
	}
	for _, x := range f.Violations {
		if sat(x.Cond) {
			return false, nil, fmt.Sprintf("violation %s %d %s", x.Guard.Func, x.Value, x.Guard.Kind)
		}
	}
	for _, x := range f.Limits {
		if sat(x.Cond) {
			return false, nil, fmt.Sprintf("limit %v", x.Loop)
		}
	}
	for _, x := range f.Obstacles {
		if !x.OverApproximated && sat(x.Cond) {
			return false, nil, "obstacle " + x.Reason.Text
		}
	}
	for l, n := range f.Unwound {
		bounds = append(bounds, verdict.Bound{Func: l.Func, Head: l.Head, N: n})
	}
	return true, bounds, ""
}

var randomTargets = [][]ir.CheckKind{
	{ir.Assertion}, {ir.InvalidDeref, ir.InvalidFree}, {ir.DivByZero, ir.ShiftRange, ir.Overflow}, {ir.MemCleanup}, {ir.FloatConversion},
}

// programs is the number of random programs; thousands are worth while after
// changes of either encoder.
var programs = flag.Int("programs", 75, "random programs to compare with the engine on")

// TestAgainstEngine has random programs decided by the engine's encoder and by
// this one, and by runs of the interpreter.
func TestAgainstEngine(t *testing.T) {
	proofs := 0
	for seed := range int64(*programs) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			if againstEngine(t, seed) {
				proofs++
			}
		})
	}
	t.Logf("%d of %d proved", proofs, *programs)
}

func againstEngine(t *testing.T, seed int64) bool {
	targets := randomTargets[seed%int64(len(randomTargets))]
	return compare(t, randomModule(seed), Options{Targets: targets, All: seed%2 == 0})
}

// compare has a module decided by both encoders and runs it. It says whether the
// certificate was accepted.
func compare(t *testing.T, m *ir.Module, o Options) bool {
	t.Helper()
	if err := ir.Verify(m); err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(m))
	}
	targets := o.Targets
	proved, bounds, why := engineSays(t, m, targets, o.All, 6)
	if !proved {
		bounds = allBounds(m, 6)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	_, err := Unwinding(ctx, m, o, bounds)
	o.pieces = []int{4, 20}
	if _, again := Unwinding(ctx, m, o, bounds); ctx.Err() == nil && (again == nil) != (err == nil) {
		t.Errorf("as a whole: %v; in pieces: %v\n%s", err, again, ir.Print(m))
	}
	if ctx.Err() != nil {
		t.Skip("too hard")
	}
	if (err == nil) != proved {
		t.Errorf("engine: proved %v %s; checker: %v\n%s", proved, why, err, ir.Print(m))
	}
	var incomplete ErrIncomplete
	if errors.As(err, &incomplete) {
		t.Errorf("incomplete: %v", err)
	}
	target := map[ir.CheckKind]bool{}
	for _, k := range targets {
		target[k] = true
	}
	for run := range uint64(30) {
		broken := ""
		_, runErr := interp.Run(context.Background(), m, interp.Options{Oracle: interp.Random(run), MaxSteps: 1 << 16, StopAt: func(e interp.Event) bool {
			if e.Kind == interp.Violation && target[e.Check] {
				broken = fmt.Sprintf("%s at %%%d of %s: %s", e.Check, e.Value, e.Func.Name, e.Text)
			}
			return broken != ""
		}})
		if runErr != nil {
			t.Fatal(runErr)
		}
		if broken != "" && err == nil {
			t.Fatalf("accepted, but a run violates %s\n%s", broken, ir.Print(m))
		}
	}
	return err == nil
}

// allBounds gives every loop and every function one bound.
func allBounds(m *ir.Module, n int) (bounds []verdict.Bound) {
	for _, f := range m.Funcs {
		for b := range f.Blocks {
			bounds = append(bounds, verdict.Bound{Func: f.Name, Head: ir.BlockID(b), N: n})
		}
	}
	return bounds
}
