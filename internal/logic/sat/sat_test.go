package sat

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/internal/logic/sat/cadical"
)

// The inputs of the test graphs range over all 64 assignments of six inputs: a
// function is the uint64 of its values, its truth table.
var inputTables = [6]uint64{
	0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
	0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000,
}

// pool is a graph with literals whose truth tables are known independently.
type pool struct {
	g      *Graph
	lits   []Lit
	tables []uint64
}

func newPool() *pool {
	p := &pool{g: NewGraph()}
	p.put(False, 0)
	for _, t := range inputTables {
		p.put(p.g.Input(), t)
	}
	return p
}

func (p *pool) put(l Lit, table uint64) {
	p.lits = append(p.lits, l)
	p.tables = append(p.tables, table)
}

// pick is a random literal of the pool, young ones preferred.
func (p *pool) pick(r *rand.Rand) (Lit, uint64) {
	i := r.IntN(len(p.lits))
	if r.IntN(2) == 0 {
		i = max(i, len(p.lits)-1-r.IntN(min(8, len(p.lits))))
	}
	if r.IntN(2) == 0 {
		return p.lits[i].Not(), ^p.tables[i]
	}
	return p.lits[i], p.tables[i]
}

// grow adds the result of a random operation.
func (p *pool) grow(r *rand.Rand) {
	a, ta := p.pick(r)
	b, tb := p.pick(r)
	c, tc := p.pick(r)
	switch r.IntN(8) {
	case 0, 1, 2:
		p.put(p.g.And(a, b), ta&tb)
	case 3:
		p.put(p.g.Or(a, b), ta|tb)
	case 4:
		p.put(p.g.Xor(a, b), ta^tb)
	case 5:
		p.put(p.g.Ite(a, b, c), ta&tb|^ta&tc)
	case 6:
		p.put(p.g.Majority(a, b, c), ta&tb|ta&tc|tb&tc)
	case 7:
		p.put(p.g.Iff(a, p.g.Xor(b, c)), ^(ta ^ tb ^ tc))
	}
}

// evaluate computes the tables of all literals of the pool from the graph.
func (p *pool) evaluate() []uint64 {
	var assignment int
	e := NewEvaluator(p.g, func(n int32) bool { return assignment>>(n-1)&1 == 1 })
	tables := make([]uint64, len(p.lits))
	for assignment = range 64 {
		e.Reset()
		for i, l := range p.lits {
			if e.Value(l) {
				tables[i] |= 1 << assignment
			}
		}
	}
	return tables
}

// check verifies the invariants (1) and (2); tests call it.
func (g *Graph) check() error {
	seen := map[node]int{}
	for n, nd := range g.nodes {
		if nd.a < 0 {
			continue
		}
		if nd.a >= nd.b || int(nd.b.Node()) >= n || nd.a.IsConstant() || nd.a.Node() == nd.b.Node() {
			return fmt.Errorf("node %d has the children %v and %v", n, nd.a, nd.b)
		}
		if m, ok := seen[nd]; ok {
			return fmt.Errorf("nodes %d and %d are the same", m, n)
		}
		seen[nd] = n
		if g.gate(nd.a, nd.b) != Lit(2*n) {
			return fmt.Errorf("node %d is not in the table", n)
		}
	}
	if len(seen) != g.gates {
		return fmt.Errorf("%d gates, counted %d", len(seen), g.gates)
	}
	return nil
}

func TestGraph(t *testing.T) {
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 1))
		p := newPool()
		for range 300 {
			before := p.g.Gates()
			p.grow(r)
			if added := p.g.Gates() - before; added > 6 {
				t.Fatalf("seed %d: %d gates for one operation", seed, added)
			}
		}
		if err := p.g.check(); err != nil {
			t.Fatal(err)
		}
		for i, got := range p.evaluate() {
			if got != p.tables[i] {
				t.Fatalf("seed %d, literal %d: %x, want %x", seed, i, got, p.tables[i])
			}
		}
	}
}

