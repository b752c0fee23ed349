package differential

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// This file generates programs whose outcome depends on addresses: of locals,
// parameters, blocks that end, heap blocks that are freed, resized and allocated again, and
// globals; through casts, comparisons, differences, and copies of pointers by bytes.
//
// A program is a function that returns whether a condition holds at its end. It has
// pointers p, integers u that are addresses, and heap blocks h. The generator keeps to
// what is defined as far as it can see; where assay lists undefined behaviour that it did not
// exclude, nothing is claimed.

// AddressProgram is a function that depends on addresses.
type AddressProgram struct {
	Name string
	// Body is the function, Condition what it computes at its end.
	Body, Condition string
	// Provenance says that optimisers may have another result: a pointer is made from an
	// integer, or addresses of different objects are compared, as pointers or integers. They
	// track where pointers come from, and give locals of which only the
	// address is used one place, though both live.
	Provenance bool
}

// addressPrelude comes before the functions.
const addressPrelude = `#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static int g0, g1[3];
struct pair { char c; int i; };
static struct pair g2;
static uintptr_t of_parameter(int x) { return (uintptr_t)&x; }
static uintptr_t of_local(int n) { int x[2]; x[n & 1] = n; return (uintptr_t)&x[n & 1]; }
static uintptr_t of_struct(struct pair s) { return (uintptr_t)&s.i; }
static int same(int *a, int *b) { *a = 1; *b = 2; return *a; }
static uintptr_t deeper(int n) { int x = n; return n > 0 ? deeper(n - 1) : (uintptr_t)&x; }
`

// addressGenerator makes one program.
type addressGenerator struct {
	r          *rand.Rand
	b          strings.Builder
	depth      int
	provenance bool
	// points says to what the pointers p0… point that are known to be valid for an int:
	// the name of the object, "" if that is not known.
	points [3]string
	// heap says which of the blocks h0, h1 are allocated.
	heap [2]bool
}

// GenerateAddresses makes the program of a seed.
func GenerateAddresses(seed uint64) AddressProgram {
	g := &addressGenerator{r: rand.New(rand.NewPCG(seed, 7))}
	name := fmt.Sprintf("program%d", seed)
	g.line("int %s(void) {", name)
	g.depth = 1
	g.line("int a = 1, b = 2, c[3] = {3, 4, 5}; struct pair s = {6, 7};")
	g.line("int *p0 = &a, *p1 = c, *p2 = &g0; int *h0 = malloc(8), *h1 = malloc(%d); if (!h0 || !h1) return 0;", 4<<g.r.IntN(3))
	g.line("uintptr_t u0 = (uintptr_t)&b, u1 = (uintptr_t)h0, u2 = 0; *h0 = 8; *h1 = 9;")
	g.points = [3]string{"a", "c", "g0"}
	g.heap = [2]bool{true, true}
	for range 2 + g.r.IntN(6) {
		g.statement()
	}
	condition := g.condition()
	for i, on := range g.heap {
		if on {
			condition = strings.ReplaceAll(condition, fmt.Sprintf("*h%d", i), fmt.Sprintf("h%d[0]", i))
		}
	}
	g.line("int result = %s;", condition)
	for i, on := range g.heap {
		if on {
			g.line("free(h%d);", i)
		}
	}
	g.line("(void)a, (void)b, (void)s, (void)p0, (void)p1, (void)p2, (void)u0, (void)u1, (void)u2;")
	g.line("return result;")
	g.b.WriteString("}\n")
	return AddressProgram{Name: name, Body: g.b.String(), Condition: condition, Provenance: g.provenance}
}

func (g *addressGenerator) line(format string, args ...any) {
	fmt.Fprintf(&g.b, strings.Repeat("  ", g.depth)+format+"\n", args...)
}

func (g *addressGenerator) pick(list ...string) string { return list[g.r.IntN(len(list))] }

// object is the address of an int, and the name of what it is in.
func (g *addressGenerator) object() (address, name string) {
	list := [][2]string{{"&a", "a"}, {"&b", "b"}, {"c", "c"}, {"&c[1]", "c"}, {"&c[2]", "c"}, {"&s.i", "s"}, {"&g0", "g0"}, {"g1", "g1"}, {"&g1[2]", "g1"}, {"&g2.i", "g2"}}
	for i, on := range g.heap {
		if on {
			list = append(list, [2]string{fmt.Sprintf("h%d", i), fmt.Sprintf("h%d", i)})
		}
	}
	x := list[g.r.IntN(len(list))]
	return x[0], x[1]
}

// address is an integer that is an address, or near one.
func (g *addressGenerator) address() string {
	switch g.r.IntN(8) {
	case 0:
		return g.pick("of_parameter(1)", "of_parameter(2)", "of_local(3)", "of_local(2)", "of_struct(s)", "deeper(1)", "deeper(2)")
	case 1, 2:
		return g.pick("u0", "u1", "u2")
	case 3:
		return fmt.Sprintf("%s %s %d", g.pick("u0", "u1", "u2"), g.pick("+", "-"), 4<<g.r.IntN(3))
	case 4:
		return fmt.Sprintf("(uintptr_t)%s", g.pick("p0", "p1", "p2"))
	}
	a, _ := g.object()
	return fmt.Sprintf("(uintptr_t)%s%s", parenthesised(a), g.pick("", "", " + 4", " + 8"))
}

