package frontend

import (
	"strconv"
	"strings"

	"assay/internal/ir"
	"assay/internal/llvm"
)

// This file imports what depends on a format string. scanf and its relatives
// make the objects arbitrary that the conversions of a literal format write;
// how many of them are written is arbitrary, too, and so is the input, so that
// all are taken for written. printf is a model in C, except that %n, which
// writes, is not supported.

// scanFormat is the position of the format among the arguments.
var scanFormat = map[string]int{"scanf": 0, "fscanf": 1, "sscanf": 1}

// scanName strips what glibc's headers add to the names.
func scanName(name string) string {
	for _, prefix := range []string{"__isoc99_", "__isoc23_"} {
		name = strings.TrimPrefix(name, prefix)
	}
	return name
}

// scan imports a call of a scanf function.
func (f *function) scan(c *externalCall) []ir.Value {
	position := scanFormat[scanName(c.name)]
	conversions, problem := parseScanFormat(c.text(position), f.im.p.PointerBits)
	if c.text(position) == "" {
		problem = "a format that is no literal"
	}
	if problem != "" {
		f.unsupported(c.name + " with " + problem)
		return nil
	}
	for k, conversion := range conversions {
		p := f.pointer(c, position+1+k)
		f.b.Op(ir.Havoc, ir.Type{}, p, f.b.Word(conversion.size))
		if conversion.text {
			f.b.Store(f.b.Const(8, 0), f.offset(p, conversion.size-1))
		}
	}
	// The number of conversions done, or -1.
	t := ir.IntType(32)
	done := f.b.Nondet(t, ir.NondetInput, scanName(c.name))
	n := f.b.Const(32, uint64(len(conversions)))
	f.b.Assume(f.b.Cmp(ir.SLe, f.complement(f.zero(t)), done))
	f.b.Assume(f.b.Cmp(ir.SLe, done, n))
	return []ir.Value{done}
}

// conversion is what a conversion writes.
type conversion struct {
	size uint64
	text bool // with a NUL at the end at the latest
}

// parseScanFormat lists the conversions of a scanf format that store something.
func parseScanFormat(format string, pointerBits uint32) (list []conversion, problem string) {
	word := uint64(pointerBits / 8)
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		rest := format[i+1:]
		if strings.HasPrefix(rest, "%") {
			i++
			continue
		}
		suppressed := strings.HasPrefix(rest, "*")
		rest = strings.TrimPrefix(rest, "*")
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		width, _ := strconv.ParseUint("0"+rest[:digits], 10, 31)
		rest = rest[digits:]
		modifier := ""
		for _, m := range []string{"hh", "h", "ll", "l", "L", "j", "z", "t"} {
			if strings.HasPrefix(rest, m) {
				modifier, rest = m, rest[len(m):]
				break
			}
		}
		if rest == "" {
			return nil, "an incomplete format"
		}
		kind := rest[0]
		if modifier == "l" && strings.ContainsRune("cs[", rune(kind)) {
			return nil, "a conversion of wide characters"
		}
		var c conversion
		switch kind {
		case 'd', 'i', 'u', 'o', 'x', 'X', 'n':
			c.size = map[string]uint64{"hh": 1, "h": 2, "": 4, "l": word, "ll": 8, "L": 8, "j": 8, "z": word, "t": word}[modifier]
		case 'a', 'e', 'f', 'g', 'A', 'E', 'F', 'G':
			if modifier == "L" {
				return nil, "a long double"
			}
			c.size = map[string]uint64{"": 4, "l": 8}[modifier]
		case 'p':
			c.size = word
		case 'c':
			c.size = max(width, 1)
		case 's', '[':
			if width == 0 && !suppressed {
				return nil, "%" + string(kind) + " without a bound: how much it writes is not known"
			}
			c.size, c.text = width+1, true
			if kind == '[' {
				set := strings.TrimPrefix(rest[1:], "^")
				end := strings.IndexByte(strings.TrimPrefix(set, "]"), ']')
				if end < 0 {
					return nil, "an incomplete format"
				}
				rest = rest[strings.Index(rest, set)+len(set)-len(strings.TrimPrefix(set, "]"))+end:]
			}
		default:
			return nil, "the conversion %" + string(kind)
		}
		if c.size == 0 {
			return nil, "the conversion %" + modifier + string(kind)
		}
		if !suppressed {
			list = append(list, c)
		}
		i = len(format) - len(rest)
	}
	return list, ""
}

// printsCount says whether a call of a printf function has a %n.
func (f *function) printsCount(i *llvm.Inst, name string) bool {
	if !strings.HasSuffix(name, "printf") {
		return false
	}
	c := &externalCall{source: i.Args}
	for k := range i.Args {
		if strings.Contains(strings.ReplaceAll(c.text(k), "%%", ""), "%n") {
			return true
		}
	}
	return false
}
