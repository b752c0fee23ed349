package z3

/*
#include <stdlib.h>
#include "script.h"
*/
import "C"

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unsafe"

	"assay/internal/logic/smt"
)

// Script executes SMT-LIB commands: the way to Z3 for what package term has no
// sorts for, integers and reals. Definitions and assertions stay between calls,
// as in one long script. It belongs to one goroutine at a time.
type Script struct {
	c *C.assay_z3_script
}

// NewScript is a script without commands.
func NewScript() (*Script, error) {
	c := C.assay_z3_script_new()
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
	t := C.CString(text)
	defer C.free(unsafe.Pointer(t))
	var failed C.int
	out := C.GoString(C.assay_z3_script_eval(s.c, t, &failed))
	close(over)
	if !stop() {
		<-ended
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

// Close frees the script; it is idempotent.
func (s *Script) Close() {
	if s.c != nil {
		C.assay_z3_script_delete(s.c)
	}
	s.c = nil
}
