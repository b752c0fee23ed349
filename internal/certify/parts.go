package certify

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"assay/internal/models/memory"
	"assay/internal/program/ir"
	"assay/internal/run/work"
)

// This file checks proofs function by function: certificates with K = 0 (floyd.go) that have contracts, which may be
// of any functions, recursive or not [Hoare71]. A part is the program, or the body of a function with a contract. Each is
// encoded and judged on its own; in each a call of a function with a contract is
//
//	(1) a claim that its precondition holds, which is assumed then;
//	(2) the state "as it is, but any on what the function changes", and any results, so that the
//	    postcondition holds.
//
// The body of a function with a contract begins in a state in which every global that is not constant has any
// content, with any arguments; its precondition is assumed. At its return the postcondition is
// claimed. So a function is encoded once however often it is called, and the cost is the sum of the parts.
//
// What a function changes, its summary, is found as for loops (cut.go): the state at its return is compared with the one
// at its entry, and everything that is not the same term is added to the summary; parts in which the summary was used
// are encoded again, until no summary has grown since it was used.
//
// # Soundness
//
// To the proof in induction.go: broken contracts are bad events, too. Let E be the first bad event of a run, and A the
// innermost activation of a function with a contract that is under way at E, or if there is none, the program. We follow A
// in the encoding of its part:
//
//	(a) The state in which A begins is among those of its part. Arguments are integers and floats, and they
//	    are arbitrary; so is the content of globals; A was called before E, so its precondition holds.
//	(b) There are objects that the part does not have: locals of callers, and blocks that they allocated. A cannot tell,
//	    nor reach them: it is given no pointer, and each pointer that comes up in a body, from memory, from an
//	    integer, or from an input, must be a certain one (certain in recursion.go: to known objects, or null), or else the place is
//	    uncovered. So all that is read and written in A are objects that A made, and globals.
//	(c) A call of a function with a contract that A has completed has kept its contract, for E is the first bad
//	    event. What it has changed is in its summary: by induction over the completed calls, for the calls in it were
//	    completed before, and the last encodings of all parts have used the last summaries. By (b) these are
//	    globals only; what a body makes must have ended at its return (compareMemory), and nothing in a body
//	    writes pointers to memory that lives longer. Where the caller keeps a pointer in what is
//	    changed, the place is uncovered: integers may have been written over it.
//	(d) The rest is the proof of floyd.go.
//
// So the condition of the claim about E holds in the part of A. A body that does not return breaks no postcondition. A run
// that ends in a body has blocks allocated that the part does not know: where leaks are asked this is uncovered.
//
// Functions whose calls are not cut by contracts must not be recursive (newInduction).

// noPart says why a function cannot be a part, if it cannot.
func noPart(f *ir.Func) string {
	pointer := func(t ir.Type) bool { return t.Kind == ir.Ptr }
	switch {
	case f.Variadic:
		return "has variable arguments"
	case slices.ContainsFunc(f.Params, func(p ir.Value) bool { return pointer(f.Type(p)) }):
		return "is given a pointer"
	case slices.ContainsFunc(f.Results, pointer):
		return "returns a pointer"
	}
	return ""
}

// summary is what calls of a function change.
type summary struct {
	changes map[site]*change
	grown   int // how often something was added
}

// part is the program, or the body of a function.
type part struct {
	*induction
	entry   *ir.Func
	encoded *checker // the last encoding, if nothing was added since
}

// inBody says whether what is encoded is the body of a function with a contract.
func (c *checker) inBody() bool { return c.induction != nil && c.induction.body != nil }

// inParts checks a certificate function by function.
func (ind *induction) inParts(ctx context.Context, m *ir.Module, o Options, entry *ir.Func) (checker string, err error) {
	summaries := map[*ir.Func]*summary{}
	var parts []*part
	for _, f := range calledFirst(m) {
		if _, ok := ind.contracts[f]; ok {
			summaries[f] = &summary{changes: map[site]*change{}}
			parts = append(parts, ind.part(f, f, summaries))
		}
	}
	parts = append(parts, ind.part(entry, nil, summaries))
	defer func() {
		for _, p := range parts {
			if p.encoded != nil {
				p.encoded.close()
			}
		}
	}()
	for again := true; again; {
		again = false
		for _, p := range parts {
			if p.encoded != nil && p.current() {
				continue
			}
			if err := p.encode(ctx, m, o); err != nil {
				return "", err
			}
			again = true
		}
	}
	return judgeParts(ctx, parts)
}

// part is one of the proof, with what is its own.
func (ind *induction) part(entry, body *ir.Func, summaries map[*ir.Func]*summary) *part {
	own := *ind
	own.body, own.summaries = body, summaries
	own.contexts, own.changes, own.moves = map[contextKey]int32{}, map[loopKey]map[site]*change{}, map[moveKey]aims{}
	own.nests, own.origins = map[nestKey]map[site]*change{}, map[originKey]origin{}
	return &part{induction: &own, entry: entry}
}

// current says that no summary has grown since it was used.
func (p *part) current() bool {
	for f, n := range p.used {
		if p.summaries[f].grown != n {
			return false
		}
	}
	return true
}

