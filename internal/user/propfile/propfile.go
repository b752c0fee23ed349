// Package propfile reads property files of the competition on software verification: one
// `CHECK( init(main()), LTL(…) )` a line; empty lines and lines that start with // or #
// are skipped. It does not interpret the formulas.
package propfile

import (
	"fmt"
	"strings"

	"assay/internal/run/lazyregexp"
)

// Check is a line.
type Check struct {
	Line  int
	Entry string // the function named by init(), the same on every line
	Logic string // LTL or CTL
	// Formula is as written, but for white space.
	Formula string
}

// Error says what is wrong with a file. Line is 0 if it is no single line.
type Error struct {
	Line          int
	Message, Hint string
}

func (e *Error) Error() string { return e.Message }

// checkLine is the shape that every line of a property file has; it is the
// expression with which the existing verifiers read these files.
var checkLine = lazyregexp.New(`^CHECK\s*\(\s*init\s*\((.*?)\)\s*,\s*(LTL|CTL)\s*\((.*)\)\s*\)\s*;?$`)

// entryCall is the argument of init: a call without arguments.
var entryCall = lazyregexp.New(`^\s*([A-Za-z_]\w*)\s*\(\s*(?:void)?\s*\)\s*$`)

// Parse reads the text of a file, which has at least one check.
func Parse(text string) (checks []Check, wrong *Error) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "//") || strings.HasPrefix(line, "#") {
			continue
		}
		c, err := parseLine(line)
		if err == nil && len(checks) > 0 && checks[0].Entry != c.Entry {
			err = &Error{Message: fmt.Sprintf("init(%s()) differs from init(%s()) above", c.Entry, checks[0].Entry)}
		}
		if err != nil {
			err.Line = n
			return nil, err
		}
		c.Line = n
		checks = append(checks, c)
	}
	if len(checks) == 0 {
		return nil, &Error{
			Message: "the property file holds no CHECK line",
			Hint:    "write for example: CHECK( init(main()), LTL(G ! call(reach_error())) )",
		}
	}
	return checks, nil
}

// parseLine reads a CHECK line.
func parseLine(line string) (c Check, wrong *Error) {
	if strings.HasPrefix(line, "COVER") {
		return c, &Error{Message: "test generation (COVER) is not something assay does", Hint: "use a file with CHECK lines"}
	}
	m := checkLine.FindStringSubmatch(line)
	if m == nil {
		return c, &Error{
			Message: fmt.Sprintf("not a property: %s", clip(line)),
			Hint:    "a line reads CHECK( init(main()), LTL(<formula>) )",
		}
	}
	entry := entryCall.FindStringSubmatch(m[1])
	if entry == nil {
		return c, &Error{Message: fmt.Sprintf("not a function in init(%s)", m[1]), Hint: "write init(main())"}
	}
	if err := balanced(m[3]); err != "" {
		return c, &Error{Message: fmt.Sprintf("%s in the formula %s", err, clip(m[3]))}
	}
	return Check{Entry: entry[1], Logic: m[2], Formula: normalSpace(m[3])}, nil
}

// balanced says what is wrong with the parentheses of a formula, "" if nothing.
func balanced(formula string) string {
	depth := 0
	for _, r := range formula {
		switch r {
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return "a closing parenthesis too many"
			}
		}
	}
	if depth > 0 {
		return "a closing parenthesis is missing"
	}
	return ""
}

// normalSpace replaces runs of white space by one blank.
func normalSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// clip shortens a text for a message.
func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:57]) + "…"
	}
	return s
}
