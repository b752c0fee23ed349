package solve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"assay/internal/finite/ts"
	"assay/internal/finite/ts/aiger"
	"assay/internal/logic/sat"
	"assay/internal/logic/term"
)

// Write prints the invariants of a proof for people: a clause on each line.
func (p *Proof) Write(w io.Writer) error {
	for _, part := range p.Parts {
		inv := part.Invariant
		fmt.Fprintf(w, "; %s: ", part.What)
		if inv.Prefix > 0 {
			fmt.Fprintf(w, "from step %d on, ", inv.Prefix)
		}
		switch {
		case inv.K > 1 && inv.Simple:
			fmt.Fprintf(w, "inductive over simple paths of %d steps", inv.K)
		case inv.K > 1:
			fmt.Fprintf(w, "inductive over %d steps", inv.K)
		default:
			fmt.Fprint(w, "inductive")
		}
		fmt.Fprintf(w, ": the property and these %d clauses\n", len(inv.Clauses))
		if len(inv.Formulas) > 0 {
			fmt.Fprintf(w, "; and the %d assertions of the scripts after them\n", len(inv.Formulas))
		}
		if len(inv.Cubes) > 0 {
			fmt.Fprintf(w, "; and one of the %d conjunctions at the end\n", len(inv.Cubes))
		}
		for _, c := range inv.Clauses {
			if _, err := fmt.Fprintln(w, part.System.Format(c)); err != nil {
				return err
			}
		}
		for _, f := range inv.Formulas {
			if err := part.System.Store.WriteSMTLIB(w, []term.ID{f}); err != nil {
				return err
			}
		}
		for _, c := range inv.Cubes {
			if _, err := fmt.Fprintln(w, "and:", strings.ReplaceAll(part.System.Format(c), " | ", " & ")); err != nil {
				return err
			}
		}
	}
	return nil
}

// WriteCertificate writes a witness circuit: the model of an AIGER file, its bad
// states joined with the states outside the invariant. The circuit's one property
// is inductive by itself, which external checkers verify, and implies that of the
// model. Only inductive invariants for bad states, from step 0 or 1 on, have this
// form.
func (m *Model) WriteCertificate(w io.Writer, p *Proof) error {
	if m.Format != AIGER || len(p.Parts) != 1 || p.Parts[0].System != m.System {
		return errors.New("a witness circuit is written only for bad states of AIGER models")
	}
	inv := p.Parts[0].Invariant
	if inv.K != 1 || inv.Prefix > 1 {
		return fmt.Errorf("the proof is by induction over %d steps from step %d on; a witness circuit needs an inductive invariant: use --engine ic3", inv.K, inv.Prefix)
	}
	if len(inv.Formulas) > 0 {
		return errors.New("the invariant has words; a witness circuit needs one of bits: use --engine ic3")
	}
	c, err := ts.Blast(context.Background(), m.System)
	if err != nil {
		return err
	}
	g := c.Graph
	holds := sat.True
	at := map[ts.Bit]sat.Lit{}
	for i, b := range c.LatchBits {
		at[b] = c.Latches[i].Lit
	}
	for _, clause := range inv.Clauses {
		l := sat.False
		for _, x := range clause {
			l = g.Or(l, at[ts.Bit{Index: x.State, Bit: x.Bit}].XorSign(x.Negated))
		}
		holds = g.And(holds, l)
	}
	if len(inv.Cubes) > 0 {
		some := sat.False
		for _, cube := range inv.Cubes {
			all := sat.True
			for _, x := range cube {
				all = g.And(all, at[ts.Bit{Index: x.State, Bit: x.Bit}].XorSign(x.Negated))
			}
			some = g.Or(some, all)
		}
		holds = g.And(holds, some)
	}
	if inv.Prefix == 1 {
		// From step 1 on: or the state is an initial one.
		initial := sat.True
		for _, l := range c.Latches {
			if !l.Arbitrary() {
				initial = g.And(initial, g.Iff(l.Lit, l.Reset))
			}
		}
		holds = g.Or(holds, initial)
	}
	bad := holds.Not()
	for _, l := range c.Bad {
		bad = g.Or(bad, l)
	}
	c.Bad, c.Justice, c.Fair = []sat.Lit{bad}, nil, nil
	return aiger.FromCircuit(c, m.System).WriteASCII(w)
}
