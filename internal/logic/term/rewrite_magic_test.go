package term

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/internal/logic/bv"
)

// magicTerm is a term over x of n bits with what it is for a value of x.
type magicTerm struct {
	build func(s *Store, x ID) ID
	value func(x bv.BV) bv.BV
	text  string
}

// TestMagic: products and shifts of all small widths, factors and amounts, and the sums in which factors of more bits
// come, have the values that they had, for all numbers.
func TestMagic(t *testing.T) {
	fired := map[string]int{}
	check := func(n uint32, m magicTerm) {
		s := NewStore()
		here := ""
		s.fired = func(rule string) {
			if strings.Contains(rule, "/quotient") || rule == "bvadd/sign" || rule == "bvadd/remainder" {
				here = rule
				fired[rule]++
			}
		}
		x := s.Var("x", BitVec(n))
		got := m.build(s, x)
		if here == "" {
			return
		}
		for v := range uint64(1) << n {
			value := bv.New(n, v)
			e := NewEvaluator(s, func(ID) (bv.BV, bool) { return value, true })
			if a, b := e.Value(got), m.value(value); !a.Equal(b) {
				t.Fatalf("%s: %s by rule %s is %s for x = %s, not %s", m.text, s.String(got), here, a, value, b)
			}
		}
	}
	for n := uint32(2); n <= 4; n++ {
		for _, signed := range []bool{false, true} {
			extend := func(s *Store, x ID, w uint32) ID { return s.ZExt(x, w) }
			wider := func(x bv.BV, w uint32) bv.BV { return x.ZExt(w) }
			if signed {
				extend = func(s *Store, x ID, w uint32) ID { return s.SExt(x, w) }
				wider = func(x bv.BV, w uint32) bv.BV { return x.SExt(w) }
			}
			for w := n + 1; w <= 2*n+1; w++ {
				for factor := range uint64(1) << w {
					for lo := uint32(0); lo < w; lo++ {
						for _, hi := range []uint32{w - 1, min(w-1, lo+n-1)} {
							for _, to := range []uint32{0, n, n + 2} {
								if to != 0 && to < hi-lo+1 {
									continue
								}
								m := magicTerm{text: fmt.Sprintf("bits %d to %d of %d x %d, %d bits, signed %t, to %d", hi, lo, factor, n, w, signed, to)}
								m.build = func(s *Store, x ID) ID {
									e := s.Extract(s.Mul(extend(s, x, w), s.ConstU(w, factor)), hi, lo)
									if to > 0 {
										return extend(s, e, to)
									}
									return e
								}
								m.value = func(x bv.BV) bv.BV {
									e := wider(x, w).Mul(bv.New(w, factor)).Extract(hi, lo)
									if to > 0 {
										return wider(e, to)
									}
									return e
								}
								check(n, m)
							}
						}
					}
				}
			}
			// A high half, and x or half of the difference.
			w := 2 * n
			for factor := range uint64(1) << w {
				for k := uint32(0); k < 2*n; k++ {
					for _, half := range []bool{false, true} {
						k, cut := k%n, k >= n // a shift, or an Extract without the highest bit
						if cut && k > n-2 {
							continue
						}
						m := magicTerm{text: fmt.Sprintf("high part from %d of a sum with the high half of %d x %d, signed %t, halved %t, cut %t", k, factor, n, signed, half, cut)}
						m.build = func(s *Store, x ID) ID {
							h := s.Extract(s.Mul(extend(s, x, w), s.ConstU(w, factor)), w-1, n)
							other := x
							if half {
								other = s.LShr(s.Sub(x, h), s.ConstU(n, 1))
							}
							if cut {
								return s.Extract(s.Add(other, h), n-2, k)
							}
							return s.AShr(s.Add(other, h), s.ConstU(n, uint64(k)))
						}
						m.value = func(x bv.BV) bv.BV {
							h := wider(x, w).Mul(bv.New(w, factor)).Extract(w-1, n)
							other := x
							if half {
								other = x.Sub(h).LShr(bv.New(n, 1))
							}
							if cut {
								return other.Add(h).Extract(n-2, k)
							}
							return other.Add(h).AShr(bv.New(n, uint64(k)))
						}
						check(n, m)
					}
				}
			}
		}
	}
	// Remainders: the product as any sum of shifted quotients, which may be longer.
	rng := rand.New(rand.NewPCG(3, 4))
	const n = 4
	for range 20000 {
		signed, w := rng.IntN(2) == 0, uint32(n+rng.IntN(3))
		d, want := bv.New(n, uint64(2+rng.IntN(6))), uint64(0)
		if rng.IntN(2) == 0 {
			want = -d.Uint64()
		}
		var parts []uint64 // of the factor
		for rest := want; len(parts) < 5; {
			p := uint64(1) << rng.IntN(3)
			if len(parts) == 4 || rng.IntN(4) == 0 {
				p = rest
			}
			parts = append(parts, p)
			if rest -= p; rest == 0 {
				break
			}
		}
		extend := (*Store).ZExt
		wider := bv.BV.ZExt
		divide, quotient := (*Store).UDiv, bv.BV.UDiv
		if signed {
			extend, wider, divide, quotient = (*Store).SExt, bv.BV.SExt, (*Store).SDiv, bv.BV.SDiv
		}
		check(n, magicTerm{
			text: fmt.Sprintf("x and multiples %v of x / %s, signed %t, %d bits", parts, d, signed, w),
			build: func(s *Store, x ID) ID {
				q := extend(s, divide(s, x, s.Const(d)), w)
				sum := ID(0)
				for _, p := range parts {
					term := s.Mul(q, s.ConstU(w, p))
					if sum == 0 {
						sum = term
					} else {
						sum = s.Add(sum, term)
					}
				}
				return s.Add(extend(s, x, w), sum)
			},
			value: func(x bv.BV) bv.BV {
				q := wider(quotient(x, d), w)
				sum := wider(x, w)
				for _, p := range parts {
					sum = sum.Add(q.Mul(bv.New(w, p)))
				}
				return sum
			},
		})
	}
	t.Log(fired)
	for _, rule := range []string{"extract/quotient", "extract/quotient-sum", "extract/quotient-half", "sign_extend/quotient", "bvadd/remainder"} {
		if fired[rule] < 10 {
			t.Errorf("rule %s applied to %d terms only", rule, fired[rule])
		}
	}
}

