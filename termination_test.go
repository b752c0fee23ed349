package assay

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// checkTermination asks for the termination of a C program.
func checkTermination(t *testing.T, source string, change func(*Task)) *Result {
	t.Helper()
	file := filepath.Join(t.TempDir(), "main.c")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	task := Task{Files: []string{file}, Properties: []Property{Termination}, Timeout: time.Minute}
	if change != nil {
		change(&task)
	}
	r, err := Check(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestUnwoundTermination: programs whose loops and recursions are short end,
// whatever else they do.
func TestUnwoundTermination(t *testing.T) {
	for name, source := range map[string]string{
		"loop free": `int main(void) { return 0; }`,
		"loop":      `int main(void) { int n = 0; for (int i = 0; i < 9; i++) n += i; return n; }`,
		"recursion": `int f(unsigned n) { return n == 0 ? 0 : 1 + f(n / 2); } int main(void) { return f(200); }`,
		"assumed":   `void __VERIFIER_assume(int); int main(void) { for (;;) __VERIFIER_assume(0); }`,
		"abort":     `#include <stdlib.h>` + "\n" + `int main(void) { for (;;) abort(); }`,
		"exit":      `#include <stdlib.h>` + "\n" + `int main(void) { for (;;) exit(1); }`,
		"assertion": `#include <assert.h>` + "\n" + `int main(void) { for (;;) assert(0); }`,
		"string":    `#include <string.h>` + "\n" + `int main(void) { return strlen("abc"); }`,
		"overflow":  `int main(void) { int x = 2147483640, s = 0; while (x < 2147483647) s += x++; return s; }`,
		"unknown":   `int f(int); int main(void) { for (int i = 0; i < 3; i++) f(i); return 0; }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := checkTermination(t, source, nil)
			if r.Answer != True || r.Certificate == nil || r.Certificate.Checker == "" {
				t.Errorf("got %s, reasons %v", r.Line(), r.Reasons)
			}
			if name == "unknown" && !slices.ContainsFunc(r.Assumptions, func(a Assumption) bool { return strings.Contains(a.Text, "f ") }) {
				t.Errorf("it is not said that f is assumed to return: %v", r.Assumptions)
			}
		})
	}
}

// TestTerminationByPaths: where the input drives loops, recursion, and calls through pointers, the paths are followed to
// their ends; those that have none are not.
func TestTerminationByPaths(t *testing.T) {
	const parser = `
extern char __VERIFIER_nondet_char(void);
static const char *p;
static int value(void);
static int list(void) { int n = 0; p++; while (*p && *p != ']') n += value(); if (*p) p++; return n; }
static int digit(void) { p++; return 1; }
static int (*const table[2])(void) = { list, digit };
static int value(void) { return table[*p != '[']()%s; }
int main(void) {
  char s[4];
  for (int i = 0; i < 3; i++) s[i] = __VERIFIER_nondet_char();
  s[3] = 0;
  for (p = s; *p; ) value();
  return 0;
}`
	for _, c := range []struct {
		name, source string
		want         Answer
	}{
		{"parser", strings.Replace(parser, "%s", "", 1), True},
		{"a character is not consumed", strings.Replace(parser, "%s", "- (*p == 'x' ? p--, 0 : 0)", 1), Unknown},
		{"overflow", `extern int __VERIFIER_nondet_int(void); int main(void) { int x = __VERIFIER_nondet_int(); while (x > 2147483640) x++; return 0; }`, Unknown},
		{"no end", `extern unsigned char __VERIFIER_nondet_uchar(void); int main(void) { unsigned char c; do c = __VERIFIER_nondet_uchar(); while (c > 9); return c; }`, Unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := checkTermination(t, c.source, func(task *Task) {
				task.Engine.Only = "paths"
				if c.want != True {
					task.Timeout = 2 * time.Second
				}
			})
			if r.Answer != c.want || c.want == True && r.Certificate.Paths == 0 {
				t.Errorf("got %s, reasons %v", r.Line(), r.Reasons)
			}
		})
	}
}

// TestRecursionAndMemory: recursion that counts on numbers ends whatever it does to
// memory; recursion that counts on memory is not proved by leaving it out.
func TestRecursionAndMemory(t *testing.T) {
	for name, test := range map[string]struct {
		source string
		want   []Answer
	}{
		"array": {`void f(int *a, int n) { if (n <= 0) return; a[n-1] = n; f(a, n - 1); }
			int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 1000) return 0; int a[n]; f(a, n); return 0; }`, []Answer{True}},
		"tree": {`#include <stdlib.h>
			struct node { struct node *l, *r; };
			struct node *tree(int n) { if (n <= 0) return 0; struct node *t = malloc(sizeof *t); if (!t) return 0; t->l = tree(n - 1); t->r = tree(n - 2); return t; }
			int main(void) { tree(__VERIFIER_nondet_int()); return 0; }`, []Answer{True}},
		"remainder": {`int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }
			int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(); return a < 0 || b < 0 ? 0 : gcd(a, b); }`, []Answer{True}},
		"a global that only direct accesses change": {`int left = 1000;
			int f(int *p) { if (left <= 0) return 0; left = left - 1; *p = 1; return f(p); }
			int main(void) { int x; left = __VERIFIER_nondet_int(); return f(&x); }`, []Answer{True}},
		"a global that others may change": {`int x = 10;
			int f(int *q) { if (x <= 0) return 0; x = x - 1; *q = 20; return f(q); }
			int main(void) { int y; return f(__VERIFIER_nondet_int() ? &x : &y); }`, []Answer{False, Unknown}},
		"cyclic list": {`#include <stdlib.h>
			struct n { struct n *next; };
			int len(struct n *p) { return p ? 1 + len(p->next) : 0; }
			int main(void) { struct n a, b; a.next = &b; b.next = __VERIFIER_nondet_int() ? &a : 0; return len(&a); }`, []Answer{False, Unknown}},
		"no end in memory, after a loop": {`#include <stdlib.h>
			void walk(int *a, int i) { if (a[i] == 0) return; walk(a, i + 1); }
			int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 100) return 0; int *a = malloc(n * sizeof *a); if (!a) return 0;
				for (int i = 0; i < n; i++) a[i] = 1; walk(a, 0); return 0; }`, []Answer{Unknown, False}},
		"counter in memory": {`void f(int *p) { if (*p > 0) { *p = *p + __VERIFIER_nondet_int() % 2; f(p); } }
			int main(void) { int x = 5; f(&x); return 0; }`, []Answer{False, Unknown}},
		"overflow in another function": {`int b(int n); int a(int n) { if (n == 0) return 0; return b(n); } int b(int n) { return a(n + 1); }
			int main(void) { int n = __VERIFIER_nondet_int(); if (n > 0) a(n); return 0; }`, []Answer{Unknown}},
		"overflow in another function, with memory": {`int b(int n, int *p); int a(int n, int *p) { if (n == 0) return 0; return b(n, p); } int b(int n, int *p) { *p = 1; return a(n + 1, p); }
			int main(void) { int x, n = __VERIFIER_nondet_int(); if (n > 0) a(n, &x); return 0; }`, []Answer{Unknown}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := checkTermination(t, test.source, func(t *Task) {
				t.Timeout = 15 * time.Second
				if test.want[0] != True { // nothing ends some of the searches
					t.Timeout = 1500 * time.Millisecond
				}
			})
			// Under load there may be no answer.
			if !slices.Contains(test.want, r.Answer) && r.Answer != Unknown {
				t.Errorf("got %s, reasons %v", r.Line(), r.Reasons)
			}
			if r.Answer == Unknown && test.want[0] == True && !slices.ContainsFunc(r.Reasons, func(x Reason) bool { return x.Cause == "timeout" }) {
				t.Errorf("gave up: %v", r.Reasons)
			}
		})
	}
}

// TestWrappedTermination: a program that ends only because signed arithmetic wraps
// around is no program of which C says that it ends.
func TestWrappedTermination(t *testing.T) {
	for name, test := range map[string]struct {
		source    string
		semantics Semantics
		want      Answer
	}{
		"constant, by default": {`int main(void) { int x = 2147483640; while (x > 0) x++; return 0; }`, SemanticsC, Unknown},
		"constant, wrapping":   {`int main(void) { int x = 2147483640; while (x > 0) x++; return 0; }`, SemanticsWrap, True},
		"input, by default":    {`int main(void) { int x = __VERIFIER_nondet_int(); while (x > 0) x++; return 0; }`, SemanticsC, Unknown},
		"input, wrapping":      {`int main(void) { int x = __VERIFIER_nondet_int(); while (x > 0) x++; return 0; }`, SemanticsWrap, True},
		"the same either way":  {`int main(void) { int x = __VERIFIER_nondet_int(), y = x + 1; while (x > 0) { x--; y++; } return 0; }`, SemanticsC, True},
		"bounded by a product": {`int main(void) { int w = __VERIFIER_nondet_int(), h = __VERIFIER_nondet_int(), s = 0; for (int i = 0; i < w * h; i++) s = w; return s; }`, SemanticsC, True},
		"unsigned":             {`int main(void) { unsigned x = 4294967290; while (x > 0) x++; return 0; }`, SemanticsC, True},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := checkTermination(t, test.source, func(t *Task) { t.Program.Semantics = test.semantics })
			if r.Answer != test.want {
				t.Fatalf("got %s, reasons %v", r.Line(), r.Reasons)
			}
			if test.want == Unknown && !slices.ContainsFunc(r.Reasons, func(x Reason) bool { return x.Cause == "overflow" }) {
				t.Errorf("reasons %v", r.Reasons)
			}
		})
	}
}

// TestRankedTermination: programs whose loops no unwinding ends.
func TestRankedTermination(t *testing.T) {
	for name, test := range map[string]struct{ source, about string }{
		"up":      {`int main(void) { int n = __VERIFIER_nondet_int(); for (int i = 0; i < n; i++); return 0; }`, "i"},
		"wraps":   {`int main(void) { unsigned x = 0; do x++; while (x != 0); return 0; }`, "x"},
		"bits":    {`int main(void) { unsigned x = __VERIFIER_nondet_uint(), n = __VERIFIER_nondet_uint(); while (x > n) x >>= 1; return 0; }`, "x"},
		"nested":  {`int main(void) { int n = __VERIFIER_nondet_int(); for (int i = 0; i < n; i++) for (int j = i; j < n; j++); return 0; }`, "j"},
		"two":     {`int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(); while (a > 0 && b > 0) if (__VERIFIER_nondet_int()) { a--; b = __VERIFIER_nondet_int(); } else b--; return 0; }`, "a"},
		"towards": {`int main(void) { int a = __VERIFIER_nondet_int(); while (a != 0) if (a > 0) a--; else a++; return 0; }`, "a"},
		"memory":  {`int g; void step(int *p) { *p = *p - 1; } int main(void) { g = __VERIFIER_nondet_int(); while (g > 0) step(&g); return 0; }`, "g"},
		"local":   {`void step(int *p) { *p = *p - 1; } int main(void) { int x = __VERIFIER_nondet_int(); while (x > 0) step(&x); return 0; }`, ""},
		"pointer": {`int main(void) { char a[100]; int n = __VERIFIER_nondet_int(); if (n < 0 || n > 100) return 0; for (char *p = a; p < a + n; p++) *p = 0; return 0; }`, "p"},
		"callee":  {`int sum(int n) { int s = 0; while (n > 0) s += n--; return s; } int main(void) { int n = __VERIFIER_nondet_int(); for (int i = n; i > 3; i -= 2) sum(i); return 0; }`, "n"},
		"goto":    {`int main(void) { int n = __VERIFIER_nondet_int(); again: if (n > 5) { n -= 3; goto again; } return 0; }`, "n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := checkTermination(t, "int __VERIFIER_nondet_int(void); unsigned __VERIFIER_nondet_uint(void);\n"+test.source, nil)
			if r.Answer != True || r.Certificate == nil || r.Certificate.Checker == "" {
				t.Fatalf("got %s, reasons %v", r.Line(), r.Reasons)
			}
			// Engines run side by side, and any of them may be the first: their functions differ.
			mentions := func(f string) bool { return strings.Contains(f, test.about) }
			if len(r.Certificate.Rankings) > 0 && !slices.ContainsFunc(r.Certificate.Rankings, func(l Ranking) bool { return slices.ContainsFunc(l.Functions, mentions) }) {
				t.Errorf("got %+v, want one about %q", r.Certificate.Rankings, test.about)
			}
		})
	}
}

// TestRankedRecursion: recursive functions whose arguments decrease, on machine
// integers: over those of mathematics nobody decides Ackermann's function here.
func TestRankedRecursion(t *testing.T) {
	for name, source := range map[string]string{
		"down":      `int f(int n) { return n <= 0 ? 0 : 1 + f(n - 1); } int main(void) { return f(__VERIFIER_nondet_int()); }`,
		"unsigned":  `unsigned f(unsigned n) { return n == 0 ? 0 : f(n / 2); } int main(void) { unsigned n = __VERIFIER_nondet_int(); for (unsigned i = n; i; i--) f(i); return 0; }`,
		"mutual":    `int odd(int n); int even(int n) { return n == 0 ? 1 : odd(n - 1); } int odd(int n) { return n == 0 ? 0 : even(n - 1); } int main(void) { int n = __VERIFIER_nondet_int(); return n < 0 || even(n); }`,
		"ackermann": `int a(int m, int n) { return m == 0 ? n + 1 : n == 0 ? a(m - 1, 1) : a(m - 1, a(m, n - 1)); } int main(void) { int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int(); return m < 0 || n < 0 || a(m, n); }`,
		"global":    `int g; void f(void) { if (g > 0) { g--; f(); } } int main(void) { g = __VERIFIER_nondet_int(); f(); return 0; }`,
		"loop":      `void f(int n) { for (int i = 0; i < n; i++) f(n - 1); } int main(void) { f(__VERIFIER_nondet_int()); return 0; }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := checkTermination(t, "int __VERIFIER_nondet_int(void);\n"+source, func(t *Task) { t.Program.Semantics = SemanticsWrap })
			// A graph may be faster than ranking functions.
			if r.Answer != True || r.Certificate == nil || r.Certificate.Checker == "" ||
				r.Certificate.Nodes == 0 && !slices.ContainsFunc(r.Certificate.Rankings, func(l Ranking) bool { return l.Recursion }) {
				t.Fatalf("got %s, %+v, reasons %v", r.Line(), r.Certificate, r.Reasons)
			}
		})
	}
}

