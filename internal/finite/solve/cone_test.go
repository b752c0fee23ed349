package solve

import (
	"strings"
	"testing"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/finite/ic3"
)

// TestBesideTheProperty: a product of 10,000 bits that no property depends on costs nothing;
// witnesses and invariants are those of the whole system.
func TestBesideTheProperty(t *testing.T) {
	const model = `
1 sort bitvec 10000
2 sort bitvec 8
3 sort bitvec 1
4 state 1 a
5 state 1 b
6 mul 1 4 5
7 next 1 4 6
8 next 1 5 6
9 input 1 unused
10 state 2 c
11 zero 2
12 init 2 10 11
13 constd 2 2
14 input 2 step
15 and 2 14 13
16 add 2 10 15
17 next 2 10 16
18 constd 2 LIMIT
19 eq 3 10 18
20 bad 19
`
	for limit, want := range map[string]string{"7": "proof", "6": "trace"} {
		for _, e := range []Engine{Auto, IC3, Incremental} {
			if want == "proof" && e == Incremental {
				continue // refutes only
			}
			m, err := Parse("model.btor2", []byte(strings.ReplaceAll(model, "LIMIT", limit)))
			if err != nil {
				t.Fatal(err)
			}
			begin := time.Now()
			a, err := Decide(t.Context(), m.System, Options{Accept: accept.TransitionSystem, Engine: e, IC3: ic3.Default})
			switch {
			case err != nil:
				t.Errorf("%s, %s: %v", limit, e, err)
			case want == "trace" && a.Trace == nil || want == "proof" && a.Proof == nil:
				t.Errorf("%s, %s: no %s: %s", limit, e, want, a.Reason)
			case time.Since(begin) > time.Minute:
				t.Errorf("%s, %s: it took %v", limit, e, time.Since(begin))
			}
			if err == nil && a.Trace != nil {
				if _, err := m.System.Simulate(a.Trace); err != nil {
					t.Errorf("%s, %s: %v", limit, e, err)
				}
				var text strings.Builder
				if err := m.WriteWitness(&text, a.Trace); err != nil {
					t.Error(err)
				} else if err := check(m, text.String()); err != nil {
					t.Errorf("%s, %s: the witness: %v", limit, e, err)
				}
			}
			if err == nil && a.Proof != nil && a.Proof.Parts[0].System != m.System {
				t.Errorf("%s, %s: the proof is about another system", limit, e)
			}
		}
	}
}

func check(m *Model, witness string) error {
	_, err := m.CheckWitness([]byte(witness))
	return err
}
