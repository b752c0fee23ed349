package graph

import (
	"slices"
	"testing"

	"assay/internal/engines/symex"
	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// someArguments makes an array of pointers to strings, and goes along the characters of each.
const someArguments = `module 64 entry @main
func @main() {
entry:
  %n = nondet i64 input "n"
  %few = ult i1 %n, i64 1000
  assume %few
  %last = mul i64 %n, i64 8
  %size = add i64 %last, i64 8
  %v = alloca ptr %size align 8
  %end = ptradd ptr %v, %last
  store null, %end
  br make
make:
  %i = phi i64 [i64 0, entry], [%i1, another]
  %more = slt i1 %i, %n
  condbr %more, another, use
another:
  %l = nondet i64 input "length"
  %short = ult i1 %l, i64 100
  assume %short
  %l1 = add i64 %l, i64 1
  %s = alloca ptr %l1 align 1
  %z = ptradd ptr %s, %l
  store i8 0, %z
  %off = mul i64 %i, i64 8
  %at = ptradd ptr %v, %off
  store %s, %at
  %i1 = add i64 %i, i64 1
  br make
use:
  %p = phi ptr [%v, make], [%p1, next]
  %t = load ptr %p
  %is = ne i1 %t, null
  condbr %is, text, done
text:
  %c = phi ptr [%t, use], [%c1, onwards]
  %b = load i8 %c
  %in = ne i1 %b, i8 0
  condbr %in, onwards, next
onwards:
  %c1 = ptradd ptr %c, i64 1
  br text
next:
  %p1 = ptradd ptr %p, i64 8
  br use
done:
  halt exit
}
`

// TestStringMutations changes the strings in an accepted certificate: what is then false is rejected.
func TestStringMutations(t *testing.T) {
	graph, check := accepted(t, someArguments)
	number := func(n int64) linear.Form { return linear.Constant(linear.Int(n)) }
	for name, change := range map[string]func(o *symgraph.Object, l *symgraph.Strings){
		"none":               func(o *symgraph.Object, l *symgraph.Strings) { o.Strings = nil },
		"one less":           func(o *symgraph.Object, l *symgraph.Strings) { l.To = l.To.Plus(linear.Int(-1)) },
		"one more":           func(o *symgraph.Object, l *symgraph.Strings) { l.To = l.To.Plus(linear.Int(1)) },
		"one before":         func(o *symgraph.Object, l *symgraph.Strings) { l.From = number(-1) },
		"without the second": func(o *symgraph.Object, l *symgraph.Strings) { l.From = number(2) }, // the first one is out: the program has a pointer there
		"one is out":         func(o *symgraph.Object, l *symgraph.Strings) { l.Out = append(slices.Clone(l.Out), number(3)) },
		"shorter":            func(o *symgraph.Object, l *symgraph.Strings) { l.Most = 99 },
		"empty":              func(o *symgraph.Object, l *symgraph.Strings) { l.Most = 0 },
		"dead":               func(o *symgraph.Object, l *symgraph.Strings) { o.Dead = true },
		"on the heap":        func(o *symgraph.Object, l *symgraph.Strings) { o.Kind = symgraph.Heap },
	} {
		t.Run(name, func(t *testing.T) {
			g := copied(graph)
			arrays := 0
			for i := range g.Nodes {
				s := &g.Nodes[i].State
				for k := range s.Objects {
					if s.Objects[k].Strings == nil {
						continue
					}
					l := *s.Objects[k].Strings
					s.Objects[k].Strings = &l
					change(&s.Objects[k], &l)
					arrays++
				}
			}
			if arrays < 3 {
				t.Fatalf("%d arrays", arrays)
			}
			if err := check(g); err == nil {
				t.Error("accepted")
			} else {
				t.Log(err)
			}
		})
	}
}

// TestStringPrograms changes the program: strings are shared, lose their ends, or are left, and no graph of
// it is accepted.
func TestStringPrograms(t *testing.T) {
	targets := []ir.CheckKind{ir.InvalidDeref}
	for name, change := range map[string][2]string{
		"no end":                {"store i8 0, %z", "store i8 1, %z"},
		"an end behind the end": {"%l1 = add i64 %l, i64 1", "%l1 = add i64 %l, i64 0"},
		"the last is no string": {"%more = slt i1 %i, %n", "%more = sle i1 %i, %n"},
		"not all are made":      {"%i = phi i64 [i64 0, entry]", "%i = phi i64 [i64 1, entry]"},
		"a string loses an end": {"next:\n", "next:\n  store i8 1, %c\n"},
		"a pointer is changed":  {"next:\n", "next:\n  store i8 1, %v\n"},
		"all are cleared":       {"use:\n", "use:\n  memset %v, i8 1, %size\n"},
		"behind its end":        {"%t = load ptr %p", "%t0 = load ptr %p\n  %t = ptradd ptr %t0, i64 1"},
		"before its start":      {"%t = load ptr %p", "%t0 = load ptr %p\n  %t = ptradd ptr %t0, i64 -1"},
		"half a slot":           {"%p1 = ptradd ptr %p, i64 8", "%p1 = ptradd ptr %p, i64 4"},
	} {
		t.Run(name, func(t *testing.T) {
			text := replaceOnce(t, someArguments, change[0], change[1])
			if change[0] == "use:\n" { // behind the phi
				text = replaceOnce(t, someArguments, "  %t = load ptr %p\n", "  memset %v, i8 1, %size\n  %t = load ptr %p\n")
			}
			refuse(t, someArguments, text, targets)
		})
	}
}

// TestSharedString keeps a pointer to a string beside the array: what is stored through it is seen in the array.
func TestSharedString(t *testing.T) {
	text := replaceOnce(t, someArguments, "  store %s, %at\n", "  store %s, %at\n  store %s, @kept\n")
	text = replaceOnce(t, text, "func @main", "global @kept size 8 align 8\nfunc @main")
	text = replaceOnce(t, text, "  %t = load ptr %p\n", `  %k = load ptr @kept
  %some = ne i1 %k, null
  condbr %some, spoil, go
spoil:
  %kn = ptradd ptr %k, i64 0
  store i8 1, %kn
  br go
go:
  %t = load ptr %p
`)
	text = replaceOnce(t, text, "[%t, use]", "[%t, go]")
	m := parsed(t, text)
	r := symex.Build(t.Context(), m, symex.Options{Targets: []ir.CheckKind{ir.InvalidDeref}, MaxSteps: 5000})
	if r.Graph != nil && len(r.Suspects) == 0 {
		t.Error("the engine finds a proof")
	}
	if r.Graph != nil {
		if _, err := Check(t.Context(), m, r.Graph, Options{Targets: []ir.CheckKind{ir.InvalidDeref}}); err == nil {
			t.Error("accepted")
		}
	}
}
