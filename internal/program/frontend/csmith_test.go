package frontend

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"

	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// Programs made by Csmith compute a checksum of all their globals without
// undefined behaviour. The test compiles each for the machine, and imports it
// with a check that the checksum is the one that the machine printed; the
// interpreter must not find another. ASSAY_CSMITH=first:count chooses other
// seeds than the few of the default.
//
//	[YCER11]  X. Yang, Y. Chen, E. Eide, J. Regehr. Finding and Understanding
//	          Bugs in C Compilers. PLDI 2011.

var (
	checksum    = regexp.MustCompile(`checksum = ([0-9A-F]+)`)
	printsIt    = regexp.MustCompile(`platform_main_end\(crc32_context \^ 0xFFFFFFFFUL, print_hash_value\);`)
	csmithFlags = [][]string{
		{"--no-argc"},
		{"--no-argc", "--no-volatiles", "--union-read-type-sensitive", "--const-struct-union-fields"},
		{"--no-argc", "--packed-struct", "--bitfields", "--max-struct-fields", "5", "--inline-function"},
	}
)

func TestCsmith(t *testing.T) {
	generator, err := exec.LookPath("csmith")
	if err != nil {
		t.Skip("csmith is not installed")
	}
	if testing.Short() {
		t.Skip("long")
	}
	first, count := 1, 2 // package differential has more
	if s := os.Getenv("ASSAY_CSMITH"); s != "" {
		if _, err := fmt.Sscanf(s, "%d:%d", &first, &count); err != nil {
			t.Fatal(err)
		}
	}
	for seed := first; seed < first+count; seed++ {
		model := []DataModel{LP64, ILP32}[seed%2]
		flags := csmithFlags[seed/2%3]
		t.Run(fmt.Sprintf("%d/%v", seed, model), func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(generator, append(flags, "--seed", strconv.Itoa(seed))...)
			cmd.Dir = t.TempDir()
			source, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			compareWithMachine(t, source, model)
		})
	}
}

func compareWithMachine(t *testing.T, source []byte, model DataModel) {
	directory := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(directory, name)
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	flags := []string{"-w", "-O0", "-I/usr/include/csmith", "-fwrapv", "-ffp-contract=off", "-o", filepath.Join(directory, "native"), write("native.c", source)}
	if model == ILP32 {
		flags = append(flags, "-m32", "-msse2", "-mfpmath=sse")
	}
	clang, err := clangPath()
	if err != nil {
		t.Skip(err)
	}
	if out, err := exec.Command(clang, flags...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	native := exec.CommandContext(ctx, filepath.Join(directory, "native"))
	native.Dir = directory // Csmith leaves a file where it runs
	out, err := native.Output()
	m := checksum.FindSubmatch(out)
	if err != nil || m == nil {
		t.Skip("the program does not end in time")
	}
	checked := printsIt.ReplaceAll(source, fmt.Appendf(nil, "if ((crc32_context ^ 0xFFFFFFFFUL) != 0x%sUL) reach_error();", m[1]))
	if string(checked) == string(source) {
		t.Fatal("the program does not print its checksum where it should")
	}
	checked = append([]byte("void reach_error(void);\n"), checked...)
	file := write("checked.c", checked)
	for _, unpromoted := range []bool{false, true} {
		p, err := Load(t.Context(), Options{
			Files: []string{file}, Include: []string{"/usr/include/csmith"}, DataModel: model,
			ExtraArgs: []string{"-w"}, Unpromoted: unpromoted,
		})
		if err != nil {
			t.Fatal(err)
		}
		runChecked(t, p, false)
	}
	// The same program as a module that was optimised elsewhere.
	optimised := filepath.Join(directory, "checked.bc")
	args := []string{"-w", "-O2", "-g", "-c", "-emit-llvm", "-ffp-contract=off", "-I/usr/include/csmith", "-o", optimised, file}
	if model == ILP32 {
		args = append(args, "-m32", "-msse2", "-mfpmath=sse")
	}
	if out, err := exec.Command(clang, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p, err := Load(t.Context(), Options{Files: []string{optimised}})
	if err != nil {
		t.Fatal(err)
	}
	runChecked(t, p, true)
}

// runChecked runs a program that must not fail. Optimised code may compute
// what it does not use, shifts by any amount included.
func runChecked(t *testing.T, p *Program, optimised bool) {
	limit, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	failed := func(e interp.Event) bool {
		return e.Kind == interp.Violation && !(optimised && e.Check == ir.ShiftRange)
	}
	outcome, err := interp.Run(limit, p.Module, interp.Options{
		Observe: func(e interp.Event) {
			if failed(e) {
				t.Errorf("%s: %v: %s", p.Module.PosString(e.Pos), e.Check, e.Text)
			}
		},
		StopAt: failed,
	})
	if errors.Is(err, context.DeadlineExceeded) {
		t.Skip("too long for the interpreter")
	}
	if err != nil || outcome.End != interp.Halted && outcome.End != interp.Stopped {
		t.Errorf("%v %v", outcome, err)
	}
	t.Log(outcome.Steps, "steps")
}
