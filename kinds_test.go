package assay_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"assay"
)

// TestGraphOfSeveralKinds asks symbolic execution graphs about memory and arithmetic together: they prove both, and what is wrong with one
// of them is not proved.
func TestGraphOfSeveralKinds(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kinds.c")
	text := `#include <limits.h>
#include <stdlib.h>
struct node { int v; struct node *next; };
int folded(const unsigned char *s, unsigned long n) { unsigned char x = 0; while (n) { x ^= *s; s++; n--; } return x; }
int summed(const unsigned char *s, unsigned long n) { int x = 0; while (n) { x += *s; s++; n--; } return x; }
int last(const unsigned char *s, unsigned long n) { int x = 0; while (n) { x ^= *s; s++; n--; if (!n && x == 255) x += INT_MAX; } return x; }
int divided(struct node *l) { int x = 1; for (; l; l = l->next) x = 100 / l->v; return x; }
int least(const int *a, unsigned long n) { int x = 1; for (unsigned long i = 0; i < n; i++) x = a[i] / -1; return x; }
int shifted(const unsigned char *s, unsigned long n) { unsigned x = 0; while (n) { x = 1u << *s; s++; n--; } return x & 1; }
int beyond(const unsigned char *s, unsigned long n) { unsigned char x = 0; do { x ^= *s; s++; } while (n--); return x; }
int twice(const unsigned char *s, unsigned long n) { char *p = malloc(4); while (n) { if (*s == 7 && n == 3) free(p); s++; n--; } free(p); return 0; }
`
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	all := []assay.Property{assay.ValidDeref, assay.ValidFree, assay.NoOverflow, assay.DivByZero, assay.Shift}
	for _, f := range []string{"folded", "summed", "last", "divided", "least", "shifted", "beyond", "twice"} {
		task, want := assay.Task{Files: []string{file}, Properties: all, Timeout: 300 * time.Millisecond}, assay.Unknown // of work: nothing ends some of the searches
		if f == "folded" {
			want = assay.True
		}
		task.Program.Function, task.Program.Harness.Infer, task.Engine.Only, task.Engine.Deterministic = f, true, "symex", true
		r, err := assay.Check(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		if r.Answer != want {
			t.Errorf("%s: %s, want %s (%v)", f, r.Answer, want, r.Reasons)
		}
	}
	// Kinds of which the program has no check are proved, whatever is open.
	task := assay.Task{Files: []string{file}, Properties: all, Timeout: 20 * time.Second}
	task.Program.Function, task.Program.Harness.Infer, task.Engine.Only, task.Engine.Parts = "beyond", true, "abstract", true
	r, err := assay.Check(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Excluded; slices.Contains(got, assay.ValidDeref) || !slices.Contains(got, assay.DivByZero) || !slices.Contains(got, assay.NoOverflow) {
		t.Errorf("proved in any case: %v", got)
	}
}
