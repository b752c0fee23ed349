package termination

import (
	"context"
	"fmt"
	"testing"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/integers/its"
)

// examples are loops of the kinds that the literature uses to tell techniques
// apart. The rules come after a start symbol with the same arguments.
var examples = []struct {
	name       string
	terminates bool
	text       string
}{
	{"two directions", true, "(RULES s(x) -> a(x) a(x) -> a(x-1) :|: x > 0 a(x) -> a(x+1) :|: x < 0)"},
	{"either of two", true, "(RULES s(x,y) -> a(x,y) a(x,y) -> a(x-1,y) :|: x > 0 a(x,y) -> a(x,y-1) :|: x <= 0 && y > 0)"},
	{"subtract the smaller", true, "(RULES s(x,y) -> a(x,y) :|: x > 0 && y > 0 a(x,y) -> a(x-y,y) :|: x > y a(x,y) -> a(x,y-x) :|: y > x)"},
	{"lexicographic with choice", true, "(RULES s(x,y) -> a(x,y) a(x,y) -> a(x-1,z) :|: x > 0 && y > 0 a(x,y) -> a(x,y-1) :|: x > 0 && y > 0)"},
	{"two phases", true, "(RULES s(x,y) -> a(x,y) a(x,y) -> a(x+y,y-1) :|: x > 0)"},
	{"three phases", true, "(RULES s(x,y,z) -> a(x,y,z) a(x,y,z) -> a(x+y,y+z,z-1) :|: x > 0)"},
	{"a bound that moves", true, "(RULES s(x,y,n) -> a(x,y,n) a(x,y,n) -> a(x,y+1,n) :|: x > 0 && y < n a(x,y,n) -> a(x-1,y,n) :|: x > 0 && y >= n)"},
	{"doubling", true, "(RULES s(x,n) -> a(x,n) :|: x >= 1 a(x,n) -> a(2*x,n) :|: x < n)"},
	{"nested counters", true, `(RULES s(i,j,n) -> a(0,j,n) a(i,j,n) -> b(i,0,n) :|: i < n b(i,j,n) -> b(i,j+1,n) :|: j < i b(i,j,n) -> a(i+1,j,n) :|: j >= i)`},
	{"the sign of the step", true, "(RULES s(x,y) -> a(x,y) :|: y < 0 a(x,y) -> a(x+y,y-1) :|: x > 0)"},
	{"step by an unknown positive amount", true, "(RULES s(x,y) -> a(x,y) a(x,y) -> a(x-y,y) :|: x > 0 && y > 0)"},
	{"sign flips once", true, "(RULES s(x,y) -> a(x,y) a(x,y) -> a(x-y,y) :|: x > 0 && y > 0 a(x,y) -> a(x,1) :|: x > 0 && y <= 0)"},
	{"up, then down", true, "(RULES s(x,d) -> a(x,1) a(x,d) -> a(x+1,d) :|: x < 100 && d = 1 && x > 0 a(x,d) -> a(x,0-1) :|: x >= 100 && d = 1 a(x,d) -> a(x-1,d) :|: x > 0 && d = 0-1)"},
	{"disjoint branches", true, "(RULES s(x,y) -> a(x,y) a(x,y) -> a(y,x-1) :|: x > 0 && y > 0)"},
	{"swap", true, "(RULES s(x,y) -> a(x,y) a(x,y) -> a(y-1,x) :|: x > 0)"},
	{"negation", true, "(RULES s(x) -> a(x) a(x) -> a(0-2*x+10) :|: x > 5)"},
	{"conditional on a parameter", true, "(RULES s(x,y,n) -> a(x,y,n) a(x,y,n) -> a(x+1,y,n) :|: x < n && y > 0 a(x,y,n) -> a(x-1,y,n) :|: x > n && y <= 0)"},
	{"resets with a flag", true, "(RULES s(x,f) -> a(x,0) a(x,f) -> a(z,1) :|: f = 0 a(x,f) -> a(x-1,1) :|: f = 1 && x > 0)"},
	{"a square that grows", true, "(RULES s(x,n) -> a(x,n) :|: x >= 2 a(x,n) -> a(x*x,n) :|: x < n)"},
	{"a nonlinear guard", true, "(RULES s(x,y) -> a(x,y) a(x,y) -> a(x-1,y) :|: x > y*y)"},

	{"an invariant on demand", true, `(RULES s(x,y,z,n) -> a(x,y,z,n) :|: y >= 2 && z <= 1 a(x,y,z,n) -> a(x,y+3,z+2,n-1) :|: n > 0
a(x,y,z,n) -> b(x,y,z,n) b(x,y,z,n) -> b(x-2*y+3*z,y,z,n) :|: x > 0)`},
	{"a sign chosen before the loop", true, "(RULES s(x,y,z) -> a(1,y,z) s(x,y,z) -> a(0-1,y,z) a(x,y,z) -> a(x,y+x,z-x) :|: y < 100 && z < 100)"},

	{"constant", false, "(RULES s(x) -> a(x) a(x) -> a(x) :|: x > 0)"},
	{"parameter decides", false, "(RULES s(x,y) -> a(x,y) a(x,y) -> a(x+y,y) :|: x > 0)"},
	{"misses zero", false, "(RULES s(x) -> a(x) a(x) -> a(x-2) :|: x > 0 a(x) -> a(x-2) :|: x < 0)"},
	{"tripling", false, "(RULES s(x,y) -> a(x,y) a(x,y) -> a(3*x-y,2*y) :|: x > y && y >= 1)"},
	{"periodic", false, "(RULES s(x) -> a(x) a(x) -> a(0-x) :|: x > 0 a(x) -> a(0-x) :|: x < 0)"},
	{"an input keeps it going", false, "(RULES s(x,y) -> a(x,y) a(x,y) -> a(x-y,z) :|: x > 0 && y >= 0)"},
	{"after a long loop", false, "(RULES s(x,i) -> a(x,0) a(x,i) -> a(x,i+1) :|: i < 1000 a(x,i) -> b(x,i) :|: i >= 1000 b(x,i) -> b(x+1,i) :|: x > i)"},
	{"an inner loop", false, `(RULES s(x,i) -> a(x,0) :|: x >= 5 a(x,i) -> b(x,0) :|: x >= 0 b(x,i) -> b(x,i+1) :|: i < 20 b(x,i) -> a(x,i) :|: i >= 20)`},
	{"an inner loop that grows", false, `(RULES s(x,i) -> a(x,0) :|: x >= 5 a(x,i) -> b(x,0) :|: x >= 0 b(x,i) -> b(x,i+1) :|: i < x b(x,i) -> a(x+1,i) :|: i >= x)`},
	{"a branch depends on the state", false, "(RULES s(x) -> a(x) a(x) -> a(x+1) :|: x < 10 a(x) -> a(0) :|: x >= 10)"},
	{"resets itself", false, "(RULES s(x) -> a(0) a(x) -> a(x+1) :|: x < 49 a(x) -> a(0) :|: x = 49)"},
	{"squares", false, "(RULES s(x) -> a(x) a(x) -> a(x*x) :|: x > 0)"},
	{"a product keeps it going", false, "(RULES s(x,y,z) -> a(x,y,z) :|: y >= 1 && z >= 1 a(x,y,z) -> a(y*z-1,y+1,z) :|: x >= 0)"},
	{"a power", false, "(RULES s(n,i,e) -> a(n,1,1) :|: n >= 2 a(n,i,e) -> a(n,i+1,e*n) :|: i <= e)"},
	{"factorial misses", false, "(RULES s(i,f,j) -> a(1,1,j) a(i,f,j) -> a(i+1,f*i,j) :|: f != j)"},
	{"sum of two", false, "(RULES s(x,y) -> a(x,y) a(x,y) -> a(y,x+y) :|: x + y >= 3)"},
	{"gap between branches", false, "(RULES s(x,y) -> a(x,y) a(x,y) -> a(x-1,y+1) :|: x > y a(x,y) -> a(x+1,y-1) :|: x < y)"},
}

func TestExamples(t *testing.T) {
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			s, err := its.ReadKoAT("example", e.text)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			a, err := Decide(ctx, s, Options{Accept: accept.IntegerSystem})
			if err != nil {
				t.Fatal(err)
			}
			switch a.(type) {
			case Terminates:
				if !e.terminates {
					t.Fatal("a wrong proof of termination")
				}
			case Diverges:
				if e.terminates {
					t.Fatal("a wrong refutation")
				}
			default:
				t.Error(fmt.Sprintf("%T: %v", a, a.(Unknown).Reasons))
			}
		})
	}
}
