package graph

import (
	"context"
	"errors"
	"testing"

	"assay/internal/engines/symex"
	"assay/internal/evidence/symgraph"
	"assay/internal/program/ir"
)

// TestPartsOfWords writes integers next to one another and reads others from the same
// bytes, for pairs of bytes: engine and checker exclude no value that is read, and
// know it where the engine has a rule.
func TestPartsOfWords(t *testing.T) {
	bytes := []uint64{0, 1, 128, 255}
	for _, a := range bytes {
		for _, b := range bytes {
			word := a | b<<8
			for _, c := range []struct {
				name          string
				write, read   uint32 // bits
				at, want      uint64
				engine        bool
				first, second uint64
			}{
				{"a word of bytes", 8, 16, 0, word, true, a, b},
				{"a long word of bytes and zeros", 8, 32, 0, word, true, a, b},
				{"the low byte of a word", 16, 8, 0, a, false, word, 0},
				{"the high byte of a word", 16, 8, 1, b, false, word, 0},
				{"bytes of two words", 16, 16, 1, b | a<<8, false, word, a | b<<8},
			} {
				for _, is := range []bool{true, false} {
					m := &ir.Module{PointerBits: 64, Entry: "main"}
					f := ir.NewFunc(m, "main")
					f.At(f.Block("entry"))
					p := f.Alloca(8, 8)
					input := func(n uint64) ir.Value {
						v := f.Nondet(ir.IntType(c.write), ir.NondetInput, "n")
						f.Op(ir.Assume, ir.Type{}, f.Cmp(ir.Eq, v, f.Const(c.write, n)))
						return v
					}
					step := uint64(c.write / 8)
					f.Store(f.Const(32, 0), f.PtrAdd(p, f.Word(2*step)))
					f.Store(input(c.first), p)
					f.Store(input(c.second), f.PtrAdd(p, f.Word(step)))
					x := f.Load(ir.IntType(c.read), f.PtrAdd(p, f.Word(c.at)))
					if c.read == 32 {
						f.Store(f.Const(16, 0), f.PtrAdd(p, f.Word(2)))
						x = f.Load(ir.IntType(c.read), p)
					}
					op := ir.Eq
					if !is {
						op = ir.Ne
					}
					f.Check(ir.Assertion, f.Cmp(op, x, f.Const(c.read, c.want)), "the value")
					f.Halt(ir.HaltExit)
					f.Done()
					if err := ir.Verify(m); err != nil {
						t.Fatal(err)
					}
					targets := []ir.CheckKind{ir.Assertion}
					g := symex.Build(context.Background(), m, symex.Options{Targets: targets})
					_, err := Check(context.Background(), m, &symgraph.Graph{Nodes: []symgraph.Node{{}}}, Options{Targets: targets})
					var rejected *ErrRejected
					if err != nil && !errors.As(err, &rejected) {
						t.Fatal(err)
					}
					switch engine, checker := g.Obstacle == nil && len(g.Suspects) == 0, err == nil; {
					case !is && (engine || checker):
						t.Fatalf("%s of %d and %d is excluded: engine %v, checker %v", c.name, c.first, c.second, engine, checker)
					case is && (!checker || c.engine && !engine):
						t.Errorf("%s of %d and %d: engine %v, checker %v", c.name, c.first, c.second, engine, checker)
					}
				}
			}
		}
	}
}
