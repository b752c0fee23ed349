package assay

import (
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
