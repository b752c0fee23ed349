// Package interp runs modules concretely. It is the oracle of everything else:
// counterexamples are replayed in it, invariants and models are tested against
// it. So it follows the comments of package ir to the letter, and shares no code
// with the encoder.
//
// The meaning of what package ir leaves to the interpreter:
//
//   - Undefined behaviour is reported as an event of kind Violation, and the run
//     goes on: an arbitrary result is a decision of the oracle, an invalid write
//     or free does nothing. A false Check is the same event. A guard is reported
//     even if a Check at the same place reported it already.
//   - Decisions are asked for exactly where they take effect: by Nondet; by
//     Alloca, Malloc, LifetimeStart (of a stack object), and Havoc (of a valid
//     range, of no bytes too); by an operation whose result is arbitrary in the
//     state at hand; by MemCpy from an invalid range to a valid one (the content
//     of the destination); by a Call of a function without body, or through a
//     pointer that fits no function, once for its own value if it has one and once
//     for each index that Extracts of the call name, ascending, in the name of
//     the first of those.
//   - Bytes of a Choice beyond the object or range have no meaning, nor has Base
//     in a choice that makes no object; LifetimeStart may repeat it.
//   - An integer of a width that is no multiple of 8 is stored with zeros above
//     it; loading ignores what is above it. No bytes may be read or written
//     anywhere.
//   - An indirect call goes to a function if the address is the start of one and
//     its parameters and results have the types that the call gives and takes
//     (a call that ignores further results may). Otherwise it is of kind
//     Incompatible, or InvalidDeref if it is no function at all, and changes nothing.
//   - LifetimeStart and LifetimeEnd work on the stack object that the pointer
//     points into, and do nothing if there is none, or it died for good.
//     StackRestore does nothing with something else than a token of the frame.
//   - VaStart makes one object with the variadic arguments, which dies with the
//     frame: 8-byte slots (4 on 32 bits), longer values in several, 16-byte integers
//     aligned to 16; the rest of a slot is zero. The va_list is what the System V
//     ABI says, with no argument in registers: gp_offset 48, fp_offset 176,
//     overflow_arg_area the object, reg_save_area null; on 32 bits, a pointer.
//   - When the program ends by Halt exit or by return from the entry, live heap
//     objects are a violation of kind MemCleanup, and those that no pointer in
//     globals, live stack objects or frames reaches, of kind MemTrack. A pointer
//     that a frame holds counts even if nothing uses it any more.
//   - A step is an instruction other than Phi, Dbg and Label.
//   - An oracle that is a Jumper makes the run jump over iterations of loops. Nothing is
//     known of what happens on the way; who observes the event must prove it.
package interp

