package certify

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// claimed is a predicate of a head in text, "f head: sum rel bound":
//
//	sum is "2*phi0 - phi1s + @g.4:32", with "phi0" the first phi of the head, "param0" a
//	parameter, "v5" a value by number, "@g.4:32" the 32 bits at offset 4 of the global g, "a0.0:8"
//	those of the first alloca of the function; with an s behind it is signed;
//	rel is <=, != or %m=.
type claimed string

func (x claimed) head(t testing.TB, m *ir.Module) invariant.Head {
	t.Helper()
	where, what, _ := strings.Cut(string(x), ": ")
	f, block, _ := strings.Cut(where, " ")
	h := invariant.Head{Func: f, Head: label(t, m, f, block)}
	if what == "" {
		return h
	}
	words := strings.Fields(what)
	n := len(words)
	p := invariant.Comparison{Bound: new(big.Int)}
	if _, ok := p.Bound.SetString(words[n-1], 0); !ok {
		t.Fatal(x)
	}
	switch rel := words[n-2]; {
	case rel == "<=":
	case rel == "!=":
		p.Relation = invariant.NotEqual
	default:
		p.Relation = invariant.Congruent
		p.Modulus, _ = strconv.ParseUint(strings.Trim(rel, "%="), 0, 64)
	}
	sign := int64(1)
	for _, w := range words[:n-2] {
		if w == "+" || w == "-" {
			sign = map[string]int64{"+": 1, "-": -1}[w]
			continue
		}
		term := invariant.Term{Coeff: sign}
		if c, rest, ok := strings.Cut(w, "*"); ok {
			k, _ := strconv.ParseInt(c, 0, 64)
			term.Coeff, w = sign*k, rest
		}
		if strings.HasSuffix(w, "s") {
			term.Signed, w = true, strings.TrimSuffix(w, "s")
		}
		summand(t, m.Func(f), h.Head, w, &term)
		p.Terms = append(p.Terms, term)
	}
	h.Predicates = []invariant.Predicate{p}
	return h
}

func summand(t testing.TB, f *ir.Func, head ir.BlockID, w string, x *invariant.Term) {
	number := func(s, prefix string) int {
		n, err := strconv.Atoi(strings.TrimPrefix(s, prefix))
		if err != nil {
			t.Fatal(w)
		}
		return n
	}
	if at, bits, ok := strings.Cut(w, ":"); ok {
		name, offset, _ := strings.Cut(at, ".")
		x.Cell, x.Offset, x.Bits = true, uint64(number(offset, "")), uint32(number(bits, ""))
		n := 0
		for v := range f.Values {
			d := &f.Values[v]
			if d.Op == ir.GlobalAddr && "@"+d.Sym == name {
				x.Value = ir.Value(v)
			}
			if d.Op == ir.Alloca {
				if fmt.Sprintf("a%d", n) == name {
					x.Value = ir.Value(v)
				}
				n++
			}
		}
		if x.Value == 0 {
			t.Fatal(w)
		}
		return
	}
	switch {
	case strings.HasPrefix(w, "phi"):
		x.Value = f.Blocks[head].Instrs[number(w, "phi")]
	case strings.HasPrefix(w, "param"):
		x.Value = f.Params[number(w, "param")]
	default:
		x.Value = ir.Value(number(w, "v"))
	}
	x.Bits = f.Values[x.Value].Type.Bits
}

func certificate(t testing.TB, m *ir.Module, k int, predicates []claimed) *verdict.Induction {
	cert := &verdict.Induction{K: k}
	for _, p := range predicates {
		cert.Heads = append(cert.Heads, p.head(t, m))
	}
	return cert
}

type inductionTest struct {
	name       string
	text       string // as in test
	o          Options
	k          int
	predicates []claimed
	want       string // a prefix of the outcome
}

func result(checker string, err error) string {
	var rejected ErrRejected
	var incomplete ErrIncomplete
	switch {
	case err == nil && checker != "":
		return "ok"
	case errors.As(err, &rejected):
		return "rejected: " + err.Error()
	case errors.As(err, &incomplete):
		return "incomplete: " + err.Error()
	}
	return fmt.Sprint(err)
}

