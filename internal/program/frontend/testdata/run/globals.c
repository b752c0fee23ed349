// Initialisers of every shape.
#include <assert.h>
#include <stddef.h>
struct N { int v; struct N *next; const char *name; };
extern struct N second;
struct N first = {1, &second, "first"}, second = {2, &first, 0};
int array[3][2] = {{1, 2}, {3}}, *inner = &array[1][0], *past = &array[2][2];
static char text[8] = "abc", *middle = text + 1;
struct { char c; double d; short s[3]; _Bool b; long long l; } mixed = {'x', 2.5, {1, -2}, 1, -1};
union { int i; char c[4]; } pun = {0x01020304};
struct { unsigned a : 3, b : 5; int c : 20; } bits = {5, 17, -3};
int (*function)(void);
static int seven(void) { return 7; }
int (*table[2])(void) = {0, seven};
size_t address = (size_t)&array[1];
const float pi = 3.14f;
long double unused = 1.0L;
int zeros[1000];
int external_value = 5;
extern int unknown;
static int counter(void) { static int n = 10; return n++; }
int main(void) {
	assert(first.next->v == 2 && second.next->next == &second && first.name[4] == 't' && !second.name);
	assert(array[1][0] == 3 && array[2][1] == 0 && *inner == 3 && past - inner == 4);
	assert(*middle == 'b' && text[7] == 0 && sizeof text == 8);
	assert(mixed.c == 'x' && mixed.d == 2.5 && mixed.s[1] == -2 && mixed.s[2] == 0 && mixed.b && mixed.l == -1);
	assert(pun.c[0] == 4 && pun.c[3] == 1);
	assert(bits.a == 5 && bits.b == 17 && bits.c == -3);
	assert(!function && !table[0] && table[1]() == 7);
	assert(address == (size_t)inner);
	assert(pi > 3.1f && zeros[999] == 0 && external_value == 5);
	assert(counter() == 10 && counter() == 11);
	assert(unknown == 0); // @assertion unknown == 0
	return 0;
}
