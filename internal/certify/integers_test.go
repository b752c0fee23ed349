package certify

import (
	"strings"
	"testing"

	"assay/internal/logic/smt"
	"assay/internal/logic/term"
)

// TestPlacesInBuffer: where three offsets in an object are, with an address that does not wrap, is decided over the
// integers; if it may wrap it is rejected.
func TestPlacesInBuffer(t *testing.T) {
	for _, wraps := range []bool{false, true} {
		m := loopModule(1)
		c := newChecker(t.Context(), m, Options{Engine: CaDiCaL}, nil)
		defer c.close()
		st := c.st
		word := func(name string) term.ID { return st.Fresh(name, term.BitVec(64)) }
		base, size, from, at, count := word("base"), word("size"), word("from"), word("at"), word("count")
		if !wraps {
			c.facts = append(c.facts, st.ULt(base, st.ConstU(64, 1<<47)), st.ULt(size, st.ConstU(64, 1<<47)))
		}
		rest := st.Sub(size, st.Add(from, at))
		c.facts = append(c.facts, st.ULt(from, size), st.ULt(at, st.Sub(size, from)), st.ULe(count, rest), st.Not(st.Eq(count, st.ConstU(64, 0))))
		end := st.Add(st.Add(base, from), st.Add(at, count))
		fr := &frame{fn: &function{f: m.Func("main")}}
		c.record(violation, fr, st.ULt(st.Add(base, size), end), 1, "behind the end")
		c.record(violation, fr, st.ULe(end, st.Add(base, from)), 1, "before the beginning")
		c.record(violation, fr, st.ULt(end, st.Add(base, count)), 1, "below its length")
		how, err := c.judge()
		if wraps && err == nil || !wraps && (err != nil || !strings.HasSuffix(how, "over the integers")) {
			t.Errorf("wraps %v: %q, %v", wraps, how, err)
		}
	}
}

// TestByIntegers: what is refuted over the integers has no model, and some of what has none is refuted.
func TestByIntegers(t *testing.T) {
	refuted := 0
	for seed := range uint64(4) {
		c := newChecker(t.Context(), loopModule(1), Options{Engine: CaDiCaL}, nil)
		for _, cond := range formulas(c, seed, 12) {
			roots := append([]term.ID{cond}, c.facts...)
			status, err := c.try(linear, roots)
			if err != nil {
				t.Fatal(err)
			}
			if status != smt.Unsat {
				continue
			}
			refuted++
			if status, err := c.try(large, roots); err != nil || status != smt.Unsat {
				t.Errorf("seed %d: refuted over the integers, by words %v, %v", seed, status, err)
			}
		}
		c.close()
	}
	if refuted < 5 {
		t.Errorf("%d refuted", refuted)
	}
}
