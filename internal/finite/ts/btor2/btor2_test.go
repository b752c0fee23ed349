package btor2

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"assay/internal/finite/ts"
	"assay/internal/logic/bv"
	"assay/internal/logic/term"
)

func TestErrorsNameTheLine(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"1 sort bitvec 0", "line 1: the width is 0"},
		{"1 sort bitvec 4\n2 input 1\n3 sort bitvec 5\n4 input 3\n5 add 1 2 4", "line 5: sort error: bitvec 5 where bitvec 4 is needed"},
		{"1 sort bitvec 4\n2 input 1\n3 bad 2", "line 3: sort error: bitvec 4 where bitvec 1 is needed"},
		{"1 sort bitvec 4\n2 add 1 5 5", "line 2: 5 is not a value defined before"},
		{"1 sort bitvec 4\n1 input 1", "line 2: node 1 comes after node 1"},
		{"1 sort bitvec 4\n2 input 1\n3 next 1 2 2", "line 3: next of something that is not a state"},
		{"1 sort bitvec 4\n2 const 1 101", "line 2: sort error: the constant has 3 bits"},
		{"1 sort bitvec 4\n2 constd 1 16", "line 2: sort error: the constant 16 does not fit in 4 bits"},
		{"1 sort bitvec 4\n2 input 1\n3 slice 1 2 4 1", "line 3: the upper bit is 4 and not between 0 and 3"},
		{"1 sort bitvec 4\n2 fly 1", `line 2: "fly" is not an operation`},
		{"1 sort bitvec 4\n2 state 1\n3 next 1 2 2\n4 next 1 2 2", "line 4: a second next of the state"},
		{"1 sort bitvec 4\n2 sort array 1 1\n3 state 2\n4 add 2 3 3", "line 4: sort error"},
		{"1 sort bitvec 4\n2 state 1 a\n3 state 1 b\n4 init 1 2 3\n5 init 1 3 2", "depends on itself"},
		{"1 sort bitvec 4\n2 input", "line 2: the sort is missing"},
		{"hello", "line 1: the number of the node"},
	} {
		_, err := Read([]byte(c.text))
		var syntax *ts.SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.text, err, c.want)
		}
	}
	_, err := Read([]byte("1 sort bitvec 32\n2 sort array 1 1\n3 state 2\n"))
	var unsupported *ts.Unsupported
	if !errors.As(err, &unsupported) || unsupported.Line != 3 {
		t.Errorf("a large array: %v", err)
	}
}

// reference has the operations on small unsigned numbers, as the paper's table
// says, independently of terms.
func reference(op string, w uint32, x, y uint64) (v uint64, width uint32) {
	mask := uint64(1)<<w - 1
	signed := func(x uint64) int64 { return int64(x<<(64-w)) >> (64 - w) }
	sx, sy := signed(x), signed(y)
	if holds, ok := referenceTruth(op, w, x, y, sx, sy); ok {
		if holds {
			return 1, 1
		}
		return 0, 1
	}
	word := func(v uint64) (uint64, uint32) { return v & mask, w }
	switch op {
	case "inc":
		return word(x + 1)
	case "dec":
		return word(x - 1)
	case "neg":
		return word(-x)
	case "not":
		return word(^x)
	case "redxor":
		n := uint64(0)
		for i := range w {
			n ^= x >> i & 1
		}
		return n, 1
	case "and":
		return word(x & y)
	case "nand":
		return word(^(x & y))
	case "nor":
		return word(^(x | y))
	case "or":
		return word(x | y)
	case "xnor":
		return word(^(x ^ y))
	case "xor":
		return word(x ^ y)
	case "rol", "ror":
		k := uint32(y % uint64(w))
		if op == "ror" {
			k = (w - k) % w
		}
		return word(x<<k | x>>(w-k))
	case "sll":
		return word(x << min(y, 63))
	case "srl":
		return word(x >> min(y, 63))
	case "sra":
		return word(uint64(sx >> min(y, 63)))
	case "add":
		return word(x + y)
	case "mul":
		return word(x * y)
	case "sub":
		return word(x - y)
	case "udiv":
		if y == 0 {
			return word(mask)
		}
		return word(x / y)
	case "urem":
		if y == 0 {
			return word(x)
		}
		return word(x % y)
	case "sdiv":
		if sy == 0 {
			if sx < 0 {
				return word(1)
			}
			return word(mask)
		}
		return word(uint64(sx / sy))
	case "srem":
		if sy == 0 {
			return word(x)
		}
		return word(uint64(sx % sy))
	case "smod":
		if sy == 0 {
			return word(x)
		}
		m := sx % sy
		if m != 0 && (m < 0) != (sy < 0) {
			m += sy
		}
		return word(uint64(m))
	case "concat":
		return x<<w | y, 2 * w
	}
	panic(op)
}

