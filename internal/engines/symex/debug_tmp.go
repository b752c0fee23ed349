package symex

import (
	"fmt"
	"os"
)

func (x *explorer) debug(text string) {
	if os.Getenv("SYMEX_DEBUG") == "" {
		return
	}
	s := x.path
	fmt.Fprintln(os.Stderr, "== ", text, "node", x.now.index, x.now.key)
	for i := range s.Frames {
		f := &s.Frames[i]
		fmt.Fprint(os.Stderr, f.Func.Name, " ", f.Block, ".", f.Index, ": ")
		for v, w := range f.Values {
			if w.Kind != 0 {
				fmt.Fprintf(os.Stderr, " %%%d=%d/%d/%v", v, w.Kind, w.Object, w.Form)
			}
		}
		fmt.Fprintln(os.Stderr)
	}
	for i, o := range s.Objects {
		if o.Kind >= 2 && len(o.Cells) == 0 {
			continue
		}
		fmt.Fprintf(os.Stderr, " obj %d %s kind %d frame %d dead %v size %v", i, o.Name, o.Kind, o.Frame, o.Dead, o.Size)
		if o.Strings != nil {
			fmt.Fprintf(os.Stderr, " strings %v..%v out %v", o.Strings.From, o.Strings.To, o.Strings.Out)
		}
		for _, c := range o.Cells {
			fmt.Fprintf(os.Stderr, " [%v]=%d/%d/%v", c.Offset, c.Value.Kind, c.Value.Object, c.Value.Form)
		}
		fmt.Fprintln(os.Stderr)
	}
	for _, c := range x.k.facts {
		fmt.Fprint(os.Stderr, "  ", c.Form, " ", c.Equality)
	}
	fmt.Fprintln(os.Stderr)
}
