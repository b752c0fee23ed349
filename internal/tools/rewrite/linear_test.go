package rewrite

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/integers/equations"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
	"assay/internal/program/frontend"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == frontend.ChildCommand {
		os.Exit(frontend.ChildMain(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// linearize rewrites a program.
func linearize(t testing.TB, text string) *Linearized {
	t.Helper()
	file := filepath.Join(t.TempDir(), "f.c")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := Linear(t.Context(), file, LinearOptions{Flags: []string{"-m64"}})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return out
}

// squares is a program that knows s == i*i in its loop; the condition is put into it.
const squares = `extern long nondet(void);
long g, h;
void set(void) { g = nondet(); }
long get(void) { g++; return g; }
int main(void) {
	long i = 0, s = 0, k = nondet();
	unsigned long u = nondet();
	long a[2] = {1, 2};
	while (nondet()) {
		BODY
		s = s + 2 * i + 1;
		i = i + 1;
	}
	return 0;
}
`

// TestLinear looks at what conditions become, or why they stay.
func TestLinear(t *testing.T) {
	for _, c := range []struct{ body, positive, negative, reason string }{
		{"if (i * i < k) g = 1;", "s < k", "s >= k", ""},
		{"if (!(i * i + 3 > 2 * k)) break;", "s + 3 > 2 * k", "s + 3 <= 2 * k", ""},
		{"if (k && s == i * i) g = 1;", "1", "0", ""},
		{"if (2 * i * i == 2 * k + 4) g = 1;", "s == k + 2", "s != k + 2", ""},
		{"g = i * i <= k ? 1 : 2;", "s <= k", "s > k", ""},
		{"for (long j = 0; j * j < 10; j++) g = j;", "j >= -3 && j <= 3", "j <= -4 || j >= 4", ""},
		{"if (k * k != 9) g = 1;", "k <= -4 || (k >= -2 && k <= 2) || k >= 4", "k == -3 || k == 3", ""},
		{"if (i * i - s) g = 1;", "0", "1", ""},
		{"if (k * k >= 0) g = 1;", "1", "0", ""},
		// The state in between is not that of the equations: s is ahead.
		{"s = s + 1; if (i * i < k) g = 1; s = s - 1;", "s < k + 1", "s >= k + 1", ""},
		// What has no name there, another variable of this name, or the wrong type.
		{"{ long s = 3; if (i * i < k) g = s; }", "", "", "no linear comparison"},
		{"{ enum { s = 5 }; if (i * i < k) g = s; }", "", "", "no linear comparison"},
		{"{ long k = 3; if (i * i < k) g = 1; }", "", "", "name of its own"},
		{"if (u * u < k) g = 1;", "", "", "unsigned"},
		{"if ((int)i * (int)i < k) g = 1;", "", "", "a conversion from long to int"},
		{"if (a[0] * i < k) g = 1;", "", "", "an element"},
		{"if (i * get() < k) g = 1;", "", "", "a call"},
		{"if (i * i / 2 < k) g = 1;", "", "", "/ has no polynomial"},
		{"g = get() + (i * i < k ? 1 : 2);", "", "", "may be computed between"},
		{"if (i * k < 5) g = 1;", "", "", "no linear comparison"},
		// What a pointer or a call changes is not what it was.
		{"long *p = &s; *p = nondet(); if (i * i < k) g = 1;", "", "", "no linear comparison"},
		{"h = g * g; set(); if (g * g < h) g = 1;", "", "", "no linear comparison"},
		{"g = nondet(); h = g * g; if (g * g < k) h = 1;", "k > h", "k <= h", ""},
	} {
		out := linearize(t, strings.Replace(squares, "BODY", c.body, 1))
		if len(out.Conditions) != 1 {
			t.Errorf("%s: %d conditions", c.body, len(out.Conditions))
			continue
		}
		got := out.Conditions[0]
		if got.Positive != c.positive || got.Negative != c.negative || !strings.Contains(got.Reason, c.reason) || (got.Reason == "") != (c.reason == "") {
			t.Errorf("%s: %+v", c.body, got)
		}
		if got.Line != 10 || got.Replaced() == strings.Contains(out.Text, c.body) {
			t.Errorf("%s: line %d of\n%s", c.body, got.Line, out.Text)
		}
	}
}

// TestPartly: of conditions that stay it is said in which states they are true, and false.
func TestPartly(t *testing.T) {
	for _, c := range []struct{ body, positive, negative string }{
		{"if (i * k < 5) g = 1;", "i <= 0", "0"},
		{"if (u * i + k >= 0) g = 1;", "k >= 0", "i <= 0"},
		{"if (k * i == 3) g = 1;", "k == 3", "k <= 0"},
	} {
		out := linearize(t, strings.Replace(squares, "BODY", c.body, 1))
		if len(out.Conditions) != 1 {
			t.Fatalf("%s: %d conditions", c.body, len(out.Conditions))
		}
		got := out.Conditions[0]
		if got.Replaced() || got.Reason == "" || !strings.Contains(got.Sufficient, c.positive) || !strings.Contains(got.Excluding, c.negative) || got.Between == "" {
			t.Errorf("%s: %+v", c.body, got)
		}
	}
	for _, c := range []struct{ positive, negative, between string }{
		{"0", "0", "1"}, {"1", "0", "0"}, {"x > 0", "0", "!(x > 0)"}, {"x > 0", "x < 0", "!(x > 0) && !(x < 0)"},
	} {
		if got := between(c.positive, c.negative); got != c.between {
			t.Errorf("%v: got %s", c, got)
		}
	}
}

// loops is a random program with sums of powers, and random conditions of which some are linear by
// their equations.
func loops(r *rand.Rand) string {
	n := func(k int64) int64 { return r.Int64N(2*k+1) - k }
	zero := []string{"i * i - s", "i * i + i - 2 * w", "s * i - i * i * i", "i * k - v", "k * s - v * i"}
	condition := func() string {
		p := fmt.Sprintf("%d * (%s)", n(3), zero[r.IntN(len(zero))])
		for _, x := range []string{"i", "s", "w", "v", "k", "c"} {
			if r.IntN(3) == 0 {
				p += fmt.Sprintf(" + %d * %s", n(3), x)
			}
		}
		switch r.IntN(6) {
		case 0:
			p += fmt.Sprintf(" + %d * i * v", n(1))
		case 1:
			p = fmt.Sprintf("%d * c * c * c + %d * c * c + %d * c", n(2), n(3), n(9))
		}
		return fmt.Sprintf("%s %s %d", p, []string{"<", "<=", ">", ">=", "==", "!="}[r.IntN(6)], n(30))
	}
	text := "extern int nondet(void);\nint main(void) {\n\tlong i = 0, s = 0, w = 0, v = 0, k = nondet(), c = nondet();\n"
	text += fmt.Sprintf("\twhile (%s || nondet()) {\n\t\tif (%s && nondet()) c = c + 1;\n", condition(), condition())
	text += "\t\tif (nondet()) { c = nondet(); continue; }\n"
	text += fmt.Sprintf("\t\ts = s + 2 * i + 1;\n\t\tif (%s) c = c - i;\n\t\ti = i + 1;\n\t\tw = w + i;\n\t\tv = v + k;\n\t\tif (%s) c = s - w;\n", condition(), condition())
	return text + fmt.Sprintf("\t}\n\treturn (%s) ? 0 : 0;\n}\n", condition())
}

// TestSameValues runs programs in which each comparison is computed before and after, and compares the values.
func TestSameValues(t *testing.T) {
	if _, err := exec.LookPath("clang-19"); err != nil {
		t.Skip("clang-19 is not installed")
	}
	replaced, stay := 0, 0
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 18))
		text := loops(r)
		out := linearize(t, text)
		list := find(mustParse(t, text)).comparisons
		if len(list) != len(out.Conditions) {
			t.Fatalf("%d conditions, %d in the table\n%s", len(list), len(out.Conditions), text)
		}
		both := replace(text, list, func(k int, old string) string {
			c := out.Conditions[k]
			if !c.Replaced() {
				stay++
				return old
			}
			replaced++
			return fmt.Sprintf("same(%d, (%s) != 0, (%s) != 0, (%s) != 0)", k, old, c.Positive, c.Negative)
		})
		both = strings.Replace(both, "extern int nondet(void);", `#include <stdio.h>
#include <stdlib.h>
static unsigned seed, calls;
static int nondet(void) { calls++; seed = seed * 1103515245 + 12345; if (calls == 400) exit(0); return (int)(seed >> 16) % 7 - 3; }
static int same(int k, int old, int yes, int no) { if (old != yes || old == no) { printf("DIFFERENT %d\n", k); exit(0); } return old; }`, 1)
		binary := compile(t, "both", strings.Replace(both, "int main(void) {", "int main(int count, char **start) {\n\tseed = atoi(start[count - 1]);", 1))
		for start := range 3 {
			if got := execute(t, binary, fmt.Sprint(7919*start+1)); strings.Contains(got, "DIFFERENT") {
				t.Fatalf("seed %d: %s\n%s\n%+v", seed, got, text, out.Conditions)
			}
		}
	}
	if replaced < 12 || stay == 0 {
		t.Errorf("%d replaced, %d stay", replaced, stay)
	}
}

