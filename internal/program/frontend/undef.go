package frontend

import (
	"assay/internal/logic/bv"
	"assay/internal/program/llvm"
)

// This file finds the undefs that sroa leaves and that no run reads.
//
// When sroa splits an object that is also read as one integer, it puts the
// integer together again, starting from undef:
//
//	%mask1   = and i64 undef, 0x00000000ffffffff
//	%insert1 = or i64 %mask1, %high
//	%mask2   = and i64 %insert1, 0xffffffff00000000
//	%insert2 = or i64 %mask2, %low
//
// Every bit of the undef is masked away before it is used. Such an undef is
// imported as 0, not as a fresh arbitrary value. Which bits depend on the
// undef is followed exactly, through and, or and xor; anything else that uses
// such a bit makes the undef a visible one.

// userTable lists the instructions that use an instruction.
type userTable map[llvm.Value][]*llvm.Inst

// usersOf are the instructions that use i, debug records apart. The table is
// made when it is first needed.
func (f *function) usersOf(i *llvm.Inst) []*llvm.Inst {
	if f.users == nil {
		f.users = usersIn(f.src)
	}
	return f.users[i]
}

func usersIn(f *llvm.Function) userTable {
	t := userTable{}
	for _, b := range f.Blocks {
		for _, i := range b.Instrs {
			if i.Op == llvm.DbgValue || i.Op == llvm.DbgDeclare {
				continue
			}
			for _, a := range i.Args {
				if _, ok := a.(*llvm.Inst); ok {
					t[a] = append(t[a], i)
				}
			}
			if callee, ok := i.Callee.(*llvm.Inst); ok {
				t[callee] = append(t[callee], i)
			}
		}
	}
	return t
}

// maxWork bounds the search.
const maxWork = 1 << 10

// hiddenUndef says whether the undef operands of an and are invisible.
func (f *function) hiddenUndef(i *llvm.Inst) bool {
	if i.Op != llvm.And || i.Type.Kind != llvm.IntType || !isUndefined(i.Args[0]) {
		return false
	}
	mask, ok := constBits(i.Args[1])
	if !ok {
		return false
	}
	budget := maxWork
	return f.vanishes(i, mask, &budget)
}

// vanishes says whether no use of i depends on the given bits of it.
func (f *function) vanishes(i *llvm.Inst, bits bv.BV, budget *int) bool {
	if bits.IsZero() {
		return true
	}
	for _, user := range f.usersOf(i) {
		if *budget--; *budget < 0 {
			return false
		}
		rest := bits
		switch user.Op {
		case llvm.And:
			for _, a := range user.Args {
				if k, ok := constBits(a); ok {
					rest = rest.And(k)
				}
			}
		case llvm.Or, llvm.Xor:
		case llvm.Trunc:
			rest = rest.Trunc(user.Type.Bits)
		default:
			return false
		}
		if !f.vanishes(user, rest, budget) {
			return false
		}
	}
	return true
}

func constBits(v llvm.Value) (bv.BV, bool) {
	c, ok := v.(*llvm.Const)
	if !ok || c.Kind != llvm.IntConst {
		return bv.BV{}, false
	}
	return c.Bits, true
}
