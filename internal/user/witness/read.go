package witness

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"assay/internal/run/lazyregexp"
)

// This file reads the YAML formats. A file is looked at as a tree of nodes, which have lines and columns, and never turned into
// values whose size the file decides: there are no aliases, and no merges.

// Limits of what is read.
const (
	MaxBytes  = 64 << 20
	maxNodes  = 2_000_000
	maxValue  = 1 << 16 // characters of an expression
	maxNumber = 1 << 30 // of a line or column
)

// SyntaxError says what is wrong with a witness, and where in its file.
type SyntaxError struct {
	Mark
	Message string
}

func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message)
}

func wrong(at Mark, format string, args ...any) error {
	return &SyntaxError{at, fmt.Sprintf(format, args...)}
}

func markOf(n *yaml.Node) Mark { return Mark{n.Line, n.Column} }

// Read reads a witness. The error is a *SyntaxError.
func Read(text []byte) (w *Witness, err error) {
	if len(text) > MaxBytes {
		return nil, wrong(Mark{}, "the file has %d bytes, more than %d", len(text), MaxBytes)
	}
	start := bytes.TrimLeft(text, " \t\r\n\xef\xbb\xbf")
	if bytes.HasPrefix(start, []byte("<")) {
		return nil, wrong(Mark{1, 1}, "this is a witness in GraphML (format 1.0), which is written and not read: convert it to format 2.0")
	}
	if i := bytes.IndexByte(text, 0); i >= 0 {
		return nil, wrong(Mark{1 + bytes.Count(text[:i], []byte("\n")), 1}, "the file has a zero byte: it is no text")
	}
	var root yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decode(decoder, &root); err != nil {
		return nil, err
	}
	if err := decode(decoder, new(yaml.Node)); err == nil {
		return nil, wrong(Mark{1, 1}, "the file has several YAML documents: a witness is one list of entries")
	}
	nodes := 0
	if err := plain(&root, &nodes); err != nil {
		return nil, err
	}
	if root.Kind != yaml.DocumentNode || len(root.Content) != 1 {
		return nil, wrong(Mark{1, 1}, "the file is empty: a witness is a list of entries")
	}
	list := root.Content[0]
	if list.Kind != yaml.SequenceNode {
		return nil, wrong(markOf(list), "a witness is a list of entries, each with entry_type, metadata and content")
	}
	w = &Witness{}
	read := 0
	for _, e := range list.Content {
		known, err := w.entry(e)
		if err != nil {
			return nil, err
		}
		if known {
			read++
		}
	}
	if read == 0 {
		return nil, wrong(markOf(list), "the witness has neither an entry invariant_set nor violation_sequence")
	}
	return w, nil
}

var yamlLine = lazyregexp.New(`^yaml: (?:line (\d+): )?`)

// decode reads the next document; what the library says is put as ours.
func decode(d *yaml.Decoder, n *yaml.Node) (err error) {
	defer func() { // the library panics on some input
		if p := recover(); p != nil {
			err = wrong(Mark{1, 1}, "no YAML: %v", p)
		}
	}()
	if err := d.Decode(n); err != nil {
		at := Mark{1, 1}
		if m := yamlLine.FindStringSubmatch(err.Error()); m != nil && m[1] != "" {
			at.Line, _ = strconv.Atoi(m[1])
		}
		return wrong(at, "no YAML: %s", yamlLine.ReplaceAllString(err.Error(), ""))
	}
	return nil
}

// plain says that a tree has no aliases and is not too large.
func plain(n *yaml.Node, count *int) error {
	if *count++; *count > maxNodes {
		return wrong(markOf(n), "the witness has more than %d nodes", maxNodes)
	}
	if n.Kind == yaml.AliasNode || n.Anchor != "" {
		return wrong(markOf(n), "a witness has no anchors and aliases")
	}
	for _, c := range n.Content {
		if err := plain(c, count); err != nil {
			return err
		}
	}
	return nil
}

// fields are those of a mapping.
type fields struct {
	at   *yaml.Node
	what string
	of   map[string]*yaml.Node
}

// mapping reads a mapping without repetitions.
func mapping(n *yaml.Node, what string) (*fields, error) {
	if n.Kind != yaml.MappingNode {
		return nil, wrong(markOf(n), "%s must be a mapping", what)
	}
	f := &fields{n, what, map[string]*yaml.Node{}}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		if k.Kind != yaml.ScalarNode {
			return nil, wrong(markOf(k), "a key of %s must be a name", what)
		}
		if f.of[k.Value] != nil {
			return nil, wrong(markOf(k), "%s has %s twice", what, k.Value)
		}
		f.of[k.Value] = n.Content[i+1]
	}
	return f, nil
}

