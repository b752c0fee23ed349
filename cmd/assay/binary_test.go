package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// compiled compiles a program, and returns the file.
func compiled(t *testing.T, source string, options ...string) string {
	t.Helper()
	in := write(t, "f.c", source)
	out := filepath.Join(filepath.Dir(in), "f.out")
	if text, err := exec.Command("gcc", append(options, "-w", "-o", out, in)...).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, text)
	}
	return out
}

const counting = `int __VERIFIER_nondet_int(void) {}
int g;
static int sum(int n) { int s = 0; for (int i = 0; i < n; i++) s += 2; return s; }
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x > 1000) x = 1000;
  g = sum(x);
  if (g == 7) { ODD: g = 1; }
  if (g == 8) { EVEN: g = 1; }
  return 0;
}
`

// TestBinary: places by name and by address, with and without symbols.
func TestBinary(t *testing.T) {
	full := compiled(t, counting, "-g", "-no-pie", "-Wl,-Ttext=0x500000")
	stripped := compiled(t, counting, "-s", "-no-pie", "-Wl,-Ttext=0x500000")
	dump, err := exec.Command("objdump", "-d", "--no-show-raw-insn", full).Output()
	if err != nil {
		t.Skip("objdump is not installed")
	}
	at := func(mark string) string { // the address of the first instruction with a mark
		for line := range strings.Lines(string(dump)) {
			if address, text, ok := strings.Cut(line, ":\t"); ok && strings.Contains(text, mark) {
				return "0x" + strings.TrimSpace(address)
			}
		}
		t.Fatalf("no %s in\n%s", mark, dump)
		return ""
	}
	_, rest, _ := strings.Cut(string(dump), "<sum>:\n")
	sum := "0x" + strings.TrimSpace(rest[:strings.Index(rest, ":")])
	for _, test := range []struct {
		file   string
		args   string
		code   int
		output string
	}{
		{full, "check --label ODD", exitTrue, "RESULT: true"},
		{full, "check --label EVEN --replay=native", exitFalse, "trace (replayed: interpreter, native)"},
		{full, "check --property unreach-label --label " + at("$0x3e8,"), exitFalse, "x = "},
		{full, "check --property unreach-label", exitInput, "labels: EVEN, ODD"},
		{full, "check --label 0x3", exitInput, "nothing is executed at 0x3"},
		{full, "check --label " + strings.TrimSuffix(sum, sum[len(sum)-1:]) + "z", exitInput, "is no address"},
		{full, "check --label ODD --property termination", exitInput, "--label is for the property unreach-label"},
		{full, "check --property no-overflow", exitInput, "unreach-label (--label), valid-deref"},
		{full, "check --property termination --function sum", exitTrue, "runs start in sum"},
		{full, "check --property termination --function nothing", exitInput, "no symbol for the function nothing"},
		{full, "check --property termination --entry " + sum, exitTrue, "runs start in sum"},
		{full, "check --entry sum", exitInput, "is no address"},
		{full, "check --entry 0x1 --function sum", exitInput, "both say where to start"},
		{stripped, "check --property termination", exitTrue, "RESULT: true"},
		{stripped, "check --property termination --entry " + sum, exitTrue, "runs start in sub_" + sum[2:]},
		{stripped, "bound --entry " + sum, exitTrue, "_rdi"},
		{stripped, "check --label " + at("$0x7,"), exitUnknown, ""}, // the input has no name: what rax holds refutes nothing
		{stripped, "lift --entry " + sum, exitTrue, "u64 sub_" + sum[2:] + "(u64 _rdi) {"},
	} {
		o := invoke(t, append(strings.Fields(test.args), test.file)...)
		if o.code != test.code || !strings.Contains(o.stdout+o.stderr, test.output) {
			t.Errorf("%s %s: code %d, want %d\n%s%s", test.args, filepath.Base(test.file), o.code, test.code, o.stdout, o.stderr)
		}
	}
	if o := invoke(t, "check", "--entry", sum, write(t, "f.c", counting)); o.code != exitInput || !strings.Contains(o.stderr, "--entry is for binaries") {
		t.Errorf("C: code %d\n%s", o.code, o.stderr)
	}
}

