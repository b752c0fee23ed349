package property

// Rule is what is to be said of a violation of a property to somebody who sees it for the first
// time, in an editor or a code review.
type Rule struct {
	Property Property
	Name     string // of what goes wrong, in CamelCase, as rules of analysers are named
	Short    string // the property, in a sentence
	Wrong    string // what happens to a program that violates it
	Mend     string // what to look for
	CWE      int    // of the Common Weakness Enumeration, 0 is none
	Security string // how bad it may be for security, from 0 to 10 as in CVSS, empty if it is not a matter of security
}

// Rules are those of the properties that a `false(…)` may name.
var Rules = []Rule{
	{UnreachCall, "ReachableAssertion", "No assertion fails, and no error function is called.",
		"An assert(), __VERIFIER_assert() or __CPROVER_assert() is false on a run, or a run calls reach_error(), __VERIFIER_error() or another function that reports an error.",
		"The trace shows inputs with which it happens. Either the code before is wrong for them, or a condition on the inputs is missing (`if (…) return`, or __VERIFIER_assume in a harness).", 617, ""},
	{UnreachLabel, "ReachableErrorLabel", "The error label is never reached.",
		"A run comes to the C label that stands for an error.",
		"The trace shows inputs with which it happens; look at the last condition before the label.", 617, ""},
	{NoOverflow, "SignedOverflow", "No signed integer arithmetic overflows.",
		"The result of signed arithmetic does not fit its type, which is undefined behaviour in C: compilers assume that it does not happen, and optimise accordingly.",
		"Check the operands before (`a > INT_MAX - b`), compute in a wider or an unsigned type, or use __builtin_add_overflow and its kin.", 190, "6.5"},
	{DivByZero, "DivisionByZero", "No integer is divided by zero.",
		"The divisor of / or % is zero, or INT_MIN is divided by -1: undefined behaviour, which mostly ends the program with SIGFPE.",
		"Check the divisor before; the trace shows where its value comes from.", 369, "5.5"},
	{Shift, "ShiftOutOfRange", "No value is shifted by a negative amount, or by its width or more.",
		"The amount of << or >> is negative or not less than the width of the promoted left operand: undefined behaviour, with another result on each machine.",
		"Check the amount before, or mask it (`n & 31`).", 1335, "4.0"},
	{ValidDeref, "InvalidAccess", "Every access is inside of an object that lives.",
		"A read or write goes through a null pointer, behind the end or before the start of an object, or to an object that was freed or has gone out of scope.",
		"The trace shows the values of indices and pointers; compare the bound of the loop or the length that was passed with the size of the object that the message names.", 119, "8.5"},
	{ValidFree, "InvalidFree", "Only live heap blocks are freed, each once, by the pointer to their start.",
		"free() or realloc() gets a pointer that was freed before, that points into a block, or to something that malloc has not made.",
		"Set pointers to NULL after free, and let one function own each block.", 763, "8.0"},
	{ValidMemTrack, "MemoryLeak", "Every heap block stays reachable until it is freed.",
		"The last pointer to a block that was not freed is overwritten or goes out of scope: the memory is lost.",
		"Free the block on this path; early returns and error paths are the usual places.", 401, "4.0"},
	{ValidCleanup, "MemoryNotFreed", "Every heap block is freed when the program ends.",
		"A run ends with memory that was not freed.",
		"Free the block that the message names before the end of main.", 401, "3.0"},
	{Undefined, "UndefinedBehaviour", "No other undefined behaviour happens.",
		"A float does not fit the integer it is converted to, a place is reached that must not be, a function of the C library gets arguments that the standard forbids, or a function is called by a pointer of another type.",
		"The message names the rule that is broken; check the value or the arguments before.", 758, "5.0"},
	{FloatCast, "FloatCastOverflow", "Every float fits the integer that it is converted to.",
		"A floating-point number that is too large, too small or NaN is converted to an integer, which is undefined behaviour in C: machines differ.",
		"Compare the number with the limits of the type before, and think of NaN, which every comparison but != rejects.", 681, "4.0"},
	{ValidInit, "UninitialisedUse", "Nothing depends on memory that was never written.",
		"A branch, an address or what the program puts out depends on a variable without initialiser, or on bytes of malloc that nothing wrote: the program behaves differently from run to run.",
		"Initialise the variable where it is declared, or the block where it is made (calloc, memset); the trace shows the way on which that is missing.", 457, "5.5"},
	{UnsignedWrap, "UnsignedWrap", "No unsigned arithmetic wraps around.",
		"The result of unsigned arithmetic does not fit its type and is reduced modulo its range. C defines that; where a size or an index is computed it is mostly a mistake.",
		"Check the operands before (`a > UINT_MAX - b`), or use __builtin_add_overflow and its kin.", 190, "5.0"},
	{Conversion, "LossyConversion", "No implicit conversion changes a value.",
		"An integer is assigned, passed or returned as a type that cannot hold its value: bits are lost, or a negative number becomes a large one.",
		"Use a type that is wide enough, check the range before, or cast where the loss is intended.", 681, "4.0"},
	{ArrayBounds, "ArrayIndex", "No index is outside of its array.",
		"An array inside of a structure, or a row of an array of arrays, is indexed with a number that it does not have: the access hits what lies beside it, without leaving the object.",
		"Check the index against the number of elements before; copy whole structures with memcpy of the structure.", 129, "7.0"},
	{NotANumber, "NotANumber", "No floating-point operation makes a NaN of numbers.",
		"0/0, inf - inf, 0 * inf and the like: the result is NaN, and comparisons with it are false.",
		"Check the operands before, or test the result with isnan.", 682, ""},
	{Termination, "EndlessRun", "Every run ends.",
		"With the inputs of the trace the program runs for ever: the state at the marked step comes back, or a set of states is never left.",
		"Look at what should make progress in the loop, and for which inputs it does not (a step of zero, a counter that wraps around, a condition with != that is stepped over).", 835, "5.0"},
	{LTL, "TemporalFormula", "A formula of linear temporal logic is true of every run.",
		"The run of the trace makes the formula false; a run without end goes through the marked states again and again.",
		"The steps say which subformulas are true from there on.", 0, ""},
}

// RuleOf is the rule of a property that a `false(…)` names, nil if it has none.
func RuleOf(p Property) *Rule {
	for i := range Rules {
		if Rules[i].Property == p {
			return &Rules[i]
		}
	}
	return nil
}
