package frontend

import (
	"path/filepath"
	"slices"

	"assay/internal/program/harness"
	"assay/internal/program/ir"
)

// This file lets a search go on behind violations that are known (harness.Variant.Spared): where a known one would
// happen, the run ends before. What is found then is another violation, and a run of the program as it
// is: what was left out are runs only. A proof would be one of the other runs.

// spare adds the assumptions.
func (im *importer) spare() {
	spared, words := im.opts.Harness.Spared, im.opts.Harness.Wordwise
	if len(spared)+len(words) == 0 {
		return
	}
	known := map[harness.Site]bool{}
	for _, s := range spared {
		known[harness.Site{File: filepath.Base(s.File), Line: s.Line, Column: s.Column}] = true
	}
	for _, f := range im.m.Funcs {
		if len(f.Blocks) == 0 || f.Model {
			continue
		}
		e := &ir.Editor{Module: im.m, Func: f}
		e.Each(func(v ir.Value) {
			d := *f.Def(v)
			if int(d.Pos.File) >= len(im.m.Files) {
				return
			}
			file := filepath.Base(im.m.Files[d.Pos.File])
			if known[harness.Site{File: file, Line: int(d.Pos.Line), Column: int(d.Pos.Col)}] {
				holds(e, &d)
				return
			}
			bytes := uint64(d.Type.Bits+7) / 8
			if d.Op == ir.Load && bytes > 1 && slices.ContainsFunc(words, func(w harness.Wordwise) bool {
				return filepath.Base(w.File) == file && w.First <= int(d.Pos.Line) && int(d.Pos.Line) <= w.Last && bytes <= w.Bytes
			}) {
				wholeWord(e, &d, bytes)
			}
		})
	}
}

// wholeWord emits the assumption that a read which begins in an object ends in it.
func wholeWord(e *ir.Editor, d *ir.Def, bytes uint64) {
	valid := func(n uint64) ir.Value {
		return e.Op(ir.ValidRange, ir.BoolType, d.Args[0], e.Number(e.Module.PointerBits, n))
	}
	e.Op(ir.Assume, ir.Type{}, e.Op(ir.Or, ir.BoolType, e.Not(valid(1)), valid(bytes)))
}

// holds emits the assumption that an instruction violates nothing, as far as its operands tell.
func holds(e *ir.Editor, d *ir.Def) {
	word := e.Module.PointerBits
	assume := func(condition ir.Value) { e.Op(ir.Assume, ir.Type{}, condition) }
	valid := func(pointer, size ir.Value) { assume(e.Op(ir.ValidRange, ir.BoolType, pointer, size)) }
	bytes := func(t ir.Type) ir.Value { return e.Number(word, uint64((t.Bits+7)/8)) }
	sized := func(n ir.Value) ir.Value {
		switch w := e.Func.Type(n).Bits; {
		case w < word:
			return e.Op(ir.ZExt, e.Module.WordType(), n)
		case w > word:
			return e.Op(ir.Trunc, e.Module.WordType(), n)
		}
		return n
	}
	zero := func(v ir.Value) ir.Value { return e.Number(e.Func.Type(v).Bits, 0) }
	switch d.Op {
	case ir.Check:
		assume(d.Args[0])
	case ir.Load:
		valid(d.Args[0], bytes(d.Type))
	case ir.Store:
		valid(d.Args[1], bytes(e.Func.Type(d.Args[0])))
	case ir.MemCpy:
		n := sized(d.Args[2])
		valid(d.Args[0], n)
		valid(d.Args[1], n)
	case ir.MemSet:
		valid(d.Args[0], sized(d.Args[2]))
	case ir.Havoc:
		valid(d.Args[0], sized(d.Args[1]))
	case ir.Free:
		null := e.Op(ir.Eq, ir.BoolType, d.Args[0], e.Define(ir.Def{Op: ir.Null, Type: e.Module.PtrType()}))
		assume(e.Op(ir.Or, ir.BoolType, null, e.Op(ir.IsHeapStart, ir.BoolType, d.Args[0])))
	case ir.UDiv, ir.SDiv, ir.URem, ir.SRem:
		assume(e.Not(e.Op(ir.Eq, ir.BoolType, d.Args[1], zero(d.Args[1]))))
	}
}
