package assay_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func draw(t *testing.T, file, property string, o assay.GraphOptions) (string, error) {
	t.Helper()
	properties, err := assay.ParseProperties(property)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	_, err = assay.Graph(t.Context(), assay.Task{Files: []string{file}, Properties: properties}, &out, o)
	return out.String(), err
}

// TestGraph has the graph of a string's length: the shape of [AProVE-Ptr Fig. 1],
// with one cutpoint in the loop of which all states there are instances.
func TestGraph(t *testing.T) {
	file := filepath.Join("examples", "string_length.c")
	for _, steps := range []bool{false, true} {
		name := "string_length"
		if steps {
			name += "_steps"
		}
		got, err := draw(t, file, "valid-deref,valid-free", assay.GraphOptions{Format: "dot", Steps: steps})
		if err != nil {
			t.Fatal(err)
		}
		golden := filepath.Join("testdata", "graph", name+".dot")
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("the graph is not that of %s (go test -run TestGraph -update . rewrites it):\n%s", golden, got)
		}
	}
}

// TestGraphPage has the page: the picture, and what it shows of a chosen box.
func TestGraphPage(t *testing.T) {
	page, err := draw(t, filepath.Join("examples", "string_length.c"), "valid-deref,valid-free", assay.GraphOptions{Format: "html"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<svg", `id="box0"`, "knowledge base", "char *s = alloca(n);", `"Cutpoint":true`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(page, "<!DOCTYPE svg") {
		t.Error("a document type within the page")
	}
}

// TestShapes has the memory at a loop over a list: what the variable may point to, and
// what holds of all nodes.
func TestShapes(t *testing.T) {
	file := filepath.Join("examples", "heap", "ones.c")
	text, err := draw(t, file, "unreach-call", assay.GraphOptions{Format: "dot", Heap: "ones.c:19"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"subgraph cluster0", "peripheries=3", "list: v", "nodes of 16 bytes", "label=\"last\"", "label=\"NULL\"", "label=\"n\"", " = 1</I>", "block: 16 bytes"} {
		if !strings.Contains(text, want) {
			t.Errorf("the picture has no %q:\n%s", want, text)
		}
	}
	if picture, err := draw(t, file, "unreach-call", assay.GraphOptions{Format: "svg", Heap: "19"}); err != nil || !strings.Contains(picture, "<svg") {
		t.Errorf("no picture: %v", err)
	}
	for _, heap := range []string{"ones.c", "ones.c:0", "other.c:19", "ones.c:1"} {
		var input *assay.InputError
		if _, err := draw(t, file, "unreach-call", assay.GraphOptions{Format: "dot", Heap: heap}); !errors.As(err, &input) {
			t.Errorf("%s: %v, want an input error", heap, err)
		}
	}
}

// TestGraphErrors has programs without a graph, and questions that it cannot be asked.
func TestGraphErrors(t *testing.T) {
	variadic := filepath.Join(t.TempDir(), "variadic.c")
	text := "#include <stdarg.h>\nint f(int n, ...) { va_list a; va_start(a, n); return va_arg(a, int) > n; }\nint (*g)(int, ...) = f;\nint main(int argc, char **argv) { return g(argc, 1); }\n"
	if err := os.WriteFile(variadic, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := draw(t, variadic, "unreach-call", assay.GraphOptions{Format: "dot"})
	var none *assay.ErrNoGraph
	if !errors.As(err, &none) || none.Reason.Pos.IsZero() {
		t.Errorf("a variable number of arguments: %v, want the place of what has no graph", err)
	}
	_, err = draw(t, filepath.Join("examples", "wrap.c"), "no-overflow", assay.GraphOptions{Format: "dot"})
	var input *assay.InputError
	if !errors.As(err, &input) {
		t.Errorf("overflow: %v, want an input error", err)
	}
}
