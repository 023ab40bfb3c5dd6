/* lines.h - the lines of 128 bytes that one execution of a memory instruction asks for, and which of their sectors; in
 * the order in which its lanes come to them, each line once. No memory, no state: the access alone decides. */
#ifndef LS_METER_ACCESS_LINES_H
#define LS_METER_ACCESS_LINES_H

#include "exec/exec.h"
#include "meter/access/sectors.h"
#include "model/cache/cache.h"

enum {
    LINES_MOST = 32 * 8 + 1, /* local accesses have a line a word */
    LINES_SLOTS_MOST = 512,
};

struct lines {
    u64 number[LINES_MOST]; /* address / CACHE_LINE */
    u8 sectors[LINES_MOST];
    u32 n;
    const u64 *compared; /* the addresses, which lines_of_device had to compare with each other; NULL: it had not */
    struct distinct distinct;   /* what it then found */
    u32 slot_bits;              /* of the table in which lines are found again, which is never full */
    u16 slot[LINES_SLOTS_MOST]; /* 1 + index; 0: free */
};

/* Addresses count from `base`, a multiple of a line. */
void lines_of_device(struct lines *l, const struct exec_access *a, u64 base);
/* Lanes of an atomic that want the same element go one after the other (as sectors_red counts): this takes those that
 * are first of *mask, and leaves the others there. */
void lines_of_atomic(struct lines *l, const struct exec_access *a, u64 base, u32 *mask);
/* Local memory: word k of lane i of the warp stands at 4 * (32 k + i), in `n` lines from `first` on. */
void lines_of_local(struct lines *l, const struct exec_access *a, u64 first, u32 n);

#endif
