// Package pause lets one of several engines that run side by side ask the
// others to wait: while the certificate of a proof is checked, which nearly always
// ends the run, what the others do is mostly wasted.
//
// The engines share a context that With has made. Others closes the gate in it
// and returns a context that the gate does not concern. An engine comes to rest at
// the next call of Wait; one that is inside a library registers with Watch.
// Nothing depends on when, or whether, an engine rests, and no pause is longer than
// its limit: a check may take longer than a search, or fail.
//
// No engine may wait for another one, or hold a lock that others need, where it
// calls Wait.
package pause

import (
	"context"
	"sync"
	"time"

	"assay/internal/run/work"
)

// gate is shared by the engines of a run. It is closed while held > 0.
type gate struct {
	begin    time.Time
	outer    *gate // that of the run that asks this one, nil if none does
	own      bool  // of one engine: Own
	mu       sync.Mutex
	held     int
	opened   chan struct{} // closed when the gate opens
	watchers map[*watcher]struct{}
}

type watcher struct{ tell func(paused bool) }

type key struct{}

// With is a context in which engines can pause each other. If it is made in one in which others can pause the caller, those
// pause all of them, and none of these pauses the others.
func With(ctx context.Context) context.Context {
	if work.Counted(ctx) {
		return ctx // engines run one after the other
	}
	return context.WithValue(ctx, key{}, within(ctx))
}

// within is a gate that is closed when that of a context is.
func within(ctx context.Context) *gate {
	g := &gate{begin: time.Now(), watchers: map[*watcher]struct{}{}, outer: of(ctx)}
	if g.outer != nil {
		context.AfterFunc(ctx, g.outer.watch(func(paused bool) {
			if paused {
				g.hold()
			} else {
				g.release()
			}
		}))
	}
	return g
}

// Own is a context for one engine, which hold makes wait, and release go on, as often as it was held; both are nil if
// engines cannot pause each other. Others goes by that: while the engine checks a certificate, it does not wait.
func Own(ctx context.Context) (own context.Context, hold, release func()) {
	if of(ctx) == nil {
		return ctx, nil, nil
	}
	g := within(ctx)
	g.own = true
	return context.WithValue(ctx, key{}, g), g.hold, g.release
}

// of is the gate of a context, nil if there is none.
func of(ctx context.Context) *gate {
	g, _ := ctx.Value(key{}).(*gate)
	return g
}

// least is what every pause may take: starting a solver is not worth a race.
const least = time.Second

// Others makes all other engines wait until resume is called, at most for three times as
// long as they have run, and a little. The caller goes on with the context that it
// returns.
func Others(ctx context.Context) (own context.Context, resume func()) {
	g := of(ctx)
	for g != nil && g.own {
		g = g.outer
	}
	if g == nil {
		return ctx, func() {}
	}
	return g.others(ctx, least+3*time.Since(g.begin))
}

func (g *gate) others(ctx context.Context, limit time.Duration) (own context.Context, resume func()) {
	g.hold()
	release := sync.OnceFunc(g.release)
	timer := time.AfterFunc(limit, release)
	return context.WithValue(ctx, key{}, g.outer), func() {
		timer.Stop()
		release()
	}
}

func (g *gate) hold() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held++; g.held == 1 {
		g.opened = make(chan struct{})
		for w := range g.watchers {
			w.tell(true)
		}
	}
}

func (g *gate) release() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held--; g.held == 0 {
		close(g.opened)
		for w := range g.watchers {
			w.tell(false)
		}
	}
}

type probeKey struct{}

// Probe is a context with which Wait and Watch call f first: all engines come by there,
// and tests plant bugs in them with it.
func Probe(ctx context.Context, f func()) context.Context {
	return context.WithValue(ctx, probeKey{}, f)
}

func probe(ctx context.Context) {
	if f, ok := ctx.Value(probeKey{}).(func()); ok {
		f()
	}
}

// Wait returns when the caller may go on, or its context ends. Where time is work it counts a step.
func Wait(ctx context.Context) {
	probe(ctx)
	work.Charge(ctx, work.Step)
	g := of(ctx)
	if g == nil {
		return
	}
	g.mu.Lock()
	closed, opened := g.held > 0, g.opened
	g.mu.Unlock()
	if !closed {
		return
	}
	select {
	case <-opened:
	case <-ctx.Done():
	}
}

// Watch calls tell(true) when the caller shall wait, at once if it already
// shall, and tell(false) when it may go on, until stop is called; tell is called
// by one goroutine at a time, and must not block. If stop is called during a pause
// then tell(false) is called, too.
func Watch(ctx context.Context, tell func(paused bool)) (stop func()) {
	probe(ctx)
	g := of(ctx)
	if g == nil {
		return func() {}
	}
	return g.watch(tell)
}

func (g *gate) watch(tell func(paused bool)) (stop func()) {
	w := &watcher{tell}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.watchers[w] = struct{}{}
	if g.held > 0 {
		tell(true)
	}
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.watchers, w)
		if g.held > 0 {
			tell(false)
		}
	}
}