func parenthesised(a string) string { return "(" + a + ")" }

func (g *addressGenerator) statement() {
	k := g.r.IntN(3)
	switch g.r.IntN(15) {
	case 0, 1:
		a, name := g.object()
		g.line("p%d = %s;", k, a)
		g.points[k] = name
	case 2, 3:
		g.line("u%d = %s;", k, g.address())
	case 4: // a pointer from an integer, which is used where it is known to be valid
		a, name := g.object()
		g.provenance = true
		g.line("u%d = (uintptr_t)%s; p%d = (int *)u%d;", k, parenthesised(a), k, k)
		g.points[k] = name
	case 5: // a pointer from an integer that happens to be right
		a, _ := g.object()
		g.provenance = true
		g.line("if (%s == (uintptr_t)%s) { p%d = (int *)(%s); *p%d = %d; } else p%d = %s;", g.pick("u0", "u1", "u2"), parenthesised(a), k, g.pick("u0", "u1", "u2"), k, g.r.IntN(20), k, a)
		g.points[k] = ""
	case 6:
		i := g.r.IntN(2)
		if g.heap[i] {
			g.line("u%d = (uintptr_t)h%d; free(h%d);", k, i, i)
			g.forget(fmt.Sprintf("h%d", i))
		} else {
			g.line("h%d = malloc(%d); if (!h%d) return 0; *h%d = %d;", i, 4<<g.r.IntN(3), i, i, g.r.IntN(20))
		}
		g.heap[i] = !g.heap[i]
	case 7:
		i := g.r.IntN(2)
		if g.heap[i] {
			g.line("u%d = (uintptr_t)h%d; { int *q = realloc(h%d, %d); if (!q) return 0; h%d = q; }", k, i, i, 4<<g.r.IntN(4), i)
			g.forget(fmt.Sprintf("h%d", i))
		}
	case 8: // blocks that end
		g.line("{ int x = %d; u%d = (uintptr_t)&x; }", g.r.IntN(5), k)
		if g.r.IntN(2) == 0 {
			g.line("{ int y[2] = {%d}; u%d = (uintptr_t)y; }", g.r.IntN(5), g.r.IntN(3))
		}
	case 9: // bytes of pointers
		j := g.r.IntN(3)
		if g.r.IntN(2) == 0 {
			g.line("memcpy(&p%d, &p%d, sizeof p0);", k, j)
		} else {
			g.line("for (unsigned i = 0; i < sizeof p0; i++) ((char *)&p%d)[i] = ((char *)&p%d)[i];", k, j)
		}
		g.points[k] = g.points[j]
	case 10:
		if g.points[k] != "" {
			g.line("*p%d = %d;", k, g.r.IntN(20))
		}
	case 11:
		j := g.r.IntN(3)
		if g.points[k] != "" && g.points[j] != "" {
			g.line("a = same(p%d, p%d);", k, j)
		}
	case 12:
		if g.points[k] != "" {
			g.line("{ int t[2]; t[0] = *p%d; t[1] = 1; u%d = (uintptr_t)&t[t[0] & 1]; }", k, g.r.IntN(3))
		}
	default:
		if g.depth < 3 {
			before, heap := g.points, g.heap
			g.line("if (%s) {", g.condition())
			g.depth++
			g.branch()
			g.depth--
			g.line("}")
			for i := range g.points {
				if g.points[i] != before[i] {
					g.points[i] = ""
				}
			}
			g.heap = heap
		}
	}
}

// branch is a statement that leaves the heap as it is.
func (g *addressGenerator) branch() {
	k := g.r.IntN(3)
	switch a, name := g.object(); g.r.IntN(3) {
	case 0:
		g.line("p%d = %s;", k, a)
		g.points[k] = name
	case 1:
		g.line("u%d = %s;", k, g.address())
	default:
		g.line("b = %d;", g.r.IntN(20))
	}
}

// forget drops what is known of pointers into an object.
func (g *addressGenerator) forget(object string) {
	for i := range g.points {
		if g.points[i] == object {
			g.points[i] = ""
		}
	}
}

// condition is one about addresses or content.
func (g *addressGenerator) condition() string {
	switch g.r.IntN(8) {
	case 0, 1:
		g.provenance = true
		return fmt.Sprintf("%s %s %s", g.address(), g.pick("==", "!=", "<"), g.address())
	case 2:
		g.provenance = true
		a, _ := g.object()
		return fmt.Sprintf("%s %s %s", g.pick("p0", "p1", "p2"), g.pick("==", "!=", "<", ">="), a)
	case 3:
		g.provenance = true
		return fmt.Sprintf("%s %s %s", g.pick("p0", "p1", "p2"), g.pick("==", "!="), g.pick("p0", "p1", "p2"))
	case 4:
		return fmt.Sprintf("((%s) & %d) == 0", g.address(), 1<<g.r.IntN(4)-1|3)
	case 5:
		g.provenance = true
		return fmt.Sprintf("%s - (%s) == %d", g.address(), g.address(), 4*(g.r.IntN(7)-3))
	default:
		var values []string
		for i, name := range g.points {
			if name != "" {
				values = append(values, fmt.Sprintf("*p%d", i))
			}
		}
		values = append(values, "a", "b", "c[1]", "g0", "g1[2]")
		return fmt.Sprintf("%s == %d", g.pick(values...), g.r.IntN(10))
	}
}
