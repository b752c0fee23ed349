package frontend

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"assay/internal/program/cprover"
	"assay/internal/run/lazyregexp"
)

// This file compiles C with the extensions of CBMC (package cprover): the source is
// preprocessed, translated, and compiled as preprocessed C with the line markers of the
// source. A file is translated if it names one of them, or if clang's messages do, for they
// may come from a header.
//
// CBMC compares structs by == as well. Only clang knows which operands are structs: its messages
// tell where they begin and end, and they are compared byte by byte then, padding included.

// extended says whether a file has to be translated, as far as its own text tells.
func extended(u unit) bool {
	if u.model {
		return false
	}
	source, err := os.ReadFile(u.path())
	return err == nil && cprover.Concerns(string(source))
}

// mayExtend says whether messages of clang are about the extensions.
func mayExtend(text string) bool {
	return cprover.Concerns(text) || structComparison.MatchString(text) || builtinDefinition.MatchString(text)
}

// builtinDefinition is clang's message where a program has a definition of a builtin, which CBMC takes for that of
// all calls; clang calls the function without the prefix.
var builtinDefinition = lazyregexp.New(`(?m) error: definition of builtin function '(__builtin_\w+)'`)

// translate compiles a unit with extensions.
func translate(ctx context.Context, clang string, u unit, o *Options) compiled {
	source, err := preprocess(ctx, clang, u, o)
	if err != nil {
		return compiled{err: err}
	}
	r, err := cprover.Translate(source, cprover.Options{Entry: o.Function, UseContracts: o.UseContracts, Arbitrary: o.Obligation, Vacuous: o.Vacuous})
	var wrong *cprover.Error
	if errors.As(err, &wrong) {
		file, line := presumed(source, wrong.Line, u.file)
		return compiled{err: &InputError{Diagnostics: []Diagnostic{{File: file, Line: line, Severity: "error", Message: wrong.Text}}}}
	}
	text, declared := r.Text, false
	for range maxComparisons {
		out := compileText(ctx, clang, u, o, text)
		better, found := text, false
		if out.err != nil && structComparison.MatchString(out.text) {
			v := u
			v.flags = append([]string{"-fdiagnostics-print-source-range-info"}, u.flags...)
			better, found = compareStructs(compileText(ctx, clang, v, o, text).text, text)
		}
		if d := implicitDeclarations(out.text); d != "" && !declared {
			text = "# 1 \"<library>\" 3\n" + d + text
			declared = true
			continue
		}
		for _, m := range builtinDefinition.FindAllStringSubmatch(out.text, -1) {
			better = cprover.Rename(better, m[1], strings.TrimPrefix(m[1], "__builtin_"))
			found = true
		}
		if !found {
			out.contracts, out.enforced, out.disabled = r.Contracts, r.Enforced, disabledIn(source, u)
			return out
		}
		text = better
	}
	return compileText(ctx, clang, u, o, text)
}

// maxComparisons bounds the rounds in which comparisons of structs are found: clang stops at 20 errors, and
// those inside of others come later.
const maxComparisons = 50

// preprocess runs the preprocessor on a unit.
func preprocess(ctx context.Context, clang string, u unit, o *Options) (string, error) {
	run := func(flags ...string) (string, string, error) {
		v := u
		v.flags = append(slices.Clone(flags), u.flags...)
		args := arguments(v, o)
		at := slices.Index(args, "--")
		args = slices.Insert(args, at, "-E")
		out, diagnostics, outcome, err := runCompiler(ctx, clang, u.directory, args)
		switch {
		case err != nil:
			return "", "", &EnvironmentError{What: "running " + clang, Err: err}
		case outcome.Cancelled:
			return "", "", context.Cause(ctx)
		case outcome.ExitCode != 0:
			text := string(diagnostics)
			return "", text, &InputError{Text: text, Diagnostics: parseDiagnostics(text), Hint: missingHeader(text, o.DataModel)}
		}
		return string(out), "", nil
	}
	source, text, err := run()
	if err != nil && wantsHeader(text) {
		folder, err := WriteHeader()
		if err != nil {
			return "", err
		}
		defer os.RemoveAll(folder)
		source, _, err = run("-idirafter", folder)
		return source, err
	}
	return source, err
}