// TestCompiledDivision: what gcc and clang make of divisions of 32 and 64 bits is a division again.
func TestCompiledDivision(t *testing.T) {
	for text, want := range map[string]string{
		"(extract 63 35 (mul (zext 32 x:32) 3435973837:64))":          "(extract 28 0 (udiv x:32 10:32))",
		"(zext 3 (extract 63 35 (mul (zext 32 x:32) 3435973837:64)))": "(udiv x:32 10:32)",
		"(extract 31 2 (add (extract 63 32 (mul (zext 32 x:32) 613566757:64)) (lshr (sub x:32 (extract 63 32 (mul (zext 32 x:32) 613566757:64))) 1:32)))": "(extract 29 0 (udiv x:32 7:32))",
		"(sub (sext 2 (extract 63 34 (mul (sext 32 x:32) 1717986919:64))) (ashr x:32 31:32))":                                                             "(sdiv x:32 10:32)",
		"(add (sext 2 (extract 63 34 (mul (sext 32 x:32) 1717986919:64))) (zext 31 (extract 63 63 (mul (sext 32 x:32) 1717986919:64))))":                  "(sdiv x:32 10:32)",
		"(sub (ashr (add x:32 (extract 63 32 (mul (sext 32 x:32) -1840700269:64))) 2:32) (ashr x:32 31:32))":                                              "(sdiv x:32 7:32)",
		"(sub x:32 (mul (zext 3 (extract 63 35 (mul (zext 32 x:32) 3435973837:64))) 10:32))":                                                              "(urem x:32 10:32)",
	} {
		s := NewStore()
		if got, want := parse(s, 32, text), parse(s, 32, want); got != want {
			t.Errorf("%s:\n is   %s\n want %s", text, s.String(got), s.String(want))
		}
	}
	s := NewStore()
	x := s.Var("x", BitVec(64))
	product := s.Mul(s.ZExt(x, 128), s.ZExt(s.ConstU(64, 14757395258967641293), 128))
	if got, want := s.Extract(product, 127, 67), s.Extract(s.UDiv(x, s.ConstU(64, 10)), 60, 0); got != want {
		t.Errorf("64 bits: is %s, want %s", s.String(got), s.String(want))
	}
}
