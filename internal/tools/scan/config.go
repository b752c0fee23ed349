package scan

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/pelletier/go-toml/v2"

	"assay"
)

// This file reads assay.toml (docs/scan.md). It stands in the folder that is scanned or in one above
// it. Flags go before it.

// ConfigName is the name of the file.
const ConfigName = "assay.toml"

// Config is what the file says.
type Config struct {
	Scan struct {
		Properties       []string `toml:"properties"`
		Timeout          duration `toml:"timeout"`
		FunctionTimeout  duration `toml:"function-timeout"`
		Effort           duration `toml:"effort"`
		Memory           string   `toml:"memory"`
		Jobs             int      `toml:"jobs"`
		Exclude          []string `toml:"exclude"`
		ExcludeFunctions []string `toml:"exclude-functions"`
		// Stubs are C files with bodies for functions that have none.
		Stubs []string `toml:"stubs"`
	} `toml:"scan"`
	Program struct {
		Include         []string `toml:"include"`
		Define          []string `toml:"define"`
		Undefine        []string `toml:"undefine"`
		Std             string   `toml:"std"`
		Arguments       []string `toml:"clang-arguments"`
		DataModel       string   `toml:"data-model"`
		CompileCommands string   `toml:"compile-commands"`
		MallocMayFail   bool     `toml:"malloc-may-fail"`
		HavocGlobals    bool     `toml:"havoc-globals"`
		Unmodelled      string   `toml:"unmodelled"`
		Models          string   `toml:"models"`
	} `toml:"program"`
	// Function says more of the arguments of functions, by name.
	Function map[string]Arguments `toml:"function"`
	Suppress []Suppress           `toml:"suppress"`

	path      string
	positions positions
}

// Arguments is what is said of the pointer parameters of a function.
type Arguments struct {
	Array    map[string]any `toml:"array"` // a number, or the name of a parameter
	Strings  []string       `toml:"string"`
	Nullable []string       `toml:"nullable"`
	NonNull  []string       `toml:"nonnull"`
	Skip     bool           `toml:"skip"`
}

// Suppress takes findings for known; empty fields are for all.
type Suppress struct {
	Property string `toml:"property"`
	File     string `toml:"file"` // a pattern
	Function string `toml:"function"`
	Line     int    `toml:"line"`
	ID       string `toml:"id"`
	Reason   string `toml:"reason"`

	source string
}

// duration is a time like "10s".
type duration time.Duration

// UnmarshalText reads it.
func (d *duration) UnmarshalText(text []byte) error {
	x, err := time.ParseDuration(string(text))
	if err != nil || x <= 0 {
		return fmt.Errorf("%q is no time: write for example 10s or 2m", text)
	}
	*d = duration(x)
	return nil
}

// FindConfig is the path of the file for a folder, empty if there is none: in it, or in a folder above
// it up to the one with .git.
func FindConfig(folder string) string {
	for dir := absolute(folder); ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, ConfigName)
		if _, err := os.Stat(path); err == nil {
			return path
		}
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil || dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// ReadConfig reads the file. The error is an *assay.InputError with its line.
func ReadConfig(path string) (*Config, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return nil, &assay.InputError{Pos: assay.Position{File: path}, Message: err.Error()}
	}
	c := &Config{path: absolute(path)}
	d := toml.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	if err := d.Decode(c); err != nil {
		return nil, configError(path, err)
	}
	c.positions = positionsOf(path, content)
	if err := c.check(); err != nil {
		return nil, err
	}
	return c, nil
}

// check finds values that cannot be. The error is an *assay.InputError with the line of the key.
func (c *Config) check() error {
	wrong := c.positions.wrong
	for i := range c.Suppress {
		s, at := &c.Suppress[i], fmt.Sprintf("suppress[%d]", i)
		s.source = c.path
		switch {
		case strings.TrimSpace(s.Reason) == "":
			return wrong(at, "the table suppress has no reason", `write reason = "why the finding does not matter"`)
		case s.Property == "" && s.File == "" && s.Function == "" && s.ID == "":
			return wrong(at, "the table suppress would suppress everything", "say of which property, file, function or id")
		}
		if s.Property != "" {
			if _, err := assay.ParseProperties(s.Property); err != nil {
				return wrong(at+".property", err.Error(), "")
			}
		}
		if s.File != "" && !doublestar.ValidatePattern(s.File) {
			return wrong(at+".file", fmt.Sprintf("%q is no pattern for files", s.File), "")
		}
	}
	for _, pattern := range c.Scan.Exclude {
		if !doublestar.ValidatePattern(pattern) {
			return wrong("scan.exclude", fmt.Sprintf("%q is no pattern for files", pattern), "")
		}
	}
	if list := c.Scan.Properties; len(list) > 0 {
		if _, err := assay.ParseProperties(strings.Join(list, ",")); err != nil {
			return wrong("scan.properties", err.Error(), "")
		}
	}
	for key, value := range map[string]string{"data-model": c.Program.DataModel, "unmodelled": c.Program.Unmodelled} {
		choices := assay.Unmodelled
		if key == "data-model" {
			choices = []string{string(assay.ILP32), string(assay.LP64)}
		}
		if value != "" && !slices.Contains(choices, value) {
			return wrong("program."+key, fmt.Sprintf("%s is no %s", value, key), "it is one of "+strings.Join(choices, ", "))
		}
	}
	for name, a := range c.Function {
		if err := a.apply(name, &assay.Program{}); err != nil {
			return wrong("function."+name+".array", err.Error(), "")
		}
	}
	return nil
}

