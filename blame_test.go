package assay

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// TestBlame: an invalid access names the object, the operand, and where a block was freed.
func TestBlame(t *testing.T) {
	const head = "#include <stdlib.h>\n#include <string.h>\nchar *f(void) { char l[4]; char *p = l; return p; }\nstruct s { int a, b; } *g, h;\nint __VERIFIER_nondet_int(void);\n"
	for body, want := range map[string]string{
		"char *p = f(); return *p;":                                                                     "the pointer is at l[0] in l, a local of f, 4 bytes, which has gone out of scope",
		"g = malloc(8); free(g);\nreturn g->b;":                                                         "the pointer is at g->b in a heap block of 8 bytes allocated at f.c:6:22, which was freed at f.c:6:",
		"char b[3]; strcpy(b, \"abc\"); return b[0];":                                                   "in strcpy: invalid write of 1 byte, the pointer is at b[3], at the end of b, a local of main, 3 bytes",
		"int a[4]; memset(a, 0, 17); return a[0];":                                                      "of 17 bytes, the pointer is at byte 0 of a, a local of main, 16 bytes, only 16 bytes before its end",
		"char b[4], s[2] = {1}; memcpy(b, s, 4); return b[0];":                                          "of 4 bytes, the source is at byte 0 of s, a local of main, 2 bytes",
		"char b[1], s[2] = {1}; memcpy(b, s, 2); return b[0];":                                          "of 2 bytes, the destination is at byte 0 of b, a local of main, 1 byte, only 1 byte before its end",
		"char a[2], b[4] = {1, 1}; return memcmp(b, memset(a, 1, 2), 3);":                               "in memcmp: invalid read of 1 byte, the pointer is at a[2], at the end of a, a local of main, 2 bytes",
		"int *p = &h.a; return p[7];":                                                                   "the pointer is at p[7], 20 bytes past the end of h, 8 bytes",
		"return g->b;":                                                                                  "the pointer is an offset from null, the value of g",
		"struct s *p = calloc(2, 8); if (!p) return 0;\nint n = p[2].b; free(p); return n;":             "the pointer is at p[2].b, 4 bytes past the end of a heap block of 16 bytes",
		"struct n { int v; struct n *next; } *p = calloc(1, 16); if (!p) return 0;\nreturn p->next->v;": "the pointer is null, the value of p->next",
		"struct n { int v; struct n *next; } a, b; a.next = &b; b.next = calloc(1, 16); if (!b.next) return 0;\nfree(b.next); return a.next->next->v;": "the pointer is at b.next->v in a heap block of 16 bytes",
		"char *p = 0; int n = __VERIFIER_nondet_int();\nfor (int i = 0; i < 2; i++) { if (i == 1) *p = 1; p += n; } return 0;":                         "invalid write of 1 byte, the pointer is null",
	} {
		r := asking(t, head+"int main(void) { "+body+" }\n", false, ValidDeref)
		if r.Answer != False {
			t.Errorf("%s: %s", body, r.Line())
			continue
		}
		text := strings.ReplaceAll(r.Violation.Text, r.Violation.Pos.File, "f.c")
		if !strings.Contains(text, want) {
			t.Errorf("%s: %q, want %q", body, text, want)
		}
	}
}

// TestHistory: the history of the pointer of a violation is the steps that gave it to variables, the earliest first.
func TestHistory(t *testing.T) {
	const head = "#include <stdlib.h>\nstruct s { char *at; int n; };\nstatic char *skip(char *p) {\nreturn p + 3;\n}\n"
	for body, want := range map[string]string{
		"char *q = malloc(8); if (!q) return 0;\nchar *p = q + 9;\np--;\nreturn *p;":                               "6 q, the start of the block; 7 p, computed from q; 8 p, computed from p",
		"struct s s = {malloc(2), 2}, *r = &s; if (!s.at) return 0;\nchar *p = s.at;\nreturn p[2];":                "6 s.at, the start of the block",
		"char a[3] = {0};\nchar *p = skip(a);\nreturn *p;":                                                         "7 p, returned by skip",
		"struct s *q = malloc(sizeof *q); if (!q) return 0;\nq->at = 0;\nreturn *q->at;":                           "7 stored in q->at; 8 read from q->at",
		"struct s *q = malloc(sizeof *q), c = {(char *)1}; if (!q) return 0;\nq->at = 0;\n*q = c;\nreturn *q->at;": "9 read from q->at", // not by that store
	} {
		r := asking(t, head+"int main(void) { "+body+" }\n", false, ValidDeref)
		var last Step
		if err := r.Trace(t.Context(), func(s Step) error { last = s; return nil }); err != nil {
			t.Errorf("%s: %s: %v", body, r.Line(), err)
			continue
		}
		var got []string
		for _, o := range last.History {
			got = append(got, fmt.Sprintf("%d %s", o.Pos.Line, o.Text))
		}
		if text := strings.Join(got, "; "); text != want {
			t.Errorf("%s: %q, want %q", body, text, want)
		}
	}
}

// TestStores: what stores through pointers and by an index change is a step, with the name of the cell in the function that
// is shown; what the record of a variable tells is not told twice.
func TestStores(t *testing.T) {
	const head = "void reach_error(void);\nstruct s { int n; int *p; } g;\nstatic void set(struct s *s, int v) {\ns->n = v;\n*s->p = v + 1;\n}\n"
	address := regexp.MustCompile("0x[0-9a-f]+")
	for body, want := range map[string]string{
		"int x = 0;\nstruct s s;\ns.p = &x;\nset(&s, 3);\nreach_error();":                                  "9 s.p = ADDRESS; 4 main::s.n = 3; 5 main::x = 4",
		"int a[3] = {0};\nfor (int i = 0; i < 3; i++)\na[i] = 2 * i;\nreach_error();":                      "9 a[0] = 0; 9 a[1] = 2; 9 a[2] = 4",
		"int x = 0, *p = &x;\n*p = 5;\nx = 7;\nstruct s *q = &g;\nq->n = -1;\nif (*p == 7) reach_error();": "11 g.n = -1",
	} {
		r := asking(t, head+"int main(void) { "+body+" }\n", false, UnreachCall)
		var got []string
		if err := r.Trace(t.Context(), func(s Step) error {
			if s.Kind == StepStore {
				got = append(got, fmt.Sprintf("%d %s = %s", s.Pos.Line, s.Var, address.ReplaceAllString(s.Value, "ADDRESS")))
			}
			return nil
		}); err != nil {
			t.Errorf("%s: %s: %v", body, r.Line(), err)
		}
		if text := strings.Join(got, "; "); text != want {
			t.Errorf("%s: %q, want %q", body, text, want)
		}
	}
}
