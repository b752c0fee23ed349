package certify

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkConstantLoop is a loop of 100,000 iterations that fold.
func BenchmarkConstantLoop(b *testing.B) {
	text := strings.NewReplacer("i64 4000", "i64 400000", "i32 1000", "i32 100000", "i64 3996", "i64 399996", "i32 999", "i32 99999").Replace(constant)
	m := parse(b, "module 64 entry @main\nfile \"a.c\"\n\nfunc @main() {\n"+text+"}\n")
	bounds := resolve(b, m, []bound{{"main", "head", 100000}})
	for b.Loop() {
		if checker, err := Unwinding(context.Background(), m, assertions, bounds); err != nil || checker != byFolding {
			b.Fatal(checker, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100000, "ns/iteration")
}

// BenchmarkSmall is a whole check of a small program whose loop Z3 must close.
func BenchmarkSmall(b *testing.B) {
	m := parse(b, "module 64 entry @main\nfile \"a.c\"\n\nfunc @main() {\n"+countdown+"}\n")
	bounds := resolve(b, m, []bound{{"main", "head", 10}})
	for b.Loop() {
		if _, err := Unwinding(context.Background(), m, assertions, bounds); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCalls is constant recursion with many activations.
func BenchmarkCalls(b *testing.B) {
	m := parse(b, fibonacci)
	bounds := resolve(b, m, []bound{{"fib", "", 20}})
	for b.Loop() {
		if checker, err := Unwinding(context.Background(), m, assertions, bounds); err != nil || checker != byFolding {
			b.Fatal(checker, err)
		}
	}
}

// BenchmarkEncode measures the encoding of random programs alone.
func BenchmarkEncode(b *testing.B) {
	for _, seed := range []int64{34, 88, 143} {
		b.Run(fmt.Sprint(seed), func(b *testing.B) {
			m := randomModule(seed)
			for b.Loop() {
				c := newChecker(context.Background(), m, accesses, allBounds(m, 6))
				if err := c.unwind(m.Func("main")); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
