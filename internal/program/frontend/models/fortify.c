// Models of the functions that glibc's headers call with _FORTIFY_SOURCE: the last
// argument, or the one behind the limit, is the size of the object as the compiler
// knows it, and a call that would go beyond it aborts. Everything else is the plain
// function's.
#include "library.h"

typedef char FILE;

static void fits(size_t size, size_t object) {
	if (size > object) __assay_abort();
}

// Ranges and strings.
#define RANGE(name, T, from) \
	T *name(T *, from, size_t); \
	MODEL T *__##name##_chk(T *to, from x, size_t n, size_t object) { \
		fits(n, object); \
		return name(to, x, n); \
	}
RANGE(memcpy, void, const void *)
RANGE(mempcpy, void, const void *)
RANGE(memmove, void, const void *)
RANGE(memset, void, int)
RANGE(strncpy, char, const char *)
RANGE(stpncpy, char, const char *)
RANGE(wmemcpy, wchar_t, const wchar_t *)
RANGE(wmemmove, wchar_t, const wchar_t *)
RANGE(wmemset, wchar_t, wchar_t)
RANGE(wcsncpy, wchar_t, const wchar_t *)

size_t strlen(const char *);
size_t strnlen(const char *, size_t);
size_t wcslen(const wchar_t *);
size_t wcsnlen(const wchar_t *, size_t);
char *strcpy(char *, const char *);
char *stpcpy(char *, const char *);
char *strcat(char *, const char *);
char *strncat(char *, const char *, size_t);
size_t strlcpy(char *, const char *, size_t);
size_t strlcat(char *, const char *, size_t);
wchar_t *wcscpy(wchar_t *, const wchar_t *);
wchar_t *wcscat(wchar_t *, const wchar_t *);
wchar_t *wcsncat(wchar_t *, const wchar_t *, size_t);
void explicit_bzero(void *, size_t);

MODEL char *__strcpy_chk(char *to, const char *from, size_t object) {
	fits(strlen(from) + 1, object);
	return strcpy(to, from);
}
MODEL char *__stpcpy_chk(char *to, const char *from, size_t object) {
	fits(strlen(from) + 1, object);
	return stpcpy(to, from);
}
MODEL char *__strcat_chk(char *to, const char *from, size_t object) {
	fits(strlen(to) + strlen(from) + 1, object);
	return strcat(to, from);
}
MODEL char *__strncat_chk(char *to, const char *from, size_t n, size_t object) {
	fits(strlen(to) + strnlen(from, n) + 1, object);
	return strncat(to, from, n);
}
MODEL size_t __strlcpy_chk(char *to, const char *from, size_t n, size_t object) {
	fits(n, object);
	return strlcpy(to, from, n);
}
MODEL size_t __strlcat_chk(char *to, const char *from, size_t n, size_t object) {
	fits(n, object);
	return strlcat(to, from, n);
}
MODEL wchar_t *__wcscpy_chk(wchar_t *to, const wchar_t *from, size_t object) {
	fits(wcslen(from) + 1, object);
	return wcscpy(to, from);
}
MODEL wchar_t *__wcscat_chk(wchar_t *to, const wchar_t *from, size_t object) {
	fits(wcslen(to) + wcslen(from) + 1, object);
	return wcscat(to, from);
}
MODEL wchar_t *__wcsncat_chk(wchar_t *to, const wchar_t *from, size_t n, size_t object) {
	fits(wcslen(to) + wcsnlen(from, n) + 1, object);
	return wcsncat(to, from, n);
}
MODEL void __explicit_bzero_chk(void *p, size_t n, size_t object) {
	fits(n, object);
	explicit_bzero(p, n);
}

// Printing. The flag asks glibc to refuse %n in formats that can be written; whether it
// does depends on where the format is, so that it is not modelled. vsprintf counts
// before it writes, so that it must not be called twice with the same arguments.
int vsnprintf(char *, size_t, const char *, va_list);
int vprintf(const char *, va_list);
int vfprintf(FILE *, const char *, va_list);
int vdprintf(int, const char *, va_list);
int vasprintf(char **, const char *, va_list);

static void no_count(const char *format) {
	for (; *format; format++) {
		if (*format != '%') continue;
		format++;
		while ((*format >= '0' && *format <= '9') || *format == '.' || *format == '-' || *format == '+' || *format == ' ' || *format == '#' || *format == '*' ||
			*format == 'l' || *format == 'h' || *format == 'j' || *format == 'z' || *format == 't')
			format++;
		if (*format == 'n') __assay_unsupported("%n in a fortified call");
		if (*format == 0) return;
	}
}

