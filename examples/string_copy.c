// A copy that forgets the room for the final zero: a string of eight
// characters does not fit.
//
// property: valid-deref
// expected: false(valid-deref)
extern char __VERIFIER_nondet_char(void);

static void copy(char *to, const char *from) {
  while ((*to++ = *from++) != '\0') {
  }
}

int main(void) {
  char from[9];
  char to[8];
  for (int i = 0; i < 8; i++) {
    from[i] = __VERIFIER_nondet_char();
  }
  from[8] = '\0';
  copy(to, from);
  return 0;
}
