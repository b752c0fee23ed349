package llvm

/*
#include "llvm-c/Core.h"
#include "llvm-c/Target.h"
*/
import "C"

import (
	"cmp"
	"slices"
)

// This file decides whether a local may be promoted (see promote.go).

// uses are the uses of an alloca, if all of them are simple.
type uses struct {
	simple bool
	// events are the accesses and the ends of the lifetime.
	events map[C.LLVMValueRef]eventKind
	starts []C.LLVMValueRef
	ends   []C.LLVMValueRef
}

type eventKind uint8

const (
	access eventKind = iota
	start
	end
)

// place is a pointer into the object, at a constant offset.
type place struct {
	pointer C.LLVMValueRef
	offset  int64
}

// usesOf collects the uses of an alloca.
func (s *Session) usesOf(object C.LLVMValueRef) *uses {
	t := C.LLVMGetAllocatedType(object)
	if C.LLVMTypeIsSized(t) == 0 || C.LLVMGetTypeKind(t) == C.LLVMScalableVectorTypeKind || C.LLVMGetPointerAddressSpace(C.LLVMTypeOf(object)) != 0 {
		return &uses{}
	}
	size := int64(C.LLVMABISizeOfType(s.layout, t))
	u := &uses{events: map[C.LLVMValueRef]eventKind{}}
	work := []place{{object, 0}}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		for use := C.LLVMGetFirstUse(at.pointer); use != nil; use = C.LLVMGetNextUse(use) {
			user := C.LLVMGetUser(use)
			if C.LLVMGetValueKind(user) != C.LLVMInstructionValueKind {
				return &uses{}
			}
			n := int64(-1) // the bytes accessed
			switch C.LLVMGetInstructionOpcode(user) {
			case C.LLVMLoad:
				n = s.storeSize(C.LLVMTypeOf(user))
			case C.LLVMStore:
				if C.LLVMGetOperand(user, 0) != at.pointer {
					n = s.storeSize(C.LLVMTypeOf(C.LLVMGetOperand(user, 0)))
				}
			case C.LLVMGetElementPtr:
				offset, ok := s.constantOffset(user)
				if !ok || C.LLVMGetOperand(user, 0) != at.pointer {
					return &uses{}
				}
				work = append(work, place{user, at.offset + offset})
				continue
			case C.LLVMCall:
				switch intrinsicOf(user) {
				case memcpy, memmove, memset:
					n = constantLength(user)
				case lifetimeStart, lifetimeEnd:
					covered := int64(C.LLVMConstIntGetSExtValue(C.LLVMGetOperand(user, 0)))
					if at.offset != 0 || covered != -1 && covered != size {
						return &uses{}
					}
					if intrinsicOf(user) == lifetimeStart {
						u.starts = append(u.starts, user)
						u.events[user] = start
					} else {
						u.ends = append(u.ends, user)
						u.events[user] = end
					}
					continue
				}
			}
			if n < 0 || at.offset < 0 || n > size || at.offset > size-n {
				return &uses{}
			}
			u.events[user] = access
		}
	}
	u.simple = true
	return u
}

func (u *uses) ended() bool { return len(u.ends) > 0 }

func (s *Session) storeSize(t C.LLVMTypeRef) int64 {
	if C.LLVMGetTypeKind(t) == C.LLVMScalableVectorTypeKind {
		return -1
	}
	return int64(C.LLVMStoreSizeOfType(s.layout, t))
}

// constantLength is the length of a memcpy, memmove or memset, -1 if it is not constant.
func constantLength(call C.LLVMValueRef) int64 {
	n := C.LLVMGetOperand(call, 2)
	if C.LLVMGetValueKind(n) != C.LLVMConstantIntValueKind {
		return -1
	}
	return int64(C.LLVMConstIntGetZExtValue(n))
}