// need is a field that must be there.
func (f *fields) need(name string) (*yaml.Node, error) {
	if n := f.of[name]; n != nil {
		return n, nil
	}
	return nil, wrong(markOf(f.at), "%s has no %s", f.what, name)
}

// text is a scalar that must be there.
func (f *fields) text(name string) (string, error) {
	n, err := f.need(name)
	if err != nil {
		return "", err
	}
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return "", wrong(markOf(n), "%s must be a text", name)
	}
	if len(n.Value) > maxValue {
		return "", wrong(markOf(n), "%s has %d characters, more than %d", name, len(n.Value), maxValue)
	}
	return n.Value, nil
}

// optional is a scalar that may be there.
func (f *fields) optional(name string) (string, error) {
	if f.of[name] == nil {
		return "", nil
	}
	return f.text(name)
}

// number is a positive integer.
func (f *fields) number(name string) (int, error) {
	text, err := f.text(name)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxNumber {
		return 0, wrong(markOf(f.of[name]), "%s must be a number from 1 on, not %q", name, text)
	}
	return n, nil
}

// choice is one of some words.
func (f *fields) choice(name string, words ...string) (string, error) {
	text, err := f.text(name)
	if err == nil && !slices.Contains(words, text) {
		err = wrong(markOf(f.of[name]), "%s is %q, but must be one of %s", name, text, strings.Join(words, ", "))
	}
	return text, err
}

// list is a sequence that must be there.
func (f *fields) list(name string) ([]*yaml.Node, error) {
	n, err := f.need(name)
	switch {
	case err != nil:
		return nil, err
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		return nil, nil
	case n.Kind != yaml.SequenceNode:
		return nil, wrong(markOf(n), "%s must be a list", name)
	}
	return n.Content, nil
}

// entry reads an entry, and says whether it knows its type.
func (w *Witness) entry(n *yaml.Node) (known bool, err error) {
	f, err := mapping(n, "an entry")
	if err != nil {
		return false, err
	}
	kind, err := f.text("entry_type")
	if err != nil {
		return false, err
	}
	switch kind {
	case "invariant_set", "violation_sequence":
	case "ghost_instrumentation":
		w.Notes = append(w.Notes, fmt.Sprintf("line %d: ghost variables are not used", n.Line))
		return false, nil
	case "loop_invariant", "location_invariant", "flow_insensitive_invariant", "precondition_loop_invariant", "loop_invariant_certificate", "precondition_loop_invariant_certificate":
		return false, wrong(markOf(f.of["entry_type"]), "the entry type %s is that of format 0.1: convert the witness to format 2.0", kind)
	default:
		return false, wrong(markOf(f.of["entry_type"]), "unknown entry type %q: there are invariant_set and violation_sequence", kind)
	}
	if err := w.metadata(f); err != nil {
		return false, err
	}
	content, err := f.list("content")
	if err != nil {
		return false, err
	}
	if kind == "violation_sequence" {
		if w.Violation {
			return false, wrong(markOf(n), "the witness has two violation sequences: one at a time")
		}
		w.Violation = true
		return true, w.sequence(content, f.of["content"])
	}
	for _, c := range content {
		if err := w.invariant(c); err != nil {
			return false, err
		}
	}
	return true, nil
}

var hash = lazyregexp.New(`^[0-9a-fA-F]{64}$`)

// metadata reads the metadata of an entry; those of several entries are about one task.
func (w *Witness) metadata(entry *fields) error {
	n, err := entry.need("metadata")
	if err != nil {
		return err
	}
	f, err := mapping(n, "metadata")
	if err != nil {
		return err
	}
	version, err := f.text("format_version")
	if err != nil {
		return err
	}
	if version != V20 && !strings.HasPrefix(version, V21) {
		return wrong(markOf(f.of["format_version"]), "the format version is %q: 2.0 and 2.1 are read", version)
	}
	w.Version = max(w.Version, version)
	for _, name := range []string{"uuid", "creation_time"} {
		if _, err := f.text(name); err != nil {
			return err
		}
	}
	if n, err = f.need("producer"); err != nil {
		return err
	}
	p, err := mapping(n, "producer")
	if err != nil {
		return err
	}
	name, err := p.text("name")
	if err != nil {
		return err
	}
	number, err := p.text("version")
	if err != nil {
		return err
	}
	w.Producer = name + " " + number
	if n, err = f.need("task"); err != nil {
		return err
	}
	t, err := mapping(n, "task")
	if err != nil {
		return err
	}
	return w.task(t)
}

