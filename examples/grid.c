// Transposing a grid twice gives the grid back.
//
// property: unreach-call
// expected: true
#include <assert.h>

#define N 4

extern int __VERIFIER_nondet_int(void);

static void transpose(int g[N][N]) {
  for (int i = 0; i < N; i++) {
    for (int j = i + 1; j < N; j++) {
      int t = g[i][j];
      g[i][j] = g[j][i];
      g[j][i] = t;
    }
  }
}

int main(void) {
  int grid[N][N], copy[N][N];
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      grid[i][j] = copy[i][j] = __VERIFIER_nondet_int();
    }
  }
  transpose(grid);
  transpose(grid);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      assert(grid[i][j] == copy[i][j]);
    }
  }
  return 0;
}
