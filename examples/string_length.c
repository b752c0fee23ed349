// The length of a string of any length, on the stack: the loop has no bound that
// an unwinding could reach. A symbolic execution graph proves that every access
// is valid (the terminating zero is met before the end of the array), and that
// the loop ends:
//
//   assay check --property valid-memsafety examples/string_length.c
//   assay check --property termination examples/string_length.c
//
// property: valid-deref,valid-free
// expected: true

#include <alloca.h>

extern int __VERIFIER_nondet_int(void);

static unsigned long length(const char *s) {
  const char *p = s;
  while (*p)
    p++;
  return p - s;
}

int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 1)
    n = 1;
  char *s = alloca(n); // of arbitrary content
  s[n - 1] = '\0';
  return length(s) < n ? 0 : 1;
}
