// Models of printing to files. The importer leaves out calls that read no
// memory (formats.go); a program with no others does not load this module.
#include "stream.h"

#define STDOUT (&__assay_streams[1])

#define PRINT(name, file_check, stream, last) \
	va_list arguments; \
	va_start(arguments, last); \
	file_check; \
	size_t n = __assay_print(0, 0, last, arguments); \
	va_end(arguments); \
	return __assay_output(name, stream, (int)n)

MODEL int printf(const char *format, ...) { PRINT("printf", , STDOUT, format); }
MODEL int fprintf(FILE *file, const char *format, ...) { PRINT("fprintf", FILE_IS_THERE("fprintf"), known(file), format); }
MODEL int dprintf(int file, const char *format, ...) { PRINT("dprintf", , 0, format); }
MODEL void syslog(int priority, const char *format, ...) {
	va_list arguments;
	va_start(arguments, format);
	__assay_print(0, 0, format, arguments);
	va_end(arguments);
}
MODEL int vprintf(const char *format, va_list arguments) { return __assay_output("vprintf", STDOUT, (int)__assay_print(0, 0, format, arguments)); }
MODEL int vfprintf(FILE *file, const char *format, va_list arguments) {
	FILE_IS_THERE("vfprintf");
	return __assay_output("vfprintf", known(file), (int)__assay_print(0, 0, format, arguments));
}
MODEL int vdprintf(int file, const char *format, va_list arguments) { return __assay_output("vdprintf", 0, (int)__assay_print(0, 0, format, arguments)); }