// task reads what the witness is about.
func (w *Witness) task(t *fields) error {
	var task Task
	inputs, err := t.need("input_files")
	if err != nil {
		return err
	}
	names := inputs.Content
	if inputs.Kind == yaml.ScalarNode {
		names = []*yaml.Node{inputs}
	} else if inputs.Kind != yaml.SequenceNode {
		return wrong(markOf(inputs), "input_files must be a list")
	}
	if len(names) == 0 {
		return wrong(markOf(inputs), "input_files is empty")
	}
	n, err := t.need("input_file_hashes")
	if err != nil {
		return err
	}
	hashes, err := mapping(n, "input_file_hashes")
	if err != nil {
		return err
	}
	for _, name := range names {
		if name.Kind != yaml.ScalarNode || name.Value == "" {
			return wrong(markOf(name), "an input file must be a name")
		}
		sum, err := hashes.text(name.Value)
		if err != nil {
			return err
		}
		if !hash.MatchString(sum) {
			return wrong(markOf(hashes.of[name.Value]), "the hash of %s is no SHA-256 in hexadecimal digits", name.Value)
		}
		task.Files = append(task.Files, File{name.Value, strings.ToLower(sum)})
	}
	if task.Specification, err = t.text("specification"); err != nil {
		return err
	}
	if _, err = t.choice("data_model", "ILP32", "LP64", "32bit", "64bit"); err != nil {
		return err
	}
	task.DataModel = dataModel(t.of["data_model"].Value)
	if _, err := t.choice("language", "C"); err != nil {
		return err
	}
	if len(w.Task.Files) > 0 && (!slices.Equal(w.Task.Files, task.Files) || w.Task.DataModel != task.DataModel) {
		return wrong(markOf(t.at), "the entries are about different tasks")
	}
	w.Task = task
	return nil
}

// dataModel is a data model by its name of today.
func dataModel(name string) string {
	switch name {
	case "32bit":
		return "ILP32"
	case "64bit":
		return "LP64"
	}
	return name
}

// location reads a location.
func location(f *fields) (l Location, err error) {
	n, err := f.need("location")
	if err != nil {
		return l, err
	}
	g, err := mapping(n, "location")
	if err != nil {
		return l, err
	}
	if l.File, err = g.text("file_name"); err != nil {
		return l, err
	}
	if l.Line, err = g.number("line"); err != nil {
		return l, err
	}
	if g.of["column"] != nil {
		if l.Column, err = g.number("column"); err != nil {
			return l, err
		}
	}
	l.Function, err = g.optional("function")
	return l, err
}

// expression reads an expression that must change nothing.
func expression(f *fields, name string, result bool) (string, error) {
	text, err := f.text(name)
	if err != nil {
		return "", err
	}
	if why := Impure(text, result); why != "" {
		return "", wrong(markOf(f.of[name]), "the expression %q %s", short(text), why)
	}
	return text, nil
}

func short(text string) string {
	if len(text) > 60 {
		return text[:60] + "..."
	}
	return text
}

// invariant reads an element of an invariant set.
func (w *Witness) invariant(n *yaml.Node) error {
	f, err := mapping(n, "an element of content")
	if err != nil {
		return err
	}
	body := f.of["invariant"]
	if body == nil {
		body = f.of["contract"]
	}
	if body == nil || len(f.of) != 1 {
		if n := f.of["flow_insensitive_invariant"]; n != nil && len(f.of) == 1 {
			w.Notes = append(w.Notes, fmt.Sprintf("line %d: a flow insensitive invariant, which has no place, is not used", n.Line))
			return nil
		}
		return wrong(markOf(n), "an element of content must be one invariant or contract")
	}
	g, err := mapping(body, "an invariant")
	if err != nil {
		return err
	}
	kind, err := g.choice("type", string(LoopInvariant), string(LocationInvariant), string(LoopTransitionInvariant), "location_transition_invariant", string(FunctionContract))
	if err != nil {
		return err
	}
	at, err := location(g)
	if err != nil {
		return err
	}
	format, err := g.choice("format", "c_expression", "ext_c_expression", "acsl_expression", "C")
	if err != nil {
		return err
	}
	mark := markOf(body)
	switch InvariantType(kind) {
	case FunctionContract:
		c := Contract{At: at, Mark: mark}
		for name, to := range map[string]*string{"requires": &c.Requires, "ensures": &c.Ensures} {
			if g.of[name] == nil {
				continue
			}
			if *to, err = g.text(name); err != nil {
				return err
			}
			why := Impure(strings.ReplaceAll(*to, `\old`, ""), name == "ensures")
			if _, err := Olds(*to); err != nil && why == "" {
				why = err.Error()
			}
			if strings.HasSuffix(why, "which is no C") {
				w.Notes = append(w.Notes, fmt.Sprintf("line %d: a contract in ACSL %s: it is not used", body.Line, why))
				return nil
			}
			if why != "" {
				return wrong(markOf(g.of[name]), "the expression %q %s", short(*to), why)
			}
		}
		w.Contracts = append(w.Contracts, c)
		return nil
	case LoopInvariant, LocationInvariant:
		if format == "acsl_expression" {
			w.Notes = append(w.Notes, fmt.Sprintf("line %d: an invariant in ACSL is not used", n.Line))
			return nil
		}
		value, err := expression(g, "value", false)
		if err != nil {
			return err
		}
		w.Invariants = append(w.Invariants, Invariant{Type: InvariantType(kind), At: at, Value: value, Mark: mark})
		return nil
	}
	value, err := g.text("value")
	if err != nil {
		return err
	}
	if kind != string(LoopTransitionInvariant) {
		w.Notes = append(w.Notes, fmt.Sprintf("line %d: a %s is not used", n.Line, kind))
		return nil
	}
	if _, err := AtPrevious(value); err != nil {
		return wrong(markOf(g.of["value"]), "the expression %q %s", short(value), err.Error())
	}
	w.Invariants = append(w.Invariants, Invariant{Type: InvariantType(kind), At: at, Value: value, Mark: mark})
	return nil
}

