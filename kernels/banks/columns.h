/* columns.h of banks - what the columns of its ladder.def mean. */
#ifndef LS_KERNELS_BANKS_COLUMNS_H
#define LS_KERNELS_BANKS_COLUMNS_H

#include "kernels/family.h"

/* Which element each thread of a warp reads, where a rung is one access (reference.c). */
enum pattern {
    PATTERN_NONE, /* it transposes a tile */
    PATTERN_OWN,
    PATTERN_SECOND,
    PATTERN_THIRD,
    PATTERN_BACKWARDS,
    PATTERN_DISORDER,
    PATTERN_FOUR_ALIKE,
    PATTERN_TWO_WORDS,
    PATTERN_HALF,
    PATTERN_PLANES
};

struct columns {
    enum pattern pattern;
    u32 words;        /* an element has so many integers */
    bool doubles;     /* or is one double */
    u32 pad;          /* words added to a row of the tile */
    bool search;      /* the padding is an argument, k; `pad` unless k is given */
    bool rectangular; /* takes tiles of any shape, not square ones only */
    bool swizzle;     /* permutes columns by xor */
    bool identity;    /* loads where it stored: every thread gets its own number back */
};

#endif
