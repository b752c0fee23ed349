package lasso

import (
	"context"
	"testing"
	"time"

	"assay/internal/engines/bmc"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// TestAsk: runs that no guess finds.
func TestAsk(t *testing.T) {
	const square = "  %x = phi i32 [i32 0, b1], [%y, back]\n  %q = mul i32 %n, %n\n  %s = eq i1 %q, i32 136900\n  %r = ult i1 %n, i32 60000\n  %e = and i1 %s, %r\n  condbr %e, on, out\non:\n"
	program := func(body string) string { return mainOf(body + "back:\n  br h\n") }
	for _, c := range []struct {
		name, src string
		want      bool
	}{
		{"a root", program(square + "  %y = add i32 %x, i32 0\n  br back\n"), true},
		{"a root, and a period", program(square + "  %y = xor i32 %x, i32 4\n  %k = nondet i32 input \"k\"\n  %w = xor i32 %k, %x\n  %f = eq i1 %w, i32 12345678\n  condbr %f, back, out\n"), true},
		{"a root, but it counts", program(square + "  %y = add i32 %x, i32 1\n  %f = ult i1 %x, i32 9\n  condbr %f, back, out\n"), false},
		{"blocked", program(square + "  %y = add i32 %x, i32 0\n  assume i1 0\n  br back\n"), false},
		{"a part of a large global counts", program(square + "  %y = add i32 %x, i32 0\n  %p = ptradd ptr @l, i64 96\n  %i = load i64 %p\n  %j = add i64 %i, i64 1\n  store %j, %p\n  %f = ult i1 %i, i64 5\n  condbr %f, back, out\n"), false},
		{"a part of a large global goes around", program(square + "  %y = add i32 %x, i32 0\n  %p = ptradd ptr @l, i64 96\n  %i = load i64 %p\n  %j = xor i64 %i, i64 1\n  store %j, %p\n  br back\n"), true},
		{"a variable counts", program(square + "  %y = add i32 %x, i32 0\n  %i = load i32 %v\n  %j = add i32 %i, i32 1\n  store %j, %v\n  %f = ult i1 %i, i32 5\n  condbr %f, back, out\n"), false},
		{"a variable goes around", program(square + "  %y = add i32 %x, i32 0\n  %i = load i32 %v\n  %j = xor i32 %i, i32 3\n  store %j, %v\n  br back\n"), true},
		{"a global counts", program(square + "  %y = add i32 %x, i32 0\n  %i = load i64 @g\n  %j = add i64 %i, i64 1\n  store %j, @g\n  %f = ult i1 %i, i64 5\n  condbr %f, back, out\n"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := ir.Parse(c.src)
			if err != nil {
				t.Fatal(err)
			}
			before := ir.Print(m)
			// The question is not asked of the entry function.
			m.Funcs = append(m.Funcs, &ir.Func{})
			*m.Funcs[1] = *m.Funcs[0]
			m.Funcs[1].Name = "run"
			entry, err := ir.Parse("module 64 entry @main\nfunc @run() {\nb1:\n  ret\n}\nfunc @main() {\nb1:\n  call void @run()\n  ret\n}\n")
			if err != nil {
				t.Fatal(err)
			}
			m.Funcs[0] = entry.Func("main")
			if err := ir.Verify(m); err != nil {
				t.Fatal(err, before)
			}
			q := Ask(m)
			if err := ir.Verify(q.Module); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			b := bmc.Run(ctx, q.Module, bmc.Options{Targets: []ir.CheckKind{Target}, Unwind: 20})
			v, found := b.Verdict.(verdict.False)
			if found != c.want {
				t.Fatalf("%T %+v", b.Verdict, b.Verdict)
			}
			if !found {
				return
			}
			e, why, err := q.Answer(ctx, v)
			if err != nil || e == nil {
				t.Fatal(why, err)
			}
			if e.Endless.Func != "run" || m.Func("run").Blocks[e.Endless.Head].Name != "h" {
				t.Errorf("got %+v", *e.Endless)
			}
		})
	}
}
