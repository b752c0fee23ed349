// The mean of a non-empty list of numbers; but nothing says that it is not
// empty.
//
// property: div-by-zero
// expected: false(div-by-zero)
extern int __VERIFIER_nondet_int(void);

static int mean(const int *values, int n) {
  long sum = 0;
  for (int i = 0; i < n; i++) {
    sum += values[i];
  }
  return (int)(sum / n);
}

int main(void) {
  int values[4];
  int n = 0;
  while (n < 4) {
    int v = __VERIFIER_nondet_int();
    if (v < 0) {
      break;
    }
    values[n++] = v;
  }
  return mean(values, n) > 7;
}
