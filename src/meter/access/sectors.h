/* sectors.h - what one access to global, local or constant memory touches. A sector is 32 aligned bytes, the unit that
 * the caches move; a request is charged for each distinct one that an active lane's bytes lie in, at any width. */
#ifndef LS_METER_ACCESS_SECTORS_H
#define LS_METER_ACCESS_SECTORS_H

#include "base/base.h"

enum { SECTOR_BYTES = 32, LINE_BYTES = 128 };

/* How many different addresses the lanes have, and in how many sectors and lines these lie. */
struct distinct {
    u32 first;       /* the lanes that are the first at their address */
    u32 first_lines; /* in their line */
    u32 low;         /* the addresses' low 31 bits, or-ed */
    u32 elements, sectors, lines;
};
/* False, which is rare: they are too far from each other to be looked at together. */
bool sectors_near(const u64 *at, u32 mask, struct distinct *n);
/* Whether elements of that size, a power of two, begin at multiples of it, so that none lies in two sectors. */
bool sectors_aligned(const struct distinct *n, u32 bytes);

/* The elements, of `bytes`, a power of two up to 32, at those addresses, and the sectors that their bytes lie in. The
 * other fields are not set. */
struct distinct sectors_distinct(const u64 *at, u32 mask, u32 bytes);

/* Distinct sectors of the byte ranges [at[i], at[i] + bytes) of the lanes in mask; bytes 1..32. */
u32 sectors_count(const u64 *at, u32 mask, u32 bytes);

/* The same of local memory: at[i] is an offset in lane i's own memory, whose word k stands at (32 k + i) * 4 from the
 * warp's base, so that lanes with the same index are neighbours. */
u32 sectors_local(const u64 *at, u32 mask, u32 bytes);

/* The same for reductions: lanes that add to one element go one after another, so a sector is charged as often as its most
 * wanted element. Within 2 % of an H200 on random elements, equal on one (tests/hw/h200/ladders.csv, hist*). */
u32 sectors_red(const u64 *at, u32 mask, u32 bytes);
/* The same by lines: requests to L2. */
u32 lines_red(const u64 *at, u32 mask, u32 bytes);

/* Distinct elements that a constant load reads: the constant cache delivers one at a time. */
u32 sectors_words(const u64 *at, u32 mask, u32 bytes);

#endif
