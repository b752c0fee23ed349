package assay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// asking checks a source with the properties, each check on its own if each.
func asking(t *testing.T, source string, each bool, ps ...Property) *Result {
	t.Helper()
	file := filepath.Join(t.TempDir(), "f.c")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := Check(t.Context(), Task{Files: []string{file}, Properties: ps, Timeout: 5 * time.Minute, Engine: Engine{EachCheck: each}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestNothingAsked: a program without assertions is asked about all undefined behaviour; a
// question about nothing is warned of, with what could be asked.
func TestNothingAsked(t *testing.T) {
	const source = `int a[4]; int main(int argc, char **argv) { return argc > 3 ? 1 : a[argc]; }`
	r := asking(t, source, false)
	if r.Answer != True || len(r.Properties) != 1 || r.Properties[0] != All || len(r.Warnings) != 1 || r.Stats.Checks == 0 {
		t.Errorf("%s of %v, %d checks, %v", r.Line(), r.Properties, r.Stats.Checks, r.Warnings)
	}
	r = asking(t, source, false, UnreachCall)
	if r.Answer != True || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "nothing is asked") || !strings.Contains(r.Warnings[0], "valid-deref (1)") {
		t.Errorf("%s, %v", r.Line(), r.Warnings)
	}
	if r = asking(t, source, false, ValidDeref); len(r.Warnings) > 0 {
		t.Errorf("%v", r.Warnings)
	}
	r = asking(t, `int main(int argc, char **argv) { return 8 / (argc - 7); }`, false)
	if r.Answer != False || r.Violated != DivByZero {
		t.Errorf("%s", r.Line())
	}
}

// TestEachCall: the check of a library model is one for each call.
func TestEachCall(t *testing.T) {
	r := asking(t, `#include <string.h>
int main(int argc, char **argv) {
  char a[4], b[4] = "abc";
  strcpy(a, b);
  if (argc == 5) strcpy(a, "too long");
  return a[0];
}`, true, ValidDeref)
	answers := map[int]Answer{}
	for _, c := range r.Checks {
		if answers[c.Place.Pos.Line] != False {
			answers[c.Place.Pos.Line] = c.Answer
		}
	}
	if r.Answer != False || answers[4] == False || answers[5] != False || answers[6] != True {
		t.Errorf("%s: %v", r.Line(), r.Checks)
	}
}

// TestEachByAll: with each check on its own, checks are proved that only engines for lists, for numbers beside
// them, and for files prove, though others are violated.
func TestEachByAll(t *testing.T) {
	r := asking(t, `#include <assert.h>
#include <stdlib.h>
struct cell { int value; struct cell *next; };
extern int __VERIFIER_nondet_int(void);
int main(void) {
  struct cell *list = NULL;
  int n = 0;
  while (__VERIFIER_nondet_int()) {
    struct cell *x = malloc(sizeof *x);
    x->value = 7;
    x->next = list;
    list = x;
    n = (n + 1) % 1000;
  }
  for (struct cell *p = list; p; p = p->next)
    assert(p->value == 7);
  assert(n != 2);
  assert(n < 1000);
  while (list) { struct cell *next = list->next; free(list); list = next; }
}`, true, UnreachCall, ValidFree)
	want := map[int]Answer{16: True, 17: False, 18: True, 19: True}
	for _, c := range r.Checks {
		if c.Answer != want[c.Place.Pos.Line] {
			t.Errorf("%s:%d: %s is %v", c.Place.Pos.File, c.Place.Pos.Line, c.Place.Text, c.Answer)
		}
		delete(want, c.Place.Pos.Line)
	}
	if len(want) > 0 || r.Answer != False {
		t.Errorf("%s, not in the table: %v", r.Line(), want)
	}
}
