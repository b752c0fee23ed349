package show

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"assay/internal/evidence/invariant"
	"assay/internal/logic/bv"
)

// The integers of the tests: x of 4 bits with a sign, y of 4 bits without, u as x, z of 1 bit.
var (
	small = []invariant.Term{{Value: 1, Bits: 4}, {Value: 2, Bits: 4}, {Value: 3, Bits: 4}, {Value: 4, Bits: 1}}
	named = []string{"x", "y", "u", "z"}
)

func testReading() *reading {
	return &reading{
		names:  func(t invariant.Term) string { return named[t.Value-1] },
		signed: func(t invariant.Term) bool { return t.Value == 1 || t.Value == 3 },
		index:  map[invariant.Term]int{},
	}
}

// said is what a head says, and the texts of it.
type said struct {
	predicates []invariant.Comparison
	clauses    []invariant.Clause
	texts      []string
}

// holds evaluates the facts in a state.
func (s *said) holds(state [4]uint64) bool {
	for _, p := range s.predicates {
		if !invariant.Holds(p, func(t invariant.Term, _ int64) (bv.BV, bool) { return bv.New(t.Bits, state[t.Value-1]), true }, 0) {
			return false
		}
	}
	for _, c := range s.clauses {
		if !slices.ContainsFunc(c, func(l invariant.Literal) bool {
			return (state[l.Term.Value-1]>>l.Bit&1 == 1) != l.Negated
		}) {
			return false
		}
	}
	return true
}

// randomFacts are clauses of several shapes, and comparisons.
func randomFacts(r *rand.Rand) (s said) {
	of := 1 + r.IntN(4) // how many integers
	bit := func() invariant.Literal {
		t := small[r.IntN(of)]
		return invariant.Literal{Term: t, Bit: uint32(r.IntN(int(t.Bits))), Negated: r.IntN(2) == 0}
	}
	for range r.IntN(9) {
		c := invariant.Clause{}
		for range 1 + r.IntN(3) {
			c = append(c, bit())
		}
		s.clauses = append(s.clauses, c)
	}
	if r.IntN(2) == 0 { // the same bits of two integers
		a, b := small[r.IntN(3)], small[r.IntN(3)]
		x, y, all := r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(2) == 0
		for i := range uint32(4) {
			if !all && r.IntN(3) == 0 {
				continue
			}
			s.clauses = append(s.clauses, invariant.Clause{{Term: a, Bit: i, Negated: x}, {Term: b, Bit: i, Negated: y}})
			if r.IntN(4) > 0 {
				s.clauses = append(s.clauses, invariant.Clause{{Term: b, Bit: i, Negated: !y}, {Term: a, Bit: i, Negated: !x}})
			}
		}
	}
	for range r.IntN(3) {
		t := small[r.IntN(3)]
		t.Coeff, t.Signed = 1-2*int64(r.IntN(2)), r.IntN(2) == 0
		p := invariant.Comparison{Terms: []invariant.Term{t}, Relation: invariant.Relation(r.IntN(3)), Bound: big.NewInt(int64(r.IntN(40) - 20)), Modulus: 1 << (1 + r.IntN(4))}
		if p.Relation != invariant.Congruent {
			p.Modulus = 0
		}
		s.predicates = append(s.predicates, p)
	}
	return s
}

var inSet = regexp.MustCompile(`(\w+) in \{([^}]*)\}`)

// asC is a text as an expression of C.
func asC(text string) string {
	text = inSet.ReplaceAllStringFunc(text, func(s string) string {
		m := inSet.FindStringSubmatch(s)
		var out []string
		for _, c := range strings.Split(m[2], ", ") {
			out = append(out, m[1]+" == "+c)
		}
		return "(" + strings.Join(out, " || ") + ")"
	})
	return "(" + strings.ReplaceAll(text, "false", "0") + ")"
}

