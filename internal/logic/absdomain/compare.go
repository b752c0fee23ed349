package absdomain

// Comparisons and predicates of overflow: truth values, Ints of width 1.

import "math/bits"

// decide is the truth value if it is known.
func decide(yes, no bool) Int {
	switch {
	case yes && no:
		return Bottom(1)
	case yes:
		return Bool(true)
	case no:
		return Bool(false)
	}
	return Top(1)
}

// compare is the result if an operand is wide or empty.
func compare(x, y Int) (Int, bool) {
	r, ok := either(x, y)
	if ok && r.Width == 0 {
		return Top(1), true
	}
	return Bottom(1), ok
}

// Eq is x = y.
func (x Int) Eq(y Int) Int {
	if r, ok := compare(x, y); ok {
		return r
	}
	_, c1 := x.Value()
	_, c2 := y.Value()
	return decide(c1 && c2 && x.ULo == y.ULo, x.Meet(y).IsBottom())
}

// Ne is x ≠ y.
func (x Int) Ne(y Int) Int { return x.Eq(y).Not() }

// ULt is x < y, unsigned.
func (x Int) ULt(y Int) Int {
	if r, ok := compare(x, y); ok {
		return r
	}
	return decide(x.UHi < y.ULo, x.ULo >= y.UHi)
}

// ULe is x <= y, unsigned.
func (x Int) ULe(y Int) Int { return y.ULt(x).Not() }

// SLt is x < y, signed.
func (x Int) SLt(y Int) Int {
	if r, ok := compare(x, y); ok {
		return r
	}
	return decide(x.SHi < y.SLo, x.SLo >= y.SHi)
}

// SLe is x <= y, signed.
func (x Int) SLe(y Int) Int { return y.SLt(x).Not() }

// SAddOvf says whether the signed sum overflows.
func (x Int) SAddOvf(y Int) Int {
	if r, ok := compare(x, y); ok {
		return r
	}
	_, d1 := addSigned(x.SLo, y.SLo, 0, x.Width)
	_, d2 := addSigned(x.SHi, y.SHi, 0, x.Width)
	return decide(d1 == d2 && d1 != 0, d1 == 0 && d2 == 0)
}

// SSubOvf says whether the signed difference overflows.
func (x Int) SSubOvf(y Int) Int {
	if r, ok := compare(x, y); ok {
		return r
	}
	_, d1 := addSigned(x.SLo, -1-y.SHi, 1, x.Width)
	_, d2 := addSigned(x.SHi, -1-y.SLo, 1, x.Width)
	return decide(d1 == d2 && d1 != 0, d1 == 0 && d2 == 0)
}

// UAddOvf says whether the unsigned sum overflows.
func (x Int) UAddOvf(y Int) Int {
	if r, ok := compare(x, y); ok {
		return r
	}
	_, c1 := addUnsigned(x.ULo, y.ULo, 0, x.Width)
	_, c2 := addUnsigned(x.UHi, y.UHi, 0, x.Width)
	return decide(c1 == 1, c2 == 0)
}

// USubOvf says whether the unsigned difference overflows.
func (x Int) USubOvf(y Int) Int { return x.ULt(y) }

// UMulOvf says whether the unsigned product overflows.
func (x Int) UMulOvf(y Int) Int {
	if r, ok := compare(x, y); ok {
		return r
	}
	over := func(a, b uint64) bool {
		hi, lo := bits.Mul64(a, b)
		return hi != 0 || lo > maskOf(x.Width)
	}
	return decide(over(x.ULo, y.ULo), !over(x.UHi, y.UHi))
}

// SMulOvf says whether the signed product overflows.
func (x Int) SMulOvf(y Int) Int {
	if r, ok := compare(x, y); ok {
		return r
	}
	_, _, fits := productRange(x, y)
	always := false
	if !fits && (x.SLo > 0 || x.SHi < 0) && (y.SLo > 0 || y.SHi < 0) {
		// Neither contains 0, so the product of the least magnitude is that of
		// the least magnitudes, and its sign is that of all.
		a, b := x.SLo, y.SLo
		if x.SHi < 0 {
			a = x.SHi
		}
		if y.SHi < 0 {
			b = y.SHi
		}
		_, ok := mulSigned(a, b, x.Width)
		always = !ok
	}
	return decide(always, fits)
}
