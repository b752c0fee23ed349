package lift

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// csmithHeader stands for csmith.h: it prints the checksum without printf.
const csmithHeader = `#include <stdint.h>
#include <limits.h>
#include <float.h>
#include <stdio.h>
#include <math.h>
extern int strcmp(const char *, const char *);
#define STATIC static
#define UNDEFINED(v) (v)
#define LOG_INDEX
#define LOG_EXEC
#define FUNC_NAME(x) (safe_##x)
#include "/usr/include/csmith/safe_math.h"
static uint64_t crc32_context;
static void platform_main_begin(void) {}
static void crc32_gentab(void) {}
static void transparent_crc(uint64_t v, char *name, int flag) { crc32_context = crc32_context * 31 + v; }
static void transparent_crc_bytes(char *p, int n, char *name, int flag) { for (int i = 0; i < n; i++) crc32_context = crc32_context * 31 + p[i]; }
static void platform_main_end(uint64_t x, int flag) { for (int k = 60; k >= 0; k -= 4) putchar("0123456789abcdef"[x >> k & 15]); putchar(10); }
`

// TestCsmith compares programs of csmith [YCER11], natively and lifted. ASSAY_CSMITH=first:count says which.
func TestCsmith(t *testing.T) {
	generator, err := exec.LookPath("csmith")
	if err != nil {
		t.Skip("csmith is not installed")
	}
	first, last := 1, 3
	if s := os.Getenv("ASSAY_CSMITH"); s != "" {
		count := 0
		if _, err := fmt.Sscanf(s, "%d:%d", &first, &count); err != nil {
			t.Fatal(err)
		}
		last = first + count
	}
	all := os.Getenv("ASSAY_CSMITH") != ""
	r := &csmithRun{unsupported: map[string]int{}}
	compilers := [][]string{{"gcc", "-O0", "-g"}, {"gcc", "-O2", "-g"}, {"clang-19", "-O0", "-g"}, {"clang-19", "-O2", "-g", "-fno-finite-loops"}, {"gcc", "-O1"}, {"gcc", "-Os", "-g"}}
	for seed := first; seed < last; seed++ {
		cmd := exec.Command(generator, "--no-argc", "--no-float", "--seed", strconv.Itoa(seed), "--max-funcs", "5", "--max-block-depth", "3")
		cmd.Dir = t.TempDir()
		text, err := cmd.Output()
		if err != nil {
			continue
		}
		if !all {
			r.compare(t, seed, string(text), compilers[seed%len(compilers)])
			continue
		}
		for _, c := range compilers[:4] {
			if !r.compare(t, seed, string(text), c) {
				break // the others do not end, either
			}
		}
	}
	t.Logf("%d equal, %d do not end natively, %d do not end lifted, unsupported:", r.same, r.endless, r.slow)
	for why, n := range r.unsupported {
		t.Logf("%4d %.150s", n, why)
	}
}

// csmithRun counts what programs did.
type csmithRun struct {
	same, endless, slow int
	unsupported         map[string]int
}

// compare compares one program, as a compiler makes it; it says whether it ends natively.
func (r *csmithRun) compare(t *testing.T, seed int, text string, c []string) bool {
	if _, err := exec.LookPath(c[0]); err != nil {
		return true
	}
	dir := t.TempDir()
	source := write(t, filepath.Join(dir, "a.c"), text)
	write(t, filepath.Join(dir, "csmith.h"), csmithHeader)
	native, lifted := filepath.Join(dir, "native"), filepath.Join(dir, "lifted")
	args := append(c[1:len(c):len(c)], "-w", "-fno-builtin-putchar", "-I"+dir, "-o", native, source, "-lm")
	if out, err := exec.Command(c[0], args...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", c, err, out)
	}
	want, code, ok := limited(t, native)
	if !ok {
		r.endless++
		return false
	}
	content, err := os.ReadFile(native)
	if err != nil {
		t.Fatal(err)
	}
	lift, err := C("native", content, Options{})
	if err != nil {
		t.Fatal(err)
	}
	file := write(t, filepath.Join(dir, "lifted.c"), strings.ReplaceAll(lift, "#line", "//"))
	compile(t, lifted, "-O0", "-no-pie", "-fwrapv", "-fno-strict-aliasing", file, write(t, filepath.Join(dir, "stubs.c"), stubs), "-lm")
	got, liftedCode, ok := limited(t, lifted)
	switch {
	case !ok:
		r.slow++
	case liftedCode == 99 && strings.Contains(got, "UNSUPPORTED"):
		_, why, _ := strings.Cut(got[strings.Index(got, "UNSUPPORTED"):], ": ")
		r.unsupported[fmt.Sprintf("%s (seed %d, %v)", strings.TrimSpace(why), seed, c)]++
	case got != want || code != liftedCode:
		if k := os.Getenv("ASSAY_KEEP"); k != "" {
			exec.Command("cp", "-r", dir, k).Run()
		}
		t.Errorf("seed %d, %v: exit code %d, lifted %d\n%.200s\n%.200s", seed, c, code, liftedCode, want, got)
	default:
		r.same++
	}
	return true
}

// limited is a run that has to end soon.
func limited(t testing.TB, name string) (stdout string, code int, ok bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, name).Output()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return "", 0, false
	case errors.As(err, &exit):
		return string(out), exit.ExitCode(), true
	case err != nil:
		t.Fatal(err)
	}
	return string(out), 0, true
}
