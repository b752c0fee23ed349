package assay

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestObligations has programs whose functions are replaced by their contracts: a true needs that each body
// keeps its contract, and what a body does not keep is found in the function.
func TestObligations(t *testing.T) {
	const (
		fresh  = "__CPROVER_requires(__CPROVER_is_fresh(p, sizeof *p)) "
		stdlib = "#include <stdlib.h>\n"
	)
	for name, c := range map[string]struct {
		source string
		want   Answer
		not    string // the function that does not keep its contract
		warns  string // in a warning
	}{
		"kept": {`int f(int *p, int a) ` + fresh + `__CPROVER_requires(a < 1000 && a > -1000) __CPROVER_assigns(*p) __CPROVER_ensures(__CPROVER_return_value == 2 * a && *p == a) { *p = a; return a + a; }
			int main() { int x; __CPROVER_assert(f(&x, 2) == 4 && x == 2, ""); }`, True, "", ""},
		"ensures is wrong":               {`int f(int a) __CPROVER_requires(a < 1000) __CPROVER_ensures(__CPROVER_return_value > a) { return a == 77 ? a : a + 1; } int main() { __CPROVER_assert(f(2) > 2, ""); }`, False, "f", ""},
		"requires is not satisfied":      {`int f(int a) __CPROVER_requires(a < 1000) __CPROVER_ensures(1) { return a; } int main() { f(2000); }`, False, "", ""},
		"requires of a callee in a body": {`int g(int a) __CPROVER_requires(a < 10) { return a; } int f(int a) __CPROVER_requires(a < 11) { return g(a); } int main() { f(2); }`, False, "f", ""},
		"callee in a body":               {`int g(int a) __CPROVER_requires(a < 10) __CPROVER_ensures(__CPROVER_return_value == a) { return a; } int f(int a) __CPROVER_requires(a < 10) __CPROVER_ensures(__CPROVER_return_value == a) { return g(a); } int main() { __CPROVER_assert(f(2) == 2, ""); }`, True, "", ""},
		"an assertion in a body":         {`void f(int a) __CPROVER_requires(a < 10) { __CPROVER_assert(a != 3, ""); } int main() { f(2); }`, False, "f", ""},
		"assigns names nothing":          {`int g; void f(void) { g = 1; } void h(void) __CPROVER_ensures(1) { f(); } int main() { h(); }`, False, "h", ""},
		"assigns names another":          {`int g, k; void h(void) __CPROVER_assigns(k) { g = 1; } int main() { h(); }`, False, "h", ""},
		"an alias of a target":           {`int g; void h(void) __CPROVER_assigns(g) { int *p = &g; *p = 1; } int main() { h(); }`, True, "", ""},
		"an alias of another":            {`int g, k; void h(int c) __CPROVER_assigns(k) { int *p = c ? &k : &g; *p = 1; } int main() { h(1); }`, False, "h", ""},
		"behind a target":                {`struct s { int a, b; } g; void h(void) __CPROVER_assigns(g.a) { int *p = &g.a; p[1] = 2; } int main() { h(); }`, False, "h", ""},
		"a part of a target":             {`struct s { int a, b; } g; void h(void) __CPROVER_assigns(g) { g.b = 2; } int main() { h(); }`, True, "", ""},
		"elements":                       {`int a[10]; void h(int i) __CPROVER_requires(0 <= i && i < 10) __CPROVER_assigns(a[i]) __CPROVER_ensures(a[i] == 0) { a[i] = 0; } int main() { a[3] = 4; h(2); __CPROVER_assert(a[3] == 4 && a[2] == 0, ""); }`, True, "", ""},
		"another element":                {`int a[10]; void h(int i) __CPROVER_requires(0 <= i && i < 9) __CPROVER_assigns(a[i]) { a[i + (i == 5)] = 0; } int main() { h(2); }`, False, "h", ""},
		"a target that moves":            {`int a[2], i; void h(void) __CPROVER_requires(i == 0 || i == 1) __CPROVER_assigns(i, a[i]) { i = 1 - i; a[i] = 3; } int main() { h(); }`, False, "h", ""},
		"targets are those of the entry": {`int a[2], i; void h(void) __CPROVER_requires(i == 0 || i == 1) __CPROVER_assigns(i, a[i]) { a[i] = 3; i = 1 - i; } int main() { a[0] = a[1] = 7; h(); __CPROVER_assert(a[1] == 7, ""); }`, True, "", ""},
		"under a condition":              {`int g, k; void h(int c) __CPROVER_assigns(c: g, k) { if (c) g = k = 1; } int main() { g = 5; h(0); __CPROVER_assert(g == 5 && k == 0, ""); }`, True, "", ""},
		"under another condition":        {`int g, k; void h(int c) __CPROVER_assigns(c > 1: g; c: k) { if (c) g = k = 1; } int main() { h(0); }`, False, "h", ""},
		"locals and what is new":         {stdlib + `int h(int n) __CPROVER_requires(n == 3) __CPROVER_ensures(__CPROVER_return_value == 6) { int a[3], s = 0; int *p = malloc(sizeof(int)); for (int i = 0; i < n; i++) a[i] = i + 1; *p = 0; for (int i = 0; i < n; i++) *p += a[i]; s = *p; free(p); return s; } int main() { __CPROVER_assert(h(3) == 6, ""); }`, True, "", ""},
		"a copy of bytes": {`#include <string.h>
			struct s { int a[4]; } g; void h(struct s *p) ` + fresh + `__CPROVER_assigns(*p) __CPROVER_ensures(p->a[2] == g.a[2]) { memcpy(p, &g, sizeof g); } int main() { struct s x; g.a[2] = 9; h(&x); __CPROVER_assert(x.a[2] == 9, ""); }`, True, "", ""},
		"a copy of too many bytes": {`#include <string.h>
			struct s { int a[4]; int b; } g; void h(struct s *p) ` + fresh + `__CPROVER_assigns(p->a) { memcpy(p, &g, sizeof g); } int main() { struct s x; h(&x); }`, False, "h", ""},
		"whole objects":                       {`int a[10]; void h(int *p) __CPROVER_requires(__CPROVER_is_fresh(p, 16)) __CPROVER_assigns(__CPROVER_object_whole(p)) { p[3] = 1; } int main() { h(a); __CPROVER_assert(a[0] == 0, ""); }`, False, "", ""},
		"a static local":                      {`int h(void) __CPROVER_ensures(__CPROVER_return_value == 1) { static int n; return ++n; } int main() { h(); }`, False, "h", ""},
		"a globals' value at the call":        {`int g = 1; int h(void) __CPROVER_ensures(__CPROVER_return_value == 1) { return g; } int main() { g = 2; __CPROVER_assert(h() == 1, ""); }`, False, "h", ""},
		"history":                             {`int g; void h(void) __CPROVER_requires(g < 100 && g > 0) __CPROVER_assigns(g) __CPROVER_ensures(g == __CPROVER_old(g) + 1) { g++; } int main() { g = 4; h(); h(); __CPROVER_assert(g == 6, ""); }`, True, "", ""},
		"wrong history":                       {`int g; void h(void) __CPROVER_requires(g < 100 && g > 0) __CPROVER_assigns(g) __CPROVER_ensures(g == __CPROVER_old(g)) { g++; } int main() { g = 4; h(); }`, False, "h", ""},
		"vacuous":                             {`void h(int a) __CPROVER_requires(a < 3 && a > 4) { __CPROVER_assert(0, ""); } int main() { int c; __CPROVER_assume(c == 0); if (c) h(1); }`, True, "", "no call satisfies"},
		"equal arguments":                     {`void h(int *p, int *q) __CPROVER_requires(__CPROVER_is_fresh(p, 4) && __CPROVER_is_fresh(q, 4)) __CPROVER_assigns(*p, *q) __CPROVER_ensures(*p == 1 && *q == 2) { *p = 1; *q = 2; } int main() { int x; h(&x, &x); }`, False, "", ""},
		"a global that is fresh":              {`int g; void h(int *p) ` + fresh + `__CPROVER_assigns(*p) __CPROVER_ensures(g == __CPROVER_old(g)) { *p = 1; } int main() { h(&g); }`, False, "", ""},
		"a global that it does not know":      {`int g; void h(int *p) ` + fresh + `__CPROVER_assigns(*p) __CPROVER_ensures(*p == 1) { *p = 1; } int main() { h(&g); __CPROVER_assert(g == 1, ""); }`, True, "", ""},
		"pointers that are not fresh":         {`void h(int *p, int *q) __CPROVER_assigns(*p, *q) __CPROVER_requires(__CPROVER_w_ok(p, 4) && __CPROVER_w_ok(q, 4)) __CPROVER_ensures(*p == 1) { *p = 1; *q = 2; } int main() { int x, y; h(&x, &y); }`, False, "h", ""},
		"a pointer into the middle":           {`void h(int *p) __CPROVER_assigns(*p) __CPROVER_requires(__CPROVER_w_ok(p, 4)) __CPROVER_ensures(*p == 1) { *p = 1; } int main() { int x[3]; h(x + 1); __CPROVER_assert(x[1] == 1, ""); }`, True, "", ""},
		"a pointer of which nothing is said":  {`int g; void h(int *p) __CPROVER_assigns(*p) __CPROVER_ensures(g == __CPROVER_old(g)) { *p = 1; } int main() { h(&g); __CPROVER_assert(g == 0, ""); }`, False, "h", ""},
		"fresh in the middle of an object":    {`void f(char *p, int n) __CPROVER_requires(0 <= n && n <= 4 && __CPROVER_is_fresh(p, n)) __CPROVER_assigns(__CPROVER_object_upto(p, n)) { for (int i = 0; i < n; i++) p[i] = 1; } int main() { char a[8]; a[0] = a[5] = 7; f(a + 1, 4); __CPROVER_assert(a[0] == 7 && a[5] == 7, ""); }`, True, "", ""},
		"the size of an object that is fresh": {`int f(char *p) __CPROVER_requires(__CPROVER_is_fresh(p, 4)) __CPROVER_assigns(*p) __CPROVER_ensures(__CPROVER_return_value == 4) { return __CPROVER_OBJECT_SIZE(p); } int main() { char a[8]; int r = f(a + 1); __CPROVER_assert(r == 4, ""); }`, Unknown, "", ""},
		"a clause about its size":             {`int f(char *p) __CPROVER_requires(__CPROVER_is_fresh(p, 4)) __CPROVER_assigns(*p) __CPROVER_ensures(__CPROVER_OBJECT_SIZE(p) == 4) { return 0; } int main() { char a[8]; int r = f(a + 1); __CPROVER_assert(r == 1, ""); }`, Unknown, "", ""},
		"a function that asks for its size":   {`int g(char *q) { return __CPROVER_r_ok(q, 5); } int f(char *p) __CPROVER_requires(__CPROVER_is_fresh(p, 4)) __CPROVER_assigns(*p) __CPROVER_ensures(__CPROVER_return_value == 0) { return g(p); } int main() { char a[8]; int r = f(a + 1); __CPROVER_assert(r == 0, ""); }`, Unknown, "", ""},
		"its address as a number":             {`int f(char *p) __CPROVER_requires(__CPROVER_is_fresh(p, 4)) __CPROVER_assigns(*p) __CPROVER_ensures(__CPROVER_return_value == 0) { return (unsigned long)p % 16; } int main() { char a[8]; int r = f(a + 1); __CPROVER_assert(r == 0, ""); }`, Unknown, "", ""},
		"its address, read from a union":      {`union u { char *p; char b[8]; } x; int f(char *p) __CPROVER_requires(__CPROVER_is_fresh(p, 4)) __CPROVER_assigns(*p) __CPROVER_assigns(x) __CPROVER_ensures(__CPROVER_return_value == 0) { x.p = p; return x.b[0] & 15; } int main() { char a[8]; int r = f(a + 1); __CPROVER_assert(r == 0, ""); }`, Unknown, "", ""},
		"its address, copied to a number": {`#include <string.h>
int f(char *p) __CPROVER_requires(__CPROVER_is_fresh(p, 4)) __CPROVER_assigns(*p) __CPROVER_ensures(__CPROVER_return_value == 0) { unsigned long n; char *q[2] = { p, p }; memcpy(&n, q + 1, sizeof n); return n % 16; } int main() { char a[8]; int r = f(a + 1); __CPROVER_assert(r == 0, ""); }`, Unknown, "", ""},
		"the distance of what is fresh":                    {`int f(char *p) __CPROVER_requires(__CPROVER_is_fresh(p, 4)) __CPROVER_assigns(*p) __CPROVER_ensures(__CPROVER_return_value == 0) { return (p - (char *)0) % 16; } int main() { char a[8]; int r = f(a + 1); __CPROVER_assert(r == 0, ""); }`, Unknown, "", ""},
		"what is fresh behind a pointer":                   {`struct s { char *p; }; int f(struct s *s) __CPROVER_requires(__CPROVER_is_fresh(s, sizeof *s) && __CPROVER_is_fresh(s->p, 4)) __CPROVER_ensures(__CPROVER_return_value == 0) { unsigned char *b = (unsigned char *)s; return b[0] & 15; } int main() { char a[8]; struct s s = { a + 1 }; int r = f(&s); __CPROVER_assert(r == 0, ""); }`, Unknown, "", ""},
		"a callee that asks for the size of what is fresh": {`int g(char *p) __CPROVER_requires(__CPROVER_is_fresh(p, 4)) __CPROVER_assigns(*p) __CPROVER_ensures(__CPROVER_return_value == 4) { return __CPROVER_OBJECT_SIZE(p); } int f(char *p) __CPROVER_requires(__CPROVER_is_fresh(p, 4)) __CPROVER_assigns(*p) __CPROVER_ensures(__CPROVER_return_value == 4) { return g(p); } int main() { char a[8]; int r = f(a + 1); __CPROVER_assert(r == 4, ""); }`, Unknown, "", ""},
		"a part of what is freed": {`#include <stdlib.h>
int f(char *p) __CPROVER_requires(__CPROVER_is_fresh(p, 4)) __CPROVER_frees(p) { free(p); return 0; } int main() { char *q = malloc(5); f(q + 1); }`, Unknown, "", ""},
		"a result that is not fresh":              {stdlib + `int g; int *h(void) __CPROVER_ensures(__CPROVER_is_fresh(__CPROVER_return_value, 4)) { return &g; } int main() { int *p = h(); __CPROVER_assert(p != &g, ""); }`, False, "h", ""},
		"a result that is fresh":                  {stdlib + `int g; int *h(void) __CPROVER_ensures(__CPROVER_is_fresh(__CPROVER_return_value, 4)) __CPROVER_ensures(*__CPROVER_return_value == 4) { int *p = malloc(4); *p = 4; return p; } int main() { int *p = h(); g = 3; *p += 1; __CPROVER_assert(*p == 5 && g == 3, ""); }`, True, "", ""},
		"an argument as a fresh result":           {`int *h(int *p) ` + fresh + `__CPROVER_ensures(__CPROVER_is_fresh(__CPROVER_return_value, 4)) { return p; } int main() { int x; h(&x); }`, False, "h", ""},
		"frees":                                   {stdlib + `void h(int *p) __CPROVER_requires(__CPROVER_is_fresh(p, 4)) __CPROVER_frees(p) { free(p); } int main() { int *p = malloc(4); h(p); }`, True, "", ""},
		"frees nothing":                           {stdlib + `void h(int *p) __CPROVER_requires(__CPROVER_is_fresh(p, 4)) { free(p); } int main() { int *p = malloc(4); h(p); }`, False, "h", ""},
		"ensures about what is freed":             {stdlib + `void h(int *p) __CPROVER_requires(__CPROVER_is_fresh(p, 4) && *p == 3) __CPROVER_frees(p) __CPROVER_ensures(*p == 3) { free(p); } int main() { int *p = malloc(4); *p = 3; h(p); }`, Unknown, "", ""},
		"recursion":                               {`int f(int n) __CPROVER_requires(0 <= n && n <= 1000) __CPROVER_ensures(__CPROVER_return_value == 2 * n) { return n == 0 ? 0 : f(n - 1) + 2; } int main() { __CPROVER_assert(f(1000) == 2000, ""); }`, True, "", ""},
		"recursion, wrong":                        {`int f(int n) __CPROVER_requires(0 <= n && n <= 1000) __CPROVER_ensures(__CPROVER_return_value == 2 * n) { return n == 0 ? 1 : f(n - 1) + 2; } int main() { f(1000); }`, False, "f", ""},
		"recursion beyond requires":               {`int f(int n) __CPROVER_requires(0 <= n && n <= 1000) __CPROVER_ensures(1) { return n == 1000 ? 0 : f(n - 1) + 2; } int main() { f(1000); }`, False, "f", ""},
		"a pointer to a function":                 {`int g; void a(void) { g = 1; } void (*cb)(void); void h(void) { cb(); } void k(void) __CPROVER_ensures(1) { h(); } int main() { cb = a; g = 3; k(); __CPROVER_assert(g == 3, ""); }`, False, "k", ""},
		"called through a pointer":                {`int f(int a) __CPROVER_requires(a < 9) __CPROVER_ensures(__CPROVER_return_value == a) { return a; } int (*p)(int) = f; int main() { p(10); }`, False, "", ""},
		"no body":                                 {`int f(int a) __CPROVER_requires(a < 9) __CPROVER_ensures(__CPROVER_return_value == a); int main() { __CPROVER_assert(f(3) == 3, ""); }`, True, "", ""},
		"a predicate of memory that is not known": {`struct b { char *p; unsigned long n; }; int ok(struct b *b) { return b->n == 0 || __CPROVER_w_ok(b->p, b->n); } void h(struct b *b) __CPROVER_requires(__CPROVER_is_fresh(b, sizeof *b) && ok(b) && b->n == 4) __CPROVER_ensures(0) { while (1); } int main() { struct b b = { 0, 0 }; }`, True, "", ""},
		"a predicate hides nothing":               {`struct b { char *p; unsigned long n; }; int ok(struct b *b) { return __CPROVER_w_ok(b->p, b->n); } void h(struct b *b) __CPROVER_requires(__CPROVER_is_fresh(b, sizeof *b) && ok(b) && b->n == 4) { __CPROVER_assert(0, ""); } int main() { char a[4]; struct b b = { a, 4 }; h(&b); }`, False, "h", ""},
		"decreases":                               {`void h(int n) __CPROVER_requires(n >= 0) { while (n > 0) __CPROVER_loop_invariant(n >= 0) __CPROVER_decreases(n) n--; } int main() { h(5); }`, True, "", ""},
		"decreases, wrong":                        {`void h(int n) __CPROVER_requires(n >= 0) { int i = 0; while (i < n) __CPROVER_decreases(n - i) i += i != 3; } int main() { h(5); }`, False, "h", ""},
		"decreases, lexicographic":                {`void h(void) __CPROVER_requires(1) { int i = 3, j = 2; while (i > 0) __CPROVER_decreases(i, j) { if (j > 0) j--; else { j = 2; i--; } } } int main() { h(); }`, True, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "f.c")
			if err := os.WriteFile(file, []byte(c.source), 0o600); err != nil {
				t.Fatal(err)
			}
			var warnings strings.Builder
			task := Task{Files: []string{file}, Properties: []Property{UnreachCall}, Timeout: time.Minute, Warnings: &warnings}
			task.Program.UseContracts = true
			r, err := Check(t.Context(), task)
			if err != nil {
				t.Fatal(err)
			}
			if r.Answer != c.want || r.KeepsNot != c.not || warnings.Len() > 0 {
				t.Errorf("%s (%s), want %s (%s): %v, %v\n%s", r.Line(), r.KeepsNot, c.want, c.not, r.Violation, r.Reasons, warnings.String())
			}
			if !slices.ContainsFunc(append(r.Warnings, ""), func(s string) bool { return strings.Contains(s, c.warns) }) {
				t.Errorf("warnings %q, want one with %q", r.Warnings, c.warns)
			}
		})
	}
}