// TestBinaryMemory: a violation counts if the binary itself faults, or frees what is no block.
func TestBinaryMemory(t *testing.T) {
	const heap = `#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
int g[4], *q;
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 1 || n > 20) return 0;
  int *p = malloc(n * 4);
  if (!p) return 0;
  for (int i = 0; i < n + MORE; i++) p[i] = i;
  int s = p[n - 1];
  BEFORE
  free(p);
  AFTER
  return 0;
}
`
	for _, test := range []struct {
		property, options string
		code              int
		output            string
	}{
		{"valid-deref", "-DMORE=0 -DBEFORE= -DAFTER=", exitTrue, "RESULT: true"},
		{"valid-deref", "-DMORE=1 -DBEFORE= -DAFTER=", exitFalse, "trace (replayed: interpreter, native)"},
		{"valid-deref", "-DMORE=0 -DBEFORE= -DAFTER=return(*p);", exitFalse, "trace (replayed: interpreter, native)"},
		{"valid-deref", "-DMORE=0 -DBEFORE=q=s==7?0:g;*q=1; -DAFTER=", exitFalse, "trace (replayed: interpreter, native)"},
		{"valid-deref", "-DMORE=0 -DBEFORE=g[n&7]=1; -DAFTER=", exitUnknown, "the binary does not fault"},
		{"valid-free", "-DMORE=0 -DBEFORE= -DAFTER=if(s==7)free(p);", exitFalse, "trace (replayed: interpreter, native)"},
		{"valid-free", "-DMORE=0 -DBEFORE=if(s==7)p++; -DAFTER=", exitFalse, "trace (replayed: interpreter, native)"},
		{"valid-memcleanup", "-DMORE=0 -DBEFORE=if(s==7)return(0); -DAFTER=", exitFalse, "trace (replayed: interpreter, native)"},
		{"valid-memcleanup", "-DMORE=0 -DBEFORE= -DAFTER=", exitTrue, "RESULT: true"},
	} {
		levels := []string{"-O1"}
		if test.code == exitFalse && test.property == "valid-deref" {
			levels = append(levels, "-O0")
		}
		for _, level := range levels {
			file := compiled(t, heap, append(strings.Fields(test.options), level, "-g", "-c", "-fno-builtin")...)
			o := invoke(t, "check", "--timeout=30", "--property", test.property, file)
			if o.code != test.code || !strings.Contains(o.stdout+o.stderr, test.output) {
				t.Errorf("%s %s %s: code %d, want %d\n%s%s", test.property, test.options, level, o.code, test.code, o.stdout, o.stderr)
			}
			if test.code != exitFalse || level == "-O0" {
				continue
			}
			if o := invoke(t, "check", "--timeout=30", "--replay=interpreter", "--property", test.property, file); o.code != exitUnknown || !strings.Contains(o.stdout, "it may not be run here") {
				t.Errorf("%s %s, not to be run: code %d\n%s%s", test.property, test.options, o.code, o.stdout, o.stderr)
			}
		}
	}
}

// TestBinaryReadOnly: a write to what may not be written ends the run; nothing behind it is reached.
func TestBinaryReadOnly(t *testing.T) {
	const source = `extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
const int fixed[2] = {1, 2};
int other[2];
int main(void) {
  int *p = __VERIFIER_nondet_int() ? (int *)fixed : other;
  p[__VERIFIER_nondet_int() & 1] = 3;
  const volatile int *f = fixed;
  if (f[0] == 3 || p == fixed) reach_error();
  if (other[0] == 3 && WHEN) reach_error();
  return 0;
}
`
	for options, want := range map[string]int{"-DWHEN=0": exitTrue, "-DWHEN=other[1]==0": exitFalse} {
		file := compiled(t, source, options, "-g", "-c", "-O0")
		if o := invoke(t, "check", "--replay=native", file); o.code != want || want == exitFalse && !strings.Contains(o.stdout, "interpreter, native") {
			t.Errorf("%s: code %d, want %d\n%s%s", options, o.code, want, o.stdout, o.stderr)
		}
		if o := invoke(t, "check", "--property=valid-deref", file); o.code != exitFalse {
			t.Errorf("%s, valid-deref: code %d\n%s%s", options, o.code, o.stdout, o.stderr)
		}
	}
}

