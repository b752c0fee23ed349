package bitblast

import "testing"

func TestNonAdjacent(t *testing.T) {
	for width := 1; width <= 10; width++ {
		for k := range uint64(1) << width {
			var w word
			for i := range width {
				w = append(w, 0)
				if k>>i&1 == 1 {
					w[i] = 1
				}
			}
			var sum int64
			digits := nonAdjacent(w)
			for i, d := range digits {
				sum += int64(d) << i
				if i > 0 && d != 0 && digits[i-1] != 0 {
					t.Fatal(k, digits)
				}
			}
			if uint64(sum)&(1<<width-1) != k {
				t.Fatal(k, digits)
			}
		}
	}
}
