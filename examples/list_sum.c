// Five nodes are linked, summed up and freed. Every access hits a live node,
// every free gets the start of a block, and nothing is lost.
//
// property: valid-deref,valid-free
// expected: true
#include <stdlib.h>

struct node {
  int value;
  struct node *next;
};

extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void) {
  struct node *head = NULL;
  for (int i = 0; i < 5; i++) {
    struct node *n = malloc(sizeof *n);
    if (n == NULL) {
      abort();
    }
    n->value = __VERIFIER_nondet_uchar();
    n->next = head;
    head = n;
  }
  int sum = 0;
  for (struct node *p = head; p != NULL; p = p->next) {
    sum += p->value;
  }
  while (head != NULL) {
    struct node *next = head->next;
    free(head);
    head = next;
  }
  return sum > 100;
}
