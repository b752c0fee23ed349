#ifndef assay_cadical_shim_h
#define assay_cadical_shim_h

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct assay_cadical assay_cadical;

// What went wrong, where a function returns that; CaDiCaL's results are 0, 10
// and 20. After NO_MEMORY the solver must not be used again, nor deleted.
enum { ASSAY_CADICAL_NO_MEMORY = -1, ASSAY_CADICAL_BAD_LITERAL = -2 };

assay_cadical *assay_cadical_new(void);
void assay_cadical_delete(assay_cadical *);

// Sets an option, before anything else; 0 if there is none of that name.
int assay_cadical_set(assay_cadical *, const char *name, int value);

// Lets the solver write what it derives, in binary DRAT, to memory: after the options, before
// anything else. Returns 0 or NO_MEMORY.
int assay_cadical_trace(assay_cadical *);

// What was written so far. The bytes are the solver's, until its next call.
const char *assay_cadical_proof(assay_cadical *, int64_t *size);

// Adds n literals, clauses ended by 0. Returns 0, NO_MEMORY or BAD_LITERAL.
int assay_cadical_add(assay_cadical *, const int32_t *flat, int64_t n);

// Solves under a assumptions, a constraint clause if c > 0, and a limit on
// conflicts if it is not negative.
int assay_cadical_solve(assay_cadical *, const int32_t *assumptions, int64_t a,
                        const int32_t *constraint, int64_t c, int limit);

// Asks a running or the next solve to stop; cleared by assay_cadical_resume.
void assay_cadical_stop(assay_cadical *);
void assay_cadical_resume(assay_cadical *);

// Makes a running or the next solve rest until it is called with 0.
void assay_cadical_pause(assay_cadical *, int paused);

// The values of n variables from the first one on: 1, or -1 if false or unknown.
void assay_cadical_values(assay_cadical *, int32_t first, int8_t *values, int64_t n);

// failed[i] = 1 if the assumption lits[i] is in the core, else 0.
void assay_cadical_failed(assay_cadical *, const int32_t *lits, int8_t *failed, int64_t n);
int assay_cadical_constraint_failed(assay_cadical *);

// fixed[i] = 1, -1 or 0 if lits[i] is implied, refuted or neither at the root.
void assay_cadical_fixed(assay_cadical *, const int32_t *lits, int8_t *fixed, int64_t n);

// The number of learned clauses so far.
int64_t assay_cadical_learned(assay_cadical *);

#ifdef __cplusplus
}
#endif
#endif
