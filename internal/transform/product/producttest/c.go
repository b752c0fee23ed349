package producttest

import (
	"fmt"
	"strings"
)

// Atoms are the atoms of ltltest that Rows has letters for, as C expressions of the program that C gives, with
// y as a local of main or not.
func Atoms(local bool) map[string]string {
	if local {
		return map[string]string{"a": "x == 1", "b": "main::y == 2"}
	}
	return map[string]string{"a": "x == 1", "b": "y == 2"}
}

// prelude declares what programs call.
const prelude = `extern unsigned char __VERIFIER_nondet_uchar(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int), __VERIFIER_ltl_step(void), reach_error(void), exit(int);
unsigned char x, %s;
void fx(unsigned char *p, unsigned char k) { if (x != k) x = (x + 1) & 3; }
void fy(unsigned char *p, unsigned char k) { if (*p != k) *p = (*p + 1) & 3; }
int main(void) {
`

// C is the program as C: each assignment is one write, that to a local y at the start apart.
func (p Program) C(local bool) string {
	var b strings.Builder
	if local {
		fmt.Fprintf(&b, prelude+"unsigned char y = 0;\n", "unused")
	} else {
		fmt.Fprintf(&b, prelude, "y")
	}
	for k, i := range p {
		v := string("xy"[i.global])
		var s string
		switch i.kind {
		case set:
			s = fmt.Sprintf("%s = %d;", v, i.number)
		case add:
			s = fmt.Sprintf("%[1]s = (%[1]s + 1) & 3;", v)
		case input:
			s = fmt.Sprintf("%s = __VERIFIER_nondet_uchar() & 3;", v)
		case test:
			s = fmt.Sprintf("if (%s == %d) goto at%d;", v, i.number, i.to)
		case choose:
			s = fmt.Sprintf("if (__VERIFIER_nondet_bool()) goto at%d;", i.to)
		case jump:
			s = fmt.Sprintf("goto at%d;", i.to)
		case assume:
			s = fmt.Sprintf("__VERIFIER_assume(%s != %d);", v, i.number)
		case assert:
			s = fmt.Sprintf("if (%s == %d) reach_error();", v, i.number)
		case exit:
			s = "exit(0);"
		case step:
			s = "__VERIFIER_ltl_step();"
		case call:
			s = fmt.Sprintf("f%s(&y, %d);", v, i.number)
		}
		fmt.Fprintf(&b, "at%d: %s\n", k, s)
	}
	end := "return 0;"
	if local {
		end = "exit(0);" // y lives on
	}
	fmt.Fprintf(&b, "at%d: %s\n}\n", len(p), end)
	return b.String()
}

// Configurations is the number of states that the program can be in.
func (p Program) Configurations(steps bool) int {
	seen := map[configuration]bool{{}: true}
	for work := []configuration{{}}; len(work) > 0; {
		c := work[len(work)-1]
		work = work[:len(work)-1]
		to, _, _ := p.next(c, steps)
		for _, d := range to {
			if !seen[d] {
				seen[d] = true
				work = append(work, d)
			}
		}
	}
	return len(seen)
}
