package abstract

import (
	"cmp"
	"math/big"
	"strings"
	"testing"

	"assay/internal/certify"
	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// This file has wrong contracts for small programs. The checker of proofs function by function (certify/parts.go) must refuse
// each of them: it is what one of its conditions is there for. Beside it stands the contract with which the condition
// is kept, and that is accepted, so that no row is refused for another reason.

// claims are contracts in text, one a line: a function, then "pre" or "post", then a comparison "term <= number",
// "term != number" or "term % modulus == number", or of a difference, "term - term <= number". A term is a parameter by its number from 1 ("1"), "result", a
// global, perhaps with an offset in bytes ("g+4"), or what the global was at the entry ("old g"). A line with a function alone is
// a contract that says nothing.
func claims(t *testing.T, m *ir.Module, text string) (out []invariant.Contract) {
	t.Helper()
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		f := m.Func(words[0])
		if f == nil {
			t.Fatalf("no function %s", words[0])
		}
		k := invariant.Contract{Func: f.Name}
		if len(words) > 1 {
			number := func(s string) *big.Int {
				n, ok := new(big.Int).SetString(s, 10)
				if !ok {
					t.Fatalf("%q in %q is no number", s, line)
				}
				return n
			}
			side, rest := words[1], words[2:]
			p := invariant.Comparison{Bound: number(rest[len(rest)-1])}
			for more := true; more; {
				x := invariant.Term{Coeff: 1, Bits: 32}
				if len(p.Terms) > 0 {
					x.Coeff = -1
				}
				if rest[0] == "old" {
					x.Old, rest = true, rest[1:]
				}
				switch name := rest[0]; {
				case name == "result":
				case name[0] >= '0' && name[0] <= '9':
					x.Value = f.Params[number(name).Int64()-1]
				default:
					global, offset, ok := strings.Cut(name, "+")
					if x.Global = global; ok {
						x.Offset = number(offset).Uint64()
					}
					x.Old = x.Old || side == "pre"
				}
				p.Terms = append(p.Terms, x)
				if more = rest[1] == "-"; more {
					rest = rest[2:]
				}
			}
			switch rest[1] {
			case "!=":
				p.Relation = invariant.NotEqual
			case "%":
				p.Relation, p.Modulus = invariant.Congruent, number(rest[2]).Uint64()
			}
			if side == "pre" {
				k.Pre = append(k.Pre, p)
			} else {
				k.Post = append(k.Post, p)
			}
		}
		out = append(out, k)
	}
	return out
}

