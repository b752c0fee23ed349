// Sequences of allocations: what blocks hold through realloc, and after others are
// freed.
#include "library.h"

int main(void) {
	unsigned char *blocks[4] = {0};
	size_t sizes[4] = {0};
	for (int i = 0; i < 14; i++) {
		unsigned k = below(4), n = 1 + below(20);
		switch (below(5)) {
		case 0:
			free(blocks[k]);
			blocks[k] = 0;
			sizes[k] = 0;
			break;
		case 1:
			free(blocks[k]);
			blocks[k] = calloc(n, 1);
			sizes[k] = n;
			break;
		case 2:
			blocks[k] = realloc(blocks[k], n);
			for (size_t j = sizes[k]; j < n; j++) blocks[k][j] = (unsigned char)(k + j);
			sizes[k] = n;
			break;
		case 3:
			if (sizes[k]) memset(blocks[k], (int)i, below((unsigned)sizes[k] + 1));
			break;
		case 4:
			if (sizes[k]) observe(blocks[k][below((unsigned)sizes[k])], "byte");
			break;
		}
	}
	for (int k = 0; k < 4; k++) {
		bytes(blocks[k], sizes[k], "block");
		free(blocks[k]);
	}
	return 0;
}