// TestBinaryStarts: programs of which a reader of main alone would say something else; none of the answers is wrong, and those that
// are expected are there.
func TestBinaryStarts(t *testing.T) {
	const head = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);\n"
	for _, test := range []struct {
		name, source, options string
		code                  int
	}{
		{"constructor", "static int g = 1; __attribute__((constructor)) static void init(void) { g = 5; }\nint main(void) { if (g == 5) reach_error(); return 0; }\n", "-O0", exitFalse},
		{"constructor changes", "static int g = 1; __attribute__((constructor)) static void init(void) { g = 5; }\nint main(void) { if (g == 1) reach_error(); return 0; }\n", "-O0", exitTrue},
		{"destructor", "static int g; __attribute__((destructor)) static void end(void) { if (g == 3) reach_error(); }\nint main(void) { g = __VERIFIER_nondet_int(); return 0; }\n", "-O1", exitFalse},
		{"destructor in order", "static int g; __attribute__((destructor)) static void end(void) { if (g == 3) reach_error(); }\nint main(void) { g = 4; return 0; }\n", "-O1", exitTrue},
		// What a function returns that returns nothing is what rax held: nobody chose it.
		{"result", "__attribute__((noinline)) int f(int x) { if (x) return 5; }\nint main(void) { if (f(0) == 12345) reach_error(); return 0; }\n", "-O1", exitUnknown},
		{"stack that was never written", "int main(void) { volatile int x; if (x == 12345) reach_error(); return 0; }\n", "-O0", exitUnknown},
		// The stack grows downwards; the model puts objects where it likes.
		{"order of frames", "static int *outer; __attribute__((noinline)) static int in(void) { int l = 1; return (char *)&l > (char *)outer; }\nint main(void) { int m = 2; outer = &m; if (in()) reach_error(); return 0; }\n", "-O0", exitUnknown},
		// Variables are no tables of the linker, also where they begin with a function of the library.
		{"a pointer to a function that changes", "extern int abs(int); static int mine(int x) { if (x == 3) reach_error(); return 0; }\nint (*fp)(int) = abs; int set; int main(void) { if (set == 0) fp = mine; return fp(3); }\n", "-O1", exitFalse},
		// The end of an array is no function that stands behind it.
		{"end of an array", "static unsigned long g = 0x8877665544332211ul;\nint main(void) { unsigned char *p = (unsigned char *)&g; p[__VERIFIER_nondet_int() & 7] = 9; unsigned r = 0; for (int i = 0; i < 8; i++) r = r * 5 + p[i]; if (r == 7) reach_error(); return 0; }\n", "-O2", exitTrue},
	} {
		file := compiled(t, head+test.source, "-g", "-c", test.options)
		if o := invoke(t, "check", "--timeout=30", file); o.code != test.code {
			t.Errorf("%s: code %d, want %d\n%s%s", test.name, o.code, test.code, o.stdout, o.stderr)
		}
	}
}

