package bound

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/internal/logic/linear"
)

func named(n string) (linear.Var, bool) {
	i := strings.Index("xyz", n)
	return linear.Var(i), i >= 0 && len(n) == 1
}

// agree says that two expressions have the same values at some points; the normal form is not canonical.
func agree(e, f Expression) bool {
	for _, x := range [][3]int64{{0, 0, 0}, {1, -2, 3}, {-5, 7, 2}, {4, 4, -9}, {100, -100, 1}, {-3, -1, -2}} {
		value := func(v linear.Var) *big.Int { return big.NewInt(x[v]) }
		a, ok := e.Eval(value)
		b, ok2 := f.Eval(value)
		if ok != ok2 || ok && a.Cmp(b) != 0 {
			return false
		}
	}
	return true
}

// TestParse: what Format writes is read as the same function, if it has no exponential.
func TestParse(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	read := 0
	for range 2000 {
		e := random(r, 1+r.IntN(4)).e
		for _, text := range []string{e.Format(name), e.FormatWithRanges(name)} {
			if strings.Contains(text, "^(") {
				continue
			}
			read++
			f, err := Parse(text, named)
			if err != nil || !agree(e, f) {
				t.Fatalf("%s is read as %s, %v", text, f.Format(name), err)
			}
		}
	}
	if read < 1000 {
		t.Errorf("only %d", read)
	}
	for text, want := range map[string]string{
		"2*x - (3 - y)*2": "2*x + 2*y - 6", "x^2*x": "x^3", "UINT_MAX": "4294967295", "max(x, x - 1)": "x", "3/2*x": "3/2*x", "--x": "x",
	} {
		e, err := Parse(text, named)
		if err != nil || e.Format(name) != want {
			t.Errorf("%s: %s, %v; want %s", text, e.Format(name), err, want)
		}
	}
	for text, col := range map[string]int{"": 1, "x +": 4, "q": 1, "max(x": 6, "x y": 3, "x^y": 3, "x^99": 3, "x / y": 6, "x / 0": 6, "2 $": 3} {
		_, err := Parse(text, named)
		var wrong *ParseError
		if !errors.As(err, &wrong) || wrong.Col != col {
			t.Errorf("%q: %v, want column %d", text, err, col)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"max(0, n) + 3", "2*x^3 - y/2", "UINT_MAX*(x + y)", "((("} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 60 || strings.Count(text, "^") > 2 {
			return // powers of powers are large
		}
		e, err := Parse(text, named)
		if err != nil {
			return
		}
		g, err := Parse(e.Format(name), named)
		if err != nil && strings.Contains(err.Error(), "an exponent") {
			return // x^9*x^9 is x^18
		}
		if err != nil || !agree(e, g) {
			t.Errorf("%s: %s, %v", text, e.Format(name), err)
		}
	})
}
