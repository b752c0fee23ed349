package certify

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand"
	"strings"
	"testing"
	"time"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// This file tests contracts with random recursive programs and certificates, as
// induction_random_test.go does for loops.

// recursiveModule has functions that call each other, with numbers and pointers.
func recursiveModule(seed int64) *ir.Module {
	p := &looping{program: &program{rng: rand.New(rand.NewSource(seed))}}
	p.m = &ir.Module{PointerBits: 64, Entry: "main", Files: []string{"random.c"}}
	p.m.Globals = append(p.m.Globals,
		&ir.Global{Name: "m", Size: bytesOfM, Align: 8, Layout: ir.Layout{Cell: 1}},
		&ir.Global{Name: "big", Size: 128, Align: 8, Layout: ir.Layout{Cell: 1}},
		&ir.Global{Name: "table", Size: 128, Align: 8, Constant: true, Init: make([]byte, 128), Layout: ir.Layout{Cell: 1}},
		&ir.Global{Name: "at", Size: 8, Align: 8, Layout: ir.Layout{Cell: 8, Pointers: true}},
	)
	p.callees = []string{"f", "g"}[:1+p.rng.Intn(2)]
	for _, name := range p.callees {
		b := ir.NewFunc(p.m, name, i3)
		p.b = b
		x, q := b.Param(i3), b.Param(p.m.PtrType())
		b.At(b.Block("entry"))
		p.vars = [3]ir.Value{x, b.Const(3, 0), b.Const(3, 1)}
		p.mems = []ir.Value{q, b.GlobalAddr("m")}
		p.local = 0
		if p.rng.Intn(4) == 0 {
			p.local = b.Alloca(bytesOfM, 8)
			b.Emit(ir.Def{Op: ir.MemSet, Args: []ir.Value{p.local, b.Const(8, 0), b.Word(bytesOfM)}})
			if p.rng.Intn(3) == 0 {
				p.mems = append(p.mems, p.local)
			}
			if p.rng.Intn(4) == 0 {
				b.Store(p.local, b.GlobalAddr("at"))
			}
		}
		if p.rng.Intn(8) == 0 {
			p.mems = append(p.mems, b.Load(p.m.PtrType(), b.GlobalAddr("at")))
		}
		p.size = 2 + p.rng.Intn(4)
		end, on := b.Block("end"), b.Block("on")
		b.CondBr(p.cond(), end, on)
		b.At(end)
		b.Ret(p.operand())
		b.At(on)
		p.body()
		for range 1 + p.rng.Intn(2) {
			to := q
			if p.rng.Intn(4) == 0 {
				to = p.mems[p.rng.Intn(len(p.mems))]
			}
			arg := p.any()
			if p.rng.Intn(2) == 0 {
				arg = b.Bin(ir.Sub, x, b.Const(3, 1))
			}
			p.vars[p.rng.Intn(3)] = b.Call(i3, p.callees[p.rng.Intn(len(p.callees))], arg, to)
			p.body()
		}
		p.check()
		b.Ret(p.any())
		b.Done()
	}
	p.main()
	return p.m
}

// randomContracts makes up clauses for all recursive functions.
func randomContracts(rng *rand.Rand, m *ir.Module, most int) (contracts []invariant.Contract) {
	recursive := findComponents(m, func(*ir.Func) bool { return false })
	for _, f := range m.Funcs {
		if recursive[f] == 0 {
			continue
		}
		k := invariant.Contract{Func: f.Name}
		clause := func(post bool) (c invariant.Predicate) {
			c = randomPromise(rng, f, post)
			if rng.Intn(3) == 0 {
				c = invariant.Guarded{If: []invariant.Comparison{randomPromise(rng, f, false)}, Then: c.(invariant.Atom)}
			}
			return c
		}
		for range rng.Intn(most + 1) {
			k.Pre = append(k.Pre, clause(false))
		}
		for range rng.Intn(most + 1) {
			k.Post = append(k.Post, clause(true))
		}
		contracts = append(contracts, k)
	}
	return contracts
}

func randomPromise(rng *rand.Rand, f *ir.Func, post bool) invariant.Comparison {
	p := invariant.Comparison{Relation: invariant.Relation(rng.Intn(3)), Bound: big.NewInt(int64(rng.Intn(14) - 5))}
	if p.Relation == invariant.Congruent {
		p.Modulus = []uint64{0, 2, 3, 8}[rng.Intn(4)]
	}
	for range 1 + rng.Intn(2) {
		t := invariant.Term{Coeff: int64(rng.Intn(5) - 2), Signed: rng.Intn(2) == 0}
		switch n := rng.Intn(5); {
		case n < 2:
			t.Global, t.Offset, t.Bits, t.Old = "m", uint64(rng.Intn(3)), 8, !post || rng.Intn(2) == 0
		case n == 2 && post:
			t.Bits = 3
		default:
			t.Value, t.Bits = f.Params[0], 3
		}
		p.Terms = append(p.Terms, t)
	}
	return p
}

