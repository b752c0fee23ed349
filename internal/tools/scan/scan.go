package scan

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"assay"
	"assay/internal/program/frontend"
	"assay/internal/program/harness"
	"assay/internal/user/property"
	"assay/internal/user/spell"
)

// Options say what is scanned, and how.
type Options struct {
	// Paths are folders, C files and compilation databases; none is the folder where we are.
	Paths []string
	// Root is what Exclude and the tables of assay.toml are relative to; empty is the folder that the paths have in common.
	Root string
	// Program says how all files are compiled, and what runs may do.
	Program    assay.Program
	Properties []assay.Property
	// Timeout bounds the time that passes, FunctionTimeout the processor time of each question about a function, and Effort the processor time
	// for 1,000 lines; leastEffort is what every scan may take. Zero does not bound. Memory bounds each worker.
	FunctionTimeout, Timeout, Effort time.Duration
	Memory                           uint64
	Jobs                             int // workers, 0 is one for each processor
	// Since is a revision of git: only functions that have changed since are looked at.
	Since                     string
	Exclude, ExcludeFunctions []string
	Functions                 []string // if there are any, only these
	Stubs                     []string
	Arguments                 map[string]Arguments
	Suppress                  []Suppress
	// Summary asks each function once, and does not ask what violations are worth.
	Summary bool
	// Continue goes on with functions that an earlier scan with the same limits has left open.
	Continue bool
	// Cache is the folder of the cache; empty keeps nothing.
	Cache string
	// Progress, if not nil, is told how far the scan is, from one goroutine at a time.
	Progress func(Progress)
}

// Progress is how far a scan is.
type Progress struct {
	Phase          string
	Done, All      int
	Findings       int
	Function       string
	Elapsed, Until time.Duration
}

// Default is what is asked if nothing is said: what costs little.
var Default = []assay.Property{assay.ValidDeref, assay.ValidFree, assay.NoOverflow, assay.DivByZero, assay.Shift, assay.UnreachCall}

// Default limits.
const (
	DefaultTimeout         = 4 * time.Minute
	DefaultFunctionTimeout = 10 * time.Second
	DefaultEffort          = 45 * time.Second
	DefaultMemory          = 2 << 30
)

// leastEffort is the processor time that a scan may take, however small the project.
const leastEffort = 30 * time.Second

// target is a function to look at.
type target struct {
	name string
	unit int
	def  *frontend.Definition
	link []frontend.Linked
	key  string
	// made is how the structures that it gets are made, and madeLink what is linked then.
	made     []harness.Making
	madeLink []frontend.Linked
	// internal says that only the project itself calls it, allocates that it allocates.
	internal, allocates bool
	answer              *answer
	cached              bool
	// left says that more time may tell more of it.
	left bool
}

// scanner is one run.
type scanner struct {
	o       *Options
	begin   time.Time
	looking time.Time // when workers began
	cache   *cache
	project *project
	report  *Report

	units   []*frontend.Unit // nil where a file does not compile
	keys    []string
	targets []*target

	mu       sync.Mutex
	done     int
	findings int
	used     time.Duration // processor time of workers
	mains    int           // functions of this name that are looked at
	// compiling is the processor time of the compiler.
	compiling time.Duration
}

// Run scans. The error is an *assay.InputError or an *assay.EnvironmentError; when the context or the time ends, the report is about
// what was looked at.
func Run(ctx context.Context, o Options) (*Report, error) {
	s := &scanner{o: &o, begin: time.Now()}
	if o.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
	}
	if o.Program.Models != "" {
		o.Program.Models = absolute(o.Program.Models) // workers are in the folder that is scanned
	}
	if o.Jobs <= 0 {
		o.Jobs = runtime.NumCPU()
	}
	if len(o.Properties) == 0 {
		o.Properties = Default
	}
	for _, p := range o.Properties {
		if p == assay.Termination || p == assay.LTL || !p.Decidable() {
			return nil, &assay.InputError{Message: "scan does not ask for " + string(p), Hint: "use assay check --property " + string(p) + " --function f"}
		}
	}
	project, err := findProject(&o)
	if err != nil {
		return nil, err
	}
	s.project = project
	s.report = &Report{Tool: assay.Name, Version: assay.Version(), Root: project.root, Properties: o.Properties, Findings: []Finding{}, Suppressed: []Finding{}, Functions: []Function{}, Files: []File{}, Problems: []Problem{}}
	folder := o.Cache
	if folder == "" {
		temporary, err := os.MkdirTemp("", "assay-scan-")
		if err != nil {
			return nil, &assay.EnvironmentError{Doing: "making a temporary folder", Err: err}
		}
		defer os.RemoveAll(temporary)
		folder = temporary
	}
	if s.cache, err = openCache(folder); err != nil {
		return nil, &assay.EnvironmentError{Doing: "opening the cache", Err: err, Hint: "another folder can be given with --cache, and --no-cache does without"}
	}
	var changed map[string][]lineRange
	if o.Since != "" {
		if changed, err = changedSince(ctx, project.root, o.Since); err != nil {
			return nil, err
		}
	}
	before := usedBy(syscall.RUSAGE_CHILDREN)
	if err := s.compile(ctx); err != nil {
		return nil, err
	}
	models, err := frontend.ModelsDigest(ctx, s.modelOptions())
	if err != nil {
		return nil, inputError(err)
	}
	s.compiling = usedBy(syscall.RUSAGE_CHILDREN) - before // no worker has begun
	graph, err := s.choose(changed, models)
	if err != nil {
		return nil, err
	}
	if err := s.misspelt(); err != nil {
		return nil, err
	}
	s.countLines()
	if err := s.look(ctx); err != nil {
		return nil, err
	}
	s.finish(ctx, graph)
	return s.report, nil
}

