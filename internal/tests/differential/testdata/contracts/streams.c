// Sequences of calls on one stream: a file of a few bytes.
#include "../library/library.h"

int main(void) {
	FILE *f = tmpfile();
	if (!f) return 1;
#ifdef NATIVE
	unsigned seed = below(1000);
	for (unsigned i = 0; i < seed % 14; i++) fputc("ab\n 12\xe9"[(seed / 14 + i * i) % 7], f);
	rewind(f);
#else
	below(1000);
#endif
	for (int i = 0; i < 12; i++) {
		char line[8];
		int c, x = 0;
		long at;
		switch (below(16)) {
		case 0: case 1: case 2: OBSERVE(getc(f)); break;
		case 3: OBSERVE(ungetc("xy"[below(2)], f)); break;
		case 4: OBSERVE(feof(f) != 0); break;
		case 5: OBSERVE(ferror(f) != 0); break;
		case 6: clearerr(f); break;
		case 7: rewind(f); break;
		case 8: OBSERVE(fseek(f, below(6), SEEK_SET)); break;
		case 9: OBSERVE(fseek(f, 0, SEEK_END)); break;
		case 10: OBSERVE(ftell(f)); break;
		case 11:
			if (OBSERVE(fgets(line, 1 + (int)below(7), f) != 0)) bytes(line, strlen(line) + 1, "line");
			break;
		case 12:
			c = (int)fread(line, 2, 3, f);
			observe(c, "fread");
			bytes(line, 2 * (size_t)c, "items");
			break;
		case 13:
			c = fscanf(f, "%d", &x);
			observe(c, "fscanf");
			if (c == 1) observe(x, "number");
			break;
		case 14:
			c = fscanf(f, " %c", line);
			observe(c, "fscanf");
			if (c == 1) bytes(line, 1, "character");
			break;
		case 15:
			if (fseek(f, 0, SEEK_END)) break;
			OBSERVE(fputc("ab"[below(2)], f));
			OBSERVE(ferror(f) != 0);
			OBSERVE(fseek(f, 0, below(2) ? SEEK_SET : SEEK_CUR));
			break;
		}
	}
	OBSERVE(feof(f) != 0);
	OBSERVE(fclose(f));
	return 0;
}