MODEL int __vsnprintf_chk(char *s, size_t n, int flag, size_t object, const char *format, va_list arguments) {
	fits(n, object);
	if (flag > 0) no_count(format);
	return vsnprintf(s, n, format, arguments);
}
MODEL int __vsprintf_chk(char *s, int flag, size_t object, const char *format, va_list arguments) {
	if (flag > 0) no_count(format);
	if (object == 0) __assay_abort();
	va_list again;
	va_copy(again, arguments);
	int n = vsnprintf(0, 0, format, again);
	va_end(again);
	if (n >= 0) fits((size_t)n + 1, object);
	return vsnprintf(s, object > PTRDIFF_MAX ? PTRDIFF_MAX : object, format, arguments);
}
MODEL int __vprintf_chk(int flag, const char *format, va_list arguments) {
	if (flag > 0) no_count(format);
	return vprintf(format, arguments);
}
MODEL int __vfprintf_chk(FILE *file, int flag, const char *format, va_list arguments) {
	if (flag > 0) no_count(format);
	return vfprintf(file, format, arguments);
}
MODEL int __vdprintf_chk(int file, int flag, const char *format, va_list arguments) {
	if (flag > 0) no_count(format);
	return vdprintf(file, format, arguments);
}
MODEL int __vasprintf_chk(char **result, int flag, const char *format, va_list arguments) {
	if (flag > 0) no_count(format);
	return vasprintf(result, format, arguments);
}
#define VARIADIC(call) \
	va_list arguments; \
	va_start(arguments, format); \
	int n = call; \
	va_end(arguments); \
	return n
MODEL int __snprintf_chk(char *s, size_t size, int flag, size_t object, const char *format, ...) { VARIADIC(__vsnprintf_chk(s, size, flag, object, format, arguments)); }
MODEL int __sprintf_chk(char *s, int flag, size_t object, const char *format, ...) { VARIADIC(__vsprintf_chk(s, flag, object, format, arguments)); }
MODEL int __printf_chk(int flag, const char *format, ...) { VARIADIC(__vprintf_chk(flag, format, arguments)); }
MODEL int __fprintf_chk(FILE *file, int flag, const char *format, ...) { VARIADIC(__vfprintf_chk(file, flag, format, arguments)); }
MODEL int __dprintf_chk(int file, int flag, const char *format, ...) { VARIADIC(__vdprintf_chk(file, flag, format, arguments)); }
MODEL int __asprintf_chk(char **result, int flag, const char *format, ...) { VARIADIC(__vasprintf_chk(result, flag, format, arguments)); }

// Input.
char *fgets(char *, int, FILE *);
size_t fread(void *, size_t, size_t, FILE *);
ptrdiff_t read(int, void *, size_t);
ptrdiff_t pread(int, void *, size_t, long);
ptrdiff_t recv(int, void *, size_t, int);
char *getcwd(char *, size_t);
int gethostname(char *, size_t);

MODEL char *__fgets_chk(char *s, size_t object, int n, FILE *file) {
	if (n > 0) fits((size_t)n, object);
	return fgets(s, n, file);
}
MODEL char *__fgets_unlocked_chk(char *s, size_t object, int n, FILE *file) { return __fgets_chk(s, object, n, file); }
MODEL size_t __fread_chk(void *p, size_t object, size_t size, size_t items, FILE *file) {
	size_t bytes;
	if (__builtin_mul_overflow(size, items, &bytes) || bytes > object) __assay_abort();
	return fread(p, size, items, file);
}
MODEL size_t __fread_unlocked_chk(void *p, size_t object, size_t size, size_t items, FILE *file) { return __fread_chk(p, object, size, items, file); }
MODEL ptrdiff_t __read_chk(int file, void *p, size_t n, size_t object) {
	fits(n, object);
	return read(file, p, n);
}
MODEL ptrdiff_t __pread_chk(int file, void *p, size_t n, long at, size_t object) {
	fits(n, object);
	return pread(file, p, n, at);
}
MODEL ptrdiff_t __pread64_chk(int file, void *p, size_t n, long long at, size_t object) {
	fits(n, object);
	return pread(file, p, n, 0);
}
MODEL ptrdiff_t __recv_chk(int file, void *p, size_t n, size_t object, int flags) {
	fits(n, object);
	return recv(file, p, n, flags);
}
MODEL char *__getcwd_chk(char *s, size_t n, size_t object) {
	fits(n, object);
	return getcwd(s, n);
}
MODEL int __gethostname_chk(char *s, size_t n, size_t object) {
	fits(n, object);
	return gethostname(s, n);
}
MODEL long __fdelt_chk(long descriptor) {
	if (descriptor < 0 || descriptor >= 1024) __assay_abort();
	return descriptor / (8 * (long)sizeof(long));
}
