package measure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"assay/internal/program/frontend"
)

// TestRun: a run reads the same for the same seed, and costs what its inputs make it cost.
func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "f.c")
	text := "int nondet(void);\nvoid f(int n) {\n  int k = nondet();\n  for (int i = 0; i < n; i++)\n    ;\n  while (k > 0)\n    k--;\n}\n"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	loaded, err := frontend.Load(t.Context(), frontend.Options{Files: []string{file}, Function: "f"})
	if err != nil {
		t.Fatal(err)
	}
	p := New(loaded.Module)
	for seed := range uint64(20) {
		in := Inputs{Seed: seed, Size: 9, Negative: seed%2 == 0}
		first, err1 := p.Run(t.Context(), in, 10_000)
		second, err2 := p.Run(t.Context(), in, 10_000)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		n, ok := first.Value("n")
		k, ok2 := first.Value("k@3")
		if !ok || !ok2 {
			t.Fatalf("inputs are not known: %+v", first)
		}
		if want := 3 + max(0, n) + max(0, k); first.Iterations != want || second.Iterations != want || first.Instructions != second.Instructions {
			t.Errorf("n = %d, k = %d: %d and %d iterations, want %d", n, k, first.Iterations, second.Iterations, want)
		}
	}
	all, err := p.Run(t.Context(), Inputs{Size: 5, All: true}, 10_000)
	if err != nil || all.Iterations != 13 {
		t.Errorf("%+v, %v", all, err)
	}
	if _, ok := all.Value("m"); ok {
		t.Error("an input that does not exist has a value")
	}
}

// TestWritePlot: the picture is well-formed, also without points and with a bound that is far away.
func TestWritePlot(t *testing.T) {
	for _, points := range [][]Point{nil, {{0, 1, 2}, {1, 5, math.Inf(1)}}, {{0, 0, 0}}} {
		var b bytes.Buffer
		if err := WritePlot(&b, "n < m & more", "iterations", points); err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(&b)
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
		if bytes.Contains(b.Bytes(), []byte("NaN")) {
			t.Error("a number that is none")
		}
	}
}
