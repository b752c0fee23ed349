package frontend

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/internal/program/llvm"
)

// This file reads a compilation database, compile_commands.json. Of each
// command only what decides the meaning of the source is taken: where headers
// are, macros, the language standard.

type compileCommand struct {
	Directory string   `json:"directory"`
	File      string   `json:"file"`
	Command   string   `json:"command"`
	Arguments []string `json:"arguments"`
}

// readCompileCommands reads a database, given by itself or by its directory.
// The empty path is no database.
func readCompileCommands(path string) ([]unit, error) {
	if path == "" {
		return nil, nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "compile_commands.json")
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, inputError(path, errors.Unwrap(err).Error())
	}
	var commands []compileCommand
	if err := json.Unmarshal(content, &commands); err != nil {
		return nil, inputError(path, "not a compilation database: "+err.Error())
	}
	var units []unit
	seen := map[string]bool{}
	for _, c := range commands {
		if !filepath.IsAbs(c.Directory) {
			c.Directory = filepath.Join(filepath.Dir(path), c.Directory)
		}
		file := c.File
		if !filepath.IsAbs(file) {
			file = filepath.Join(c.Directory, file)
		}
		if seen[file] || !isC(file) {
			continue // a source that is compiled twice is one part of the program
		}
		seen[file] = true
		args := c.Arguments
		if len(args) == 0 {
			args = shellWords(c.Command)
		}
		units = append(units, unit{file: file, flags: relevantFlags(args), directory: c.Directory})
	}
	return units, nil
}

// missing is the error about files that a database lists and that are not there, nil if there are none.
func missing(path string, units []unit) error {
	var list []string
	for _, u := range units {
		if _, err := os.Stat(u.file); err != nil {
			list = append(list, u.file)
		}
	}
	switch {
	case len(list) == 0:
		return nil
	case len(list) > 3:
		list = append(list[:3], fmt.Sprintf("%d more", len(list)-3))
	}
	err := inputError(path, "lists files that are not there: "+strings.Join(list, ", "))
	err.Hint = "configure the project again, or name the files of the program"
	return err
}

// severalPrograms is the error about a database whose files do not make one program, nil if it is something else.
func severalPrograms(path string, modules []module) error {
	var list []string
	for _, m := range modules {
		s := llvm.Open()
		if s.Read(m.name, m.content) == nil && slices.Contains(s.Provided(), "main") {
			list = append(list, m.name)
		}
		s.Close()
	}
	if len(list) < 2 {
		return nil
	}
	err := inputError(path, "describes several programs: main is defined in "+strings.Join(list, " and in "))
	err.Hint = "name the files of one program, for example assay check -p " + path + " " + list[0]
	return err
}

func isC(file string) bool {
	ext := filepath.Ext(file)
	return ext == ".c" || ext == ".i"
}

// lookup finds the entry of a file; without one, the file has no flags of its own.
func lookup(o *Options, database []unit, file string) unit {
	if absolute, err := filepath.Abs(file); err == nil {
		for _, u := range database {
			if filepath.Clean(u.file) == absolute {
				return u
			}
		}
	}
	if o.CompileCommands != "" && isC(file) {
		o.note(Note{Name: file, Text: "is not in the compilation database: it is compiled without flags of its own"})
	}
	return unit{file: file}
}

// flagsWithArgument are the flags that matter; the argument may be attached or
// follow. flagPrefixes are those without a separate argument.
var (
	flagsWithArgument = []string{"-I", "-D", "-U", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "--sysroot", "-isysroot"}
	flagPrefixes      = []string{"-std=", "-ansi", "-trigraphs", "-fsigned-char", "-funsigned-char", "-fshort-enums", "-fpack-struct", "-fgnu89-inline", "-fms-extensions", "-nostdinc"}
)

func relevantFlags(args []string) []string {
	var flags []string
next:
	for i := 1; i < len(args); i++ {
		for _, f := range flagsWithArgument {
			switch {
			case args[i] == f && i+1 < len(args):
				flags = append(flags, f, args[i+1])
				i++
				continue next
			case strings.HasPrefix(args[i], f) && args[i] != f:
				flags = append(flags, args[i])
				continue next
			}
		}
		for _, f := range flagPrefixes {
			if strings.HasPrefix(args[i], f) {
				flags = append(flags, args[i])
				continue next
			}
		}
	}
	return flags
}

// shellWords splits a command as a POSIX shell does: quotes and backslashes,
// no expansions.
func shellWords(command string) []string {
	var words []string
	var word strings.Builder
	inWord := false
	quote := byte(0)
	for i := 0; i < len(command); i++ {
		c := command[i]
		switch {
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		case quote == 0 && (c == '\'' || c == '"'):
			quote, inWord = c, true
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(command) && (quote == 0 || strings.IndexByte("\\\"$`", command[i+1]) >= 0):
			i++
			word.WriteByte(command[i])
			inWord = true
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	if inWord {
		words = append(words, word.String())
	}
	return words
}