// constantOffset is what a getelementptr with constant indices adds.
func (s *Session) constantOffset(gep C.LLVMValueRef) (offset int64, ok bool) {
	const limit = 1 << 40 // sizes and indices beyond are left alone
	t := C.LLVMGetGEPSourceElementType(gep)
	for i := range C.LLVMGetNumOperands(gep) {
		if i == 0 {
			continue
		}
		index := C.LLVMGetOperand(gep, C.uint(i))
		if C.LLVMGetValueKind(index) != C.LLVMConstantIntValueKind || C.LLVMGetIntTypeWidth(C.LLVMTypeOf(index)) > 64 {
			return 0, false
		}
		n := int64(C.LLVMConstIntGetSExtValue(index))
		if n > limit || n < -limit {
			return 0, false
		}
		if i > 1 {
			if C.LLVMGetTypeKind(t) == C.LLVMStructTypeKind {
				offset += int64(C.LLVMOffsetOfElement(s.layout, t, C.uint(n)))
				t = C.LLVMStructGetTypeAtIndex(t, C.uint(n))
				continue
			}
			t = C.LLVMGetElementType(t)
		}
		if C.LLVMGetTypeKind(t) == C.LLVMScalableVectorTypeKind {
			return 0, false
		}
		size := int64(C.LLVMABISizeOfType(s.layout, t))
		if size > limit || n != 0 && size > limit/max(n, -n) {
			return 0, false
		}
		offset += n * size
	}
	return offset, true
}

// flowGraph is the control-flow graph of a function, by block number.
type flowGraph struct {
	blocks     []C.LLVMBasicBlockRef
	index      map[C.LLVMBasicBlockRef]int
	successors [][]int
	// numbers are the instructions of numbered blocks in their order. What is inserted later has none.
	numbers map[C.LLVMValueRef]int
}

func newFlowGraph(f C.LLVMValueRef) *flowGraph {
	g := &flowGraph{index: map[C.LLVMBasicBlockRef]int{}, numbers: map[C.LLVMValueRef]int{}}
	for b := C.LLVMGetFirstBasicBlock(f); b != nil; b = C.LLVMGetNextBasicBlock(b) {
		g.index[b] = len(g.blocks)
		g.blocks = append(g.blocks, b)
	}
	g.successors = make([][]int, len(g.blocks))
	for i, b := range g.blocks {
		last := C.LLVMGetBasicBlockTerminator(b)
		for k := range C.LLVMGetNumSuccessors(last) {
			g.successors[i] = append(g.successors[i], g.index[C.LLVMGetSuccessor(last, k)])
		}
	}
	return g
}

// inCycle says whether control can come back to the block.
func (g *flowGraph) inCycle(b int) bool {
	seen := make([]bool, len(g.blocks))
	work := append([]int(nil), g.successors[b]...)
	for len(work) > 0 {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		if x == b {
			return true
		}
		if !seen[x] {
			seen[x] = true
			work = append(work, g.successors[x]...)
		}
	}
	return false
}

// order sorts instructions of a block. A block is gone through once for all objects that have uses there.
func (g *flowGraph) order(block int, list []C.LLVMValueRef) {
	if len(list) < 2 {
		return
	}
	if slices.ContainsFunc(list, func(x C.LLVMValueRef) bool { _, ok := g.numbers[x]; return !ok }) {
		n := 0
		for x := C.LLVMGetFirstInstruction(g.blocks[block]); x != nil; x = C.LLVMGetNextInstruction(x) {
			g.numbers[x] = n
			n++
		}
	}
	slices.SortFunc(list, func(a, b C.LLVMValueRef) int { return cmp.Compare(g.numbers[a], g.numbers[b]) })
}

// respectsLifetime says that no access is reachable from an end of the
// lifetime without passing a start.
func (g *flowGraph) respectsLifetime(u *uses) bool {
	// The events of each block, in order.
	users := map[int][]C.LLVMValueRef{}
	for user := range u.events {
		i := g.index[C.LLVMGetInstructionParent(user)]
		users[i] = append(users[i], user)
	}
	inBlock := map[int][]eventKind{}
	tail := map[int][]eventKind{} // those after the last end of the block
	for i, list := range users {
		g.order(i, list)
		for _, user := range list {
			inBlock[i] = append(inBlock[i], u.events[user])
		}
		for j, k := range inBlock[i] {
			if k == end {
				tail[i] = inBlock[i][j+1:]
			}
		}
	}
	// An access right after an end within the block: scan every block.
	for _, list := range inBlock {
		dead := false
		for _, k := range list {
			if k == access && dead {
				return false
			}
			dead = k == end || dead && k != start
		}
	}
	seen := make([]bool, len(g.blocks))
	var work []int
	for b, rest := range tail {
		if !contains(rest, start) {
			work = append(work, g.successors[b]...)
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[b] {
			continue
		}
		seen[b] = true
		if list := inBlock[b]; len(list) > 0 {
			if list[0] == access {
				return false
			}
			if contains(list, start) {
				continue // ends after it are in tail
			}
		}
		work = append(work, g.successors[b]...)
	}
	return true
}

func contains(list []eventKind, k eventKind) bool {
	for _, x := range list {
		if x == k {
			return true
		}
	}
	return false
}
