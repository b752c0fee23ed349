package native

import (
	"golang.org/x/sys/unix"

	"assay/internal/run/tracing"
)

// This file gives a binary blocks of the heap that end where a page does behind which nothing may be accessed, and
// that nothing may access when they are freed [EFence]: what C leaves undefined then is a fault of the machine. Blocks
// that come from elsewhere in the library are the library's own.

const (
	pageBytes  = 4096
	arenaBytes = 1 << 30
)

// fence is the heap of a run.
type fence struct {
	arena, next uint64
	live        map[uint64]uint64 // sizes, by address
	elsewhere   map[string]uint64 // the library's own functions, by name
	wrong       bool              // a free of what is no live block
	full        bool
}

// names are the functions that the fence stands for.
var fenced = map[string]func(*fence, *tracing.Process) (tracing.Action, error){
	"malloc": func(f *fence, p *tracing.Process) (tracing.Action, error) { return f.give(p, p.Registers.Rdi) },
	"calloc": func(f *fence, p *tracing.Process) (tracing.Action, error) {
		n, m := p.Registers.Rdi, p.Registers.Rsi
		if m != 0 && n > arenaBytes/m {
			n, m = arenaBytes, 1
		}
		return f.give(p, n*m)
	},
	"free":    (*fence).take,
	"realloc": (*fence).resize,
}

// begin reserves the addresses.
func (f *fence) begin(p *tracing.Process) (err error) {
	f.live, f.elsewhere = map[uint64]uint64{}, map[string]uint64{}
	f.arena, err = p.Call(unix.SYS_MMAP, 0, arenaBytes, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE, ^uint64(0), 0)
	f.next = f.arena + pageBytes
	return err
}

// block makes a block of zeros; 0 if there is no room.
func (f *fence) block(p *tracing.Process, size uint64) (uint64, error) {
	pages := (max(size, 1) + pageBytes - 1) / pageBytes
	if size > arenaBytes/2 || f.next+(pages+1)*pageBytes > f.arena+arenaBytes {
		f.full = true
		return 0, nil
	}
	if _, err := p.Call(unix.SYS_MPROTECT, f.next, pages*pageBytes, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		return 0, err
	}
	end := f.next + pages*pageBytes
	f.next = end + pageBytes
	align := uint64(16) // as its size allows, so that its end is that of a page
	for max(size, 1)%align != 0 {
		align /= 2
	}
	at := (end - max(size, 1)) &^ (align - 1)
	f.live[at] = size
	return at, nil
}

func (f *fence) give(p *tracing.Process, size uint64) (tracing.Action, error) {
	at, err := f.block(p, size)
	p.Registers.Rax = at
	return tracing.Return, err
}

// inside says whether an address is one of the fence.
func (f *fence) inside(at uint64) bool { return at >= f.arena && at < f.arena+arenaBytes }

// close frees a block; ok says that it was one.
func (f *fence) close(p *tracing.Process, at uint64) (ok bool, err error) {
	size, ok := f.live[at]
	if !ok {
		f.wrong = true
		return false, nil
	}
	delete(f.live, at)
	first := at &^ (pageBytes - 1)
	_, err = p.Call(unix.SYS_MPROTECT, first, (at+max(size, 1)-first+pageBytes-1)&^(pageBytes-1), unix.PROT_NONE)
	return true, err
}

// foreign hands what is not of the fence to the library, if it has that function.
func (f *fence) foreign(p *tracing.Process, name string) (tracing.Action, error) {
	to, ok := f.elsewhere[name]
	if !ok {
		f.wrong = true
		return tracing.Stop, nil
	}
	p.Registers.Rip = to
	return tracing.Continue, nil
}

func (f *fence) take(p *tracing.Process) (tracing.Action, error) {
	at := p.Registers.Rdi
	switch {
	case at == 0:
		return tracing.Return, nil
	case !f.inside(at):
		return f.foreign(p, "free")
	}
	if ok, err := f.close(p, at); !ok || err != nil {
		return tracing.Stop, err
	}
	return tracing.Return, nil
}

func (f *fence) resize(p *tracing.Process) (tracing.Action, error) {
	old, size := p.Registers.Rdi, p.Registers.Rsi
	switch {
	case old == 0:
		return f.give(p, size)
	case !f.inside(old):
		return f.foreign(p, "realloc")
	}
	length, ok := f.live[old]
	if !ok {
		f.wrong = true
		return tracing.Stop, nil
	}
	at, err := f.block(p, size)
	if err != nil || at == 0 {
		p.Registers.Rax = at
		return tracing.Return, err
	}
	content := make([]byte, min(length, size))
	if err := p.Read(old, content); err != nil {
		return tracing.Stop, err
	}
	if err := p.Write(at, content); err != nil {
		return tracing.Stop, err
	}
	p.Registers.Rax = at
	_, err = f.close(p, old)
	return tracing.Return, err
}