// TestRules checks each rule on its own: the name in [BrummayerBiere06], the
// conjunction, and what must come out of it.
func TestRules(t *testing.T) {
	g := NewGraph()
	a, b, c, d := g.Input(), g.Input(), g.Input(), g.Input()
	ab, ac, cd := g.And(a, b), g.And(a, c), g.And(c, d)
	for _, rule := range []struct {
		name       string
		x, y, want Lit
	}{
		{"neutrality", True, a, a},
		{"boundedness", False, a, False},
		{"idempotence", a, a, a},
		{"contradiction", a, a.Not(), False},
		{"asymmetric contradiction", ab, a.Not(), False},
		{"symmetric contradiction", ab, g.And(b.Not(), d), False},
		{"asymmetric subsumption", ab.Not(), a.Not(), a.Not()},
		{"symmetric subsumption", g.And(a.Not(), c).Not(), ab, ab},
		{"asymmetric idempotence", ab, b, ab},
		{"resolution", ab.Not(), g.And(a, b.Not()).Not(), a.Not()},
		{"asymmetric substitution", ab.Not(), a, g.And(a, b.Not())},
		{"symmetric substitution", ac.Not(), cd, g.And(a.Not(), cd)},
		{"symmetric idempotence", ab, ac, g.And(ac, b)},
		{"no rule", ab.Not(), cd.Not(), g.And(cd.Not(), ab.Not())},
	} {
		for _, swap := range []bool{false, true} {
			x, y := rule.x, rule.y
			if swap {
				x, y = y, x
			}
			if got := g.And(x, y); got != rule.want {
				t.Errorf("%s: %v ∧ %v = %v, want %v", rule.name, x, y, got, rule.want)
			}
		}
	}
	if got, want := g.Xor(a, b), g.Xor(a.Not(), b.Not()); got != want {
		t.Errorf("xor: %v and %v", got, want)
	}
	if got, want := g.Xor(a, b), g.Xor(b.Not(), a).Not(); got != want {
		t.Errorf("xor: %v and %v", got, want)
	}
}

func TestShapes(t *testing.T) {
	g := NewGraph()
	in := make([]Lit, 8)
	for i := range in {
		in[i] = g.Input()
	}
	and := in[7]
	for i := range 7 {
		and = g.And(and, in[6-i])
	}
	xor := g.Xor(in[0], in[7])
	for _, c := range []struct {
		name    string
		l       Lit
		clauses int64 // of both halves
	}{
		{"and", and, 9},
		{"xor", g.Xor(in[2], in[3]), 4},
		{"xor3", g.Xor(xor, in[2]), 8},
		{"ite", g.Ite(in[0], in[1], in[2]), 6},
		{"majority", g.Majority(in[0], in[1], in[2]), 6},
	} {
		cnf := NewCNF(g, func([]int32) {})
		cnf.Literal(c.l)
		cnf.Literal(c.l)
		cnf.Encode(never)
		half := cnf.Clauses()
		cnf.Literal(c.l.Not())
		cnf.Literal(c.l)
		cnf.Encode(never)
		if got := cnf.Clauses(); got != c.clauses || half >= got {
			t.Errorf("%s: %d clauses, then %d, want %d", c.name, half, got, c.clauses)
		}
		var gates int32
		for n := range int32(g.Len()) {
			if cnf.Variable(n) != 0 && g.IsAnd(n) {
				gates++
			}
		}
		if gates != 1 {
			t.Errorf("%s: %d gates have variables", c.name, gates)
		}
	}
}

