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
	"assay/internal/program/binary/lift"
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
	// start is the function where the run starts, 0 is main; errors are addresses.
	start  uint64
	errors []uint64
	// fence is the heap, if the property is about memory.
	fence *fence
	// Of the end.
	hit     bool
	exhaust string
	assumed bool
}

// ConfirmBinary runs the file. The error is about the machine, not the program.
func ConfirmBinary(ctx context.Context, file string, c Counterexample) (Outcome, error) {
	switch c.Kind {
	case ir.Assertion, ir.ErrorLabel, ir.InvalidDeref, ir.InvalidFree, ir.MemCleanup:
	default:
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
	f := &feeder{c: c, next: map[string]int{}, values: map[string][]Input{}}
	if err := f.find(m, content); err != nil {
		return Outcome{Why: err.Error()}, nil
	}
	if m.Type == elf.ET_REL {
		program, object := filepath.Join(dir, "program"), m
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
		if !f.move(object, m) {
			return Outcome{Why: "a place of the object file is not found in the program that it was linked into"}, nil
		}
	}
	f.image = m
	if ofMemory(c.Kind) {
		f.fence = &fence{}
	}
	unfed := "" // a choice of our model of a library function: the function itself makes it, and the run is as good as any
	for _, i := range c.Inputs {
		if f.library = f.library || !strings.Contains(i.Function, "nondet"); f.calls(i.Function) {
			f.values[i.Function] = append(f.values[i.Function], i)
		} else {
			unfed = i.Function
		}
	}
	o, err := tracing.Run(ctx, f.program(file, dir))
	if err != nil {
		return Outcome{}, fmt.Errorf("running %s under ptrace: %w", filepath.Base(file), err)
	}
	out := f.judge(o)
	if unfed != "" && !out.Confirmed {
		out.Decisive, out.Why = false, out.Why+"; the run depends on what our model of a library function chooses ("+unfed+"), which cannot be fed"
	}
	return out, nil
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

// ofMemory says whether a violation is one that the fence shows.
func ofMemory(k ir.CheckKind) bool {
	return k == ir.InvalidDeref || k == ir.InvalidFree || k == ir.MemCleanup
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
	b.WriteString("__attribute__((weak)) int main(void) { return 0; }\n")
	stub := filepath.Join(dir, "stub.c")
	if err := os.WriteFile(stub, []byte(b.String()), 0o644); err != nil {
		return "", err
	}
	why, err = clang(ctx, []string{"-no-pie", "-w", "-fno-builtin", "-o", program, file, stub, "-lm"})
	return strings.Replace(why, "compiled", "linked", 1), err
}

// program sets the hooks.
func (f *feeder) program(file, dir string) *tracing.Program {
	p := &tracing.Program{
		Path: file, Folder: dir, EntryPoint: f.image.Entry, Hooks: map[uint64]tracing.Hook{}, Begin: f.begin, CPU: limit, Wall: 2 * limit, Memory: memoryLimit,
	}
	for k := range max(0, f.c.Arguments-1) {
		p.Arguments = append(p.Arguments, fmt.Sprint(k))
	}
	main, err := lift.Entry(f.image, "main")
	if p.Start = main.Address; err != nil {
		p.Start = f.image.Entry
	}
	if f.start != 0 {
		p.Hooks[returned] = func(*tracing.Process) (tracing.Action, error) { return tracing.Stop, nil }
	}
	for _, at := range f.errors {
		p.Hooks[at] = func(*tracing.Process) (tracing.Action, error) {
			f.hit = true
			return tracing.Stop, nil
		}
	}
	for _, s := range f.image.Symbols {
		if h := f.hook(s.Name); h != nil && s.Defined && (s.Type == elf.STT_FUNC || s.Type == elf.STT_NOTYPE) {
			p.Hooks[s.Address] = h
		}
	}
	for at, name := range f.image.Externals {
		if h := f.external(name); h != nil {
			p.Hooks[at] = h
		}
	}
	return p
}

// returned is the address that a function under analysis returns to; nothing is there.
const returned = 0x7_dfff_f000

// find finds the places that the counterexample names, in the file that the user gave.
func (f *feeder) find(m *image.Image, content []byte) error {
	if f.c.Start != "" {
		p, err := lift.Entry(m, f.c.Start)
		if err != nil {
			return err
		}
		f.start = p.Address
	}
	if f.c.Label == "" {
		return nil
	}
	places, err := lift.Label(m, content, f.c.Label)
	for _, p := range places {
		f.errors = append(f.errors, p.Address)
	}
	return err
}

// move translates the places from an object file to the program that it was linked into, by symbols.
func (f *feeder) move(from, to *image.Image) (ok bool) {
	moved := func(at uint64) uint64 {
		for _, s := range slices.Backward(from.Symbols) {
			if !s.Defined || s.Address > at || s.Type != elf.STT_FUNC {
				continue
			}
			for _, t := range to.Symbols {
				if t.Defined && t.Name == s.Name && t.Size == s.Size {
					return t.Address + at - s.Address
				}
			}
			break
		}
		ok = false
		return 0
	}
	ok = true
	if f.start != 0 {
		f.start = moved(f.start)
	}
	for k := range f.errors {
		f.errors[k] = moved(f.errors[k])
	}
	return ok
}

// takeRegisters makes those of the inputs registers that are arguments of the function where the run starts.
func (c *Counterexample) takeRegisters() {
	c.Registers = map[string]uint64{}
	c.Inputs = slices.DeleteFunc(c.Inputs, func(i Input) bool {
		name, ok := strings.CutPrefix(i.Function, "_")
		if ok = ok && slices.Contains(argumentRegisters, name); ok {
			c.Registers[name] = i.Value
		}
		return ok
	})
}

var argumentRegisters = []string{"rdi", "rsi", "rdx", "rcx", "r8", "r9"}

// call makes the process start in a function, with arguments.
func (f *feeder) call(p *tracing.Process) error {
	r := &p.Registers
	for k, to := range []*uint64{&r.Rdi, &r.Rsi, &r.Rdx, &r.Rcx, &r.R8, &r.R9} {
		*to = f.c.Registers[argumentRegisters[k]]
	}
	r.Rip, r.Rsp = p.Address(f.start), r.Rsp&^15-8
	return p.Write(r.Rsp, binary.LittleEndian.AppendUint64(nil, p.Address(returned)))
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

// external is the hook of a function of a library.
func (f *feeder) external(name string) tracing.Hook {
	if act := fenced[name]; act != nil && f.fence != nil {
		return func(p *tracing.Process) (tracing.Action, error) { return act(f.fence, p) }
	}
	return f.hook(name)
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
	if f.fence != nil {
		if err := f.fence.begin(p); err != nil {
			return tracing.Stop, err
		}
	}
	for at := range f.image.Pointers {
		s := f.image.SectionAt(at)
		if s == nil || s.Data == nil || at-s.Address+8 > s.Size {
			continue
		}
		target := binary.LittleEndian.Uint64(s.Data[at-s.Address:])
		if name, ok := f.image.Externals[target]; ok && f.external(name) != nil {
			if f.fence != nil {
				var old [8]byte
				if err := p.Read(p.Address(at), old[:]); err != nil {
					return tracing.Stop, err
				}
				f.fence.elsewhere[name] = binary.LittleEndian.Uint64(old[:])
			}
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
	if f.start != 0 {
		return tracing.Continue, f.call(p)
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
	case f.fence != nil && (f.fence.wrong || o.Faulted || o.Started && o.Signal == 0 && !o.TimedOut && !o.Cancelled):
		return f.judgeMemory(o)
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

// judgeMemory says what a run with the fence means, which ended by itself, or by what it did to memory.
func (f *feeder) judgeMemory(o tracing.Outcome) Outcome {
	where := fmt.Sprintf("0x%x", o.At)
	for _, s := range f.image.Symbols {
		if s.Defined && s.Type == elf.STT_FUNC && s.Address <= o.At && o.At < s.Address+s.Size {
			where = fmt.Sprintf("%s+0x%x", s.Name, o.At-s.Address)
		}
	}
	switch {
	case f.fence.full:
		return Outcome{Why: "the binary asks for more memory than there is in the sandbox"}
	case f.fence.wrong && f.c.Kind == ir.InvalidFree, o.Faulted && f.c.Kind == ir.InvalidDeref:
		return Outcome{Confirmed: true}
	case f.fence.wrong:
		return Outcome{Why: "the binary frees what is no live block of the heap"}
	case o.Faulted:
		return Outcome{Why: fmt.Sprintf("the binary ends by an access of 0x%x, at %s", o.Fault, where)}
	case f.c.Kind == ir.MemCleanup && len(f.fence.live) > 0:
		return Outcome{Confirmed: true}
	case f.c.Kind == ir.InvalidDeref:
		return Outcome{Why: "the binary does not fault: what the access hits may be another object"}
	}
	return Outcome{Why: fmt.Sprintf("the binary does not violate the property (exit code %d)", o.ExitCode)}
}
