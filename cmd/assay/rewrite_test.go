package main

import (
	"strings"
	"testing"
)

// TestRewrite rewrites a program, which is then proved, and looks at messages.
func TestRewrite(t *testing.T) {
	t.Parallel()
	const text = `void reach_error(void);
int __VERIFIER_nondet_int(void);
int main(void) {
	int x = __VERIFIER_nondet_int();
	if (x >= 0 && (x & 7) > 7) reach_error();
	return 0;
}
`
	file := write(t, "f.c", text)
	for _, flags := range [][]string{nil, {"--weaken"}, {"--weaken", "-m32"}} {
		o := invoke(t, append([]string{"rewrite", "--bitwise", file}, flags...)...)
		if o.code != 0 || strings.Contains(o.stdout, "(x & 7)") || !strings.Contains(o.stdout, "assay_and_int_7(x, 7)") {
			t.Fatalf("%v: %d\n%s%s", flags, o.code, o.stdout, o.stderr)
		}
		if v := invoke(t, "check", write(t, "g.c", o.stdout)); v.last() != "RESULT: true" {
			t.Errorf("%v: %s\n%s", flags, v.stdout, o.stdout)
		}
	}
	for _, c := range []struct {
		want string
		args []string
	}{
		{"what is to be rewritten", []string{file}},
		{"no such file", []string{"--bitwise", file + "x"}},
		{"expected", []string{"--bitwise", write(t, "h.c", "int f(int x) { return x & ; }\n")}},
	} {
		if o := invoke(t, append([]string{"rewrite"}, c.args...)...); o.code != exitInput || !strings.Contains(o.stderr, c.want) {
			t.Errorf("%v: %d %s", c.args, o.code, o.stderr)
		}
	}
}