// encode encodes a part until nothing is added to what its loops change, with the summaries as they are.
func (p *part) encode(ctx context.Context, m *ir.Module, o Options) error {
	if p.encoded != nil {
		p.encoded.close()
		p.encoded = nil
	}
	for range maxRounds {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := newChecker(ctx, m, o, nil)
		c.induction, p.grew, p.used = p.induction, false, map[*ir.Func]int{}
		err := c.unwindPart(p)
		if err == nil && !p.grew {
			c.assumeIndexed()
			p.encoded = c
			return nil
		}
		c.close()
		if err != nil {
			return err
		}
	}
	return ErrIncomplete{Why: fmt.Sprintf("what the loops of %s change is not known after %d encodings", p.entry.Name, maxRounds)}
}

// unwindPart lays out and encodes a part.
func (c *checker) unwindPart(p *part) error {
	if p.body == nil {
		return c.unwind(p.entry)
	}
	mem := c.initial()
	var args []value
	var types []ir.Type
	for _, q := range p.entry.Params {
		t := p.entry.Type(q)
		x := c.arbitrary(t)
		x.loose = t.Kind == ir.Float
		args, types = append(args, x), append(types, t)
	}
	c.enter(c.function(p.entry), nil, edge{guard: c.st.True(), mem: mem, values: args}, types)
	fr := c.top
	fr.activation = &activation{mem: mem.Fork()}
	x := exchange{f: p.entry, args: args, before: mem}
	fr.arrivals[1][0].guard = c.keeps(fr, p.contracts[p.entry].Pre, &x, c.st.True())
	return c.run()
}

// byContract lets the contract stand for a call.
func (c *checker) byContract(fr *frame, call *pendingCall, w way) {
	st, f := c.st, w.fn.f
	s := c.induction.summaries[f]
	c.induction.used[f] = s.grown
	x := exchange{f: f, args: call.args, before: w.mem}
	pre := c.keeps(fr, c.induction.contracts[f].Pre, &x, w.guard)
	c.claim(violation, fr, st.And(w.guard, st.Not(pre)), call.v, "contract: a call of %s breaks its precondition", f.Name)
	w.guard = st.And(w.guard, pre)
	w.mem.Each(func(o memory.ObjectID) {
		change := s.changes[c.siteOf(o)]
		if change == nil || change.whole {
			return
		}
		for _, r := range change.cells {
			if old, ok := w.mem.Cell(o, r); ok && c.sp.IsPointer(old) {
				c.claim(uncovered, fr, w.guard, call.v, "%s writes where a pointer is kept", f.Name)
				return
			}
		}
	})
	c.stands(fr, call, s.changes, w)
}

// returned is the end of a body.
func (c *checker) returned(fr *frame, e edge) {
	ind, f := c.induction, fr.fn.f
	x := exchange{f: f, results: e.values, before: fr.activation.mem, at: e.mem}
	for _, p := range f.Params {
		x.args = append(x.args, fr.env[p])
	}
	post := c.keeps(fr, ind.contracts[f].Post, &x, e.guard)
	at := c.blockValue(fr.fn, 1)
	c.claim(violation, fr, c.st.And(e.guard, c.st.Not(post)), at, "contract: %s breaks its postcondition", f.Name)
	loops := ind.grew
	ind.grew = false
	c.compareMemory(fr, ind.summaries[f].changes, x.before, e.mem, e.guard, at, false, false)
	if ind.grew {
		ind.summaries[f].grown++
	}
	ind.grew = ind.grew || loops
}

// judgeParts judges the parts; they are independent: all processors work on them, unless the time of this goroutine is
// counted.
func judgeParts(ctx context.Context, parts []*part) (checker string, err error) {
	workers := min(runtime.GOMAXPROCS(0), len(parts))
	by, errs, panics := make([]string, len(parts)), make([]error, len(parts)), make([]any, len(parts))
	next := make(chan int, len(parts))
	for i := range parts {
		next <- i
	}
	close(next)
	judge := func() {
		for i := range next {
			func() {
				defer func() { panics[i] = recover() }()
				by[i], errs[i] = parts[i].encoded.judgeByVisits()
			}()
			if errs[i] != nil || panics[i] != nil {
				return
			}
		}
	}
	if work.Alone(ctx) || parts[0].encoded.o.Script != nil {
		judge()
	} else {
		var wait sync.WaitGroup
		for range workers {
			wait.Go(judge)
		}
		wait.Wait()
	}
	for i := range parts {
		switch {
		case panics[i] != nil:
			panic(panics[i])
		case errs[i] != nil:
			return "", errs[i]
		case i == 0 || parts[i].encoded.solver != nil:
			checker = by[i]
		}
	}
	return checker, nil
}

// calledFirst are the functions with a body, those that a function calls before it as far as there are no cycles: in this order
// summaries are known where they are used.
func calledFirst(m *ir.Module) (out []*ir.Func) {
	seen := map[string]bool{}
	var visit func(f *ir.Func)
	visit = func(f *ir.Func) {
		if f == nil || f.IsDecl() || seen[f.Name] {
			return
		}
		seen[f.Name] = true
		for v := range f.Values {
			if d := &f.Values[v]; d.Op == ir.Call && d.Sym != "" {
				visit(m.Func(d.Sym))
			}
		}
		out = append(out, f)
	}
	for _, f := range m.Funcs {
		visit(f)
	}
	return out
}