func configError(path string, err error) error {
	out := &assay.InputError{Pos: assay.Position{File: path}, Message: err.Error(), Hint: "docs/scan.md says what can stand there"}
	var unknown *toml.StrictMissingError
	var wrong *toml.DecodeError
	switch {
	case errors.As(err, &unknown) && len(unknown.Errors) > 0:
		e := unknown.Errors[0]
		row, col := e.Position()
		out.Pos.Line, out.Pos.Col = row, col
		out.Message = "there is no setting " + strings.Join(e.Key(), ".")
	case errors.As(err, &wrong):
		row, col := wrong.Position()
		out.Pos.Line, out.Pos.Col = row, col
		out.Message = strings.TrimPrefix(wrong.Error(), "toml: ")
	}
	return out
}

// resolve makes a path of the file one of here.
func (c *Config) resolve(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(c.path), path)
}

// Apply puts what the file says into the options; changed says that a flag was given.
func (c *Config) Apply(o *Options, changed func(flag string) bool) error {
	s, p := &c.Scan, &c.Program
	if o.Root == "" {
		o.Root = filepath.Dir(c.path)
	}
	if len(s.Properties) > 0 && !changed("property") {
		list, err := assay.ParseProperties(strings.Join(s.Properties, ","))
		if err != nil {
			return c.positions.wrong("scan.properties", err.Error(), "")
		}
		o.Properties = list
	}
	if s.Timeout > 0 && !changed("timeout") {
		o.Timeout = time.Duration(s.Timeout)
	}
	if s.Effort > 0 && !changed("effort") {
		o.Effort = time.Duration(s.Effort)
	}
	if s.FunctionTimeout > 0 && !changed("function-timeout") {
		o.FunctionTimeout = time.Duration(s.FunctionTimeout)
	}
	if s.Jobs > 0 && !changed("jobs") {
		o.Jobs = s.Jobs
	}
	o.Exclude = append(o.Exclude, s.Exclude...)
	o.ExcludeFunctions = append(o.ExcludeFunctions, s.ExcludeFunctions...)
	for _, path := range s.Stubs {
		o.Stubs = append(o.Stubs, c.resolve(path))
	}
	for _, path := range p.Include {
		o.Program.Include = append(o.Program.Include, c.resolve(path))
	}
	o.Program.Define = append(o.Program.Define, p.Define...)
	o.Program.Undefine = append(o.Program.Undefine, p.Undefine...)
	o.Program.Arguments = append(o.Program.Arguments, p.Arguments...)
	set := func(flag string, to *string, value string) {
		if value != "" && !changed(flag) {
			*to = value
		}
	}
	set("std", &o.Program.Std, p.Std)
	set("compile-commands", &o.Program.CompileCommands, c.resolve(p.CompileCommands))
	set("unmodelled", &o.Program.Unmodelled, p.Unmodelled)
	set("models", &o.Program.Models, c.resolve(p.Models))
	model := string(o.Program.DataModel)
	set("data-model", &model, p.DataModel)
	o.Program.DataModel = assay.DataModel(model)
	o.Program.MallocMayFail = o.Program.MallocMayFail || p.MallocMayFail
	o.Program.HavocGlobals = o.Program.HavocGlobals || p.HavocGlobals
	o.Suppress = append(o.Suppress, c.Suppress...)
	for name, a := range c.Function {
		if o.Arguments == nil {
			o.Arguments = map[string]Arguments{}
		}
		o.Arguments[name] = a
	}
	return nil
}

// apply puts what is said of a function's arguments into the program.
func (a Arguments) apply(function string, p *assay.Program) error {
	pointers := map[string]assay.Pointer{}
	for name, v := range a.Array {
		switch v := v.(type) {
		case int64:
			pointers[function+":"+name] = assay.Pointer{IsArray: true, Elements: int(v)}
		case string:
			pointers[function+":"+name] = assay.Pointer{Length: v}
		default:
			return &assay.InputError{Message: fmt.Sprintf("the array %s of %s has no number and no parameter as its length", name, function)}
		}
	}
	for _, name := range a.Strings {
		pointers[function+":"+name] = assay.Pointer{String: true}
	}
	p.Pointers = pointers
	for _, name := range a.Nullable {
		p.Nullable = append(p.Nullable, function+":"+name)
	}
	for _, name := range a.NonNull {
		p.NonNull = append(p.NonNull, function+":"+name)
	}
	return nil
}

// matches says whether the table is about a finding.
func (s *Suppress) matches(root string, f *Finding) bool {
	if s.ID != "" && s.ID != f.ID || s.Function != "" && s.Function != f.Place.Func || s.Line != 0 && s.Line != f.Place.Pos.Line {
		return false
	}
	if s.Property != "" {
		if list, err := assay.ParseProperties(s.Property); err != nil || !covers(list, f.Property) {
			return false
		}
	}
	if s.File != "" {
		ok, _ := doublestar.Match(s.File, relativeTo(root, f.Place.Pos.File))
		return ok
	}
	return true
}
