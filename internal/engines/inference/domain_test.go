package inference

import (
	"fmt"
	"strings"
	"testing"

	"assay/internal/evidence/invariant"
	"assay/internal/transform/cut"
)

func TestParseRow(t *testing.T) {
	for row, want := range map[string]string{
		"x - y": "[{1 x} {-1 y}]", "2*x+y": "[{2 x} {1 y}]", "-3 * a_1": "[{-3 a_1}]",
		"": "error", "x y +": "error", "x**y": "error", "0*x": "error", "2x": "error", "99999999*x": "error", "x - ": "error", "1": "error",
	} {
		got, err := ParseRow(row)
		if text := fmt.Sprint(got); err != nil && want != "error" || err == nil && text != want {
			t.Errorf("%q: %v, %v, want %s", row, got, err, want)
		}
	}
}

func FuzzParseRow(f *testing.F) {
	for _, row := range []string{"x - y", "2*x+y", "-3*a", "x--y"} {
		f.Add(row)
	}
	f.Fuzz(func(t *testing.T, row string) {
		got, err := ParseRow(row)
		if err != nil {
			return
		}
		var text []string
		for _, s := range got {
			text = append(text, fmt.Sprintf("%+d*%s", s.Coeff, s.Name))
		}
		again, err := ParseRow(strings.Join(text, ""))
		if err != nil || fmt.Sprint(again) != fmt.Sprint(got) {
			t.Errorf("%q: %v, printed and read again %v, %v", row, got, again, err)
		}
	})
}

// TestDomainOf: what the domains contain.
func TestDomainOf(t *testing.T) {
	x, y := cut.Place{Value: 1, Bits: 8}, cut.Place{Value: 2, Bits: 8}
	for _, c := range []struct {
		terms []invariant.Term
		want  Domain
	}{
		{[]invariant.Term{x.Term(1, true)}, Intervals | Zones | Octagons | Polyhedra},
		{[]invariant.Term{x.Term(-1, true), y.Term(1, true)}, Zones | Octagons | Polyhedra},
		{[]invariant.Term{x.Term(-1, true), y.Term(-1, true)}, Octagons | Polyhedra},
		{[]invariant.Term{x.Term(2, true)}, Polyhedra},
	} {
		if got := domainOf(c.terms); got != c.want {
			t.Errorf("%v: %b, want %b", c.terms, got, c.want)
		}
	}
}