// mustParse is the syntax tree of a text.
func mustParse(t *testing.T, text string) *node {
	t.Helper()
	file := filepath.Join(t.TempDir(), "f.c")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	_, root, err := parse(t.Context(), file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// TestComparisons: forms in C compare with 0 as the forms do, and intervals are those of a variable.
func TestComparisons(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for relation := range relations {
		for range 40 {
			p := rational.Polynomial{}
			for d := range 4 {
				q := rational.Constant(linear.Int(r.Int64N(9) - 4))
				for range d {
					q, _ = q.Times(rational.Variable(0))
				}
				p = p.AddScaled(linear.Int(1), q)
			}
			var out Condition
			l := &linearization{names: map[linear.Var]*variable{0: {name: "x"}}}
			if !l.intervals(t.Context(), p, relation, &out) {
				continue
			}
			for x := int64(-40); x <= 40; x++ {
				want := truth(p.Eval([]*big.Int{big.NewInt(x)}).Sign(), relation) == "1"
				if yes, no := holds(t, out.Positive, x), holds(t, out.Negative, x); yes != want || no == want {
					t.Fatalf("%s %s 0 at %d: %+v", p.Format(l.name), relation, x, out)
				}
			}
		}
	}
	for _, pieces := range [][]equations.Piece{nil, {{}}, {{Low: big.NewInt(1), High: big.NewInt(2)}, {Low: big.NewInt(3)}}} {
		in, out := within(pieces, "x")
		for x := int64(-3); x <= 5; x++ {
			if want := len(pieces) == 1 || len(pieces) == 2 && x >= 1; holds(t, in, x) != want || holds(t, out, x) == want {
				t.Errorf("%v: %s and %s at %d", pieces, in, out, x)
			}
		}
	}
}

// holds evaluates a combination of comparisons of x: a disjunction of conjunctions.
func holds(t *testing.T, text string, x int64) bool {
	t.Helper()
	for _, part := range strings.Split(text, " || ") {
		all := true
		for _, c := range strings.Split(strings.Trim(part, "()"), " && ") {
			var relation string
			var n int64
			switch _, err := fmt.Sscanf(c, "x %s %d", &relation, &n); {
			case c == "0" || c == "1":
				all = all && c == "1"
			case err != nil:
				t.Fatalf("%q: %v", c, err)
			default:
				all = all && truth(big.NewInt(x).Cmp(big.NewInt(n)), relation) == "1"
			}
		}
		if all {
			return true
		}
	}
	return false
}

func BenchmarkLinear(b *testing.B) {
	text := strings.Replace(squares, "BODY", "if (i * i < k) g = 1;", 1)
	for b.Loop() {
		if out := linearize(b, text); !out.Conditions[0].Replaced() {
			b.Fatal("the condition stays")
		}
	}
}
