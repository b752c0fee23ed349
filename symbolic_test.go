package assay

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// stringFunctions are programs over strings and arrays of any length, each with
// a bug that its macro BUG switches on. Bounded search refutes the bug.
var stringFunctions = []struct{ name, source string }{
	{"strlen", `
  while (*s) s++;
#ifdef BUG
  s[1] = 0;
#endif`},
	{"strchr", `
  int c = __VERIFIER_nondet_int();
  for (; *s != (char)c; s++)
#ifndef BUG
    if (*s == 0) break
#endif
    ;`},
	{"fill", `
  int i;
#ifdef BUG
  for (i = 0; i <= n; i++)
#else
  for (i = 0; i < n; i++)
#endif
    s[i] = 7;`},
	{"reverse", `
  int i = 0, j = n - 1;
#ifdef BUG
  j++;
#endif
  while (i < j) { char c = s[i]; s[i++] = s[j]; s[j--] = c; }`},
	{"copy", `
  char *d = alloca(n), *p = d;
#ifdef BUG
  p++;
#endif
  while ((*p++ = *s++)) ;`},
	{"integers", `
  int *a = alloca(n * sizeof(int));
  long sum = 0;
  for (int i = 0; i < n; i++) a[i] = i;
  for (int *p = a; p < a + n; p++) sum += *p;
#ifdef BUG
  sum += a[n];
#endif`},
}

const stringMain = `
#include <alloca.h>
extern int __VERIFIER_nondet_int(void);
static void test(char *s, int n) {%s
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 1) n = 1;
  char *s = alloca(n);
  s[n - 1] = 0;
  test(s, n);
  return 0;
}
`

// TestSymbolicGraphs proves the functions by graphs, and refutes their bugs.
func TestSymbolicGraphs(t *testing.T) {
	for _, c := range stringFunctions {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), c.name+".c")
			if err := os.WriteFile(file, []byte(fmt.Sprintf(stringMain, c.source)), 0o644); err != nil {
				t.Fatal(err)
			}
			ask := func(p Property, engine string, limit time.Duration, define ...string) *Result {
				r, err := Check(context.Background(), Task{
					Files: []string{file}, Properties: []Property{p}, Timeout: limit,
					Engine: Engine{Only: engine}, Program: Program{Define: define},
				})
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			for _, p := range []Property{ValidMemSafety, Termination} {
				if r := ask(p, EngineSymex, time.Minute); r.Line() != "true" || r.Certificate.Nodes < 2 {
					t.Errorf("%s: %s, %v", p, r.Line(), r.Reasons)
				}
			}
			// What is no proof may search for ever; the proofs above take less than a second.
			if r := ask(ValidMemSafety, EngineSymex, 5*time.Second, "BUG"); r.Answer == True {
				t.Errorf("the bug is proved not to be one")
			}
			if r := ask(ValidMemSafety, EngineAuto, time.Minute, "BUG"); r.Line() != "false(valid-deref)" {
				t.Errorf("the bug: %s, %v", r.Line(), r.Reasons)
			}
		})
	}
}

// TestGraphValues has integers in memory that are equal modulo 2^w, but not equal: a
// number or its negation, a sum that may pass the greatest int. The checker has to take
// those of the transitions. With BUG the loops do not end.
func TestGraphValues(t *testing.T) {
	for name, source := range map[string]string{
		"negated": `
  int *n = alloca(sizeof *n), *d = alloca(sizeof *d);
  *n = __VERIFIER_nondet_int();
  *d = __VERIFIER_nondet_int();
  if (*d < 0) *d = -*d;
#ifdef BUG
  while (*n > 0) *n -= *d;
#else
  if (*d > 0) while (*n > 0) *n -= *d;
#endif`,
		"sum": `
  int *a = alloca(sizeof *a), *b = alloca(sizeof *b);
  *a = __VERIFIER_nondet_int();
  *b = __VERIFIER_nondet_int();
  while (*a > 0 && *b > 0) {
    int less = *a < *b ? *a : *b;
    *a = *a + *b;
#ifdef BUG
    *b = *b;
#else
    *b = less - 1;
#endif
  }`,
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), name+".c")
			text := "#include <alloca.h>\nextern int __VERIFIER_nondet_int(void);\nint main(void) {" + source + "\n}\n"
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, define := range [][]string{nil, {"BUG"}} {
				r, err := Check(context.Background(), Task{
					Files: []string{file}, Properties: []Property{Termination}, Timeout: time.Minute,
					Engine: Engine{Only: EngineSymex}, Program: Program{Define: define},
				})
				if err != nil {
					t.Fatal(err)
				}
				if (r.Answer == True) != (define == nil) {
					t.Errorf("%v: %s, %v", define, r.Line(), r.Reasons)
				}
			}
		})
	}
}
