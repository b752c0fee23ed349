package syntax

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// Written is a node of clang's syntax tree, by the byte where it begins in what clang reads as the file. What comes out of a macro begins where
// the macro's name does.
type Written struct {
	Kind   string // as clang calls it
	Opcode string // of an operator
	Begin  int
	// Variable says of a cast or sizeof that its type has an array of a size that is computed.
	Variable bool
}

// Nodes calls visit for each node that begins in a file, in their order. flags may tell clang to read another file, content, in its place.
func Nodes(ctx context.Context, file, content string, flags []string, visit func(Written)) error {
	tree, err := dump(ctx, file, "", flags)
	if err != nil {
		return err
	}
	var root raw
	if err := json.Unmarshal(tree, &root); err != nil {
		return fmt.Errorf("reading clang's syntax tree: %w", err)
	}
	l := &locator{file: content, size: math.MaxInt} // that is where clang says that the nodes are
	l.visit(&root)
	var walk func(n *raw)
	walk = func(n *raw) {
		if n == nil {
			return
		}
		if n.began && n.Kind != "" {
			visit(Written{n.Kind, n.Opcode, n.begin, computed(n.ArgType.QualType) || n.Kind == "CStyleCastExpr" && computed(n.Type.QualType)})
		}
		for _, c := range n.Inner {
			walk(c)
		}
	}
	walk(&root)
	return nil
}

// computed says whether a type has an array of a size that is no number.
func computed(text string) bool {
	for {
		_, rest, found := strings.Cut(text, "[")
		if !found {
			return false
		}
		size, after, _ := strings.Cut(rest, "]")
		if strings.Trim(size, "0123456789") != "" {
			return true
		}
		text = after
	}
}
