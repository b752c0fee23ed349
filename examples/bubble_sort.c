// Sorting does not overflow if the size is not negative. After [2LS Fig. 6].
//
// property: no-overflow
// flags: --function bubble_sort
// expected: true
extern void __VERIFIER_assume(int);

void bubble_sort(int *array, int size) {
  __VERIFIER_assume(size >= 0);
  for (int c = 0; c < size - 1; c++)
    for (int d = 0; d < size - c - 1; d++)
      if (array[d] > array[d + 1]) {
        int swap = array[d];
        array[d] = array[d + 1];
        array[d + 1] = swap;
      }
}