// TestReadings: what is shown of facts is equivalent to them, in all states, as a compiler of C understands it.
func TestReadings(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	var all []said
	var c strings.Builder
	const sets = 600
	for i := range sets {
		s := randomFacts(r)
		read := testReading()
		for _, p := range s.predicates {
			if !read.compare(p) {
				t.Fatalf("%v is not read", p)
			}
		}
		for _, x := range s.clauses {
			read.clause(x)
		}
		s.texts = read.texts()
		all = append(all, s)
		fmt.Fprintf(&c, "static int f%d(int x, unsigned y, int u, int z) { return 1", i)
		for _, text := range s.texts {
			fmt.Fprintf(&c, " && %s", asC(text))
		}
		c.WriteString("; }\n")
	}
	c.WriteString("int putchar(int);\nint main(void) { int (*f[])(int, unsigned, int, int) = {")
	for i := range sets {
		fmt.Fprintf(&c, "f%d,", i)
	}
	fmt.Fprintf(&c, "}; for (int i = 0; i < %d; i++) for (int s = 0; s < 8192; s++)\n", sets)
	c.WriteString("putchar('0' + f[i]((s & 7) - (s & 8), s >> 4 & 15, (s >> 8 & 7) - (s >> 8 & 8), s >> 12)); return 0; }\n")
	source, program := filepath.Join(t.TempDir(), "f.c"), filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(source, []byte(c.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-w", "-o", program, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range all {
		for n := range uint64(8192) {
			state := [4]uint64{n & 15, n >> 4 & 15, n >> 8 & 15, n >> 12}
			if got, want := out[i*8192+int(n)] == '1', s.holds(state); got != want {
				t.Fatalf("%v: %v; shown is %v, %q\n%v\n%v", state, want, got, s.texts, s.predicates, s.clauses)
			}
		}
	}
}

// TestRangeOf compares with the meaning of comparisons, at a small width and at the ends of the greatest.
func TestRangeOf(t *testing.T) {
	check := func(p invariant.Comparison, w uint32, xs []uint64) {
		t.Helper()
		list, ok := rangeOf(p)
		if !ok {
			t.Fatalf("%v is no range", p)
		}
		s := values{w: w, list: list}
		for _, x := range xs {
			if want := invariant.Holds(p, func(invariant.Term, int64) (bv.BV, bool) { return bv.New(w, x), true }, 0); s.has(x) != want {
				t.Fatalf("%v of %d: %v", p, x, want)
			}
		}
	}
	var all []uint64
	for x := range uint64(8) {
		all = append(all, x)
	}
	ends := []uint64{0, 1, 2, math.MaxInt64 - 1, math.MaxInt64, math.MaxInt64 + 1, math.MaxInt64 + 2, math.MaxUint64 - 1, math.MaxUint64}
	for _, signed := range []bool{false, true} {
		for _, coeff := range []int64{1, -1} {
			for _, relation := range []invariant.Relation{invariant.AtMost, invariant.NotEqual} {
				for b := int64(-20); b <= 20; b++ {
					check(invariant.Comparison{Terms: []invariant.Term{{Coeff: coeff, Value: 1, Bits: 3, Signed: signed}}, Relation: relation, Bound: big.NewInt(b)}, 3, all)
				}
				for _, e := range ends {
					for _, sign := range []int64{1, -1} {
						b := new(big.Int).Mul(new(big.Int).SetUint64(e), big.NewInt(sign))
						if p := (invariant.Comparison{Terms: []invariant.Term{{Coeff: coeff, Value: 1, Bits: 64, Signed: signed}}, Relation: relation, Bound: b}); b.IsInt64() || b.IsUint64() {
							check(p, 64, ends)
						}
					}
				}
			}
		}
	}
}

// TestTexts has what is read of clauses that engines find.
func TestTexts(t *testing.T) {
	word := invariant.Term{Value: 1, Bits: 32}
	zero := func(t invariant.Term, from uint32) (out []invariant.Clause) {
		for b := from; b < t.Bits; b++ {
			out = append(out, invariant.Clause{{Term: t, Bit: b, Negated: true}})
		}
		return out
	}
	either := func(t invariant.Term, bits ...uint32) (c invariant.Clause) {
		for _, b := range bits {
			c = append(c, invariant.Literal{Term: t, Bit: b, Negated: true})
		}
		return c
	}
	for _, c := range []struct {
		clauses []invariant.Clause
		want    string
	}{
		{zero(word, 10), "x >= 0; x <= 1023"},
		{append(zero(word, 4), either(word, 2, 3), either(word, 1, 3)), "x >= 0; x <= 9"},
		{zero(word, 31), "x >= 0"},
		{[]invariant.Clause{either(word, 0), either(word, 1)}, "x % 4 == 0"},
		{append(zero(word, 3), either(word, 0, 2), either(word, 1, 2)), "x >= 0; x <= 4"},
		{append(zero(word, 4), either(word, 3), either(word, 2, 1), either(word, 2, 0), either(word, 1, 0)), "x in {0, 1, 2, 4}"},
		{[]invariant.Clause{{}}, "false"},
		{[]invariant.Clause{either(word, 3)}, "(x & 8) == 0"},
	} {
		r := testReading()
		for _, x := range c.clauses {
			r.clause(x)
		}
		if got := strings.Join(r.texts(), "; "); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
