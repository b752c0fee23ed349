package assay_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay"
)

// clockSource wraps after 2^24 iterations, without inputs: the compiled program does, too.
const clockSource = `#include <assert.h>
int main(void) {
  unsigned clock = 0xff000000;
  unsigned long elapsed = 0xff000000;
  while (elapsed < 0x200000000) {
    clock++;
    elapsed++;
    assert(clock == elapsed);
  }
  return 0;
}
`

// TestAcceleration: what the result says of jumps, in its trace, too; and the
// compiled program, which makes the iterations.
func TestAcceleration(t *testing.T) {
	file := filepath.Join(t.TempDir(), "clock.c")
	if err := os.WriteFile(file, []byte(clockSource), 0o644); err != nil {
		t.Fatal(err)
	}
	check := func(file string, native bool) *assay.Result {
		t.Helper()
		r, err := assay.Check(t.Context(), assay.Task{
			Files: []string{file}, Timeout: 2 * time.Minute, Engine: assay.Engine{Only: assay.EngineAcceleration, NativeReplay: native},
		})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := check(file, true)
	if r.Answer != assay.False || !slices.Equal(r.Replayed, []string{"interpreter", "native"}) {
		t.Errorf("%s, replayed %v, %s, %v", r.Line(), r.Replayed, r.Native, r.Reasons)
	}
	made := uint64(0)
	for _, j := range r.Jumps {
		made += j.Iterations
		if j.Pos.Line != 5 || j.Func != "main" || j.Passes != 1 || !slices.Equal(j.Changes, []string{"clock += 1", "elapsed += 1"}) || !strings.Contains(j.Checker, "Z3") && j.Checker != "simplification" {
			t.Errorf("jump %+v", j)
		}
	}
	if made < 1<<24-40 || made >= 1<<24 || r.Stats.Acceleration == nil {
		t.Errorf("%d iterations: %+v", made, r.Jumps)
	}
	jumps := 0
	var last assay.Step
	if err := r.Trace(t.Context(), func(s assay.Step) error {
		if last = s; s.Kind == assay.StepJump {
			jumps++
			if s.Pos.Line != 5 || !strings.Contains(s.Text, " iterations at once: clock += 1, elapsed += 1") {
				t.Errorf("step %+v", s)
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	if jumps != len(r.Jumps) || last.Kind != assay.StepViolation || last.Pos.Line != 8 {
		t.Errorf("%d jumps, the last step is %+v", jumps, last)
	}

	// The inputs of four billion iterations cannot be fed.
	r = check(filepath.Join("examples", "uptime.c"), true)
	if r.Answer != assay.False || !strings.Contains(r.Native, "read inputs") {
		t.Errorf("%s, native: %s", r.Line(), r.Native)
	}
	// Nothing is proved.
	if r := check(filepath.Join("examples", "even.c"), false); r.Answer != assay.Unknown || len(r.Reasons) != 1 {
		t.Errorf("%s: %v", r.Line(), r.Reasons)
	}
}
