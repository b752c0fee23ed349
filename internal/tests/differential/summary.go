package differential

import (
	"fmt"
	"io"
	"strings"
)

// Summary counts results.
type Summary struct {
	// Programs were compared, natively and in the interpreter; LeftOut were not,
	// because they take too long.
	Programs, LeftOut         int
	Agreements, Disagreements int
	// ByGCC of them were compared with the program of gcc, too.
	ByGCC int
	// Undefined is the number of programs with reports of undefined behaviour,
	// overflow included.
	Undefined int
	// True, Unknown and False count the answers to the assertion that the checksum
	// is right, Refuted the programs for which the negation is false, and Wrong
	// those for which it is true.
	True, Unknown, False, Refuted, Wrong int
}

// Bad says that something is wrong.
func (s *Summary) Bad() bool { return s.Disagreements+s.Undefined+s.False+s.Wrong > 0 }

// Add counts a result and writes a line about it, with more lines for what is
// wrong or unknown.
func (s *Summary) Add(w io.Writer, r Result) {
	bits := 64
	if r.Program.ILP32 {
		bits = 32
	}
	fmt.Fprintf(w, "seed %d, %d bits: ", r.Seed, bits)
	switch {
	case r.Difference != "":
		s.Disagreements++
		fmt.Fprintf(w, "DISAGREE, %s\n", r.Difference)
	case r.Compared:
		s.Agreements++
		fmt.Fprintf(w, "agree on %d values, %v\n", len(r.Promoted.Observed), r.Promoted.End)
	case len(r.Promoted.Events) == 0:
		s.LeftOut++
		fmt.Fprintf(w, "left out, %s\n", r.Skipped)
		return
	default:
		fmt.Fprintf(w, "not compared, %s\n", r.Skipped)
	}
	s.Programs++
	if r.ByGCC {
		s.ByGCC++
	}
	if len(r.Promoted.Events) > 0 {
		s.Undefined++
		fmt.Fprintf(w, "  UNDEFINED\n    %s\n", strings.Join(r.Promoted.Events, "\n    "))
	}
	s.decided(w, r)
}

// decided counts what package bmc says.
func (s *Summary) decided(w io.Writer, r Result) {
	if r.Decided == "" {
		return
	}
	fmt.Fprintf(w, "  checksum %08X: %s", r.Checksum, r.Decided)
	switch r.Decided {
	case "true":
		s.True++
		fmt.Fprintf(w, ", its negation: %s", r.Refuted)
	case "false":
		s.False++
	default:
		s.Unknown++
	}
	switch r.Refuted {
	case "false":
		s.Refuted++
	case "true":
		s.Wrong++
	}
	for _, why := range r.Why {
		fmt.Fprintf(w, "\n    %s", why)
	}
	fmt.Fprintln(w)
}

func (s *Summary) String() string {
	return fmt.Sprintf("%d programs (%d left out): %d agreements (%d by gcc, too), %d disagreements, %d with reports of undefined behaviour; "+
		"checksum true %d, unknown %d, false %d; its negation false %d, true %d",
		s.Programs, s.LeftOut, s.Agreements, s.ByGCC, s.Disagreements, s.Undefined, s.True, s.Unknown, s.False, s.Refuted, s.Wrong)
}
