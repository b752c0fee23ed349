package frontend

import "assay/internal/program/llvm"

// This file tells functions that look at the low bits of addresses: those of hashes and strings do before they read
// memory a word at a time, and then read the last word to its end, although the object may end before. An address is a
// pointer that a cast makes a number of, also if it is kept in a local, or that a union has as a number: a local to
// which a pointer is stored.

// greatestWord is the size of the largest word, in bytes, of which that is looked for.
const greatestWord = 16

// alignedWord is the size of the largest words whose addresses a function tells from others, in bytes, 0 if it does not.
func alignedWord(f *llvm.Function) (word uint64) {
	var kept map[llvm.Value]bool // locals that hold addresses
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if i.Op != llvm.And && i.Op != llvm.URem {
				continue
			}
			c, ok := i.Args[1].(*llvm.Const)
			if !ok || c.Kind != llvm.IntConst || c.Bits.Width() > 64 {
				continue
			}
			n := c.Bits.Uint64()
			if i.Op == llvm.And {
				n++
			}
			if n <= 1 || n > greatestWord || n&(n-1) != 0 {
				continue
			}
			if kept == nil {
				kept = addressesIn(f)
			}
			if isAddress(i.Args[0], kept) {
				word = max(word, n)
			}
		}
	}
	return word
}

// addressesIn are the locals to which a function stores addresses.
func addressesIn(f *llvm.Function) map[llvm.Value]bool {
	kept := map[llvm.Value]bool{}
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if i.Op != llvm.Store {
				continue
			}
			if local, ok := i.Args[1].(*llvm.Inst); ok && local.Op == llvm.Alloca && (i.Args[0].ValueType().Kind == llvm.PointerType || isAddress(i.Args[0], nil)) {
				kept[local] = true
			}
		}
	}
	return kept
}

// isAddress says that a number is that of a pointer.
func isAddress(v llvm.Value, kept map[llvm.Value]bool) bool {
	i, ok := v.(*llvm.Inst)
	if !ok {
		return false
	}
	switch i.Op {
	case llvm.PtrToInt:
		return true
	case llvm.SExt, llvm.ZExt, llvm.Trunc, llvm.Freeze:
		return isAddress(i.Args[0], kept)
	case llvm.Load:
		return kept[i.Args[0]]
	}
	return false
}
