package assay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestBuiltins: what a builtin leaves undefined decides nothing, and what has a meaning
// that is not modelled makes the answer unknown.
func TestBuiltins(t *testing.T) {
	for body, want := range map[string]Answer{
		"if (__builtin_clz(0) == 32) reach_error();":               Unknown,
		"if (x == 0 && __builtin_ctz(x) != 32) reach_error();":     Unknown,
		"if (x && __builtin_ctz(x) > 31) reach_error();":           True,
		"if (x > 4 && __builtin_ctz(x) == 3) reach_error();":       False,
		"if (__builtin_clzll(x | 1) < 32 && x > 0) reach_error();": True,
		"if (again()) reach_error();":                              Unknown,
		"if (x == 1) reach_error(); again();":                      False,
	} {
		file := filepath.Join(t.TempDir(), "f.c")
		text := "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nint again(void) __attribute__((returns_twice));\n" +
			"int main(void) {\n  int x = __VERIFIER_nondet_int();\n  " + body + "\n  return 0;\n}\n"
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := Check(t.Context(), Task{Files: []string{file}, Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if r.Answer != want {
			t.Errorf("%s: %s, want %v; %v", body, r.Line(), want, r.Reasons)
		}
	}
}

// TestNaN: no violation depends on the sign or payload of a NaN that an operation made.
func TestNaN(t *testing.T) {
	for condition, want := range map[string]Answer{
		"u >> 63":                       Unknown,
		"u == 0x7ff8000000000000":       Unknown,
		"u != 0xfff8000000000000":       Unknown,
		"__builtin_signbit(x)":          Unknown,
		"!__builtin_signbit(x)":         Unknown,
		"x != x":                        False,
		"(u >> 52 & 0x7ff) == 0x7ff":    False,
		"!__builtin_signbit(x) || n==3": False,
		"x == x":                        True,
	} {
		file := filepath.Join(t.TempDir(), "f.c")
		text := "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n" +
			"int main(void) {\n  int n = __VERIFIER_nondet_int();\n  double z = n == 3 ? 1 : 0, x = z / z;\n  if (n == 3) x = 0;\n" +
			"  unsigned long u;\n  __builtin_memcpy(&u, &x, 8);\n  if (n != 3 || CONDITION_3) if (" + condition + ") reach_error();\n  return 0;\n}\n"
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		three := "0"
		if condition == "!__builtin_signbit(x) || n==3" {
			three = "1"
		}
		r, err := Check(t.Context(), Task{Files: []string{file}, Timeout: 20 * time.Second, Program: Program{Define: []string{"CONDITION_3=" + three}}})
		if err != nil {
			t.Fatal(err)
		}
		if r.Answer != want {
			t.Errorf("%s: %s, want %v; %v", condition, r.Line(), want, r.Reasons)
		}
	}
}

// TestNaNFolded: the bits of a NaN are as open where the operation that made it had constant
// operands, or where they pass through fabs; no engine claims a proof that its checker refuses.
func TestNaNFolded(t *testing.T) {
	for body, want := range map[string]Answer{
		"z = z - z; if (n == 3) z = z + 1; u.f = z; if (u.b == 0x7fc00001) reach_error();":                          Unknown,
		"z = z - z; for (int k = 0; k < 2; k++) if (n == k) z = z + 1; u.f = z; if (u.b >> 31 == 0) reach_error();": Unknown,
		"u.f = __builtin_fabsf(z - z); if (u.b != 0x7fc00000 && n == 3) reach_error();":                             Unknown,
		"z = z - z; u.f = z; if ((u.b & 0x7f800000) != 0x7f800000) reach_error();":                                  True,
	} {
		file := filepath.Join(t.TempDir(), "f.c")
		text := "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nunion { float f; unsigned b; } u;\n" +
			"int main(void) {\n  int n = __VERIFIER_nondet_int();\n  float zero = 0, z = 1 / zero;\n  " + body + "\n  return 0;\n}\n"
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := Check(t.Context(), Task{Files: []string{file}, Timeout: 10 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		if r.Answer != want {
			t.Errorf("%s: %s, want %v; %v", body, r.Line(), want, r.Reasons)
		}
		for _, reason := range r.Reasons {
			if strings.Contains(reason.Text, "not accepted") {
				t.Errorf("%s: %s", body, reason.Text)
			}
		}
	}
}
