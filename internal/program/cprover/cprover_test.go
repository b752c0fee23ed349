package cprover

import (
	"errors"
	"strings"
	"testing"
)

// TestUnchanged: what has nothing of CBMC stays as it is.
func TestUnchanged(t *testing.T) {
	for _, s := range []string{
		"", "int x;", "# 1 \"f.c\"\nint f(int a) { return a >= 1 ? a : -a; }\n", "char *s = \"a ==> b\"; /* ==> */ char c = '\\'';\n",
		"struct s { int a[3]; } v = { { 1, 2, 3 } };\nint g(void) { for (int i = 0; i < 3; i++) if (v.a[i]) break; else continue; do { } while (0); return 0; }\n",
		"int unfinished(int a { (\n", "#pragma pack(1)\nint y;\n", "a >>= 1.5e+3 + 0x1p-3 + L'x' + u8\"é\";",
	} {
		r, err := Translate(s, Options{Entry: "f", UseContracts: true})
		if err != nil || strings.TrimSuffix(r.Text, "\n") != strings.TrimSuffix(s, "\n") {
			t.Errorf("%q becomes %q, %v", s, r.Text, err)
		}
	}
}

// TestTranslate has parts of translations.
func TestTranslate(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"implication":         {"int g = (a ==> b || c);", "(!(a) || ( b || c))"},
		"right":               {"int g = (a ==> b ==> c);", "(!(a) || ( (!( b) || ( c))))"},
		"weaker than or":      {"int g = (x || a ==> b);", "(!(x || a) || ( b))"},
		"stronger than ?":     {"int g = a ? b ==> c : d;", "a ? (!( b) || ( c)) : d"},
		"operands of a comma": {"int g = f(a, b ==> c, d);", "f(a, (!( b) || ( c)), d)"},
		"inside":              {"int g = (p->x == (a ==> b));", "(p->x == ( (!(a) || ( b))))"},
		"equivalence":         {"int g = (a <==> b);", "(!(a) == !( b))"},
		"while":               {"void f(int n) { while (n > 0) __CPROVER_loop_invariant(n >= 0) __CPROVER_assigns(n) n--; }", `while (__CPROVER_assert(n >= 0, "loop invariant n >= 0"), (n > 0)) n--;`},
		"for":                 {"void f(int n) { for (;;) __CPROVER_loop_invariant(n) { } }", `for (;__CPROVER_assert(n, "loop invariant n"), (1);) { }`},
		"do":                  {"void f(int n) { do n--; while (n) __CPROVER_loop_invariant(n); }", `do {__CPROVER_assert(n, "loop invariant n"), 0; n--;} while (n);`},
		"entry of a loop":     {"void f(int n) { while (n) __CPROVER_loop_invariant(n <= __CPROVER_loop_entry(n)) { n--; } n = 1; }", `{ __typeof__(n) cprover_old_1 = (n); while (__CPROVER_assert(n <= cprover_old_1, `},
		"contract ignored":    {"int f(int a) __CPROVER_requires(a > 0);\nint g;", "int f(int a);\nint g;"},
		"one argument":        {"void f(int *p) { __CPROVER_assert(__CPROVER_r_ok(p), \"\"); }", "__CPROVER_r_ok((const void *)(p), sizeof *(p))"},
		"uninterpreted":       {"int __CPROVER_uninterpreted_f(int, char *);", "__attribute__((weak)) int __CPROVER_uninterpreted_f(int a0, char * a1) {"},
	} {
		r, err := Translate(c.source, Options{Entry: "main"})
		if err != nil || !strings.Contains(r.Text, c.want) {
			t.Errorf("%s: %v, %q is not in\n%s", name, err, c.want, r.Text)
		}
	}
}

// TestWrong has what cannot be translated, with the line.
func TestWrong(t *testing.T) {
	for source, want := range map[string]string{
		"int g =\n __CPROVER_forall { int i; i != 3 };":                          "line 2: the quantifier over i has no bounds",
		"int g = __CPROVER_forall { int i; (0 <= i || i < n) ==> a[i] };":        "no bounds",
		"int g = __CPROVER_exists { 3 };":                                        "needs a variable",
		"\n\nint f(int) __CPROVER_requires(1);\nint main() { return f(1); }":     "line 3: a parameter of a function with a contract has no name",
		"int g = __CPROVER_forall { int i; (i < n && i < i + 1) ==> a[i] == 0 }": "no bounds",
	} {
		_, err := Translate(source, Options{UseContracts: true})
		var wrong *Error
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", source, err, want)
		}
	}
}

// FuzzTranslate: whatever comes in, no panic, and the lines of the program stay.
func FuzzTranslate(f *testing.F) {
	f.Add("int f(int a) __CPROVER_requires(a ==> 1)\n__CPROVER_ensures(__CPROVER_old(a)) { while (a)\n __CPROVER_loop_invariant(a) a--; }")
	f.Add("int main() { __CPROVER_assume(__CPROVER_exists { unsigned i;\n i < 3 && a[i] }); }")
	f.Add("do while __CPROVER_r_ok( ==> } {")
	f.Fuzz(func(t *testing.T, s string) {
		if strings.Contains(s, "#") {
			return
		}
		r, err := Translate(s, Options{Entry: "f"})
		if err != nil {
			return
		}
		text := r.Text
		if strings.HasPrefix(text, "# 1 \"<CBMC>\"") {
			text = strings.SplitN(text, "\n", 3)[2]
		}
		if got, want := strings.Count(text, "\n"), strings.Count(s, "\n"); got < want {
			t.Errorf("%d lines become %d:\n%s\nbecomes\n%s", want, got, s, text)
		}
	})
}
