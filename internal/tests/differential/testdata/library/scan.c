#include "library.h"

int main(void) {
	char s[40], w[20] = "", c[4] = "", set[20] = "";
	int i = -7, j = -8, n = -9;
	unsigned u = 77;
	short h = 5;
	long long l = 6;
	for (int round = 0; round < 3; round++) {
		text(s, 14, below(2) ? "0123 -+x,ab" : "12 ");
		switch (below(9)) {
		case 0: OBSERVE(sscanf(s, "%d%d%n", &i, &j, &n)); break;
		case 1: OBSERVE(sscanf(s, "%i,%u", &i, &u)); break;
		case 2: OBSERVE(sscanf(s, "%2d%hd%lld", &i, &h, &l)); break;
		case 3: OBSERVE(sscanf(s, "%5s %3c", w, c)); break;
		case 4: OBSERVE(sscanf(s, "%[0-9]%*d%[^ ,]", set, w)); break;
		case 5: OBSERVE(sscanf(s, " %d , %s", &i, w)); break;
		case 6: OBSERVE(sscanf(s, "%*s%o", &u)); break;
		case 7: OBSERVE(sscanf(s, "%%%d", &i)); break;
		case 8: OBSERVE(sscanf(s, "%3[]0-2]%1d%c", set, &j, c)); break;
		}
		OBSERVE(i);
		OBSERVE(j);
		OBSERVE(n);
		OBSERVE(u);
		OBSERVE(h);
		OBSERVE(l);
		bytes(w, sizeof w, "w");
		bytes(c, sizeof c, "c");
		bytes(set, sizeof set, "set");
	}
	return 0;
}