// TestHostileContracts: what a contract says must hold in the body, at each call, and be all that a caller knows.
func TestHostileContracts(t *testing.T) {
	const (
		counter = "unsigned g; static unsigned f(unsigned n) { g = g + 2; if (g > 90) g = 0; return n & 7; }\n"
		nested  = "unsigned g, h; static unsigned in(unsigned n) { h = n & 3; return n & 1; } static unsigned f(unsigned n) { g = in(n) + 4; return in(n + 1); }\n"
		down    = "unsigned g; static unsigned f(unsigned n) { if (n == 0) return 0; g = n & 7; unsigned r = f(n - 1); if (r > 20) return 3; return r + 1; }\n"
		pair    = "unsigned g; static unsigned odd(unsigned n); static unsigned even(unsigned n) { g = 2; return n == 0 ? 1 : odd(n - 1); } static unsigned odd(unsigned n) { g = 3; return n == 0 ? 0 : even(n - 1); }\n"
		later   = "unsigned h; static unsigned odd(unsigned n), even(unsigned n);\n"
	)
	for _, c := range []struct{ name, program, right, wrong string }{
		// Postconditions are proved of the body.
		{"result", counter + "int main(void) { check(f(any()) <= 7); return 0; }", "f post result <= 7", "f post result <= 6"},
		{"result, in no call", counter + "int main(void) { check(f(3) <= 7); return 0; }", "f post result <= 7", "f post result <= 6"},
		{"false", counter + "int main(void) { f(1); return 0; }", "f", "f post result <= -1"},
		{"global at the return", counter + "int main(void) { f(any()); check(g <= 90); return 0; }", "f post g <= 90", "f post g <= 88"},
		{"congruence", counter + "int main(void) { f(any()); f(1); check(g % 2 == 0); return 0; }", "f pre g % 2 == 0\nf post g % 2 == 0", "f pre g % 2 == 0\nf post g % 4 == 0"},
		{"what was there before", counter + "int main(void) { f(any()); return 0; }", "f post old g != 4294967296", "f post old g != 5"},
		{"what it was and is", counter + "int main(void) { g = 6; f(1); check(g <= 8); return 0; }", "f post g - old g <= 2", "f post g - old g <= 1"},
		// Preconditions are proved of the calls.
		{"argument", counter + "int main(void) { check(f(any() % 9) <= 8); return 0; }", "f pre 1 <= 8\nf post result <= 7", "f pre 1 <= 7\nf post result <= 7"},
		{"argument of one call", counter + "int main(void) { f(3); f(9); return 0; }", "f pre 1 <= 9", "f pre 1 <= 8"},
		{"argument of a call in a loop", counter + "int main(void) { for (unsigned i = 0; i < 3; i++) { f(i & 1); } f(2); return 0; }", "f pre 1 <= 2", "f pre 1 <= 1"},
		{"global at the call", counter + "int main(void) { g = any() % 5; f(1); return 0; }", "f pre g <= 4", "f pre g <= 3"},
		{"global at the second call", counter + "int main(void) { f(1); f(1); return 0; }", "f pre g <= 90\nf post g <= 90", "f pre g <= 0\nf post g <= 90"},
		{"precondition kept by the body only", counter + "int main(void) { g = 1; f(1); return 0; }", "f pre g <= 1", "f pre g % 2 == 0"},
		{"no call keeps it", counter + "int main(void) { f(1); return 0; }", "f", "f pre 1 <= -1"},
		// A postcondition holds only behind the precondition: it is not a fact about other states.
		{"conditional", "unsigned g; static unsigned f(unsigned n) { return n + g; } int main(void) { g = 1; f(2); g = 9; f(any() & 1); return 0; }",
			"f pre g <= 9\nf pre 1 <= 2\nf post result <= 11", "f pre g <= 1\nf pre 1 <= 2\nf post result <= 3"},
		// What is changed is forgotten, also by calls in calls, in loops, and behind a second call.
		{"changed", counter + "int main(void) { g = 0; f(1); check(g <= 90); return 0; }", "f post g <= 90", "f post result <= 7"},
		{"changed behind an inner call", nested + "int main(void) { f(any()); check(h <= 3); return 0; }", "in post h <= 3\nf post h <= 3", "in\nf post h <= 3"},
		{"changed by an inner call", nested + "int main(void) { h = 9; f(1); check(h <= 9); return 0; }", "in post h <= 3\nf post h <= 3", "in post h <= 3\nf"},
		{"result of an inner call", nested + "int main(void) { f(any()); check(g <= 5); return 0; }", "in post result <= 1\nf post g <= 5", "in post result <= 1\nf post g <= 4"},
		{"inner call, argument", nested + "int main(void) { f(2); return 0; }", "in pre 1 <= 3\nf pre 1 <= 2", "in pre 1 <= 2\nf pre 1 <= 2"},
		{"changed in a loop of the caller", counter + "int main(void) { unsigned k = 0; while (any()) { f(k); check(g <= 90); k = k + 1 & 3; } return 0; }", "f post g <= 90", "f"},
		{"changed in a part of a global", "unsigned g[4]; static unsigned f(unsigned n) { g[2] = n & 1; return 0; } int main(void) { g[1] = 5; g[2] = 7; f(1); check(g[1] == 5 && g[2] <= 1); return 0; }",
			"f post g+8 <= 1", "f post g+4 <= 1"},
		{"changed at any place", "unsigned g[4]; static unsigned f(unsigned n) { g[n & 3] = 1; return 0; } int main(void) { g[1] = 0; f(any()); check(g[0] <= 1); return 0; }", "f pre g <= 1\nf post g <= 1", "f"},
		// Recursion: the contract is its own induction, from any depth.
		{"recursion, result", down + "int main(void) { check(f(any()) <= 21); return 0; }", "f post result <= 21", "f post result <= 20"},
		{"recursion, the base alone", down + "int main(void) { f(any()); return 0; }", "f", "f post result <= 0"},
		{"recursion, global", down + "int main(void) { f(any()); check(g <= 7); return 0; }", "f pre g <= 7\nf post g <= 7", "f pre g <= 7\nf post g <= 6"},
		{"recursion, argument", down + "int main(void) { f(any() % 50); return 0; }", "f pre 1 <= 49", "f pre 1 <= 49\nf pre 1 != 20"},
		{"recursion, argument in the body only", down + "int main(void) { f(4); return 0; }", "f pre 1 <= 4", "f pre 1 % 4 == 0"},
		{"mutual recursion", pair + "int main(void) { check(even(any()) <= 1); return 0; }", "even post result <= 1\nodd post result <= 1", "even post result <= 1\nodd"},
		{"mutual recursion, one wrong", pair + "int main(void) { even(any()); return 0; }", "even post result <= 1\nodd post result <= 1", "even post result <= 1\nodd post result <= 0"},
		{"mutual recursion, global", pair + "int main(void) { even(any()); check(g <= 3); return 0; }", "even post g <= 3\nodd post g <= 3", "even post g <= 2\nodd post g <= 3"},
		{"mutual recursion, changed by the other", pair + "int main(void) { even(1); check(g <= 3); return 0; }", "even post g <= 3\nodd post g <= 3", "even\nodd post g <= 3"},
		{"mutual recursion, changed since the caller was encoded", later + "static unsigned odd(unsigned n) { h = 1; return n == 0 ? 0 : even(n - 1); } static unsigned even(unsigned n) { h = 2; if (n == 0) return 1; unsigned r = odd(n - 1); check(h <= 2); return r; }\n" +
			"int main(void) { odd(any()); return 0; }", "even post h <= 2\nodd post h <= 2", "even\nodd"},
		{"mutual recursion, changed since the other caller was encoded", later + "static unsigned odd(unsigned n) { h = 1; if (n == 0) return 0; unsigned r = even(n - 1); check(h <= 2); return r; } static unsigned even(unsigned n) { h = 2; return n == 0 ? 1 : odd(n - 1); }\n" +
			"int main(void) { odd(any()); return 0; }", "even post h <= 2\nodd post h <= 2", "even\nodd"},
		// Violations in a body are violations.
		{"check in a body", "static unsigned f(unsigned n) { check(n <= 5); return n; } int main(void) { f(any() % 6); return 0; }", "f pre 1 <= 5", "f"},
		{"check in a body, from a global", "unsigned g = 3; static unsigned f(unsigned n) { check(g == 3); return n; } int main(void) { f(1); return 0; }", "f pre g <= 3\nf pre g != 2\nf pre g != 1\nf pre g != 0", "f"},
		{"check in a body that does not return", "static unsigned f(unsigned n) { check(n != 4); exit(0); return n; } int main(void) { if (any()) f(4 - (any() & 1) - 1); return 0; }", "f pre 1 <= 3", "f post result <= -1"},
		// The function in which the program begins is called, too.
		{"main is called", "unsigned g; int main(void) { if (g < 3) { g++; main(); } check(g <= 3); return 0; }", "main pre g <= 3\nmain post g <= 3", "main pre g <= 3\nmain post g <= 2"},
		{"main is called, its first call", "unsigned g = 7; int main(void) { if (g == 7) { g = 2; main(); } return 0; }", "main pre g <= 7", "main pre g <= 2"},
		// A function called through a pointer.
		{"through a pointer", counter + "static unsigned k(unsigned n) { return n & 15; } int main(void) { unsigned (*p)(unsigned) = any() ? f : k; check(p(any()) <= 15); return 0; }",
			"f post result <= 7\nk post result <= 15", "f post result <= 7\nk post result <= 14"},
		{"through a pointer, argument", counter + "static unsigned k(unsigned n) { return n & 15; } int main(void) { unsigned (*p)(unsigned) = any() ? f : k; p(any() & 3); return 0; }", "k pre 1 <= 3", "k pre 1 <= 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := load(t, c.program)
			for _, text := range []string{c.right, c.wrong} {
				cert := &verdict.Induction{Contracts: claims(t, m, text)}
				_, err := certify.Induction(t.Context(), m, certify.Options{Targets: []ir.CheckKind{ir.Assertion}, Engine: certify.CaDiCaL, Strict: true}, cert)
				if right := text == c.right; right != (err == nil) {
					t.Errorf("%s: %v\n%s", text, err, c.program)
				}
			}
		})
	}
}

