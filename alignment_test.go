package assay

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestAlignment: with CheckAlignment a misaligned access is invalid, wherever the
// object is, and one that its type allows is not.
func TestAlignment(t *testing.T) {
	for _, c := range []struct {
		name, body string
		check      bool
		want       Answer
	}{
		{"odd offset", "char *b = malloc(16); *(int *)(b + 5) = 1; free(b);", true, False},
		{"odd offset, not asked", "char *b = malloc(16); *(int *)(b + 5) = 1; free(b);", false, True},
		{"aligned offset", "char *b = malloc(16); *(int *)(b + 8) = 1; free(b);", true, True},
		{"char array", "static char b[8]; int *p = (int *)(b + 1); *p = 1;", true, False},
		{"packed", "struct __attribute__((packed)) { char c; int x; } s[2]; s[1].x = 1;", true, True},

		// Locals that could be promoted.
		{"local array", "long b[2] = {0}; int *p = (int *)((char *)b + 1); return *p;", true, False},
		{"local array, not asked", "long b[2] = {0}; int *p = (int *)((char *)b + 1); return *p;", false, True},
		{"local array, aligned", "long b[2] = {0}; int *p = (int *)((char *)b + 4); return *p;", true, True},
		{"local array, write", "long b[2]; *(short *)((char *)b + 3) = 1;", true, False},
		{"local array, element", "int a[4]; for (int i = 0; i < 4; i++) a[i] = i; return a[3];", true, True},
		{"member", "struct S { char c; char d[7]; } s = {0}; short *p = (short *)s.d; return *p;", true, False},
		{"scalar", "long x = 0; char *p = (char *)&x + 2; return *(int *)p;", true, False},
		{"double", "double d[2] = {0}; double *p = (double *)((char *)d + 4); return *p > 0;", true, False},
		{"pointer", "void *a[2] = {0}; void **p = (void **)((char *)a + 1); return *p != 0;", true, False},

		// clang marks these accesses with the alignment of the object.
		{"cast of a member", "struct S { char c; char d[7]; } s = {0}; return *(short *)s.d;", true, False},
		{"cast of an element", "long b[2] = {0}; char *q = (char *)b; return *(short *)&q[1];", true, False},
		{"cast of an element, direct", "struct { long n; char c[8]; } s = {0}; return *(int *)&s.c[2];", true, False},
		{"cast of an element, aligned", "struct { long n; char c[8]; } s = {0}; return *(int *)&s.c[4];", true, True},
		{"cast of a struct", "struct { short h; struct { char c[4]; } t; } s = {0}; return *(int *)&s.t;", true, False},
		{"through a typedef", "typedef int any __attribute__((aligned(1))); struct { char c; char d[7]; } s = {0}; return *(any *)s.d;", true, Unknown},
		{"typedef and pointer", "typedef int any __attribute__((aligned(1))); struct { char c; char d[7]; } s = {0}; any *p = (any *)s.d; return *p;", true, True},

		// Structs: copies, registers, arguments by value, first members.
		{"struct copy", "struct T { int x, y; } t; long b[2] = {0}; t = *(struct T *)((char *)b + 2); return t.x;", true, False},
		{"struct copy, aligned", "struct T { int x, y; } t; long b[2] = {0}; t = *(struct T *)((char *)b + 4); return t.x;", true, True},
		{"struct copy, direct", "struct T { int x, y; } t; struct { char c; char d[8]; } s = {0}; t = *(struct T *)s.d; return t.x;", true, False},
		{"struct copy, both direct", "struct T { int x, y; }; struct { char c; char d[8]; } s = {0}, r; *(struct T *)r.d = *(struct T *)s.d; return r.c;", true, Unknown},
		{"struct result", "struct P p[2]; p[1] = swap(p[0]); struct L { long a, b; char c; } l = {1}, k = l; return k.a;", true, True},
		{"copy of chars", "struct T { char c[7]; } a = {0}, b; b = a; return b.c[3];", true, True},
		{"struct in registers", "struct P p = {1, 2}; p = swap(p); return p.x;", true, True},
		{"struct on the stack", "long b[8] = {0}; return sum(*(struct Q *)((char *)b + 1));", true, False},
		{"first member", "static struct { struct { int a, b; } first; int z; } g; struct { int a, b; } *p = (void *)&g.first; return g.first.a + p->b;", true, True},
		{"bit-field", "struct { char c; unsigned b : 20; unsigned d : 3; } s = {0}; s.b = 5; return s.d;", true, True},
		{"union", "union { char c[6]; short h; double d; } u; u.d = 0; u.h = 3; return u.c[1];", true, True},
		{"atomic", "long b[2] = {0}; return __atomic_load_n((int *)((char *)b + 2), __ATOMIC_SEQ_CST);", true, False},
		{"atomic addition", "long b[2] = {0}; int *p = (int *)((char *)b + 2); return __atomic_fetch_add(p, 1, __ATOMIC_SEQ_CST);", true, False},
		{"parameter", "long b[2] = {0}; return get((int *)((char *)b + 2));", true, False},
	} {
		file := filepath.Join(t.TempDir(), "f.c")
		text := "#include <stdlib.h>\n" +
			"struct P { short x, y; };\nstruct P swap(struct P p) { struct P q = {p.y, p.x}; return q; }\n" +
			"struct Q { int n[9]; };\nint sum(struct Q q) { return q.n[0] + q.n[8]; }\n" +
			"int get(int *p) { return *p; }\n" +
			"int main(void) {\n  " + c.body + "\n  return 0;\n}\n"
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := Check(t.Context(), Task{Files: []string{file}, Properties: []Property{ValidDeref}, Timeout: time.Minute, Program: Program{CheckAlignment: c.check}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Answer != c.want {
			t.Errorf("%s: %s, want %v; %v", c.name, r.Line(), c.want, r.Reasons)
		}
	}
}
