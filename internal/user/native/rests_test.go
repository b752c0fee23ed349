package native

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/user/show"
)

// expiring is a context that ends after some looks at it.
type expiring struct {
	context.Context
	left *int
}

func (c expiring) Err() error {
	if *c.left--; *c.left < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

func (expiring) Deadline() (time.Time, bool) { return time.Time{}, false }

// TestRestsInTime: whether a run rests on addresses is never answered with no because the time is up.
func TestRestsInTime(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	m := &ir.Module{PointerBits: 64}
	b := ir.NewFunc(m, "main", ir.IntType(32))
	m.Entry = "main"
	entry, loop, done := b.Block("entry"), b.Block("loop"), b.Block("done")
	b.At(entry)
	zero := b.Const(64, 0)
	b.Br(loop)
	b.At(loop)
	k := b.Phi(ir.IntType(64))
	next := b.Bin(ir.Add, k, b.Const(64, 1))
	b.CondBr(b.Cmp(ir.ULt, next, b.Const(64, 1<<22)), loop, done)
	b.AddIncoming(k, zero, entry)
	b.AddIncoming(k, next, loop)
	b.At(done)
	b.Check(ir.Assertion, b.Const(1, 0), "wrong")
	b.Ret(b.Const(32, 0))
	b.Done()
	run := &show.Run{Module: m, Violation: verdict.Guard{Kind: ir.Assertion, Text: "wrong", Func: "main"}}
	all := 1 << 30
	if why := rests(expiring{context.Background(), &all}, []string{binary}, run); why != "" {
		t.Fatalf("a run without addresses rests on something: %s", why)
	}
	looks := 1<<30 - all
	for _, n := range []int{0, looks / 4, looks / 2, looks - 1} {
		left := n
		if why := rests(expiring{context.Background(), &left}, []string{binary}, run); !strings.Contains(why, "time") && !strings.Contains(why, "too long") {
			t.Errorf("after %d of %d looks at the time: %q", n, looks, why)
		}
	}
}
