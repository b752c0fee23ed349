// Package native confirms a counterexample by the compiled program: the C files
// are compiled at -O0 together with a harness that feeds the recorded inputs,
// and run.
//
// What a native run can confirm is limited, and a run that confirms nothing is
// no proof of a mistake unless the counterexample is exact:
//
//   - Inputs are fed by function, in the order of the calls. Memory that the
//     program never wrote is zero; a counterexample that needs other content
//     cannot be fed.
//   - Failed assertions and error functions are caught by the harness, undefined
//     arithmetic by UBSan, invalid accesses and frees by ASan, which misses
//     those that hit another object.
package native

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"assay/internal/program/ir"
	"assay/internal/program/target"
	"assay/internal/run/lazyregexp"
	"assay/internal/run/process"
)

// Program is what is compiled.
type Program struct {
	Files []string
	// Flags are the user's: -I, -D, -U, -std and others.
	Flags []string
	ILP32 bool
}

// Input is a value that a function without body returns.
type Input struct {
	Function string
	Float    bool
	Bits     uint32
	// Value is the value, extended by the sign of its type; of a float the bits.
	Value uint64
}

// Counterexample is what is to be confirmed.
type Counterexample struct {
	Inputs []Input
	// Silent are functions without body that return nothing.
	Silent []string
	// Arguments is the number of arguments of main.
	Arguments int
	// Kind and Line are the violation.
	Kind ir.CheckKind
	Line int
	// Of binaries: the function where the run starts, or its address 0x…, empty is main, with what its argument
	// registers hold; and the label, symbol or address that is the error, empty if functions are.
	Start     string
	Registers map[string]uint64
	Label     string
}

// Outcome tells what the native run did.
type Outcome struct {
	Confirmed bool
	// Decisive says that a run that did not confirm speaks against the
	// counterexample, as far as its inputs are exact.
	Decisive bool
	// Why says what happened instead.
	Why string
}

// limit bounds the time of the compiler and that of the program.
const limit = 20 * time.Second

// sanitizers are the checks by kind of violation; "" means that the harness
// catches it.
var sanitizers = map[ir.CheckKind]string{
	ir.Assertion:       "",
	ir.Overflow:        "signed-integer-overflow",
	ir.ShiftOverflow:   "shift-base",
	ir.ShiftRange:      "shift-exponent",
	ir.DivByZero:       "integer-divide-by-zero",
	ir.InvalidDeref:    "address",
	ir.FloatConversion: "float-cast-overflow", ir.ArrayIndex: "array-bounds", ir.UnsignedOverflow: "unsigned-integer-overflow", ir.ImplicitConversion: "implicit-conversion",
	ir.InvalidFree: "address",
}

// Confirm compiles and runs. The error is about the machine, not the program.
func Confirm(ctx context.Context, p Program, c Counterexample) (Outcome, error) {
	sanitizer, ok := sanitizers[c.Kind]
	if !ok {
		return Outcome{Why: "this property has no native check"}, nil
	}
	for _, f := range p.Files {
		if ext := filepath.Ext(f); ext == ".ll" || ext == ".bc" {
			return Outcome{Why: "only C can be run natively"}, nil
		}
	}
	dir, err := os.MkdirTemp("", "assay-native-")
	if err != nil {
		return Outcome{}, err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "program")
	if why, err := compile(ctx, p, c, sanitizer, dir, binary); why != "" || err != nil {
		return Outcome{Why: why}, err
	}
	arguments := make([]string, max(0, c.Arguments-1))
	for i := range arguments {
		arguments[i] = strconv.Itoa(i)
	}
	cmd := exec.Command(binary, arguments...)
	if p.ILP32 {
		cmd = process.Command32(binary, arguments...)
	}
	var stderr bytes.Buffer
	cmd.Stderr, cmd.Dir = &stderr, dir
	cmd.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0:exitcode=99:allocator_may_return_null=1", "UBSAN_OPTIONS=print_stacktrace=0")
	end, err := process.Run(ctx, cmd, process.Limits{CPU: limit, Wall: 2 * limit})
	if err != nil {
		return Outcome{}, err
	}
	return judge(c, sanitizer, end, stderr.String()), nil
}

