package absint

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"assay/internal/program/ir"
	"assay/internal/run/memo"
)

// TestShared: engines that run side by side read the same facts (with -race, that they only
// read), those of functions that no run enters included.
func TestShared(t *testing.T) {
	m, err := ir.Parse(`module 64 entry @main
global @g size 4 align 4
global @h size 16 align 8

func @never(%p: ptr) {
entry:
  store i32 7, @g
  ret
}

func @add(%p: ptr, %n: i32) -> i32 {
entry:
  %x = load i32 %p
  %y = add i32 %x, %n
  store %y, %p
  ret %y
}

func @main() {
entry:
  br head
head:
  %i = phi i32 [i32 0, entry], [%j, body]
  %more = slt i1 %i, i32 10
  condbr %more, body, exit
body:
  %j = add i32 %i, i32 1
  %s = call i32 @add(@g, %j)
  %o = sext i64 %j
  %p = ptradd ptr @h, %o
  br head
exit:
  halt exit
}
`)
	if err != nil {
		t.Fatal(err)
	}
	ctx := memo.With(t.Context())
	read := func() string {
		facts, err := Analyze(ctx, m, Options{})
		if err != nil {
			return err.Error()
		}
		var b strings.Builder
		for i, f := range m.Funcs {
			for v := 1; v < len(f.Values); v++ {
				if f.Def(ir.Value(v)).Type.Kind == ir.Void {
					continue
				}
				x := facts.Value(i, ir.Value(v))
				targets, known := x.Targets()
				fmt.Fprintln(&b, f.Name, v, x, len(targets), known, facts.MayViolate(i, ir.Value(v), ir.InvalidDeref))
			}
		}
		for _, c := range facts.Contexts {
			for _, h := range c.Heads() {
				fmt.Fprintln(&b, c.Func.Name, h.Block, len(h.Values), len(h.Cells))
			}
		}
		return b.String()
	}
	const engines = 4
	var texts [engines]string
	var all sync.WaitGroup
	for i := range texts {
		all.Go(func() { texts[i] = read() })
	}
	all.Wait()
	for _, text := range texts {
		if text != texts[0] || !strings.Contains(text, "main") {
			t.Errorf("%s\nand\n%s", texts[0], text)
		}
	}
	one, _ := Analyze(ctx, m, Options{})
	if two, _ := Analyze(ctx, m, Options{Asked: []ir.CheckKind{ir.Overflow}}); one == two {
		t.Error("the facts of another question")
	}
}
