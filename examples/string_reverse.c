// Reversing a string in place, for every string of up to seven characters.
//
// property: unreach-call,valid-deref
// expected: true
#include <assert.h>
#include <string.h>

extern char __VERIFIER_nondet_char(void);

static void reverse(char *s) {
  unsigned long i = 0, j = strlen(s);
  while (i + 1 < j) {
    char c = s[i];
    s[i++] = s[--j];
    s[j] = c;
  }
}

int main(void) {
  char s[8], t[8];
  for (int i = 0; i < 7; i++) {
    s[i] = __VERIFIER_nondet_char();
  }
  s[7] = '\0';
  strcpy(t, s);
  reverse(t);
  unsigned long n = strlen(s);
  for (unsigned long i = 0; i < n; i++) {
    assert(t[i] == s[n - 1 - i]);
  }
  return 0;
}