func runInductionTests(t *testing.T, tests []inductionTest) {
	for _, x := range tests {
		t.Run(x.name, func(t *testing.T) {
			text := x.text
			if !strings.HasPrefix(text, "module") {
				text = "module 64 entry @main\nfile \"a.c\"\n\nglobal @g size 4 align 4\nglobal @h size 16 align 8\n\nfunc @main() {\n" + text + "}\n"
			}
			m := parse(t, text)
			got := result(Induction(context.Background(), m, x.o, certificate(t, m, x.k, x.predicates)))
			if !strings.HasPrefix(got, x.want) || x.want == "" {
				t.Errorf("got %q, want %q", got, x.want)
			}
			if o := x.o; x.want == "ok" && o.Engine == "" {
				o.Engine = "z3"
				if got := result(Induction(context.Background(), m, o, certificate(t, m, x.k, x.predicates))); got != "ok" {
					t.Errorf("CaDiCaL: %s", got)
				}
			}
		})
	}
}

// endless counts to 100 by twos, again and again, and checks that it is not 51.
const endless = `
entry:
  br head
head:
  %i = phi i8 [i8 0, entry], [%next, body]
  %ok = ne i1 %i, i8 51
  check assertion %ok "i != 51" !0:3:1
  br body
body:
  %j = add i8 %i, i8 2
  %end = eq i1 %i, i8 100
  %next = select i8 %end, i8 0, %j
  br head
`

// ring runs through 0, 1, 2, 3, 0, ...; from 10 on, each number up to 12 leads to the
// next, and 13 is bad: only k-induction with k > 3, or a predicate, proves it.
const ring = `
entry:
  br head
head:
  %i = phi i8 [i8 0, entry], [%next, body]
  %ok = ne i1 %i, i8 13
  check assertion %ok "i != 13"
  br body
body:
  %j = add i8 %i, i8 1
  %three = eq i1 %i, i8 3
  %ten = eq i1 %i, i8 9
  %wrap = or i1 %three, %ten
  %next = select i8 %wrap, i8 0, %j
  br head
`

// global counts @g up by one, starting with its initial 0, and checks at its end
// that the sum with i is even, which holds since i goes along.
const along = `
entry:
  br head
head:
  %i = phi i32 [i32 0, entry], [%j, body]
  %more = nondet i1 input "more"
  condbr %more, body, exit
body:
  %x = load i32 @g
  %y = add i32 %x, i32 1
  store %y, @g
  %j = add i32 %i, i32 1
  br head
exit:
  %v = load i32 @g
  %is = eq i1 %v, %i
  check assertion %is "g == i"
  halt exit
`

func TestInduction(t *testing.T) {
	runInductionTests(t, []inductionTest{
		{"even", endless, assertions, 1, []claimed{"main head: phi0 %2= 0"}, "ok"},
		{"even, without predicate", endless, assertions, 1, nil, "rejected: assertion: i != 51, in main at a.c:3:1"},
		{"even, k 3", endless, assertions, 3, nil, "rejected: assertion"},
		{"at most, not inductive", endless, assertions, 1, []claimed{"main head: phi0 <= 50"}, "rejected: invariant"},
		{"not initially", endless, assertions, 1, []claimed{"main head: phi0 %2= 1"}, "rejected: "},
		{"not initially, k 5", endless, assertions, 5, []claimed{"main head: phi0 != 0"}, "rejected: "},
		{"not at visit 2", endless, assertions, 5, []claimed{"main head: phi0 != 4"}, "rejected: "},
		{"not at visit 7", endless, assertions, 5, []claimed{"main head: phi0 != 14"}, "rejected: "},
		{"nothing claimed", endless, accesses, 1, nil, "ok"},
		{"false predicate, nothing claimed", endless, accesses, 1, []claimed{"main head: phi0 <= 98"}, "rejected: invariant"},
		{"false everywhere", endless, assertions, 1, []claimed{"main head: phi0 <= -1"}, "rejected: invariant"},

		{"ring, k 3", ring, assertions, 3, nil, "rejected: assertion"},
		{"ring, k 4", ring, assertions, 4, nil, "ok"},
		{"ring, k 9", ring, assertions, 9, nil, "ok"},
		{"ring, predicate", ring, assertions, 1, []claimed{"main head: phi0 <= 3"}, "ok"},
		{"ring, two predicates", ring, assertions, 1, []claimed{"main head: phi0 != 12", "main head: phi0 != 11", "main head: phi0 != 10"}, "ok"},
		{"ring, two predicates are not enough", ring, assertions, 1, []claimed{"main head: phi0 != 12", "main head: phi0 != 11"}, "rejected: invariant"},
		{"ring, two predicates, k 2", ring, assertions, 2, []claimed{"main head: phi0 != 12", "main head: phi0 != 11"}, "ok"},

		{"even, k 0", endless, assertions, 0, []claimed{"main head: phi0 %2= 0"}, "ok"},
		{"even, k 0, without predicate", endless, assertions, 0, nil, "rejected: assertion: i != 51, in main at a.c:3:1"},
		{"not initially, k 0", endless, assertions, 0, []claimed{"main head: phi0 %2= 1"}, "rejected: invariant"},
		{"not inductive, k 0", endless, assertions, 0, []claimed{"main head: phi0 <= 50"}, "rejected: invariant"},
		{"false everywhere, k 0", endless, assertions, 0, []claimed{"main head: phi0 <= -1"}, "rejected: invariant"},
		{"ring, predicate, k 0", ring, assertions, 0, []claimed{"main head: phi0 <= 3"}, "ok"},
		{"ring, not by themselves, k 0", ring, assertions, 0, []claimed{"main head: phi0 != 12", "main head: phi0 != 11", "main head: phi0 != 10"}, "rejected: assertion"},
		{"global, k 0", along, assertions, 0, []claimed{"main head: @g.0:32 - phi0 %4294967296= 0"}, "ok"},
		{"global, unrelated, k 0", along, assertions, 0, nil, "rejected: assertion"},

		{"global", along, assertions, 1, []claimed{"main head: @g.0:32 - phi0 %4294967296= 0"}, "ok"},
		{"global, unrelated", along, assertions, 1, nil, "rejected: assertion"},
		{"global, too strong", along, assertions, 1, []claimed{"main head: @g.0:32 - phi0 %4294967296= 0", "main head: phi0 != 77"}, "rejected: invariant"},
		{"global, exact integers wrap together", along, assertions, 1, []claimed{"main head: @g.0:32 - phi0 <= 0", "main head: phi0 - @g.0:32 <= 0"}, "ok"},
		{"global, signed and unsigned", along, assertions, 1, []claimed{"main head: @g.0:32 - phi0s <= 0", "main head: phi0s - @g.0:32 <= 0"}, "rejected: invariant"},
		{"global, other offset", along, assertions, 1, []claimed{"main head: @g.1:24 <= 0"}, "rejected: "},
		{"global, beyond", along, assertions, 1, []claimed{"main head: @g.2:32 <= -1"}, "rejected: assertion"},
	})
}

