package assay

import (
	"fmt"
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
		"char *q = malloc(8); if (!q) return 0;\nchar *p = q + 9;\np--;\nreturn *p;":                "6 q, the start of the block; 7 p, computed from q; 8 p, computed from p",
		"struct s s = {malloc(2), 2}, *r = &s; if (!s.at) return 0;\nchar *p = s.at;\nreturn p[2];": "6 s.at, the start of the block",
		"char a[3] = {0};\nchar *p = skip(a);\nreturn *p;":                                          "7 p, returned by skip",
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