// TestBinaryEndless: runs that do not end, and rest on what the binary does not choose.
func TestBinaryEndless(t *testing.T) {
	const head = "extern int __VERIFIER_nondet_int(void); extern void *malloc(unsigned long); extern void reach_error(void);\n"
	for _, test := range []struct {
		name, property, source, options string
		code                            int
	}{
		{"stack that was never written", "termination", "int main(void) { volatile int a[3]; while (a[1] == 5) ; return 0; }\n", "-O1", exitUnknown},
		{"zeros that were never written", "termination", "int main(void) { volatile int a[3]; while (a[1] == 0) ; return 0; }\n", "-O1", exitUnknown},
		{"heap that was never written", "termination", "int main(void) { volatile int *p = malloc(8); if (!p) return 0; while (*p == 3) ; return 0; }\n", "-O1", exitUnknown},
		{"order of blocks", "termination", "int main(void) { int *p = malloc(8), *q = malloc(8); while (p < q) __VERIFIER_nondet_int(); return 0; }\n", "-O0", exitUnknown},
		{"alignment", "termination", "int main(void) { int x; while ((unsigned long)&x & 16) __VERIFIER_nondet_int(); return 0; }\n", "-O0", exitUnknown},
		{"order of globals", "ltl", "int x = 1, a, b; int main(void) { int *p = &a, *q = &b; if (p < q) x = 0; while (1) x = x; }\n", "-O0", exitUnknown},
		// Elements of one array have an order.
		{"order in an array", "termination", "int a[4]; int main(void) { int *p = a, *q = a + 2; while (p < q) __VERIFIER_nondet_int(); return 0; }\n", "-O0", exitFalse},
		{"input", "termination", "int main(void) { int n = __VERIFIER_nondet_int(); while (n != 0) n -= 2; return 0; }\n", "-O0", exitFalse},
		{"block of the heap", "termination", "int main(void) { int *p = malloc(8), *q = malloc(8); if (!p || !q) return 0; *p = 1; *q = 2; while (*p != *q) __VERIFIER_nondet_int(); return 0; }\n", "-O0", exitFalse},
		{"a counter on which nothing depends", "termination", "int main(void) { int y = 100, z = __VERIFIER_nondet_int(); while (z > 0) y++; return 0; }\n", "-O0", exitFalse},
		// What a call left below the stack pointer is there for the next one.
		{"frame of before", "unreach-call", "__attribute__((noinline)) void f(int n) { volatile int a[20]; for (int i = 0; i < 20; i++) a[i] = n; }\n__attribute__((noinline)) int g(void) { volatile int a[20]; return a[7]; }\nint main(void) { f(5); if (g() == 0) reach_error(); return 0; }\n", "-O2", exitUnknown},
	} {
		file := compiled(t, head+test.source, "-g", "-c", test.options)
		limit := "--timeout=20"
		if test.code == exitUnknown {
			limit = "--timeout=3"
		}
		args := []string{"check", limit, "--property", test.property, file}
		if test.property == "ltl" {
			args = []string{"check", limit, "--ltl", "G x == 1", file}
		}
		if o := invoke(t, args...); o.code != test.code {
			t.Errorf("%s: code %d, want %d\n%s%s", test.name, o.code, test.code, o.stdout, o.stderr)
		}
	}
}

// TestBinaryPrints: what a function of the library returns where nothing chooses it is what the function itself returns in a native run.
func TestBinaryPrints(t *testing.T) {
	const source = `#include <stdio.h>
extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) {
  int a[4], n = __VERIFIER_nondet_int(), *p = a, *q = &n;
  printf("%d\n", n);
  if (putchar('x') WHEN 'x') return 1;
  a[1] = n;
  if (p != q && a[n & 1] == 7 && n == 7) reach_error();
  return 0;
}
`
	for when, want := range map[string]int{"!=": exitFalse, "==": exitUnknown} {
		file := compiled(t, source, "-DWHEN="+when, "-g", "-c", "-O1")
		if o := invoke(t, "check", "--replay=native", file); o.code != want || want == exitFalse && !strings.Contains(o.stdout, "interpreter, native") {
			t.Errorf("%s: code %d, want %d\n%s%s", when, o.code, want, o.stdout, o.stderr)
		}
	}
}

// TestBinaryDynamicStack: arrays of variable length are blocks of their own.
func TestBinaryDynamicStack(t *testing.T) {
	const source = `extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 1 || n > 4) return 0;
  int v[n];
  for (int i = 0; i < n + MORE; i++) v[i] = i;
  int s = 0;
  for (int i = 0; i < n; i++) s += v[i];
  if (s WHEN n * (n - 1) / 2) reach_error();
  return 0;
}
`
	for options, want := range map[string]int{"-DMORE=0 -DWHEN=!=": exitTrue, "-DMORE=0 -DWHEN===": exitFalse, "-DMORE=9 -DWHEN=!=": exitUnknown} {
		file := compiled(t, source, append(strings.Fields(options), "-g", "-c", "-Os")...)
		limit := "--timeout=20"
		if want == exitUnknown {
			limit = "--timeout=2"
		}
		if o := invoke(t, "check", limit, file); o.code != want {
			t.Errorf("%s: code %d, want %d\n%s%s", options, o.code, want, o.stdout, o.stderr)
		}
	}
}
