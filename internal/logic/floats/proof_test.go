package floats

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"assay/internal/logic/term"
)

// TestProof lets Z3, whose floating-point circuits are its own, prove circuits
// equal to the operations as SMT-LIB defines them, for all operands. Addition
// in single took 30 seconds once, in double more than 90; what needs a
// multiplier was not tried.
func TestProof(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	if _, err := exec.LookPath("z3"); err != nil {
		t.Skip("no z3: ", err)
	}
	prove := func(name string, f Format, operation func(s *term.Store, in []term.ID) term.ID, widths ...uint32) {
		t.Run(f.String()+"/"+name, func(t *testing.T) {
			o := build(term.NewStore(), operation, widths...)
			circuit := Lower(o.store, o.root)
			if circuit == o.root {
				t.Fatal("not lowered")
			}
			var script bytes.Buffer
			if err := o.store.WriteSMTLIB(&script, []term.ID{o.store.Not(o.store.Eq(o.root, circuit))}); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			z3 := exec.CommandContext(ctx, "z3", "-in")
			z3.Stdin = &script
			out, err := z3.CombinedOutput()
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				t.Skip("no time")
			}
			lines := strings.Fields(string(out))
			if err != nil || lines[len(lines)-1] != "unsat" {
				t.Errorf("z3: %v\n%s", err, out)
			}
		})
	}
	for _, f := range []Format{Half, Single, Double} {
		w := f.Width()
		prove("eq", f, func(s *term.Store, in []term.ID) term.ID { return s.FEq(in[0], in[1]) }, w, w)
		prove("lt", f, func(s *term.Store, in []term.ID) term.ID { return s.FLt(in[0], in[1]) }, w, w)
		prove("le", f, func(s *term.Store, in []term.ID) term.ID { return s.FLe(in[0], in[1]) }, w, w)
		for _, m := range modes {
			prove("round "+m.String(), f, func(s *term.Store, in []term.ID) term.ID { return s.FRound(in[0], m) }, w)
		}
		for _, g := range []Format{Half, Single, Double} {
			v := g.Width()
			prove("to signed", f, func(s *term.Store, in []term.ID) term.ID { return s.FToSI(in[0], v) }, w)
			prove("to unsigned", f, func(s *term.Store, in []term.ID) term.ID { return s.FToUI(in[0], v) }, w)
			prove("from signed", f, func(s *term.Store, in []term.ID) term.ID { return s.SIToF(in[0], w) }, v)
			prove("from unsigned", f, func(s *term.Store, in []term.ID) term.ID { return s.UIToF(in[0], w) }, v)
			if f != g {
				prove("to "+g.String(), f, func(s *term.Store, in []term.ID) term.ID { return s.FToF(in[0], v) }, w)
			}
		}
		if f == Half {
			prove("add", f, func(s *term.Store, in []term.ID) term.ID { return s.FAdd(in[0], in[1]) }, w, w)
			prove("sqrt", f, func(s *term.Store, in []term.ID) term.ID { return s.FSqrt(in[0]) }, w)
		}
	}
}
