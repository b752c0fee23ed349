package schedule

import (
	"context"
	"fmt"
	"runtime/debug"
)

// Failure is a bug that a run came across: an engine panicked, or two engines contradict
// each other. It is a panic, and not an error, so that it cannot be taken for an
// answer that is not known; the outermost caller recovers it.
type Failure struct {
	// Engine is the path of names to the engine, "IC3 / spacer".
	Engine string
	Value  any
	// Stack is that of the panic, empty for a contradiction.
	Stack string
}

func (f *Failure) Error() string {
	if f.Engine == "" {
		return fmt.Sprint(f.Value)
	}
	return fmt.Sprintf("%s: %v", f.Engine, f.Value)
}

// Recovered is the value of a panic as a *Failure. It is called by the function that
// recovers, so that the stack is that of the panic; a *Failure stays what it is.
func Recovered(ctx context.Context, p any) *Failure {
	if f, ok := p.(*Failure); ok {
		return f
	}
	return &Failure{Engine: path(ctx), Value: p, Stack: string(debug.Stack())}
}
