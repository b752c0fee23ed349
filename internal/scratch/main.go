package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime/pprof"
	"time"

	"assay/internal/bmc"
	"assay/internal/frontend"
	"assay/internal/ir"
	"assay/internal/verdict"
)

func main() {
	prop := flag.String("p", "unreach-call", "")
	dm := flag.String("m", "LP64", "")
	print := flag.Bool("ir", false, "")
	cert := flag.Bool("c", false, "")
	prof := flag.String("prof", "", "")
	to := flag.Duration("t", 10*time.Second, "")
	flag.Parse()
	if *prof != "" {
		f, _ := os.Create(*prof)
		pprof.StartCPUProfile(f)
		defer pprof.StopCPUProfile()
	}
	t0 := time.Now()
	model := frontend.LP64
	if *dm == "ILP32" {
		model = frontend.ILP32
	}
	p, err := frontend.Load(context.Background(), frontend.Options{Files: flag.Args(), DataModel: model})
	if err != nil {
		fmt.Println(err)
		fmt.Println("RESULT: error")
		os.Exit(3)
	}
	load := time.Since(t0)
	if *print {
		fmt.Println(ir.Print(p.Module))
	}
	var targets []ir.CheckKind
	switch *prop {
	case "unreach-call":
		targets = []ir.CheckKind{ir.Assertion}
	case "unreach-label":
		targets = []ir.CheckKind{ir.ErrorLabel}
	case "no-overflow":
		targets = []ir.CheckKind{ir.Overflow}
	case "valid-memsafety":
		targets = []ir.CheckKind{ir.InvalidDeref, ir.InvalidFree}
	}
	ctx, cancel := context.WithTimeout(context.Background(), *to)
	defer cancel()
	r := bmc.Run(ctx, p.Module, bmc.Options{Targets: targets, Certify: *cert})
	s := r.Stats
	fmt.Printf("load %v encode %v solve %v replay %v certify %v rounds %d depth %d instr %d terms %d clauses %d checks %d conflicts %d\n", load, s.Encode, s.Solve, s.Replay, s.Certify, s.Rounds, s.Depth, s.Instructions, s.Terms, s.Solver.Clauses, s.Solver.Checks, s.Solver.Conflicts)
	switch v := r.Verdict.(type) {
	case verdict.True:
		fmt.Println("RESULT: true")
	case verdict.False:
		fmt.Println(v.Violation, "passes", v.Passes, len(v.Input.Choices))
		fmt.Println("RESULT: false")
	case verdict.Unknown:
		for _, r := range v.Reasons {
			fmt.Println(r, r.Func, r.Pos)
		}
		fmt.Println("RESULT: unknown")
	}
}
