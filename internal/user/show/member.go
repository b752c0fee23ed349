package show

import (
	"strconv"
	"strings"

	"assay/internal/program/ir"
)

// This file names parts of objects as C does: members of structures, elements of arrays, what pointers point to.

// partAt is the part of a type at an offset where size bytes are accessed (0 if that is not known): its path as C writes it
// behind the name of the whole, its type, and the bytes that are left where no part begins. An index may be outside of its
// array: that is what is to be shown.
func partAt(t ir.CType, offset, size uint64) (path string, part ir.CType, rest uint64) {
	for t.Parts != nil && !t.Ptr {
		if width := uint64(t.Parts.Element.Bits) / 8; width > 0 {
			if size > width && offset%width == 0 && offset < uint64(t.Bits)/8 {
				break // more than an element
			}
			path += "[" + strconv.FormatUint(offset/width, 10) + "]"
			t, offset = t.Parts.Element, offset%width
			continue
		}
		m, ok := memberAt(t.Parts.Members, offset, size)
		if !ok || offset == m.Offset/8 && m.Type.Bits > 0 && size > uint64(m.Type.Bits)/8 {
			break
		}
		if m.Name != "" {
			path += "." + m.Name
		}
		t, offset = m.Type, offset-m.Offset/8
	}
	return path, t, offset
}

// memberAt is the member at an offset: of those that share it, as in a union, one of the size that is accessed; behind all
// others an array without a size.
func memberAt(members []ir.Member, offset, size uint64) (found ir.Member, ok bool) {
	for _, m := range members {
		from, width := m.Offset/8, uint64(m.Type.Bits)/8
		within := offset >= from && offset < from+width
		open := width == 0 && offset >= from && m.Type.Parts != nil
		if (within || open) && (!ok || offset == from && width == size && uint64(found.Type.Bits)/8 != size) {
			found, ok = m, true
		}
	}
	return found, ok
}

// behind is the name of what is at a distance in bytes from where a pointer points to, "" if the type of the pointer does
// not say it.
func behind(pointer string, element ir.CType, distance int64, size uint64) (name string, part ir.CType) {
	width := int64(element.Bits) / 8
	if width == 0 {
		return "", ir.CType{}
	}
	index := distance / width
	if distance%width < 0 {
		index--
	}
	path, part, rest := partAt(element, uint64(distance-index*width), size)
	if rest != 0 {
		return "", ir.CType{}
	}
	if strings.HasPrefix(pointer, "*") {
		pointer = "(" + pointer + ")"
	}
	switch {
	case index == 0 && strings.HasPrefix(path, "."):
		return pointer + "->" + path[1:], part
	case index == 0 && path == "" && element.Parts != nil:
		return "*" + pointer, part
	}
	return pointer + "[" + strconv.FormatInt(index, 10) + "]" + path, part
}
