package its

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Extensions are those that Read knows, by format.
var Extensions = map[string]string{".koat": "KoAT", ".t2": "T2", ".smt2": "SMT-LIB", ".ari": "ARI"}

// Read parses a file by the format that its extension names.
func Read(file, text string) (*System, error) {
	var s *System
	var err error
	switch strings.ToLower(filepath.Ext(file)) {
	case ".koat":
		s, err = ReadKoAT(file, text)
	case ".t2":
		s, err = ReadT2(file, text)
	case ".smt2":
		s, err = ReadSMT(file, text)
	case ".ari":
		s, err = ReadARI(file, text)
	default:
		return nil, &ParseError{file, 1, "not an integer transition system; the names of these end in .koat, .t2, .smt2 or .ari"}
	}
	if err != nil {
		return nil, err
	}
	if err := s.Check(); err != nil {
		panic(fmt.Sprintf("its: the reader of %s made a broken system: %v", file, err))
	}
	return s, nil
}
