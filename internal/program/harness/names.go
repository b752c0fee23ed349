package harness

import (
	"slices"
	"strings"

	"assay/internal/run/lazyregexp"
)

// This file knows names that people give to lengths, sizes and positions.

var (
	wordBreak = lazyregexp.New(`([a-z0-9])([A-Z])`)
	// lengthWords are what a length is called, alone or as a part of a name.
	lengthWords = []string{"len", "length", "size", "sz", "siz", "n", "num", "count", "cnt", "nbytes", "nmemb", "bytes", "nelem", "nelems", "elems", "max", "maxlen", "bufsize", "buflen", "buffersize", "strlen", "nitems", "items", "total", "limit", "blen", "slen", "dlen"}
	// capacityWords are what the size of a block is called of which a part is in use.
	capacityWords = []string{"cap", "capacity", "alloc", "allocated", "allocation", "size", "sz", "max", "maxlen", "bufsize", "buflen", "room", "space"}
	// roomWords are those of capacityWords that stand for nothing else.
	roomWords = []string{"cap", "capacity", "alloc", "allocated", "allocation", "room", "space"}
	// placeWords are what the index of an element is called.
	placeWords = []string{"pos", "position", "offset", "off", "idx", "index", "cur", "cursor", "head", "tail", "first", "last", "front", "rear", "read", "write"}
	// positionWords are what a place in a buffer is called.
	positionWords = []string{"pos", "position", "offset", "off", "idx", "index", "cur", "cursor", "used", "len", "length", "count", "n", "num", "fill", "filled", "head", "tail", "first", "last", "front", "rear", "entries", "items"}
)

// Words splits a name at underscores and capitals, in lower case.
func Words(name string) []string {
	return strings.FieldsFunc(strings.ToLower(wordBreak.ReplaceAllString(name, "${1}_$2")), func(r rune) bool { return r == '_' })
}

// isEnd says that a name is that of the end of a buffer: end, buf_end, bufend, endptr.
func isEnd(name string) bool {
	list := Words(name)
	if len(list) == 0 {
		return false
	}
	last := list[len(list)-1]
	return last == "end" || last == "limit" || last == "eos" || len(list) == 1 && (strings.HasSuffix(last, "end") || strings.HasPrefix(last, "end")) && !strings.HasSuffix(last, "send") && !strings.HasSuffix(last, "append")
}

// isSize says that a member is called size and nothing else: beside one that is the room of a buffer it is how much is in use.
func isSize(name string) bool {
	name = name[len(inside(name)):]
	return name == "size" || name == "sz"
}

// limitPrefix begins the names of limits: maxf, nmax.
var limitPrefix = lazyregexp.New(`(?i)^(max|cap)|(max|cap)$`)

// isLimit says that a name is that of the size of a block of which a part is in use.
func isLimit(name string) bool { return isOneOf(name, capacityWords) || limitPrefix.MatchString(name) }

// isOneOf says that one of the words of a name is in a list; what is short counts only as a word of its own, as in n or n_items,
// what is long also at the end of a word, as in srclen.
func isOneOf(name string, list []string) bool {
	for _, w := range Words(name) {
		if strings.HasPrefix(w, "ref") { // a count of references
			return false
		}
		for _, x := range list {
			if w == x || len(x) >= 3 && strings.HasSuffix(w, x) && len(w) > len(x) {
				return true
			}
		}
	}
	return false
}

// isArguments says that two names are those of the arguments of a program and their number.
func isArguments(pointer, length string) bool {
	return pointer == "argv" && length == "argc" || pointer == "av" && length == "ac"
}

// belongs says that the name of a length is made of that of a pointer: src and src_len, data and n_data, nargs and args.
func belongs(pointer, length string) bool {
	p, l := strings.Join(Words(pointer), ""), strings.Join(Words(length), "")
	if p == "" || !strings.Contains(l, p) || p == l {
		return false
	}
	rest := strings.Replace(l, p, "", 1)
	return slices.Contains(lengthWords, rest) || slices.Contains(capacityWords, rest) || rest == "s"
}

// Behind is what a pointer parameter leads to, where that is the length of another one.
func Behind(name string) string { return "*" + name }
