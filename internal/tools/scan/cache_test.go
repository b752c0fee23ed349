package scan

import (
	"os"
	"path/filepath"
	"testing"

	"assay/internal/program/frontend"
)

// TestStaleUnits: a unit does not hold when a header has other content, of the same size and time too, or when another
// header is where it would be read instead, or where __has_include has looked.
func TestStaleUnits(t *testing.T) {
	folder := t.TempDir()
	source, header := write(t, folder, "f.c", "#include <n.h>\n#ifdef __has_include\n#if __has_include (\"o.h\") && __has_include(<sub/p.h>)\n#endif\n#endif\n"), write(t, folder, "b/n.h", "#define N 4\n")
	info, err := os.Stat(header)
	if err != nil {
		t.Fatal(err)
	}
	store := t.TempDir()
	fresh := func() *cache {
		c, err := openCache(store)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	u := &frontend.Unit{File: source, Depends: []string{source, header}}
	if err := fresh().putUnit("k", u, nil, append(foldersOf([]string{"-Ic"}, folder), filepath.Join(folder, "a"), filepath.Join(folder, "b"))); err != nil {
		t.Fatal(err)
	}
	holds := func() bool { return fresh().unit("k") != nil }
	if !holds() {
		t.Fatal("it does not hold at once")
	}
	write(t, folder, "b/n.h", "#define N 7\n")
	if err := os.Chtimes(header, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if holds() {
		t.Error("it holds with another header of the same size and time")
	}
	write(t, folder, "b/n.h", "#define N 4\n")
	for _, name := range []string{"a/n.h", "c/n.h", "n.h", "c/o.h", "b/sub/p.h"} {
		path := write(t, folder, name, "#define N 6\n")
		if holds() {
			t.Errorf("it holds although there is %s", name)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if !holds() {
			t.Errorf("it does not hold when %s is gone", name)
		}
	}
}

// TestFleetingUnits: what depends on more than content of files is not kept.
func TestFleetingUnits(t *testing.T) {
	for source, fleeting := range map[string]bool{
		"int t;":                         false,
		"char s[] = __TIMESTAMP__;":      true,
		"char s[] = __DATE__;":           true,
		"#if __has_include(NAME)":        true,
		"#if __has_include(<a.h>)":       false,
		"#  define __has_include(x) 0":   false,
		"#ifdef __has_include\nint t;":   false,
		"char a__TIME__b, c__DATE__[2];": false,
	} {
		if got := asks(source).more; got != fleeting {
			t.Errorf("%s: %v", source, got)
		}
	}
}
