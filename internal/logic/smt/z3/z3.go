// Package z3 is the cgo leaf that binds Z3 4.8 as an smt.Solver [MouraBjorner08:
// L. de Moura, N. Bjørner. Z3: An Efficient SMT Solver. TACAS 2008].
//
// Terms are translated once, to slots of a table that lives in C (shim.c): Go
// sends the steps of a construction in one call and never sees an object of Z3.
// Everything is freed with the context, of which each Solver has its own.
//
// Assumptions that are not variables or their negations are represented by
// fresh variables that imply them, because Z3 takes literals as assumptions.
package z3

/*
#cgo pkg-config: z3
#cgo noescape assay_z3_build
#cgo nocallback assay_z3_build
#cgo noescape assay_z3_assert
#cgo nocallback assay_z3_assert
#cgo noescape assay_z3_check
#cgo nocallback assay_z3_check
#cgo noescape assay_z3_core
#cgo nocallback assay_z3_core
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"
	"unsafe"

	"assay/internal/logic/smt"
	"assay/internal/logic/term"
	"assay/internal/run/work"
)

// LimitMemory bounds the memory of all of Z3's contexts together, in
// megabytes; 0 is no bound. Z3 has no bound for a single context. Checks look at
// the bound now and then, and end with smt.ErrMemory above it. Beyond twice the
// bound Z3 stops allocating, which 4.8 does not always survive: a caller that needs
// protection from that runs the check in a process of its own.
func LimitMemory(megabytes uint32) {
	hard := min(2*uint64(megabytes), math.MaxInt32)
	C.assay_z3_memory(C.uint32_t(megabytes), C.uint32_t(hard))
}

// Options are what a solver can be told at its birth.
type Options struct {
	// OneShot makes every check start from nothing, with Z3's preprocessing,
	// which is incompatible with assumptions and learning across checks, but
	// best for a single big formula. The core is then all assumptions.
	OneShot bool
	// Circuits makes these checks translate bit-vectors to circuits at once, for
	// formulas without arrays and floats: Z3's own strategies rewrite sums first,
	// after which it does not see any more that sums of different widths agree.
	Circuits bool
}

type state uint8

const (
	noModel state = iota
	satisfied
	refuted
	closed
)

// Solver implements smt.Solver.
type Solver struct {
	c       *C.assay_z3 // nil until the first check that needs it: a context of Z3 fills tables of 30 MB
	store   *term.Store
	options Options
	state   state
	failed  error // Z3 has reported an error; nothing can be trusted any more

	pending []term.ID // asserted, not yet given to Z3
	all     []term.ID // given to Z3

	started bool // Z3's solver exists
	general bool // and knows everything

	// Translation, see translate.go.
	slots          []C.uint32_t // by term; 0 is none
	next           C.uint32_t   // the next free slot
	steps          []C.assay_z3_step
	words          []C.uint32_t
	stack          []term.ID
	hasArrays      bool
	hasFloats      bool
	hasConstArrays bool

	proxies map[term.ID]C.uint32_t // of assumptions
	proxied []term.ID              // the keys, in the order of their making
	assumed []C.uint32_t
	core    []term.ID

	limit  int64
	checks int64
	stats  smt.Stats // as of Close
	model  model
}

var _ smt.Solver = (*Solver)(nil)

// New is a solver without assertions for terms of the store.
func New(store *term.Store, options Options) *Solver {
	s := &Solver{store: store, options: options, next: 1, proxies: map[term.ID]C.uint32_t{}}
	s.model.s = s
	return s
}

// open makes Z3's context.
func (s *Solver) open() {
	if s.c == nil && s.failed == nil {
		if s.c = C.assay_z3_new(); s.c == nil {
			s.failed = smt.ErrMemory
		}
	}
}

// refutedAtOnce says that the constant false is asserted, or assumed.
func (s *Solver) refutedAtOnce(assumptions []term.ID) bool {
	if slices.ContainsFunc(s.pending, s.store.IsFalse) { // it stays pending
		s.core = s.core[:0]
		return true
	}
	if i := slices.IndexFunc(assumptions, s.store.IsFalse); i >= 0 {
		s.core = append(s.core[:0], assumptions[i])
		return true
	}
	return false
}

func (s *Solver) makeSolver(logic, tactic string) {
	var l, t *C.char
	if logic != "" {
		l = C.CString(logic)
		defer C.free(unsafe.Pointer(l))
	}
	if tactic != "" {
		t = C.CString(tactic)
		defer C.free(unsafe.Pointer(t))
	}
	flat := C.int(1)
	if tactic == circuits {
		flat = 0
	}
	C.assay_z3_solver(s.c, l, t, flat)
	s.takeError()
}

// takeError remembers an error that Z3's handler recorded.
func (s *Solver) takeError() {
	var message *C.char
	code := C.assay_z3_error(s.c, &message)
	const memout = 7 // Z3_MEMOUT_FAIL
	switch {
	case code == 0 || s.failed != nil:
	case code == memout || isMemory(C.GoString(message)):
		s.failed = smt.ErrMemory
	default:
		s.failed = smt.ErrUnsupported{What: "Z3 says: " + C.GoString(message)}
	}
}

func isMemory(message string) bool {
	return strings.Contains(message, "memout") || strings.Contains(message, "memory")
}

func (s *Solver) use() {
	if s.state == closed {
		panic("z3: use of a closed solver")
	}
}

// Assert implements smt.Solver.
func (s *Solver) Assert(t term.ID) {
	s.use()
	if s.store.Sort(t).Kind != term.SortBool {
		panic("z3: assertion of a non-Bool")
	}
	s.pending = append(s.pending, t)
}

// SetConflictLimit implements smt.Solver.
func (s *Solver) SetConflictLimit(n int64) { s.limit = n }

// Check implements smt.Solver.
func (s *Solver) Check(ctx context.Context, assumptions ...term.ID) (smt.Status, error) {
	s.use()
	s.state = noModel
	s.model.reset()
	s.checks++
	if err := ctx.Err(); err != nil {
		return smt.Unknown, err
	}
	if s.failed == nil && s.refutedAtOnce(assumptions) {
		s.state = refuted
		return smt.Unsat, nil
	}
	s.open()
	for _, t := range s.pending {
		s.translate(t)
	}
	for _, t := range assumptions {
		s.translate(t)
	}
	s.flush()
	if s.failed != nil {
		return smt.Unknown, s.failed
	}
	s.assumed = s.assumed[:0]
	switch {
	case s.options.OneShot:
		s.startOver(s.tactic())
		s.assert(assumptions)
	case !s.started || s.needsGeneral() && !s.general:
		s.startOver("")
		s.assume(assumptions)
	default:
		s.assert(s.pending)
		s.assume(assumptions)
	}
	s.all = append(s.all, s.pending...)
	s.pending = s.pending[:0]
	if s.failed != nil {
		return smt.Unknown, s.failed
	}
	return s.check(ctx, assumptions)
}

// startOver makes a new solver with all assertions: from a tactic or, if that
// is empty, an incremental one. Of these, the one for arrays and bit-vectors is
// up to three times as fast as the one for everything (and the one for
// bit-vectors alone, a SAT solver, is slower than both on many small checks);
// so it is replaced when something comes up that it does not know.
func (s *Solver) startOver(tactic string) {
	s.general = s.needsGeneral()
	logic := ""
	if tactic == "" && !s.general {
		logic = "QF_ABV"
	}
	s.makeSolver(logic, tactic)
	s.started = true
	s.assert(s.all)
	s.assert(s.pending)
	for _, t := range s.proxied {
		C.assay_z3_imply(s.c, s.proxies[t], s.slots[t])
	}
	s.takeError()
}

// needsGeneral says whether the solver for arrays and bit-vectors is not
// enough: it knows no floats and is incomplete for constant arrays.
func (s *Solver) needsGeneral() bool { return s.hasFloats || s.hasConstArrays }

// circuits is the strategy of Options.Circuits. Conjunctions and disjunctions stay as
// deep as they are: those of a program's guards, which share what they begin with,
// would become quadratic.
const circuits = "simplify propagate-values bit-blast sat"

// tactic is the best strategy for one check of what the formula has in it. With
// floats, Z3's own strategies for them are no better than its default.
func (s *Solver) tactic() string {
	switch {
	case s.options.Circuits && !s.hasArrays && !s.hasFloats:
		return circuits
	case s.hasFloats:
		return "default"
	case s.hasArrays:
		return "qfaufbv"
	}
	return "qfbv"
}

func (s *Solver) assert(ts []term.ID) {
	if len(ts) == 0 || s.failed != nil {
		return
	}
	slots := make([]C.uint32_t, len(ts))
	for i, t := range ts {
		slots[i] = s.slots[t]
	}
	C.assay_z3_assert(s.c, &slots[0], C.int64_t(len(slots)))
	s.takeError()
}

// assume finds the literals that stand for the assumptions.
func (s *Solver) assume(assumptions []term.ID) {
	for _, t := range assumptions {
		if s.isLiteral(t) {
			s.assumed = append(s.assumed, s.slots[t])
			continue
		}
		p, ok := s.proxies[t]
		if !ok {
			s.steps = append(s.steps, C.assay_z3_step{op: C.STEP_VAR})
			p = s.next
			s.next++
			s.proxies[t] = p
			s.proxied = append(s.proxied, t)
			s.flush()
			if s.failed != nil {
				return
			}
			C.assay_z3_imply(s.c, p, s.slots[t])
			s.takeError()
		}
		s.assumed = append(s.assumed, p)
	}
}

func (s *Solver) isLiteral(t term.ID) bool {
	if s.store.Op(t) == term.OpNot {
		t = s.store.Arg(t, 0)
	}
	return s.store.Op(t) == term.OpVar
}

// check runs Z3 on what has been asserted and assumed.
func (s *Solver) check(ctx context.Context, assumptions []term.ID) (smt.Status, error) {
	finish := s.watch(ctx)
	limit := C.uint32_t(math.MaxUint32)
	if s.limit > 0 {
		limit = C.uint32_t(min(s.limit, math.MaxUint32-1))
	}
	var reason *C.char
	begin, resources := s.budget(ctx)
	r := C.assay_z3_check(s.c, unsafe.SliceData(s.assumed), C.int64_t(len(s.assumed)), limit, C.uint32_t(resources), &reason)
	finish()
	s.charge(ctx, begin, resources)
	s.takeError()
	switch {
	case ctx.Err() != nil && (s.failed != nil || r == 0):
		// An interrupted check may be reported as an error.
		if s.failed != smt.ErrMemory {
			s.failed = nil
		}
		return smt.Unknown, ctx.Err()
	case s.failed != nil:
		return smt.Unknown, s.failed
	case r > 0:
		s.state = satisfied
		return smt.Sat, nil
	case r < 0:
		s.state = refuted
		s.readCore(assumptions)
		return smt.Unsat, nil
	}
	switch why := C.GoString(reason); {
	case isMemory(why):
		s.failed = smt.ErrMemory
		return smt.Unknown, smt.ErrMemory
	case s.limit > 0 && (strings.Contains(why, "conflict") || s.options.OneShot):
		// A strategy does not say which of its steps gave up.
		return smt.Unknown, smt.ErrLimit{Conflicts: s.limit}
	default:
		return smt.Unknown, smt.ErrUnsupported{What: "Z3 gave up: " + why}
	}
}

// budget is what Z3 has counted so far, and what it may count in the next check where time is work; 0 is no limit.
func (s *Solver) budget(ctx context.Context) (begin, resources uint64) {
	if !work.Counted(ctx) {
		return 0, 0
	}
	if left := work.Left(ctx); left >= 0 {
		resources = uint64(min(left*work.Resource, math.MaxUint32-1))
	}
	return uint64(C.assay_z3_resources(s.c)), resources
}

// charge counts the work of a check; what came to its limit has used up the budget.
func (s *Solver) charge(ctx context.Context, begin, resources uint64) {
	if !work.Counted(ctx) {
		return
	}
	used := uint64(C.assay_z3_resources(s.c)) - begin
	if resources > 0 && used >= resources {
		work.Charge(ctx, work.Left(ctx))
		return
	}
	work.Charge(ctx, work.Solve+int64(used/work.Resource))
}

// watch interrupts the check when the context ends. Z3 forgets an interrupt
// that comes just before the check begins, so it is repeated until the function
// that watch returns is called.
func (s *Solver) watch(ctx context.Context) (finish func()) {
	if ctx.Done() == nil {
		return func() {}
	}
	over, ended := make(chan struct{}), make(chan struct{})
	c := s.c
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			C.assay_z3_interrupt(c)
			select {
			case <-over:
				return
			case <-tick.C:
			}
		}
	})
	return func() {
		close(over)
		if !stop() {
			<-ended
		}
	}
}

func (s *Solver) readCore(assumptions []term.ID) {
	s.core = s.core[:0]
	if s.options.OneShot {
		s.core = append(s.core, assumptions...)
		return
	}
	if len(s.assumed) == 0 {
		return
	}
	failed := make([]C.int8_t, len(s.assumed))
	C.assay_z3_core(s.c, &s.assumed[0], &failed[0], C.int64_t(len(failed)))
	s.takeError()
	seen := map[C.uint32_t]bool{}
	for i, f := range failed {
		if f != 0 && !seen[s.assumed[i]] {
			seen[s.assumed[i]] = true
			s.core = append(s.core, assumptions[i])
		}
	}
}

// Core implements smt.Solver.
func (s *Solver) Core() []term.ID {
	if s.state != refuted {
		panic("z3: Core without unsatisfiability")
	}
	return append([]term.ID(nil), s.core...)
}

// Stats implements smt.Solver. Bytes is the memory of all of Z3's contexts.
func (s *Solver) Stats() smt.Stats {
	if s.c == nil {
		return smt.Stats{Checks: s.checks, Conflicts: s.stats.Conflicts, Bytes: s.stats.Bytes}
	}
	var conflicts, bytes C.uint64_t
	C.assay_z3_statistics(s.c, &conflicts, &bytes)
	s.takeError()
	return smt.Stats{Checks: s.checks, Conflicts: int64(conflicts), Bytes: int64(bytes)}
}

// Close implements smt.Solver.
func (s *Solver) Close() {
	if s.c != nil {
		s.stats = s.Stats()
		C.assay_z3_delete(s.c)
	}
	s.c, s.state = nil, closed
}