// referenceTruth is reference for operations whose result is a truth value; ok is false for others.
func referenceTruth(op string, w uint32, x, y uint64, sx, sy int64) (holds, ok bool) {
	mask := uint64(1)<<w - 1
	least, most := -(int64(1) << (w - 1)), int64(1)<<(w-1)-1
	beyond := func(v int64) bool { return v < least || v > most }
	switch op {
	case "redand":
		return x == mask, true
	case "redor":
		return x != 0, true
	case "iff", "eq":
		return x == y, true
	case "implies":
		return x == 0 || y == 1, true
	case "neq":
		return x != y, true
	case "sgt":
		return sx > sy, true
	case "ugt":
		return x > y, true
	case "sgte":
		return sx >= sy, true
	case "ugte":
		return x >= y, true
	case "slt":
		return sx < sy, true
	case "ult":
		return x < y, true
	case "slte":
		return sx <= sy, true
	case "ulte":
		return x <= y, true
	case "uaddo":
		return x+y > mask, true
	case "usubo":
		return x < y, true
	case "umulo":
		return x*y > mask, true
	case "saddo":
		return beyond(sx + sy), true
	case "ssubo":
		return beyond(sx - sy), true
	case "smulo":
		return beyond(sx * sy), true
	case "sdivo":
		return sx == least && sy == -1, true
	case "udivo":
		return false, true
	}
	return false, false
}

// TestOperations compares every operation with the reference, exhaustively at
// widths 1 to 4, on terms and on the bits they are blasted to.
func TestOperations(t *testing.T) {
	for op, arity := range arities {
		for w := uint32(1); w <= 4; w++ {
			switch op {
			case "read", "write", "ite", "ne":
				continue
			case "iff", "implies":
				if w > 1 {
					continue
				}
			}
			_, width := reference(op, w, 0, 0)
			text := fmt.Sprintf("1 sort bitvec %d\n2 sort bitvec %d\n3 input 1 x\n4 input 1 y\n5 state 2 r\n", w, width)
			if arity == 1 {
				text += fmt.Sprintf("6 %s 2 3\n", op)
			} else {
				text += fmt.Sprintf("6 %s 2 3 4\n", op)
			}
			m, err := Read([]byte(text + "7 next 2 5 6\n"))
			if err != nil {
				t.Fatalf("%s: %v", op, err)
			}
			s := m.System
			for x := range uint64(1) << w {
				for y := range uint64(1) << w {
					e := term.NewEvaluator(s.Store, func(v term.ID) (bv.BV, bool) {
						if v == s.Inputs[0].Term {
							return bv.New(w, x), true
						}
						return bv.New(w, y), true
					})
					want, _ := reference(op, w, x, y)
					if got := e.Value(s.States[0].Next); got.Uint64() != want {
						t.Errorf("%s at width %d of %d and %d is %v, want %d", op, w, x, y, got, want)
					}
				}
			}
		}
	}
}