// TestTerminationIsNotClaimed: nothing is proved of programs that run for ever.
func TestTerminationIsNotClaimed(t *testing.T) {
	for name, source := range map[string]string{
		"loop":      `int main(void) { for (;;); }`,
		"recursion": `int f(int n) { return f(n); } int main(void) { return f(1); }`,
		"char":      `int main(void) { for (unsigned char i = 0; i <= 255; i++); return 0; }`,
		"at most":   `int __VERIFIER_nondet_int(void); int main(void) { int n = __VERIFIER_nondet_int(); for (int i = 0; i <= n; i++); return 0; }`,
		"stride":    `unsigned __VERIFIER_nondet_uint(void); int main(void) { unsigned n = __VERIFIER_nondet_uint(); for (unsigned i = 0; i < n; i += 2); return 0; }`,
		"inner":     `int __VERIFIER_nondet_int(void); int main(void) { int n = __VERIFIER_nondet_int(); for (int i = 0; i < n; i++) for (int j = 0; j < 2; j++) if (j == 1) i--; return 0; }`,
		"later":     `int __VERIFIER_nondet_int(void); int g; void f(void) { while (g) ; } int main(void) { int n = __VERIFIER_nondet_int(); for (int i = 0; i < n; i++) { g = i == 1000000; f(); } return 0; }`,
		"skips 0":   `int f(int n) { return n == 0 ? 0 : f(n - 2); } int __VERIFIER_nondet_int(void); int main(void) { return f(__VERIFIER_nondet_int()); }`,
		"no matter": `int g; int f(int n) { g++; return f(n - 1) + n; } int main(void) { return f(3); }`,
		"behind":    `int g; void f(int n) { if (n <= 0) { g = 1; return; } f(n - 1); while (g); } int __VERIFIER_nondet_int(void); int main(void) { f(__VERIFIER_nondet_int()); return 0; }`,
		"within":    `int f(int n) { if (n <= 0) return 0; if (n == 77777) for (;;); return f(n - 1); } int __VERIFIER_nondet_int(void); int main(void) { return f(__VERIFIER_nondet_int()); }`,
		"result":    `int f(int n) { if (n <= 0) return 1; int r = f(n - 1); while (r == 1); return r; } int __VERIFIER_nondet_int(void); int main(void) { return f(__VERIFIER_nondet_int()); }`,
		"pointed":   `int x; int f(int *p, int n) { if (*p <= 0 || n < 0) return 0; *p -= 1; return f(&x, n); } int g(int n) { x = 5; return f(&x, n) + g(n); } int main(void) { return g(1); }`,
		"through":   `int f(int n); int (*p)(int) = f; int f(int n) { return p(n); } int main(void) { return f(1); }`,
		"some":      `int __VERIFIER_nondet_int(void); int main(void) { int x = __VERIFIER_nondet_int(); while (x != 7) x += 2; return 0; }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r := checkTermination(t, source, func(t *Task) { t.Timeout = 1500 * time.Millisecond }); r.Answer == True {
				t.Errorf("proved: %+v", r.Certificate)
			}
		})
	}
}

func TestTerminationAlone(t *testing.T) {
	for _, task := range []Task{
		{Files: []string{"f.c"}, Properties: []Property{Termination, NoOverflow}},
		{Files: []string{"f.c"}, Properties: []Property{Termination}, Engine: Engine{EachCheck: true}},
		{Files: []string{"f.c"}, Properties: []Property{Termination}, Engine: Engine{Only: "ranking"}, Program: Program{Semantics: SemanticsIntegers}},
	} {
		_, err := Check(t.Context(), task)
		var input *InputError
		if !errors.As(err, &input) || input.Hint == "" {
			t.Errorf("got %v", err)
		}
	}
}

// TestRankedFromIntegers: loops whose ranking functions are those over the integers (by
// cases, of which some are invariants), maxima, or globals that only a callee knows; and
// programs next to them that do not end.
func TestRankedFromIntegers(t *testing.T) {
	const head = "int __VERIFIER_nondet_int(void); void __VERIFIER_assume(int);\n"
	for name, p := range map[string]struct {
		source string
		want   Answer
	}{
		"branches":            {`int main(void) { int y = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int(), x = __VERIFIER_nondet_int() ? 3 : -2; while (y < 100 && z < 100) { y += x; z -= x; } }`, True},
		"branches, one lazy":  {`int main(void) { int y = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int(), x = __VERIFIER_nondet_int() ? 3 : 0; while (y < 100 && z < 100) { y += x; z -= x; } }`, False},
		"maximum":             {`int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); while (x > 0 && y > 0) { int a = x, b = y; if (__VERIFIER_nondet_int()) { x = a - 1; y = a; } else { x = b - 2; y = a + 1; } } }`, True},
		"maximum stays":       {`int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); while (x > 0 && y > 0) { int a = x, b = y; if (__VERIFIER_nondet_int()) { x = a - 1; y = a; } else { x = b; y = a; } } }`, False},
		"cases as invariant":  {`int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); __VERIFIER_assume(x == y || (x > 0 && y > 0)); while (x != y) { if (x > y) x -= y; else y -= x; } }`, True},
		"another case":        {`int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); __VERIFIER_assume(x == y || (x >= 0 && y > 0)); while (x != y) { if (x > y) x -= y; else y -= x; } }`, False},
		"callee counts":       {`static int c; static int step(void) { if (c > 100) return 0; c++; return __VERIFIER_nondet_int() > 0; } int main(void) { while (step()) { } }`, True},
		"callee counts again": {`static int c; static int step(void) { if (c > 100) c = 0; c++; return __VERIFIER_nondet_int() > 0; } int main(void) { while (step()) { } }`, False},
	} {
		t.Run(name, func(t *testing.T) {
			r := checkTermination(t, head+p.source, nil)
			if r.Answer != p.want {
				t.Errorf("got %s, reasons %v", r.Line(), r.Reasons)
			}
		})
	}
}

// TestWhateverOverflowYields: overflow that influences which way the program goes, but not
// whether it ends. A proof may pass it, a refutation only where the same loop has no end over the integers, too.
func TestWhateverOverflowYields(t *testing.T) {
	for name, p := range map[string]struct {
		source string
		want   Answer
	}{
		"both ways end":  {`int main(void) { int r = 1; unsigned i = 0; while (i < 1000) { r = r * 3; if (r < 0) i += 2; else i++; } }`, True},
		"masked":         {`int __VERIFIER_nondet_int(void); int main(void) { int x = __VERIFIER_nondet_int(), a = 34; while (x == 0) { a--; x = x & a; } }`, False},
		"it has a say":   {`int __VERIFIER_nondet_int(void); int main(void) { int x = __VERIFIER_nondet_int(); while (x >= 0) x += 5; }`, Unknown},
		"and over there": {`int __VERIFIER_nondet_int(void); int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); while (x > y) y = x + 1; }`, Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			r := checkTermination(t, p.source, func(task *Task) {
				if p.want == Unknown {
					task.Timeout = 2 * time.Second
				}
			})
			if r.Answer != p.want {
				t.Errorf("got %s, reasons %v", r.Line(), r.Reasons)
			}
		})
	}
}
