/* larger.h - the larger and the smaller of two doubles that are numbers. fmax and fmin must know what becomes of a NaN, and are calls
 * for that; these are an instruction. */
#ifndef LS_BASE_LARGER_H
#define LS_BASE_LARGER_H

static inline double larger(double a, double b) { return a > b ? a : b; }
static inline double smaller(double a, double b) { return a < b ? a : b; }

#endif
