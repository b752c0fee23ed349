/* The loop's condition has a product: at its head z*z - 12*y - 6*z + 12 is 0, and so it is c <= k. After [Liu, Fig. 5.2],
   the left program, and with -DRIGHT the right one, in which p is never 0. Where numbers wrap the polynomial is 0 modulo 2^32, which
   is as good: z and y wrap soon, c and k decide alone.

     assay check --semantics integers --ctl 'EF(p == 0) && EF(p == 1)' differences.c            true
     assay check --semantics integers --ctl 'EF(p == 0) && EF(p == 1)' -DRIGHT differences.c    false
     assay check --semantics wrap --ctl 'EF(p == 0) && EF(p == 1)' differences.c                true
     assay check --semantics wrap --ctl 'EF(p == 0) && EF(p == 1)' -DRIGHT differences.c        false
     assay rewrite --linear differences.c
*/
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int y = 1, z = 6, c = 0, p = 2;
  int k = __VERIFIER_nondet_int();
  while (z * z - 12 * y - 6 * z + 12 + c <= k) {
    y = y + z;
    z = z + 6;
    c = c + 1;
    p = 1;
  }
#ifdef RIGHT
  p = c - k;
#else
  p = 0;
#endif
  return 0;
}
