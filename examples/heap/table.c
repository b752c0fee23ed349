// A hash table with chaining: insertion, search, removal and the end. BUG: a slot is
// computed with the remainder of a negative number.
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

#define SLOTS 16

struct entry {
  int key, value;
  struct entry *next;
};

static struct entry *table[SLOTS];

static unsigned slot(int key) {
#ifdef BUG
  return key % SLOTS;
#else
  return (unsigned)key % SLOTS;
#endif
}

static struct entry *find(int key) {
  struct entry *e = table[slot(key)];
  while (e != NULL && e->key != key)
    e = e->next;
  return e;
}

static void put(int key, int value) {
  struct entry *e = find(key);
  if (e == NULL) {
    e = malloc(sizeof *e);
    e->key = key;
    e->next = table[slot(key)];
    table[slot(key)] = e;
  }
  e->value = value;
}

static void drop(int key) {
  struct entry **at = &table[slot(key)];
  while (*at != NULL && (*at)->key != key)
    at = &(*at)->next;
  struct entry *e = *at;
  if (e != NULL) {
    *at = e->next;
    free(e);
  }
}

int main(void) {
  while (__VERIFIER_nondet_int()) {
    int key = __VERIFIER_nondet_int();
    if (__VERIFIER_nondet_int())
      put(key, __VERIFIER_nondet_int());
    else
      drop(key);
  }
  for (int i = 0; i < SLOTS; i++) {
    while (table[i] != NULL) {
      struct entry *next = table[i]->next;
      free(table[i]);
      table[i] = next;
    }
  }
}
