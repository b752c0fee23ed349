// Package validation decides the same property of a program and of the binary that was made of it, and explains where the
// answers differ [PnueliSS98]; here a property at a time, not all behaviour.
//
// A compiler may change the meaning of a program where C leaves it undefined, and it may assume that loops without effects end
// (C11 6.8.5p6). So where the answers differ, the source is compiled again by the same compiler with the
// options that take such a permission away; the first one with which the answer is that of the source explains the difference. First it
// is compiled with no such option: if the answer is not that of the binary then, the binary was made in
// another way, and nothing can be said.
package validation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay"
	"assay/internal/program/binary/image"
	"assay/internal/program/binary/producer"
	"assay/internal/run/process"
)

// permission is something that C lets compilers do, with the options that take it away.
type permission struct {
	options []string
	text    string
}

// permissions are tried in this order.
var permissions = []permission{
	{[]string{"-fwrapv"}, "signed overflow is undefined in C (C11 6.5p5)"},
	{[]string{"-fno-finite-loops"}, "a loop without effects may be assumed to end (C11 6.8.5p6)"},
	{[]string{"-fwrapv", "-fno-finite-loops"}, "signed overflow is undefined in C (C11 6.5p5), and a loop without effects may be assumed to end (C11 6.8.5p6)"},
	{[]string{"-fno-strict-aliasing"}, "accesses by a type that the object does not have are undefined in C (C11 6.5p7)"},
	{[]string{"-fno-delete-null-pointer-checks"}, "accesses by null pointers are undefined in C (C11 6.5.3.2p4)"},
}

// Attempt is the source, compiled again.
type Attempt struct {
	Options []string // besides those that the binary was made with
	Answer  string   // as Result.Line; empty if it does not compile
	Why     string   // it does not, or there is no answer
}

// Comparison is the answers to one question.
type Comparison struct {
	Source, Binary *assay.Result
	// Semantics is what arithmetic of the source means, if that was not what was asked: C leaves the answer open.
	Semantics assay.Semantics
	// Of answers that differ.
	Compiler  string    // the command and options with which the source was compiled again; empty if it was not
	Attempts  []Attempt // the first one without further options
	Explained []string  // the options that explain the difference
	Reason    string    // what these options are about, or why there is no explanation
	// Undefined is what the source does that C leaves undefined, if it is the reason.
	Undefined *assay.Place
}

// Verdict is what the comparison says.
type Verdict uint8

// The verdicts.
const (
	Open Verdict = iota // one of the answers is unknown
	Same
	Differs
)

// Verdict compares the answers.
func (c *Comparison) Verdict() Verdict {
	switch a, b := c.Source.Answer, c.Binary.Answer; {
	case a == assay.Unknown || b == assay.Unknown:
		return Open
	case a == b:
		return Same
	}
	return Differs
}

// Compare decides both. The task is about the source; its time is shared.
func Compare(ctx context.Context, t assay.Task, binary string) (*Comparison, error) {
	end := time.Time{}
	if t.Timeout > 0 {
		end = time.Now().Add(t.Timeout)
	}
	share := func(part int) time.Duration { // of the time that is left
		if end.IsZero() {
			return 0
		}
		return max(time.Until(end)/time.Duration(part), time.Millisecond)
	}
	c := &Comparison{}
	var err error
	t.Timeout = share(2)
	if c.Source, err = assay.Check(ctx, t); err != nil {
		return nil, err
	}
	if c.Source.Answer == assay.Unknown && t.Program.Semantics == assay.SemanticsC && !slices.Contains(t.Properties, assay.UnreachCall) {
		wrapped := t
		wrapped.Program.Semantics, wrapped.Timeout = assay.SemanticsWrap, share(2)
		r, err := assay.Check(ctx, wrapped)
		if err == nil && r.Answer != assay.Unknown {
			c.Source, c.Semantics = r, assay.SemanticsWrap
		}
	}
	b := ofBinary(t, binary, c.Source)
	b.Timeout = share(1)
	if c.Binary, err = assay.Check(ctx, b); err != nil {
		return nil, err
	}
	if c.Verdict() == Differs {
		return c, c.explain(ctx, t, b, share)
	}
	return c, nil
}

