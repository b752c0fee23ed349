package ir_test

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"assay/internal/program/ir"
	"assay/internal/program/ir/irtest"
)

func rng(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

func TestRoundTripRandom(t *testing.T) {
	for seed := range uint64(300) {
		m := irtest.Random(rng(seed), irtest.Options{PointerBits: 32 << (seed % 2), Blocks: 12})
		if seed%4 == 0 {
			punchHoles(m)
		}
		if seed%4 == 1 {
			shuffleValues(rng(seed), m)
		}
		if err := ir.Verify(m); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		text := ir.Print(m)
		again, err := ir.Parse(text)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		if !reflect.DeepEqual(ir.Canon(m), ir.Canon(again)) {
			t.Fatalf("seed %d differs:\n%s\n--- second:\n%s", seed, text, ir.Print(again))
		}
	}
}

// punchHoles removes checks and such, as passes do, so that numbers are missing
// in the middle and at the end.
func punchHoles(m *ir.Module) {
	for _, f := range m.Funcs {
		for b := range f.Blocks {
			blk := &f.Blocks[b]
			blk.Instrs = slices.DeleteFunc(blk.Instrs, func(v ir.Value) bool {
				op := f.Def(v).Op
				gone := op == ir.Check || op == ir.Store || op == ir.Dbg
				if gone {
					*f.Def(v) = ir.Def{}
				}
				return gone
			})
		}
		f.Values = append(f.Values, ir.Def{}, ir.Def{})
	}
}

// shuffleValues renumbers the values of all functions at random and reverses
// lists of predecessors, and makes some constants twice.
func shuffleValues(r *rand.Rand, m *ir.Module) {
	for _, f := range m.Funcs {
		for _, d := range f.Values {
			if ir.IsConst(d.Op) && r.IntN(4) == 0 {
				f.Values = append(f.Values, d)
			}
		}
		n := len(f.Values)
		to := make([]ir.Value, n)
		for i, p := range r.Perm(n - 1) {
			to[i+1] = ir.Value(p + 1)
		}
		values := make([]ir.Def, n)
		rename := func(vs []ir.Value) {
			for i := range vs {
				vs[i] = to[vs[i]]
			}
		}
		for v, d := range f.Values {
			rename(d.Args)
			values[to[v]] = d
		}
		f.Values = values
		rename(f.Params)
		for b := range f.Blocks {
			blk := &f.Blocks[b]
			rename(blk.Instrs)
			slices.Reverse(blk.Preds)
			for _, v := range blk.Instrs {
				if f.Def(v).Op == ir.Phi {
					slices.Reverse(f.Def(v).Args)
				}
			}
		}
	}
}

// TestVerifyFindsMutations damages modules and demands a complaint, or that the
// damage is none: then the text must round-trip all the same. Nothing may panic.
func TestVerifyFindsMutations(t *testing.T) {
	found := 0
	for seed := range uint64(2000) {
		r := rng(seed)
		m := irtest.Random(r, irtest.Options{})
		mutate(r, m)
		if ir.Verify(m) != nil {
			found++
			continue
		}
		if again, err := ir.Parse(ir.Print(m)); err != nil || !reflect.DeepEqual(ir.Canon(m), ir.Canon(again)) {
			t.Fatalf("seed %d: %v\n%s", seed, err, ir.Print(m))
		}
	}
	if found < 1500 {
		t.Errorf("only %d of 2000 mutations were noticed", found)
	}
}

func mutate(r *rand.Rand, m *ir.Module) {
	for {
		f := m.Funcs[r.IntN(len(m.Funcs))]
		if len(f.Values) < 2 {
			continue
		}
		d := f.Def(ir.Value(1 + r.IntN(len(f.Values)-1)))
		v := ir.Value(r.IntN(len(f.Values)+2) - 1)
		switch r.IntN(12) {
		case 0:
			d.Op = ir.Op(r.IntN(int(ir.Unsupported) + 3))
		case 1:
			d.Type = ir.Type{Kind: ir.Kind(r.IntN(5)), Bits: uint32(r.IntN(65))}
		case 2:
			if len(d.Args) == 0 {
				continue
			}
			d.Args[r.IntN(len(d.Args))] = v
		case 3:
			d.Args = append(d.Args, v)
		case 4:
			d.Aux += int64(r.IntN(50)) - 20
		case 5:
			d.Sym += "x"
		case 6:
			d.Block = ir.BlockID(r.IntN(len(f.Blocks)+2) - 1)
		case 7:
			if len(d.Succs) == 0 {
				continue
			}
			d.Succs[r.IntN(len(d.Succs))] = ir.BlockID(r.IntN(len(f.Blocks)+2) - 1)
		case 8:
			if len(f.Blocks) < 2 {
				continue
			}
			blk := &f.Blocks[1+r.IntN(len(f.Blocks)-1)]
			blk.Instrs[r.IntN(len(blk.Instrs))] = v
		case 9:
			if len(f.Blocks) < 2 {
				continue
			}
			blk := &f.Blocks[1+r.IntN(len(f.Blocks)-1)]
			r.Shuffle(len(blk.Instrs), func(i, j int) { blk.Instrs[i], blk.Instrs[j] = blk.Instrs[j], blk.Instrs[i] })
		case 10:
			if len(f.Blocks) < 2 {
				continue
			}
			blk := &f.Blocks[1+r.IntN(len(f.Blocks)-1)]
			blk.Preds = append(blk.Preds, ir.BlockID(r.IntN(len(f.Blocks)+2)-1))
		case 11:
			f.Params = append(f.Params, v)
		}
		return
	}
}

func TestParseErrors(t *testing.T) {
	const head = "module 64 entry @main\n"
	body := func(s string) string { return head + "func @main() {\nb1:\n" + s + "\n  ret\n}\n" }
	for _, c := range []struct{ src, want string }{
		{"", "1:1: empty text"},
		{"modul", "1:1: expected \"module\""},
		{"module 16 entry @m", "32 or 64 bits"},
		{head + "func @main() {\n", "without closing brace"},
		{head + "global @g size 4 init \"12345\"", "initialiser does not fit"},
		{head + "global @g size 4 aling 4", "2:18: unexpected \"aling\""},
		{head + "file \"abc", "2:6: malformed string"},
		{head + "  ?", "2:3: unexpected character"},
		{body("  %1 = add i32 %1"), "4:18: expected \",\", found end of line"},
		{body("  %1 = add i0 %1, %1"), "4:12: no such type"},
		{body("  %1 = ad i32 %1, %1"), "4:8: no such instruction: ad"},
		{body("  %1 = add i32 %2, i8 1"), "4:16: undefined value %2"},
		{body("  %1 = add i8 i8 256, i8 1"), "4:18: \"256\" is no literal of type i8"},
		{body("  %1 = freeze f32 f32 1.5x"), "no literal of type f32"},
		{body("  %1 = freeze i8 i8 1\n  %1 = freeze i8 i8 1"), "5:3: %1 is defined twice"},
		{body("  br b7\nb2:"), "4:6: undefined label b7"},
		{body("  store i8 1, @nowhere"), "4:15: undefined @nowhere"},
		{body("  check nothing i1 1 \"\""), "4:9: no such mode of check"},
		{body("  add i8 i8 1, i8 2"), "4:3: the result of add needs a name"},
		{body("  ret\nb1:"), "5:1: label b1 is defined twice"},
		{body("  ret\nb2:\nb3:"), "block 2 of @main is empty"},
		{body("  %1 = phi i8 [i8 1, b1]"), "1 arguments for 0 predecessors"},
		{body("  %1 = nondet i8 input !1:2"), "4:24: a position is"},
		{body("  %9999 = nondet i8 input"), "numbers up to 9999"},
		{body("  switch i8 1, b2, 256: b2\nb2:"), "case 256 is no value of type i8"},
	} {
		_, err := ir.Parse(c.src)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.src, err, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	m, err := ir.Parse(`module 64 entry @main
file "f.c"
func @main() {
entry:
  %x = nondet i32 input "n" !0:9:3
  %y = add i32 %x, i32 -1
  %z = eq i1 %y, %x
  check overflow %z "sum" !0:9
}
`)
	if m != nil || err == nil {
		t.Error("a short position was accepted")
	}
	m, err = ir.Parse(`module 64 entry @main
file "f.c"
func @main() {
entry:
  %x = nondet i32 input "n" !0:9:3
  %y = add i32 %x, i32 -1
  br entry2
entry2:
  ret
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Func("main")
	if got := ir.PrintInstr(m, f, f.Blocks[1].Instrs[2]); got != "br entry2" {
		t.Error(got)
	}
	if got := m.PosString(ir.Pos{}) + m.PosString(f.Def(f.Blocks[1].Instrs[0]).Pos); got != "?f.c:9:3" {
		t.Error(got)
	}
	for k := ir.CheckNone; k <= ir.Incompatible; k++ {
		if got, ok := ir.ParseCheckKind(k.String()); !ok || got != k {
			t.Errorf("%d %s", k, k)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(ir.Sample)
	f.Add("module 32 entry @m\nfunc @m() {\nb1:\n  ret\n}\n")
	for seed := range uint64(2) {
		f.Add(ir.Print(irtest.Random(rng(seed), irtest.Options{Blocks: 4, Instrs: 4})))
	}
	f.Fuzz(func(t *testing.T, src string) {
		m, err := ir.Parse(src)
		if err != nil || ir.Verify(m) != nil {
			return
		}
		again, err := ir.Parse(ir.Print(m))
		if err != nil || !reflect.DeepEqual(ir.Canon(m), ir.Canon(again)) {
			t.Fatalf("%v\n%s", err, ir.Print(m))
		}
	})
}
