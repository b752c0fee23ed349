package placement_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"assay/internal/engines/bmc"
	"assay/internal/evidence/verdict"
	"assay/internal/models/absint"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/tests/placement"
)

// bounds of an exploration of a random program.
const (
	maxRuns  = 3000
	maxSteps = 200
	// interpreted is how many runs of a program the interpreter makes, about.
	interpreted = 40
)

var kinds = []ir.CheckKind{ir.Assertion, ir.InvalidDeref, ir.InvalidFree}

// interpret makes a run in the interpreter and says what is different there.
func interpret(m *ir.Module, r *placement.Run) string {
	var got []placement.Site
	recorder := interp.Replay(r.Input)
	out, err := interp.Run(context.Background(), m, interp.Options{Oracle: recorder, Observe: func(e interp.Event) {
		if e.Kind == interp.Violation && slices.Contains(kinds, e.Check) {
			got = append(got, placement.Site{Func: e.Func.Name, Value: e.Value, Kind: e.Check})
		}
	}})
	if err != nil {
		return err.Error()
	}
	end := interp.Returned
	if r.Ended == placement.AssumeFailed {
		end = interp.AssumeFailed
	}
	if out.End != end {
		return fmt.Sprintf("the interpreter's run %v %v, the oracle's %v", out, out.Err, end)
	}
	if !slices.Equal(got, r.Violations) {
		return fmt.Sprintf("the interpreter violates %v, the oracle %v", got, r.Violations)
	}
	return ""
}

// difference is what is not as the oracle says, "" if all is.
func difference(p placement.Program, rng *rand.Rand) (string, placement.Outcome) {
	said := ""
	every, seen := 1, 0
	o := placement.Explore(p.Module, placement.Options{Unit: p.Unit, Runs: maxRuns, Steps: maxSteps, Observe: func(r *placement.Run) bool {
		if seen == every*interpreted {
			every *= 2
		}
		if seen++; r.Ended != placement.TooLong && rng.IntN(every) == 0 {
			said = interpret(p.Module, r)
		}
		return said == ""
	}})
	if said != "" {
		return "interpreter: " + said, o
	}
	facts, err := absint.Analyze(context.Background(), p.Module, absint.Options{})
	if err != nil {
		return err.Error(), o
	}
	for s := range o.Reached {
		for i, f := range p.Module.Funcs {
			if f.Name == s.Func && !facts.MayViolate(i, s.Value, s.Kind) {
				return fmt.Sprintf("absint: proves %v, which is reached", s), o
			}
		}
	}
	return encoder(p, o), o
}

// encoder compares with the encoding.
func encoder(p placement.Program, o placement.Outcome) string {
	result := bmc.Run(context.Background(), p.Module, bmc.Options{Targets: kinds, All: true})
	answers := map[placement.Site]verdict.Verdict{}
	for _, c := range result.Checks {
		answers[placement.Site{Func: c.Guard.Func, Value: c.Value, Kind: c.Guard.Kind}] = c.Verdict
	}
	for s, clean := range o.Reached {
		v, listed := answers[s]
		if !listed {
			v = result.Rest
		}
		switch v := v.(type) {
		case verdict.False:
		case verdict.Unknown:
			if clean {
				return fmt.Sprintf("encoder: %v is unknown, and reached: %v", s, v.Reasons)
			}
		default:
			return fmt.Sprintf("encoder: %v is true, and reached", s)
		}
	}
	for s, v := range answers {
		if _, reached := o.Reached[s]; !o.Complete || reached {
			continue
		}
		switch v := v.(type) {
		case verdict.False:
			return fmt.Sprintf("encoder: %v is false, and not reached", s)
		case verdict.Unknown:
			return fmt.Sprintf("encoder: %v is unknown, and not reached: %v", s, v.Reasons)
		}
	}
	return ""
}

// kind is the part of a difference that must stay while a program is made smaller.
func kind(said string) string {
	for _, s := range []string{"is true, and reached", "is false, and not reached", "is unknown, and reached", "is unknown, and not reached"} {
		if strings.Contains(said, s) {
			return s
		}
	}
	before, _, _ := strings.Cut(said, ":")
	return before
}

// smaller is a program without what the difference does not need.
func smaller(p placement.Program, said string) (placement.Program, string) {
	for again := true; again; {
		again = false
		for _, f := range p.Module.Funcs {
			for v := ir.Value(len(f.Values) - 1); v > 0; v-- {
				q := p.Without(f.Name, v)
				if q == nil || ir.Verify(q.Module) != nil {
					continue
				}
				if s, _ := difference(*q, rand.New(rand.NewPCG(1, 1))); kind(s) == kind(said) {
					p, said, again = *q, s, true
					break
				}
			}
		}
	}
	return p, said
}

// TestRandomPrograms compares interpreter, encoder and abstract interpreter with all runs of
// random programs. make fuzz-placement N=100000 runs as many.
func TestRandomPrograms(t *testing.T) {
	n, seed := 250, 1
	if s := os.Getenv("ASSAY_FUZZ_PLACEMENT"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	if s := os.Getenv("ASSAY_FUZZ_SEED"); s != "" {
		seed, _ = strconv.Atoi(s)
	}
	var next, complete, runs, reached, failed, unknown atomic.Int64
	var wg sync.WaitGroup
	var print sync.Mutex
	for range min(runtime.NumCPU(), 2) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				i := next.Add(1) - 1
				if i >= int64(n) || failed.Load() > 10 {
					return
				}
				rng := rand.New(rand.NewPCG(uint64(seed)+uint64(i), 15))
				p := placement.Random(rng)
				said, o := difference(p, rng)
				runs.Add(int64(o.Runs))
				reached.Add(int64(len(o.Reached)))
				if o.Complete {
					complete.Add(1)
				}
				switch {
				case said == "":
					continue
				case strings.Contains(said, " is unknown, "):
					// Not wrong, but to be rare: a run that a copy or an arbitrary content through a
					// bare address makes is not always replayed.
					unknown.Add(1)
					continue
				}
				failed.Add(1)
				q, now := smaller(p, said)
				print.Lock()
				t.Errorf("seed %d, unit %d: %s\n%s", int64(seed)+i, q.Unit, now, ir.Print(q.Module))
				print.Unlock()
			}
		}()
	}
	wg.Wait()
	t.Logf("%d programs, %d complete; %d runs; %d places violated; %d unknown to the encoder", min(next.Load(), int64(n)), complete.Load(), runs.Load(), reached.Load(), unknown.Load())
	if unknown.Load() > 2+int64(n)/100 {
		t.Error("too many programs are unknown to the encoder")
	}
}
