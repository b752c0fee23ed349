// Package stackusage says how much stack the functions of a program take: the sizes of frames come from the
// compiler (-fstack-usage), or of a binary from who lifts it, what may be active at a time from the call graph.
//
//	measure.go  sizes of frames       chain.go  the deepest chain of calls
//
// A size includes the return address. gcc counts it, clang does not; neither optimises here (-O0), so that the
// functions of the program are those of the module. What leaf functions put below the stack pointer, in
// the red zone, is counted, for there is none in what is measured. Functions without a size, those of the
// library, are named and not counted.
package stackusage

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"assay/internal/program/target"
	"assay/internal/run/process"
)

// Frames are the sizes of the frames of functions.
type Frames struct {
	Compiler string // and its flags, for people
	Bytes    map[string]int64
	// Dynamic are functions whose frames have no constant size: they have arrays of variable length, or call alloca.
	Dynamic map[string]bool
}

// ErrCompiler says that no compiler told sizes.
var ErrCompiler = errors.New("no compiler says the sizes of stack frames")

// Measure compiles C files. Flags are those of the preprocessor, as clang and gcc take them.
func Measure(ctx context.Context, files, flags []string, ilp32 bool) (*Frames, error) {
	type compiler struct {
		name  string
		flags []string
		more  int64 // that it does not count
	}
	word := int64(8)
	if ilp32 {
		word = 4
	}
	var choices []compiler
	if !ilp32 {
		choices = append(choices, compiler{"gcc", []string{"-O0", "-mno-red-zone"}, 0})
	}
	choices = append(choices, compiler{"clang-19", append([]string{"-O0", "-mno-red-zone"}, target.Flags(ilp32)...), word})
	why := ErrCompiler
	for _, c := range choices {
		path, err := exec.LookPath(c.name)
		if err != nil {
			continue
		}
		f := &Frames{Compiler: c.name + " " + strings.Join(c.flags, " "), Bytes: map[string]int64{}, Dynamic: map[string]bool{}}
		err = nil
		for _, file := range files {
			if err = f.compile(ctx, path, file, append(c.flags, flags...), c.more); err != nil {
				why = err
				break
			}
		}
		if err == nil {
			return f, nil
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, why
}

// compile reads what the compiler writes beside the object file.
func (f *Frames) compile(ctx context.Context, path, file string, flags []string, more int64) error {
	if e := filepath.Ext(file); e != ".c" && e != ".i" {
		return fmt.Errorf("%s: the sizes of stack frames are asked for of C files", file)
	}
	dir, err := os.MkdirTemp("", "assay-stack")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	object := filepath.Join(dir, "frames.o")
	cmd := exec.Command(path, append(append([]string{"-w", "-fstack-usage", "-fno-stack-protector", "-c", "-o", object}, flags...), file)...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := process.Run(ctx, cmd, process.Limits{})
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case out.ExitCode != 0:
		first, _, _ := strings.Cut(complaint.String(), "\n")
		return fmt.Errorf("%w: %s: %s", ErrCompiler, filepath.Base(path), first)
	}
	text, err := os.ReadFile(filepath.Join(dir, "frames.su"))
	if err != nil {
		return err
	}
	return f.parse(text, more)
}

// parse reads lines "file:line:column:function size kind", with tabs between the fields; clang leaves out the column.
func (f *Frames) parse(text []byte, more int64) error {
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) != 3 {
			return fmt.Errorf("a line about stack frames with %d fields: %q", len(fields), lines.Text())
		}
		name := fields[0][strings.LastIndexByte(fields[0], ':')+1:]
		n, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil || n < 0 {
			return fmt.Errorf("a stack frame of %s bytes", fields[1])
		}
		f.Bytes[name] = max(f.Bytes[name], n+more) // static functions of several files may share a name
		switch fields[2] {
		case "static", "dynamic,bounded":
		default:
			f.Dynamic[name] = true
		}
	}
	return lines.Err()
}

// Format lists functions with the sizes of their frames.
func (f *Frames) Format(functions []string) string {
	parts := make([]string, len(functions))
	for i, name := range functions {
		parts[i] = fmt.Sprintf("%s %d", name, f.Bytes[name])
	}
	return strings.Join(parts, ", ")
}
