package differential

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/engines/bmc"
	"assay/internal/evidence/verdict"
	"assay/internal/program/frontend"
	"assay/internal/program/ir"
)

// This file generates programs with csmith [YCER11] and checks them.

//go:embed testdata/csmith.h
var csmithHeader []byte

// csmithInclude is where csmith installs its headers.
const csmithInclude = "/usr/include/csmith"

// shapes are the options that programs are generated with, in turn. Among the
// defaults of csmith are volatiles, bit-fields, unions and jumps.
var shapes = [][]string{
	{},
	{"--max-funcs", "3", "--max-block-depth", "2", "--max-block-size", "3", "--max-expr-complexity", "5"},
	{"--packed-struct", "--max-struct-fields", "5", "--inline-function", "--max-funcs", "5"},
	{"--max-funcs", "4", "--max-block-depth", "3", "--max-array-dim", "2", "--max-array-len-per-dim", "5", "--no-volatiles"},
	{"--max-pointer-depth", "4", "--addr-taken-of-locals", "--max-funcs", "6"},
}

// Generator makes programs and checks them.
type Generator struct {
	// Options are options of csmith, in addition to those of the shape.
	Options []string
	Limits  Limits
}

// Limits bound the work on one program.
type Limits struct {
	Native    time.Duration // processor time of the compiled program
	Interpret time.Duration // of both runs together
	Steps     int64         // of each run in the interpreter
	Decide    time.Duration // of package bmc, for each of its questions; if 0, none is asked
}

// Result tells what became of a program of csmith.
type Result struct {
	Outcome
	Seed    int
	Program Program
	// ByGCC says that the program of gcc was compared, too.
	ByGCC bool
	// Checksum is what the promoted run ends with.
	Checksum uint32
	// Decided is what package bmc says to the assertion that the checksum is
	// right, Refuted to that it is not; Why are the reasons of an unknown. Refuted
	// is asked only if the answer to the other is true.
	Decided, Refuted string
	Why              []string
}

// Generate writes the program of the seed into the directory.
func (g Generator) Generate(ctx context.Context, dir string, seed int) (Program, error) {
	args := append([]string{"--no-argc", "--seed", strconv.Itoa(seed)}, shapes[seed%len(shapes)]...)
	cmd := exec.CommandContext(ctx, "csmith", append(args, g.Options...)...)
	cmd.Dir = dir // csmith leaves a file there
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	source, err := cmd.Output()
	if err != nil {
		return Program{}, fmt.Errorf("csmith: %w: %s", err, stderr.Bytes())
	}
	file := filepath.Join(dir, fmt.Sprintf("csmith%d.c", seed))
	if err := os.WriteFile(file, source, 0o644); err != nil {
		return Program{}, err
	}
	if err := os.WriteFile(filepath.Join(dir, "csmith.h"), csmithHeader, 0o644); err != nil {
		return Program{}, err
	}
	return Program{Name: filepath.Base(file), Files: []string{file}, Include: []string{csmithInclude}, ILP32: seed%2 == 1}, nil
}

// Check generates the program of the seed in the directory, and checks it.
func (g Generator) Check(ctx context.Context, dir string, seed int) (Result, error) {
	r := Result{Seed: seed}
	p, err := g.Generate(ctx, dir, seed)
	if err != nil {
		return r, err
	}
	r.Program = p
	native, why, err := Compile(ctx, p, dir, g.Limits.Native)
	if err != nil {
		return r, err
	}
	if why != "" {
		return r, fmt.Errorf("%s: %s", p.Name, why)
	}
	// Many programs of csmith do not end: those are left out at once.
	alone, err := native.Run(ctx, nil)
	if err != nil {
		return r, err
	}
	if alone.End.Kind == CutOff {
		r.Skipped = "native run cut off at the limit of time"
		return r, nil
	}
	interpreted, err := Interpret(ctx, p)
	if err != nil {
		return r, err
	}
	limited, cancel := context.WithTimeout(ctx, g.Limits.Interpret)
	defer cancel()
	if r.Outcome, err = interpreted.Compare(limited, native, 0, g.Limits.Steps); err != nil || !r.Compared {
		return r, err
	}
	if err := r.compareGCC(ctx, dir, g.Limits.Native); err != nil || r.Difference != "" {
		return r, err
	}
	seen := r.Promoted.Observed
	if len(seen) == 0 {
		r.Difference = "the program has no checksum"
		return r, nil
	}
	r.Checksum = uint32(seen[len(seen)-1].Bits)
	if g.Limits.Decide > 0 {
		err = r.decide(ctx, g.Limits.Decide)
	}
	return r, err
}

// compareGCC compares with the program that gcc makes; of 64 bits only, for gcc alone has no
// library of 32 bits.
func (r *Result) compareGCC(ctx context.Context, dir string, limit time.Duration) error {
	if r.Program.ILP32 {
		return nil
	}
	native, why, err := CompileByGCC(ctx, r.Program, dir, limit)
	if err != nil || why != "" {
		return err
	}
	run, err := native.Run(ctx, nil)
	if err != nil || run.End.Kind == CutOff {
		return err
	}
	r.Difference = difference("gcc", run, "promoted", r.Promoted)
	r.ByGCC = true
	return nil
}

// decide asks package bmc about the checksum.
func (r *Result) decide(ctx context.Context, limit time.Duration) error {
	var err error
	r.Decided, r.Why, err = r.ask(ctx, limit, "EXPECTED")
	if err == nil && r.Decided == "true" {
		r.Refuted, _, err = r.ask(ctx, limit, "REFUTED")
	}
	return err
}

// ask decides the assertion that a macro of csmith.h gives.
func (r *Result) ask(ctx context.Context, limit time.Duration, macro string) (answer string, why []string, err error) {
	p := r.Program
	p.Define = append(p.Define, fmt.Sprintf("%s=0x%Xu", macro, r.Checksum))
	program, err := frontend.Load(ctx, p.options())
	if err != nil {
		return "", nil, err
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	result := bmc.Run(limited, program.Module, bmc.Options{Targets: []ir.CheckKind{ir.Assertion}, Accept: accept.Program})
	switch v := result.Verdict.(type) {
	case verdict.True:
		return "true", nil, nil
	case verdict.False:
		return "false", nil, nil
	case verdict.Unknown:
		for _, reason := range v.Reasons {
			why = append(why, fmt.Sprintf("%v at %s", reason, program.Module.PosString(reason.Pos)))
		}
	}
	return "unknown", why, nil
}
