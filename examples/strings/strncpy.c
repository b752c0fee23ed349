// Copies at most n characters and fills the rest with zeros. BUG: fills one more.
#include <assay.h>

static char *copy(char *to, const char *from, size_t n) {
  char *d = to;
  while (n > 0) {
    n--;
    if ((*d++ = *from++) == 0) {
#ifdef BUG
      n++;
#endif
      while (n > 0) {
        *d++ = 0;
        n--;
      }
      break;
    }
  }
  return to;
}

int main(void) {
  char *from, *to;
  size_t n = assay_size();
  assay_string(from);
  assay_array(to, n);
  copy(to, from, n);
}
