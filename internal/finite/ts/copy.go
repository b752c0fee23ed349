package ts

import "assay/internal/logic/sat"

// Copier rebuilds cones of one graph in another one, with the leaves replaced.
type Copier struct {
	from, to *sat.Graph
	image    []sat.Lit // by node; unset if not copied yet
}

const unset sat.Lit = -1

// NewCopier copies from one graph to another one, which may be the same.
func NewCopier(from, to *sat.Graph) *Copier {
	c := &Copier{from: from, to: to, image: make([]sat.Lit, from.Len())}
	for i := range c.image {
		c.image[i] = unset
	}
	c.image[0] = sat.False
	return c
}

// Set says what replaces the positive node of l, up to l's sign.
func (c *Copier) Set(l, image sat.Lit) { c.image[l.Node()] = image.XorSign(l.Negated()) }

// Has says whether the node of l has an image.
func (c *Copier) Has(l sat.Lit) bool { return c.image[l.Node()] != unset }

// Lit is the image of l. Every input below it must have been Set.
func (c *Copier) Lit(l sat.Lit) sat.Lit {
	if img := c.image[l.Node()]; img != unset {
		return img.XorSign(l.Negated())
	}
	stack := []int32{l.Node()}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		if c.image[n] != unset {
			stack = stack[:len(stack)-1]
			continue
		}
		if !c.from.IsAnd(n) {
			panic("ts: copy of an input that has no image")
		}
		a, b := c.from.Children(n)
		x, y := c.image[a.Node()], c.image[b.Node()]
		if x != unset && y != unset {
			c.image[n] = c.to.And(x.XorSign(a.Negated()), y.XorSign(b.Negated()))
			stack = stack[:len(stack)-1]
			continue
		}
		if x == unset {
			stack = append(stack, a.Node())
		}
		if y == unset {
			stack = append(stack, b.Node())
		}
	}
	return c.image[l.Node()].XorSign(l.Negated())
}

// Lits are the images of ls.
func (c *Copier) Lits(ls []sat.Lit) []sat.Lit {
	out := make([]sat.Lit, len(ls))
	for i, l := range ls {
		out[i] = c.Lit(l)
	}
	return out
}
