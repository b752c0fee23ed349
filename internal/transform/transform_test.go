package transform

import (
	"slices"
	"testing"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// TestRelations compares the composition of relations with that of inclusions of sets of runs.
func TestRelations(t *testing.T) {
	// holds says whether a relation allows old and new sets of runs, as bits.
	holds := func(r Relation, old, new uint) bool {
		switch r {
		case Same:
			return old == new
		case More:
			return old&^new == 0
		case Fewer:
			return new&^old == 0
		}
		return true
	}
	for r := Same; r <= Other; r++ {
		for s := Same; s <= Other; s++ {
			strongest := Other
			for _, c := range []Relation{More, Fewer, Same} {
				implied := true
				for old := range uint(8) {
					for middle := range uint(8) {
						for new := range uint(8) {
							if holds(r, old, middle) && holds(s, middle, new) && !holds(c, old, new) {
								implied = false
							}
						}
					}
				}
				if implied {
					strongest = c
				}
			}
			if got := r.Then(s); got != strongest {
				t.Errorf("%v, then %v: got %v, want %v", r, s, got, strongest)
			}
		}
	}
}

func TestProof(t *testing.T) {
	a, b, c := &ir.Module{}, &ir.Module{}, &ir.Module{}
	lost := verdict.Guard{Kind: ir.InvalidDeref, Func: "f"}
	p := &Program{From: a, Module: b, Runs: More, Lost: []verdict.Guard{lost}, About: "the first", Needs: []ir.CheckKind{ir.InvalidFree}}
	q := p.Then(func(m *ir.Module) *Program {
		return &Program{From: m, Module: c, Runs: More, About: "the second", Blind: []ir.CheckKind{ir.MemTrack}}
	})
	if q.From != a || q.Module != c || !q.Changed() || Unchanged(a).Changed() {
		t.Error("the ends of two steps are wrong")
	}
	got := q.Proof(verdict.True{Certificate: &verdict.Ranking{Checker: "Z3"}, Unclean: []verdict.Guard{{Func: "g"}}})
	if len(got.Unclean) != 2 || got.Unclean[1] != lost {
		t.Errorf("guards: %v", got.Unclean)
	}
	if text := got.Certificate.(*verdict.Ranking).Checker; text != "Z3, for the first, the second" {
		t.Errorf("the checker is %q", text)
	}
	if asked, ok := q.Asked([]ir.CheckKind{ir.Overflow, ir.InvalidFree}); !ok || !slices.Equal(asked, []ir.CheckKind{ir.Overflow, ir.InvalidFree}) {
		t.Errorf("asked: %v, %v", asked, ok)
	}
	if _, ok := q.Asked([]ir.CheckKind{ir.MemTrack}); ok {
		t.Error("it can be asked what it is blind for")
	}
	defer func() {
		if recover() == nil {
			t.Error("a proof about fewer runs carries over")
		}
	}()
	(&Program{From: a, Module: b, Runs: Fewer}).Proof(got)
}
