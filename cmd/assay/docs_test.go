package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// This file keeps what people read true: the sessions of README.md are run, and the commands and flags that the documents
// name are looked up.

const root = "../../"

// session is a command that a document shows, and what it prints.
type session struct {
	line    string
	args    []string
	printed []string
}

// sessions are the commands behind "$ " in the blocks of a document.
func sessions(text string) []session {
	var list []session
	inside, open := false, false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "```"):
			inside, open = !inside, false
		case inside && strings.HasPrefix(line, "$ "):
			list = append(list, session{line: line[2:], args: shellWords(line[2:])})
			open = true
		case open:
			s := &list[len(list)-1]
			s.printed = append(s.printed, line)
		}
	}
	return list
}

// shellWords splits a line of a shell at blanks outside of single quotes, up to a comment.
func shellWords(line string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`'[^']*'|"[^"]*"|\S+`).FindAllString(line, -1) {
		if strings.HasPrefix(m, "#") {
			break
		}
		out = append(out, strings.Trim(m, `'"`))
	}
	return out
}

// varying are parts of an output that differ from run to run.
var varying = regexp.MustCompile(`\d+\.\d s|0x[0-9a-f]+`)

// same says whether an output is the one that is shown; a line "..." stands for any lines.
func same(shown, printed []string) bool {
	switch {
	case len(shown) == 0:
		return len(printed) == 0
	case shown[0] == "...":
		for i := range len(printed) + 1 {
			if same(shown[1:], printed[i:]) {
				return true
			}
		}
		return false
	case len(printed) == 0:
		return false
	}
	return varying.ReplaceAllString(shown[0], "N") == varying.ReplaceAllString(printed[0], "N") && same(shown[1:], printed[1:])
}

// TestSessions: each command that README.md and docs/use.md show prints what they say.
func TestSessions(t *testing.T) {
	var list []session
	for _, name := range []string{"README.md", "docs/use.md"} {
		text, err := os.ReadFile(root + name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, sessions(string(text))...)
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS(root+"examples")); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "cmd/assay/testdata/scan"), os.DirFS("testdata/scan")); err != nil {
		t.Fatal(err)
	}
	if len(list) < 10 {
		t.Fatalf("%d commands are shown", len(list))
	}
	for _, s := range list {
		t.Run(s.line, func(t *testing.T) {
			if s.args[0] != "assay" { // a compiler
				cmd := exec.CommandContext(t.Context(), s.args[0], s.args[1:]...)
				cmd.Dir = dir
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				return
			}
			cmd, stdout, stderr := command(t.Context(), s.args[1:]...)
			cmd.Dir = dir
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			o := finish(t, cmd, stdout, stderr)
			printed := strings.Split(strings.TrimRight(o.stdout, "\n"), "\n")
			if shown := strings.Split(strings.TrimRight(strings.Join(s.printed, "\n"), "\n"), "\n"); !same(shown, printed) {
				t.Errorf("the document shows\n%s\nit prints\n%s%s", strings.Join(shown, "\n"), o.stdout, o.stderr)
			}
		})
	}
}

// flagName finds the long flags in a line.
var flagName = regexp.MustCompile(`(?:^|[\s` + "`" + `(\[/])--([a-z][a-z0-9-]*)`)

// TestNamedFlags: the commands and flags that documents and lines of commands name exist.
func TestNamedFlags(t *testing.T) {
	top := rootCommand(nil)
	every := map[string]bool{"help": true, "version": true}
	var collect func(c *cobra.Command)
	collect = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) { every[f.Name] = true })
		c.PersistentFlags().VisitAll(func(f *pflag.Flag) { every[f.Name] = true })
		for _, s := range c.Commands() {
			collect(s)
		}
	}
	collect(top)
	files, err := filepath.Glob(root + "docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, root+"README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			n++
			at := func(format string, args ...any) {
				t.Helper()
				t.Errorf("%s:%d: "+format, append([]any{filepath.Base(file), n}, args...)...)
			}
			for _, m := range flagName.FindAllStringSubmatch(line, -1) {
				if !every[strings.TrimSuffix(m[1], "-")] && !slices.Contains(foreignFlags, m[1]) {
					at("no command has the flag --%s", m[1])
				}
			}
			args := shellWords(strings.TrimPrefix(strings.TrimSpace(line), "$ "))
			if len(args) < 2 || args[0] != "assay" || !regexp.MustCompile(`^[a-z0-9]+$`).MatchString(args[1]) {
				continue
			}
			c, rest, err := top.Find(args[1:])
			if err != nil || c == top {
				continue // prose
			}
			for _, a := range rest {
				if a == "--" {
					break // what is behind is for another command
				}
				name, isFlag := strings.CutPrefix(a, "--")
				name, _, _ = strings.Cut(name, "=")
				if isFlag && name != "help" && c.Flag(name) == nil && c.InheritedFlags().Lookup(name) == nil {
					at("%s has no flag --%s", c.CommandPath(), name)
				}
			}
		}
	}
}

// foreignFlags are flags of other programs that documents name.
var foreignFlags = []string{"incremental"}
