package assay

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// Specification is the content of a property file.
type Specification struct {
	// Entry is the function named by init(), the same on every line.
	Entry string
	// Properties in the order of the file.
	Properties []Property
	// Label is the label that UnreachLabel is about, empty for ERROR.
	Label string
	// Unsupported are the formulas that no engine decides yet, as written.
	Unsupported []string
}

// checkLine is the shape that every line of a property file has; it is the
// expression with which the existing verifiers read these files.
var checkLine = regexp.MustCompile(`^CHECK\s*\(\s*init\s*\((.*?)\)\s*,\s*(LTL|CTL)\s*\((.*)\)\s*\)\s*;?$`)

// entryCall is the argument of init: a call without arguments.
var entryCall = regexp.MustCompile(`^\s*([A-Za-z_]\w*)\s*\(\s*(?:void)?\s*\)\s*$`)

// ReadPropertyFile reads a property file of the competition on software
// verification: one `CHECK( init(main()), LTL(…) )` a line, empty lines and
// lines that start with // or # are skipped.
func ReadPropertyFile(path string) (*Specification, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, &InputError{Pos: Position{File: path}, Message: "cannot read the property file: " + fileCause(err)}
	}
	return parsePropertyFile(path, string(text))
}

// fileCause is the cause of a file error without the repetition of its path.
func fileCause(err error) string {
	if e, ok := err.(*os.PathError); ok {
		return e.Err.Error()
	}
	return err.Error()
}

// parsePropertyFile reads the text of a property file; path is for messages.
func parsePropertyFile(path, text string) (*Specification, error) {
	s := &Specification{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "//") || strings.HasPrefix(line, "#") {
			continue
		}
		if err := s.addLine(line); err != nil {
			err.Pos = Position{File: path, Line: n}
			return nil, err
		}
	}
	if len(s.Properties)+len(s.Unsupported) == 0 {
		return nil, &InputError{
			Pos: Position{File: path}, Message: "the property file holds no CHECK line",
			Hint: "write for example: CHECK( init(main()), LTL(G ! call(reach_error())) )",
		}
	}
	return s, nil
}

// addLine adds one CHECK line.
func (s *Specification) addLine(line string) *InputError {
	if strings.HasPrefix(line, "COVER") {
		return &InputError{Message: "test generation (COVER) is not something assay does", Hint: "use a file with CHECK lines"}
	}
	m := checkLine.FindStringSubmatch(line)
	if m == nil {
		return &InputError{
			Message: fmt.Sprintf("not a property: %s", clip(line)),
			Hint:    "a line reads CHECK( init(main()), LTL(<formula>) )",
		}
	}
	entry := entryCall.FindStringSubmatch(m[1])
	if entry == nil {
		return &InputError{Message: fmt.Sprintf("not a function in init(%s)", m[1]), Hint: "write init(main())"}
	}
	if s.Entry != "" && s.Entry != entry[1] {
		return &InputError{Message: fmt.Sprintf("init(%s()) differs from init(%s()) above", entry[1], s.Entry)}
	}
	s.Entry = entry[1]
	if err := balanced(m[3]); err != "" {
		return &InputError{Message: fmt.Sprintf("%s in the formula %s", err, clip(m[3]))}
	}
	return s.addFormula(m[2], normalSpace(m[3]))
}

// formulas are the formulas that mean a property, without white space.
var formulas = map[string][]Property{
	"G!call(reach_error())":      {UnreachCall},
	"G!call(__VERIFIER_error())": {UnreachCall},
	"G!call(__assert_fail())":    {UnreachCall},
	"G!overflow":                 {NoOverflow},
	"Gvalid-free":                {ValidFree},
	"Gvalid-deref":               {ValidDeref},
	"Gvalid-memtrack":            {ValidMemTrack},
	"Gvalid-memcleanup":          {ValidCleanup},
	"Gvalid-memsafety":           {ValidMemSafety},
	"Fend":                       {Termination},
	"G!data-race":                {NoDataRace},
}

// labelFormula is unreach-label, without white space.
var labelFormula = regexp.MustCompile(`^G!label\(([A-Za-z_]\w*)\)$`)

// addFormula adds the property that a formula means.
func (s *Specification) addFormula(logic, formula string) *InputError {
	key := strings.Join(strings.Fields(formula), "")
	if key == "" {
		return &InputError{Message: "the formula is empty", Hint: "write for example LTL(G ! call(reach_error()))"}
	}
	if ps, ok := formulas[key]; ok && logic == "LTL" {
		s.Properties = append(s.Properties, ps...)
		for _, p := range ps {
			if !p.Decidable() {
				s.Unsupported = append(s.Unsupported, formula)
			}
		}
		return nil
	}
	if m := labelFormula.FindStringSubmatch(key); m != nil && logic == "LTL" {
		if s.Label != "" && s.Label != m[1] {
			return &InputError{Message: fmt.Sprintf("the label %s differs from %s above: one label at a time", m[1], s.Label)}
		}
		s.Label = m[1]
		s.Properties = append(s.Properties, UnreachLabel)
		return nil
	}
	s.Properties = append(s.Properties, temporal)
	s.Unsupported = append(s.Unsupported, formula)
	return nil
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
