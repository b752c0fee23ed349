package bench

// capture is a writer that keeps the beginning and the end of what is written,
// each up to a limit, so that a program that prints for ever costs no memory.
// It is used by one goroutine at a time, as os/exec does.
type capture struct {
	limit     int
	head      []byte
	tail      []byte
	truncated bool
}

func (c *capture) Write(p []byte) (int, error) {
	n := len(p)
	room := min(c.limit-len(c.head), n)
	c.head = append(c.head, p[:room]...)
	p = p[room:]
	c.tail = append(c.tail, p...)
	if len(c.tail) > 2*c.limit {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-c.limit:]...)
		c.truncated = true
	}
	return n, nil
}

// bytes is what was kept, which is all of it unless truncated is set.
func (c *capture) bytes() []byte { return append(c.head, c.tail...) }
