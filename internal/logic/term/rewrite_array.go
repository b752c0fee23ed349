package term

// This file has the rules of Select and Store: reads are followed down the chain
// of writes while indices are known to be equal or different.

// maxWrites bounds the writes that one read walks over.
const maxWrites = 512

// maxOverwrite bounds the writes under which an overwritten one is looked for.
const maxOverwrite = 8

func arrayRules() []rule {
	return []rule{
		{OpSelect, "chain", selectChain},
		{OpStore, "overwrite", storeOverwrite},
		{OpStore, "read-back", storeReadBack},
		{OpStore, "const-array", storeConstArray},
	}
}

// distinct says that the indices i and j differ under every assignment.
func (s *Store) distinct(i, j ID, depth int) bool {
	if i == j || depth == 0 {
		return false
	}
	if s.facts[i].disjoint(s.facts[j]) || s.inverse(i, j) {
		return true
	}
	base, k, added := s.plusConst(i)
	other, c, also := s.plusConst(j)
	if base == other {
		// Not the IDs decide alone: at maxDepth there may be an x + 0.
		return added && also && k != c || added && !also && !s.isZero(k) || also && !added && !s.isZero(c)
	}
	x, y := s.nodes[i], s.nodes[j]
	if x.op != y.op {
		return false
	}
	switch x.op {
	case OpZExt, OpSExt:
		return s.Width(x.args[0]) == s.Width(y.args[0]) && s.distinct(x.args[0], y.args[0], depth-1)
	case OpConcat:
		return s.Width(x.args[0]) == s.Width(y.args[0]) &&
			(s.distinct(x.args[0], y.args[0], depth-1) || s.distinct(x.args[1], y.args[1], depth-1))
	case OpAdd:
		for p := range 2 {
			if q, ok := s.has(j, OpAdd, x.args[p]); ok {
				return s.distinct(x.args[1-p], q, depth-1)
			}
		}
	}
	return false
}

// distinctDepth is how far distinct looks into indices.
const distinctDepth = 4

// read is the element of array a at j, or the array below a that has the same
// element at j.
func (s *Store) read(a, j ID, writes, choices int) (element, rest ID) {
	for ; writes > 0; writes-- {
		n := s.nodes[a]
		switch n.op {
		case OpConstArray:
			return n.args[0], 0
		case OpStore:
			if n.args[1] == j {
				return n.args[2], 0
			}
			if !s.distinct(n.args[1], j, distinctDepth) {
				return 0, a
			}
			a = n.args[0]
		case OpIte:
			if choices == 0 {
				return 0, a
			}
			x, p := s.read(n.args[1], j, writes/2, choices-1)
			y, q := s.read(n.args[2], j, writes/2, choices-1)
			switch {
			case x != 0 && y != 0:
				return s.Ite(n.args[0], x, y), 0
			case x == 0 && y == 0 && p == q:
				a = p
			default:
				return 0, a
			}
		default:
			return 0, a
		}
	}
	return 0, a
}

// match: Select(a, j) where the writes above some b are known to hit j or miss it
// result: the element written, or Select(b, j)
func selectChain(s *Store, n node) ID {
	element, rest := s.read(n.args[0], n.args[1], maxWrites, 4)
	switch {
	case element != 0:
		return element
	case rest != n.args[0]:
		return s.Select(rest, n.args[1])
	}
	return 0
}

// match: Store(Store(a, i, v), i, w), also with writes between the two
// result: Store(a, i, w), with the writes between the two below it
//
// A write between the two may hit i as well: the outer one hides it all the same.
func storeOverwrite(s *Store, n node) ID {
	var between [maxOverwrite]ID
	a := n.args[0]
	for k := 0; s.is(a, OpStore); k++ {
		if s.arg(a, 1) == n.args[1] {
			a = s.arg(a, 0)
			for k--; k >= 0; k-- {
				a = s.StoreArray(a, s.arg(between[k], 1), s.arg(between[k], 2))
			}
			return s.StoreArray(a, n.args[1], n.args[2])
		}
		if k == maxOverwrite {
			return 0
		}
		between[k] = a
		a = s.arg(a, 0)
	}
	return 0
}

// match: Store(a, i, Select(a, i))
// result: a
func storeReadBack(s *Store, n node) ID {
	if e := s.nodes[n.args[2]]; e.op == OpSelect && e.args[0] == n.args[0] && e.args[1] == n.args[1] {
		return n.args[0]
	}
	return 0
}

// match: Store(ConstArray(e), i, e)
// result: ConstArray(e)
func storeConstArray(s *Store, n node) ID {
	if a := n.args[0]; s.is(a, OpConstArray) && s.arg(a, 0) == n.args[2] {
		return a
	}
	return 0
}
