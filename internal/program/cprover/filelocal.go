package cprover

import (
	"path/filepath"
	"strings"
)

// This file knows the names that goto-cc, the compiler of CBMC, gives to static functions with the flag
// --export-file-local-symbols, so that other files may call and replace them
// (https://diffblue.github.io/cbmc/, "goto-cc"): __CPROVER_file_local_FILE_FUNCTION, where FILE is the base name of
// the file that has the function, each run of characters that are no letters and digits as one underscore.

// FileLocalPrefix begins such names.
const FileLocalPrefix = "__CPROVER_file_local_"

// FileLocal is the name of a static function.
func FileLocal(file, function string) string {
	var b strings.Builder
	for _, c := range []byte(filepath.Base(file)) {
		switch {
		case c != '_' && (isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'z'):
			b.WriteByte(c)
		case !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	return FileLocalPrefix + b.String() + "_" + function
}
