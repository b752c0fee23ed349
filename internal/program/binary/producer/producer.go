// Package producer tells which compiler made a binary, and with which options, as far as debugging information says
// it [DWARF 5, 3.1.1]: gcc writes its options into the name of the producer, clang its version only.
package producer

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"assay/internal/run/lazyregexp"
)

// Compiler is one that can be run.
type Compiler struct {
	// Text is what the binary says; empty if it says nothing.
	Text string
	// Command is the program that is closest to it here.
	Command string
	// Options are those that the text names and that decide about code; nil if it names none.
	Options []string
	// Optimised says that they name a level.
	Optimised bool
}

var (
	gnu   = lazyregexp.New(`^GNU C\S* (\d+)\.\S+(.*)$`)
	clang = lazyregexp.New(`clang version (\d+)\.`)
)

// ErrNone is a compiler that is not installed.
type ErrNone struct{ Compiler }

func (e *ErrNone) Error() string {
	if e.Text == "" {
		return "no C compiler is installed (gcc)"
	}
	return "the compiler is not installed: " + e.Text
}

// Of is the compiler of the unit that was made of one of the sources, or else of the first unit in C; a file
// without debugging information counts as made by gcc.
func Of(content []byte, sources []string) (Compiler, error) {
	var c Compiler
	for _, u := range units(content) {
		if c.Text == "" || slices.ContainsFunc(sources, func(s string) bool { return filepath.Base(s) == filepath.Base(u.name) }) {
			c.Text = u.producer
		}
	}
	return c.resolve(exec.LookPath)
}

// resolve finds the command.
func (c Compiler) resolve(look func(string) (string, error)) (Compiler, error) {
	commands := []string{"gcc"}
	if m := gnu.FindStringSubmatch(c.Text); m != nil {
		commands = []string{"gcc-" + m[1], "gcc"}
		for _, o := range strings.Fields(m[2]) {
			if decides(o) {
				c.Options = append(c.Options, o)
			}
			c.Optimised = c.Optimised || strings.HasPrefix(o, "-O")
		}
		if !c.Optimised { // gcc's default, which it does not write
			c.Options, c.Optimised = append(c.Options, "-O0"), true
		}
	} else if m := clang.FindStringSubmatch(c.Text); m != nil {
		commands = []string{"clang-" + m[1], "clang"}
	}
	for _, name := range commands {
		if path, err := look(name); err == nil {
			c.Command = path
			return c, nil
		}
	}
	return c, &ErrNone{c}
}

// decides says whether an option of gcc decides about code, and can be given again.
func decides(o string) bool {
	for _, prefix := range []string{"-O", "-m", "-f", "-std="} {
		if strings.HasPrefix(o, prefix) {
			return !strings.HasPrefix(o, "-fdebug") && !strings.HasPrefix(o, "-ffile-prefix") && !strings.HasPrefix(o, "-fmacro-prefix") && o != "-fpreprocessed"
		}
	}
	return false
}

type unit struct{ name, producer string }

// units are those in C; damaged information counts as none.
func units(content []byte) (out []unit) {
	defer func() {
		if recover() != nil { // debug/dwarf panics on some damaged files
			out = nil
		}
	}()
	file, err := elf.NewFile(bytes.NewReader(content))
	if err != nil {
		return nil
	}
	data, err := file.DWARF()
	if err != nil {
		return nil
	}
	for r := data.Reader(); ; r.SkipChildren() {
		e, err := r.Next()
		if err != nil || e == nil {
			return out
		}
		text, _ := e.Val(dwarf.AttrProducer).(string)
		name, _ := e.Val(dwarf.AttrName).(string)
		if e.Tag == dwarf.TagCompileUnit && (gnu.MatchString(text) || clang.MatchString(text)) {
			out = append(out, unit{name, text})
		}
	}
}
