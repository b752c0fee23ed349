#ifndef assay_z3_script_h
#define assay_z3_script_h

#include <stdint.h>

// A context of Z3 that executes SMT-LIB commands.
typedef struct assay_z3_script assay_z3_script;

// arithmetic is Z3's number of a solver for integers. NULL if it fails.
assay_z3_script *assay_z3_script_new(const char *arithmetic);
void assay_z3_script_delete(assay_z3_script *);

// Executes commands and returns what they print, valid until the next call.
// *failed is 1 if Z3 called its error handler.
const char *assay_z3_script_eval(assay_z3_script *, const char *text, int *failed);

// Interrupts an evaluation in flight, if there is one; from any thread.
void assay_z3_script_interrupt(assay_z3_script *);

#endif
