// Package cadical is the cgo leaf that binds CaDiCaL 1.5, an incremental SAT
// solver [BiereFazekasFleuryHeisinger20: A. Biere, K. Fazekas, M. Fleury, M.
// Heisinger. CaDiCaL, Kissat, Paracooba, Plingeling and Treengeling Entering the
// SAT Competition 2020].
//
// Literals are those of DIMACS: a variable from 1 on, negative if negated.
// Everything that is more than one literal crosses the border in one call.
//
// CaDiCaL aborts the process if it is used against its protocol, so the protocol
// is enforced here, by panics:
//
//	          AddClauses, Assume, Constrain
//	any but closed ------------------------> open
//	          Solve
//	any but closed ------------------------> open (unknown), sat, unsat
//	          Values only in sat; Failed, ConstraintFailed only in unsat
//	          Close
//	any ------------------------------------> closed
//
// A Solver belongs to one goroutine at a time.
package cadical

/*
#cgo CXXFLAGS: -O2
#cgo LDFLAGS: -lcadical -lstdc++ -lm
#cgo noescape assay_cadical_add
#cgo nocallback assay_cadical_add
#cgo noescape assay_cadical_solve
#cgo nocallback assay_cadical_solve
#cgo noescape assay_cadical_values
#cgo nocallback assay_cadical_values
#cgo noescape assay_cadical_failed
#cgo nocallback assay_cadical_failed
#cgo noescape assay_cadical_fixed
#cgo nocallback assay_cadical_fixed
#include <stdlib.h>
#include "shim.h"
*/
import "C"

import (
	"context"
	"errors"
	"math"
	"unsafe"

	"assay/internal/run/pause"
	"assay/internal/run/work"
)

// Result is what Solve found out.
type Result uint8

// The results. Unknown means that the context or the conflict limit ended the search.
const (
	Unknown Result = iota
	Sat
	Unsat
)

func (r Result) String() string { return [...]string{"unknown", "sat", "unsat"}[r] }

// ErrMemory says that memory ran out. The solver cannot be used any more, and
// Close does not give back its memory.
var ErrMemory = errors.New("cadical: out of memory")

type state uint8

const (
	open state = iota
	sat
	unsat
	broken // memory ran out
	closed
)

// Option sets one of CaDiCaL's own options, such as elim or chrono.
type Option struct {
	Name  string
	Value int
}

// Solver is one instance of CaDiCaL.
type Solver struct {
	c           *C.assay_cadical
	state       state
	assumptions []int32
	constraint  []int32
	limit       int64  // one more than the bound on conflicts; 0 is none
	flags       []int8 // scratch for Failed
	learned     int64  // as of Close
	traced      bool
	literals    int64 // of the clauses added
}

// New makes an empty formula. An option that CaDiCaL does not have is a panic.
func New(options ...Option) *Solver {
	c := C.assay_cadical_new()
	if c == nil {
		return &Solver{state: broken}
	}
	s := &Solver{c: c}
	for _, o := range append([]Option{{"quiet", 1}, {"profile", 0}}, options...) {
		name := C.CString(o.Name)
		ok := C.assay_cadical_set(c, name, C.int(o.Value))
		C.free(unsafe.Pointer(name))
		if ok == 0 {
			C.assay_cadical_delete(c)
			panic("cadical: no option " + o.Name)
		}
	}
	return s
}

// Trace lets the solver write down what it derives, from the empty formula on. It is called
// before anything else.
func (s *Solver) Trace() {
	if s.use() && C.assay_cadical_trace(s.c) != 0 {
		s.state = broken
	}
	s.traced = true
}

// Proof is what was derived so far, in binary DRAT. The solver must have been asked to Trace.
func (s *Solver) Proof() []byte {
	bytes, size := s.proof()
	return C.GoBytes(unsafe.Pointer(bytes), C.int(size))
}

// ProofSize is the number of bytes of the Proof so far.
func (s *Solver) ProofSize() int {
	_, size := s.proof()
	return int(size)
}

func (s *Solver) proof() (bytes *C.char, size C.int64_t) {
	if !s.traced {
		panic("cadical: Proof of a solver that does not trace")
	}
	if s.use() {
		bytes = C.assay_cadical_proof(s.c, &size)
	}
	return bytes, size
}

// use panics if the solver is closed, and says whether it still works.
func (s *Solver) use() bool {
	if s.state == closed {
		panic("cadical: use of a closed solver")
	}
	return s.state != broken
}

// AddClauses adds clauses for good: their literals, each clause ended by 0.
func (s *Solver) AddClauses(flat []int32) {
	if !s.use() || len(flat) == 0 {
		return
	}
	if flat[len(flat)-1] != 0 {
		panic("cadical: last clause has no end")
	}
	s.state = open
	s.literals += int64(len(flat))
	switch C.assay_cadical_add(s.c, (*C.int32_t)(&flat[0]), C.int64_t(len(flat))) {
	case C.ASSAY_CADICAL_NO_MEMORY:
		s.state = broken
	case C.ASSAY_CADICAL_BAD_LITERAL:
		panic("cadical: literal out of range")
	}
}

// Assume adds assumptions for the next Solve.
func (s *Solver) Assume(lits ...int32) {
	if s.use() {
		s.state = open
		s.assumptions = appendLits(s.assumptions, lits)
	}
}

// Constrain sets a clause that holds for the next Solve only; a second call
// replaces the first.
func (s *Solver) Constrain(lits ...int32) {
	if s.use() {
		s.state = open
		s.constraint = appendLits(s.constraint[:0], lits)
	}
}