import (
	"context"
	"fmt"
	"io"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// Options direct a run. The zero value runs to the end with zeros for all
// decisions.
type Options struct {
	// Oracle makes the decisions; nil means Zero.
	Oracle Oracle
	// MaxSteps ends the run after about so many steps; 0 means no limit. It is
	// looked at in branches and calls.
	MaxSteps int64
	// MaxFrames bounds the depth of calls; 0 means 1<<18.
	MaxFrames int
	// MaxMemory bounds the bytes of live objects; 0 means 1<<30.
	MaxMemory uint64
	// Observe is told of all events, before StopAt; nil means no observer.
	Observe func(Event)
	// StopAt ends the run at an event; nil means never.
	StopAt func(Event) bool
	// Blocks asks for an event on entry of each block.
	Blocks bool
	// Repeats ends the run when it has come back to a state that it was in (see
	// Repetition), and lets new objects take the lowest free addresses, so that what
	// is made and freed in every round can be where it was.
	Repeats bool
	// Idle says, with Repeats, that registers on which no run depends need not come back.
	Idle bool
	// Fair lets a state count as one that came back only if an Accept was executed since.
	Fair bool
	// Accelerate lets loops that only count jump over iterations (accelerate.go).
	// The outcome is the same, but of these iterations an event Accelerated is told in place of
	// Assign, Stored and BlockEntered, and of LabelReached for labels that were told of before, and their
	// steps do not count for MaxSteps. It has no effect with Repeats, or if the oracle has jumps of its own.
	Accelerate bool
	eager      bool // for tests: jumps are tried early, and over few iterations
	// NaNs says which NaNs operations make.
	NaNs NaNs
	// Unwritten asks for an event where content is read that no instruction wrote. Loads take longer then.
	Unwritten bool
	// Stores asks for an event after each Store of a function that is no library model.
	Stores bool
	// Output receives what putchar, puts and printf print, if they are called as
	// functions without body; nil discards it. Their results are arbitrary all the
	// same.
	Output io.Writer
}

// EventKind classifies events.
type EventKind uint8

// The kinds of events, with the fields that they set beside Func, Value, Pos,
// Step, Depth and State.
const (
	Violation     EventKind = iota // Check, Text: a false Check or undefined behaviour
	Assign                         // Var, Bits if Bits.Width() != 0: a Dbg
	Enter                          // Func is the function entered, Value 0
	Leave                          // Func is the function left, Bits its first result
	ChoiceMade                     // Choice
	LabelReached                   // Text
	BlockEntered                   // Block; after its phis. Only with Options.Blocks
	Jumping                        // Jump, Block; before it is made
	Accelerated                    // Block, Iterations, Path. Only with Options.Accelerate
	Accepted                       // an Accept
	Freed                          // Bits is the address; after a Free that was valid
	Stored                         // a Store, also one that was not valid. Only with Options.Stores
	UnwrittenRead                  // a Load of bytes that an object has had since it was made. Only with Options.Unwritten
)

// String is the name of the kind.
func (k EventKind) String() string {
	return [...]string{"violation", "assign", "enter", "leave", "choice", "label", "block", "jump", "accelerated", "accepted", "freed", "stored", "unwritten read"}[k]
}

// Event is something that happens in a run.
type Event struct {
	Kind  EventKind
	Check ir.CheckKind
	Text  string
	Func  *ir.Func
	Value ir.Value // the instruction
	Block ir.BlockID
	Pos   ir.Pos
	Var   *ir.Var
	Bits  bv.BV // a pointer is given by its address
	// Iterations of the loop with the head Block were done at once; it is the head
	// where the run goes on. Path are the blocks of each of them, with Options.Blocks.
	Iterations uint64
	Path       []ir.BlockID
	Choice     ir.Choice
	Jump       *ir.Jump
	Step       int64 // steps done before this instruction
	Depth      int   // frames on the stack
	// Ends is where the program ends, of a leak, of which Bits is the address: the return, the end of the body, or the call that does not come back. Pos is where the
	// object was made.
	Ends ir.Pos
	// State gives access to the values of the current frame, while the event is
	// being handled.
	State State
}

// End says how a run ended.
type End uint8

// The ends of runs.
const (
	Returned           End = iota // from the entry function
	Halted                        // by Halt exit
	Aborted                       // by Halt abort
	AssumeFailed                  // the run is none
	UnreachableReached            // after an event of kind ReachedUnreachable
	UnsupportedReached            // Text says what
	Stopped                       // by StopAt; Event says where
	StepLimit                     // MaxSteps
	StackLimit                    // MaxFrames
	MemoryLimit                   // MaxMemory, or no address was left
	OutOfChoices                  // the input is too short
	Desynced                      // the input belongs to another run; Err says why
	Repeats                       // the state is one that was; Repetition says more
)

// String says how the run ended.
func (e End) String() string {
	return [...]string{"returned", "halted", "aborted", "assumption failed", "unreachable reached", "unsupported reached",
		"stopped", "step limit", "stack limit", "memory limit", "out of choices", "desynchronised", "repeats"}[e]
}

// Outcome is the end of a run.
type Outcome struct {
	End   End
	Steps int64
	// Skipped are those of the steps that were done many at once, with Accelerate.
	Skipped int64
	// NaN says that an operation made a NaN.
	NaN bool
	// Func, Value and Pos are the instruction where the run ended; nil for an
	// error in the initial state.
	Func  *ir.Func
	Value ir.Value
	Pos   ir.Pos
	Text  string
	Event Event // if Stopped
	Err   error // if OutOfChoices or Desynced
	// Repetition is set if the run Repeats.
	Repetition *Repetition
}

// String is one line for messages.
func (o Outcome) String() string {
	s := o.End.String()
	if o.Text != "" {
		s += " (" + o.Text + ")"
	}
	if o.Func != nil {
		s += fmt.Sprintf(" at %%%d of @%s", o.Value, o.Func.Name)
	}
	return fmt.Sprintf("%s after %d steps", s, o.Steps)
}

// Run runs the module, which must satisfy ir.Verify. The error is that of the
// context, or says that the module cannot be run.
func Run(ctx context.Context, m *ir.Module, opts Options) (Outcome, error) {
	p, err := Compile(m)
	if err != nil {
		return Outcome{}, err
	}
	return p.Run(ctx, opts)
}