// ofBinary is the task about a binary.
func ofBinary(t assay.Task, binary string, source *assay.Result) assay.Task {
	t.Files = []string{binary}
	p := t.Program
	t.Program = assay.Program{
		Function: p.Function, Pointers: p.Pointers, NonNull: p.NonNull, Nullable: p.Nullable, HavocGlobals: p.HavocGlobals, HavocUninitialised: p.HavocUninitialised, Assumed: p.Assumed,
		Unmodelled: p.Unmodelled, MallocMayFail: p.MallocMayFail, Models: p.Models,
	}
	if t.LTL == nil && source.Formula != "" {
		t.LTL = &assay.Formula{Text: source.Formula, File: "the formula of the source", Col: 1}
	}
	t.Log, t.Dump, t.Warnings = nil, nil, nil
	return t
}

// explain compiles the source again.
func (c *Comparison) explain(ctx context.Context, t, b assay.Task, share func(int) time.Duration) error {
	content, err := os.ReadFile(b.Files[0])
	if err != nil {
		return &assay.EnvironmentError{Doing: "reading " + b.Files[0], Err: err}
	}
	compiler, err := producer.Of(content, t.Files)
	if none := (*producer.ErrNone)(nil); errors.As(err, &none) {
		c.Reason = err.Error()
		return nil
	}
	folder, err := os.MkdirTemp("", "assay-again-")
	if err != nil {
		return &assay.EnvironmentError{Doing: "compiling the source again", Err: err}
	}
	defer os.RemoveAll(folder)
	again := &again{compiler: compiler, task: t, folder: folder}
	again.chooseLevel(ctx, content)
	c.Compiler = strings.Join(append([]string{filepath.Base(compiler.Command)}, again.compiler.Options...), " ")
	left := len(permissions) + 2
	try := func(options []string) (assay.Answer, error) {
		r, a, err := again.decide(ctx, b, options, share(left))
		left--
		c.Attempts = append(c.Attempts, a)
		return r, err
	}
	answer, err := try(nil)
	switch {
	case err != nil:
		return err
	case answer == c.Source.Answer:
		c.Reason = "compiled again, the answer is that of the source: the binary was made of another source, by another compiler, or with other options"
		return nil
	case answer != c.Binary.Answer:
		c.Reason = "compiled again, the source has no answer: " + c.Attempts[0].Why
		return nil
	}
	var perhaps *permission // with it the answer is not that of the binary any more
	for k, p := range permissions {
		if answer, err = try(p.options); err != nil {
			return err
		}
		if answer == assay.Unknown && c.Attempts[len(c.Attempts)-1].Answer != "" && perhaps == nil {
			perhaps = &permissions[k]
		}
		if answer != c.Source.Answer {
			continue
		}
		c.Explained, c.Reason = p.options, p.text
		if slices.Contains(p.options, "-fwrapv") {
			c.findOverflow(ctx, t, share(1))
		}
		return nil
	}
	if perhaps != nil {
		c.Reason = fmt.Sprintf("with %s the answer is unknown, so it may be that %s", strings.Join(perhaps.options, " "), perhaps.text)
		return nil
	}
	c.Reason = "no permission of C that is known here explains it: the source may do something else that C leaves undefined (see assay check --property valid-memsafety), or assay or the compiler is wrong"
	return nil
}

// overflowTime bounds the search for an overflow.
const overflowTime = 10 * time.Second

// findOverflow finds a run of the source with an overflow.
func (c *Comparison) findOverflow(ctx context.Context, t assay.Task, time time.Duration) {
	t.Properties, t.LTL, t.Label, t.Program.Semantics, t.Timeout = []assay.Property{assay.NoOverflow}, nil, "", "", overflowTime
	if t.Engine.Only = ""; time > 0 {
		t.Timeout = min(time, overflowTime)
	}
	if r, err := assay.Check(ctx, t); err == nil && r.Answer == assay.False {
		c.Undefined = r.Violation
	}
}

// again compiles the source.
type again struct {
	compiler producer.Compiler
	task     assay.Task
	folder   string
}

