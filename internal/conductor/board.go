package conductor

import (
	"context"
	"reflect"
	"sync"
	"time"

	"assay/internal/program/ir"
	"assay/internal/run/schedule"
	"assay/internal/run/work"
)

// This file is the mechanism of the board, on which engines of a run tell each other what they
// found while they run; facts.go has what they tell. A fact is about a module: the program, or
// one that was made of it, whose engines are told nothing of others.

// Worth says what a fact rests on.
type Worth uint8

// What facts are worth.
const (
	Guessed   Worth = iota // worth a try
	Proved                 // by the engine; not checked
	Certified              // an independent checker has accepted the evidence
)

func (w Worth) String() string { return [...]string{"a candidate", "proved", "certified"}[w] }

// Post is a fact with where it comes from.
type Post struct {
	Fact  Fact
	By    string // the engine
	Worth Worth
	// Under says under which assumption, "" if there is none.
	Under string
}

// place is where posts of a type about a module are; a new one replaces the old.
type place struct {
	fact   reflect.Type
	module *ir.Module
}

// board holds the latest posts.
type board struct {
	mu     sync.Mutex
	posts  map[place]*Post
	order  []place       // of the first posts
	change chan struct{} // closed when something is published
}

func newBoard() *board { return &board{posts: map[place]*Post{}, change: make(chan struct{})} }

// publish tells the others a fact about a module.
func (b *board) publish(ctx context.Context, m *ir.Module, p Post) {
	b.mu.Lock()
	at := place{reflect.TypeOf(p.Fact), m}
	if b.posts[at] == nil {
		b.order = append(b.order, at)
	}
	b.posts[at] = &p
	close(b.change)
	b.change = make(chan struct{})
	b.mu.Unlock()
	schedule.Say(ctx, schedule.Published, p.Fact.text())
}

// look is the latest fact of type F about a module, and what is closed at the next change.
func look[F Fact](b *board, m *ir.Module) (fact F, ok bool, change <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.posts[place{reflect.TypeFor[F](), m}]; p != nil {
		return p.Fact.(F), true, b.change
	}
	return fact, false, b.change
}

// latest is the latest fact of type F about a module, if there is one.
func latest[F Fact](ctx context.Context, b *board, m *ir.Module) (F, bool) {
	fact, ok, _ := look[F](b, m)
	if ok {
		schedule.Say(ctx, schedule.Took, fact.text())
	}
	return fact, ok
}

// await waits for a fact of type F about a module, for a time; 0 is until the context ends.
func await[F Fact](ctx context.Context, b *board, m *ir.Module, limit time.Duration) (fact F, ok bool) {
	if limit > 0 {
		var stop context.CancelFunc
		ctx, stop = work.WithTimeout(ctx, limit)
		defer stop()
	}
	for {
		fact, ok, change := look[F](b, m)
		if ok {
			schedule.Say(ctx, schedule.Took, fact.text())
			return fact, true
		}
		if work.Counted(ctx) {
			return fact, false // nobody else runs
		}
		select {
		case <-change:
		case <-ctx.Done():
			return fact, false
		}
	}
}

// isKnown says whether some fact of type F, about whatever module, is as wanted.
func isKnown[F Fact](b *board, wanted func(F) bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for at, p := range b.posts {
		if at.fact == reflect.TypeFor[F]() && wanted(p.Fact.(F)) {
			return true
		}
	}
	return false
}

// about lists the posts about a module, in the order of their first publication.
func (b *board) about(m *ir.Module) (out []Post) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, at := range b.order {
		if at.module == m {
			out = append(out, *b.posts[at])
		}
	}
	return out
}
