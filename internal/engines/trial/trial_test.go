package trial

import (
	"context"
	"slices"
	"strings"
	"testing"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// nested violates an assertion in the last of a million iterations.
const nested = `module 64 entry @main

func @main() {
entry:
  br outer
outer:
  %i = phi i32 [i32 0, entry], [%i2, done]
  %c = ult i1 %i, i32 1000
  condbr %c, inner, end
inner:
  %j = phi i32 [i32 0, outer], [%j2, body]
  %d = ult i1 %j, i32 1000
  condbr %d, body, done
body:
  %j2 = add i32 %j, i32 1
  %s = mul i32 %i, i32 1000
  %t = add i32 %s, %j
  %ok = ne i1 %t, i32 999999
  check assertion %ok "last"
  br inner
done:
  %i2 = add i32 %i, i32 1
  br outer
end:
  halt exit
}
`

// held violates an assertion when the input stays nonzero for 5000 rounds.
const held = `module 64 entry @main

func @main() {
entry:
  br head
head:
  %i = phi i32 [i32 0, entry], [%j, body]
  %x = nondet i32 input "x"
  %more = ne i1 %x, i32 0
  condbr %more, body, exit
body:
  %j = add i32 %i, i32 1
  br head
exit:
  %few = ult i1 %i, i32 5000
  check assertion %few "few"
  halt exit
}
`

// overflows violates an assertion, but an overflow first unless the input is 77.
const overflows = `module 64 entry @main

func @main() {
entry:
  %x = nondet i32 input "x"
  %is = eq i1 %x, i32 77
  condbr %is, end, over
over:
  check overflow i1 0 "overflow"
  br end
end:
  check assertion i1 0 "always"
  halt exit
}
`

// labelled violates an assertion behind a label.
const labelled = `module 64 entry @main

func @main() {
entry:
  label "ERROR"
  check assertion i1 0 "f"
  halt exit
}
`

// given has its violations behind a choice of the kind that replaces KIND.
const given = `module 64 entry @main

func @main() {
entry:
  %x = nondet i32 KIND "x"
  %ok = ne i1 %x, i32 0
  check assertion %ok "x"
  halt exit
}
`

func parse(t testing.TB, text string) *ir.Module {
	t.Helper()
	m, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSearch(t *testing.T) {
	kind := func(k string) string {
		return strings.Replace(given, "KIND", k, 1)
	}
	for _, c := range []struct {
		name, text string
		targets    []ir.CheckKind
		want       string // text of the violation, "" for none
		passes     int
	}{
		{"nested", nested, []ir.CheckKind{ir.Assertion}, "last", 0},
		{"nested, another property", nested, []ir.CheckKind{ir.Overflow}, "", 0},
		{"held", held, []ir.CheckKind{ir.Assertion}, "few", 0},
		{"behind an overflow, or not", overflows, []ir.CheckKind{ir.Assertion}, "always", 0},
		{"the overflow", overflows, []ir.CheckKind{ir.Overflow}, "overflow", 0},
		{"behind a label", labelled, []ir.CheckKind{ir.Assertion}, "f", 0},
		{"the label", labelled, []ir.CheckKind{ir.ErrorLabel}, "label ERROR", 0},
		{"input", kind("input"), []ir.CheckKind{ir.Assertion}, "x", 0},
		{"over-approximated", kind("approximate"), []ir.CheckKind{ir.Assertion}, "", 0},
		{"undefined", kind("undef"), []ir.CheckKind{ir.Assertion}, "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := parse(t, c.text)
			found, stats := Search(context.Background(), m, Options{Targets: c.targets})
			switch {
			case found == nil && c.want != "":
				t.Fatalf("nothing found: %+v", stats)
			case found == nil:
				return
			case found.Violation.Text != c.want:
				t.Fatalf("found %+v, want %q", found.Violation, c.want)
			}
			if len(found.Passes) != c.passes {
				t.Errorf("passes %v", found.Passes)
			}
			// The input repeats the run.
			var hit *verdict.Guard
			_, err := interp.Run(context.Background(), m, interp.Options{Oracle: interp.Replay(found.Input), StopAt: func(ev interp.Event) bool {
				g, ok := verdict.Broken(ev, "ERROR")
				if ok && slices.Contains(c.targets, g.Kind) {
					hit = &g
				}
				return hit != nil
			}})
			if err != nil || hit == nil || *hit != found.Violation {
				t.Errorf("the replay finds %v, %v", hit, err)
			}
		})
	}
}

// TestShortRunsEnd: a search whose runs have a few steps ends, too; what a run costs is mostly its beginning.
func TestShortRunsEnd(t *testing.T) {
	text := strings.NewReplacer("KIND", "input", "ne i1 %x, i32 0", "eq i1 %x, %x").Replace(given)
	found, stats := Search(context.Background(), parse(t, text), Options{Targets: []ir.CheckKind{ir.Assertion}})
	if found != nil || stats.Runs > 1<<16 {
		t.Fatalf("%+v after %+v", found, stats)
	}
}

func BenchmarkNested(b *testing.B) {
	m := parse(b, nested)
	for b.Loop() {
		if found, _ := Search(context.Background(), m, Options{Targets: []ir.CheckKind{ir.Assertion}}); found == nil {
			b.Fatal("nothing found")
		}
	}
}