// TestArrays runs reads and writes of an array state, by simulation.
func TestArrays(t *testing.T) {
	m, err := Read([]byte(`
1 sort bitvec 2
2 sort bitvec 4
3 sort array 1 2
4 zero 2
5 state 3 mem
6 init 3 5 4
7 input 1 at
8 input 2 value
9 write 3 5 7 8
10 next 3 5 9
11 input 1 from
12 read 2 5 11
13 constd 2 9
14 sort bitvec 1
15 eq 14 12 13
16 bad 15
17 eq 14 5 9
`))
	if err != nil {
		t.Fatal(err)
	}
	witness := "sat\nb0\n#0\n0 [00] 0000 mem@0\n@0\n0 10\n1 1001\n@1\n2 10\n.\n"
	tr, err := m.ReadWitness([]byte(witness))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.System.Simulate(tr); err != nil {
		t.Error(err)
	}
	wrong := strings.Replace(witness, "2 10", "2 01", 1)
	if tr, err = m.ReadWitness([]byte(wrong)); err != nil {
		t.Fatal(err)
	}
	if _, err := m.System.Simulate(tr); err == nil {
		t.Error("a wrong witness is accepted")
	}
}

func TestConstants(t *testing.T) {
	m, err := Read([]byte("1 sort bitvec 70\n2 consth 1 3fffffffffffffffff\n3 constd 1 -1\n4 state 1\n5 next 1 4 -2\n6 state 1\n7 next 1 6 3\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := m.System.Store
	ones := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 70), big.NewInt(1))
	if v := s.ConstValue(m.System.States[0].Next); !v.IsZero() {
		t.Errorf("the negated ones are %v", v)
	}
	if v := s.ConstValue(m.System.States[1].Next); v.Unsigned().Cmp(ones) != 0 {
		t.Errorf("-1 is %v", v)
	}
}

const sample = "1 sort bitvec 1\n2 sort bitvec 3\n3 state 2 c ; a counter\n4 zero 2\n5 init 2 3 4\n6 inc 2 3\n7 input 1 go\n8 ite 2 7 6 3\n9 next 2 3 8\n" +
	"10 ones 2\n11 eq 1 3 10\n12 bad 11 top\n13 justice 2 7 -11\n14 fair 7\n15 constraint -11\n16 output 3\n17 sort array 2 1\n18 state 17 m\n19 read 1 18 3\n20 bad 19\n"

// FuzzRead: no input crashes the reader, and what it reads can be written and
// read again.
func FuzzRead(f *testing.F) {
	f.Add(sample)
	f.Add("1 sort bitvec 8\n2 input 1\n3 rol 1 2 2\n4 smod 1 3 -2\n5 uext 1 4 0\n6 sext 1 5 0\n7 slice 1 6 7 0\n")
	f.Add("1 sort bitvec 2\n2 constd 1 -2\n3 consth 1 3\n4 const 1 01\n5 state 1\n6 init 1 5 2\n")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 || strings.Contains(text, "0000") {
			return // wide vectors and arrays only cost time
		}
		m, err := Read([]byte(text))
		if err != nil {
			return
		}
		var out strings.Builder
		if err := Write(&out, m.System); err != nil {
			return
		}
		again, err := Read([]byte(out.String()))
		if err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		if len(again.System.Bad) != len(m.System.Bad) || len(again.System.Justice) != len(m.System.Justice) {
			t.Fatalf("properties are lost:\n%s", out.String())
		}
	})
}

// FuzzWitness: no witness crashes the reader.
func FuzzWitness(f *testing.F) {
	f.Add("sat\nb0\n#0\n0 000 c@0\n1 [000] 1\n@0\n0 1 go@0\n@1\n0 0\n.\n")
	f.Add("sat\nj0\n#0\n0 000\n@0\n0 1\n.\n")
	m, err := Read([]byte(sample))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if tr, err := m.ReadWitness([]byte(text)); err == nil {
			_, _ = m.System.Simulate(tr)
		}
	})
}
