// The authority part of a URI is copied: the index stays below the length, though
// the loop ends by "!=". After [2LS Fig. 1]; proved by induction.
//
// property: unreach-call
// flags: --function copy_authority
// flags: --function copy_authority --zones
// flags: --function copy_authority --octagons
// flags: --function copy_authority --havoc --k-induction
// expected: true
#include <assert.h>

extern void __VERIFIER_assume(int);

void copy_authority(char *uri, int uri_length, int authority_start, char *authority) {
  __VERIFIER_assume(0 < uri_length);
  __VERIFIER_assume(0 < authority_start && authority_start < uri_length);
  int cp = authority_start;
  while (cp != uri_length - 1) {
    if (uri[cp] == '/')
      break;
    assert(cp < uri_length);
    authority[cp - authority_start] = uri[cp];
    ++cp;
  }
}
