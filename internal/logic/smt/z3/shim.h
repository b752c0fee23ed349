#ifndef assay_z3_shim_h
#define assay_z3_shim_h

#include <stdint.h>

typedef struct assay_z3 assay_z3;

// One step of the construction of formulas: the result gets the next slot. The
// opcodes are in the order of package term's operations.
typedef struct {
  uint32_t op;
  uint32_t width;   // of the result, or of its elements; 0 for Bool
  uint32_t aux;     // array: index width; extract: low bit; round: mode
  uint32_t args[3]; // slots; constants: low and high half, or offset into words
} assay_z3_step;

enum {
  STEP_TRUE = 1,
  STEP_FALSE,
  STEP_CONST,
  STEP_VAR,
  STEP_NOT,
  STEP_AND,
  STEP_OR,
  STEP_XOR,
  STEP_EQ,
  STEP_ITE,
  STEP_ADD,
  STEP_MUL,
  STEP_NEG,
  STEP_UDIV,
  STEP_UREM,
  STEP_SDIV,
  STEP_SREM,
  STEP_SHL,
  STEP_LSHR,
  STEP_ASHR,
  STEP_BVNOT,
  STEP_BVAND,
  STEP_BVOR,
  STEP_BVXOR,
  STEP_ULT,
  STEP_ULE,
  STEP_SLT,
  STEP_SLE,
  STEP_CONCAT,
  STEP_EXTRACT,
  STEP_ZEXT,
  STEP_SEXT,
  STEP_SELECT,
  STEP_STORE,
  STEP_CONST_ARRAY,
  STEP_FADD,
  STEP_FMUL,
  STEP_FDIV,
  STEP_FREM,
  STEP_FSQRT,
  STEP_FMA,
  STEP_FROUND,
  STEP_FEQ,
  STEP_FLT,
  STEP_FLE,
  STEP_FTOSI,
  STEP_FTOUI,
  STEP_SITOF,
  STEP_UITOF,
  STEP_FTOF,
};

// A context without a solver; NULL if that fails.
assay_z3 *assay_z3_new(void);
void assay_z3_delete(assay_z3 *);

// The first error since the last call, or 0; message is valid until the next call.
int assay_z3_error(assay_z3 *, const char **message);

// Bounds the memory of all of Z3, in megabytes; 0 is no bound. At the soft bound
// checks give up, at the hard one the process may end.
void assay_z3_memory(uint32_t soft, uint32_t hard);

// Builds n steps. Slots are numbered from 1.
void assay_z3_build(assay_z3 *, const assay_z3_step *steps, int64_t n, const uint32_t *words);

// Replaces the solver: for a logic, from a tactic, or (both NULL) a simple one. A
// tactic may make conjunctions and disjunctions flat, or not.
void assay_z3_solver(assay_z3 *, const char *logic, const char *tactic, int flat);
void assay_z3_assert(assay_z3 *, const uint32_t *slots, int64_t n);
// Asserts that the Bool in slot proxy implies the one in slot formula.
void assay_z3_imply(assay_z3 *, uint32_t proxy, uint32_t formula);

// Checks under assumptions: 1 sat, -1 unsat, 0 unknown for a reason, which is
// valid until the next call. conflicts is the limit, or UINT32_MAX; resources that of
// Z3's own units of work, or 0.
int assay_z3_check(assay_z3 *, const uint32_t *slots, int64_t n, uint32_t conflicts, uint32_t resources, const char **reason);

// Interrupts the check in flight, if there is one; from any thread.
void assay_z3_interrupt(assay_z3 *);

// failed[i] = 1 if slots[i] is in the core of the last check, else 0.
void assay_z3_core(assay_z3 *, const uint32_t *slots, int8_t *failed, int64_t n);

// The value of a Bool or bit-vector in the model: in low if it has at most 64
// bits, else the decimal number that is returned, valid until the next call.
const char *assay_z3_value(assay_z3 *, uint32_t slot, uint64_t *low);

// Reads the array in a slot, and returns the number of its elements, -1 if it
// cannot be read. Their index and value are then asked for; element -1 is all others.
int64_t assay_z3_array(assay_z3 *, uint32_t slot);
uint64_t assay_z3_array_index(assay_z3 *, int64_t element);
const char *assay_z3_array_value(assay_z3 *, int64_t element, uint64_t *low);

// The units of work that Z3 has counted in this context.
uint64_t assay_z3_resources(assay_z3 *);

// Conflicts of the solver so far, and the memory of all of Z3 in bytes.
void assay_z3_statistics(assay_z3 *, uint64_t *conflicts, uint64_t *bytes);

#endif
