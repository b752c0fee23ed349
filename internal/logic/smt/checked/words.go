package checked

import "assay/internal/logic/bv"

// This file has circuits of words: literals, the lowest first.

type word []int32

func (t *translation) constant(v bv.BV) word {
	w := make(word, v.Width())
	for i := range w {
		if w[i] = no; v.Bit(uint32(i)) {
			w[i] = yes
		}
	}
	return w
}

func (t *translation) variable(width int) word {
	w := make(word, width)
	for i := range w {
		w[i] = t.fresh()
	}
	return w
}

func inverted(a word) word {
	w := make(word, len(a))
	for i := range w {
		w[i] = -a[i]
	}
	return w
}

func (t *translation) bitwise(f func(a, b int32) int32, a, b word) word {
	w := make(word, len(a))
	for i := range w {
		w[i] = f(a[i], b[i])
	}
	return w
}

func (t *translation) choose(c int32, a, b word) word {
	return t.bitwise(func(x, y int32) int32 { return t.mux(c, x, y) }, a, b)
}

// sum is a + b + carry, and what is carried out.
func (t *translation) sum(a, b word, carry int32) (word, int32) {
	w := make(word, len(a))
	for i := range w {
		w[i], carry = t.parity(a[i], b[i], carry), t.majority(a[i], b[i], carry)
	}
	return w, carry
}

func (t *translation) negated(a word) word {
	w, _ := t.sum(inverted(a), t.constant(bv.New(uint32(len(a)), 0)), yes)
	return w
}

func (t *translation) same(a, b word) int32 {
	all := yes
	for i := range a {
		all = t.and(all, t.equal(a[i], b[i]))
	}
	return all
}

// less says that a < b as unsigned numbers: the highest bit in which they differ is b's.
func (t *translation) less(a, b word) int32 {
	is := no
	for i := range a {
		is = t.majority(-a[i], b[i], is)
	}
	return is
}

// signedLess is less with the signs turned.
func (t *translation) signedLess(a, b word) int32 { return t.less(turned(a), turned(b)) }

func turned(a word) word {
	w := append(word(nil), a...)
	w[len(w)-1] = -w[len(w)-1]
	return w
}

// shifted is a, shifted by an amount: to higher bits if left, else to lower ones; fill comes
// in. All bits go out if the amount is the width or more.
func (t *translation) shifted(a, amount word, left bool, fill int32) word {
	w := append(word(nil), a...)
	n := len(w)
	far := no // a bit of the amount that alone moves everything out
	for k, bit := range amount {
		if k >= 31 || 1<<k >= n {
			far = t.or(far, bit)
			continue
		}
		next := make(word, n)
		for i := range next {
			from := i + 1<<k
			if left {
				from = i - 1<<k
			}
			x := fill
			if from >= 0 && from < n {
				x = w[from]
			}
			next[i] = t.mux(bit, x, w[i])
		}
		w = next
	}
	for i := range w {
		w[i] = t.mux(far, fill, w[i])
	}
	return w
}

// product is a*b modulo 2^width. If it shall be exact, over has a literal for each way in which the
// product of the numbers does not fit: it fits iff all are false.
func (t *translation) product(a, b word, exact bool) (w word, over []int32) {
	if constants(a) > constants(b) {
		a, b = b, a
	}
	n := len(a)
	w = t.constant(bv.New(uint32(n), 0))
	for i, bit := range b {
		if bit == no {
			continue
		}
		t.look()
		part := make(word, n)
		for j := range part {
			if part[j] = no; j >= i {
				part[j] = t.and(a[j-i], bit)
			}
		}
		var carry int32
		w, carry = t.sum(w, part, no)
		if !exact {
			continue
		}
		over = append(over, carry)
		for _, x := range a[n-i:] {
			over = append(over, t.and(x, bit))
		}
	}
	return w, over
}

// constants is the number of constant bits.
func constants(a word) (n int) {
	for _, l := range a {
		if l == yes || l == no {
			n++
		}
	}
	return n
}
