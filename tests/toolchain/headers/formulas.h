/* formulas.h - what a kernel's results must be, worked out on the host. */
#ifndef HEADERS_FORMULAS_H
#define HEADERS_FORMULAS_H

#include <stdbool.h>

enum { HEADERS_WORDS = 65536 + 64 * 64 };

/* Whether out[] is right; if not, `what` says what is wrong. */
typedef bool formula(const unsigned *out, const unsigned *in, unsigned blocks, unsigned threads, char what[128]);

formula formula_half_arithmetic, formula_bfloat16_arithmetic, formula_half_conversion, formula_bfloat16_conversion;
formula formula_block, formula_tile, formula_reduce, formula_scan, formula_grid, formula_wide;
formula formula_barrier, formula_pipeline;
formula formula_product;

#endif
