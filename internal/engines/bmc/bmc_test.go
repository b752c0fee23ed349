package bmc

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"assay/internal/certify/accept"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// counting is a program that counts up to an input n below a limit, and asserts a condition
// of the counter i at the end.
func counting(limit int, condition string) string {
	return fmt.Sprintf(`module 64 entry @main
func @main() {
entry:
  %%n = nondet i8 input "n"
  %%small = ult i1 %%n, i8 %d
  assume %%small
  br head
head:
  %%i = phi i8 [i8 0, entry], [%%j, body]
  %%more = ult i1 %%i, %%n
  condbr %%more, body, exit
body:
  %%j = add i8 %%i, i8 1
  br head
exit:
  %%ok = %s
  check assertion %%ok "i"
  halt exit
}
`, limit, condition)
}

// describe is an answer in a few words.
func describe(v verdict.Verdict) string {
	switch v := v.(type) {
	case verdict.True:
		c, ok := v.Certificate.(*verdict.Unwinding)
		if !ok {
			return fmt.Sprintf("true by %T", v.Certificate)
		}
		for _, b := range c.Bounds {
			return fmt.Sprintf("true, %d times", b.N)
		}
		return "true, no loop"
	case verdict.False:
		return "false(" + v.Violation.Text + ")"
	case verdict.Unknown:
		return "unknown: " + v.Reasons[0].Text
	}
	return fmt.Sprintf("%T", v)
}

// TestRun has what is proved, refuted and given up, by each solver.
func TestRun(t *testing.T) {
	for _, c := range []struct {
		name, program string
		unwind        int
		want          string // a prefix
	}{
		{"all inputs", counting(5, "eq i1 %i, %n"), 0, "true, 4 times"},
		{"one input too many", counting(6, "ne i1 %i, i8 5"), 0, "false(i)"},
		{"none of the inputs", counting(5, "ne i1 %i, i8 5"), 0, "true, 4 times"},
		{"not deep enough", counting(200, "ne i1 %i, i8 150"), 3, "unknown: "},
		{"no run", counting(0, "ne i1 %i, %i"), 0, "true, no loop"},
	} {
		m, err := ir.Parse(c.program)
		if err != nil {
			t.Fatal(err)
		}
		for _, solver := range []string{"cadical", "z3", "both"} {
			r := Run(t.Context(), m, Options{Targets: []ir.CheckKind{ir.Assertion}, Solver: solver, Unwind: c.unwind, Accept: accept.Program})
			if got := describe(r.Verdict); !strings.HasPrefix(got, c.want) {
				t.Errorf("%s, %s: %s, want %s", c.name, solver, got, c.want)
			}
		}
	}
}

// TestRefused: a proof that nobody accepts is no answer.
func TestRefused(t *testing.T) {
	m, err := ir.Parse(counting(5, "eq i1 %i, %n"))
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	refuse := func(_ context.Context, c *verdict.Claim) (string, error) {
		asked++
		if u, ok := c.Evidence.(*verdict.Unwinding); !ok || c.Program != m || len(u.Bounds) != 1 || c.Solver != verdict.CaDiCaL {
			t.Errorf("the claim is %+v", c)
		}
		return "", &verdict.Refused{Err: fmt.Errorf("not today")}
	}
	r := Run(t.Context(), m, Options{Targets: []ir.CheckKind{ir.Assertion}, Accept: refuse})
	if got := describe(r.Verdict); asked == 0 || !strings.HasPrefix(got, "unknown: ") {
		t.Errorf("%s, asked %d times", got, asked)
	}
}

// TestAll decides two checks on their own.
func TestAll(t *testing.T) {
	m, err := ir.Parse(strings.Replace(counting(6, "ne i1 %i, i8 5"), "  halt", "  %same = eq i1 %i, %n\n  check assertion %same \"same\"\n  halt", 1))
	if err != nil {
		t.Fatal(err)
	}
	r := Run(t.Context(), m, Options{Targets: []ir.CheckKind{ir.Assertion}, All: true, Accept: accept.Program})
	var got []string
	for _, c := range r.Checks {
		got = append(got, c.Guard.Text+": "+describe(c.Verdict))
	}
	if text := strings.Join(got, ", "); text != "same: true, 5 times, i: false(i)" {
		t.Error(text)
	}
	if _, isFalse := r.Verdict.(verdict.False); !isFalse {
		t.Error(describe(r.Verdict))
	}
}

// hard is a program with an assertion that no limit on conflicts decides at once, between
// one that holds and one that does not.
const hard = `module 64 entry @main
func @main() {
entry:
  %a = nondet i32 input "a"
  %b = nondet i32 input "b"
  %c = nondet i32 input "c"
  %ab = mul i32 %a, %b
  %abc = mul i32 %ab, %c
  %bc = mul i32 %b, %c
  %bca = mul i32 %bc, %c
  %bcaa = mul i32 %bca, %abc
  %cab = mul i32 %c, %abc
  %cabb = mul i32 %cab, %bc
  %small = ult i1 %a, i32 10
  %x = xor i32 %a, %b
  %y = and i32 %a, %b
  %yy = add i32 %y, %y
  %sum = add i32 %x, %yy
  %plain = add i32 %a, %b
  %always = eq i1 %sum, %plain
  check assertion %always "easy"
  %same = eq i1 %bcaa, %cabb
  check assertion %same "hard"
  check assertion %small "wrong"
  halt exit
}
`

// TestHard: a check that is too hard for the time is no obstacle for the others; they are
// told as soon as they are decided.
func TestHard(t *testing.T) {
	m, err := ir.Parse(hard)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	told := map[string]string{}
	r := Run(ctx, m, Options{Targets: []ir.CheckKind{ir.Assertion}, All: true, Accept: accept.Program, Decided: func(cs []CheckResult) {
		for _, c := range cs {
			told[c.Guard.Text] = describe(c.Verdict)
		}
		if len(told) > 1 {
			cancel() // the hard one takes minutes
		}
	}})
	if told["easy"] != "true, no loop" || told["wrong"] != "false(wrong)" {
		t.Errorf("told %v", told)
	}
	for _, c := range r.Checks {
		if _, isUnknown := c.Verdict.(verdict.Unknown); isUnknown != (c.Guard.Text == "hard") {
			t.Errorf("%s: %s", c.Guard.Text, describe(c.Verdict))
		}
	}
	if len(r.Checks) != 3 {
		t.Errorf("%d checks", len(r.Checks))
	}
}

// TestRepeats: a loop in which nothing changes is not unwound for ever.
func TestRepeats(t *testing.T) {
	const waits = `module 64 entry @main
func @main() {
entry:
  %n = nondet i8 input "n"
  br head
head:
  %more = ult i1 %n, i8 7
  condbr %more, head, exit
exit:
  halt exit
}
`
	m, err := ir.Parse(waits)
	if err != nil {
		t.Fatal(err)
	}
	r := Run(t.Context(), m, Options{Targets: []ir.CheckKind{ir.Assertion}})
	if got := describe(r.Verdict); !strings.Contains(got, "brought nothing new") {
		t.Error(got)
	}
}
