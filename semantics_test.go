package assay

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/internal/integers/its"
)

// TestSemantics: the same programs under different arithmetic.
func TestSemantics(t *testing.T) {
	const nondet = "extern int __VERIFIER_nondet_int(void);\nextern unsigned __VERIFIER_nondet_uint(void);\n"
	for _, c := range []struct {
		name, text                 string
		wrap, noOverflow, integers Answer // empty: not asked
	}{
		// [AProVE-BV, Fig. 1]: f runs for ever for x = UINT_MAX only.
		{"f", nondet + "int main(void) { unsigned x = __VERIFIER_nondet_uint(), j = 0; while (j <= x) j++; return 0; }", "", "", True},
		{"g", nondet + "int main(void) { unsigned j = __VERIFIER_nondet_uint(); while (j > 0) j++; return 0; }", "", "", False},
		{"the overflow", nondet + "int main(void) { int n = __VERIFIER_nondet_int(); for (int i = 0; i <= n; i++) ; return 0; }", "", "", True},
		{"grows for ever", nondet + "int main(void) { int n = 1; while (n > 0) n += 7; return 0; }", "", "", False},
		{"stays", nondet + "int main(void) { int n = __VERIFIER_nondet_int(); while (n > 5) ; return 0; }", False, False, False},
		// Products that equations between them make linear.
		{"odd numbers", nondet + "int main(void) { int n = 0, s = 0, d = 1, c = 0, k = __VERIFIER_nondet_int(); while (n * n - s + c < k) { s += d; d += 2; n++; c++; } return 0; }", "", "", True},
		{"odd numbers for ever", nondet + "int main(void) { int n = 0, s = 0, d = 1; while (n * n == s) { s += d; d += 2; n++; } return 0; }", "", "", False},
		{"halves", nondet + "int main(void) { int a = 2 * __VERIFIER_nondet_int(), x = a / 2, n = 0, s = 0; while (2 * x + n * n == a + s) { s += 2 * n + 1; n++; } return 0; }", "", "", False},
		// Products that are variables of the argument.
		{"cells", nondet + "int main(void) { int w = __VERIFIER_nondet_int(), h = __VERIFIER_nondet_int(), n = 0; for (int i = 0; i < w * h; i++) for (int j = 0; j < i * i; j++) n++; return n; }", "", "", True},
		{"rows", nondet + "int main(void) { int n = __VERIFIER_nondet_int(), w = __VERIFIER_nondet_int(), row = 0, x = 0; if (n < 0 || w < 1) return 0; while (row * w + x != n) if (x + 1 == w) { row++; x = 0; } else x++; return 0; }", "", "", True},
		{"Euclid", nondet + "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); if (x < 1 || y < 1) return 0; int a = x, b = y, p = 1, q = 0; while (x * p - x * q != b + x * p - a - x * q) if (a > b) { a -= b; p -= q; } else { b -= a; q -= p; } return 0; }", "", "", True},
		// Null moved by a number is that number, perhaps the address of the counter.
		{"writes anywhere", nondet + "int n = 5;\nint main(void) { char *null = 0; unsigned i = __VERIFIER_nondet_uint(); while (n > 0) { n--; *(int *)(null + i * 16ul) = 5; } return 0; }", "", "", Unknown},
		{"writes elsewhere", nondet + "int n = 5;\nint main(void) { int x, *p = __VERIFIER_nondet_uint() ? &x : 0; while (n > 0) { n--; *p = 5; } return 0; }", "", "", True},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "f.c")
			if err := os.WriteFile(file, []byte(c.text), 0o666); err != nil {
				t.Fatal(err)
			}
			for s, want := range map[Semantics]Answer{SemanticsWrap: c.wrap, SemanticsNoOverflow: c.noOverflow, SemanticsIntegers: c.integers} {
				if want == "" {
					continue
				}
				limit := time.Minute
				if want == Unknown { // nothing ends some of the searches
					limit = 2 * time.Second
				}
				r, err := Check(context.Background(), Task{Files: []string{file}, Properties: []Property{Termination}, Program: Program{Semantics: s}, Timeout: limit})
				if err != nil {
					t.Fatal(err)
				}
				if r.Answer != want {
					t.Errorf("%s: %s, want %s: %v", s, r.Answer, want, r.Reasons)
				}
			}
			for _, format := range []string{"koat", "t2", "smt2", "ari"} {
				s, none, err := IntegerSystem(context.Background(), Task{Files: []string{file}}, "")
				if err != nil || none != nil {
					t.Fatal(err, none)
				}
				text, ok := its.Write(s.System, format)
				if !ok || strings.TrimSpace(text) == "" {
					t.Errorf("%s: %v %q", format, err, text)
				}
			}
		})
	}
	_, err := Check(context.Background(), Task{Files: []string{"f.c"}, Program: Program{Semantics: SemanticsIntegers}})
	if err == nil {
		t.Error("semantics for a property that does not know them")
	}
}
