package frontend

import (
	"debug/elf"
	"strconv"
	"strings"
	"testing"
)

// TestLibraryComplete keeps models/library.txt complete: every function and object that
// the C library of this machine exports to new programs, up to the version that the table
// was made of, is in it. What only headers know is inline, and is compiled with the program.
func TestLibraryComplete(t *testing.T) {
	listed := map[string]bool{}
	for _, f := range Library() {
		listed[f.Name] = true
	}
	for _, file := range []string{"libc.so.6", "libm.so.6"} {
		library, err := elf.Open("/lib/x86_64-linux-gnu/" + file)
		if err != nil {
			t.Skip(err)
		}
		symbols, err := library.DynamicSymbols()
		library.Close()
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, s := range symbols {
			kind := elf.ST_TYPE(s.Info)
			if s.HasVersion && s.VersionIndex.IsHidden() {
				continue // for old programs only
			}
			if s.Section == elf.SHN_UNDEF || s.Section == elf.SHN_ABS || kind != elf.STT_FUNC && kind != elf.STT_OBJECT && kind != elf.STT_GNU_IFUNC {
				continue
			}
			number, isVersion := strings.CutPrefix(s.Version, "GLIBC_2.")
			minor, _, _ := strings.Cut(number, ".")
			if v, err := strconv.Atoi(minor); !isVersion || err != nil || v > 36 {
				continue
			}
			count++
			if !listed[s.Name] {
				t.Errorf("%s of %s is not in library.txt", s.Name, file)
			}
		}
		if count < 900 {
			t.Errorf("only %d symbols in %s", count, file)
		}
	}
}