func appendLits(to, lits []int32) []int32 {
	for _, l := range lits {
		if l == 0 || l == math.MinInt32 {
			panic("cadical: literal out of range")
		}
		to = append(to, l)
	}
	return to
}

// SetConflictLimit bounds the next calls of Solve, each one for itself; a
// negative number is no bound.
func (s *Solver) SetConflictLimit(conflicts int64) { s.limit = conflicts + 1 }

// Solve decides the clauses under the assumptions and the constraint, which it
// consumes. The error is the context's or ErrMemory, and the result is then
// Unknown; Unknown without an error is due to the conflict limit. It rests while
// the context pauses it (package pause).
func (s *Solver) Solve(ctx context.Context) (Result, error) {
	if !s.use() {
		return Unknown, ErrMemory
	}
	s.state = open
	as, cs := s.assumptions, s.constraint
	s.assumptions, s.constraint = as[:0], cs[:0]
	if err := ctx.Err(); err != nil {
		return Unknown, err
	}
	limit := C.int(-1)
	if s.limit > 0 {
		limit = C.int(min(s.limit-1, math.MaxInt32))
	}
	learned, left := int64(0), work.Left(ctx)
	conflict := work.Conflict + s.literals/work.Literals
	if work.Counted(ctx) {
		learned = s.Learned()
		if allowed := left/conflict + 1; left >= 0 && (limit < 0 || allowed < int64(limit)) {
			limit = C.int(min(allowed, math.MaxInt32))
		}
	}
	resume := pause.Watch(ctx, func(paused bool) {
		C.assay_cadical_pause(s.c, C.int(boolean(paused)))
	})
	var done chan struct{}
	stop := func() bool { return true }
	if ctx.Done() != nil {
		done = make(chan struct{})
		c := s.c
		stop = context.AfterFunc(ctx, func() {
			C.assay_cadical_stop(c)
			close(done)
		})
	}
	r := C.assay_cadical_solve(s.c,
		(*C.int32_t)(unsafe.SliceData(as)), C.int64_t(len(as)),
		(*C.int32_t)(unsafe.SliceData(cs)), C.int64_t(len(cs)), limit)
	resume()
	if !stop() {
		<-done // the flag may be set any time before that
		C.assay_cadical_resume(s.c)
	}
	if work.Counted(ctx) && r != C.ASSAY_CADICAL_NO_MEMORY {
		work.Charge(ctx, work.Solve+4*conflict+(s.Learned()-learned)*conflict)
		if r == 0 && left >= 0 && (s.limit == 0 || left/conflict+1 < s.limit-1) {
			work.Charge(ctx, left) // that was the limit
		}
	}
	switch r {
	case 10:
		s.state = sat
		return Sat, nil
	case 20:
		s.state = unsat
		return Unsat, nil
	case C.ASSAY_CADICAL_NO_MEMORY:
		s.state = broken
		return Unknown, ErrMemory
	}
	return Unknown, ctx.Err()
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s *Solver) require(st state, what string) {
	if s.use(); s.state != st {
		panic("cadical: " + what)
	}
}

// Values stores the values of the variables first, first+1, ... in the model:
// 1 for true, -1 for false and for variables that CaDiCaL has never seen.
func (s *Solver) Values(first int32, values []int8) {
	s.require(sat, "Values without a model")
	if len(values) > 0 {
		C.assay_cadical_values(s.c, C.int32_t(first), (*C.int8_t)(&values[0]), C.int64_t(len(values)))
	}
}

// Failed appends to core those of the assumptions that, with the clauses and
// the constraint, are already unsatisfiable. The literals must have been assumed.
func (s *Solver) Failed(assumptions, core []int32) []int32 {
	s.require(unsat, "Failed without unsatisfiability")
	if len(assumptions) == 0 {
		return core
	}
	s.flags = append(s.flags[:0], make([]int8, len(assumptions))...)
	C.assay_cadical_failed(s.c, (*C.int32_t)(&assumptions[0]), (*C.int8_t)(&s.flags[0]), C.int64_t(len(assumptions)))
	for i, f := range s.flags {
		if f != 0 {
			core = append(core, assumptions[i])
		}
	}
	return core
}

// ConstraintFailed says whether the constraint was used to show unsatisfiability.
func (s *Solver) ConstraintFailed() bool {
	s.require(unsat, "ConstraintFailed without unsatisfiability")
	return C.assay_cadical_constraint_failed(s.c) != 0
}

// Fixed stores, for each literal, 1 if the clauses are known to imply it, -1 if
// they are known to refute it, and else 0.
func (s *Solver) Fixed(lits []int32, fixed []int8) {
	if s.use() && len(lits) > 0 {
		C.assay_cadical_fixed(s.c, (*C.int32_t)(&lits[0]), (*C.int8_t)(&fixed[:len(lits)][0]), C.int64_t(len(lits)))
	}
}

// Learned is the number of clauses learned so far, a deterministic measure of
// work: one for each conflict, and those of inprocessing.
func (s *Solver) Learned() int64 {
	if s.c == nil {
		return s.learned
	}
	return int64(C.assay_cadical_learned(s.c))
}

// Close frees the solver. It is idempotent.
func (s *Solver) Close() {
	if s.c != nil {
		s.learned = s.Learned()
		if s.state != broken {
			C.assay_cadical_delete(s.c)
		}
	}
	s.c, s.state = nil, closed
}
