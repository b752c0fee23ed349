package witness

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// This file writes violation witnesses in GraphML, format 1.0 [Beyer22]: an automaton that is a row of states. Each edge is a step
// of the run; the last one leads to the state of the violation, or, for a run without end, back to the head of the cycle.

type graphML struct {
	XMLName xml.Name     `xml:"graphml"`
	NS      string       `xml:"xmlns,attr"`
	XSI     string       `xml:"xmlns:xsi,attr"`
	Keys    []graphKey   `xml:"key"`
	Graph   graphElement `xml:"graph"`
}

type graphKey struct {
	ID      string `xml:"id,attr"`
	For     string `xml:"for,attr"`
	Name    string `xml:"attr.name,attr"`
	Type    string `xml:"attr.type,attr"`
	Default string `xml:"default,omitempty"`
}

type graphData struct {
	Key   string `xml:"key,attr"`
	Value string `xml:",chardata"`
}

type graphElement struct {
	Directed string      `xml:"edgedefault,attr"`
	Data     []graphData `xml:"data"`
	Nodes    []graphNode `xml:"node"`
	Edges    []graphEdge `xml:"edge"`
}

type graphNode struct {
	ID   string      `xml:"id,attr"`
	Data []graphData `xml:"data"`
}

type graphEdge struct {
	Source string      `xml:"source,attr"`
	Target string      `xml:"target,attr"`
	Data   []graphData `xml:"data"`
}

// keys are those that the graph uses.
var keys = []graphKey{
	{"entry", "node", "isEntryNode", "boolean", "false"},
	{"sink", "node", "isSinkNode", "boolean", "false"},
	{"violation", "node", "isViolationNode", "boolean", "false"},
	{"cyclehead", "node", "isCycleHead", "boolean", "false"},
	{"invariant", "node", "invariant", "string", ""},
	{"invariant.scope", "node", "invariant.scope", "string", ""},
	{"witness-type", "graph", "witness-type", "string", ""},
	{"sourcecodelang", "graph", "sourcecodeLanguage", "string", ""},
	{"producer", "graph", "producer", "string", ""},
	{"specification", "graph", "specification", "string", ""},
	{"programfile", "graph", "programFile", "string", ""},
	{"programhash", "graph", "programHash", "string", ""},
	{"architecture", "graph", "architecture", "string", ""},
	{"creationtime", "graph", "creationTime", "string", ""},
	{"witness-format-version", "graph", "witness-format-version", "string", ""},
	{"startline", "edge", "startline", "int", ""},
	{"assumption", "edge", "assumption", "string", ""},
	{"assumption.scope", "edge", "assumption.scope", "string", ""},
	{"assumption.resultfunction", "edge", "assumption.resultfunction", "string", ""},
	{"control", "edge", "control", "string", ""},
	{"enterLoopHead", "edge", "enterLoopHead", "boolean", "false"},
	{"enterFunction", "edge", "enterFunction", "string", ""},
	{"returnFrom", "edge", "returnFromFunction", "string", ""},
}

// GraphStep is a step of a run in the terms of format 1.0.
type GraphStep struct {
	Line       int
	Function   string // where it is
	Assumption string // holds after the step, empty is nothing
	Result     string // the function that returns the \result of the assumption
	Enter      string // the function that is called
	Control    string // condition-true or condition-false
}

// WriteGraphML writes the steps of a run as an automaton. invariant is what holds at the head of the cycle, of a run that does not end;
// then the steps from cycle on are its period. Otherwise cycle is -1.
func (w *Witness) WriteGraphML(out io.Writer, steps []GraphStep, cycle int, invariant string) error {
	architecture := "64bit"
	if w.Task.DataModel == "ILP32" {
		architecture = "32bit"
	}
	entry := w.Task.Entry
	if entry == "" {
		entry = "main"
	}
	g := graphML{NS: "http://graphml.graphdrawing.org/xmlns", XSI: "http://www.w3.org/2001/XMLSchema-instance", Keys: keys}
	g.Graph.Directed = "directed"
	set := func(key, value string) { g.Graph.Data = append(g.Graph.Data, graphData{key, value}) }
	set("witness-type", "violation_witness")
	set("sourcecodelang", "C")
	set("producer", w.Producer)
	set("specification", w.Task.Specification)
	set("programfile", w.Task.Files[0].Name)
	set("programhash", w.Task.Files[0].Hash)
	set("architecture", architecture)
	set("creationtime", strings.TrimSuffix(created(), "Z")+"+00:00")
	set("witness-format-version", "1.0")
	name := func(i int) string { return fmt.Sprintf("N%d", i) }
	node := func(i int, data ...graphData) { g.Graph.Nodes = append(g.Graph.Nodes, graphNode{name(i), data}) }
	edge := func(i, to int, data ...graphData) {
		g.Graph.Edges = append(g.Graph.Edges, graphEdge{name(i), name(to), data})
	}
	node(0, graphData{"entry", "true"})
	edge(0, 1, graphData{"enterFunction", entry})
	at := 1
	for i, s := range steps {
		var data []graphData
		if i == cycle {
			data = []graphData{{"cyclehead", "true"}, {"invariant", invariant}, {"invariant.scope", s.Function}}
		}
		node(at, data...)
		var on []graphData
		for _, d := range []graphData{
			{"startline", fmt.Sprint(s.Line)}, {"assumption", s.Assumption}, {"assumption.scope", s.Function},
			{"assumption.resultfunction", s.Result}, {"enterFunction", s.Enter}, {"control", s.Control},
		} {
			if d.Value != "" && (d.Key != "assumption.scope" || s.Assumption != "") {
				on = append(on, d)
			}
		}
		to := at + 1
		if cycle >= 0 && i == len(steps)-1 {
			to = cycle + 1
		}
		edge(at, to, on...)
		at++
	}
	if cycle < 0 {
		node(at, graphData{"violation", "true"})
	}
	if _, err := io.WriteString(out, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(out)
	e.Indent("", " ")
	if err := e.Encode(g); err != nil {
		return err
	}
	_, err := io.WriteString(out, "\n")
	return err
}
