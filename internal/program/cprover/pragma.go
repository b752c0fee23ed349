package cprover

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// This file reads the pragmas by which a program switches checks of CBMC off in a region of its text
// (https://diffblue.github.io/cbmc/, "C Bounded Model Checker"):
//
//	#pragma CPROVER check push
//	#pragma CPROVER check disable "unsigned-overflow"
//	…
//	#pragma CPROVER check pop
//
// They count by position alone: those of a header reach as far as its text, and on behind it. A pop without push
// switches nothing; what is enabled is what was disabled before.

// pragma begins such a line.
const pragma = "#pragma CPROVER check"

// Region are lines of a file, the last one included, in which a check is off.
type Region struct {
	File     string
	From, To int
	Check    string // by CBMC's name
}

// Disabled are the regions of a preprocessed program; its line markers say which lines are meant. file is the
// name until the first of them.
func Disabled(source, file string) (regions []Region) {
	if !strings.Contains(source, "#pragma CPROVER") && !strings.Contains(source, "# pragma CPROVER") {
		return nil
	}
	off := map[string]int{} // the region that is under way
	var stack []map[string]int
	line := 0
	for text := range strings.Lines(source) {
		line++
		words := strings.Fields(text)
		if len(words) > 1 && words[0] == "#" && words[1] == "pragma" {
			words = append([]string{"#pragma"}, words[2:]...)
		}
		switch {
		case len(words) > 3 && strings.Join(words[:3], " ") == pragma:
			switch names := words[4:]; words[3] {
			case "push":
				stack = append(stack, maps.Clone(off))
			case "pop":
				if n := len(stack); n > 0 {
					off = stack[n-1]
					stack = stack[:n-1]
					for name := range off {
						off[name] = -1
					}
				}
			case "disable":
				for _, name := range names {
					off[strings.Trim(name, `"`)] = -1
				}
			case "enable":
				for _, name := range names {
					delete(off, strings.Trim(name, `"`))
				}
			}
		case len(words) > 2 && words[0] == "#":
			if n, err := strconv.Atoi(words[1]); err == nil {
				if name, err := strconv.Unquote(words[2]); err == nil {
					file = name
				}
				line = n - 1
				for name := range off {
					off[name] = -1
				}
			}
		default:
			for _, name := range slices.Sorted(maps.Keys(off)) {
				if off[name] < 0 {
					off[name] = len(regions)
					regions = append(regions, Region{File: file, From: line, Check: name})
				}
				regions[off[name]].To = line
			}
		}
	}
	return regions
}
