package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"assay/internal/tools/scan"
)

// TestScanFailing: an allocation that fails is a finding where its result is used, and hides nothing else; one that is checked, by the
// function or by one that it calls, is none.
func TestScanFailing(t *testing.T) {
	folder := t.TempDir()
	text := `#include <stdlib.h>
struct node { int n; struct node *next; };
static void *get(unsigned long n) { return n ? malloc(n) : NULL; }
static void *must(unsigned long n) { void *p = malloc(n); if (!p) abort(); return p; }
struct node *plain(int n) { struct node *x = malloc(sizeof *x); x->n = n; x->next = 0; return x; }
struct node *wrapped(int n) { struct node *x = get(sizeof *x); x->n = n; x->next = 0; return x; }
struct node *checked(int n) { struct node *x = get(sizeof *x); if (!x) return 0; x->n = n; x->next = 0; return x; }
struct node *sure(int n) { struct node *x = must(sizeof *x); x->n = n; x->next = 0; return x; }
char *both(unsigned n) { char *p = malloc(4); p[4] = 0; return p; }
`
	if err := os.WriteFile(filepath.Join(folder, "a.c"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	o := invoke(t, "scan", "--json", "--no-cache", "--property", "valid-deref", folder)
	r := &scan.Report{}
	if err := json.Unmarshal([]byte(o.stdout), r); err != nil {
		t.Fatalf("%v\n%s%s", err, o.stdout, o.stderr)
	}
	got := map[string]scan.Finding{}
	for _, f := range r.Findings {
		got[f.Entry] = f
	}
	for name, line := range map[string]int{"plain": 5, "wrapped": 6} {
		if f := got[name]; f.Place.Pos.Line != line || !f.Fails || f.Confidence != scan.Medium {
			t.Errorf("%s: %+v %s %s", name, f.Place, f.Confidence, f.Because)
		}
	}
	if f := got["both"]; f.Fails || f.Confidence != scan.High {
		t.Errorf("both: %+v %s %s", f.Place, f.Confidence, f.Because)
	}
	if len(r.Findings) != 3 {
		t.Errorf("%d findings", len(r.Findings))
	}
}

// TestScanFailingBehindPointer: an allocator that a structure has may fail as well.
func TestScanFailingBehindPointer(t *testing.T) {
	findings := scanText(t, `#include <stddef.h>
struct settings { void *(*get)(size_t); void *(*zeros)(size_t, size_t); };
int *plain(const struct settings *s) { int *p = s->get(sizeof *p); p[0] = 1; return p; }
int *checked(const struct settings *s) { int *p = s->get(sizeof *p); if (p) p[0] = 1; return p; }
int *many(const struct settings *s, unsigned n) { int *p = s->zeros(n, sizeof *p); if (p && n > 2) p[n - 1] = 1; return p; }
`, "--property", "valid-deref")
	if len(findings) != 1 || findings[0].Entry != "plain" || !findings[0].Fails || findings[0].Confidence != scan.Medium {
		t.Errorf("findings: %+v", findings)
	}
}
