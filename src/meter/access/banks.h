/* banks.h - what one access to shared memory costs: how often the banks must be asked.
 *
 * Word w (of bank_bytes bytes) is in bank w % banks. In one wavefront each bank delivers one word, to any number of
 * lanes. An access wider than a bank goes in phases, each for a part of the warp. Measured on an H200: every row of
 * tests/hw/h200/bank-probe.csv is reproduced, atomics on f32 and 64 bits excepted (they are loops in machine code). */
#ifndef LS_METER_ACCESS_BANKS_H
#define LS_METER_ACCESS_BANKS_H

#include "base/base.h"

struct bank_shape {
    u32 banks, bank_bytes; /* 32 and 4 on all current GPUs; at most BANKS_MAX banks, bytes a power of two */
};

enum { BANKS_MAX = 64 };

struct bank_cost {
    u32 wavefronts;
    u32 conflicts; /* wavefronts beyond one a phase */
};

enum bank_op {
    BANK_LOAD,
    BANK_STORE,
    BANK_ATOMIC, /* one the hardware has: integer add min max inc dec, logic, exchange, on 32 bits */
    BANK_CAS,    /* compare-and-swap */
};

/* at[lane]: byte offsets in shared memory; only those of the lanes in mask count. bytes: of one lane's access, 1..16. */
struct bank_cost banks_cost(struct bank_shape shape, enum bank_op op, const u64 *at, u32 mask, u32 bytes);

/* Wavefronts of a load or store of aligned words of 4 bytes in 32 banks of as many; first: of the lanes that want the same
 * word, one each. */
u32 banks_words(const u64 *at, u32 first);

/* An atomic that machine code does as a loop of load and compare-and-swap (f32 add, 64-bit arithmetic): each turn commits
 * one lane of each bank. An estimate: which lane wins is not known. */
struct bank_loop {
    u32 turns; /* executions of the load and of the compare-and-swap */
    u32 load_wavefronts, load_conflicts;
    u32 cas_wavefronts;
};
struct bank_loop banks_loop(struct bank_shape shape, const u64 *at, u32 mask, u32 bytes);

#endif
