package native

import (
	"context"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/internal/program/binary/image"
	"assay/internal/program/ir"
	"assay/internal/run/tracing"
)

// This file runs an x86-64 program itself, in the sandbox of package tracing. Where it calls a function that is an input,
// it gets the next value of the counterexample, and goes on behind the call. Functions that the file
// defines, also those that do nothing, have a breakpoint; for those of libraries, the slot of the table
// through which they are called gets the address that stands for them (image.Externals), where nothing is.
// An object file is linked first, to inputs of ours.

// memoryLimit bounds the address space of the program.
const memoryLimit = 4 << 30

// errorFunctions are violations where they are called; of those with true, if their argument is 0.
var errorFunctions = map[string]bool{
	"reach_error": false, "__VERIFIER_error": false, "__assert_fail": false, "__VERIFIER_assert": true, "__CPROVER_assert": true, "assert": true,
}

// assumptions end the run if their argument is 0.
var assumptions = []string{"__VERIFIER_assume", "__CPROVER_assume", "__ESBMC_assume"}

// feeder answers the calls of a program.
type feeder struct {
	c      Counterexample
	next   map[string]int // inputs that were used, by function
	values map[string][]Input
	image  *image.Image
	// library says that functions of libraries are among the inputs: our models may ask for them more rarely.
	library bool
	// Of the end.
	hit     bool
	exhaust string
	assumed bool
}

// ConfirmBinary runs the file. The error is about the machine, not the program.
func ConfirmBinary(ctx context.Context, file string, c Counterexample) (Outcome, error) {
	if c.Kind != ir.Assertion && c.Kind != ir.ErrorLabel {
		return Outcome{Why: "this property has no native check"}, nil
	}
	dir, err := os.MkdirTemp("", "assay-native-")
	if err != nil {
		return Outcome{}, err
	}
	defer os.RemoveAll(dir)
	content, err := os.ReadFile(file)
	if err != nil {
		return Outcome{}, err
	}
	m, err := image.Load(file, content)
	if err != nil {
		return Outcome{Why: err.Error()}, nil
	}
	if file, err = filepath.Abs(file); err != nil {
		return Outcome{}, err
	}
	if m.Type == elf.ET_REL {
		program := filepath.Join(dir, "program")
		if why, err := linkObject(ctx, m, file, dir, program); why != "" || err != nil {
			return Outcome{Why: why}, err
		}
		if content, err = os.ReadFile(program); err != nil {
			return Outcome{}, err
		}
		if m, err = image.Load(program, content); err != nil {
			return Outcome{Why: err.Error()}, nil
		}
		file = program
	}
	f := &feeder{c: c, image: m, next: map[string]int{}, values: map[string][]Input{}}
	for _, i := range c.Inputs {
		f.values[i.Function] = append(f.values[i.Function], i)
		f.library = f.library || !strings.Contains(i.Function, "nondet")
		if !f.calls(i.Function) {
			return Outcome{Why: "the run depends on what our model of a library function chooses (" + i.Function + "), which cannot be fed"}, nil
		}
	}
	p, why := f.program(file, dir)
	if why != "" {
		return Outcome{Why: why}, nil
	}
	o, err := tracing.Run(ctx, p)
	if err != nil {
		return Outcome{}, fmt.Errorf("running %s under ptrace: %w", filepath.Base(file), err)
	}
	return f.judge(o), nil
}

// calls says whether the file has or needs a function of a name.
func (f *feeder) calls(name string) bool {
	for _, n := range f.image.Externals {
		if n == name {
			return true
		}
	}
	return slices.ContainsFunc(f.image.Symbols, func(s image.Symbol) bool { return s.Defined && s.Name == name })
}

// linkObject makes a program of an object file; why says what the linker has against it.
func linkObject(ctx context.Context, m *image.Image, file, dir, program string) (why string, err error) {
	var b strings.Builder
	for _, name := range m.Externals {
		_, isError := errorFunctions[name]
		if isError && name != "__assert_fail" || slices.Contains(assumptions, name) || strings.Contains(name, "nondet") && isIdentifier(name) {
			fmt.Fprintf(&b, "__attribute__((weak)) void %s(void) {}\n", name)
		}
	}
	stub := filepath.Join(dir, "stub.c")
	if err := os.WriteFile(stub, []byte(b.String()), 0o644); err != nil {
		return "", err
	}
	why, err = clang(ctx, []string{"-no-pie", "-w", "-fno-builtin", "-o", program, file, stub, "-lm"})
	return strings.Replace(why, "compiled", "linked", 1), err
}