// compileText compiles preprocessed C, which stands for a unit.
func compileText(ctx context.Context, clang string, u unit, o *Options, text string) compiled {
	f, err := os.CreateTemp("", "assay-*.i")
	if err != nil {
		return compiled{err: &EnvironmentError{What: "writing a translated program", Err: err}}
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return compiled{err: &EnvironmentError{What: "writing a translated program", Err: err}}
	}
	u.file = f.Name()
	u.flags = append([]string{"-Wno-parentheses-equality", "-Wno-unused-value", "-Wno-unused-comparison", "-Wno-incompatible-pointer-types-discards-qualifiers", "-fno-caret-diagnostics"}, u.flags...)
	out := runClang(ctx, clang, u, o)
	return out
}

// path is the file of a unit, as this process finds it.
func (u *unit) path() string {
	if u.directory == "" || strings.HasPrefix(u.file, "/") {
		return u.file
	}
	return u.directory + "/" + u.file
}

var structComparison = lazyregexp.New(`(?m):(?:\{(\d+):(\d+)-(\d+):(\d+)\}\{(\d+):(\d+)-(\d+):(\d+)\}:)? error: invalid operands to binary expression \('(.*)' and '(.*)'\)$`)

// compareStructs rewrites the comparisons of structs that clang's messages tell of, the last one first. It
// says whether there was one.
func compareStructs(messages, source string) (string, bool) {
	type edit struct{ a, b, c, d int }
	var edits []edit
	starts := lineStarts(source)
	for line := range strings.Lines(messages) {
		m := structComparison.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil || strings.TrimPrefix(m[9], "const ") != strings.TrimPrefix(m[10], "const ") {
			continue
		}
		var n [8]int
		ok := true
		for i := range n {
			v, err := strconv.Atoi(m[i+1])
			n[i], ok = v, ok && err == nil
		}
		offset := func(row, col int) int {
			if row < 1 || row > len(starts) {
				ok = false
				return 0
			}
			return starts[row-1] + col - 1
		}
		e := edit{offset(n[0], n[1]), offset(n[2], n[3]), offset(n[4], n[5]), offset(n[6], n[7])}
		if ok && e.a < e.b && e.b <= e.c && e.c < e.d && e.d <= len(source) {
			edits = append(edits, e)
		}
	}
	slices.SortFunc(edits, func(x, y edit) int { return y.a - x.a })
	found := false
	limit := len(source)
	for _, e := range edits {
		if e.d > limit {
			continue // inside of another one
		}
		operator := strings.TrimSpace(source[e.b:e.c])
		if operator != "==" && operator != "!=" {
			continue
		}
		same := fmt.Sprintf("({ int memcmp(const void *, const void *, __SIZE_TYPE__); __auto_type cprover_a = (%s); __auto_type cprover_b = (%s); memcmp(&cprover_a, &cprover_b, sizeof cprover_a) %s 0; })",
			source[e.a:e.b], source[e.c:e.d], operator)
		source = source[:e.a] + same + source[e.d:]
		limit, found = e.a, true
	}
	return source, found
}

// lineStarts are the offsets of the lines.
func lineStarts(s string) []int {
	out := []int{0}
	for i := range len(s) {
		if s[i] == '\n' {
			out = append(out, i+1)
		}
	}
	return out
}

var lineMarker = lazyregexp.New(`^#\s*(?:line\s+)?(\d+)\s+"((?:[^"\\]|\\.)*)"`)

// presumed is the file and line that the line markers of preprocessed C give to a line.
func presumed(source string, row int, file string) (string, int) {
	n, at := 0, 0
	for line := range strings.Lines(source) {
		if n++; n > row {
			break
		}
		at++
		if m := lineMarker.FindStringSubmatch(line); m != nil {
			at, _ = strconv.Atoi(m[1])
			at--
			file = m[2]
		}
	}
	return file, at
}