func (s *scanner) tell(phase, function string, all int) {
	if s.o.Progress != nil {
		s.o.Progress(Progress{Phase: phase, Done: s.done, All: all, Findings: s.findings, Function: function, Elapsed: time.Since(s.begin), Until: s.o.Timeout})
	}
}

// compileOptions are what files are compiled with.
func (s *scanner) compileOptions() frontend.Options {
	p := &s.o.Program
	o := frontend.Options{Include: p.Include, Define: p.Define, Undef: p.Undefine, Std: p.Std, ExtraArgs: append([]string{"-Wno-unused-command-line-argument"}, p.Arguments...)}
	o.Requested = frontend.OnRequest(property.Kinds(s.o.Properties...))
	for i, x := range o.Include {
		o.Include[i] = absolute(x)
	}
	if p.DataModel == assay.ILP32 {
		o.DataModel = frontend.ILP32
	}
	return o
}

// headerFolders are those in which the compiler of a file looks for headers.
func (s *scanner) headerFolders(src *source, o *frontend.Options) []string {
	return slices.Concat(o.Include, foldersOf(src.Flags, src.Directory), foldersOf(o.ExtraArgs, src.Directory), frontend.HeaderFolders())
}

// compile compiles the files, as many at a time as there are processors.
func (s *scanner) compile(ctx context.Context) error {
	n := len(s.project.sources)
	s.units, s.keys = make([]*frontend.Unit, n), make([]string, n)
	errs := make([]error, n)
	o := s.compileOptions()
	compiler := frontend.Compiler()
	slots := make(chan struct{}, s.o.Jobs)
	var group sync.WaitGroup
	for i := range s.project.sources {
		group.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			src := &s.project.sources[i]
			key := s.cache.key("unit", src.Source, o.Include, o.Define, o.Undef, o.Std, o.ExtraArgs, o.DataModel, o.Requested, compiler)
			if stored := s.cache.unit(key); stored != nil {
				s.units[i], s.keys[i] = &stored.Unit, key
			} else if u, err := s.project.compile(ctx, src, o); err != nil {
				errs[i] = err
			} else if err := s.cache.putUnit(key, u, src.Flags, s.headerFolders(src, &o)); err != nil {
				errs[i] = &assay.EnvironmentError{Doing: "writing to the cache", Err: err}
			} else {
				s.units[i], s.keys[i] = u, key
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			s.done++
			s.tell("compiling", src.File, n)
		})
	}
	group.Wait()
	s.done = 0
	for i, src := range s.project.sources {
		var environment *frontend.EnvironmentError
		var ours *assay.EnvironmentError
		switch {
		case errors.As(errs[i], &environment):
			return inputError(errs[i])
		case errors.As(errs[i], &ours):
			return errs[i]
		}
		if src.stub && errs[i] == nil {
			continue
		}
		f := File{Path: src.File}
		if errs[i] != nil && ctx.Err() == nil {
			f.Error = strings.TrimSpace(errs[i].Error())
		}
		s.report.Files = append(s.report.Files, f)
	}
	return nil
}

// modelOptions are what the models of the user are compiled with.
func (s *scanner) modelOptions() frontend.Options {
	o := s.compileOptions()
	o.Models = s.o.Program.Models
	return o
}

