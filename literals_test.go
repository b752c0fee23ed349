package assay

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestLiterals: string literals and constant compound literals may share storage, so
// comparisons of their addresses have both results; their content does not change.
func TestLiterals(t *testing.T) {
	const text = `#include <stdint.h>
#include <string.h>
extern void reach_error(void);
static const int *k1 = (const int[]){1, 2, 3}, *k2 = (const int[]){2, 3}, *k3 = (const int[]){3, 2};
static const char *table[] = {"xyz", "z"};
static const char *const fixed[] = {"klm", "lm", "m"};
static const struct { const char *name; int n; } pairs[] = {{"uvw", 1}, {"vw", 2}};
static const char *const *const deep[] = {fixed, fixed + 1};
static const char named[] = "own";
static uintptr_t number(const char *a) { uintptr_t n; memcpy(&n, &a, sizeof n); return n; }
static int bytes(const char *a, const char *b) { return memcmp(&a, &b, sizeof a) == 0; }
static int same(const char *a, const char *b) { return a == b; }
int main(void) {
  const char *p = "abc", *q = "bc", *r = "c";
  if (CONDITION) reach_error();
  return 0;
}
`
	for condition, want := range map[string]Answer{
		"p + 1 == q":                         False,
		"p + 1 != q":                         False,
		"(uintptr_t)p + 1 == (uintptr_t)q":   False,
		"q - p == 1":                         False,
		"same(p + 2, r)":                     False,
		"same(\"bc\", p + 1)":                False,
		"k1 + 1 == k2":                       False,
		"table[0] + 2 == table[1]":           False,
		"fixed[0] + 1 == fixed[1]":           False,
		"fixed[0] + 1 != fixed[1]":           False,
		"pairs[0].name + 1 == pairs[1].name": False,
		"*deep[0] + 1 == *deep[1]":           False,
		"*deep[0] + 1 != fixed[1]":           False,
		"*deep[1] != fixed[1]":               True,
		"fixed[0] + 1 == fixed[1] && fixed[1] + 1 == fixed[2] && fixed[0] + 2 != fixed[2]": True,
		"fixed[1][0] != 'l' || pairs[1].n != 2 || deep[1][0][2]":                           True,
		"number(p) + 1 == number(q)":                                                       False,
		"bytes(p, q)":                                                                      True,
		"bytes(p + 1, q)":                                                                  False,
		"p == q":                                                                           True,
		"p + 2 == q":                                                                       True,
		"same(p, \"bd\")":                                                                  True,
		"k1 + 1 == k3":                                                                     True,
		"table[0] + 1 == table[1]":                                                         True,
		"p + 1 == q && q + 1 == r && p + 2 != r":                                           True,
		"p + 1 == q && *q != 'b'":                                                          True,
		"same(p, q) || q[0] != 'b' || q[2]":                                                True,
		"same(p, q) || strcmp(table[0] + 2, \"z\")":                                        True,
		"same(p, q) || k2[0] != 2 || table[1][0] != 'z'":                                   True,
		"named == q":                                                                       True,
	} {
		file := filepath.Join(t.TempDir(), "f.c")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := Check(t.Context(), Task{Files: []string{file}, Timeout: time.Minute, Program: Program{Define: []string{"CONDITION=" + condition}}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Answer != want {
			t.Errorf("%s: %s, want %v; %v", condition, r.Line(), want, r.Reasons)
		}
	}
}

// TestManyLiterals: literals that stand in each other are not enumerated.
func TestManyLiterals(t *testing.T) {
	var list []string
	for k := range 60 {
		list = append(list, strconv.Quote(strings.Repeat("a", k)))
	}
	text := "extern void reach_error(void);\nstatic const char *const t[] = {" + strings.Join(list, ", ") + "};\nint main(void) { if (t[3] + 1 == t[2] && t[9] + 4 == t[5]) reach_error(); return 0; }\n"
	file := filepath.Join(t.TempDir(), "f.c")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := Check(t.Context(), Task{Files: []string{file}, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if r.Answer != False {
		t.Errorf("%s; %v", r.Line(), r.Reasons)
	}
}
