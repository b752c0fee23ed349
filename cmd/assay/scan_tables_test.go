package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/internal/tools/scan"
)

// scanText scans one file, and is the findings.
func scanText(t *testing.T, text string, flags ...string) []scan.Finding {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a.c"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	o := invoke(t, append(append([]string{"scan", "--json", "--no-cache"}, flags...), folder)...)
	r := &scan.Report{}
	if err := json.Unmarshal([]byte(o.stdout), r); err != nil {
		t.Fatalf("%v\n%s%s", err, o.stdout, o.stderr)
	}
	return r.Findings
}

// TestScanTables: what is freed too early in a table whose entries are rings is found by taking out what was put in, with the same key;
// a hash that reads whole words is in nobody's way.
func TestScanTables(t *testing.T) {
	findings := scanText(t, `#include <stdlib.h>
#include <string.h>
struct ring { struct ring *prev, *next; };
struct entry { struct ring ring; unsigned long hash; int *value; unsigned long length; char key[1]; };
struct table { struct ring all; struct ring *slots[4]; };
static void *(*get)(unsigned long) = malloc;
static void (*drop)(void *) = free;
static unsigned long hash(const char *key, unsigned long length) {
    unsigned long h = 5381;
    if (((unsigned long)key & 3) == 0)
        for (unsigned long i = 0; i < length; i += 4) h = h * 33 + *(const unsigned *)(key + i);
    else
        for (unsigned long i = 0; i < length; i++) h = h * 33 + (unsigned char)key[i];
    return h;
}
void table_init(struct table *t) {
    t->all.prev = t->all.next = &t->all;
    for (int i = 0; i < 4; i++) t->slots[i] = &t->all;
}
static struct entry *find(struct table *t, const char *key, unsigned long length, unsigned long h) {
    struct ring *r = t->slots[h & 3];
    if (r == &t->all) return NULL;
    struct entry *e = (struct entry *)r;
    return e->hash == h && e->length == length && memcmp(e->key, key, length) == 0 ? e : NULL;
}
int table_set(struct table *t, const char *key, unsigned long length, int *value) {
    unsigned long h = hash(key, length);
    if (t->slots[h & 3] != &t->all) return -1;
    struct entry *e = get(sizeof *e + length);
    if (!e) return -1;
    e->hash = h;
    e->length = length;
    e->value = value;
    memcpy(e->key, key, length);
    e->ring.next = &t->all;
    e->ring.prev = t->all.prev;
    t->all.prev->next = &e->ring;
    t->all.prev = &e->ring;
    t->slots[h & 3] = &e->ring;
    return 0;
}
int table_take(struct table *t, const char *key, unsigned long length) {
    unsigned long h = hash(key, length);
    struct entry *e = find(t, key, length, h);
    if (!e) return -1;
    e->ring.prev->next = e->ring.next;
    e->ring.next->prev = e->ring.prev;
    t->slots[h & 3] = &t->all;
    drop(e);
    return *e->value;
}
`, "--property", "valid-deref", "--function", "table_take")
	k := slices.IndexFunc(findings, func(f scan.Finding) bool { return f.Place.Pointee.Gone })
	if k < 0 || findings[k].Confidence != scan.High || !slices.ContainsFunc(findings[k].Harness, func(h string) bool {
		return strings.Contains(h, "t is an object that table_init makes, and that table_set may change (with the same key, length)")
	}) {
		t.Errorf("the entry that is freed too early is not found: %+v", findings)
	}
	for _, f := range findings {
		if f.Confidence != scan.Low && !f.Place.Pointee.Gone {
			t.Errorf("another finding needs no precondition: %v %s", f.Place, f.Because)
		}
	}
}

// TestScanArguments: what a program does wrong with two short arguments is found.
func TestScanArguments(t *testing.T) {
	findings := scanText(t, `#include <stdio.h>
#include <string.h>
int main(int argc, char *argv[]) {
    if (argc != 3) return 1;
    long off = (long)strlen(argv[1]) - (long)strlen(argv[2]);
    if (!strcmp(argv[1] + off, argv[2])) argv[1][off] = 0;
    puts(argv[1]);
    return 0;
}
`)
	if len(findings) == 0 || findings[0].Confidence != scan.High || findings[0].Place.Pos.Line != 6 {
		t.Fatalf("findings: %+v", findings)
	}
	if !slices.ContainsFunc(findings[0].Harness, func(h string) bool { return strings.Contains(h, "argv has 3 strings at most") }) {
		t.Errorf("the harness: %q", findings[0].Harness)
	}
}

// TestScanAround: a number that stands before the place that a function gets is no argument of its callers; one beside it is.
func TestScanAround(t *testing.T) {
	findings := scanText(t, `struct block { int order, rest; double data[4]; };
int order(double *d) { struct block *b = (struct block *)((char *)d - 8); return 1 << b->order; }
int more(double *d, int n) { struct block *b = (struct block *)((char *)d - 8); b->rest = 0; return 1 << n; }
`, "--property", "shift")
	got := map[string]scan.Confidence{}
	for _, f := range findings {
		got[f.Entry] = f.Confidence
	}
	if got["order"] != scan.Low || got["more"] == scan.Low {
		t.Errorf("confidence: %v", got)
	}
}

// TestScanPrepared: what goes wrong with an object only because the callers' part was not done needs a precondition; the same in a function
// whose caller does nothing before needs none.
func TestScanPrepared(t *testing.T) {
	const text = `#include <stdlib.h>
struct reader { char *text; unsigned used; };
int more(void);
void reader_init(struct reader *r) { r->text = malloc(4); r->used = 0; }
static void save(struct reader *r) { if (r->used < 4) r->text[r->used++] = 'x'; }
static char last(struct reader *r) { return r->text[r->used - 1]; }
char scan(struct reader *r) { while (more()) continue; CALL return last(r); }
`
	for call, want := range map[string]scan.Confidence{"save(r);": scan.Low, "": scan.High} {
		found := false
		for _, f := range scanText(t, strings.Replace(text, "CALL", call, 1), "--property", "valid-deref") {
			if f.Place.Func == "last" {
				found = found || f.Confidence != scan.Low
			}
		}
		if found != (want == scan.High) {
			t.Errorf("with %q: %v", call, found)
		}
	}
}

// TestScanIterators: an iterator is moved on before anybody asks it for something; what goes wrong behind that is found.
func TestScanIterators(t *testing.T) {
	confidence := map[string]scan.Confidence{}
	for _, f := range scanText(t, `#include <stdlib.h>
enum state { OK, END };
struct row { int *at; unsigned used, room; };
struct row_iter { struct row *row; unsigned index; };
struct row *row_new(void) { struct row *r = malloc(sizeof *r); r->at = malloc(16); r->used = 0; r->room = 4; return r; }
int row_add(struct row *r, int v) { if (r->used == r->room) return -1; r->at[r->used++] = v; return 0; }
void row_iter_init(struct row_iter *i, struct row *r) { i->row = r; i->index = 0; }
enum state row_iter_next(struct row_iter *i, int *out) { if (i->index >= i->row->used) return END; *out = i->row->at[i->index++]; return OK; }
int row_iter_value(struct row_iter *i) { return i->row->at[i->index - 1]; }
int row_iter_behind(struct row_iter *i) { return i->row->at[i->index + 3]; }
`, "--property", "valid-deref") {
		confidence[f.Entry] = f.Confidence
	}
	if confidence["row_iter_value"] != scan.Low || confidence["row_iter_behind"] != scan.High {
		t.Errorf("confidence: %v", confidence)
	}
}
