// What csmith's programs include, in place of the header that csmith installs:
// the same checksum, the CRC-32 of all global variables, but everything that
// goes into it passes through observe(), where the interpreter sees it and the
// compiled program (-DNATIVE) prints it. With -DEXPECTED=x the end is an
// assertion that the checksum is x, with -DREFUTED=x that it is not.
//
// Arithmetic is that of csmith's own safe_math.h.
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>

#define STATIC static
#define UNDEFINED(value) (value)
#define LOG_INDEX
#define LOG_EXEC
#define FUNC_NAME(name) safe_##name
#include "safe_math.h"
#undef FUNC_NAME

#define _CSMITH_BITFIELD(width) ((width) > 32 ? (width) % 32 : (width))

#ifdef NATIVE
int printf(const char *, ...);
#else
void reach_error(void);
#endif

static uint64_t observe(uint64_t value, const char *name) {
#ifdef NATIVE
	printf("observed %llx %s\n", (unsigned long long)value, name);
#endif
	return value;
}

static uint32_t crc32_context = 0xFFFFFFFFu;

static void platform_main_begin(void) {}
static void crc32_gentab(void) {}

// One row for each value of half a byte.
static const uint32_t crc32_half[16] = {
	0x00000000u, 0x1DB71064u, 0x3B6E20C8u, 0x26D930ACu, 0x76DC4190u, 0x6B6B51F4u, 0x4DB26158u, 0x5005713Cu,
	0xEDB88320u, 0xF00F9344u, 0xD6D6A3E8u, 0xCB61B38Cu, 0x9B64C2B0u, 0x86D3D2D4u, 0xA00AE278u, 0xBDBDF21Cu,
};

static void crc32_byte(uint8_t byte) {
	uint32_t c = crc32_context ^ byte;
	c = c >> 4 ^ crc32_half[c & 15];
	crc32_context = c >> 4 ^ crc32_half[c & 15];
}

static void transparent_crc(uint64_t value, const char *name, int flag) {
	value = observe(value, name);
	for (int shift = 0; shift < 64; shift += 8) crc32_byte(value >> shift & 255);
}

static void transparent_crc_bytes(const char *bytes, int count, const char *name, int flag) {
	for (int i = 0; i < count; i++) crc32_byte(observe((uint8_t)bytes[i], name));
}

static void platform_main_end(uint32_t crc, int flag) {
	crc = observe(crc, "checksum");
#ifdef EXPECTED
	if (crc != EXPECTED) reach_error();
#endif
#ifdef REFUTED
	if (crc == REFUTED) reach_error();
#endif
}
