package inference

import (
	"testing"

	"assay/internal/program/ir"
	"assay/internal/transform/cut"
)

// TestElementsFirst: where equations about sums of elements are guessed, but nothing is multiplied, elements alone come first, and
// then sums beside what was found of these.
func TestElementsFirst(t *testing.T) {
	m, err := ir.Parse("module 64 entry @main\nfunc @main() {\nentry:\n  halt exit\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	p := &Search{m: m, o: Options{MaxK: 1}, loops: []*cut.Loop{{}}, ranged: make([]cut.Candidate, 1), summed: make([]cut.Candidate, 1)}
	want := []Attempt{{elements: true}, {algebraic: true, sums: true}, {algebraic: true}, {}}
	got := p.Attempts()
	if len(got) < len(want) {
		t.Fatalf("attempts: %+v", got)
	}
	for i, x := range want {
		if got[i] != x {
			t.Errorf("attempt %d: %+v, want %+v", i, got[i], x)
		}
	}
	if len(p.steps(want[0])) >= len(p.steps(Attempt{})) {
		t.Error("sums of elements are tried at once")
	}
	p.ranged = nil
	if got = p.Attempts(); got[0] != want[2] {
		t.Errorf("nothing about elements is guessed: %+v", got[0])
	}
}
