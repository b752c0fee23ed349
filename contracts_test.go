package assay

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestExtensions has programs in the language of CBMC.
func TestExtensions(t *testing.T) {
	const double = `int twice(int *p, int a)
__CPROVER_requires(__CPROVER_is_fresh(p, sizeof *p) && a > -1000 && a < 1000)
__CPROVER_assigns(*p)
__CPROVER_ensures(__CPROVER_return_value == 2 * a && *p == __CPROVER_old(*p));
`
	for name, c := range map[string]struct {
		source   string
		function string
		use      bool
		want     Answer
	}{
		"forall":               {`int a[5]; int main() { int n; __CPROVER_assume(n >= 0 && n <= 5); for (int i = 0; i < n; i++) a[i] = i; __CPROVER_assert(__CPROVER_forall { int k; (0 <= k && k < n) ==> a[k] == k }, "all"); }`, "", false, True},
		"forall, not the end":  {`int a[5]; int main() { for (int i = 0; i < 4; i++) a[i] = 1; __CPROVER_assert(__CPROVER_forall { int k; (0 <= k && k < 5) ==> a[k] }, "all"); }`, "", false, False},
		"forall of a size":     {`int a[4]; int main() { __CPROVER_assert(__CPROVER_forall { int i; (i >= 0 && i < sizeof(a)) ==> ((char *)a)[i] == 0 }, "zero"); }`, "", false, True},
		"exists":               {`int a[3] = {1, 2, 3}; int main() { __CPROVER_assert(__CPROVER_exists { unsigned k; k < 3 && a[k] == 3 }, "3"); }`, "", false, True},
		"exists none":          {`int a[3] = {1, 2, 3}; int main() { __CPROVER_assert(__CPROVER_exists { unsigned k; k < 3 && a[k] == 4 }, "4"); }`, "", false, False},
		"assumed forall":       {`int main() { int a[3]; __CPROVER_assume(__CPROVER_forall { int k; (0 <= k && k < 3) ==> a[k] > 7 }); __CPROVER_assert(a[0] > 6 && a[2] > 7, ""); }`, "", false, True},
		"not comparable":       {`int main() { unsigned n = 3; int a = -1; __CPROVER_assert(__CPROVER_forall { int k; (a <= k && k < n) ==> k < 3 }, ""); }`, "", false, Unknown},
		"invariant":            {`int main() { int n, i = 0; __CPROVER_assume(n >= 0); while (i < n) __CPROVER_loop_invariant(0 <= i && i <= n) i++; __CPROVER_assert(i == n, ""); }`, "", false, True},
		"wrong invariant":      {`int main() { int n, i = 0; __CPROVER_assume(n >= 0); while (i < n) __CPROVER_loop_invariant(i < n) i++; }`, "", false, False},
		"structs":              {`struct p { int x, y; }; typedef struct { long a; } q; int main() { struct p a = {1, 2}, b = a; q c = {1}, d = c; __CPROVER_assert(a == b && c == d, ""); b.y++; __CPROVER_assert(a != b, ""); }`, "", false, True},
		"other structs":        {`struct p { int x, y; }; int main() { struct p a = {1, 2}, b = {1, 3}; __CPROVER_assert(a == b, ""); }`, "", false, False},
		"kept":                 {double + `int twice(int *p, int a) { return a + a; }`, "twice", false, True},
		"not kept":             {double + `int twice(int *p, int a) { ++*p; return a + a; }`, "twice", false, False},
		"body counts":          {double + `int twice(int *p, int a) { return 5; } int main() { int x; __CPROVER_assert(twice(&x, 2) == 5, ""); }`, "", false, True},
		"contract counts":      {double + `int twice(int *p, int a) { return 5; } int main() { int x; __CPROVER_assert(twice(&x, 2) == 4, ""); }`, "", true, False},
		"required":             {double + `int main() { int x; twice(&x, 2000); }`, "", true, False},
		"assigns":              {"int g;\nvoid set(void) __CPROVER_assigns(g) __CPROVER_ensures(g > 0);\nint main() { g = 7; set(); __CPROVER_assert(g == 7, \"\"); }", "", true, False},
		"uninterpreted":        {`int __CPROVER_uninterpreted_f(int); int main() { int x; __CPROVER_assert(__CPROVER_uninterpreted_f(x) == __CPROVER_uninterpreted_f(x), ""); }`, "", false, True},
		"uninterpreted others": {`int __CPROVER_uninterpreted_f(int); int main() { int x; __CPROVER_assert(__CPROVER_uninterpreted_f(1) == __CPROVER_uninterpreted_f(2), ""); }`, "", false, False},
		"overflow":             {`int main() { int a; __CPROVER_assert(__CPROVER_overflow_plus(a, 1) ==> a == 2147483647, ""); __CPROVER_assert(__CPROVER_overflow_mult((char)100, 3) == 0, ""); __CPROVER_assert(__CPROVER_overflow_unary_minus(a) ==> a < 0, ""); __CPROVER_assert(__CPROVER_overflow_shl(1, 31) && !__CPROVER_overflow_shl(1, 30), ""); }`, "", false, True},
		"objects":              {`char b[8]; int main() { char *p = b + 3; __CPROVER_assert(__CPROVER_OBJECT_SIZE(p) == 8 && __CPROVER_POINTER_OFFSET(p) == 3 && __CPROVER_same_object(p, b) && __CPROVER_r_ok(p, 5) && !__CPROVER_w_ok(p, 6) && __CPROVER_r_ok(p), ""); }`, "", false, True},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "f.c")
			if err := os.WriteFile(file, []byte(c.source), 0o600); err != nil {
				t.Fatal(err)
			}
			var warnings strings.Builder
			task := Task{Files: []string{file}, Properties: []Property{UnreachCall}, Timeout: time.Minute, Warnings: &warnings}
			task.Program.Function, task.Program.UseContracts = c.function, c.use
			r, err := Check(t.Context(), task)
			if err != nil {
				t.Fatal(err)
			}
			if r.Answer != c.want || warnings.Len() > 0 {
				t.Errorf("%s, want %s: %v, %v\n%s", r.Line(), c.want, r.Violation, r.Reasons, warnings.String())
			}
		})
	}
}

