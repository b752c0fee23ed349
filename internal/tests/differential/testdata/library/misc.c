// Small functions whose values are fixed, and the fortified variants of others.
#define _GNU_SOURCE
#include "library.h"
#include <arpa/inet.h>
#include <complex.h>
#include <signal.h>

char *dirname(char *);
char *__xpg_basename(char *);
void *__memcpy_chk(void *, const void *, size_t, size_t);
char *__strcpy_chk(char *, const char *, size_t);
char *__strncat_chk(char *, const char *, size_t, size_t);
int __sprintf_chk(char *, int, size_t, const char *, ...);
int __snprintf_chk(char *, size_t, int, size_t, const char *, ...);

static void look(double x) { bytes(&x, sizeof x, "part"); }

int main(void) {
	unsigned n = __VERIFIER_nondet_uint();
	OBSERVE(htonl(n));
	OBSERVE(ntohl(n));
	OBSERVE(htons((uint16_t)n));
	OBSERVE(ntohs((uint16_t)n));

	double complex z = __builtin_complex((double)(int)n, below(9) - 4.0);
	look(creal(z));
	look(cimag(conj(z)));
	look(cimagf(cprojf(__builtin_complex((float)__builtin_inf(), -1.0f))));

	sigset_t s, t, u;
	sigemptyset(&s);
	sigfillset(&t);
	for (int i = 0; i < 6; i++) {
		int signal = (int)below(68) - 1;
		errno = 0;
		switch (below(3)) {
		case 0: OBSERVE(sigaddset(&s, signal)); break;
		case 1: OBSERVE(sigdelset(&t, signal)); break;
		default: OBSERVE(sigismember(below(2) ? &s : &t, signal));
		}
		OBSERVE(errno);
	}
	sigandset(&u, &s, &t);
	sigset_t few;
	sigemptyset(&few);
	OBSERVE(sigisemptyset(&few));
	sigaddset(&few, 1 + below(31));
	OBSERVE(sigisemptyset(&few));
	for (int i = 1; i < 65; i++) {
		OBSERVE(sigismember(&s, i));
		OBSERVE(sigismember(&t, i));
		OBSERVE(sigismember(&u, i));
	}

	char path[12], copy[40], *end;
	for (int i = 0; i < 4; i++) {
		text(path, 9, "//ab.");
		strcpy(copy, path);
		end = basename(copy);
		where(end, copy, "basename");
		end = __xpg_basename(copy);
		for (int k = 0; end[k]; k++) OBSERVE(end[k]);
		bytes(copy, strlen(path) + 1, "after basename");
		strcpy(copy, path);
		end = dirname(copy);
		for (int k = 0; end[k]; k++) OBSERVE(end[k]);
		bytes(copy, strlen(path) + 1, "after dirname");
	}

	__strcpy_chk(copy, path, sizeof copy);
	__strncat_chk(copy, "abcdef", below(8), sizeof copy);
	bytes(copy, strlen(copy) + 1, "__strncat_chk");
	__memcpy_chk(copy, path, 5, 5);
	OBSERVE(__sprintf_chk(copy, 1, sizeof copy, "%d-%s", (int)n, path));
	bytes(copy, strlen(copy) + 1, "__sprintf_chk");
	OBSERVE(__snprintf_chk(copy, below(9), 1, sizeof copy, "%x.%s", n, path));
}
