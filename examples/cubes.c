/* Counts differences of cubes: at the head y is 3*n*n + 3*n + 1, and so the condition, which has a
   product, is y <= k. p is 2, then perhaps 1, and negative at the end. After Cohen.

     assay check --semantics integers --ctl 'AF(p < 0)' cubes.c          true
     assay check --semantics integers --ctl 'EF(p == 0)' cubes.c         false
     assay check --semantics integers --ctl 'EF(p == 1)' cubes.c         true
*/
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int n = 0, y = 1, z = 6;
  int k = __VERIFIER_nondet_int();
  int p = 2;
  while (3 * n * n + 3 * n + 1 <= k) {
    n = n + 1;
    y = y + z;
    z = z + 6;
    p = 1;
  }
  p = k - y;
  return 0;
}
