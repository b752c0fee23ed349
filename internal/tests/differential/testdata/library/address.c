// IPv4 addresses as texts, the conventions of the locale, mutexes and semaphores of one thread.
#define _GNU_SOURCE
#include "library.h"
#include <arpa/inet.h>
#include <locale.h>
#include <pthread.h>
#include <semaphore.h>

static const char *const texts[] = {"1.2.3.4", "255.255.255.255", "256.1.1.1", "1.2.3", "1.65536", "1.65535", "0x7f.1", "010.8.9.1", "4294967295", "4294967296",
	"1.2.3.4 x", "1.2.3.4x", "", "1.", ".1", "1..2", "00.0.0.0", "1.2.3.04", "1.2.3.4.5", "0x", "09", "1.2.3.256", "1.16777215", "1.16777216", " 1.2.3.4", "0", "0x1g"};

int main(void) {
	char s[20], to[20];
	struct in_addr a;
	for (int i = 0; i < 6; i++) {
		const char *t = below(2) ? texts[below(sizeof texts / sizeof *texts)] : text(s, 9, "0123.2589x");
		a.s_addr = 7;
		OBSERVE(inet_aton(t, &a));
		OBSERVE(a.s_addr);
		OBSERVE(inet_addr(t));
		a.s_addr = 7;
		OBSERVE(inet_pton(AF_INET, t, &a));
		OBSERVE(a.s_addr);
	}
	a.s_addr = __VERIFIER_nondet_uint();
	const char *p = inet_ntoa(a);
	bytes(p, strlen(p) + 1, "inet_ntoa");
	unsigned size = below(18);
	errno = 0;
	p = inet_ntop(AF_INET, &a, to, size);
	OBSERVE(p == to);
	OBSERVE(errno);
	if (p) bytes(p, strlen(p) + 1, "inet_ntop");
	errno = 0;
	OBSERVE(inet_pton(99, "1.2.3.4", &a));
	OBSERVE(errno);

	struct lconv *l = localeconv();
	bytes(l->decimal_point, 2, "decimal_point");
	OBSERVE(l->thousands_sep[0] + l->grouping[0] + l->int_curr_symbol[0] + l->negative_sign[0]);
	OBSERVE(l->frac_digits);
	OBSERVE(l->int_n_sign_posn);

	pthread_mutexattr_t kind;
	pthread_mutex_t m;
	pthread_mutexattr_init(&kind);
	int which = below(3);
	OBSERVE(pthread_mutexattr_settype(&kind, which));
	OBSERVE(pthread_mutexattr_settype(&kind, 77));
	OBSERVE(pthread_mutex_init(&m, &kind));
	int held = 0;
	for (int i = 0; i < 8; i++) {
		if (below(2)) {
			int error = pthread_mutex_trylock(&m);
			OBSERVE(error);
			held += error == 0;
		} else if (held > 0 || which != 0) {
			int error = pthread_mutex_unlock(&m);
			OBSERVE(error);
			held -= error == 0;
		}
		if (which == 2) {
			int error = pthread_mutex_lock(&m);
			OBSERVE(error);
			held += error == 0;
		}
	}
	OBSERVE(pthread_mutex_destroy(&m));

	sem_t s1;
	OBSERVE(sem_init(&s1, 0, below(3)));
	for (int i = 0; i < 5; i++) {
		errno = 0;
		if (below(3)) OBSERVE(sem_trywait(&s1));
		else OBSERVE(sem_post(&s1));
		OBSERVE(errno);
		int n;
		sem_getvalue(&s1, &n);
		OBSERVE(n);
	}
}
