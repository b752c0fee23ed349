package skeleton

import (
	"slices"
	"testing"

	"assay/internal/bv"
	"assay/internal/ir"
	"assay/internal/ir/interp"
)

func parse(t *testing.T, text string) *ir.Module {
	t.Helper()
	m, err := ir.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	return m
}

const program = `module 64 entry @main
global @kept size 8 align 4
global @escapes size 4 align 4
global @pointer size 8 align 8
func @list(%p: ptr, %n: i32) -> ptr, i32 {
entry:
  %c = eq i1 %p, null
  condbr %c, out, more
more:
  %next = load ptr %p
  %v = load i32 %p
  %k = load i32 @kept
  %j = add i32 %k, i32 1
  store %j, @kept
  %q = ptradd ptr @kept, i64 4
  store %v, %q
  store i32 7, %p
  %r = call ptr @list(%next, %n)
  %s = extract i32 %r, 1
  ret %r, %s
out:
  store %p, @pointer
  ret %p, %n
}
func @main() {
entry:
  %a = alloca ptr i64 16 align 8
  %e = load i32 @escapes
  store null, %a
  %h = malloc ptr i64 8
  %i = ptrtoint i64 %h
  %d = select ptr i1 1, %h, @escapes
  store i32 1, %d
  %r = call ptr @list(%a, %e)
  free %h
  halt exit
}
`

// TestOf: nothing of memory is left but kept globals, and no pointer but their addresses.
func TestOf(t *testing.T) {
	m := parse(t, program)
	before := ir.Print(m)
	s, accesses := Of(m)
	if s == nil || len(accesses) == 0 {
		t.Fatal("no skeleton")
	}
	if ir.Print(m) != before {
		t.Error("the program has changed")
	}
	globals := map[string]int{}
	for _, f := range s.Funcs {
		for _, r := range f.Results {
			if r.Kind == ir.Ptr {
				t.Error("a pointer is returned")
			}
		}
		for b := range f.Blocks {
			for _, v := range f.Blocks[b].Instrs {
				switch d := f.Def(v); d.Op {
				case ir.Load:
					globals[rootOf(f, d.Args[0])]++
				case ir.Store:
					globals[rootOf(f, d.Args[1])]++
				case ir.PtrAdd:
				default:
					if d.Type.Kind == ir.Ptr {
						t.Errorf("%%%d is a pointer", v)
					}
				}
			}
		}
	}
	if len(globals) != 1 || globals["kept"] != 3 {
		t.Errorf("accesses of globals: %v", globals)
	}
}

// TestNone: there is no skeleton of programs that call through pointers, and none is
// needed of those without memory.
func TestNone(t *testing.T) {
	for _, text := range []string{
		"module 64 entry @main\nfunc @f() {\nentry:\n  ret\n}\nfunc @main() {\nentry:\n  %p = load ptr @g\n  call void %p()\n  halt exit\n}\nglobal @g size 8 align 8\n",
		"module 64 entry @main\nfunc @main() {\nentry:\n  %x = nondet i32 input \"x\"\n  %c = eq i1 %x, i32 1\n  assume %c\n  halt exit\n}\n",
	} {
		if s, _ := Of(parse(t, text)); s != nil {
			t.Error(ir.Print(s))
		}
	}
}

// TestIntegersAsPointers: where integers become pointers no global is kept.
func TestIntegersAsPointers(t *testing.T) {
	m := parse(t, `module 64 entry @main
global @g size 4 align 4
func @main() {
entry:
  %i = nondet i64 input "i"
  %p = inttoptr ptr %i
  store i32 0, %p
  %x = load i32 @g
  %c = eq i1 %x, i32 0
  assume %c
  halt exit
}
`)
	s, _ := Of(m)
	if s == nil || slices.ContainsFunc(s.Funcs[0].Values, func(d ir.Def) bool { return d.Op == ir.Load || d.Op == ir.Store }) {
		t.Error("memory is left")
	}
}

// TestSteps: a run of the program is one of its skeleton, which reads what the program
// does, and ends in the same way.
func TestSteps(t *testing.T) {
	m := parse(t, `module 64 entry @main
global @kept size 4 align 4
func @main() {
entry:
  %a = alloca ptr i64 4 align 4
  store i32 5, %a
  br head
head:
  %x = load i32 %a
  %k = load i32 @kept
  %j = add i32 %k, %x
  store %j, @kept
  %y = sub i32 %x, i32 1
  store %y, %a
  %c = eq i1 %x, i32 0
  condbr %c, out, head
out:
  %z = load i32 @kept
  %d = eq i1 %z, i32 15
  condbr %d, good, bad
good:
  halt exit
bad:
  halt abort
}
`)
	s, _ := Of(m)
	out, err := interp.Run(t.Context(), m, interp.Options{Oracle: interp.Zero{}})
	if err != nil || out.End != interp.Halted {
		t.Fatal(out, err)
	}
	var choices []ir.Choice
	f := s.Func("main")
	read := ir.Value(slices.IndexFunc(f.Values, func(d ir.Def) bool { return d.Op == ir.Nondet }))
	for n := uint64(5); n <= 5; n-- {
		choices = append(choices, ir.Choice{Func: "main", Value: read, Bits: bv.New(32, n)})
	}
	out, err = interp.Run(t.Context(), s, interp.Options{Oracle: interp.Replay(ir.Input{Choices: choices})})
	if err != nil || out.End != interp.Halted {
		t.Error(out, err)
	}
}
