/* assay.h: inputs and contracts for harnesses.

   A harness calls the function under analysis with what its contract allows:

       #include <assay.h>

       int main(void) {
         char *text;
         assay_string(text);
         size_t n = length(text);
         assay_assert(text[n] == 0);
       }

   assay finds this header by itself; `assay header` prints it for other compilers
   and editors. Objects made here live until the calling function returns, and have
   arbitrary content. */
#ifndef ASSAY_H
#define ASSAY_H

#include <stddef.h>
#include <stdint.h>

extern void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
extern void __VERIFIER_assume(int);
extern _Bool __VERIFIER_nondet_bool(void);
extern char __VERIFIER_nondet_char(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern size_t __VERIFIER_nondet_size_t(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern long long __VERIFIER_nondet_longlong(void);
extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern float __VERIFIER_nondet_float(void);
extern double __VERIFIER_nondet_double(void);

/* Only runs on which c holds count. */
#define assay_assume(c) __VERIFIER_assume(!!(c))

/* c must hold, with NDEBUG, too. */
#define assay_assert(c) ((c) ? (void)0 : __assert_fail(#c, __FILE__, __LINE__, __func__))

/* This costs n units: counted by assay bound --cost marked, and nothing else. */
extern void __assay_cost(unsigned long n);

/* The object that p points to is an input: its content is arbitrary, and not uninitialised. */
extern void __assay_input(const void *p);

/* Arbitrary values. */
#define assay_bool() __VERIFIER_nondet_bool()
#define assay_char() __VERIFIER_nondet_char()
#define assay_uchar() __VERIFIER_nondet_uchar()
#define assay_short() __VERIFIER_nondet_short()
#define assay_ushort() __VERIFIER_nondet_ushort()
#define assay_int() __VERIFIER_nondet_int()
#define assay_uint() __VERIFIER_nondet_uint()
#define assay_long() __VERIFIER_nondet_long()
#define assay_ulong() __VERIFIER_nondet_ulong()
#define assay_longlong() __VERIFIER_nondet_longlong()
#define assay_ulonglong() __VERIFIER_nondet_ulonglong()
#define assay_float() __VERIFIER_nondet_float()
#define assay_double() __VERIFIER_nondet_double()
#define assay_size() __VERIFIER_nondet_size_t()

/* a points to n elements; n is a number or any expression that is not negative. */
#define assay_array(a, n)                                          \
  do {                                                             \
    size_t assay_count = (n);                                      \
    assay_assume(assay_count <= PTRDIFF_MAX / sizeof *(a));        \
    (a) = __builtin_alloca(assay_count * sizeof *(a));             \
    __assay_input(a);                                              \
  } while (0)

/* p points to one object, for example a struct. */
#define assay_object(p) assay_array(p, 1)

/* s is a string of any length; its last byte is the terminating zero. */
#define assay_string(s) assay_string_below(s, PTRDIFF_MAX)

/* s is a string with less than n characters. */
#define assay_string_below(s, n)                                   \
  do {                                                             \
    size_t assay_length = __VERIFIER_nondet_size_t();              \
    assay_assume(assay_length < (n) && assay_length < PTRDIFF_MAX); \
    char *assay_text = __builtin_alloca(assay_length + 1);         \
    __assay_input(assay_text);                                     \
    assay_text[assay_length] = 0;                                  \
    (s) = assay_text;                                              \
  } while (0)

/* s is a string in a buffer of n > 0 bytes: a zero is somewhere in it. */
#define assay_buffer(s, n)                                         \
  do {                                                             \
    size_t assay_size_ = (n), assay_end = __VERIFIER_nondet_size_t(); \
    assay_assume(assay_end < assay_size_ && assay_size_ <= PTRDIFF_MAX); \
    char *assay_text = __builtin_alloca(assay_size_);              \
    __assay_input(assay_text);                                     \
    assay_text[assay_end] = 0;                                     \
    (s) = assay_text;                                              \
  } while (0)

/* p may be equal to q. */
#define assay_alias(p, q)                                          \
  do {                                                             \
    if (__VERIFIER_nondet_bool())                                  \
      (p) = (q);                                                   \
  } while (0)

#endif
