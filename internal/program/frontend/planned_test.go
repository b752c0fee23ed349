package frontend

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/internal/program/harness"
	"assay/internal/program/ir/interp"
)

// plans are functions with what their harness should say. All of them are right if they are called so, which the test
// tries out.
var plans = []struct {
	name, source string
	want         []string
}{
	{"length by use", `int f(const int *v, int k) { int s = 0; for (int i = 0; i < k; i++) s ^= v[i]; return s; }`,
		[]string{"v points to k elements of int (used up to k)"}},
	{"counted down", `void f(char *p, unsigned k) { while (k--) *p++ = 0; }`,
		[]string{"p points to k elements of char (used up to k)"}},
	{"pointer moves beside the counter", `int f(const short *p, unsigned k) { int s = 0; for (unsigned i = 0; i < k; i++) s ^= *p++; return s; }`,
		[]string{"p points to k elements of short (used up to k)"}},
	{"end that is passed on", `static int g(const char *s, const char *end, int *r) { for (; s != end; s++) if (*s == 7) return *r = 1; return *r = 0; }
int f(const char *start, unsigned long len, unsigned long *left, int *status, unsigned long last) { const char *end = start + len; *left = last; return g(start, end, status); }`,
		[]string{"start points to len elements of char (used up to len)", "left points to one unsigned long", "status points to one int"}},
	{"place that is no end", `int f(const char *s, const char *end, unsigned long at) { if (at > (unsigned long)(end - s)) return 0; for (s += at; s != end; s++) if (*s == 7) return 1; return 0; }`,
		[]string{"end points to the end of what s points to (compared with it)"}},
	{"length behind a pointer", `int f(char *v, unsigned long *n) { unsigned long to = 0; for (unsigned long i = 0; i < *n; i++) if (v[i]) v[to++] = v[i]; *n = to; return 0; }`,
		[]string{"v points to *n elements of char (used up to *n)", "n points to one unsigned long"}},
	{"length in a structure", `struct head { unsigned long n; int kind; }; int f(const int *v, const struct head *h) { int s = 0; for (unsigned long i = 0; i < h->n; i++) if (i < 8) s ^= v[i]; return s; }`,
		[]string{"v points to 64 elements of int (nothing says how many)"}},
	{"passed to memcpy", `void *memcpy(void *, const void *, unsigned long); void f(char *to, const char *from, unsigned long k) { memcpy(to, from, k); }`,
		[]string{"to points to k elements of char (passed to memcpy with k)", "from points to k elements of char (passed to memcpy with k)"}},
	{"passed on", `static int g(const int *v, int n) { int s = 0; for (int i = 0; i < n; i++) s ^= v[i]; return s; } int f(const int *w, int k) { return g(w, k); }`,
		[]string{"w points to k elements of int (passed to g with k)"}},
	{"by name", `int f(const unsigned char *src, unsigned src_len, unsigned flags) { return src_len > 2 && flags ? src[1] : 0; }`,
		[]string{"src points to src_len elements of unsigned char (named so)"}},
	{"string", `int f(const char *s) { return s[0]; }`, []string{"s points to a string of any length"}},
	{"string that is copied to its end, with room of another", `
static unsigned long copy(char *to, const char *from, unsigned long room) {
	const char *s = from;
	for (unsigned long n = room; n > 1 && *s; n--) *to++ = *s++;
	if (room) *to = 0;
	while (*s++) ;
	return s - from;
}
int f(char *to, const char *from, unsigned long room) { return copy(to, from, room) >= room; }`,
		[]string{"from points to a string of any length (read up to a null character)"}},
	{"array that is filled in up to an element of zeros", `
static int one(unsigned *r, const char *s) { *r = (unsigned char)*s; return *s != 0; }
int f(const char *s, unsigned *r) { int i, n; for (i = 0; i < 8 && (n = one(&r[i], s)) && r[i]; i++) s += n; return i; }`,
		[]string{"r points to 64 elements of unsigned int (nothing says how many)"}},
	{"array up to an element of zeros that is changed in place", `
int f(int *r) { int n = 0; for (; *r; r++) { *r = -*r; n ^= 1; } return n; }`,
		[]string{"r points to one or more elements of int, and one of zeros behind them (walked along up to one of zeros)"}},
	{"array of pointers that ends with null, and is counted", `int f(int n, char **list) { int s = 0; if (n == 0) return 1; for (; *list; n--, list++) s ^= list[0][0]; return s; }`,
		[]string{"list points to one or more elements of char *, 3 at most, and one of zeros behind them (walked along up to one of zeros)"}},
	{"array that is counted, and left at zero", `int f(const int *v, int n) { int s = 0; for (int i = 0; i < n && v[i]; i++) s ^= v[i]; return s; }`,
		[]string{"v points to n elements of int (used up to n)"}},
	{"two digits for each byte", `static int digit(int c) { return c >= '0' && c <= '9' ? c - '0' : -1; }
int f(const char *s, const unsigned char *v, unsigned long n) { int x, y; for (unsigned long i = 0; i < n; i++) { if (!*s || (x = digit(*s++)) < 0 || !*s || (y = digit(*s++)) < 0 || (x << 4 | y) != v[i]) return 0; } return 1; }`,
		[]string{"s points to a string of any length (read up to a null character)", "v points to n elements of unsigned char (used up to n)"}},
	{"four at a time", `int f(const int *p, unsigned n) { int s = 0; for (; n >= 4; n -= 4, p += 4) s ^= p[0] ^ p[3]; return s; }`,
		[]string{"p points to n elements of int (used up to n)"}},
	{"bytes of n words", `void f(const int *from, unsigned char *to, int n) { for (int i = 0; i < n && i < 16; i++) { to[4 * i] = from[i]; to[4 * i + 3] = from[i] >> 8; } }`,
		[]string{"from points to n elements of int (used up to n)", "to points to 64 elements of unsigned char (nothing says how many)"}},
	{"start and end in a string", `unsigned long strlen(const char *); int f(char *p, char *end) { int n = 0; for (; p < end; p++) n ^= *p; return n + (strlen(p) > 3); }`,
		[]string{"p points to a string of any length", "end points to the end of what p points to (compared with it)"}},
	{"bytes that begin with a structure", `struct h { int a, b; char name[8]; }; int g(const void *, unsigned long); int put(const char *p, int n) { int s = 0; for (int i = 0; i < n; i++) s ^= p[i]; return s; }
int f(char *b, int n) { struct h *h = (struct h *)b; return h->b ^ put(b, n); }`,
		[]string{"b points to n elements of char, with room for 16 bytes, as they are taken for a structure (passed to put with n)"}},
	{"string by use", `int f(char *s) { int n = 0; while (*s++) n ^= 1; return n; }`, []string{"s points to a string of any length (read up to a null character)"}},
	{"not a length", `void f(char *s, long value) { char *p = s; for (int i = 0; i < 3; i++) { *p++ = '0' + value % 10; value /= 10; } }`,
		[]string{"s points to 64 elements of char (nothing says how many)"}},
	{"a place in a structure around it", `struct l { struct l *next; }; struct e { long key; struct l link; int x; }; int f(struct l *p) { struct e *e = (struct e *)((char *)p - 8); return e->x; }`,
		[]string{"p points to byte 8 of one struct e (moved back to its start)"}},
	{"a cast by a function", `struct o { int kind; }; struct t { struct o base; long length; }; static struct t *text(struct o *p) { return (struct t *)p; } long f(struct o *p) { return p->kind == 3 ? text(p)->length : 0; }`,
		[]string{"p points to one struct t"}},
	{"a length that may be 0", `int f(const int *v, unsigned n) { if (n == 0) return 1; return v[n - 1]; }`,
		[]string{"v points to n elements of int (named so)"}},
	{"null of another value", `int f(const char *s, int n) { const char *mark = 0; for (int i = 0; i < n; i++) { if (s[i] == 3) mark = s + i; if (mark && *mark == 4) return 1; } return 0; }`,
		[]string{"s points to n elements of char (used up to n)"}},
	{"end", `int f(const char *p, const char *end) { int n = 0; for (; p < end; p++) n ^= *p; return n; }`,
		[]string{"end points to the end of what p points to (compared with it)"}},
	{"null is expected", `int f(int *p) { return p ? *p : 0; }`, []string{"p is null, or points to one int"}},
	{"out parameter", `void f(int *out) { *out = 1; }`, []string{"out points to one int"}},
	{"buffer with capacity", `struct buf { char *data; unsigned long len, cap; }; int f(struct buf *b, char c) { if (b->len >= b->cap) return 0; b->data[b->len++] = c; return 1; }`,
		[]string{"b points to one struct buf", "b->data points to cap elements of char (named so)", "b->len <= b->cap"}},
	{"buffer with capacity, of which a size is in use", `struct pile { unsigned long size, capacity; int *items; }; int f(struct pile *p, unsigned long n) { return n < p->size ? p->items[n] : 0; }`,
		[]string{"p->items points to capacity elements of int (named so)", "p->size <= p->capacity"}},
	{"buffer of elements whose size is another member", `struct table { unsigned long width, size, capacity; short *cells; }; int f(struct table *t, unsigned long n) { return n < 4 && t->width < 8 && n < t->size ? t->cells[n * t->width] : 0; }`,
		[]string{"t->cells points to one short"}},
	{"list", `struct node { int x; struct node *next; }; int f(const struct node *n) { int s = 0; for (; n; n = n->next) s ^= n->x; return s; }`,
		[]string{"n is null, or points to one struct node", "n->next is null, or points to one struct node (it leads to its own type)", "n->next->next is null (it leads to its own type)"}},
	{"array that ends with zeros", `struct o { const char *name; int x; }; int f(struct o *o) { int n; for (n = 0; o && o[n].name; n++) ; return n; }`,
		[]string{"o is null, or points to one or more elements of struct o, 3 at most, and one of zeros behind them (walked along up to one of zeros)"}},
	{"array of pointers that ends with null", `int f(char **list) { int n = 0; for (; *list; list++) n ^= list[0][0]; return n; }`,
		[]string{"list points to one or more elements of char *, 3 at most, and one of zeros behind them (walked along up to one of zeros)"}},
	{"array of pointers that ends with null, and their number", `void *calloc(unsigned long, unsigned long); int f(char **list, int nlist) { char **copy = calloc(nlist, sizeof *copy); int n = 0; for (; *list; list++) copy[n++] = *list; return n; }`,
		[]string{"list points to nlist elements of char *, 3 at most, and one of zeros behind them (walked along up to one of zeros)"}},
	{"arguments of a program", `int f(int argc, char **argv) { int n = 0; for (int i = 0; i < argc; i++) n ^= argv[i][0]; return n + (argc == 2 && argv[argc] ? 1 : 0); }`,
		[]string{"argv points to argc elements of char *, 3 at most, and one of zeros behind them (named so)"}},
	{"array in a member that another function walks along", `struct o { int kind, x; }; struct c { struct o *all; }; static int g(struct o *o) { int n = 0; while (o[n].kind != 0) n++; return n; } int f(struct c *c) { return g(c->all); }`,
		[]string{"c->all points to one or more elements of struct o, and one of zeros behind them (walked along up to one of zeros)"}},
	{"a comparison with zero that ends no loop", `int f(const int *v, int k) { int s = 0; for (int i = 0; i < k; i++) if (v[i] != 0) s ^= v[i]; return s; }`,
		[]string{"v points to k elements of int (used up to k)"}},
	{"a callback that reads", `typedef char *reader(char *, int, void *); int f(reader *read, void *from) { char line[8]; int n = 0; while (n < 3 && read(line, sizeof line, from)) { for (char *p = line; *p; p++) ; n++; } return n; }`,
		[]string{"read points to a function that puts a string into its first argument, of the size that the second says, and returns that or null"}},
	{"a callback that only looks", `typedef char *finder(const char *, int); struct s { finder *find; }; int f(struct s *p) { return p->find != 0; }`,
		[]string{"p->find is null, or points to a function that returns a new object and changes nothing"}},
	{"a length of parts", `int memcmp(const void *, const void *, unsigned long); int f(const char *s, int len, const char *sep, int n) { int k = 0; if (n < 1) return 0; for (int j = 0; j < len - n + 1; j++) if (!memcmp(s + j, sep, n)) k ^= j; return k; }`,
		[]string{"s points to len elements of char (named so)", "sep points to n elements of char (passed to memcmp with n)"}},
	{"written and turned around", `int f(char *s, unsigned v) { char *p = s; do { *p++ = '0' + v % 10; v /= 10; } while (v); for (char *q = s; q < --p; q++) { char c = *q; *q = *p; *p = c; } return 0; }`,
		[]string{"s points to 64 elements of char (nothing says how many)"}},
	{"a string and room for it", `unsigned long strlen(const char *); void *memcpy(void *, const void *, unsigned long); unsigned long f(char *to, const char *from, unsigned long size) { unsigned long had = strlen(to), more = strlen(from), left = size - had - 1; if (more > left) more = left; memcpy(to + had, from, more); to[had + more] = 0; for (unsigned long i = 0; i < size; i++) if (to[i] == 1) to[i] = 2; return had; }`,
		[]string{"to points to size elements of char, one at least, the last one 0 (used up to size)"}},
	{"a length that is that of the string", `unsigned long strlen(const char *); unsigned long f(const char *from, unsigned long k) { unsigned long n = 0; for (unsigned long i = 0; i < k; i++) n ^= from[i]; return n; }`,
		[]string{"from points to k elements of char (used up to k)"}},
	{"characters that are changed in place", `void f(char *s) { for (; *s; s++) if (*s == 'a') *s = 'b'; }`,
		[]string{"s points to a string of any length (read up to a null character)"}},
	{"null is excluded by an assertion", `_Noreturn void abort(void); int f(int *p, int *q) { if (!p) abort(); return q ? *p & 1 : 0; }`,
		[]string{"p points to one int", "q is null, or points to one int"}},
	{"null is empty", `struct s { int *items; unsigned nitems; }; int f(struct s *s) { if (!s->items) return s->nitems; return s->nitems > 0 ? s->items[s->nitems - 1] & 1 : 0; }`,
		[]string{"s->items is null (and nitems is 0), or points to nitems elements of int (named so)"}},
	{"where an end is kept", `int f(char **start, char **end) { *end = *start; return 0; }`,
		[]string{"end points to one char *"}},
	{"null only where it is allocated", `void *malloc(unsigned long); void free(void *); struct s { int *p; }; static int init(struct s *s) { s->p = malloc(4); if (!s->p) return 0; *s->p = 1; return 1; } int f(struct s *s) { int n = *s->p & 1; free(s->p); init(s); free(s->p); s->p = 0; return n; }`,
		[]string{"s->p points to one int"}},
	{"null where it may not be allocated yet", `void *malloc(unsigned long); void free(void *); struct s { int *p; }; int f(struct s *s) { if (!s->p) { s->p = malloc(4); *s->p = 1; } int n = *s->p & 1; free(s->p); s->p = 0; return n; }`,
		[]string{"s->p is null, or points to one int"}},
	{"enumeration and truth value", `enum color { RED, GREEN = 4 }; struct s { enum color c; _Bool b; }; int f(struct s *p, enum color d) { static int t[5]; return t[p->c] + t[d] + p->b; }`,
		[]string{"p->c is one of 0, 4", "p->b is one of 0, 1", "d is one of 0, 4"}},
	{"callback", `struct s { int (*get)(void *, int); void *context; }; int f(struct s *p) { return p->get(p->context, 1) & 1; }`,
		[]string{"p->get points to a function that returns anything and changes nothing"}},
	{"void pointer by its use", `struct s { int x; int *y; }; int f(void *context) { struct s *p = context; return p->x ^ *p->y; }`,
		[]string{"context points to one struct s", "context->y points to one int"}},
	{"beginning of a larger structure", `struct base { int type; }; struct large { struct base base; int x[4]; }; int f(struct base *b) { return ((struct large *)b)->x[3]; }`,
		[]string{"b points to one struct base with room for 20 bytes, as it is taken for a larger structure"}},
	{"array of structures", `struct item { char *name; int x; }; int f(struct item *items, int count) { int s = 0; for (int i = 0; i < count; i++) s ^= items[i].name[0]; return s; }`,
		[]string{"items points to count elements of struct item, 3 at most (used up to count)", "items[i].name points to a string of any length"}},
	{"place and limit by comparison", `struct line { int *fields; unsigned nf, maxf; }; int f(struct line *l) { if (l->nf >= l->maxf) return 0; if (l->nf > l->maxf) return *l->fields; return 1; }`,
		[]string{"l->nf <= l->maxf"}},
	{"integers behind void", `int f(const void *a, const void *b) { return *(const int *)a < *(const int *)b; }`,
		[]string{"a points to one int", "b points to one int"}},
	{"index by use", `struct g { unsigned depth; int state[128]; int flags[3]; }; int f(struct g *p) { return p->state[p->depth]; }`,
		[]string{"p->depth < 128, the size of an array beside it"}},
	{"top of a stack", `struct g { int top; struct { int a, b; } item[8]; }; int f(struct g *p) { return p->top > 0 ? p->item[p->top - 1].b : 0; }`,
		[]string{"p->top < 9, the size of an array beside it"}},
	{"end by subtraction", `int f(const unsigned char *at, const unsigned char *last) { return last - at > 2 ? at[2] : 0; }`,
		[]string{"last points to the end of what at points to (compared with it)"}},
	{"end by name", `int g(const char *p, const char *q) { return p == q ? 0 : *p; } int f(const char *text, const char *text_end) { return g(text, text_end); }`,
		[]string{"text_end points to the end of what text points to (compared with it)"}},
	{"array of structures in a union", `struct attr { char *name; }; struct node { int kind; union { struct { char *name; int num_attrs; struct attr *attrs; } element; int x; } value; }; int f(struct node *n, int i) { return n->kind == 1 && i >= 0 && i < n->value.element.num_attrs ? n->value.element.attrs[i].name[0] : 0; }`,
		[]string{"n->value.element.attrs points to value.element.num_attrs elements of struct attr, 3 at most (named so)"}},
	{"member of a union by use", `struct large { long a, b; char *c, *d; }; struct node { int kind; union { struct { long i; double d; char *text; unsigned flags; } number; struct { struct node **values; unsigned long len; } array; } u; }; int f(struct node *n, struct large *l, unsigned long i) { return l->a == l->b ? 0 : i < n->u.array.len ? n->u.array.values[i]->kind : l->c[0]; }`,
		[]string{"n->u.array.values points to u.array.len elements of struct node *, 3 at most (named so)"}},
	{"array of pointers", `struct pool { unsigned index; int *blocks[32]; int sizes[32]; }; int f(struct pool *p) { return p->blocks[p->index] && p->sizes[p->index] ? *p->blocks[p->index] : 0; }`,
		[]string{"p->blocks[0] points to one int", "p->blocks[4] and the pointers behind it are null", "p->index < 32, the size of an array beside it"}},
	{"size of something else", `struct meta { const char *type; int version; unsigned node_count; int epoch, build; }; struct db { struct meta meta; unsigned index; int *block[32]; int size[32]; }; int f(struct db *d) { int n = 0; for (unsigned i = 0; i <= d->index; i++) n ^= d->size[i] && d->block[i] ? 1 : 0; return n ^ d->meta.type[0]; }`,
		[]string{"d->meta.type points to a string of any length", "d->index < 32, the size of an array beside it"}},
	{"string of a callback", `void free(void *); int f(char *(*get)(int)) { char *s = get(1); int n = 0; while (s[n]) n++; free(s); return n; }`, nil},
	{"a node that is looked for in a tree", `struct t { struct t *child, *next, *owner; }; int f(const struct t *t, const struct t *x) { if (!t || !x || !t->owner) return 0; if (t == x) return 1; for (t = t->child; t; t = t->next) if (f(t, x)) return 1; return 0; }`,
		[]string{"x is null, or is equal to t or t->child or t->next, or points to one struct t"}},
	{"an element of a list", `struct e { struct e *next; int x; }; struct l { struct e *first; long n[2]; }; static int g(struct l *l, struct e *e) { return l->first == e; } int f(struct l *l, struct e *e) { if (g(l, e)) l->first = e->next; e->next = 0; return l->n[0] & 1; }`,
		[]string{"e is equal to l->first, or points to one struct e"}},
	{"copied unless it is the same", `struct p { int x, y; }; void f(struct p *to, const struct p *from) { if (to != from) *to = *from; }`,
		[]string{"from is equal to to, or points to one struct p"}},
	{"nothing is compared", `struct e { struct e *next; int x; }; void f(struct e *a, struct e *b) { a->next = b; }`,
		[]string{"a points to one struct e", "b points to one struct e"}},
	{"count of references", `struct s { int refcount; int *v; }; int f(struct s *p) { return *p->v; }`, []string{"p->v points to one int"}},
}

