/* bank_probe.h - the rows of tests/hw/h200/bank-probe.csv: one access to shared memory and what an H200 counted for it. */
#ifndef LS_TESTS_BANK_PROBE_H
#define LS_TESTS_BANK_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"

struct bank_probe {
    char op[24]; /* ld8 ld16 ld32 ld64 ld128 st32 st64 st128 atom_add_u32 red_add_u32 atom_cas_b32 ... */
    char pattern[40];
    u32 line;                                 /* in the file */
    u32 mask;                                 /* active lanes */
    u32 wavefronts[3], conflicts[3], inst[3]; /* of loads, stores, atomics */
    u64 at[32];                               /* byte offset of each lane */
};

enum { PROBE_LD, PROBE_ST, PROBE_ATOM };

/* Reads the whole file into rows (at most max); how many there were, or -1 when it cannot be read or parsed. */
int bank_probe_read(const char *path, struct bank_probe *rows, size_t max);

/* Bytes a lane, and whether the op is a load, a store or an atomic (PROBE_*). */
u32 bank_probe_bytes(const struct bank_probe *p);
int bank_probe_kind(const struct bank_probe *p);
/* f32 and 64-bit adds: loops of compare-and-swap in machine code, which counting from PTX does not reproduce. */
bool bank_probe_excepted(const struct bank_probe *p);

#endif
