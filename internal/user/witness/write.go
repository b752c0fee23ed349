package witness

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// This file writes the YAML formats. The bytes depend on the content only: the identifier is made of a hash of the rest, and
// the time of creation is that of SOURCE_DATE_EPOCH, or the beginning of 1970 if that is not set.

type yamlEntry struct {
	Type     string       `yaml:"entry_type"`
	Metadata yamlMetadata `yaml:"metadata"`
	Content  []any        `yaml:"content"`
}

type yamlMetadata struct {
	Version  string       `yaml:"format_version"`
	UUID     string       `yaml:"uuid"`
	Created  yaml.Node    `yaml:"creation_time"`
	Producer yamlProducer `yaml:"producer"`
	Task     yamlTask     `yaml:"task"`
}

type yamlProducer struct {
	Name    string `yaml:"name"`
	Version string `yaml:"version"`
}

type yamlTask struct {
	Files         []string          `yaml:"input_files"`
	Hashes        map[string]string `yaml:"input_file_hashes"`
	Specification string            `yaml:"specification"`
	DataModel     string            `yaml:"data_model"`
	Language      string            `yaml:"language"`
}

type yamlLocation struct {
	File     string `yaml:"file_name"`
	Line     int    `yaml:"line"`
	Column   int    `yaml:"column,omitempty"`
	Function string `yaml:"function,omitempty"`
}

type yamlInvariant struct {
	Type     string       `yaml:"type"`
	Location yamlLocation `yaml:"location"`
	Value    string       `yaml:"value"`
	Format   string       `yaml:"format"`
}

type yamlContract struct {
	Type     string       `yaml:"type"`
	Location yamlLocation `yaml:"location"`
	Requires string       `yaml:"requires,omitempty"`
	Ensures  string       `yaml:"ensures,omitempty"`
	Format   string       `yaml:"format"`
}

type yamlWaypoint struct {
	Type       string          `yaml:"type"`
	Action     string          `yaml:"action"`
	Location   yamlLocation    `yaml:"location"`
	Constraint *yamlConstraint `yaml:"constraint,omitempty"`
}

type yamlConstraint struct {
	Value  string `yaml:"value"`
	Format string `yaml:"format,omitempty"`
}

func (l Location) yaml() yamlLocation { return yamlLocation{l.File, l.Line, l.Column, l.Function} }

// created is the time of creation of a witness.
func created() string {
	seconds, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64)
	if err != nil {
		seconds = 0
	}
	return time.Unix(seconds, 0).UTC().Format(time.RFC3339)
}

// WriteYAML writes the witness in format 2.0, or 2.1 if it says so.
func (w *Witness) WriteYAML(out io.Writer) error {
	name, version, _ := strings.Cut(w.Producer, " ")
	meta := yamlMetadata{
		Version: w.Version, Created: yaml.Node{Kind: yaml.ScalarNode, Value: created(), Tag: "!!timestamp"}, Producer: yamlProducer{name, version},
		Task: yamlTask{Hashes: map[string]string{}, Specification: w.Task.Specification, DataModel: w.Task.DataModel, Language: "C"},
	}
	for _, f := range w.Task.Files {
		meta.Task.Files = append(meta.Task.Files, f.Name)
		meta.Task.Hashes[f.Name] = f.Hash
	}
	entry := yamlEntry{Type: "invariant_set", Metadata: meta, Content: []any{}}
	if w.Violation {
		entry.Type = "violation_sequence"
	}
	for _, i := range w.Invariants {
		format := "c_expression"
		if i.Type == LoopTransitionInvariant {
			format = "ext_c_expression"
		}
		entry.Content = append(entry.Content, map[string]yamlInvariant{"invariant": {string(i.Type), i.At.yaml(), i.Value, format}})
	}
	for _, c := range w.Contracts {
		entry.Content = append(entry.Content, map[string]yamlContract{"contract": {string(FunctionContract), c.At.yaml(), c.Requires, c.Ensures, "acsl_expression"}})
	}
	for _, s := range w.Segments {
		var points []map[string]yamlWaypoint
		for _, x := range s {
			p := yamlWaypoint{Type: string(x.Type), Action: string(x.Action), Location: x.At.yaml()}
			switch x.Type {
			case Assumption, FunctionReturn:
				p.Constraint = &yamlConstraint{x.Value, "c_expression"}
			case Branching:
				p.Constraint = &yamlConstraint{Value: x.Value}
			}
			points = append(points, map[string]yamlWaypoint{"waypoint": p})
		}
		entry.Content = append(entry.Content, map[string][]map[string]yamlWaypoint{"segment": points})
	}
	text, err := encode(entry)
	if err != nil {
		return err
	}
	entry.Metadata.UUID = identifier(text)
	if text, err = encode(entry); err == nil {
		_, err = out.Write(text)
	}
	return err
}

func encode(entry yamlEntry) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode([]yamlEntry{entry}); err != nil {
		return nil, err
	}
	return b.Bytes(), e.Close()
}

// identifier is a UUID of version 8 made of a hash.
func identifier(text []byte) string {
	h := sha256.Sum256(text)
	h[6], h[8] = h[6]&0x0f|0x80, h[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", h[0:4], h[4:6], h[6:8], h[8:10], h[10:16])
}
