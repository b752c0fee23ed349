package recursion

import (
	"testing"

	"assay/internal/program/ir"
)

// TestLeft: recursion is found wherever it is, and only if a run can get there.
func TestLeft(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"none":        {"func @f() {\nentry:\n  ret\n}\nfunc @main() {\nentry:\n  call void @f()\n  call void @f()\n  halt exit\n}\n", ""},
		"itself":      {"func @f() {\nentry:\n  call void @f()\n  ret\n}\nfunc @main() {\nentry:\n  call void @f()\n  halt exit\n}\n", "f"},
		"two":         {"func @f() {\nentry:\n  call void @g()\n  ret\n}\nfunc @g() {\nentry:\n  call void @f()\n  ret\n}\nfunc @main() {\nentry:\n  call void @g()\n  halt exit\n}\n", "g"},
		"not called":  {"func @f() {\nentry:\n  call void @f()\n  ret\n}\nfunc @main() {\nentry:\n  halt exit\n}\n", ""},
		"a pointer":   {"func @f() {\nentry:\n  %p = load ptr @x\n  call void %p()\n  ret\n}\nglobal @x size 8 align 8\nfunc @main() {\nentry:\n  store @f, @x\n  call void @f()\n  halt exit\n}\n", "f"},
		"not pointed": {"func @f() {\nentry:\n  %p = load ptr @x\n  call void %p()\n  ret\n}\nglobal @x size 8 align 8\nfunc @main() {\nentry:\n  call void @f()\n  halt exit\n}\n", ""},
	} {
		m, err := ir.Parse("module 64 entry @main\n" + test.text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got := ""
		if f := Left(m); f != nil {
			got = f.Name
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

// TestToLoopsLeavesNone: what ToLoops changes is no recursion any more.
func TestToLoopsLeavesNone(t *testing.T) {
	m, err := ir.Parse(`module 64 entry @main
func @odd(%n: i32) -> i32 {
entry:
  %r = call i32 @even(%n)
  ret %r
}
func @even(%n: i32) -> i32 {
entry:
  %c = eq i1 %n, i32 0
  condbr %c, out, on
on:
  %d = sub i32 %n, i32 1
  %r = call i32 @odd(%d)
  ret %r
out:
  ret i32 1
}
func @main() {
entry:
  %n = nondet i32 input "n"
  %r = call i32 @even(%n)
  halt exit
}
`)
	if err != nil {
		t.Fatal(err)
	}
	if !Is(m) || Is(ToLoops(m).Module) {
		t.Error("recursion before, and none after, was expected")
	}
}
