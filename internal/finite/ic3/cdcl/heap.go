package cdcl

// heap is a binary heap of variables, the most active on top.
type heap struct {
	items []uint32
	at    []int32 // position by variable, or -1
}

func (h *heap) init(n int) {
	h.at = make([]int32, n)
	for i := range h.at {
		h.at[i] = -1
	}
}

func (h *heap) len() int { return len(h.items) }

func (h *heap) clear() {
	for _, v := range h.items {
		h.at[v] = -1
	}
	h.items = h.items[:0]
}

// append adds a variable at the end; order has to follow.
func (h *heap) append(v uint32) {
	h.at[v] = int32(len(h.items))
	h.items = append(h.items, v)
}

// order makes a heap of items in any order.
func (h *heap) order(activity []float64) {
	for i := len(h.items)/2 - 1; i >= 0; i-- {
		h.down(i, activity)
	}
}

func (h *heap) push(v uint32, activity []float64) {
	h.at[v] = int32(len(h.items))
	h.items = append(h.items, v)
	h.up(len(h.items)-1, activity)
}

func (h *heap) pop(activity []float64) uint32 {
	top := h.items[0]
	last := h.items[len(h.items)-1]
	h.items = h.items[:len(h.items)-1]
	h.at[top] = -1
	if len(h.items) > 0 {
		h.items[0] = last
		h.at[last] = 0
		h.down(0, activity)
	}
	return top
}

func (h *heap) up(i int, activity []float64) {
	v := h.items[i]
	for i > 0 {
		parent := (i - 1) / 2
		if activity[h.items[parent]] >= activity[v] {
			break
		}
		h.items[i] = h.items[parent]
		h.at[h.items[i]] = int32(i)
		i = parent
	}
	h.items[i] = v
	h.at[v] = int32(i)
}

func (h *heap) down(i int, activity []float64) {
	v := h.items[i]
	for {
		child := 2*i + 1
		if child >= len(h.items) {
			break
		}
		if child+1 < len(h.items) && activity[h.items[child+1]] > activity[h.items[child]] {
			child++
		}
		if activity[h.items[child]] <= activity[v] {
			break
		}
		h.items[i] = h.items[child]
		h.at[h.items[i]] = int32(i)
		i = child
	}
	h.items[i] = v
	h.at[v] = int32(i)
}