// loosen takes a clause out of the contract that a checker complains of, if it
// is of one.
func loosen(cert *verdict.Induction, what string) bool {
	for i := range cert.Contracts {
		k := &cert.Contracts[i]
		var list *[]invariant.Predicate
		switch {
		case strings.HasPrefix(what, "contract: a call of "+k.Func+" breaks"):
			list = &k.Pre
		case strings.HasPrefix(what, "contract: "+k.Func+" breaks"):
			list = &k.Post
		default:
			continue
		}
		*list = (*list)[:len(*list)-1]
		return true
	}
	return false
}

// begun is a call under way.
type begun struct {
	f    *ir.Func
	x    bv.BV
	m    []byte
	deep int
}

// exchanged checks contracts on a run.
func exchanged(cert *verdict.Induction, calls []begun, e interp.Event, broken *string) []begun {
	if len(cert.Contracts) == 0 || e.Func.Name != "f" && e.Func.Name != "g" {
		return calls
	}
	now, _ := e.State.Memory(e.State.Symbol("m"), bytesOfM)
	var call begun
	if e.Kind == interp.Enter {
		call = begun{e.Func, e.State.Value(e.Func.Params[0]), now, e.Depth}
		calls = append(calls, call)
	} else {
		call = calls[len(calls)-1]
		calls = calls[:len(calls)-1]
		if call.f != e.Func || call.deep != e.Depth {
			*broken = "the calls of a run do not match"
			return calls
		}
	}
	value := func(t invariant.Term, _ int64) (bv.BV, bool) {
		switch {
		case t.Global != "":
			b := now
			if t.Old {
				b = call.m
			}
			return bv.New(8, uint64(b[t.Offset])), true
		case t.Value == 0:
			return e.Bits, true
		}
		return call.x, true
	}
	for _, k := range cert.Contracts {
		list := k.Pre
		if e.Kind == interp.Leave {
			list = k.Post
		}
		if k.Func != e.Func.Name {
			continue
		}
		for i := range list {
			if !invariant.Holds(list[i], value, 0) {
				*broken = fmt.Sprintf("clause %d of %s at its %v", i+1, k.Func, e.Kind)
			}
		}
	}
	return calls
}

// TestRecursionRandom has random certificates of random recursive programs
// thinned out until they are accepted, and looks for runs that refute them.
func TestRecursionRandom(t *testing.T) {
	accepted, clauses, incomplete := 0, 0, map[string]int{}
	for n := range int64(*inductions) / 2 {
		seed := *inductionSeed + n
		m := recursiveModule(seed)
		if err := ir.Verify(m); err != nil {
			t.Fatalf("%d: %v\n%s", seed, err, ir.Print(m))
		}
		rng := rand.New(rand.NewSource(seed))
		o := Options{Targets: []ir.CheckKind{ir.Assertion}, All: rng.Intn(4) == 0, Engine: []string{"", "z3"}[rng.Intn(2)]}
		if rng.Intn(2) == 0 {
			o.Targets = []ir.CheckKind{ir.InvalidDeref, ir.InvalidFree, ir.MemCleanup}[:2+rng.Intn(2)]
		}
		cert := &verdict.Induction{K: 1 + rng.Intn(2), Depth: 1 + rng.Intn(3), Heads: randomHeads(rng, m, 3), Contracts: randomContracts(rng, m, 4)}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		err := thin(ctx, m, o, cert)
		late := ctx.Err() != nil
		cancel()
		var r ErrRejected
		var i ErrIncomplete
		switch {
		case err == nil:
			accepted++
			for _, k := range cert.Contracts {
				clauses += len(k.Pre) + len(k.Post)
			}
			if why := refute(t, m, o, cert, 400, seed); why != "" {
				t.Errorf("%d: accepted with k %d, depth %d, but %s\n%+v\n%+v\n%s", seed, cert.K, cert.Depth, why, cert.Heads, cert.Contracts, ir.Print(m))
			}
		case late:
			incomplete["late"]++
		case errors.As(err, &i):
			incomplete[i.Why[:min(len(i.Why), 60)]]++
		case !errors.As(err, &r):
			t.Errorf("%d: %v", seed, err)
		}
	}
	t.Logf("%d of %d accepted, with %d clauses; %v", accepted, *inductions/2, clauses, incomplete)
	if *inductions >= 100 && accepted < *inductions/40 {
		t.Error("too few are accepted for this test to mean anything")
	}
}
