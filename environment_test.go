package assay

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestEnvironment has constructs of programs as they are: jumps that are not made, signals that are
// ignored, initialisation once, idioms of inline assembly.
func TestEnvironment(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		want   Answer
	}{
		"no jump":   {`#include <setjmp.h>` + "\n" + `jmp_buf e; int main(void) { int n = __VERIFIER_nondet_int(); int x = 1; if (setjmp(e)) return 1; if (n == 3) x = 2; if (n > 5 && x == 2) longjmp(e, 1); __VERIFIER_assert(x > 0); return 0; }`, True},
		"a jump":    {`#include <setjmp.h>` + "\n" + `jmp_buf e; int main(void) { int n = __VERIFIER_nondet_int(); if (setjmp(e)) __VERIFIER_assert(0); if (n > 5) longjmp(e, 1); return 0; }`, Unknown},
		"ignored":   {`#include <signal.h>` + "\n" + `int main(void) { signal(SIGPIPE, SIG_IGN); __VERIFIER_assert(1); return 0; }`, True},
		"handler":   {`#include <signal.h>` + "\n" + `int g; void h(int s) { g = 1; } int main(void) { signal(SIGINT, h); __VERIFIER_assert(g == 0); return 0; }`, Unknown},
		"once":      {`#include <pthread.h>` + "\n" + `pthread_once_t o = PTHREAD_ONCE_INIT; int n; void f(void) { n++; } int main(void) { pthread_once(&o, f); pthread_once(&o, f); __VERIFIER_assert(n == 1); return 0; }`, True},
		"hidden":    {`int main(void) { unsigned x = __VERIFIER_nondet_uint(), y = x, z; __asm__ volatile("" : "+r"(y) : : "memory"); __VERIFIER_assert(x == y); return 0; }`, True},
		"unwritten": {`int main(void) { unsigned z; __asm__("" : "=r"(z)); __VERIFIER_assert(z != 5); return 0; }`, False},
		"counter":   {`int main(void) { unsigned lo, hi; __asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi)); __VERIFIER_assert(lo != 77 || hi != 3); return 0; }`, False},
		"other":     {`int main(void) { int z; __asm__("mov $1, %0" : "=r"(z)); __VERIFIER_assert(z == 1); return 0; }`, Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r := asking(t, c.source, false, UnreachCall); r.Answer != c.want {
				t.Errorf("%s, want %s: %v", r.Line(), c.want, r.Reasons)
			}
		})
	}
}

// TestAllocationsMayFail: those that no process gets do, others may.
func TestAllocationsMayFail(t *testing.T) {
	const head = "#include <stdlib.h>\nunsigned long __VERIFIER_nondet_ulong(void);\nint main(void) { size_t n = __VERIFIER_nondet_ulong(); "
	for name, c := range map[string]struct {
		source   string
		may, m32 bool
		want     Answer
	}{
		"malloc":              {head + `if (malloc(n)) __VERIFIER_assert(n < 1ull << 47); }`, true, false, True},
		"calloc":              {head + `if (calloc(n, 2)) __VERIFIER_assert(n < 1ull << 46); }`, true, false, True},
		"realloc":             {head + `void *p = malloc(4); if (p && realloc(p, n)) __VERIFIER_assert(n < 1ull << 47); }`, true, false, True},
		"of half":             {head + `if (malloc(n)) __VERIFIER_assert(n < 1u << 31); }`, true, true, True},
		"the greatest":        {head + `if (malloc(n)) __VERIFIER_assert(n != (1ull << 47) - 1); }`, true, false, Unknown}, // too large to replay
		"a small one fails":   {head + `if (n < 9) __VERIFIER_assert(malloc(n) != 0); }`, true, false, False},
		"a small one is made": {head + `if (n < 9) __VERIFIER_assert(malloc(n) == 0); }`, true, false, False},
		"none may fail":       {head + `__VERIFIER_assert(malloc(n) != 0); }`, false, false, True},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "f.c")
			if err := os.WriteFile(file, []byte(c.source), 0o600); err != nil {
				t.Fatal(err)
			}
			task := Task{Files: []string{file}, Properties: []Property{UnreachCall}, Timeout: time.Minute, Program: Program{MallocMayFail: c.may}}
			if c.want == Unknown { // no engine comes to an end
				task.Timeout = 1500 * time.Millisecond
			}
			if c.m32 {
				task.Program.DataModel = ILP32
			}
			if r, err := Check(t.Context(), task); err != nil || r.Answer != c.want {
				t.Errorf("%v, %v, want %s", r, err, c.want)
			}
		})
	}
}
