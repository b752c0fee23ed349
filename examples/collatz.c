// Whether this loop ends for every x > 0 is an open question over the integers; for 0 it does not. It has
// no effect, so C11 6.8.5p6 lets a compiler assume that it ends: clang -O2 leaves it out, and of the binary the
// answer is another one:
//   clang-19 -O2 -g -c -o collatz.o examples/collatz.c
//   assay check --property termination examples/collatz.c --binary collatz.o
//
// property: termination
// expected: false(termination)
extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
  unsigned x = __VERIFIER_nondet_uint();
  while (x != 1) {
    if (x % 2 == 1) {
      x = 3 * x + 1;
    } else {
      x = x / 2;
    }
  }
  return 0;
}
