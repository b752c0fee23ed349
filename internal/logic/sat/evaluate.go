package sat

// Evaluator computes the values of literals from those of the inputs, only for
// the nodes below the literals asked for. After Reset everything computed
// before is forgotten, in constant time.
type Evaluator struct {
	g     *Graph
	input func(n int32) bool
	mark  []uint32 // 2*epoch + value
	epoch uint32
	stack []int32
}

// NewEvaluator evaluates over g; input gives the value of an input node.
func NewEvaluator(g *Graph, input func(n int32) bool) *Evaluator {
	return &Evaluator{g: g, input: input, epoch: 1}
}

// Reset is called when the inputs' values have changed.
func (e *Evaluator) Reset() {
	if e.epoch++; e.epoch == 1<<31 {
		clear(e.mark)
		e.epoch = 1
	}
}

// Bytes is the memory of the tables.
func (e *Evaluator) Bytes() int64 { return int64(cap(e.mark)) * 4 }

// Value is the value of l.
func (e *Evaluator) Value(l Lit) bool {
	if l.IsConstant() {
		return l == True
	}
	if int(l.Node()) >= len(e.mark) {
		e.mark = append(e.mark, make([]uint32, e.g.Len()-len(e.mark))...)
	}
	e.stack = append(e.stack[:0], l.Node())
	for len(e.stack) > 0 {
		n := e.stack[len(e.stack)-1]
		if e.known(n) {
			e.stack = e.stack[:len(e.stack)-1]
			continue
		}
		nd := e.g.nodes[n]
		if nd.a < 0 {
			e.set(n, n != 0 && e.input(n))
			continue
		}
		// One false child decides; the second is evaluated only if the first is true.
		switch {
		case !e.known(nd.a.Node()):
			e.stack = append(e.stack, nd.a.Node())
		case !e.at(nd.a):
			e.set(n, false)
		case !e.known(nd.b.Node()):
			e.stack = append(e.stack, nd.b.Node())
		default:
			e.set(n, e.at(nd.b))
		}
	}
	return e.at(l)
}

func (e *Evaluator) known(n int32) bool { return e.mark[n]>>1 == e.epoch }

func (e *Evaluator) at(l Lit) bool { return e.mark[l.Node()]&1 != uint32(l&1) }

func (e *Evaluator) set(n int32, v bool) {
	e.mark[n] = e.epoch << 1
	if v {
		e.mark[n] |= 1
	}
}
