package contract

import (
	"strings"
	"testing"

	"assay/internal/program/ir"
)

const program = `module 64 entry @assay.entry

global @cprover_ghost_active_0 size 1 align 1

global @cprover_ghost_target_0 size 8 align 8

global @cprover_ghost_size_0 size 8 align 8

global @g size 4 align 4

func @callee(%1: ptr) {
entry:
  store i32 1, %1 align 4
  ret
}

func @f(%1: ptr) {
entry:
  %2 = alloca ptr i64 4 align 4
  store i32 1, %2 align 4
  store i32 2, @g align 4
  call void @callee(%1)
  free %1
  call void %1()
  ret
}

func @f__enforced() {
entry:
  store i8 0, @cprover_ghost_active_0 align 1
  call void @f(null)
  ret
}

func @unused() {
entry:
  ret
}

func @assay.entry() {
entry:
  call void @f__enforced()
  halt exit
}
`

// TestCheckWrites: writes of the body and of what it calls have a check, but those of its own locals; so do frees, and
// calls through pointers if callers are not known.
func TestCheckWrites(t *testing.T) {
	for _, callers := range []bool{false, true} {
		m, err := ir.Parse(program)
		if err != nil {
			t.Fatal(err)
		}
		Prune(m)
		if m.Func("unused") != nil {
			t.Error("a function that nothing reaches is still there")
		}
		out := CheckWrites(m, "f", callers)
		if err := ir.Verify(out); err != nil {
			t.Fatal(err)
		}
		texts := map[string][]string{}
		for _, f := range out.Funcs {
			for i := range f.Values {
				if d := &f.Values[i]; d.Op == ir.Check {
					texts[f.Name] = append(texts[f.Name], d.Sym)
				}
			}
		}
		want := map[string][]string{"callee": {"__CPROVER_assigns"}, "f": {"may write g, ", "__CPROVER_frees"}}
		if callers {
			want["f"] = append(want["f"], "precondition")
		}
		for _, name := range []string{"callee", "f", "f__enforced", m.Entry} {
			if len(texts[name]) != len(want[name]) {
				t.Errorf("%s has the checks %q, want %q", name, texts[name], want[name])
				continue
			}
			for i, w := range want[name] {
				if !strings.Contains(texts[name][i], w) {
					t.Errorf("%s has the check %q, want %q", name, texts[name][i], w)
				}
			}
		}
	}
}
