package frontend

import "strings"

// This file lists functions of the C and POSIX libraries that have no model
// and do more than return a value: they write through their arguments, call
// back, keep pointers, or do not come back. Treating one of them as an unknown
// function, which changes nothing, would be wrong, so that calling one is
// unsupported.

var effectful = map[string]string{}

func init() {
	for what, names := range map[string]string{
		"what it reads or converts is not modelled": `vscanf vfscanf vsscanf
			__isoc99_vscanf __isoc99_vfscanf __isoc99_vsscanf getline getdelim gets read pread readv recv recvfrom recvmsg
			strtok strtok_r strsep strxfrm strftime strptime asctime_r ctime_r gmtime_r localtime_r memccpy swab
			sprintf vsprintf asprintf vasprintf wcscpy wcsncpy wcscat wmemcpy wmemset mbstowcs wcstombs mbtowc wctomb mbrtowc
			getcwd realpath readlink strerror_r ttyname_r gethostname uname stat fstat lstat fstatat statfs getrusage getrlimit
			gettimeofday clock_gettime clock_getres nanosleep select poll epoll_wait pipe socketpair accept getsockname
			getpeername getsockopt ioctl getaddrinfo sigaction sigprocmask setitimer getitimer times sysinfo
			regcomp regexec iconv fgetpos setbuf setvbuf setlocale putenv mmap munmap shmat sbrk brk
			frexpl modfl getopt getopt_long open_memstream fmemopen div ldiv lldiv`,
		"functions that are called back are not modelled": `qsort_r lfind lsearch tsearch tfind tdelete twalk
			hsearch ftw nftw scandir glob signal sigset bsd_signal at_quick_exit on_exit pthread_once pthread_atfork call_once
			pthread_key_create thrd_exit pthread_exit dlsym`,
		"rounding modes are not modelled": `fesetround fesetenv feupdateenv feholdexcept`,
		"it replaces the process":         `execv execve execvp execl execlp execle fexecve posix_spawn`,
	} {
		for name := range strings.FieldsSeq(names) {
			effectful[name] = "the library function " + name + ": " + what
		}
	}
}
