package verdict

import "assay/internal/program/ir"

// KindText says in words what went wrong.
func KindText(k ir.CheckKind) string {
	switch k {
	case ir.Assertion:
		return "assertion"
	case ir.ErrorLabel:
		return "error label reached"
	case ir.Overflow:
		return "signed overflow"
	case ir.ShiftOverflow:
		return "signed left shift loses bits"
	case ir.DivByZero:
		return "division by zero"
	case ir.ShiftRange:
		return "shift amount out of range"
	case ir.InvalidDeref:
		return "invalid access"
	case ir.InvalidFree:
		return "invalid free"
	case ir.ReachedUnreachable:
		return "end of a function without a return value, or unreachable code reached"
	case ir.FloatConversion:
		return "float does not fit the integer type"
	case ir.Precondition:
		return "precondition of a library function"
	case ir.MemTrack:
		return "memory leak"
	case ir.MemCleanup:
		return "memory not freed at the end"
	case ir.Incompatible:
		return "call through an incompatible function pointer"
	case ir.UnsignedOverflow:
		return "unsigned overflow"
	case ir.ImplicitConversion:
		return "implicit conversion changes the value"
	case ir.ArrayIndex:
		return "index outside of the array"
	case ir.NotANumber:
		return "the result is NaN"
	case ir.ArrayLength:
		return "length of an array that is not positive"
	case ir.Uninitialised:
		return "uninitialised value"
	case ir.Invariant:
		return "invariant of a loop does not hold"
	}
	return "undefined behaviour"
}
