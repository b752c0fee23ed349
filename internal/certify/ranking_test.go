package certify

import (
	"errors"
	"flag"
	"math/big"
	"math/rand"
	"testing"

	"assay/internal/engines/bitranking"
	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

var rankings = flag.Int("rankings", 12, "random programs with loops to check ranking arguments of")

// stubborn is an oracle that stays in loops where it can.
type stubborn struct{ interp.Oracle }

func (o stubborn) Next(r interp.Request) (ir.Choice, error) {
	c, err := o.Oracle.Next(r)
	if err == nil && r.Kind == interp.WantValue && r.Func.Def(r.Value).Sym == "again" {
		c.Bits = bv.New(1, 1)
	}
	return c, err
}

// runsOn looks for a run that does not end in reasonable time: the states of
// these programs are few.
func runsOn(t *testing.T, m *ir.Module) bool {
	t.Helper()
	for seed := range uint64(12) {
		out, err := interp.Run(t.Context(), m, interp.Options{Oracle: stubborn{interp.Random(seed)}, MaxSteps: 200000})
		if err != nil {
			t.Fatal(err)
		}
		if out.End == interp.StepLimit {
			return true
		}
	}
	return false
}

// TestRankingRandom: whatever is accepted must end, be the certificate that of
// the engine or made up.
func TestRankingRandom(t *testing.T) {
	accepted, proved := 0, 0
	for seed := range int64(*rankings) {
		m := loopModule(seed)
		rng := rand.New(rand.NewSource(seed))
		check := func(cert *verdict.Ranking) (ok bool) {
			_, err := Ranking(t.Context(), m, Options{}, cert)
			var rejected ErrRejected
			var incomplete ErrIncomplete
			switch {
			case err == nil:
				accepted++
				if runsOn(t, m) {
					t.Fatalf("seed %d: accepted, but it does not end: %+v\n%s", seed, cert, ir.Print(m))
				}
			case !errors.As(err, &rejected) && !errors.As(err, &incomplete):
				t.Fatalf("seed %d: %v", seed, err)
			}
			return err == nil
		}
		if r := bitranking.Prove(t.Context(), m, nil); r.Proof != nil {
			proved++
			check(r.Proof)
		}
		check(randomRanking(rng, m))
	}
	if proved < *rankings/20 || accepted < *rankings/20 {
		t.Errorf("of %d programs, %d were proved, and %d certificates accepted", *rankings, proved, accepted)
	}
	t.Logf("%d programs, %d proved, %d certificates accepted", *rankings, proved, accepted)
}

// randomRanking makes up functions for all loops.
func randomRanking(rng *rand.Rand, m *ir.Module) *verdict.Ranking {
	cert := &verdict.Ranking{K: 1}
	for _, f := range m.Funcs {
		if f.IsDecl() {
			continue
		}
		l := newForest(f)
		for b := ir.BlockID(1); int(b) < len(f.Blocks); b++ {
			if !l.isHead(b) {
				continue
			}
			loop := verdict.RankedLoop{Func: f.Name, Head: b}
			for range rng.Intn(3) {
				v := f.Blocks[b].Instrs[rng.Intn(3)]
				term := invariant.Term{Coeff: int64(1 - 2*rng.Intn(2)), Value: v, Bits: 3, Signed: rng.Intn(2) == 0}
				loop.Functions = append(loop.Functions, verdict.RankingFunction{{Terms: []invariant.Term{term}}})
			}
			cert.Loops = append(cert.Loops, loop)
		}
	}
	return cert
}

// count is a program with one loop over i, from 0, with a body that computes j.
func count(t *testing.T, body string) *ir.Module {
	t.Helper()
	m, err := ir.Parse(`module 64 entry @main
func @main() {
entry:
  %n = nondet i8 input "n"
  br head
head:
  %i = phi i8 [i8 0, entry], [%j, body]
  %more = ult i1 %i, %n
  condbr %more, body, exit
body:
` + body + `
  br head
exit:
  halt exit
}
`)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestRankingRules has certificates that are right or wrong for a reason.
func TestRankingRules(t *testing.T) {
	up := count(t, "  %j = add i8 %i, i8 1")
	f := up.Func("main")
	i := ir.Value(0)
	for v := range f.Values {
		if f.Values[v].Op == ir.Phi {
			i = ir.Value(v)
		}
	}
	head := f.Def(i).Block
	term := func(c int64, signed bool) invariant.Term {
		return invariant.Term{Coeff: c, Value: i, Bits: 8, Signed: signed}
	}
	one := func(terms ...invariant.Term) []verdict.RankingFunction {
		return []verdict.RankingFunction{{{Terms: terms}}}
	}
	signed := verdict.RankingFunction{
		{When: []invariant.Comparison{{Terms: []invariant.Term{term(-1, true)}, Bound: new(big.Int)}}, Terms: []invariant.Term{term(-1, true)}, Constant: 0},
		{Terms: []invariant.Term{term(-1, true)}, Constant: -256},
	}
	two := count(t, "  %j = add i8 %i, i8 2")
	for _, test := range []struct {
		name string
		m    *ir.Module
		fs   []verdict.RankingFunction
		ok   bool
	}{
		{"-i", up, one(term(-1, false)), true},
		{"i", up, one(term(1, false)), false},
		{"-i signed wraps", up, one(term(-1, true)), false},
		{"-i in two cases", up, []verdict.RankingFunction{signed}, true},
		{"nothing", up, nil, false},
		{"a constant first", up, append([]verdict.RankingFunction{{{Constant: 5}}}, one(term(-1, false))...), true},
		{"i first", up, append(one(term(1, false)), one(term(-1, false))...), false},
		{"n = 255: i goes around", two, one(term(-1, false)), false},
		{"no last case", up, []verdict.RankingFunction{signed[:1]}, false},
		{"a value that is not there", up, one(invariant.Term{Coeff: 1, Value: 99, Bits: 8}), false},
		{"a value of another width", up, one(invariant.Term{Coeff: -1, Value: i, Bits: 16}), false},
	} {
		_, err := Ranking(t.Context(), test.m, Options{}, &verdict.Ranking{K: 1, Loops: []verdict.RankedLoop{{Func: "main", Head: head, Functions: test.fs}}})
		if (err == nil) != test.ok {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if _, err := Ranking(t.Context(), up, Options{}, &verdict.Ranking{K: 1, Loops: []verdict.RankedLoop{{Func: "main", Head: 1, Functions: nil}}}); err == nil {
		t.Error("a block that is no head is accepted")
	}
}
