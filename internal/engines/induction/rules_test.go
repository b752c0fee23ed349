package induction

import (
	"testing"

	"assay/internal/engines/inference"
	"assay/internal/program/ir"
)

// The rules of the step case, each with programs of which a proof would be wrong, and
// with neighbours that are proved, so that it is the rule that makes the difference.
// The checker has the same for itself (certify, induction_rules_test.go); here a wrong
// proof must not even be found.

const ruleModule = `module 64 entry @main
file "a.c"
global @g size 4 align 4
global @h size 4 align 4
global @last size 4 align 4

func @set(%p: ptr, %x: i32) {
entry:
  store %x, %p
  ret
}

func @outer(%x: i32) {
entry:
  call void @set(@g, %x)
  ret
}

func @next() -> i32 {
entry:
  %x = load i32 @last
  %y = add i32 %x, i32 1
  store %y, @last
  ret %x
}

func @deep(%n: i32) -> i32 {
entry:
  %zero = sle i1 %n, i32 0
  condbr %zero, leaf, inner
leaf:
  ret i32 0
inner:
  %m = sub i32 %n, i32 1
  %r = call i32 @deep(%m)
  %s = add i32 %r, i32 1
  ret %s
}

func @main() {
entry:
`

// rounds is a loop that runs as long as the input says.
func rounds(before, body, after string) string {
	return before + `
  br head
head:
  %i = phi i32 [i32 0, entry], [%j, latch]
  %more = nondet i1 input "more"
  condbr %more, body, exit
body:
` + body + `
  br latch
latch:
  %nine = eq i1 %i, i32 9
  %j0 = add i32 %i, i32 1
  %j = select i32 %nine, i32 0, %j0
  br head
exit:
` + after + `
  halt exit
}
`
}

