package differential

import (
	"bytes"
	"context"
	"debug/dwarf"
	"debug/elf"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"assay/internal/program/target"
	"assay/internal/run/process"
)

//go:embed testdata/harness.c
var harness []byte

// Native is a compiled program.
type Native struct {
	binary string
	inputs string // the file that the harness reads
	limit  time.Duration
	ilp32  bool
	// endless says that a run was cut off: further ones are not waited for.
	endless bool
}

// compileLimit bounds the time of the compiler.
const compileLimit = time.Minute

// Compile compiles the program with the harness into the directory. Runs are
// cut off at the limit. If clang or the linker objects, why says it.
func Compile(ctx context.Context, p Program, dir string, limit time.Duration) (n *Native, why string, err error) {
	return compile(ctx, "clang-19", p, dir, limit)
}

// CompileByGCC does so with another front end.
func CompileByGCC(ctx context.Context, p Program, dir string, limit time.Duration) (n *Native, why string, err error) {
	return compile(ctx, "gcc", p, dir, limit, "-finstrument-functions-exclude-file-list=harness.c")
}

func compile(ctx context.Context, compiler string, p Program, dir string, limit time.Duration, options ...string) (n *Native, why string, err error) {
	flags := append(append([]string{
		"-O0", "-gdwarf-4", "-w", "-no-pie", "-DNATIVE", "-fno-builtin", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off",
		"-ftrivial-auto-var-init=zero", "-finstrument-functions",
		"-Wno-error=implicit-function-declaration", "-Wno-error=implicit-int", "-Wno-error=int-conversion",
	}, target.Flags(p.ILP32)...), options...)
	object, err := harnessObject(ctx, compiler, flags)
	if err != nil {
		return nil, "", err
	}
	harness := filepath.Join(dir, "harness.o")
	if err := os.WriteFile(harness, object, 0o644); err != nil {
		return nil, "", err
	}
	n = &Native{binary: filepath.Join(dir, "native-"+compiler), inputs: filepath.Join(dir, "inputs"), limit: limit, ilp32: p.ILP32}
	args := append(slices.Clone(flags), "-Wl,--wrap=malloc", "-o", n.binary)
	for _, i := range p.Include {
		args = append(args, "-I"+i)
	}
	for _, d := range p.Define {
		args = append(args, "-D"+d)
	}
	why, err = compiled(ctx, compiler, append(append(append(args, returning...), p.Files...), harness, "-lm"))
	return n, why, err
}

// harnessObjects are the objects of the harness, by the command that made them: it is compiled once for each.
var harnessObjects struct {
	sync.Mutex
	of map[string][]byte
}

func harnessObject(ctx context.Context, compiler string, flags []string) ([]byte, error) {
	harnessObjects.Lock()
	defer harnessObjects.Unlock()
	command := strings.Join(append([]string{compiler}, flags...), " ")
	if object := harnessObjects.of[command]; object != nil {
		return object, nil
	}
	dir, err := os.MkdirTemp("", "assay-harness-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	source, object := filepath.Join(dir, "harness.c"), filepath.Join(dir, "harness.o")
	if err := os.WriteFile(source, harness, 0o644); err != nil {
		return nil, err
	}
	why, err := compiled(ctx, compiler, append(append(slices.Clone(flags), returning...), "-c", "-o", object, source))
	if err == nil && why != "" {
		err = fmt.Errorf("the harness: %s", why)
	}
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(object)
	if err != nil {
		return nil, err
	}
	if harnessObjects.of == nil {
		harnessObjects.of = map[string][]byte{}
	}
	harnessObjects.of[command] = content
	return content, nil
}

// returning lets functions of the environment return that a program declares not
// to, as the front end does (frontend, noreturn.go).
var returning = []string{"-D__noreturn__=__unused__", "-Dnoreturn=__unused__", "-Wno-macro-redefined"}

// compiled runs a compiler; why is its first complaint.
func compiled(ctx context.Context, compiler string, args []string) (why string, err error) {
	cmd := exec.Command(compiler, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	end, err := process.Run(ctx, cmd, process.Limits{Wall: compileLimit})
	if err != nil || end.ExitCode == 0 {
		return "", err
	}
	line, _, _ := strings.Cut(strings.TrimSpace(out.String()), "\n")
	return "not compiled: " + line, nil
}

// Run runs the program on the inputs. After a run that was cut off (which waits for what no one
// sends, say, until the limit of twenty times the processor time) all others count as cut off, too.
func (n *Native) Run(ctx context.Context, inputs []Value) (Run, error) {
	if n.endless {
		return Run{Inputs: inputs, End: End{Kind: CutOff}}, nil
	}
	var list strings.Builder
	for _, v := range inputs {
		fmt.Fprintf(&list, "%s %x\n", v.Name, v.Bits)
	}
	if err := os.WriteFile(n.inputs, []byte(list.String()), 0o644); err != nil {
		return Run{}, err
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(n.binary)
	if n.ilp32 {
		cmd = process.Command32(n.binary)
	}
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Dir = filepath.Dir(n.inputs) // what the program writes stays there
	cmd.Env = append(os.Environ(), "ASSAY_INPUTS="+n.inputs)
	end, err := process.Run(ctx, cmd, process.Limits{CPU: n.limit, Wall: 20 * n.limit})
	if err != nil {
		return Run{}, err
	}
	r := Run{Inputs: inputs, Observed: observations(stdout.String())}
	r.End, err = n.end(end, stderr.String())
	n.endless = r.End.Kind == CutOff
	return r, err
}

// observations reads what observe() printed; what else a program prints is none.
func observations(stdout string) (list []Value) {
	for line := range strings.Lines(stdout) {
		line, ok := strings.CutPrefix(strings.TrimSpace(line), "observed ")
		value, name, spaced := strings.Cut(line, " ")
		ok = ok && spaced
		if bits, err := strconv.ParseUint(value, 16, 64); ok && err == nil {
			list = append(list, Value{name, bits})
		}
	}
	return list
}

// end reads the end of a native run.
func (n *Native) end(end process.Outcome, stderr string) (End, error) {
	if _, message, ok := strings.Cut(stderr, "\nassay: "); ok {
		what, number, _ := strings.Cut(strings.TrimSpace(message), " ")
		switch what {
		case "assume":
			return End{Kind: AssumeFailed}, nil
		case "assertion":
			site, err := strconv.ParseUint(number, 16, 64)
			if err != nil {
				return End{}, err
			}
			line, err := n.line(site - 1)
			return End{Kind: Asserted, Line: line}, err
		}
		return End{Kind: BeyondInputs, Text: what}, nil
	}
	switch {
	case end.TimedOut || end.Cancelled:
		return End{Kind: CutOff}, nil
	case end.Signal == syscall.SIGABRT:
		return End{Kind: Aborted}, nil
	case end.Signal != 0:
		return End{Kind: Killed, Text: end.Signal.String()}, nil
	}
	return End{Kind: Exited, Code: end.ExitCode}, nil
}

// line is the line of the source that an address of the program belongs to.
func (n *Native) line(address uint64) (int, error) {
	f, err := elf.Open(n.binary)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	d, err := f.DWARF()
	if err != nil {
		return 0, err
	}
	units := d.Reader()
	unit, err := units.SeekPC(address)
	if err != nil {
		return 0, err
	}
	lines, err := d.LineReader(unit)
	if err != nil {
		return 0, err
	}
	var entry dwarf.LineEntry
	err = lines.SeekPC(address, &entry)
	return entry.Line, err
}
