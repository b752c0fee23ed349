// The operations that assay's models of the C library are written with. The
// importer (verifier.go) gives them their meaning. A file of `--models DIR` may
// include this header, too.
#ifndef ASSAY_MODEL_H
#define ASSAY_MODEL_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

// A definition of the program wins over the model.
#define MODEL __attribute__((weak))

// Memory. An invalid access is a guard of the operation itself.
void *__assay_malloc(size_t size);                       // never null
void __assay_free(void *p);                              // null does nothing
void *__assay_cede(void *p);                             // p, where the next object may lie
_Bool __assay_valid_range(const void *p, size_t size);   // may be read
size_t __assay_object_size(const void *p);               // 0 for null
size_t __assay_offset(const void *p);
_Bool __assay_heap_start(const void *p);                 // may be freed
_Bool __assay_same_object(const void *p, const void *q);
void __assay_memcpy(void *to, const void *from, size_t size); // as memmove
void __assay_memset(void *p, unsigned char byte, size_t size);
void __assay_havoc(void *p, size_t size);                // arbitrary content
void *__assay_stack_save(void);                          // for stack_restore, which ends the lives of what
void __assay_stack_restore(void *token);                 // alloca made since, in the same function

// Inputs: every value is one that some conforming library returns on some
// machine. The name is the function that returns them, for traces.
_Bool __assay_nondet_bool(const char *name);
int __assay_nondet_int(const char *name);
long long __assay_nondet_long_long(const char *name);
size_t __assay_nondet_size(const char *name);
void *__assay_nondet_pointer(const char *name);
double __assay_nondet_double(const char *name);

// Over-approximations: the library determines the value, the model does not.
// A violation that hangs on such a value is unknown. Bound them by conditional
// expressions, not by assumptions: other values must not end the run.
_Bool __assay_approximate_bool(const char *name);
char __assay_approximate_char(const char *name);
int __assay_approximate_int(const char *name);
size_t __assay_approximate_size(const char *name);
double __assay_approximate_double(const char *name);
float __assay_approximate_float(const char *name);

// Whether the run does exactly what the library does, where proofs are content with more: a way that
// only runs of the interpreter go, so it may have loops that no proof could follow. What the other
// way does must be a superset of it.
_Bool __assay_exact(const char *name);

// Whether an allocation of so many bytes fails: never, or, where allocations may fail, arbitrary anew, and
// true of sizes that no process gets.
_Bool __assay_malloc_fails(size_t size);

// Whether the program refers to one of these functions or objects (names
// between blanks): a constant, so that a model keeps state only where a program can see it.
_Bool __assay_uses(const char *names);

// The environment that the program sees by the object environ, null if it does not declare that.
char **__assay_environment(void);

// What must hold; the run goes on either way.
enum { PRECONDITION = 0, ASSERTION = 1, OVERFLOW = 2, INVALID_DEREF = 3, INVALID_FREE = 4, FLOAT_CONVERSION = 5 };
void __assay_check(_Bool condition, int kind, const char *text);
void __assay_assume(_Bool condition);

_Noreturn void __assay_abort(void);
_Noreturn void __assay_unsupported(const char *what);

#endif
