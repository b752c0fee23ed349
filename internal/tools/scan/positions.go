package scan

import (
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"assay"
)

// positions are where the keys of assay.toml stand: "scan.exclude", and of the tables in a list "suppress[0]" and "suppress[0].property".
type positions struct {
	path string
	at   map[string]assay.Position
}

// positionsOf finds the keys of a file that can be read.
func positionsOf(path string, content []byte) positions {
	list := positions{path, map[string]assay.Position{}}
	p := &unstable.Parser{}
	p.Reset(content)
	table := ""
	count := map[string]int{}
	for p.NextExpression() {
		e := p.Expression()
		var words []string
		where := assay.Position{File: path}
		for key := e.Key(); key.Next(); {
			k := key.Node()
			words = append(words, string(k.Data))
			if where.Line == 0 {
				start := p.Shape(k.Raw).Start
				where.Line, where.Col = start.Line, start.Column
			}
		}
		name := strings.Join(words, ".")
		switch e.Kind {
		case unstable.Table:
			table = name
		case unstable.ArrayTable:
			table = fmt.Sprintf("%s[%d]", name, count[name])
			count[name]++
		case unstable.KeyValue:
			list.at[table+"."+name] = where
			continue
		}
		list.at[table] = where
	}
	return list
}

// wrong is an error at a key, or where the table is that should have it.
func (p positions) wrong(key, message, hint string) error {
	where := assay.Position{File: p.path}
	for name := key; name != ""; name = name[:max(strings.LastIndexByte(name, '.'), 0)] {
		if at, ok := p.at[name]; ok {
			where = at
			break
		}
	}
	return &assay.InputError{Pos: where, Message: message, Hint: hint}
}
