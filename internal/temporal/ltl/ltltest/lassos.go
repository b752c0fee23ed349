package ltltest

import (
	"fmt"
	"math/bits"

	"assay/internal/temporal/ltl"
)

// Lassos are all lassos of a length that come back to the same observation, over
// the first atoms of Names. Lasso n has the letter n>>(k*atoms) at observation k.
// A Row has a bit for each of them, so that all are evaluated at once.
type Lassos struct {
	Len, Loop, Atoms int
	Count            int // how many there are
	rows             map[[2]int]Row
}

// Row has a bit for each lasso.
type Row []uint64

// Words are all words that lassos of at most a length have. Those that are shorter have
// the words of longer ones, whose stem has some of their loop.
func Words(length, atoms int) []*Lassos {
	var all []*Lassos
	for loop := range length {
		all = append(all, of(length, loop, atoms))
	}
	return all
}

// of are the lassos of one shape.
func of(length, loop, atoms int) *Lassos {
	l := &Lassos{Len: length, Loop: loop, Atoms: atoms, Count: 1 << (length * atoms), rows: map[[2]int]Row{}}
	for atom := range atoms {
		for at := range length {
			r := l.Row(false)
			for n := range l.Count {
				if n>>(at*atoms+atom)&1 != 0 {
					r[n/64] |= 1 << (n % 64)
				}
			}
			l.rows[[2]int{atom, at}] = r
		}
	}
	return l
}

// Shapes are the lassos of at most a length.
func Shapes(length, atoms int) []*Lassos {
	var all []*Lassos
	for n := 1; n <= length; n++ {
		for loop := range n {
			all = append(all, of(n, loop, atoms))
		}
	}
	return all
}

// Row is a new row, with all bits set or none.
func (l *Lassos) Row(set bool) Row {
	r := make(Row, (l.Count+63)/64)
	if set {
		for i := range r {
			r[i] = ^uint64(0)
		}
		if l.Count < 64 {
			r[0] = 1<<l.Count - 1
		}
	}
	return r
}

// Next is the observation that follows one.
func (l *Lassos) Next(at int) int {
	if at+1 == l.Len {
		return l.Loop
	}
	return at + 1
}

// Atom says of which lassos an atom is true at an observation. The row is not to be
// changed.
func (l *Lassos) Atom(atom, at int) Row { return l.rows[[2]int{atom, at}] }

// Lasso is one of them.
func (l *Lassos) Lasso(n int) *ltl.Lasso {
	return &ltl.Lasso{Len: l.Len, Loop: l.Loop, Holds: func(a ltl.Atom, at int) bool {
		for i, name := range Names {
			if name == a.Text {
				return n>>(at*l.Atoms+i)&1 != 0
			}
		}
		panic("no atom " + a.Text)
	}}
}

// Evaluate says of which lassos a formula is true, at each observation. Untils are
// least fixpoints here, and releases greatest ones.
func (l *Lassos) Evaluate(f ltl.Formula) []Row {
	memo := map[ltl.Formula][]Row{}
	for _, g := range ltl.Subformulas(f) {
		memo[g] = l.evaluate(memo, g)
	}
	return memo[f]
}

func (l *Lassos) evaluate(memo map[ltl.Formula][]Row, f ltl.Formula) []Row {
	rows := make([]Row, l.Len)
	switch f := f.(type) {
	case ltl.Constant:
		for i := range rows {
			rows[i] = l.Row(bool(f))
		}
	case ltl.Prop:
		for k, name := range Names {
			if name == f.Atom.Text {
				for i := range rows {
					rows[i] = l.Atom(k, i)
				}
			}
		}
	case ltl.Unary:
		g := memo[f.F]
		none := l.fill(false)
		all := l.fill(true)
		for i := range rows {
			switch f.Op {
			case ltl.NotOp:
				rows[i] = l.combine(g[i], all[i], func(x, y uint64) uint64 { return y &^ x })
			case ltl.NextOp:
				rows[i] = g[l.Next(i)]
			}
		}
		switch f.Op {
		case ltl.FinallyOp:
			return l.fixpoint(false, all, g)
		case ltl.GloballyOp:
			return l.fixpoint(true, g, none)
		}
	case ltl.Binary:
		a, b := memo[f.L], memo[f.R]
		all := l.fill(true)
		switch f.Op {
		case ltl.UntilOp:
			return l.fixpoint(false, a, b)
		case ltl.WeakUntilOp:
			return l.fixpoint(true, a, b)
		case ltl.ReleaseOp:
			// b, and a or the same at the next observation.
			both := make([]Row, l.Len)
			for i := range both {
				both[i] = l.combine(a[i], b[i], func(x, y uint64) uint64 { return x & y })
			}
			return l.fixpoint(true, b, both)
		}
		for i := range rows {
			rows[i] = l.combine(a[i], b[i], func(x, y uint64) uint64 {
				switch f.Op {
				case ltl.AndOp:
					return x & y
				case ltl.OrOp:
					return x | y
				case ltl.XorOp:
					return x ^ y
				case ltl.IffOp:
					return ^(x ^ y)
				case ltl.ImpliesOp:
					return ^x | y
				}
				panic(fmt.Sprintf("operator %d", f.Op))
			})
			rows[i] = l.combine(rows[i], all[i], func(x, y uint64) uint64 { return x & y })
		}
	}
	return rows
}

func (l *Lassos) fill(set bool) []Row {
	rows := make([]Row, l.Len)
	for i := range rows {
		rows[i] = l.Row(set)
	}
	return rows
}

func (l *Lassos) combine(a, b Row, f func(x, y uint64) uint64) Row {
	r := l.Row(false)
	for i := range r {
		r[i] = f(a[i], b[i])
	}
	return r
}

// fixpoint is that of x = now or (stay and x at the next observation), from all
// true or all false.
func (l *Lassos) fixpoint(greatest bool, stay, now []Row) []Row {
	x := l.fill(greatest)
	for changed := true; changed; {
		changed = false
		for i := l.Len - 1; i >= 0; i-- {
			next := x[l.Next(i)]
			for k := range x[i] {
				if v := now[i][k] | stay[i][k]&next[k]; v != x[i][k] {
					x[i][k], changed = v, true
				}
			}
		}
	}
	return x
}

// Differ is a lasso of which two rows say different things.
func (l *Lassos) Differ(a, b Row) (n int, differ bool) {
	for i := range a {
		if d := a[i] ^ b[i]; d != 0 {
			return i*64 + bits.TrailingZeros64(d), true
		}
	}
	return 0, false
}

// Text is a lasso in words, for messages.
func (l *Lassos) Text(n int) string {
	s := ""
	for i := range l.Len {
		if i == l.Loop {
			s += "("
		}
		s += "{"
		for k := range l.Atoms {
			if n>>(i*l.Atoms+k)&1 != 0 {
				s += Names[k]
			}
		}
		s += "}"
	}
	return s + ")"
}
