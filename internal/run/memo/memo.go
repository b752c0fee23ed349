// Package memo keeps what is made of a program while a question is answered, so that
// engines that run side by side make it once: analyses, and programs made of programs.
//
// The memory is in a context, as that of package pause is: who calls Of with a context
// without one computes for itself. Checkers of certificates do so, for what an engine
// made must not be their evidence.
//
// What is kept is shared by goroutines, and must not be changed by anybody.
package memo

import (
	"context"
	"sync"
)

// memory holds results by their keys.
type memory struct {
	mu    sync.Mutex
	slots map[any]*slot
}

// slot is a result that is there, or on its way.
type slot struct {
	done  chan struct{} // closed when made says whether value is there
	made  bool
	value any
}

type key struct{}

// With is a context with an empty memory.
func With(ctx context.Context) context.Context {
	return context.WithValue(ctx, key{}, &memory{slots: map[any]*slot{}})
}

// Of is the result of a function for a key, whose type says which function it is. It is
// computed once. The function must not rest (package pause), for others wait for it. An error, which is the end of somebody's context, and a panic are not
// kept: who waited computes it again.
func Of[K comparable, V any](ctx context.Context, k K, compute func() (V, error)) (V, error) {
	m, _ := ctx.Value(key{}).(*memory)
	if m == nil {
		return compute()
	}
	for {
		m.mu.Lock()
		s := m.slots[k]
		if s == nil {
			s = &slot{done: make(chan struct{})}
			m.slots[k] = s
			m.mu.Unlock()
			return fill(m, k, s, compute)
		}
		m.mu.Unlock()
		select { // what is there counts, even if the context has ended
		case <-s.done:
			if s.made {
				return s.value.(V), nil
			}
		default:
		}
		select {
		case <-s.done:
			if s.made {
				return s.value.(V), nil
			}
		case <-ctx.Done():
			var none V
			return none, ctx.Err()
		}
	}
}

// fill computes a result for a slot, and gives the slot back if there is none.
func fill[K comparable, V any](m *memory, k K, s *slot, compute func() (V, error)) (v V, err error) {
	defer func() {
		if !s.made {
			m.mu.Lock()
			delete(m.slots, k)
			m.mu.Unlock()
		}
		close(s.done)
	}()
	if v, err = compute(); err == nil {
		s.value, s.made = v, true
	}
	return v, err
}
