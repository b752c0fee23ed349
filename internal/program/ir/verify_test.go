package ir_test

import (
	"strings"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// counter builds a loop, with most of the builder's methods.
func counter() *ir.Module {
	m := &ir.Module{PointerBits: 64, Entry: "main"}
	m.Globals = append(m.Globals, &ir.Global{Name: "g", Size: 8, Align: 8})
	i32 := ir.IntType(32)
	d := ir.NewFunc(m, "two", i32, i32)
	d.Param(m.PtrType())
	b := ir.NewFunc(m, "main")
	entry, loop, done := b.Block("entry"), b.Block("loop"), b.Block("")
	b.At(entry)
	p := b.Alloca(4, 4)
	b.Store(b.Const(32, 7), p)
	b.Br(loop)
	b.At(loop)
	i := b.Phi(i32)
	b.SetPos(ir.Pos{Line: 3})
	next := b.Bin(ir.Add, i, b.Load(i32, p))
	c := b.Call(i32, "two", b.PtrAdd(b.GlobalAddr("g"), b.Word(4)))
	x := b.Extract(i32, c, 1)
	y := b.Select(b.Cmp(ir.SLt, x, next), x, next)
	b.Switch(y, done, []bv.BV{bv.New(32, 1), bv.New(32, 2)}, []ir.BlockID{loop, loop})
	b.AddIncoming(i, b.Const(32, 0), entry)
	b.AddIncoming(i, next, b.Current())
	b.AddIncoming(i, x, b.Current())
	b.At(done)
	b.CallPtr(ir.Type{}, b.FuncAddr("main"))
	b.Check(ir.Assertion, b.Cmp(ir.Eq, b.Null(), p), "p == 0")
	b.Halt(ir.HaltAbort)
	b.Done()
	return m
}

func TestBuilder(t *testing.T) {
	m := counter()
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	const want = `func @main() {
entry:
  %2 = alloca ptr i64 4 align 4
  store i32 7, %2
  br loop
loop:
  %6 = phi i32 [i32 0, entry], [%8, loop], [%12, loop]
  %7 = load i32 %2 !0:3:0
  %8 = add i32 %6, %7 !0:3:0
  %10 = ptradd ptr @g, i64 4 !0:3:0
  %11 = call i32 @two(%10) !0:3:0
  %12 = extract i32 %11, 1 !0:3:0
  %13 = slt i1 %12, %8 !0:3:0
  %14 = select i32 %13, %12, %8 !0:3:0
  switch %14, b3, 1: loop, 2: loop !0:3:0
b3:
  call void (@main)() !0:3:0
  %20 = eq i1 null, %2 !0:3:0
  check assertion %20 "p == 0" !0:3:0
  halt abort !0:3:0
}
`
	got := ir.PrintFunc(m, m.Func("main"))
	if i := strings.Index(got, "entry:"); "func @main() {\n"+got[i:] != want {
		t.Errorf("got\n%s", got)
	}
	if m.Global("g") == nil || m.Global("main") != nil || m.Func("g") != nil || m.HeapAlign() != 16 || ir.IntType(33).Size() != 5 {
		t.Error("accessors")
	}
}

func TestVerify(t *testing.T) {
	main := func(m *ir.Module) *ir.Func { return m.Func("main") }
	instr := func(m *ir.Module, op ir.Op) *ir.Def {
		for v := range main(m).Values {
			if d := main(m).Def(ir.Value(v)); d.Op == op {
				return d
			}
		}
		panic(op)
	}
	for _, c := range []struct {
		name   string
		damage func(m *ir.Module)
		want   string
	}{
		{"entry", func(m *ir.Module) { m.Entry = "two" }, "entry @two must have a body"},
		{"no entry", func(m *ir.Module) { m.Entry = "g" }, `entry "g" is not a function`},
		{"constructor", func(m *ir.Module) { m.Constructors = []string{"x"} }, `constructor "x"`},
		{"pointer width", func(m *ir.Module) { m.PointerBits = 16 }, "PointerBits is 16"},
		{"names", func(m *ir.Module) { m.Globals[0].Name = "main" }, `"main" is empty or defined twice`},
		{"alignment", func(m *ir.Module) { m.Globals[0].Align = 3 }, "@g: alignment 3"},
		{"initialiser", func(m *ir.Module) { m.Globals[0].Init = make([]byte, 7) }, "initialiser of 7 bytes for size 8"},
		{"external", func(m *ir.Module) { m.Globals[0].External = true; m.Globals[0].Init = make([]byte, 8) }, "external, but"},
		{"relocation", func(m *ir.Module) { m.Globals[0].Relocs = []ir.Reloc{{Offset: 4}} }, "relocation at 4 is out of range"},
		{"relocated bytes", func(m *ir.Module) {
			m.Globals[0].Init = []byte{1, 0, 0, 0, 0, 0, 0, 0}
			m.Globals[0].Relocs = []ir.Reloc{{}}
		}, "bytes under the relocation at 0"},
		{"relocation target", func(m *ir.Module) { m.Globals[0].Relocs = []ir.Reloc{{Target: "x"}} }, "undefined @x"},
		{"operand type", func(m *ir.Module) { instr(m, ir.Add).Args[1] = 1 }, "operand 2 (%1) has the type i64"},
		{"position", func(m *ir.Module) { instr(m, ir.Add).Args = nil }, "@main: %8 (add) at ?:3: 0 operands"},
		{"truth value", func(m *ir.Module) { instr(m, ir.SLt).Type = ir.IntType(8) }, "result of type i8"},
		{"float width", func(m *ir.Module) { instr(m, ir.Add).Type = ir.FloatType(80) }, "type {float 80}"},
		{"argument", func(m *ir.Module) { instr(m, ir.Call).Args = nil }, "arguments [] do not match @two"},
		{"call result", func(m *ir.Module) { instr(m, ir.Call).Type = ir.IntType(8) }, "type i8, but @two returns i32"},
		{"extracted", func(m *ir.Module) { instr(m, ir.Extract).Aux = 2 }, "type i32, but result 2 of @two is void"},
		{"callee", func(m *ir.Module) { instr(m, ir.Call).Sym = "g" }, `symbol "g"`},
		{"global", func(m *ir.Module) { instr(m, ir.GlobalAddr).Sym = "two" }, `symbol "two"`},
		{"case", func(m *ir.Module) { instr(m, ir.Switch).Cases[0] = bv.New(32, 2) }, "case 2:32 is of another width or appears twice"},
		{"successors", func(m *ir.Module) { instr(m, ir.Switch).Cases = nil }, "3 successors instead of 1"},
		{"constant", func(m *ir.Module) { instr(m, ir.Const).Const = bv.New(8, 1) }, "constant of width 8"},
		{"check", func(m *ir.Module) { instr(m, ir.Check).Aux = 0 }, "Aux is 0"},
		{"phi", func(m *ir.Module) { d := instr(m, ir.Phi); d.Args = d.Args[:1] }, "1 arguments for 3 predecessors"},
		{"dominance", func(m *ir.Module) { instr(m, ir.Load).Args[0] = 10 }, "operand 1 (%10) is not defined on every path"},
		{"phi operand", func(m *ir.Module) { instr(m, ir.Phi).Args[0] = 8 }, "operand 1 (%8) is not defined on every path"},
		{"terminator", func(m *ir.Module) { b := &main(m).Blocks[3]; b.Instrs = b.Instrs[:1] }, "one terminator, at its end"},
		{"empty", func(m *ir.Module) { main(m).Blocks[3].Instrs = nil }, "block 3 is empty"},
		{"predecessors", func(m *ir.Module) { main(m).Blocks[2].Preds[0] = 3 }, "does not list block"},
		{"reserved", func(m *ir.Module) { d := instr(m, ir.PtrAdd); d.Op = ir.PtrDiff }, "(ptrdiff)"},
		{"vastart", func(m *ir.Module) { *instr(m, ir.Store) = ir.Def{Op: ir.VaStart, Args: []ir.Value{2}, Block: 1} }, "not variadic"},
	} {
		m := counter()
		c.damage(m)
		if err := ir.Verify(m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}