// choose finds the functions to look at, and who calls whom.
func (s *scanner) choose(changed map[string][]lineRange, models string) (*callGraph, error) {
	var units []*frontend.Unit
	var index []int // in s.units
	for i, u := range s.units {
		if u != nil {
			units, index = append(units, u), append(index, i)
		}
	}
	whole := frontend.NewProject(units)
	type place struct {
		file, name string
		line       int
	}
	seen := map[place]int{}
	number := map[[2]string]int{} // by unit's file and name
	for i, u := range units {
		if s.project.sources[index[i]].stub {
			continue
		}
		for k := range u.Definitions {
			d := &u.Definitions[k]
			at := place{d.File, d.Name, d.Line}
			if !d.Function || d.Line == 0 || !strings.HasPrefix(d.File, s.project.root+"/") || s.o.excludes(s.project.root, d.File) {
				continue
			}
			if n, ok := seen[at]; ok {
				number[[2]string{u.File, d.Name}] = n
				continue
			}
			seen[at] = len(s.targets)
			number[[2]string{u.File, d.Name}] = len(s.targets)
			s.targets = append(s.targets, &target{name: d.Name, unit: i, def: d})
		}
	}
	graph := &callGraph{callers: make([][]int, len(s.targets)), open: make([]bool, len(s.targets))}
	reached := make([]frontend.Reached, len(s.targets))
	for n, t := range s.targets {
		r, err := whole.Reach(frontend.Named{Unit: t.unit, Name: t.name})
		if err != nil {
			t.answer = &answer{Answer: assay.Unknown, Open: s.o.Properties, Reasons: []assay.Reason{{Cause: "unsupported", Text: err.Error()}}}
		}
		t.link, reached[n] = r.Link, r
		for _, used := range t.def.Uses {
			if u := whole.UnitOf(t.unit, used); u != nil {
				if m, ok := number[[2]string{u.File, used}]; ok && m != n && !slices.Contains(graph.callers[m], n) {
					graph.callers[m] = append(graph.callers[m], n)
				}
			}
		}
	}
	for n, t := range s.targets {
		graph.open[n] = t.def.Address || !s.isStatic(units[t.unit], t.name)
	}
	graph.findRoots(func(n int) bool { return s.targets[n].name == "main" }, func(n int) bool { return s.isStatic(units[s.targets[n].unit], s.targets[n].name) })
	life := lifeOf(s.targets, reached)
	allocating := allocates(s.targets, reached, graph.callees())
	for n, t := range s.targets {
		t.internal, t.allocates = !graph.root[n], allocating[n]
		digests := [][]string{reached[n].Digests}
		made, by := life.makings(t, func(m *target) bool { return s.isStatic(units[m.unit], m.name) })
		if len(made) > 0 {
			roots := []frontend.Named{{Unit: t.unit, Name: t.name}}
			for _, m := range by {
				roots = append(roots, frontend.Named{Unit: m.unit, Name: m.name})
			}
			if r, err := whole.Reach(roots...); err == nil { // else a name stands for two things
				t.made, t.madeLink = made, r.Link
				digests = append(digests, r.Digests)
			}
		}
		t.key = s.cache.key("answer", t.name, t.internal, t.allocates, digests, t.made, s.o.Summary, told(t.link), told(t.madeLink), models, s.o.Properties, s.o.Memory, s.program(t.name))
	}
	for _, t := range s.targets {
		skip := changed != nil && !touches(changed[t.def.File], t.def.Line, t.def.End)
		skip = skip || s.o.Arguments[t.name].Skip
		skip = skip || len(s.o.Functions) > 0 && !matchesAny(s.o.Functions, t.name)
		skip = skip || matchesAny(s.o.ExcludeFunctions, t.name)
		if skip {
			t.link = nil
		}
	}
	return graph, nil
}

// misspelt is the error of a name of Options.Functions that no function has: nothing would be looked at, and nothing found. A file that
// does not compile may have it.
func (s *scanner) misspelt() error {
	names := make([]string, len(s.targets))
	for i, t := range s.targets {
		names[i] = t.name
	}
	for _, pattern := range s.o.Functions {
		if slices.ContainsFunc(names, func(n string) bool { return matchesAny([]string{pattern}, n) }) || slices.ContainsFunc(s.report.Files, func(f File) bool { return f.Error != "" }) {
			continue
		}
		err := &assay.InputError{Message: fmt.Sprintf("no function of the project is named %s", pattern), Hint: "--function takes a name, or a pattern such as 'parse_*'"}
		if near := spell.Nearest(pattern, names); near != "" {
			err.Hint = fmt.Sprintf("did you mean %s?", near)
		}
		return err
	}
	return nil
}

