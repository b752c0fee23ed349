// Streams of stdio, as far as a program can tell two of their states apart.
#ifndef STREAM_H
#define STREAM_H

#include "library.h"

// How many characters may be pushed back; C promises one.
enum { PUSHED = 4 };

// What is known of the character that comes next, behind what scanf has read.
enum { ANYTHING = 0, NO_SPACE = 1, SOMETHING = 2 };

typedef struct stream {
	_Bool open, reads, writes;
	_Bool ended, failed;           // the indicators of end and error
	unsigned char next;            // what is known of the next character
	unsigned char pushed;          // characters that ungetc pushed back
	unsigned char text[PUSHED];
	_Bool placed;                  // ftell says at
	_Bool seen;                    // the program has read from it
	_Bool kept;                    // what comes is not arbitrary: the program wrote it, or read it before
	_Bool given;                   // the program knows the descriptor
	int number;                    // the descriptor
	long at;
} FILE;

// FOPEN_MAX is 16; what happens beyond is not modelled.
enum { STREAMS = 3 + 16 };
extern FILE __assay_streams[STREAMS];

#define FILE_IS_THERE(name) REQUIRE(file != 0, name ": the file is null")

// known is a stream of which we know the state, null for a pointer that comes
// from elsewhere.
static inline FILE *known(FILE *file) { return __assay_same_object(file, __assay_streams) ? file : 0; }

// Whether the program can see what input does to a stream besides what it reads.
#define READS_FORMATS "scanf fscanf vscanf vfscanf __isoc99_scanf __isoc99_fscanf __isoc99_vscanf __isoc99_vfscanf __isoc23_scanf __isoc23_fscanf __isoc23_vscanf __isoc23_vfscanf"
#define TRACKS_INPUT __assay_uses("feof ferror ungetc " READS_FORMATS)
#define TRACKS_ERRORS __assay_uses("ferror")
#define TRACKS_PLACES __assay_uses("ftell ftello")
#define TRACKS_NUMBERS __assay_uses("fileno")

// Input comes to an end, or fails. The stream may be null, here and below.
void __assay_no_input(FILE *s);
// Whether the stream gives no input whatever there is to read: it ended
// before, or is not open for reading.
_Bool __assay_input_over(FILE *s);
// What output to a stream returns: the result, or -1 if it fails.
int __assay_output(const char *function, FILE *s, int result);
// Descriptors: a new one, the end of one, one that dup2 opens, and whether calls
// with one must fail.
int __assay_descriptor(void);
void __assay_close_descriptor(int n);
void __assay_open_descriptor(int n);
// A descriptor opens with these flags of open: with 1 or 2 the program may write what it reads later.
void __assay_owns(int flags);
// A stream whose number the program cannot ask for opens one, or closes one.
void __assay_hidden_descriptor(_Bool opens);
_Bool __assay_bad_descriptor(int n);

#endif
