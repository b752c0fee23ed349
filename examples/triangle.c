// Two nested loops end: no unwinding shows it, ranking functions do.
//
// property: termination
// expected: true
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int();
  for (int i = 0; i < n; i++)
    for (int j = i; j < n; j++)
      ;
  return 0;
}
