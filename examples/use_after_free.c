// The error path frees the buffer, and the common exit reads it once more.
//
// property: valid-deref
// expected: false(valid-deref)
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
  int *buffer = malloc(4 * sizeof *buffer);
  if (buffer == NULL) {
    return 1;
  }
  for (int i = 0; i < 4; i++) {
    buffer[i] = __VERIFIER_nondet_int();
    if (buffer[i] < 0) {
      free(buffer);
      break;
    }
  }
  return buffer[0];
}
