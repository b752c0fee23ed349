package frontend

import (
	"os"
	"path/filepath"
	"testing"
)

// TestAsksNull: a pointer that the user describes may be null where the program may ask whether it is, and nowhere else.
func TestAsksNull(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f.c")
	if err := os.WriteFile(file, []byte(`
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <assert.h>
extern int unknown(const char *);
extern void reach_error(void);
const char *kept;
static int reads(const char *s) { return *s; }
static int tests(const char *s) { return s ? *s : 0; }
static const char *same(const char *s) { return s; }
static const char *skip(const char *s) { return *s == ' ' ? skip(s + 1) : s; }
static int deep(const char *s, int n) { return n > 0 ? deep(s, n - 1) : tests(s); }

int no_reads(char *p) { return p[3]; }
int no_writes(char *p) { *p = 1; p++; return *p; }
long no_distance(char *p) { char *q = p; while (*q) q++; return q - p; }
int no_end(char *p) { int n = 0; for (char *q = p; q < p + 4; q++) n += *q; return n; }
int no_callee(char *p) { return reads(p + 1); }
unsigned long no_library(char *p) { return strlen(p); }
void no_copy(char *p) { char to[4]; memcpy(to, p, 4); }
void no_string(char *p) { char to[9]; strcpy(to, p); strncat(to, p, 2); }
int no_compared(char *p) { return strcmp(p, "a") + strncmp(p, "b", 1); }
int no_recursion(char *p) { return *skip(p); }
char *no_return(char *p) { *p = 0; return p; }
int no_choice(char *p) { char *q = *p ? p : p + 1; return *q; }

int asks_test(char *p) { return !p; }
void asks_error(char *p) { if (p == 0) reach_error(); }
void asks_assert(char *p) { assert(p); *p = 1; }
int asks_callee(char *p) { return tests(p); }
int asks_returned(char *p) { return same(p) ? 1 : 0; }
int asks_other(char *p, char *q) { return p == q; }
int asks_number(char *p) { return (uintptr_t)p % 8 == 0; }
int asks_zero(char *p) { return (uintptr_t)p == 0; }
void asks_kept(char *p) { kept = p; }
int asks_unknown(char *p) { return unknown(p); }
int asks_slot(char *p) { char *volatile q = p; return q != 0; }
int asks_address(char *p) { char **q = &p; return *q != 0; }
void asks_free(char *p) { free(p); }
int asks_recursion(char *p) { return deep(p, 3); }
int asks_moved(char *p) { char *q = p; while (*q) q++; return q != 0; }
int asks_chosen(char *p, int c) { char *q = c ? p : "x"; return q == 0; }
int asks_pointer(char *p, int (*f)(const char *)) { return f(p); }
`), 0o644); err != nil {
		t.Fatal(err)
	}
	u, err := Compile(t.Context(), Source{File: file}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := NewProject([]*Unit{u})
	for _, test := range []struct {
		may       bool
		functions []string
	}{
		{false, []string{"no_reads", "no_writes", "no_distance", "no_end", "no_callee", "no_library", "no_copy", "no_string", "no_compared", "no_recursion", "no_return", "no_choice"}},
		{true, []string{"asks_test", "asks_error", "asks_assert", "asks_callee", "asks_returned", "asks_other", "asks_number", "asks_zero", "asks_kept", "asks_unknown", "asks_slot", "asks_address", "asks_free", "asks_recursion", "asks_moved", "asks_chosen", "asks_pointer"}},
	} {
		for _, name := range test.functions {
			reached, err := p.Reach(Named{0, name})
			if err != nil {
				t.Fatal(err)
			}
			for _, unpromoted := range []bool{false, true} {
				for key, argument := range map[string]Argument{"string": {String: true}, "array": {Elements: 4, IsArray: true}} {
					o := Options{Link: reached.Link, Function: name, Arguments: map[string]Argument{name + ":p": argument}, Unpromoted: unpromoted}
					loaded, err := Load(t.Context(), o)
					if err != nil {
						t.Fatal(err)
					}
					if may := len(loaded.Pointing) == 0; may != test.may {
						t.Errorf("%s, %s, unpromoted %v: may be null: %v", name, key, unpromoted, may)
					}
				}
			}
		}
	}
}