// countLines counts those of the files that are compiled, and of the headers that have functions.
func (s *scanner) countLines() {
	seen := map[string]bool{}
	count := func(path string) {
		if text, err := os.ReadFile(path); err == nil && !seen[path] {
			seen[path] = true
			s.report.Lines += bytes.Count(text, []byte("\n"))
		}
	}
	for i := range s.report.Files {
		count(s.report.Files[i].Path)
	}
	for _, t := range s.targets {
		count(t.def.File)
	}
}

// told is what the units say of functions without body, and of checks, for the key of an answer.
func told(link []frontend.Linked) []any {
	var list []any
	for _, l := range link {
		list = append(list, l.Unit.Declared, l.Unit.Told())
	}
	return list
}

func (s *scanner) isStatic(u *frontend.Unit, name string) bool {
	return !slices.Contains(u.Provided, name)
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { ok, _ := doublestar.Match(p, name); return ok })
}

// program is what is asked about a function, but for the program itself.
func (s *scanner) program(function string) assay.Program {
	p := s.o.Program
	p.CompileCommands = ""
	if a, ok := s.o.Arguments[function]; ok {
		_ = a.apply(function, &p) // was checked before
	}
	return p
}

// finish makes the report.
func (s *scanner) finish(ctx context.Context, graph *callGraph) {
	r := s.report
	missing := 0
	count := map[string]int{}
	sup := &suppressor{root: s.project.root, byFile: map[string][]ignore{}, tables: s.o.Suppress, starts: map[string]map[int]string{}}
	for _, t := range s.targets {
		if sup.starts[t.def.File] == nil {
			sup.starts[t.def.File] = map[int]string{}
			list, problems := ignores(t.def.File)
			sup.byFile[t.def.File] = list
			r.Problems = append(r.Problems, problems...)
		}
		sup.starts[t.def.File][t.def.Line] = t.name
		if t.link == nil && t.answer == nil {
			continue
		}
		f := Function{Name: t.name, Pos: assay.Position{File: t.def.File, Line: t.def.Line}, Answer: assay.Unknown, Open: s.o.Properties, Proved: []assay.Property{}, Assumptions: []string{}, Cached: t.cached}
		if a := t.answer; a != nil {
			f.Answer, f.Reasons, f.Seconds, f.Failed = a.Answer, a.Reasons, a.Seconds, a.Failed
			f.By = a.By
			f.Proved, f.Open, f.Assumptions = notNil(a.Proved), notNil(a.Open), notNil(a.Assumptions)
		} else {
			missing++
			f.Reasons = []assay.Reason{{Cause: "timeout", Text: "the scan ended before"}}
		}
		if t.cached {
			r.Cached++
		}
		if t.left {
			r.Left++
		}
		count[t.def.File]++
		r.Functions = append(r.Functions, f)
	}
	for i := range r.Files {
		r.Files[i].Functions = count[r.Files[i].Path]
		delete(count, r.Files[i].Path)
	}
	for path, n := range count { // headers
		r.Files = append(r.Files, File{Path: path, Functions: n})
	}
	slices.SortFunc(r.Files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortStableFunc(r.Functions, func(a, b Function) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line))
	})
	slices.SortFunc(r.Problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line))
	})
	for _, f := range merge(r.Root, s.targets, graph) {
		if f.Suppressed = sup.of(&f); f.Suppressed != nil {
			r.Suppressed = append(r.Suppressed, f)
		} else {
			r.Findings = append(r.Findings, f)
		}
	}
	r.Findings = spread(fold(r.Findings))
	if r.Missed = missing; missing > 0 {
		r.Stopped = "interrupted"
		if ctx.Err() == nil || errors.Is(ctx.Err(), context.DeadlineExceeded) {
			r.Stopped = "timeout"
		}
	}
	r.count()
	r.Seconds, r.CPU = time.Since(s.begin).Seconds(), processorTime().Seconds()
}

func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// processorTime is that of this process, and of those that it has waited for.
func processorTime() time.Duration {
	return usedBy(syscall.RUSAGE_SELF) + usedBy(syscall.RUSAGE_CHILDREN)
}

// usedBy is the processor time of this process, or of those that it has waited for.
func usedBy(who int) time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(who, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// CacheFolder is where the cache is by default.
func CacheFolder() (string, error) {
	folder, err := os.UserCacheDir()
	if err != nil {
		return "", &assay.EnvironmentError{Doing: "looking for the folder of caches", Err: err, Hint: "name one with --cache, or use --no-cache"}
	}
	return filepath.Join(folder, "assay", "scan"), nil
}

// relative is a place for people.
func (r *Report) relative(p assay.Position) string {
	p.File = relativeTo(r.Root, p.File)
	return fmt.Sprint(p)
}
