package term

import "slices"

// Plant puts a rule before all others of an operation, in all stores that are made until
// restore is called: tests plant wrong ones, to see who notices. The rule returns 0 where it does not
// match. Not while other goroutines make terms.
func Plant(op Op, rewrite func(s *Store, args [3]ID) ID) (restore func()) {
	before := rules[op]
	planted := rule{op, "planted", func(s *Store, n node) ID { return rewrite(s, n.args) }}
	rules[op] = slices.Concat([]rule{planted}, before)
	return func() { rules[op] = before }
}