func TestRules(t *testing.T) {
	check := func(global, value string) string {
		return "  %v = load i32 " + global + "\n  %same = eq i1 %v, i32 " + value + "\n  check assertion %same \"is " + value + "\"\n"
	}
	at := func(n, then string) string { // then is done in some rounds
		return "  %is = eq i1 %i, i32 " + n + "\n  condbr %is, yes, no\nyes:\n" + then + "\n  br no\nno:\n"
	}
	// later does something in round 5 and something else in round 9, to which k-induction
	// comes from an arbitrary state in between.
	later := func(before, five, nine string) string {
		return rounds(before, "  %is5 = eq i1 %i, i32 5\n  condbr %is5, do5, no5\ndo5:\n"+five+"\n  br no5\nno5:\n  %is9 = eq i1 %i, i32 9\n  condbr %is9, do9, no9\ndo9:\n"+nine+"\n  br no9\nno9:\n", "")
	}
	heap := "  %p = malloc ptr i64 4"
	for _, x := range []struct {
		name, rule string
		text       string
		targets    []ir.CheckKind
		proved     bool
	}{
		{"written by a callee", "a", later("", "  call void @set(@g, i32 1)", check("@g", "0")), nil, false},
		{"elsewhere by a callee", "a", later("", "  call void @set(@h, i32 1)", check("@g", "0")), nil, true},
		{"by the callee of a callee", "a", later("", "  call void @outer(i32 1)", check("@g", "0")), nil, false},
		{"the same by the callee of a callee", "a", later("", "  call void @outer(i32 0)", check("@g", "0")), nil, true},
		{"through a function pointer", "a", later("", "  %f = select ptr %more, @set, @set\n  call void %f(@g, i32 1)", check("@g", "0")), nil, false},
		{"state of a library model", "a", rounds("", "  %x = call i32 @next()\n  %ok = ne i1 %x, i32 5\n  check assertion %ok \"state\"", ""), nil, false},
		{"first state of a library model", "a", rounds("", "", "  %x = call i32 @next()\n  %ok = ne i1 %x, i32 5\n  check assertion %ok \"state\""), nil, true},
		{"freed in round 5", "a", later(heap, "  free %p", "  store i32 1, %p"), []ir.CheckKind{ir.InvalidDeref}, false},
		{"freed in no round", "a", later(heap, "", "  store i32 1, %p"), []ir.CheckKind{ir.InvalidDeref}, true},
		{"freed twice", "a", rounds(heap, at("5", "  free %p"), ""), []ir.CheckKind{ir.InvalidFree}, false},
		{"a leak of a loop", "a", rounds("", at("5", heap), ""), []ir.CheckKind{ir.MemCleanup}, false},
		{"freed before a loop", "a", rounds(heap+"\n  free %p", "", ""), []ir.CheckKind{ir.MemCleanup}, true},
		{"not freed by a loop", "a", rounds(heap, at("5", "  free %p"), ""), []ir.CheckKind{ir.MemCleanup}, false},

		{"a check before what excludes it", "b", rounds("", "  %ok = ne i1 %i, i32 7\n  check assertion %ok \"i\"\n  assume %ok", ""), nil, false},
		{"a check after what excludes it", "b", rounds("", "  %ok = ne i1 %i, i32 7\n  assume %ok\n  check assertion %ok \"i\"", ""), nil, true},
		{"what is excluded on another path", "b", rounds("", "  %ok = ne i1 %i, i32 7\n  %c = nondet i1 input \"c\"\n  condbr %c, yes, no\nyes:\n  assume %ok\n  br latch\nno:\n  check assertion %ok \"i\"", ""), nil, false},
		{"excluded after the loop", "b", rounds("", "  %ok = ne i1 %i, i32 7\n  check assertion %ok \"i\"", "  assume i1 0"), nil, false},
		{"excluded in the next round", "b", rounds("", "  %low = ult i1 %i, i32 8\n  assume %low\n  %ok = ne i1 %i, i32 7\n  check assertion %ok \"i\"", ""), nil, false},

		{"after what fails first", "c", rounds("", "  %a = ne i1 %i, i32 6\n  check assertion %a \"6\"\n  %b = ne i1 %i, i32 7\n  check assertion %b \"7\"", ""), nil, false},
		{"two that prove each other", "c", rounds("  store i32 0, @g\n  store i32 0, @h", "  %x = load i32 @g\n  %y = load i32 @h\n  store %y, @g\n  store %x, @h\n  %a = eq i1 %x, i32 0\n  check assertion %a \"x\"\n  %b = eq i1 %y, i32 0\n  check assertion %b \"y\"", ""), nil, true},

		{"deeper than any bound", "d", "  %x = call i32 @deep(i32 100)\n  %ok = ne i1 %x, i32 100\n  check assertion %ok \"100\"\n  halt exit\n}\n", nil, false},
		{"of any depth", "d", "  %n = nondet i32 input \"n\"\n  %x = call i32 @deep(%n)\n  %ok = sle i1 i32 0, %x\n  %big = slt i1 i32 100, %n\n  %fine = or i1 %ok, %big\n  check assertion %fine \"0\"\n  halt exit\n}\n", nil, true},
	} {
		t.Run(x.rule+" "+x.name, func(t *testing.T) {
			m, err := ir.Parse(ruleModule + x.text)
			if err != nil {
				t.Fatal(err)
			}
			if err := ir.Verify(m); err != nil {
				t.Fatal(err)
			}
			targets := x.targets
			if targets == nil {
				targets = []ir.CheckKind{ir.Assertion}
			}
			for k := 1; k <= 5; k += 2 {
				r := Prove(t.Context(), m, inference.Options{Targets: targets, MaxK: k})
				if r.Proof != nil && !x.proved {
					t.Fatalf("k = %d: proved with k = %d and %v", k, r.Proof.K, r.Proof.Heads)
				}
				if r.Proof == nil && x.proved && k == 5 {
					t.Fatalf("not proved: %v", r.Why)
				}
			}
		})
	}
}

// TestRuleTogether is rule (c) for checks one by one: of two that fail together one may
// not be proved by assuming the other.
func TestRuleTogether(t *testing.T) {
	text := rounds("", "  %a = ne i1 %i, i32 6\n  check assertion %a \"6\"\n  %b = ne i1 %i, i32 7\n  check assertion %b \"7\"\n  %c = ne i1 %i, i32 12\n  check assertion %c \"12\"", "")
	m, err := ir.Parse(ruleModule + text)
	if err != nil {
		t.Fatal(err)
	}
	r := ProveEach(t.Context(), m, inference.Options{Targets: []ir.CheckKind{ir.Assertion}, MaxK: 3})
	f := m.Func("main")
	var proved []string
	for _, p := range r.Proofs {
		for _, x := range p.Proved {
			proved = append(proved, f.Def(x.Value).Sym)
		}
	}
	if len(proved) != 1 || proved[0] != "12" {
		t.Errorf("proved are %q, want the third", proved)
	}
}
