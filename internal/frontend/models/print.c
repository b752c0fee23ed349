// Models of printing to files. The importer leaves out calls that read no
// memory (formats.go); a program with no others does not load this module.
#include "library.h"

typedef char FILE;

#define FILE_IS_THERE(name) REQUIRE(file != 0, name ": the file is null")

// What output returns: result, or -1 if it fails.
static int output(const char *function, int result) {
	if (!__assay_nondet_bool(function)) return result;
	__assay_fail(function);
	return -1;
}

#define PRINT(name, file_check, last) \
	va_list arguments; \
	va_start(arguments, last); \
	file_check; \
	size_t n = __assay_print(0, 0, last, arguments); \
	va_end(arguments); \
	return output(name, (int)n)

MODEL int printf(const char *format, ...) { PRINT("printf", , format); }
MODEL int fprintf(FILE *file, const char *format, ...) { PRINT("fprintf", FILE_IS_THERE("fprintf"), format); }
MODEL int dprintf(int file, const char *format, ...) { PRINT("dprintf", , format); }
MODEL void syslog(int priority, const char *format, ...) {
	va_list arguments;
	va_start(arguments, format);
	__assay_print(0, 0, format, arguments);
	va_end(arguments);
}
MODEL int vprintf(const char *format, va_list arguments) { return output("vprintf", (int)__assay_print(0, 0, format, arguments)); }
MODEL int vfprintf(FILE *file, const char *format, va_list arguments) {
	FILE_IS_THERE("vfprintf");
	return output("vfprintf", (int)__assay_print(0, 0, format, arguments));
}
MODEL int vdprintf(int file, const char *format, va_list arguments) { return output("vdprintf", (int)__assay_print(0, 0, format, arguments)); }
