package z3

/*
#include <stdlib.h>
#include "script.h"
*/
import "C"

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"
	"unsafe"

	"assay/internal/logic/smt"
	"assay/internal/run/work"
)

// Script executes SMT-LIB commands: the way to Z3 for what package term has no
// sorts for, integers and reals. Definitions and assertions stay between calls,
// as in one long script. It belongs to one goroutine at a time.
type Script struct {
	c         *C.assay_z3_script
	resources int64 // that Z3 has counted, where time is work
}

// Z3's solvers for integers, by number.
var newer, older = C.CString("6"), C.CString("2")

// NewScript is a script without commands.
func NewScript() (*Script, error) { return newScript(newer) }

// NewLinearScript is one with Z3's older solver for integers, which Spacer takes by itself, too. For many small questions in
// nested scopes about bounded integers, most of them satisfiable, the newer one needs four times as long, and
// 25 times where values of 8 and 64 bits meet. With products of variables the older one is the worse.
func NewLinearScript() (*Script, error) { return newScript(older) }

func newScript(arithmetic *C.char) (*Script, error) {
	c := C.assay_z3_script_new(arithmetic)
	if c == nil {
		return nil, smt.ErrMemory
	}
	return &Script{c: c}, nil
}

// Eval executes the commands and returns what they print. The error is the
// context's, smt.ErrMemory, or says what Z3 did not like.
func (s *Script) Eval(ctx context.Context, text string) (string, error) {
	if s.c == nil {
		panic("z3: use of a closed script")
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	over, ended := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		// Z3 forgets an interrupt that comes just before the check begins.
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			C.assay_z3_script_interrupt(s.c)
			select {
			case <-over:
				return
			case <-tick.C:
			}
		}
	})
	counted, left := work.Counted(ctx), work.Left(ctx)
	if counted { // the last line of the output is what Z3 has counted
		text = fmt.Sprintf("(set-option :rlimit %d)\n%s\n(get-info :rlimit)\n", min(max(left, 0)*work.Resource, math.MaxUint32-1), text)
	}
	t := C.CString(text)
	defer C.free(unsafe.Pointer(t))
	var failed C.int
	out := C.GoString(C.assay_z3_script_eval(s.c, t, &failed))
	close(over)
	if !stop() {
		<-ended
	}
	if counted {
		out = s.charge(ctx, out, left)
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if failed != 0 || strings.Contains(out, "(error ") {
		if isMemory(out) {
			return "", smt.ErrMemory
		}
		return "", fmt.Errorf("Z3 says: %s", strings.TrimSpace(out))
	}
	return out, nil
}

// charge counts the work of commands, which the last line of their output tells, and gives the other lines.
// What came to its limit has used up the budget.
func (s *Script) charge(ctx context.Context, out string, left int64) string {
	i := strings.LastIndex(out, "(:rlimit ")
	if i < 0 {
		work.Charge(ctx, work.Step)
		return out
	}
	var total int64
	fmt.Sscanf(out[i:], "(:rlimit %d)", &total)
	used := total - s.resources
	s.resources = total
	if left >= 0 && used >= left*work.Resource {
		work.Charge(ctx, left)
	} else {
		work.Charge(ctx, work.Solve+used/work.Resource)
	}
	return out[:i]
}

// Close frees the script; it is idempotent.
func (s *Script) Close() {
	if s.c != nil {
		C.assay_z3_script_delete(s.c)
	}
	s.c = nil
}
