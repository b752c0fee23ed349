package forward

import (
	"context"
	"testing"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/polyhedra"
)

func read(t *testing.T, text string) *its.System {
	t.Helper()
	s, err := its.ReadKoAT("test", text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestInvariants(t *testing.T) {
	ctx := context.Background()
	x, y := linear.Variable(0), linear.Variable(1)
	zero, ten := linear.Form{}, linear.Constant(linear.Int(10))
	tests := []struct {
		name, text string
		at         string
		want       []linear.Constraint
	}{
		{"counter", `(STARTTERM (FUNCTIONSYMBOLS a)) (RULES
a(x,y) -> b(0,y)
b(x,y) -> b(x+1,y) :|: x < 10
b(x,y) -> c(x,y) :|: x >= 10)`, "c", []linear.Constraint{linear.Equals(x, ten)}},
		{"two counters", `(STARTTERM (FUNCTIONSYMBOLS a)) (RULES
a(x,y) -> b(0,0)
b(x,y) -> b(x+1,y+2) :|: x < 10)`, "b", []linear.Constraint{linear.Equals(y, x.Scale(linear.Int(2))), linear.AtMost(x, ten), linear.AtLeast(x, zero)}},
		{"relation to a parameter", `(STARTTERM (FUNCTIONSYMBOLS a)) (RULES
a(x,y) -> b(0,y) :|: y >= 0
b(x,y) -> b(x+1,y) :|: x < y
b(x,y) -> c(x,y) :|: x >= y)`, "c", []linear.Constraint{linear.Equals(x, y)}},
		{"arbitrary step", `(STARTTERM (FUNCTIONSYMBOLS a)) (RULES
a(x,y) -> b(0,y)
b(x,y) -> b(x+z,y) :|: z >= 1)`, "b", []linear.Constraint{linear.AtLeast(x, zero)}},
		{"unreachable", `(STARTTERM (FUNCTIONSYMBOLS a)) (RULES
a(x,y) -> b(0,y)
b(x,y) -> b(x+1,y) :|: x < 10
b(x,y) -> c(x,y) :|: x > 10)`, "c", []linear.Constraint{linear.False()}},
	}
	for _, test := range tests {
		// A last rule keeps both variables live.
		s := read(t, test.text[:len(test.text)-1]+"\n"+test.at+"(x,y) -> d(x,y) :|: x = y + 123456)")
		inv := Invariants(ctx, s, polyhedra.Polyhedron{})
		for l, name := range s.Locations {
			if name != test.at {
				continue
			}
			for _, c := range test.want {
				if !inv[l].Entails(ctx, c) {
					t.Errorf("%s: %s does not entail %s", test.name, inv[l].Format(s.VarName), c.Format(s.VarName))
				}
			}
		}
	}
}

// TestCancelled: an analysis that is cut short claims nothing.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, p := range Invariants(ctx, read(t, "(STARTTERM (FUNCTIONSYMBOLS a)) (RULES a(x) -> b(0) b(x) -> b(x+1) :|: x < 10)"), polyhedra.Polyhedron{}) {
		if !p.IsAll() {
			t.Error("claims something")
		}
	}
}
