// timegm brings the parts of a time into their ranges.
#define _GNU_SOURCE
#include "library.h"
#include <time.h>

int main(void) {
	for (int i = 0; i < 4; i++) {
		struct tm t = {.tm_year = (int)below(400) - 150, .tm_mon = (int)below(60) - 24, .tm_mday = (int)below(1000) - 300,
			.tm_hour = (int)below(100) - 40, .tm_min = (int)below(1000) - 300, .tm_sec = (int)below(100000) - 3000, .tm_isdst = (int)below(3) - 1};
		if (sizeof(long) < 8) continue;
		OBSERVE(timegm(&t));
		OBSERVE(t.tm_year), OBSERVE(t.tm_mon), OBSERVE(t.tm_mday), OBSERVE(t.tm_hour), OBSERVE(t.tm_min), OBSERVE(t.tm_sec);
		OBSERVE(t.tm_wday), OBSERVE(t.tm_yday), OBSERVE(t.tm_isdst), OBSERVE(t.tm_gmtoff);
		OBSERVE(strcmp(t.tm_zone, "GMT") == 0);
	}
	uint32_t x = __VERIFIER_nondet_uint();
	__asm__("" : "+r"(x));
	__asm__ volatile("" : : : "memory");
	uint32_t y = x;
	__asm__("bswap %0" : "+r"(y));
	uint16_t z = (uint16_t)x;
	__asm__("rorw $8, %0" : "+r"(z));
	OBSERVE(y);
	OBSERVE(z);
	return 0;
}
