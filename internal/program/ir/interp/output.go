package interp

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// output imitates the printing functions of C for a call of a function without
// body, so that differential tests can compare what programs print. It has no
// influence on the run.
func (m *machine) output(name string, s *callSite) {
	w := m.opts.Output
	switch {
	case name == "putchar" && len(s.args) == 1:
		w.Write([]byte{byte(m.window[s.args[0].slot])})
	case name == "puts" && len(s.args) == 1 && s.args[0].class == pair:
		io.WriteString(w, m.cString(m.pointer(s.args[0]))+"\n")
	case name == "printf" && len(s.args) >= 1 && s.args[0].class == pair:
		var args []argument
		for i := 1; i < len(s.args); i++ {
			args = append(args, m.argument(s.types[i], s.args[i]))
		}
		io.WriteString(w, m.format(m.cString(m.pointer(s.args[0])), args))
	}
}

// cString reads bytes up to a zero or the end of the object.
func (m *machine) cString(p pointer) string {
	o, at, ok := m.mem.readable(p, 1)
	if !ok {
		return ""
	}
	s, _, _ := strings.Cut(string(o.bytes[at:]), "\x00")
	return s
}

// format is printf for the conversions d i u x X o c s p f e g and %, with
// flags, width, precision and any length; a conversion that lacks its argument is
// printed as it stands.
func (m *machine) format(format string, args []argument) string {
	var out strings.Builder
	for {
		text, rest, found := strings.Cut(format, "%")
		out.WriteString(text)
		if !found {
			return out.String()
		}
		n := len(rest) - len(strings.TrimLeft(rest, "+- #0123456789."))
		flags := rest[:n]
		rest = rest[n:]
		length := len(rest) - len(strings.TrimLeft(rest, "hlzjtqL"))
		size := rest[:length]
		rest = rest[length:]
		if rest == "" {
			return out.String()
		}
		verb := rest[0]
		format = rest[1:]
		if verb == '%' {
			out.WriteByte('%')
			continue
		}
		if len(args) == 0 {
			out.WriteString("%" + flags + size + string(verb))
			continue
		}
		a := args[0]
		args = args[1:]
		x := a.x
		switch size { // the rest of the register is not part of the argument
		case "hh":
			x &= 0xff
		case "h":
			x &= 0xffff
		}
		switch verb {
		case 'd', 'i':
			bits := map[string]uint8{"hh": 8, "h": 16}[size]
			if bits == 0 {
				bits = uint8(min(a.t.Bits, 64))
			}
			fmt.Fprintf(&out, "%"+flags+"d", signed(x, bits))
		case 'u':
			fmt.Fprintf(&out, "%"+flags+"d", x)
		case 'x', 'X', 'o':
			fmt.Fprintf(&out, "%"+flags+string(verb), x)
		case 'c':
			out.WriteByte(byte(x))
		case 's':
			fmt.Fprintf(&out, "%"+flags+"s", m.cString(a.p))
		case 'p':
			fmt.Fprintf(&out, "%#x", a.p.address)
		case 'f', 'e', 'E', 'g', 'G', 'F':
			fmt.Fprintf(&out, "%"+flags+string(verb), math.Float64frombits(x))
		default:
			out.WriteString("%" + flags + size + string(verb))
		}
	}
}
