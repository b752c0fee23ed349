package trial

import (
	"strings"
	"testing"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// sums violates an assertion when the inputs before the first 0 sum up to more than 100.
const sums = `module 64 entry @main

func @main() {
entry:
  br head
head:
  %s = phi i32 [i32 0, entry], [%t, body]
  %x = nondet i32 input "x"
  %more = ne i1 %x, i32 0
  condbr %more, body, exit
body:
  %t = add i32 %s, %x
  br head
exit:
  %y = nondet i32 approximate "y"
  %few = ule i1 %s, i32 100
  check assertion %few "few"
  halt exit
}
`

// TestShorten makes five answers two, and the first as small as it may be; a run that depends
// on an over-approximated value stays as it is.
func TestShorten(t *testing.T) {
	t.Parallel()
	for _, approximate := range []bool{false, true} {
		text := sums
		if !approximate {
			text = replaceOnce(t, sums, `approximate "y"`, `input "y"`)
		}
		m, err := ir.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		f := m.Func("main")
		var xs, y ir.Value
		for v := range f.Values {
			if f.Values[v].Op == ir.Nondet {
				if f.Values[v].Sym == "x" {
					xs = ir.Value(v)
				} else {
					y = ir.Value(v)
				}
			}
		}
		var in ir.Input
		for _, n := range []uint64{50, 20, 1000, 7, 0} {
			in.Choices = append(in.Choices, ir.Choice{Func: "main", Value: xs, Bits: bv.New(32, n)})
		}
		in.Choices = append(in.Choices, ir.Choice{Func: "main", Value: y, Bits: bv.New(32, 9)})
		var found verdict.False
		stop := func(ev interp.Event) bool {
			g, ok := verdict.Broken(ev, "")
			found = verdict.False{Violation: g, Input: in}
			return ok
		}
		if _, err := interp.Run(t.Context(), m, interp.Options{Oracle: interp.Replay(in), StopAt: stop}); err != nil {
			t.Fatal(err)
		}
		short := Shorten(t.Context(), m, found, Options{Targets: []ir.CheckKind{ir.Assertion}})
		var got []uint64
		for _, c := range short.Input.Choices {
			got = append(got, c.Bits.Uint64())
		}
		if approximate {
			if len(got) != 6 {
				t.Errorf("a run that makes a choice that counts for nothing became %v", got)
			}
			continue
		}
		if len(got) != 3 || got[0] != 101 || got[1] != 0 || got[2] != 0 {
			t.Errorf("the input became %v, want 101 0 0", got)
		}
		if out, err := interp.Run(t.Context(), m, interp.Options{Oracle: interp.Replay(short.Input), StopAt: stop}); err != nil || out.End != interp.Stopped {
			t.Errorf("the short input ends with %v, %v", out, err)
		}
	}
}

func replaceOnce(t *testing.T, s, old, with string) string {
	t.Helper()
	before, after, ok := strings.Cut(s, old)
	if !ok {
		t.Fatalf("no %q", old)
	}
	return before + with + after
}
