package absdomain

// Backward refinement: what is known of the operands of an operation when its
// result is known. Every function returns operands that contain all values for
// which the operation can have a result in r; Bottom says that there is none.

// Relation is a comparison.
type Relation uint8

// The relations.
const (
	Equal Relation = iota
	NotEqual
	UnsignedLess
	UnsignedLessEqual
	SignedLess
	SignedLessEqual
)

// Assume refines x and y by the relation between them.
func Assume(rel Relation, x, y Int) (Int, Int) {
	if x.Width == 0 || y.Width == 0 || x.IsBottom() || y.IsBottom() {
		return x, y
	}
	w := uint32(x.Width)
	strict := uint64(0)
	switch rel {
	case Equal:
		m := x.Meet(y)
		return m, y.Meet(m)
	case NotEqual:
		return x.without(y), y.without(x)
	case UnsignedLess, UnsignedLessEqual:
		if rel == UnsignedLess {
			strict = 1
		}
		if strict == 1 && (y.UHi == 0 || x.ULo == maskOf(x.Width)) {
			return Bottom(w), Bottom(w)
		}
		a, b := x, y
		a.UHi = min(a.UHi, y.UHi-strict)
		b.ULo = max(b.ULo, x.ULo+strict)
		return a.reduce(), b.reduce()
	default:
		if rel == SignedLess {
			strict = 1
		}
		top := Top(w)
		if strict == 1 && (y.SHi == top.SLo || x.SLo == top.SHi) {
			return Bottom(w), Bottom(w)
		}
		a, b := x, y
		a.SHi = min(a.SHi, y.SHi-int64(strict))
		b.SLo = max(b.SLo, x.SLo+int64(strict))
		return a.reduce(), b.reduce()
	}
}

// without is x when it differs from y: a constant y is cut off the ends.
func (x Int) without(y Int) Int {
	v, ok := y.Value()
	if !ok {
		return x
	}
	if x.Is(v) {
		return Bottom(uint32(x.Width))
	}
	if x.ULo == v {
		x.ULo++
	}
	if x.UHi == v {
		x.UHi--
	}
	s := signed(v, x.Width)
	if x.SLo == s {
		x.SLo++
	}
	if x.SHi == s {
		x.SHi--
	}
	return x.reduce()
}

// AndBack refines x of x & y = r.
func AndBack(r, x, y Int) Int {
	if x.Width == 0 || r.IsBottom() || y.IsBottom() {
		return x
	}
	x.Ones |= r.Ones
	x.Zeros |= r.Zeros & y.Ones
	x.ULo = max(x.ULo, r.ULo)
	return x.reduce()
}

// OrBack refines x of x | y = r.
func OrBack(r, x, y Int) Int {
	if x.Width == 0 || r.IsBottom() || y.IsBottom() {
		return x
	}
	x.Zeros |= r.Zeros
	x.Ones |= r.Ones & y.Zeros
	x.UHi = min(x.UHi, r.UHi)
	return x.reduce()
}

// ZExtBack refines x of zext(x) = r.
func ZExtBack(r, x Int) Int {
	if x.Width == 0 || r.Width == 0 {
		return x
	}
	return x.Meet(r.Meet(Top(uint32(x.Width)).ZExt(uint32(r.Width))).Trunc(uint32(x.Width)))
}

// SExtBack refines x of sext(x) = r.
func SExtBack(r, x Int) Int {
	if x.Width == 0 || r.Width == 0 {
		return x
	}
	return x.Meet(r.Meet(Top(uint32(x.Width)).SExt(uint32(r.Width))).Trunc(uint32(x.Width)))
}

// TruncBack refines x of trunc(x) = r.
func TruncBack(r, x Int) Int {
	if x.Width == 0 || r.Width == 0 || x.IsBottom() {
		return x
	}
	if r.IsBottom() {
		return Bottom(uint32(x.Width))
	}
	mask := maskOf(r.Width)
	x.Zeros |= r.Zeros
	x.Ones |= r.Ones
	if x.UHi <= mask { // nothing is cut off
		x.ULo, x.UHi = max(x.ULo, r.ULo), min(x.UHi, r.UHi)
	}
	if s := signed(signBit(r.Width), r.Width); s <= x.SLo && x.SHi <= -1-s {
		x.SLo, x.SHi = max(x.SLo, r.SLo), min(x.SHi, r.SHi)
	}
	return x.reduce()
}

