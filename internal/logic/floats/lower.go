package floats

import (
	"fmt"

	"assay/internal/logic/term"
)

// Lower replaces the head symbol of t, if it is a floating-point operation, by
// its circuit, and is t otherwise. The arguments of t stay as they are: where
// they are floating-point operations themselves, they remain.
func Lower(store *term.Store, t term.ID) term.ID {
	arg := func(i int) term.ID { return store.Arg(t, i) }
	switch op := store.Op(t); op {
	case term.OpFAdd:
		return Add(store, format(store, t), arg(0), arg(1))
	case term.OpFMul:
		return Mul(store, format(store, t), arg(0), arg(1))
	case term.OpFDiv:
		return Div(store, format(store, t), arg(0), arg(1))
	case term.OpFRem:
		return Rem(store, format(store, t), arg(0), arg(1))
	case term.OpFSqrt:
		return Sqrt(store, format(store, t), arg(0))
	case term.OpFMA:
		return FMA(store, format(store, t), arg(0), arg(1), arg(2))
	case term.OpFRound:
		return Round(store, format(store, t), store.RoundMode(t), arg(0))
	case term.OpFEq:
		return Eq(store, format(store, arg(0)), arg(0), arg(1))
	case term.OpFLt:
		return Lt(store, format(store, arg(0)), arg(0), arg(1))
	case term.OpFLe:
		return Le(store, format(store, arg(0)), arg(0), arg(1))
	case term.OpFToSI:
		return ToSI(store, format(store, arg(0)), arg(0), store.Width(t))
	case term.OpFToUI:
		return ToUI(store, format(store, arg(0)), arg(0), store.Width(t))
	case term.OpSIToF:
		return FromSI(store, format(store, t), arg(0))
	case term.OpUIToF:
		return FromUI(store, format(store, t), arg(0))
	case term.OpFToF:
		return Convert(store, format(store, arg(0)), format(store, t), arg(0))
	}
	return t
}

// format is the format of a floating-point term, which term has checked.
func format(store *term.Store, t term.ID) Format {
	f, ok := FormatOf(store.Width(t))
	if !ok {
		panic(fmt.Sprintf("floats: no format has %d bits", store.Width(t)))
	}
	return f
}
