package main

import (
	"encoding/json"
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

// TestRewriteLinear rewrites a condition, and looks at both forms of the table.
func TestRewriteLinear(t *testing.T) {
	t.Parallel()
	file := write(t, "f.c", `int nondet(void);
int main(void) {
	int i = 0, s = 0, k = nondet();
	while (i * i <= k) {
		s = s + 2 * i + 1;
		i = i + 1;
	}
	return s;
}
`)
	o := invoke(t, "rewrite", "--linear", file)
	if o.code != 0 || !strings.Contains(o.stdout, "while (s <= k) {") || !strings.Contains(o.stderr, "b_neg  s > k") || !strings.Contains(o.stderr, "1 of 1 conditions") {
		t.Errorf("%d\n%s%s", o.code, o.stdout, o.stderr)
	}
	o = invoke(t, "rewrite", "--linear", "--json", file)
	var table struct {
		Semantics  string
		Conditions []struct {
			Line    int
			Pos     string `json:"b_pos"`
			Because []string
		}
	}
	if err := json.Unmarshal([]byte(o.stderr), &table); err != nil || table.Semantics != "integers" || len(table.Conditions) != 1 ||
		table.Conditions[0].Line != 4 || table.Conditions[0].Pos != "s <= k" || len(table.Conditions[0].Because) != 1 {
		t.Errorf("%v %+v\n%s", err, table, o.stderr)
	}
	if o := invoke(t, "rewrite", "--linear", "--bitwise", file); o.code != exitInput || !strings.Contains(o.stderr, "Either --bitwise or --linear") {
		t.Errorf("%d %s", o.code, o.stderr)
	}
}
