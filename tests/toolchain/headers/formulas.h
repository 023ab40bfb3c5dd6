/* formulas.h - what a kernel's results must be, worked out on the host. */
#ifndef HEADERS_FORMULAS_H
#define HEADERS_FORMULAS_H

#include <stdbool.h>

enum { HEADERS_WORDS = 65536 + 64 * 64 };

/* Whether out[] is right; if not, `what` says what is wrong. */
typedef bool formula(const unsigned *out, const unsigned *in, unsigned blocks, unsigned threads, char what[128]);

#endif