// sequence reads the segments of a violation.
func (w *Witness) sequence(list []*yaml.Node, at *yaml.Node) error {
	if len(list) == 0 {
		return wrong(markOf(at), "a violation sequence needs a segment")
	}
	for i, n := range list {
		f, err := mapping(n, "an element of content")
		if err != nil {
			return err
		}
		points, err := f.list("segment")
		if err != nil {
			return err
		}
		if len(points) == 0 {
			return wrong(markOf(n), "a segment needs a waypoint")
		}
		var s Segment
		for k, p := range points {
			x, err := waypoint(p)
			if err != nil {
				return err
			}
			last := k == len(points)-1
			switch {
			case last && x.Action == Avoid:
				return wrong(x.Mark, "the last waypoint of a segment must be followed")
			case !last && x.Action != Avoid:
				return wrong(x.Mark, "only the last waypoint of a segment is followed, the others are avoided")
			case x.Type == Target && (i != len(list)-1 || x.Action != Follow):
				return wrong(x.Mark, "the target must be what the last segment follows")
			}
			s = append(s, x)
		}
		if n := len(w.Segments); n > 0 && w.Segments[n-1].Last().Action == Cycle && s.Last().Action != Cycle {
			return wrong(markOf(points[len(points)-1]), "segments of the cycle come last")
		}
		w.Segments = append(w.Segments, s)
	}
	if last := w.Segments[len(w.Segments)-1].Last(); last.Type != Target && last.Action != Cycle {
		return wrong(last.Mark, "the last segment must follow a target, or be part of a cycle")
	}
	return nil
}

// waypoint reads a waypoint.
func waypoint(n *yaml.Node) (x Waypoint, err error) {
	f, err := mapping(n, "an element of a segment")
	if err != nil {
		return x, err
	}
	body, err := f.need("waypoint")
	if err != nil {
		return x, err
	}
	g, err := mapping(body, "a waypoint")
	if err != nil {
		return x, err
	}
	x.Mark = markOf(body)
	kind, err := g.choice("type", string(Assumption), string(Branching), string(FunctionEnter), string(FunctionReturn), string(Target))
	if err != nil {
		return x, err
	}
	action, err := g.choice("action", string(Follow), string(Avoid), string(Cycle))
	if err != nil {
		return x, err
	}
	x.Type, x.Action = WaypointType(kind), Action(action)
	if x.At, err = location(g); err != nil {
		return x, err
	}
	if x.Type == Target || x.Type == FunctionEnter {
		if g.of["constraint"] != nil {
			return x, wrong(markOf(g.of["constraint"]), "a waypoint of type %s has no constraint", kind)
		}
		return x, nil
	}
	node, err := g.need("constraint")
	if err != nil {
		return x, err
	}
	c, err := mapping(node, "constraint")
	if err != nil {
		return x, err
	}
	if c.of["format"] != nil {
		if _, err := c.choice("format", "c_expression", "ext_c_expression"); err != nil {
			return x, err
		}
	}
	if x.Type != Branching {
		x.Value, err = expression(c, "value", x.Type == FunctionReturn)
		return x, err
	}
	if x.Value, err = c.text("value"); err != nil {
		return x, err
	}
	if x.Value != "true" && x.Value != "false" && x.Value != "default" {
		if _, err := strconv.ParseInt(x.Value, 0, 64); err != nil {
			return x, wrong(markOf(c.of["value"]), "a branch is true, false, default, or the number of a case, not %q", short(x.Value))
		}
	}
	return x, nil
}
