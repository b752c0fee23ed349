package checked

import (
	"context"
	"fmt"

	"assay/internal/logic/bv"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
)

// translation turns terms into clauses.
type translation struct {
	ctx       context.Context
	looks     int
	store     *term.Store
	clauses   []int32 // each ended by 0
	count     int64
	limit     int64 // of terms and clauses; 0 is none
	variables int32
	gates     map[gate]int32
	divisions map[division][2]word
	words     map[term.ID]word // of one literal for a Bool, nil for an array
	reads                      // of arrays
	values    []int8           // of the variables, in the last assignment
	terms     *term.Evaluator
}

func newTranslation(ctx context.Context, store *term.Store) *translation {
	t := &translation{
		ctx: ctx, store: store, gates: map[gate]int32{}, divisions: map[division][2]word{}, words: map[term.ID]word{},
		reads: reads{of: map[place]*read{}, tables: map[term.ID]*table{}},
	}
	t.clause(t.fresh()) // yes
	return t
}

// interrupted is thrown where the context ends, and caught in assert and refine.
type interrupted struct{ err error }

func (t *translation) look() {
	if t.looks++; t.looks%256 == 0 && t.ctx.Err() != nil {
		panic(interrupted{t.ctx.Err()})
	}
}

func caught(err *error) {
	switch p := recover().(type) {
	case nil:
	case interrupted:
		*err = p.err
	default:
		panic(p)
	}
}

// assert says that terms are true.
func (t *translation) assert(roots []term.ID) (err error) {
	defer caught(&err)
	for _, root := range roots {
		if err := t.translate(root); err != nil {
			return err
		}
		t.clause(t.words[root][0])
	}
	return nil
}

// any is true where one of some terms is.
func (t *translation) any(terms []term.ID) (some int32, err error) {
	defer caught(&err)
	some = no
	for _, x := range terms {
		if err := t.translate(x); err != nil {
			return no, err
		}
		some = t.or(some, t.words[x][0])
	}
	return some, nil
}

// translate gives words to a term and all below it, also below arrays.
func (t *translation) translate(root term.ID) error {
	stack := []term.ID{root}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		if _, ok := t.words[x]; ok {
			stack = stack[:len(stack)-1]
			continue
		}
		t.look()
		open := false
		for i := range t.store.NumArgs(x) {
			if a := t.store.Arg(x, i); !t.has(a) {
				stack = append(stack, a)
				open = true
			}
		}
		if open {
			continue
		}
		w, err := t.word(x)
		if err != nil {
			return err
		}
		t.words[x] = w
		if err := t.tooLarge(); err != nil {
			return err
		}
		stack = stack[:len(stack)-1]
	}
	return nil
}

func (t *translation) tooLarge() error {
	if t.limit > 0 && t.count+int64(len(t.words)) > t.limit {
		return smt.ErrLimit{Clauses: t.limit}
	}
	return nil
}

func (t *translation) has(x term.ID) bool {
	_, ok := t.words[x]
	return ok
}