// TestHostileLeaks: what is allocated at the end of a program that ends in a body, and what a body leaves behind, is not known to
// the other parts.
func TestHostileLeaks(t *testing.T) {
	for _, c := range []struct{ program, contract, why string }{
		{"static unsigned f(unsigned n) { if (n == 9) exit(0); return n; } int main(void) { unsigned *p = malloc(4); f(any() & 7); free(p); return 0; }", "f pre 1 <= 7", ""},
		{"static unsigned f(unsigned n) { if (n == 3) exit(0); return n; } int main(void) { unsigned *p = malloc(4); f(any() & 7); free(p); return 0; }", "f pre 1 <= 7", "ends the program"},
		{"static unsigned f(unsigned n) { free(malloc(4)); return n; } int main(void) { f(1); return 0; }", "f", ""},
		{"static unsigned f(unsigned n) { malloc(4); return n; } int main(void) { f(1); return 0; }", "f", "lives on"},
		{"static unsigned f(unsigned n) { unsigned *p = malloc(4); if (n != 2) free(p); return n; } int main(void) { f(any()); return 0; }", "f", "lives on"},
		{"static unsigned f(unsigned n) { if (n == 3) return 0; unsigned *p = malloc(4); f(n - 1); free(p); return n; } int main(void) { f(2); return 0; }", "f", ""},
	} {
		m := load(t, c.program)
		cert := &verdict.Induction{Contracts: claims(t, m, c.contract)}
		_, err := certify.Induction(t.Context(), m, certify.Options{Targets: []ir.CheckKind{ir.MemCleanup}, Engine: certify.CaDiCaL}, cert)
		if (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%v, not %q\n%s", err, c.why, c.program)
		}
	}
}

