package checked

// This file has gates: each is a new variable and the clauses that define it, unless
// constants make it something simpler. The same gate is made once.

// yes and no are the constants: a variable that is true.
const (
	yes int32 = 1
	no  int32 = -1
)

type gateKind uint8

const (
	andGate gateKind = iota
	xorGate
	muxGate
	majorityGate
	parityGate
)

type gate struct {
	kind    gateKind
	a, b, c int32
}

func (t *translation) fresh() int32 {
	t.variables++
	return t.variables
}

// clause adds a clause.
func (t *translation) clause(lits ...int32) {
	t.clauses = append(append(t.clauses, lits...), 0)
	t.count++
}

// known is the variable of a gate that was made before, or a new one.
func (t *translation) known(kind gateKind, a, b, c int32) (o int32, made bool) {
	g := gate{kind, a, b, c}
	if o, made = t.gates[g]; !made {
		o = t.fresh()
		t.gates[g] = o
	}
	return o, made
}

func (t *translation) and(a, b int32) int32 {
	switch {
	case a == no || b == no || a == -b:
		return no
	case a == yes || a == b:
		return b
	case b == yes:
		return a
	}
	if a > b {
		a, b = b, a
	}
	o, made := t.known(andGate, a, b, 0)
	if !made {
		t.clause(-o, a)
		t.clause(-o, b)
		t.clause(o, -a, -b)
	}
	return o
}

func (t *translation) or(a, b int32) int32 { return -t.and(-a, -b) }

func (t *translation) xor(a, b int32) int32 {
	switch {
	case a == no:
		return b
	case b == no:
		return a
	case a == yes:
		return -b
	case b == yes:
		return -a
	case a == b:
		return no
	case a == -b:
		return yes
	}
	// The gate is made of variables; negations go outside.
	sign := int32(1)
	if a < 0 {
		a, sign = -a, -sign
	}
	if b < 0 {
		b, sign = -b, -sign
	}
	if a > b {
		a, b = b, a
	}
	o, made := t.known(xorGate, a, b, 0)
	if !made {
		t.clause(-o, a, b)
		t.clause(-o, -a, -b)
		t.clause(o, -a, b)
		t.clause(o, a, -b)
	}
	return sign * o
}

func (t *translation) equal(a, b int32) int32 { return -t.xor(a, b) }

// mux is a where c holds, b elsewhere.
func (t *translation) mux(c, a, b int32) int32 {
	switch {
	case c == yes || a == b:
		return a
	case c == no:
		return b
	case a == yes || a == c:
		return t.or(c, b)
	case a == no || a == -c:
		return t.and(-c, b)
	case b == yes || b == -c:
		return t.or(-c, a)
	case b == no || b == c:
		return t.and(c, a)
	case a == -b:
		return t.equal(c, a)
	}
	if c < 0 {
		c, a, b = -c, b, a
	}
	o, made := t.known(muxGate, c, a, b)
	if !made {
		t.clause(-c, -a, o)
		t.clause(-c, a, -o)
		t.clause(c, -b, o)
		t.clause(c, b, -o)
		// These follow; they let values pass while c is open.
		t.clause(-a, -b, o)
		t.clause(a, b, -o)
	}
	return o
}

// majority is true where two of three are.
func (t *translation) majority(a, b, c int32) int32 {
	a, b, c = sorted(a, b, c)
	switch {
	case a == b || c == b:
		return b
	case a == -b:
		return c
	case b == -c:
		return a
	case a == -c:
		return b
	}
	for _, x := range [3][3]int32{{a, b, c}, {b, a, c}, {c, a, b}} {
		switch x[0] {
		case yes:
			return t.or(x[1], x[2])
		case no:
			return t.and(x[1], x[2])
		}
	}
	o, made := t.known(majorityGate, a, b, c)
	if !made {
		for _, x := range [3][2]int32{{a, b}, {a, c}, {b, c}} {
			t.clause(-x[0], -x[1], o)
			t.clause(x[0], x[1], -o)
		}
	}
	return o
}

// parity is true where an odd number of three is.
func (t *translation) parity(a, b, c int32) int32 {
	sign := int32(1)
	for _, x := range []*int32{&a, &b, &c} {
		if *x < 0 {
			*x, sign = -*x, -sign
		}
	}
	a, b, c = sorted(a, b, c)
	if a == yes || a == b || b == c {
		return sign * t.xor(t.xor(a, b), c)
	}
	o, made := t.known(parityGate, a, b, c)
	if !made {
		for k := range int32(8) {
			// An even number of the four is true: each clause excludes an odd one.
			x, y, z, w := pick(k, 1, a), pick(k, 2, b), pick(k, 4, c), o
			if (k&1)^(k>>1&1)^(k>>2&1) == 1 {
				w = -w
			}
			t.clause(x, y, z, -w)
		}
	}
	return sign * o
}

// pick is a literal, negated if the bit of k is set.
func pick(k, bit, l int32) int32 {
	if k&bit != 0 {
		return -l
	}
	return l
}

func sorted(a, b, c int32) (int32, int32, int32) {
	if a > b {
		a, b = b, a
	}
	if b > c {
		b, c = c, b
	}
	if a > b {
		a, b = b, a
	}
	return a, b, c
}