// compile compiles the program and the harness; why says what clang has
// against it.
func compile(ctx context.Context, p Program, c Counterexample, sanitizer, dir, binary string) (why string, err error) {
	harness := filepath.Join(dir, "harness.c")
	if err := os.WriteFile(harness, []byte(harnessSource(c)), 0o644); err != nil {
		return "", err
	}
	machine := target.Flags(p.ILP32)
	object := filepath.Join(dir, "harness.o")
	if why, err := clang(ctx, append([]string{"-O0", "-w", "-c", "-o", object, harness}, machine...)); why != "" || err != nil {
		return why, err
	}
	flags := append([]string{
		"-O0", "-g", "-w", "-fno-builtin", "-fno-strict-aliasing", "-ffp-contract=off", "-ftrivial-auto-var-init=zero", "-finstrument-functions",
		"-Wno-error=implicit-function-declaration", "-Wno-error=implicit-int", "-Wno-error=int-conversion", "-Wno-error=incompatible-function-pointer-types",
		"-Wl,--wrap=malloc", "-o", binary,
	}, machine...)
	switch sanitizer {
	case "":
		flags = append(flags, "-fwrapv")
	case "address":
		flags = append(flags, "-fwrapv", "-fsanitize=address", "-fsanitize-address-use-after-return=always")
	default:
		flags = append(flags, "-fsanitize="+sanitizer, "-fno-sanitize-recover="+sanitizer)
	}
	flags = append(append(flags, p.Flags...), p.Files...)
	return clang(ctx, append(flags, object, "-lm"))
}

// clang runs the compiler.
func clang(ctx context.Context, args []string) (why string, err error) {
	cmd := exec.Command("clang-19", args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	end, err := process.Run(ctx, cmd, process.Limits{Wall: limit})
	if err != nil {
		return "", err
	}
	if end.ExitCode != 0 {
		line, _, _ := strings.Cut(strings.TrimSpace(out.String()), "\n")
		return "it cannot be compiled for a native run: " + line, nil
	}
	return "", nil
}

// runtimeError is a message of UBSan, with its line.
var runtimeError = lazyregexp.New(`:(\d+):\d+: runtime error: (.*)`)

// judge reads the end of the run.
func judge(c Counterexample, sanitizer string, end process.Outcome, stderr string) Outcome {
	switch {
	case end.TimedOut || end.Cancelled:
		return Outcome{Why: "the native run was stopped at the time limit"}
	case sanitizer == "" && end.ExitCode == hitCode:
		return Outcome{Confirmed: true}
	case end.ExitCode == outOfInputs:
		return Outcome{Why: "the native run asks for more inputs"}
	case end.ExitCode == assumeFailed:
		return Outcome{Why: "an assumption fails in the native run"}
	case sanitizer == "address":
		if strings.Contains(stderr, "ERROR: AddressSanitizer") {
			return Outcome{Confirmed: true}
		}
		return Outcome{Why: "the address sanitizer does not object"}
	case sanitizer != "":
		if m := runtimeError.FindStringSubmatch(stderr); m != nil {
			if line, _ := strconv.Atoi(m[1]); line == c.Line {
				return Outcome{Confirmed: true}
			}
			return Outcome{Why: fmt.Sprintf("the native run fails at line %s instead: %s", m[1], m[2])}
		}
	}
	what := fmt.Sprintf("exit code %d", end.ExitCode)
	if end.Signal != 0 {
		what = "signal " + end.Signal.String()
	}
	return Outcome{Decisive: end.Signal == 0, Why: "the native run does not violate the property (" + what + ")"}
}