// TestContractForm: contracts that say what no contract may, or are of functions that are no parts, are refused.
func TestContractForm(t *testing.T) {
	const program = `unsigned g; static unsigned f(unsigned n) { g = n; return n; }
static unsigned read(unsigned *p) { return *p; } static unsigned *place(unsigned n) { g = n; return &g; }
int main(void) { unsigned x = any(); f(x); read(&x); *place(x) = 1; return 0; }`
	m := load(t, program)
	term := func(x invariant.Term) []invariant.Predicate {
		x.Coeff, x.Bits = 1, cmp.Or(x.Bits, 32)
		return []invariant.Predicate{invariant.Comparison{Terms: []invariant.Term{x}, Bound: new(big.Int).Lsh(big.NewInt(1), 64)}}
	}
	f := m.Func("f")
	n := f.Params[0]
	for _, c := range []struct {
		why      string
		contract invariant.Contract
	}{
		{"", invariant.Contract{Func: "f", Pre: term(invariant.Term{Value: n}), Post: term(invariant.Term{Global: "g"})}},
		{"is given a pointer", invariant.Contract{Func: "read"}},
		{"returns a pointer", invariant.Contract{Func: "place"}},
		{"has no body", invariant.Contract{Func: "reach_errors"}},
		{"a precondition is about the end", invariant.Contract{Func: "f", Pre: term(invariant.Term{Global: "g"})}},
		{"there is no result", invariant.Contract{Func: "f", Pre: term(invariant.Term{})}},
		{"there is no result", invariant.Contract{Func: "f", Post: term(invariant.Term{Bits: 16})}},
		{"is not in a global", invariant.Contract{Func: "f", Post: term(invariant.Term{Global: "g", Offset: 1})}},
		{"is not in a global", invariant.Contract{Func: "f", Post: term(invariant.Term{Global: "h"})}},
		{"is no parameter", invariant.Contract{Func: "f", Post: term(invariant.Term{Value: n + 1})}},
		{"is no parameter", invariant.Contract{Func: "f", Post: term(invariant.Term{Value: n, Bits: 8})}},
		{"a summand is an element", invariant.Contract{Func: "f", Post: term(invariant.Term{Value: n, Cell: true})}},
	} {
		cert := &verdict.Induction{Contracts: []invariant.Contract{c.contract}}
		_, err := certify.Induction(t.Context(), m, certify.Options{Targets: []ir.CheckKind{ir.Assertion}, Engine: certify.CaDiCaL}, cert)
		if (err == nil) != (c.why == "") || err != nil && !strings.Contains(err.Error(), c.why) {
			t.Errorf("%v: %v, not %q", c.contract, err, c.why)
		}
	}
}
