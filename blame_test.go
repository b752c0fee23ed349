package assay

import (
	"strings"
	"testing"
)

// TestBlame: an invalid access names the object, the operand, and where a block was freed.
func TestBlame(t *testing.T) {
	const head = "#include <stdlib.h>\n#include <string.h>\nchar *f(void) { char l[4]; char *p = l; return p; }\nstruct s { int a, b; } *g, h;\n"
	for body, want := range map[string]string{
		"char *p = f(); return *p;":                            "the pointer points into l, a local of f, 4 bytes, which has gone out of scope",
		"g = malloc(8); free(g);\nreturn g->b;":                "into a heap block of 8 bytes allocated at f.c:5, which was freed at f.c:5:",
		"char b[3]; strcpy(b, \"abc\"); return b[0];":          "in strcpy: invalid write of 1 bytes, the pointer is at the end of b, a local of main, 3 bytes",
		"int a[4]; memset(a, 0, 17); return a[0];":             "of 17 bytes, the pointer is at byte 0 of a, a local of main, 16 bytes, only 16 bytes before its end",
		"char b[4], s[2] = {1}; memcpy(b, s, 4); return b[0];": "of 4 bytes, the source is at byte 0 of s, a local of main, 2 bytes",
		"char b[1], s[2] = {1}; memcpy(b, s, 2); return b[0];": "of 2 bytes, the destination is at byte 0 of b, a local of main, 1 byte, only 1 byte before its end",
		"int *p = &h.a; return p[7];":                          "the pointer is 20 bytes past the end of h, 8 bytes",
		"return g->b;":                                         "the pointer is an offset from null",
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
