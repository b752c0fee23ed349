package assay

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"assay/internal/ltl"
	"assay/internal/propfile"
)

// Specification is the content of a property file.
type Specification struct {
	// Entry is the function named by init(), the same on every line.
	Entry string
	// Properties in the order of the file.
	Properties []Property
	// Label is the label that UnreachLabel is about, empty for ERROR.
	Label string
	// LTL is the formula that the property LTL is about.
	LTL *Formula
	// Unsupported are the formulas that no engine decides yet, as written.
	Unsupported []string
}

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
	checks, wrong := propfile.Parse(text)
	if wrong != nil {
		return nil, &InputError{Pos: Position{File: path, Line: wrong.Line}, Message: wrong.Message, Hint: wrong.Hint}
	}
	for _, c := range checks {
		s.Entry = c.Entry
		if _, known := formulas[compact(c.Formula)]; !known && c.Logic == "LTL" && c.Formula != "" && !otherLogic.MatchString(c.Formula) {
			// One more time, for the places in the file.
			own, err := ltl.ParseChecks(path, lineOf(text, c.Line))
			if err != nil {
				err.(*ltl.Error).Source.Line = c.Line
				return nil, formulaError(err)
			}
			if s.LTL != nil {
				return nil, &InputError{Pos: Position{File: path, Line: c.Line}, Message: "two formulas of temporal logic: one at a time"}
			}
			source := own[0].Property.Source
			s.LTL = &Formula{Text: source.Text, File: path, Line: c.Line, Col: source.Col}
			s.Properties = append(s.Properties, LTL)
			continue
		}
		if err := s.addFormula(c.Logic, c.Formula); err != nil {
			err.Pos = Position{File: path, Line: c.Line}
			return nil, err
		}
	}
	return s, nil
}

// compact is a formula without white space.
func compact(formula string) string { return strings.Join(strings.Fields(formula), "") }

// lineOf is a line of a text.
func lineOf(text string, n int) string { return strings.Split(text, "\n")[n-1] }

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
	key := compact(formula)
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