// TestDisabledChecks: a check that a pragma of CBMC switches off is not asked in its lines, and asked in all others; the answer
// says that it rests on that. What an access does that is not valid is not known.
func TestDisabledChecks(t *testing.T) {
	off := func(check, body string) string {
		return "\n#pragma CPROVER check push\n#pragma CPROVER check disable \"" + check + "\"\n" + body + "\n#pragma CPROVER check pop\n"
	}
	const wraps = "unsigned u = __VERIFIER_nondet_uint(), v; int n = __VERIFIER_nondet_int(), m; int a[4] = {0}, *p = __builtin_malloc(4); (void)p;"
	main := func(body string) string {
		return "unsigned __VERIFIER_nondet_uint(void); int __VERIFIER_nondet_int(void); void __VERIFIER_assert(int); void free(void *); int g[2], h;\nint main(void) { " + wraps + body + " return 0; }"
	}
	for name, c := range map[string]struct {
		source string
		asked  []Property
		want   Answer
		noted  bool
	}{
		"unsigned":             {main(off("unsigned-overflow", "v = u + 1;")), []Property{"unsigned-overflow"}, True, true},
		"unsigned, behind it":  {main(off("unsigned-overflow", "v = u + 1;") + "v = u + 2;"), []Property{"unsigned-overflow"}, False, true},
		"unsigned, before it":  {main("v = u * 3;" + off("unsigned-overflow", "v = u + 1;")), []Property{"unsigned-overflow"}, False, true},
		"of another kind":      {main(off("signed-overflow", "v = u + 1;")), []Property{"unsigned-overflow"}, False, false},
		"enabled again":        {main(off("unsigned-overflow", "#pragma CPROVER check enable \"unsigned-overflow\"\nv = u + 1;")), []Property{"unsigned-overflow"}, False, false},
		"signed":               {main(off("signed-overflow", "m = n + 1;")), []Property{NoOverflow}, True, true},
		"signed, it wraps":     {main(off("signed-overflow", "m = n + 1;") + "__VERIFIER_assert(n != 2147483647 || m < 0);"), []Property{UnreachCall, NoOverflow}, True, true},
		"signed, then a bug":   {main(off("signed-overflow", "m = n + 1;") + "__VERIFIER_assert(m > n);"), []Property{UnreachCall}, False, true},
		"a division":           {main(off("signed-overflow", "m = n == 0 ? 1 : -2147483647 / 1 - 1 + 0 * n; m = n ? m / n : 0;")), []Property{NoOverflow}, False, true},
		"division by zero":     {main(off("div-by-zero", "m = 8 / n;")), []Property{DivByZero}, False, false},
		"conversion":           {main(off("conversion", "char c = n; m = c;")), []Property{"implicit-conversion"}, True, true},
		"freed":                {main("free(p);" + off("pointer", "m = *p;")), []Property{ValidDeref}, Unknown, true},
		"freed, behind it":     {main("free(p);" + off("pointer", "m = 1;") + "m = *p;"), []Property{ValidDeref}, False, false},
		"valid":                {main("*p = 1;" + off("pointer", "m = *p;")), []Property{ValidDeref}, True, true},
		"out of bounds":        {main(off("bounds", "a[n & 7] = 1;")), []Property{ValidDeref}, Unknown, true},
		"in bounds":            {main(off("bounds", "a[n & 3] = 1;")), []Property{ValidDeref}, True, true},
		"an assertion stays":   {main(off("pointer", "__VERIFIER_assert(n != 77);")), []Property{UnreachCall, ValidDeref}, False, false},
		"a bug behind invalid": {main("if (n == 3) free(p);" + off("pointer", "*p = 1;") + "__VERIFIER_assert(n != 4);"), []Property{UnreachCall}, False, true},
		"free stays":           {main(off("pointer", "free(p); free(p);")), []Property{ValidFree}, False, false},
		"the whole file":       {"#pragma CPROVER check disable \"unsigned-overflow\"\n" + main("v = u + 1;"), []Property{"unsigned-overflow"}, True, true},
		"popped too often":     {"#pragma CPROVER check pop\n" + main(off("unsigned-overflow", "v = 0;")+"#pragma CPROVER check pop\nv = u + 1;"), []Property{"unsigned-overflow"}, False, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := asking(t, c.source, false, c.asked...)
			noted := strings.Contains(fmt.Sprint(r.Assumptions), "#pragma CPROVER")
			if r.Answer != c.want || noted != c.noted {
				t.Errorf("%s, want %s, noted: %v; %v, %v", r.Line(), c.want, noted, r.Violation, r.Reasons)
			}
		})
	}
}
