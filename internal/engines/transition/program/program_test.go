package program

import (
	"context"
	"hash/fnv"
	"os"
	"slices"
	"strings"
	"testing"

	"assay/internal/finite/simulation"
	"assay/internal/finite/ts"
	"assay/internal/program/frontend"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/tests/corpus"
)

// load reads a program of the corpus.
func load(t testing.TB, p *corpus.Program) *ir.Module {
	t.Helper()
	files, err := p.Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o := frontend.Options{Files: files}
	if p.ILP32 {
		o.DataModel = frontend.ILP32
	}
	m, err := frontend.Load(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return m.Module
}

// TestCorpus encodes the corpus in both ways. Violations that simulation finds
// are replayed, and are expected.
func TestCorpus(t *testing.T) {
	programs, err := corpus.Programs()
	if err != nil {
		t.Fatal(err)
	}
	encoded, found, unsupported := 0, 0, 0
	for i := range programs {
		p := &programs[i]
		name := fnv.New32a()
		name.Write([]byte(p.Name))
		if p.Properties != "unreach-call" || name.Sum32()%4 != 1 {
			continue // a part, for time: by names, so that it stays the same as the corpus grows
		}
		m := load(t, p)
		for _, small := range []bool{false, true} {
			if small && slices.Contains([]string{"lib_numbers", "lib_line_end", "lib_putenv"}, p.Name) && os.Getenv("ASSAY_CORPUS") != "all" {
				continue // the large blocks that these have in this form took four fifths of the time of this test
			}
			s, err := Encode(t.Context(), m, Options{Targets: []ir.CheckKind{ir.Assertion}, Small: small})
			if err != nil {
				unsupported++
				continue
			}
			encoded++
			c, err := ts.Blast(context.Background(), s.System)
			if err != nil {
				t.Errorf("%s: %v", p.Name, err)
				continue
			}
			c = c.Normalise(nil)
			r := simulation.Search(t.Context(), c, c.Bad[s.Violation], 1e6)
			if r == nil {
				continue
			}
			found++
			trace := s.Lift(c, r)
			trace.Property = s.Violation
			run, err := s.Input(trace)
			if err != nil {
				t.Errorf("%s: %v", p.Name, err)
				continue
			}
			if run.Approximate || run.Undefined || strings.Contains(strings.Join(p.Expected, " "), "unknown") {
				continue
			}
			violated := false
			out, err := interp.Run(t.Context(), m, interp.Options{Oracle: interp.Replay(run.Input), StopAt: func(e interp.Event) bool {
				violated = violated || e.Kind == interp.Violation && e.Check == ir.Assertion
				return violated
			}})
			if err != nil || violated && !slices.Contains(p.Expected, "false(unreach-call)") {
				t.Errorf("%s, small %v: %v; expected %v, %v", p.Name, small, out, p.Expected, err)
			}
			if !violated && !strings.Contains(out.String(), "initial state") && !strings.Contains(out.String(), "address") {
				t.Errorf("%s, small %v: the run violates nothing: %v", p.Name, small, out)
			}
		}
	}
	t.Logf("%d systems, %d violations found, %d not encoded", encoded, found, unsupported)
	if encoded < 20 || found < 4 {
		t.Error("too few for this test to mean anything")
	}
}
