package frontend

import (
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file imports terminators, and with them the arguments of phis: these
// are evaluated at the end of the predecessor, once for all edges to the same
// block.

// phiArguments evaluates the arguments of the phis of a successor.
func (f *function) phiArguments(from, to *llvm.Block) {
	for _, phi := range to.Instrs {
		if phi.Op != llvm.Phi {
			return
		}
		for i, b := range phi.Blocks {
			if b != from {
				continue
			}
			if f.checks.phis[phi] != nil {
				break // computed already, see flattenDiamond
			}
			if f.representable(phi) != "" {
				return // the block says so and ends
			}
			for k, v := range f.operand(phi.Args[i]) {
				f.incoming = append(f.incoming, incoming{phi, k, v, f.b.Current()})
			}
			break // several edges from one block carry the same value
		}
	}
}

// jump evaluates the arguments of the phis of all distinct successors.
func (f *function) jump(from *llvm.Block, to ...*llvm.Block) {
	done := map[*llvm.Block]bool{}
	for _, b := range to {
		if !done[b] {
			done[b] = true
			f.phiArguments(from, b)
		}
	}
	f.end()
}

func (f *function) target(b *llvm.Block) ir.BlockID { return f.blocks[b.Index] }

// branch imports a br.
func (f *function) branch(i *llvm.Inst, from *llvm.Block) {
	if len(i.Args) == 0 {
		f.jump(from, i.Blocks[0])
		f.b.Br(f.target(i.Blocks[0]))
		return
	}
	if f.sanitizerBranch(i, from) {
		return
	}
	if c, ok := i.Args[0].(*llvm.Const); ok && c.Kind == llvm.IntConst {
		to := i.Blocks[1]
		if c.Bits.IsTrue() {
			to = i.Blocks[0]
		}
		f.jump(from, to)
		f.b.Br(f.target(to))
		return
	}
	condition := f.scalar(i.Args[0])
	f.jump(from, i.Blocks...)
	f.b.CondBr(condition, f.target(i.Blocks[0]), f.target(i.Blocks[1]))
}

func (f *function) switchInst(i *llvm.Inst, from *llvm.Block) {
	value := f.scalar(i.Args[0])
	f.jump(from, i.Blocks...)
	var succs []ir.BlockID
	for _, b := range i.Blocks[1:] {
		succs = append(succs, f.target(b))
	}
	f.b.Switch(value, f.target(i.Blocks[0]), i.Cases, succs)
}

// indirectBranch imports a computed goto: a switch over the numbers of the
// labels. Any other address is undefined behaviour.
func (f *function) indirectBranch(i *llvm.Inst, from *llvm.Block) {
	number := f.b.Op(ir.PtrToInt, f.im.m.WordType(), f.scalar(i.Args[0]))
	f.jump(from, i.Blocks...)
	var cases []bv.BV
	var succs []ir.BlockID
	seen := map[*llvm.Block]bool{}
	for _, b := range i.Blocks {
		if n := f.im.labels[b]; n != 0 && !seen[b] {
			seen[b] = true
			cases = append(cases, bv.New(f.im.p.PointerBits, n))
			succs = append(succs, f.target(b))
		}
	}
	wrong := f.b.Block("nolabel")
	f.b.Switch(number, wrong, cases, succs)
	f.b.At(wrong)
	f.b.Unreachable()
}

func (f *function) returnInst(i *llvm.Inst) {
	var results []ir.Value
	for _, a := range i.Args {
		results = append(results, f.operand(a)...)
	}
	if f.src.Name == f.im.opts.entry() && returnsScalar(f.src) {
		f.output([][]ir.Value{results})
	}
	f.b.Ret(results...)
	f.end()
}
