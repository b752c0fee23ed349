// A matrix of m rows and n columns is copied into a vector, row by row. The
// index uses the number of rows where it needs the number of columns: after
// [2LS Fig. 3], with a matrix that exists.
//
// property: valid-deref
// expected: false(valid-deref)
#define SIZE 1000

extern unsigned __VERIFIER_nondet_uint(void);
extern void __VERIFIER_assume(int);

int matrix[SIZE][SIZE];

int main(void) {
  unsigned m = __VERIFIER_nondet_uint();
  unsigned n = __VERIFIER_nondet_uint();
  __VERIFIER_assume(m <= SIZE && n <= SIZE && m * n <= SIZE);

  int array[SIZE];
  for (int row = 0; row < m; ++row) {
    for (int col = 0; col < n; ++col) {
      int index = row * m + col;
      array[index] = matrix[row][col];
    }
  }
  return 0;
}