func TestPlans(t *testing.T) {
	for _, p := range plans {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "f.c")
			if err := os.WriteFile(file, []byte(p.source), 0o644); err != nil {
				t.Fatal(err)
			}
			loaded, err := Load(t.Context(), Options{Files: []string{file}, Function: "f", Harness: harness.Variant{Infer: true}, FreeArguments: true})
			if err != nil {
				t.Fatal(err)
			}
			text := loaded.Harness.Text()
			for _, want := range p.want {
				if !slices.Contains(text, want) {
					t.Errorf("the harness does not say %q:\n%s", want, strings.Join(text, "\n"))
				}
			}
			ended := 0
			for seed := range 25 {
				outcome, err := interp.Run(t.Context(), loaded.Module, interp.Options{
					Oracle: interp.Random(uint64(seed)), MaxSteps: 20000,
					Observe: func(e interp.Event) {
						if e.Kind == interp.Violation {
							t.Errorf("seed %d: %v: %s", seed, e.Check, e.Text)
						}
					},
				})
				if err != nil {
					t.Fatal(err)
				}
				if outcome.End == interp.UnsupportedReached {
					t.Fatalf("seed %d: %v", seed, outcome)
				}
				ended++
			}
			if ended == 0 {
				t.Error("no run came to an end")
			}
		})
	}
}