// word is the word of a term whose operands have theirs.
func (t *translation) word(x term.ID) (word, error) {
	st := t.store
	sort := st.Sort(x)
	arg := func(i int) word { return t.words[st.Arg(x, i)] }
	bit := func(l int32) (word, error) { return word{l}, nil }
	if sort.Kind == term.SortArray {
		if sort.Index > 64 {
			return nil, smt.ErrUnsupported{What: "an array with an index of more than 64 bits"}
		}
		return nil, nil
	}
	width := int(max(sort.Width, 1))
	switch op := st.Op(x); op {
	case term.OpTrue:
		return bit(yes)
	case term.OpFalse:
		return bit(no)
	case term.OpConst:
		return t.constant(st.ConstValue(x)), nil
	case term.OpVar:
		return t.variable(width), nil
	case term.OpNot, term.OpBVNot:
		return inverted(arg(0)), nil
	case term.OpAnd, term.OpBVAnd:
		return t.bitwise(t.and, arg(0), arg(1)), nil
	case term.OpOr, term.OpBVOr:
		return t.bitwise(t.or, arg(0), arg(1)), nil
	case term.OpXor, term.OpBVXor:
		return t.bitwise(t.xor, arg(0), arg(1)), nil
	case term.OpEq:
		return bit(t.same(arg(0), arg(1)))
	case term.OpIte:
		return t.choose(arg(0)[0], arg(1), arg(2)), nil
	case term.OpAdd:
		w, _ := t.sum(arg(0), arg(1), no)
		return w, nil
	case term.OpNeg:
		return t.negated(arg(0)), nil
	case term.OpMul:
		w, _ := t.product(arg(0), arg(1), false)
		return w, nil
	case term.OpUDiv:
		q, _ := t.divide(arg(0), arg(1))
		return q, nil
	case term.OpURem:
		_, r := t.divide(arg(0), arg(1))
		return r, nil
	case term.OpSDiv:
		q, _ := t.signedDivide(arg(0), arg(1))
		return q, nil
	case term.OpSRem:
		_, r := t.signedDivide(arg(0), arg(1))
		return r, nil
	case term.OpShl:
		return t.shifted(arg(0), arg(1), true, no), nil
	case term.OpLShr:
		return t.shifted(arg(0), arg(1), false, no), nil
	case term.OpAShr:
		return t.shifted(arg(0), arg(1), false, arg(0)[width-1]), nil
	case term.OpULt:
		return bit(t.less(arg(0), arg(1)))
	case term.OpULe:
		return bit(-t.less(arg(1), arg(0)))
	case term.OpSLt:
		return bit(t.signedLess(arg(0), arg(1)))
	case term.OpSLe:
		return bit(-t.signedLess(arg(1), arg(0)))
	case term.OpConcat:
		return append(append(word(nil), arg(1)...), arg(0)...), nil
	case term.OpExtract:
		high, low := st.ExtractBounds(x)
		return append(word(nil), arg(0)[low:high+1]...), nil
	case term.OpZExt:
		return extended(arg(0), width, no), nil
	case term.OpSExt:
		return extended(arg(0), width, arg(0)[len(arg(0))-1]), nil
	case term.OpSelect:
		return t.read(st.Arg(x, 0), st.Arg(x, 1)).word, nil
	default:
		return nil, smt.ErrUnsupported{What: fmt.Sprintf("%v", op)}
	}
}

func extended(a word, width int, with int32) word {
	w := append(make(word, 0, width), a...)
	for len(w) < width {
		w = append(w, with)
	}
	return w
}

// true says whether a literal is true in the last assignment; what came after it is not.
func (t *translation) true(l int32) bool {
	v := l
	if v < 0 {
		v = -v
	}
	return int(v) <= len(t.values) && t.values[v-1] > 0 == (l > 0)
}

// number is the value of a word of at most 64 bits.
func (t *translation) number(w word) (n uint64) {
	for i, l := range w {
		if t.true(l) {
			n |= 1 << i
		}
	}
	return n
}

// agree says whether two words have the same value.
func (t *translation) agree(a, b word) bool {
	for i := range a {
		if t.true(a[i]) != t.true(b[i]) {
			return false
		}
	}
	return true
}

func (t *translation) value(w word) bv.BV {
	if len(w) <= 64 {
		return bv.New(uint32(len(w)), t.number(w))
	}
	return t.value(w[64:]).Concat(bv.New(64, t.number(w[:64])))
}

// evaluator computes the values of terms in the last assignment.
func (t *translation) evaluator() *term.Evaluator {
	if t.terms == nil {
		t.terms = term.NewEvaluator(t.store, func(v term.ID) (bv.BV, bool) {
			w, ok := t.words[v]
			if !ok {
				return bv.BV{}, false
			}
			return t.value(w), true
		})
		t.terms.SetArrays(func(v term.ID) (map[uint64]bv.BV, bv.BV, bool) {
			return t.array(v), bv.New(t.store.Width(v), 0), true
		})
	}
	return t.terms
}
