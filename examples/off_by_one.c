// The loop runs to the length included.
//
// property: valid-deref
// expected: false(valid-deref)
#define LENGTH 10

extern int __VERIFIER_nondet_int(void);

int histogram[LENGTH];

int main(void) {
  for (int i = 0; i < 100; i++) {
    int v = __VERIFIER_nondet_int();
    if (0 <= v && v <= LENGTH) {
      histogram[v]++;
    }
  }
  return 0;
}