// compileTime bounds a run of the compiler.
const compileTime = time.Minute

// compile makes an object file of the source; why says what the compiler has against it.
func (a *again) compile(ctx context.Context, options []string) (file, why string, err error) {
	file = filepath.Join(a.folder, "again.o")
	arguments := slices.Concat(a.compiler.Options, options, []string{"-g", "-w", "-o", file})
	if len(a.task.Files) == 1 {
		arguments = append(arguments, "-c")
	} else {
		arguments = append(arguments, "-r", "-nostdlib")
	}
	p := &a.task.Program
	for flag, values := range map[string][]string{"-I": p.Include, "-D": p.Define, "-U": p.Undefine} {
		for _, v := range values {
			arguments = append(arguments, flag+v)
		}
	}
	if p.Std != "" {
		arguments = append(arguments, "-std="+p.Std)
	}
	cmd := exec.Command(a.compiler.Command, slices.Concat(arguments, p.Arguments, a.task.Files)...)
	var output strings.Builder
	cmd.Stdout, cmd.Stderr = &output, &output
	outcome, err := process.Run(ctx, cmd, process.Limits{CPU: compileTime, Wall: compileTime})
	if err != nil {
		return "", "", &assay.EnvironmentError{Doing: "compiling the source again", Err: err}
	}
	if outcome.ExitCode != 0 {
		line, _, _ := strings.Cut(strings.TrimSpace(output.String()), "\n")
		return "", "it does not compile: " + line, nil
	}
	return file, "", nil
}

// chooseLevel finds the level of optimisation if the binary does not say it: the one with which the functions of the source have the
// sizes that they have there; else -O2.
func (a *again) chooseLevel(ctx context.Context, binary []byte) {
	if a.compiler.Optimised {
		return
	}
	given := a.compiler.Options
	sizes := functionSizes(binary)
	for _, level := range []string{"-O2", "-O1", "-O3", "-Os", "-O0"} {
		a.compiler.Options = append(slices.Clone(given), level)
		file, why, err := a.compile(ctx, nil)
		if err != nil || why != "" {
			break
		}
		content, err := os.ReadFile(file)
		if err != nil {
			break
		}
		same := len(sizes) > 0
		for name, size := range functionSizes(content) {
			same = same && sizes[name] == size
		}
		if same {
			return
		}
	}
	a.compiler.Options = append(slices.Clone(given), "-O2")
}

// functionSizes are those of the symbol table.
func functionSizes(content []byte) map[string]uint64 {
	out := map[string]uint64{}
	m, err := image.Load("", content)
	if err != nil {
		return out
	}
	for _, s := range m.Symbols {
		if x := m.SectionAt(s.Address); s.Defined && x != nil && x.Executable && s.Size > 0 {
			out[s.Name] = s.Size
		}
	}
	return out
}

// decide decides the source, compiled again.
func (a *again) decide(ctx context.Context, b assay.Task, options []string, time time.Duration) (assay.Answer, Attempt, error) {
	out := Attempt{Options: options}
	file, why, err := a.compile(ctx, options)
	if err != nil || why != "" {
		out.Why = why
		return assay.Unknown, out, err
	}
	b.Files, b.Timeout = []string{file}, time
	b.Program.Function = function(a.task.Program.Function)
	r, err := assay.Check(ctx, b)
	if err != nil {
		return assay.Unknown, out, err
	}
	out.Answer = r.Line()
	if len(r.Reasons) > 0 {
		out.Why = r.Reasons[0].Text
	}
	return r.Answer, out, nil
}

// function is the name of a function of the source; addresses of the binary mean nothing in another one.
func function(name string) string {
	if strings.HasPrefix(name, "0x") {
		return ""
	}
	return name
}

// Line is the answer as the last line of the output has it, without RESULT:.
func (c *Comparison) Line() string {
	switch c.Verdict() {
	case Same:
		return c.Binary.Line()
	case Differs:
		return fmt.Sprintf("differ(source: %s, binary: %s)", c.Source.Line(), c.Binary.Line())
	}
	return string(assay.Unknown)
}
