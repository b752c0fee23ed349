package differential

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// sequences is how many sequences of calls are compared: a few, or as many as
// ASSAY_SEQUENCES says (make fuzz-library).
func sequences(t *testing.T, few int) uint64 {
	if s := os.Getenv("ASSAY_SEQUENCES"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n <= 0 {
			t.Fatalf("ASSAY_SEQUENCES=%s is no number of sequences", s)
		}
		return uint64(n)
	}
	return uint64(few)
}

// TestSequences compares the models that leave something open with the library, on
// random sequences of calls.
func TestSequences(t *testing.T) {
	t.Parallel()
	needClang(t)
	files, err := filepath.Glob("testdata/contracts/*.c")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			p := Program{Name: filepath.Base(file), Files: []string{file}}
			native, why, err := Compile(t.Context(), p, t.TempDir(), 5*time.Second)
			if err != nil || why != "" {
				t.Fatal(why, err)
			}
			s, err := NewSequence(t.Context(), p, native)
			if err != nil {
				t.Fatal(err)
			}
			n, count := sequences(t, 20), [3]int{}
			for seed := range n {
				wrong, how, err := s.Allowed(t.Context(), seed)
				if err != nil {
					t.Fatal(err)
				}
				if wrong != "" {
					t.Errorf("seed %d: %s", seed, wrong)
				}
				count[how]++
			}
			if count[Undecided] > int(n)/10 {
				t.Errorf("%d of %d sequences are undecided", count[Undecided], n)
			}
			t.Logf("%d sequences, %d of them allowed only as an over-approximation, %d undecided", n, count[Approximate], count[Undecided])
		})
	}
}

// TestSequenceRefused makes sure that what the library does not do is not allowed.
func TestSequenceRefused(t *testing.T) {
	t.Parallel()
	needClang(t)
	file := filepath.Join(t.TempDir(), "main.c")
	for body, allowed := range map[string]bool{
		"srand(1); int a = rand(); srand(1); observe(rand() - a + NATIVE);":                              false,
		"srand(1); int a = rand(); srand(2); observe(rand() == a + NATIVE);":                             true,
		"FILE *f = tmpfile(); if (!f) exit(1); ungetc('x', f); observe(getc(f) + NATIVE);":               false,
		"if (setenv(\"A\", \"b\", 1)) exit(1); observe(getenv(\"A\")[0] + NATIVE);":                      false,
		"FILE *f = tmpfile(); if (!f) exit(1); int c = getc(f); observe(c == -1 && !feof(f) || NATIVE);": true,
	} {
		source := `#include <stdio.h>
#include <stdlib.h>
#ifndef NATIVE
#define NATIVE 0
#endif
unsigned long long observe(unsigned long long v) { if (NATIVE) printf("observed %llx x\n", v); return v; }
int main(void) { ` + body + " return 0; }\n"
		if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
		p := Program{Files: []string{file}}
		native, why, err := Compile(t.Context(), p, t.TempDir(), time.Second)
		if err != nil || why != "" {
			t.Fatal(why, err)
		}
		s, err := NewSequence(t.Context(), p, native)
		if err != nil {
			t.Fatal(err)
		}
		wrong, _, err := s.Allowed(t.Context(), 1)
		if err != nil || (wrong == "") != allowed {
			t.Errorf("%s: %q %v", body, wrong, err)
		}
	}
}
