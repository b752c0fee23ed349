package ir

// Overflowing is the addition, subtraction or multiplication whose signed overflow a
// Check excludes, 0 if that cannot be told: the Check negates an overflow predicate, and
// the operation has the same operands and stands in the same block, as the front end
// makes them.
func (f *Func) Overflowing(check Value) Value {
	d := f.Def(check)
	if d.Op != Check || CheckKind(d.Aux) != Overflow {
		return 0
	}
	p := f.Def(d.Args[0])
	if p.Op == Xor {
		one := f.Def(p.Args[1])
		if one.Op != Const || !one.Const.IsTrue() {
			return 0
		}
		p = f.Def(p.Args[0])
	}
	op := map[Op]Op{SAddOvf: Add, SSubOvf: Sub, SMulOvf: Mul}[p.Op]
	if op == 0 {
		return 0
	}
	for _, v := range f.Blocks[d.Block].Instrs {
		if x := f.Def(v); x.Op == op && x.Args[0] == p.Args[0] && x.Args[1] == p.Args[1] {
			return v
		}
	}
	return 0
}
