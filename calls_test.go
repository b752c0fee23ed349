package assay

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestCalls: a call through a pointer that points to no function is an invalid
// access; what a function of another type does is not known.
func TestCalls(t *testing.T) {
	for _, c := range []struct {
		name, body string
		property   Property
		want       Answer
	}{
		{"null in the heap", "struct S *s = calloc(1, sizeof *s); int r = s->f(1); free(s); return r;", ValidDeref, False},
		{"null", "int (*p)(int) = 0; return p(1);", ValidDeref, False},
		{"perhaps null", "int (*p)(int) = n ? one : 0; return p(1);", ValidDeref, False},
		{"perhaps null, tested", "int (*p)(int) = n ? one : 0; return p ? p(1) : 0;", ValidDeref, True},
		{"table", "int (*t[2])(int) = {one, one}; return t[n & 1](1);", ValidDeref, True},
		{"table with a hole", "int (*t[3])(int) = {one, one}; return t[n & 3 ? 2 : 0](1);", ValidDeref, False},
		{"in a freed block", "struct S *s = malloc(sizeof *s); s->f = one; free(s); return s->f(1);", ValidDeref, False},
		{"freed block as function", "int *x = malloc(4); int (*p)(int) = (int (*)(int))x; free(x); return p(1);", ValidDeref, False},
		{"data", "int (*p)(int) = (int (*)(int))&global; return p(1);", ValidDeref, False},
		{"into a function", "int (*p)(int) = (int (*)(int))((char *)one + 1); return p(1);", ValidDeref, False},
		{"a number", "int (*p)(int) = (int (*)(int))(unsigned long)n; return p(1);", ValidDeref, False},
		{"its number", "unsigned long u = (unsigned long)one; return ((int (*)(int))u)(1);", ValidDeref, True},
		{"null changes nothing", "int (*p)(int) = 0; global = 3; p(1); if (global != 3) reach_error();", UnreachCall, True},

		{"another type", "int (*p)(int) = n ? one : (int (*)(int))two; if (p(1) != 1) reach_error();", UnreachCall, Unknown},
		{"another type, changes", "int (*volatile p)(int) = n ? one : (int (*)(int))set; p(1); if (global) reach_error();", UnreachCall, Unknown},
		{"another type, elsewhere", "int (*volatile p)(int) = n ? one : (int (*)(int))set; if (n == 5) reach_error(); p(1);", UnreachCall, False},
		{"another type, also without", "int (*volatile p)(int) = n ? one : (int (*)(int))set; if (p(1) == 1) reach_error();", UnreachCall, False},
		{"another type by name", "int (*p)(int) = (int (*)(int))set; p(1); if (global) reach_error();", UnreachCall, False},
		{"missing argument", "if (((int (*)(void))one)()) reach_error();", UnreachCall, Unknown},
		{"ignored result", "void (*p)(int) = n ? (void (*)(int))one : (void (*)(int))one; p(1);", ValidDeref, True},
	} {
		file := filepath.Join(t.TempDir(), "f.c")
		text := "#include <stdlib.h>\nextern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nint global;\n" +
			"int one(int x) { return x; }\nlong two(long x) { return x; }\nvoid set(void) { global = 1; }\nstruct S { int (*f)(int); };\n" +
			"int main(void) {\n  int n = __VERIFIER_nondet_int();\n  " + c.body + "\n  return 0;\n}\n"
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := Check(t.Context(), Task{Files: []string{file}, Properties: []Property{c.property}, Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if r.Answer != c.want {
			t.Errorf("%s: %s, want %v; %v", c.name, r.Line(), c.want, r.Reasons)
		}
	}
}