// TestVariants: what easy harnesses leave out.
func TestVariants(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f.c")
	source := `struct s { int *v; unsigned len, pos; }; int f(struct s *p, int *q, int k) { return q ? p->v[p->pos] + k : 0; }`
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	v := harness.Variant{Infer: true, Generous: true, Ordinary: []string{"k"}}
	loaded, err := Load(t.Context(), Options{Files: []string{file}, Function: "f", Harness: v})
	if err != nil {
		t.Fatal(err)
	}
	if fact := loaded.Harness.Facts()[1]; fact.Name != "p->v" || !fact.Part() || fact.Pointer == nil || !fact.Pointer.Sized {
		t.Errorf("the fact about p->v: %+v", fact)
	}
	text := loaded.Harness.Text()
	for _, want := range []string{
		"p->v points to len elements of int, one at least (named so)", "p->pos < p->len", "q points to 65536 elements of int",
		"k is small (its absolute value is at most 1000)",
	} {
		if !slices.Contains(text, want) {
			t.Errorf("the harness does not say %q:\n%s", want, strings.Join(text, "\n"))
		}
	}
}

// TestProject: what a function reaches is taken from the files that define it, and digests change with what they are of.
func TestProject(t *testing.T) {
	folder := t.TempDir()
	unit := func(name, source string) *Unit {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
		u, err := Compile(t.Context(), Source{File: file}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	const second = "static int counter = 1;\nstatic int count(void) { return counter++; }\nint next(void) { return count(); }\nint other(void) { return count() + 1; }\n"
	a := unit("a.c", "int next(void); int other(void);\nstatic int g(int x) { return x + next(); }\nint f(int x) { return g(x) + other(); }\nint alone(void) { return 3; }\n")
	b := unit("b.c", second)
	p := NewProject([]*Unit{a, b})
	reached, err := p.Reach(Named{0, "f"})
	link, before := reached.Link, reached.Digests
	if err != nil || len(link) != 2 || !slices.Equal(link[0].Names, []string{"f"}) || !slices.Equal(link[1].Names, []string{"next", "other"}) {
		t.Fatalf("f reaches %v, %v", link, err)
	}
	loaded, err := Load(t.Context(), Options{Link: link, Function: "f", Harness: harness.Variant{Infer: true}})
	if err != nil {
		t.Fatal(err)
	}
	counters := 0
	for _, g := range loaded.Module.Globals {
		if g.CName == "counter" {
			counters++
		}
	}
	if counters != 1 {
		t.Errorf("there are %d counters", counters)
	}
	if loaded.Module.Entry == "" || slices.ContainsFunc(loaded.Notes, func(n Note) bool { return n.Kind == NoteUnknownFunction }) {
		t.Errorf("a function has no body: %v", loaded.Notes)
	}
	alone, _ := p.Reach(Named{0, "alone"})
	if g, err := p.Reach(Named{0, "g"}); err != nil {
		t.Error(err)
	} else if _, err := Load(t.Context(), Options{Link: g.Link, Function: "g", Harness: harness.Variant{Infer: true}}); err != nil {
		t.Errorf("a static function: %v", err)
	}
	changed := NewProject([]*Unit{a, unit("b.c", strings.Replace(second, "counter = 1", "counter = 2", 1))})
	if after, _ := changed.Reach(Named{0, "f"}); slices.Equal(before, after.Digests) {
		t.Error("a static object that is reached has changed, and the digests have not")
	}
	if after, _ := changed.Reach(Named{0, "alone"}); !slices.Equal(alone.Digests, after.Digests) {
		t.Error("nothing that is reached has changed, and the digests have")
	}
	same := NewProject([]*Unit{a, unit("b.c", second+"// more\n")})
	if after, _ := same.Reach(Named{0, "f"}); !slices.Equal(before, after.Digests) {
		t.Error("a comment changes the digests")
	}
}

// TestOpaque: a structure that its file only declares is what another file defines, wherever it is reached from, unless two define it differently.
func TestOpaque(t *testing.T) {
	folder := t.TempDir()
	unit := func(name, source string) *Unit {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
		u, err := Compile(t.Context(), Source{File: file}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	use := unit("use.c", "struct list; int size(struct list *); int more(int);\nstruct iter { struct list *l; int at; };\nint f(struct iter *i, struct list **all) { return size(i->l) + size(all[0]) + more(i->at); }\n")
	list := unit("list.c", "struct list { struct list *next; int n, items[8]; };\nint size(struct list *l) { return l->next ? 2 : l->n & 7; }\n")
	const plain, other = "int more(int x) { return x & 1; }\n", "struct list { char c; };\nstatic int g(struct list *l) { return l->c & 1; }\nint more(int x) { struct list l = {(char)x}; return g(&l); }\n"
	for _, x := range []struct {
		more string
		want bool
	}{{plain, true}, {other, false}} {
		r, err := NewProject([]*Unit{use, list, unit("more.c", x.more)}).Reach(Named{0, "f"})
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := Load(t.Context(), Options{Link: r.Link, Function: "f", Harness: harness.Variant{Infer: true}})
		if err != nil {
			t.Fatal(err)
		}
		sizes := map[string]uint64{}
		for _, fact := range loaded.Harness.Facts() {
			if p := fact.Pointer; p != nil && p.Object != nil {
				sizes[fact.Name] = p.Object.Size
				if fact.Name == "i->l" && p.Unknown() == x.want {
					t.Errorf("i->l is known: %v", !p.Unknown())
				}
			}
		}
		if x.want && (sizes["i->l"] != 48 || sizes["all->*"] != 48) || sizes["i"] != 16 {
			t.Errorf("bytes behind arguments: %v", sizes)
		}
	}
}
