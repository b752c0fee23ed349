package complexity

import (
	"math/big"
	"testing"

	"assay/internal/logic/linear"
)

// TestContent: fractions of any size have numerators.
func TestContent(t *testing.T) {
	large := linear.FromBigInt(new(big.Int).Lsh(big.NewInt(9), 80))
	seventh := linear.Int(7).Inv()
	for _, x := range []struct{ a, b, content linear.Number }{
		{linear.Int(4), linear.Int(6), linear.Int(2)},
		{linear.Int(4), seventh.Mul(linear.Int(6)), linear.Int(2)},
		{large, seventh.Mul(linear.Int(6)), linear.Int(6)},
		{large.Mul(seventh), linear.Int(6), linear.Int(6)},
		{large.Mul(seventh), large, large},
	} {
		if k := contentOf(linear.Variable(0).Scale(x.a).Add(linear.Variable(1).Scale(x.b))); k.Cmp(x.content) != 0 {
			t.Errorf("%v and %v are multiples of %v, not only of %v", x.a, x.b, x.content, k)
		}
	}
}
