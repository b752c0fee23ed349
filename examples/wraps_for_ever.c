// After [AProVE-BV Fig. 1]: for n = UINT_MAX the loop runs for ever.
//
// property: termination
// expected: false(termination)
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned n = __VERIFIER_nondet_uint(), i = 0;
  while (i <= n)
    i++;
  return 0;
}
