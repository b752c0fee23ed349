package frontend

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"assay/internal/program/llvm"
)

// This file links the library models: those modules of models/ that define
// something that the program, or a module before them, declares and does not
// define. Parsing them all would cost more than the front end
// does for a small program.

// modelModules holds the modules that models/build.sh has compiled, and
// lp64/index, whose lines are a module and a symbol that it defines.
//
//go:embed models/lp64 models/ilp32
var modelModules embed.FS

// modelIndex gives the module that defines a symbol.
var modelIndex = sync.OnceValue(func() map[string]string {
	text, err := modelModules.ReadFile("models/lp64/index")
	if err != nil {
		panic("frontend: " + err.Error())
	}
	index := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if module, symbol, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			index[symbol] = module
		}
	}
	return index
})

// modelBitcode is the module of a name for a width of pointers.
func modelBitcode(module string, pointerBits uint32) ([]byte, error) {
	dataModel := "lp64"
	if pointerBits == 32 {
		dataModel = "ilp32"
	}
	return modelModules.ReadFile(fmt.Sprintf("models/%s/%s.bc", dataModel, module))
}

// modelOrder lists the modules, each before those that define what it declares:
// linking takes from a module what is declared by then, and must not come back
// to it, or its static objects would exist twice.
var modelOrder = []string{
	"fortify", "variants", "threads", "signals", "folder", "locale", "address", "account", "system", "misc", "getopt", "print", "stdio", "scan", "format", "number", "sort", "stdlib", "environment", "random", "unistd", "stream", "wchar", "time", "ctype", "string", "approximate", "math", "extended", "rounding", "memory", "errno", "runtime",
}

// linkModels links the modules that the program needs.
func linkModels(s *llvm.Session) error {
	index := modelIndex()
	skipped := ""
	if onlyPrintsNumbers(s) {
		skipped = "print" // the importer does without
	}
	undefined := s.Undefined()
	for _, module := range modelOrder {
		if module == "extended" && s.Extended() { // what is linked by now may compute with long double
			undefined = s.Undefined()
		}
		if module == skipped || !slices.ContainsFunc(undefined, func(symbol string) bool { return index[symbol] == module }) {
			continue
		}
		bitcode, err := modelBitcode(module, s.PointerBits())
		if err != nil {
			return err
		}
		if err := s.LinkLibrary("assay's models in "+module+".c", bitcode); err != nil {
			return err
		}
		undefined = s.Undefined()
	}
	return nil
}

// onlyPrintsNumbers says that printNumbers treats all calls of the functions
// that print.c models.
func onlyPrintsNumbers(s *llvm.Session) bool {
	if slices.ContainsFunc(outputTraces, s.Declares) {
		return false
	}
	for _, name := range printFunctions {
		position, ok := printFormat[name]
		if !ok {
			if s.Declares(name) {
				return false
			}
		} else if !s.CalledWith(name, position, func(format string) bool { return format != "" && !readsMemory(format) }) {
			return false
		}
	}
	return true
}