// ShlBack refines x of x << n = r, where n is below the width.
func ShlBack(r, x Int, n uint8) Int {
	if x.Width == 0 || r.IsBottom() || x.IsBottom() {
		return x.Meet(r)
	}
	x.Zeros |= r.Zeros >> n
	x.Ones |= r.Ones >> n
	if x.UHi <= maskOf(x.Width)>>n {
		x.UHi = min(x.UHi, r.UHi>>n)
		x.ULo = max(x.ULo, r.ULo>>n)
	}
	return x.reduce()
}

// LShrBack refines x of x >> n = r, with zeros.
func LShrBack(r, x Int, n uint8) Int {
	if x.Width == 0 || x.IsBottom() {
		return x
	}
	mask := maskOf(x.Width)
	r = r.Meet(lshrBy(Top(uint32(x.Width)), n))
	if r.IsBottom() {
		return r
	}
	x.Zeros |= r.Zeros << n & mask
	x.Ones |= r.Ones << n & mask
	x.ULo = max(x.ULo, r.ULo<<n)
	x.UHi = min(x.UHi, r.UHi<<n|low(int(n)))
	return x.reduce()
}

// AShrBack refines x of x >> n = r, with copies of the sign.
func AShrBack(r, x Int, n uint8) Int {
	if x.Width == 0 || x.IsBottom() {
		return x
	}
	r = r.Meet(ashrBy(Top(uint32(x.Width)), n))
	if r.IsBottom() {
		return r
	}
	mask := maskOf(x.Width)
	x.Zeros |= r.Zeros << n & mask
	x.Ones |= r.Ones << n & mask
	x.SLo = max(x.SLo, r.SLo<<n)
	x.SHi = min(x.SHi, r.SHi<<n|int64(low(int(n))))
	return x.reduce()
}

// MulBack refines x of x * c = r, for a constant c other than 0 with which no
// element of x wraps.
func MulBack(r, x Int, c uint64) Int {
	if x.Width == 0 || x.IsBottom() || c == 0 {
		return x
	}
	if r.IsBottom() {
		return r
	}
	if x.UHi <= maskOf(x.Width)/c { // no unsigned wrap
		if r.ULo > 0 {
			x.ULo = max(x.ULo, (r.ULo-1)/c+1)
		}
		x.UHi = min(x.UHi, r.UHi/c)
		x = x.reduce()
	}
	return x
}

// SAddOvfBack refines x when the signed sum x + y overflows, or does not.
func SAddOvfBack(overflows bool, x, y Int) Int {
	if x.Width == 0 || y.Width == 0 || x.IsBottom() || y.IsBottom() {
		return x
	}
	t := Top(uint32(x.Width))
	if !overflows { // min <= x + y <= max for some y
		if y.SLo > 0 {
			x.SHi = min(x.SHi, t.SHi-y.SLo)
		}
		if y.SHi < 0 {
			x.SLo = max(x.SLo, t.SLo-y.SHi)
		}
		return x.reduce()
	}
	if y.SLo >= 0 { // x + y > max
		x.SLo = max(x.SLo, t.SHi-y.SHi)
		return x.without(Const(uint32(x.Width), uint64(t.SHi-y.SHi))).reduce()
	}
	if y.SHi <= 0 { // x + y < min
		x.SHi = min(x.SHi, t.SLo-y.SLo)
		return x.without(Const(uint32(x.Width), uint64(t.SLo-y.SLo))).reduce()
	}
	return x
}

// SSubOvfBack refines x and y when the signed difference x - y does not overflow.
func SSubOvfBack(x, y Int) (Int, Int) {
	if x.Width == 0 || y.Width == 0 || x.IsBottom() || y.IsBottom() {
		return x, y
	}
	t := Top(uint32(x.Width))
	a, b := x, y
	if y.SLo > 0 { // x >= min + y
		a.SLo = max(a.SLo, t.SLo+y.SLo)
	}
	if y.SHi < 0 { // x <= max + y
		a.SHi = min(a.SHi, t.SHi+y.SHi)
	}
	if x.SHi < -1 { // y <= x - min
		b.SHi = min(b.SHi, x.SHi-t.SLo)
	}
	if x.SLo >= 0 { // y >= x - max
		b.SLo = max(b.SLo, x.SLo-t.SHi)
	}
	return a.reduce(), b.reduce()
}