// program sets the hooks.
func (f *feeder) program(file, dir string) (p *tracing.Program, why string) {
	p = &tracing.Program{
		Path: file, Folder: dir, EntryPoint: f.image.Entry, Hooks: map[uint64]tracing.Hook{}, Begin: f.begin, CPU: limit, Wall: 2 * limit, Memory: memoryLimit,
	}
	for k := range max(0, f.c.Arguments-1) {
		p.Arguments = append(p.Arguments, fmt.Sprint(k))
	}
	p.Start = f.c.Start
	if name := f.c.StartName; p.Start == 0 {
		for _, s := range f.image.Symbols {
			if s.Defined && s.Name == name {
				p.Start = s.Address
			}
		}
		if p.Start == 0 {
			return nil, "the file has no symbol for " + name
		}
	}
	for _, s := range f.image.Symbols {
		if h := f.hook(s.Name); h != nil && s.Defined && (s.Type == elf.STT_FUNC || s.Type == elf.STT_NOTYPE) {
			p.Hooks[s.Address] = h
		}
	}
	for at, name := range f.image.Externals {
		if h := f.hook(name); h != nil {
			p.Hooks[at] = h
		}
	}
	if f.c.ErrorAt != 0 {
		p.Hooks[f.c.ErrorAt] = func(*tracing.Process) (tracing.Action, error) {
			f.hit = true
			return tracing.Stop, nil
		}
	}
	return p, ""
}

// hook is what happens at the function of a name, nil for what the program itself does there.
func (f *feeder) hook(name string) tracing.Hook {
	if conditional, ok := errorFunctions[name]; ok && f.c.Kind == ir.Assertion {
		return func(p *tracing.Process) (tracing.Action, error) {
			if conditional && uint32(p.Registers.Rdi) != 0 {
				return tracing.Return, nil
			}
			f.hit = true
			return tracing.Stop, nil
		}
	}
	switch {
	case slices.Contains(assumptions, name):
		return func(p *tracing.Process) (tracing.Action, error) {
			if uint32(p.Registers.Rdi) != 0 {
				return tracing.Return, nil
			}
			f.assumed = true
			return tracing.Stop, nil
		}
	case f.values[name] != nil || strings.HasPrefix(name, "__VERIFIER_nondet"):
		return func(p *tracing.Process) (tracing.Action, error) { return f.feed(p, name) }
	}
	return nil
}

// feed returns the next value of an input.
func (f *feeder) feed(p *tracing.Process, name string) (tracing.Action, error) {
	k := f.next[name]
	if k >= len(f.values[name]) {
		f.exhaust = name
		return tracing.Stop, nil
	}
	f.next[name]++
	i := f.values[name][k]
	value := i.Value
	if i.Bits < 64 {
		value &= 1<<i.Bits - 1
	}
	if i.Float {
		return tracing.Return, p.SetFloat(value)
	}
	p.Registers.Rax = value
	return tracing.Return, nil
}

// begin is the start of main: the tables of the dynamic linker are changed, and the stack below is cleared, as
// far as it is there, for content that was never written is mostly 0 in counterexamples.
func (f *feeder) begin(p *tracing.Process) (tracing.Action, error) {
	for at := range f.image.Pointers {
		s := f.image.SectionAt(at)
		if s == nil || s.Data == nil || at-s.Address+8 > s.Size {
			continue
		}
		target := binary.LittleEndian.Uint64(s.Data[at-s.Address:])
		if name, ok := f.image.Externals[target]; ok && f.hook(name) != nil {
			if err := p.Write(p.Address(at), binary.LittleEndian.AppendUint64(nil, p.Address(target))); err != nil {
				return tracing.Stop, err
			}
		}
	}
	const page = 4096
	zeros := make([]byte, page)
	for k := uint64(1); k <= 16 && p.Registers.Rsp > math.MaxUint32; k++ {
		if p.Write(p.Registers.Rsp-k*page, zeros) != nil {
			break
		}
	}
	return tracing.Continue, nil
}

// judge says what the end of the run means.
func (f *feeder) judge(o tracing.Outcome) Outcome {
	switch {
	case f.hit:
		return Outcome{Confirmed: true}
	case f.exhaust != "":
		return Outcome{Why: "the binary asks for more values of " + f.exhaust}
	case f.assumed:
		return Outcome{Why: "an assumption fails in the binary"}
	case !o.Started && !o.TimedOut && !o.Cancelled:
		return Outcome{Why: fmt.Sprintf("the binary ends before it comes to its start (exit code %d)", o.ExitCode)}
	case o.TimedOut || o.Cancelled:
		return Outcome{Why: "the binary was stopped at the time limit"}
	}
	what := fmt.Sprintf("exit code %d", o.ExitCode)
	if o.Signal != 0 {
		what = "signal " + o.Signal.String()
	}
	if o.Refused != 0 {
		what += fmt.Sprintf("; system call %d was refused", o.Refused)
	}
	return Outcome{Decisive: o.Signal == 0 && o.Refused == 0 && !f.library, Why: "the binary does not violate the property (" + what + ")"}
}
