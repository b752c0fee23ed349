package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/tools/scan"
)

// TestScanConstructors: what only a structure with arbitrary content leads to needs a precondition, where the project has a constructor;
// what an object leads to that was made by it needs none.
func TestScanConstructors(t *testing.T) {
	folder := t.TempDir()
	text := `#include <stdlib.h>
struct pile { int *at; unsigned top, room; };
struct pile *pile_new(void) {
    struct pile *p = malloc(sizeof *p);
    p->at = malloc(4 * sizeof *p->at);
    p->top = 0;
    p->room = 4;
    return p;
}
int pile_push(struct pile *p, int v) {
    if (p->top == p->room) return -1;
    p->at[p->top++] = v;
    return 0;
}
void pile_free(struct pile *p) { free(p->at); free(p); }
int pile_peek(struct pile *p) { return p->top > 0 ? p->at[p->top - 1] : 0; }
int pile_behind(struct pile *p) { return p->at[p->top + 4]; }
void pile_leave(struct pile *p) {
    free(p);
    free(p->at);
}
struct node { int kind; int *data; };
struct node *node_new_number(int n) { struct node *p = malloc(sizeof *p); p->kind = n; p->data = NULL; return p; }
struct node *node_new_list(void) { struct node *p = malloc(sizeof *p); p->kind = 1; p->data = malloc(8); return p; }
struct node *node_new_text(void) { struct node *p = malloc(sizeof *p); p->kind = 2; p->data = malloc(4); return p; }
struct node *node_new_empty(void) { struct node *p = malloc(sizeof *p); p->kind = 3; p->data = NULL; return p; }
int node_list_first(struct node *p) { return p->data[0]; }
int node_list_third(struct node *p) { return p->data[2]; }
struct row { unsigned count; const char *last; };
void row_add(struct row *r, const char *s) { r->count++; r->last = s; }
struct row *row_make(const char *s, unsigned long n) {
    struct row *r = malloc(sizeof *r);
    r->count = 0;
    row_add(r, s);
    if (n > 0 && s[n - 1] + s[n] == 0) r->count = 0;
    return r;
}
`
	if err := os.WriteFile(filepath.Join(folder, "a.c"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	o := invoke(t, "scan", "--json", "--no-cache", "--property", "valid-deref", folder)
	r := &scan.Report{}
	if err := json.Unmarshal([]byte(o.stdout), r); err != nil {
		t.Fatalf("%v\n%s%s", err, o.stdout, o.stderr)
	}
	high := map[string]bool{}
	for _, f := range r.Findings {
		if f.Confidence != scan.Low {
			high[f.Entry] = true
		}
		if f.Entry == "pile_behind" && !strings.Contains(f.Because, "an object that pile_new makes") {
			t.Errorf("pile_behind: %s", f.Because)
		}
	}
	for entry, want := range map[string]bool{
		"pile_behind": true, "pile_leave": true, "pile_peek": false, "pile_push": false, "pile_free": false, "node_list_third": true, "node_list_first": false,
		"row_add": false, // row_make calls it, and goes wrong itself
	} {
		if high[entry] != want {
			t.Errorf("%s needs no precondition: %v, want %v", entry, high[entry], want)
		}
	}
}