func TestInductionForm(t *testing.T) {
	runInductionTests(t, []inductionTest{
		{"k -1", endless, assertions, -1, nil, "incomplete: the certificate has not the right form: k is -1"},
		{"no head", endless, assertions, 1, []claimed{"main body: v1 <= 1"}, "incomplete: the certificate has not the right form: block 3 of main is no loop head"},
	})
	m := parse(t, "module 64 entry @main\n\nfunc @main() {\n"+endless+"}\n")
	good := func() *verdict.Induction { return certificate(t, m, 1, []claimed{"main head: phi0 %2= 0"}) }
	for name, change := range map[string]func(c *verdict.Induction, p *invariant.Comparison){
		"no bound": func(_ *verdict.Induction, p *invariant.Comparison) { p.Bound = nil },
		"relation": func(_ *verdict.Induction, p *invariant.Comparison) { p.Relation = 3 },
		"value":    func(_ *verdict.Induction, p *invariant.Comparison) { p.Terms[0].Value = 100 },
		"later value": func(_ *verdict.Induction, p *invariant.Comparison) {
			p.Terms[0].Value = m.Func("main").Blocks[3].Instrs[0]
		},
		"same block": func(_ *verdict.Induction, p *invariant.Comparison) {
			p.Terms[0].Value, p.Terms[0].Bits = m.Func("main").Blocks[2].Instrs[1], 1
		},
		"width":    func(_ *verdict.Induction, p *invariant.Comparison) { p.Terms[0].Bits = 9 },
		"width 0":  func(_ *verdict.Induction, p *invariant.Comparison) { p.Terms[0].Bits = 0 },
		"cell":     func(_ *verdict.Induction, p *invariant.Comparison) { p.Terms[0].Cell = true },
		"function": func(c *verdict.Induction, _ *invariant.Comparison) { c.Heads[0].Func = "f" },
		"float":    func(_ *verdict.Induction, p *invariant.Comparison) { p.Terms[0].Float = true },
		"block":    func(c *verdict.Induction, _ *invariant.Comparison) { c.Heads[0].Head = 77 },
		"negative": func(c *verdict.Induction, _ *invariant.Comparison) { c.Heads[0].Head = -1 },
	} {
		c := good()
		p := c.Heads[0].Predicates[0].(invariant.Comparison)
		h := &c.Heads[0]
		change(c, &p)
		h.Predicates[0] = p
		if got := result(Induction(context.Background(), m, assertions, c)); !strings.HasPrefix(got, "incomplete: the certificate has not the right form") {
			t.Errorf("%s: %s", name, got)
		}
	}
}