// TestCNF grows graph and clauses together, asserts and assumes random
// literals, and compares with the truth tables.
func TestCNF(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 3))
		p := newPool()
		s := cadical.New()
		c := NewCNF(p.g, s.AddClauses)
		c.wideXor = seed%2 == 0
		values := []int8{}
		e := NewEvaluator(p.g, func(n int32) bool {
			v := c.Variable(n)
			return v != 0 && values[v-1] > 0
		})
		asserted := ^uint64(0)
		for step := range 40 {
			for range r.IntN(10) {
				p.grow(r)
			}
			if r.IntN(4) == 0 {
				var ls []Lit
				table := uint64(0)
				for range 1 + r.IntN(3) {
					l, t := p.pick(r)
					ls = append(ls, l)
					table |= t
				}
				if r.IntN(20) == 0 || bits.OnesCount64(asserted&table) > 4 {
					c.AssertClause(ls...)
					asserted &= table
				}
			}
			want := asserted
			var assumed []Lit
			var lits []int32
			tables := map[int32]uint64{}
			for range r.IntN(4) {
				l, table := p.pick(r)
				assumed = append(assumed, l)
				want &= table
				lit := c.Literal(l)
				lits = append(lits, lit)
				tables[lit] = table
			}
			c.Encode(never)
			s.Assume(lits...)
			got, err := s.Solve(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if (got == cadical.Sat) != (want != 0) {
				t.Fatalf("seed %d, step %d: %v, want %x", seed, step, got, want)
			}
			if got == cadical.Unsat {
				core := asserted
				for _, lit := range s.Failed(lits, nil) {
					core &= tables[lit]
				}
				if core != 0 {
					t.Fatalf("seed %d, step %d: core has the models %x", seed, step, core)
				}
				continue
			}
			values = make([]int8, c.Variables())
			s.Values(1, values)
			e.Reset()
			var assignment int
			for i := range 6 {
				if e.Value(p.lits[1+i]) {
					assignment |= 1 << i
				}
			}
			if want>>assignment&1 == 0 {
				t.Fatalf("seed %d, step %d: assignment %d is no model", seed, step, assignment)
			}
			for _, l := range assumed {
				if !e.Value(l) {
					t.Fatalf("seed %d, step %d: %v is false", seed, step, l)
				}
			}
		}
		s.Close()
	}
}

func never() bool { return false }

// TestEncode stops the encoding after each batch, and compares the clauses with
// those of an encoding that goes through.
func TestEncode(t *testing.T) {
	g := NewGraph()
	out := multiplier(g, 64)
	encode := func(stop func() bool) (batches int, flat []int32) {
		c := NewCNF(g, func(f []int32) { flat = append(flat, f...) })
		for _, l := range out {
			c.Literal(l)
			c.Literal(l.Not())
		}
		for batches = 1; !c.Encode(stop); batches++ {
		}
		var clauses, literals int64
		for _, l := range flat {
			if l == 0 {
				clauses++
			} else {
				literals++
			}
			if max(l, -l) > c.Variables() {
				t.Fatalf("literal %d of %d variables", l, c.Variables())
			}
		}
		if clauses != c.Clauses() || literals != c.Literals() {
			t.Errorf("%d clauses, %d literals; counted %d, %d", clauses, literals, c.Clauses(), c.Literals())
		}
		return batches, flat
	}
	once, want := encode(never)
	often, got := encode(func() bool { return true })
	if once != 1 || often < 2 {
		t.Errorf("%d and %d batches", once, often)
	}
	if !slices.Equal(got, want) {
		t.Error("different clauses")
	}
}

// multiplier is the graph of an n-bit product.
func multiplier(g *Graph, n int) []Lit {
	x, y, sum := make([]Lit, n), make([]Lit, n), make([]Lit, n)
	for i := range n {
		x[i], y[i] = g.Input(), g.Input()
	}
	for i := range n {
		carry := False
		for j := 0; i+j < n; j++ {
			p := g.And(x[j], y[i])
			s := g.Xor(g.Xor(sum[i+j], p), carry)
			carry = g.Majority(sum[i+j], p, carry)
			sum[i+j] = s
		}
	}
	return sum
}

func BenchmarkAnd(b *testing.B) {
	for _, n := range []int{32, 64} {
		b.Run(fmt.Sprintf("multiplier%d", n), func(b *testing.B) {
			gates := 0
			for b.Loop() {
				g := NewGraph()
				multiplier(g, n)
				gates = g.Gates()
			}
			b.ReportMetric(float64(gates), "gates")
			b.ReportMetric(float64(gates)*float64(b.N)/b.Elapsed().Seconds(), "gates/s")
		})
	}
}

func BenchmarkCNF(b *testing.B) {
	g := NewGraph()
	out := multiplier(g, 64)
	var clauses int64
	for b.Loop() {
		c := NewCNF(g, func([]int32) {})
		for _, l := range out {
			c.Literal(l)
			c.Literal(l.Not())
		}
		c.Encode(never)
		clauses = c.Clauses()
	}
	b.ReportMetric(float64(clauses), "clauses")
	b.ReportMetric(float64(clauses)*float64(b.N)/b.Elapsed().Seconds(), "clauses/s")
}
