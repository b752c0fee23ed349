package skeleton

import (
	"slices"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/transform"
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
  %w = ptradd ptr %p, i64 8
  store i32 7, %w
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
	s := Of(t.Context(), m)
	if s == nil || len(s.Lost) == 0 || s.Runs != transform.More {
		t.Fatal("no skeleton")
	}
	if ir.Print(m) != before {
		t.Error("the program has changed")
	}
	globals := map[string]int{}
	for _, f := range s.Module.Funcs {
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
		if s := Of(t.Context(), parse(t, text)); s != nil {
			t.Error(ir.Print(s.Module))
		}
	}
}

// TestBareAddresses: where a write may go through a bare address no global is kept.
func TestBareAddresses(t *testing.T) {
	for _, c := range []struct {
		name, made string
		keeps      bool
	}{
		{"integer", "  %i = nondet i64 input \"i\"\n  %p = inttoptr ptr %i", false},
		{"never written", "  %p = nondet ptr uninit \"p\"", false},
		{"never written, in memory", "  %a = alloca ptr i64 8 align 8\n  %p = load ptr %a", false},
		{"bytes", "  %a = alloca ptr i64 8 align 8\n  %i = nondet i64 input \"i\"\n  store %i, %a\n  %p = load ptr %a", false},
		{"copied bytes", "  %a = alloca ptr i64 8 align 8\n  %b = alloca ptr i64 8 align 8\n  %i = nondet i64 input \"i\"\n  store %i, %b\n  memcpy %a, %b, i64 8\n  %p = load ptr %a", false},
		{"one byte of a pointer", "  %a = alloca ptr i64 8 align 8\n  store %a, %a\n  %i = nondet i8 input \"i\"\n  store %i, %a\n  %p = load ptr %a", false},
		{"null moved", "  %p = ptradd ptr null, i64 4096", false},
		{"an object", "  %p = alloca ptr i64 4 align 4", true},
		{"beyond an object", "  %a = alloca ptr i64 4 align 4\n  %i = nondet i64 input \"i\"\n  %p = ptradd ptr %a, %i", true},
		{"a pointer in memory", "  %a = alloca ptr i64 8 align 8\n  %h = malloc ptr i64 8\n  store %h, %a\n  %p = load ptr %a", true},
		{"null", "  %p = ptradd ptr null, i64 0", true},
	} {
		m := parse(t, "module 64 entry @main\nglobal @g size 4 align 4\nfunc @main() {\nentry:\n"+c.made+"\n  store i32 0, %p\n"+
			"  %x = load i32 @g\n  %c = eq i1 %x, i32 0\n  assume %c\n  halt exit\n}\n")
		s := Of(t.Context(), m)
		if s == nil {
			t.Fatal(c.name, ": no skeleton")
		}
		if keeps := slices.ContainsFunc(s.Module.Funcs[0].Values, func(d ir.Def) bool { return d.Op == ir.Load }); keeps != c.keeps {
			t.Errorf("%s: keeps @g: %v", c.name, keeps)
		}
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
	s := Of(t.Context(), m)
	out, err := interp.Run(t.Context(), m, interp.Options{Oracle: interp.Zero{}})
	if err != nil || out.End != interp.Halted {
		t.Fatal(out, err)
	}
	var choices []ir.Choice
	f := s.Module.Func("main")
	read := ir.Value(slices.IndexFunc(f.Values, func(d ir.Def) bool { return d.Op == ir.Nondet }))
	for n := uint64(5); n <= 5; n-- {
		choices = append(choices, ir.Choice{Func: "main", Value: read, Bits: bv.New(32, n)})
	}
	out, err = interp.Run(t.Context(), s.Module, interp.Options{Oracle: interp.Replay(ir.Input{Choices: choices})})
	if err != nil || out.End != interp.Halted {
		t.Error(out, err)
	}
}
