// Sequences of calls of which C and glibc, or several libraries, differ.
#define _GNU_SOURCE
#include "../library/library.h"

#include <math.h>
#include <pthread.h>

int isalpha(int), isdigit(int), ispunct(int), isspace(int);
#undef isalpha
#undef isdigit
#undef ispunct
#undef isspace

static int calls;
static int order(const void *a, const void *b) {
	calls++;
	return *(const int *)a - *(const int *)b;
}

int main(void) {
	pthread_key_t keys[3] = {99, 99, 99};
	for (int i = 0; i < 6; i++) {
		char s[20], *end = s;
		unsigned u = 77, n = 0;
		void *p = s;
		char c = 0;
		int a[5] = {1, 3, 5, 7, 9}, key = (int)below(11);
		switch (below(8)) {
		case 0:
			c = "a5 !-"[below(5)];
			OBSERVE((isalpha)(c));
			OBSERVE((isdigit)(c));
			OBSERVE((ispunct)(c));
			OBSERVE((isspace)(c));
			break;
		case 1:
			text(s, 6, "0xX-+1g");
			OBSERVE(sscanf(s, "%x%n%c", &u, &n, &c));
			OBSERVE(u);
			OBSERVE(n);
			OBSERVE(c);
			break;
		case 2:
			text(s, 5, "0x-1");
			OBSERVE(sscanf(s, "%2i%n", &u, &n));
			OBSERVE(u);
			OBSERVE(n);
			break;
		case 3:
			if (sscanf(below(2) ? "(nil)" : "(nill", "%p", &p) == 1) OBSERVE(p == 0);
			break;
		case 4:
			errno = 0;
			OBSERVE(sqrt((double)(int)below(3) - 1) == 0);
			OBSERVE(errno);
			OBSERVE(fmod(1, below(2)) == 0);
			OBSERVE(errno);
			OBSERVE(ldexp(1, (int)below(5) * 1000 - 2000) > 1);
			OBSERVE(errno);
			break;
		case 5:
			calls = 0;
			OBSERVE(bsearch(&key, a, 1 + below(5), sizeof *a, order) != 0);
			OBSERVE(calls);
			break;
		case 6:
			u = below(3);
			if (below(2)) OBSERVE(pthread_key_create(&keys[u], 0));
			else OBSERVE(pthread_key_delete(keys[u]));
			OBSERVE(keys[0] == keys[1]);
			OBSERVE(keys[1] == keys[2]);
			break;
		case 7:
			p = malloc(4);
			OBSERVE(realloc(p, below(2) * 2) != 0);
			break;
		}
	}
	return 0;
}
