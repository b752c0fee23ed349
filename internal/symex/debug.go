package symex

import (
	"fmt"
	"os"

	"assay/internal/linear"
)

var debug = os.Getenv("SYMDEBUG") != ""

func (x *explorer) dumpState(what string, s *state, cs []linear.Constraint) {
	if !debug {
		return
	}
	name := func(v linear.Var) string { return fmt.Sprintf("x%d", v) }
	fmt.Println("##", what)
	for _, f := range s.Frames {
		fmt.Print("  ", f.Func.Name, " b", f.Block, ":")
		for v, x := range f.Values {
			if x.Kind != 0 {
				fmt.Printf(" %%%d=%d.o%d.%s", v, x.Kind, x.Object, x.Form.Format(name))
			}
		}
		fmt.Println()
	}
	for k, ob := range s.Objects {
		if ob.Kind > 1 {
			continue
		}
		fmt.Print("  o", k, " ", ob.Kind, " ", ob.Name, " dead=", ob.Dead, " size=", ob.Size.Format(name))
		for _, c := range ob.Cells {
			fmt.Printf(" [%s]:%s=%s", c.Offset.Format(name), c.Type, c.Value.Form.Format(name))
		}
		fmt.Println()
	}
	for _, c := range cs {
		fmt.Println("   ", c.Format(name))
	}
}
