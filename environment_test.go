package assay

import "testing"

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
