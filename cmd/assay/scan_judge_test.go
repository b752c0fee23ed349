package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"assay/internal/tools/scan"
)

// TestScanJudges has functions with what the scan thinks of them.
func TestScanJudges(t *testing.T) {
	folder := t.TempDir()
	text := `#include <stdlib.h>
#include <string.h>
struct p { int x, y; };
static int check(const unsigned char *s, size_t n) {
    for (size_t i = 0; i < n; i += s[i] > 127 ? 2 : 1)
        if (s[i] > 127 && s[i + 1] < 128) return 0;
    return 1;
}
unsigned char *copy(const unsigned char *value, size_t length) {
    if (!check(value, length)) return NULL;
    unsigned char *p = malloc(length);
    memcpy(p, value, length);
    p[length] = 0;
    return p;
}
int late(struct p *p) { int q = p->x; return p == NULL ? -1 : q; }
int early(struct p *p) { return p == NULL ? -1 : p->x; }
int within(struct p *p, int n) { if (n > 0 && !p) return 0; return n > 0 ? p->x : 0; }
struct value { int kind; union { struct { char *chars; unsigned long length; } text; struct values *list; double number; } u; };
struct values { struct value *items; unsigned long count; };
char last(const struct value *v) { return v->kind == 1 ? v->u.text.chars[v->u.text.length] : 0; }
unsigned long count(const struct value *v) { return v->kind == 2 ? v->u.list->count : 0; }
struct state { unsigned word[8]; };
void words(const struct state *s, unsigned *out, int n) { for (int i = 0; i < n; i++) out[i] = s->word[i]; }
void third(struct state *s, int n) { for (int i = 0; i < n; i++) s->word[6 + i] = 0; }
struct tag { int kind; }; struct chars { struct tag t; const char *chars; unsigned long length; }; struct tags { struct tag t; unsigned long count; struct tag *first; };
static const char *chars(const struct tag *t) { return ((const struct chars *)t)->chars; }
static unsigned long counted(const struct tag *t) { return ((const struct tags *)t)->count; }
int start(const struct tag *t) { return t->kind == 1 ? chars(t)[0] : counted(t) > 2; }
unsigned hash(const char *key, unsigned long length) { union { const char *p; unsigned long i; } u; u.p = key; return (u.i & 3) == 0 && length == 3 ? *(const unsigned *)key & 0xffffff : 0; }
unsigned head(const char *key, unsigned long length) { return length == 3 ? *(const unsigned *)key : 0; }
struct link { int x; struct link *next; };
static int nth(const struct link *p, unsigned n) { while (n-- > 1) p = p->next; return p->x; }
struct chain { struct link *first; unsigned count; };
int middle(const struct chain *c) { return c->count > 1 && c->count < 8 ? nth(c->first, c->count / 2) : 0; }
`
	if err := os.WriteFile(filepath.Join(folder, "a.c"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	o := invoke(t, "scan", "--json", "--no-cache", folder)
	r := &scan.Report{}
	if err := json.Unmarshal([]byte(o.stdout), r); err != nil {
		t.Fatalf("%v\n%s%s", err, o.stdout, o.stderr)
	}
	var got []string
	for _, f := range r.Findings {
		got = append(got, fmt.Sprintf("%d %s %s", f.Place.Pos.Line, f.Entry, f.Confidence))
	}
	// The write behind the copy is no matter of arguments, although the check before it goes wrong as well; the copy itself is where the
	// allocation fails. How many words there are is known to who asks for them; no one can ask for the fourth behind the sixth.
	// How long a list is goes with a number that the caller has.
	for _, want := range []string{"6 copy high", "12 copy medium", "13 copy high", "16 late medium", "21 last high", "22 count low", "24 words low", "25 third high", "29 start low", "30 hash low", "31 head high", "33 nth low", "33 middle low"} {
		if !slices.Contains(got, want) {
			t.Errorf("findings: %v, want %s", got, want)
		}
	}
	if len(got) != 13 {
		t.Errorf("findings: %v", got)
	}
}
