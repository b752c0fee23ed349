package schedule

import (
	"context"
	"fmt"
	"sync"
	"time"

	"assay/internal/run/work"
)

// Event is something that an engine did.
type Event struct {
	At     time.Duration `json:"nanoseconds"` // since Log; the work done where time is work
	Engine string        `json:"engine"`      // the path of names to it
	Kind   Kind          `json:"event"`
	Text   string        `json:"text,omitempty"`
}

// Kind classifies an Event.
type Kind string

// The kinds of events.
const (
	Began     Kind = "began"     // to run
	Answered  Kind = "answered"  // the property holds, or fails
	Gave      Kind = "gave up"   // it has returned without answer
	Stopped   Kind = "stopped"   // another engine had an answer, or the time was over
	Panicked  Kind = "panicked"  // a bug
	Published Kind = "published" // facts for others
	Took      Kind = "took"      // facts of others
	Claimed   Kind = "claimed"   // it has evidence, not yet checked
	Accepted  Kind = "accepted"  // its evidence
	Refused   Kind = "refused"   // its evidence
)

type (
	nameKey struct{}
	logKey  struct{}
)

// log writes events down, one at a time.
type log struct {
	begin time.Time
	mu    sync.Mutex
	sink  func(Event)
}

// Log is a context in which sink is called with each event, by one goroutine at a time.
func Log(ctx context.Context, sink func(Event)) context.Context {
	return context.WithValue(ctx, logKey{}, &log{begin: time.Now(), sink: sink})
}

// Say writes down what the engine of the context does; without Log it does nothing.
func Say(ctx context.Context, kind Kind, text string) {
	l, _ := ctx.Value(logKey{}).(*log)
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at := time.Since(l.begin)
	if work.Counted(ctx) {
		at = work.Spent(ctx)
	}
	l.sink(Event{At: at, Engine: path(ctx), Kind: kind, Text: text})
}

// note writes down how the engine of the context ended, in the words of its answer if
// that has some.
func note(ctx context.Context, side Side, answer any, failure *Failure) {
	kind, text := Gave, ""
	if s, ok := answer.(fmt.Stringer); ok {
		text = s.String()
	}
	switch {
	case failure != nil:
		kind, text = Panicked, failure.Error()
	case side.decides():
		kind, text = Answered, side.String()
	case ctx.Err() != nil:
		kind, text = Stopped, ""
	}
	Say(ctx, kind, text)
}

// named is the context of an engine.
func named(ctx context.Context, name string) context.Context {
	if above := path(ctx); above != "" {
		name = above + " / " + name
	}
	return context.WithValue(ctx, nameKey{}, name)
}

// path is the path of names to the engine of a context.
func path(ctx context.Context) string {
	name, _ := ctx.Value(nameKey{}).(string)
	return name
}
