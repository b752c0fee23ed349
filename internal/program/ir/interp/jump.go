package interp

import (
	"fmt"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// Jumps: the run goes on as if iterations of a loop had been made. The machine checks
// that the jump is one of this run (the values before are those that it names), and
// sets the values after. Whether the iterations do that is for the checker to prove.

// jumper counts the visits of heads where the run jumps.
type jumper struct {
	rest   []ir.Jump
	visits map[head]int64
}

// head is a loop head of a function, by index.
type head struct {
	function uint32
	block    ir.BlockID
}

func newJumper(p *Program, jumps []ir.Jump) *jumper {
	j := &jumper{rest: jumps, visits: map[head]int64{}}
	for i := range jumps {
		if f, ok := p.index[jumps[i].Func]; ok {
			j.visits[head{uint32(f), jumps[i].Head}] = 0
		}
	}
	return j
}

// jump is called at loop heads; it says whether the run goes on.
func (m *machine) jump(block ir.BlockID) bool {
	h := head{m.cur.index, block}
	n, ok := m.jumps.visits[h]
	if !ok {
		return true
	}
	n++
	m.jumps.visits[h] = n
	if len(m.jumps.rest) == 0 {
		return true
	}
	j := &m.jumps.rest[0]
	if j.Func != m.cur.f.Name || j.Head != block || j.Visit != n {
		return true
	}
	m.jumps.rest = m.jumps.rest[1:]
	first := m.cur.f.Blocks[block].Instrs[0]
	if why := m.misfit(j); why != "" {
		m.out.Err = fmt.Errorf("the jump of %d iterations does not fit the run: %s", j.Rounds, why)
		return m.end(Desynced, first, m.out.Err.Error())
	}
	if !m.emit(Event{Kind: Jumping, Block: block, Value: first, Jump: j}) {
		return false
	}
	for i := range j.Changes {
		c := &j.Changes[i]
		if c.Value != 0 {
			m.setBits(m.cur.registers[c.Value], c.End)
			continue
		}
		o, at, _ := m.cell(&c.Cell)
		o.overwrite(at, uint64(c.Cell.Bits/8))
		copy(o.bytes[at:], c.End.Bytes())
	}
	return true
}

// misfit says why the jump is not one of this run, "" if it is.
func (m *machine) misfit(j *ir.Jump) string {
	for i := range j.Changes {
		c := &j.Changes[i]
		var now bv.BV
		if c.Value != 0 {
			if d := m.cur.f.Def(c.Value); d.Op != ir.Phi || d.Block != j.Head {
				return fmt.Sprintf("%%%d is no phi of the loop", c.Value)
			}
			now = m.bits(m.cur.registers[c.Value], m.cur.f.Type(c.Value))
		} else {
			o, at, ok := m.cell(&c.Cell)
			if !ok {
				return "it changes memory that cannot be written"
			}
			now = bv.FromBytes(o.bytes[at : at+uint64(c.Cell.Bits/8)])
		}
		if now.Width() != c.Start.Width() || now.Width() != c.End.Width() || !now.Equal(c.Start) {
			return fmt.Sprintf("change %d starts at %s, not %s", i, now, c.Start)
		}
	}
	return ""
}

// cell is where a cell is in memory.
func (m *machine) cell(c *ir.Cell) (o *object, at uint64, ok bool) {
	var p pointer
	if c.Global != "" {
		id, known := m.p.objects[c.Global]
		if !known {
			return nil, 0, false
		}
		p = pointer{address: m.mem.objects[id].base, object: id}
	} else {
		p = m.object(m.cur.registers[c.Pointer])
	}
	p.address = (p.address + c.Offset) & m.mem.mask
	if c.Bits%8 != 0 || c.Bits == 0 {
		return nil, 0, false
	}
	return m.mem.writable(p, uint64(c.Bits/8))
}
