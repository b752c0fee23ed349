package scan

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"assay"
	"assay/internal/run/lazyregexp"
)

// This file asks git what has changed since a commit, in the files as they are now.

// lineRange is from one line to another, both included.
type lineRange struct{ first, last int }

var hunk = lazyregexp.New(`^@@ -\S+ \+(\d+)(?:,(\d+))? @@`)

// changedSince are the ranges of changed lines, by file. Files that git does not know are changed as a whole.
func changedSince(ctx context.Context, root, revision string) (map[string][]lineRange, error) {
	if strings.HasPrefix(revision, "-") {
		return nil, &assay.InputError{Message: fmt.Sprintf("%q is no revision", revision)}
	}
	git := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, "git", append([]string{"-C", root, "-c", "core.quotePath=false"}, args...)...)
		var out, problem bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &problem
		if err := cmd.Run(); err != nil {
			text := strings.TrimSpace(problem.String())
			if text == "" {
				text = err.Error()
			}
			return nil, &assay.InputError{Message: "--since " + revision + ": git: " + text, Hint: "name a commit, tag or branch of the repository that the project is in"}
		}
		return out.Bytes(), nil
	}
	top, err := git("rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	base := strings.TrimSpace(string(top))
	diff, err := git("diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-prefix", revision, "--")
	if err != nil {
		return nil, err
	}
	changed := parseDiff(base, string(diff))
	fresh, err := git("ls-files", "--others", "--exclude-standard", "--full-name", "--", base)
	if err != nil {
		return nil, err
	}
	for file := range strings.Lines(string(fresh)) {
		changed[filepath.Join(base, strings.TrimSpace(file))] = []lineRange{{1, 1 << 30}}
	}
	return changed, nil
}

// parseDiff reads a diff without context and without prefixes of paths.
func parseDiff(base, diff string) map[string][]lineRange {
	changed := map[string][]lineRange{}
	file := ""
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\r\n")
		if path, ok := strings.CutPrefix(line, "+++ "); ok {
			file = filepath.Join(base, strings.TrimSuffix(path, "\t"))
			continue
		}
		if m := hunk.FindStringSubmatch(line); m != nil {
			first, _ := strconv.Atoi(m[1])
			count := 1
			if m[2] != "" {
				count, _ = strconv.Atoi(m[2])
			}
			// Where lines were only removed, the lines around count.
			changed[file] = append(changed[file], lineRange{first, first + max(count-1, 1-min(count, 1))})
		}
	}
	return changed
}

// touches says whether one of the ranges meets the lines.
func touches(list []lineRange, first, last int) bool {
	for _, r := range list {
		if r.first <= last && first <= r.last {
			return true
		}
	}
	return false
}
