/* initcheck.h - which bytes of memory hold something: what the files of initcheck share. Internal.
 *
 * A byte of global, shared or local memory is *initialised* once something has written it: a store, an atomic, an
 * asynchronous copy, a copy or fill of the host's. Which bytes are is kept as bits, one a byte, in a plane beside
 * device memory (initcheck.c), a bitmap a block (shared) and one a warp (local; init_access.c).
 *
 * A load is a finding if *all* bytes of an element that it reads are uninitialised and something is done with the
 * element (init_use.c): compilers copy structs and unions whole, padding and unset members with them. If only some are,
 * it is one when the element, of global or shared memory, is taken for a number, or is the last of an allocation that
 * is written up to there (init_access.c). */
#ifndef LS_CHECK_INITCHECK_H
#define LS_CHECK_INITCHECK_H

#include <string.h>

#include "check/core/tool.h"

/* ---- bits, the n-th for byte n ---- */

enum { INIT_SPAN = 32 }; /* bits that are asked for or changed at once */

static inline u32 init_ones(u32 n) { return n >= 32 ? UINT32_MAX : (1u << n) - 1; }

/* n <= INIT_SPAN bits from `at` on. Up to 8 bytes from the one that holds the first are read. */
static inline u32 init_get(const u8 *bits, u64 at, u32 n)
{
    u64 word;
    memcpy(&word, bits + (at >> 3), sizeof word);
    return (u32)(word >> (at & 7)) & init_ones(n);
}

/* Several launches may work on one plane: a byte of bits is either stored whole or changed atomically. */
void init_put(u8 *bits, u64 at, u32 n, u32 value);
void init_set(u8 *bits, u64 at, u64 n);
/* True: all n bits are set. Up to 8 bytes behind the one that holds the last are read. */
static inline bool init_all(const u8 *bits, u64 at, u64 n)
{
    const u32 shift = at & 7;
    const u8 *from = bits + (at >> 3);
    u64 word, off = 0;
    for (; n >= 64; n -= 56, from += 7) {
        memcpy(&word, from, sizeof word);
        off |= ~word >> shift & (((u64)1 << 56) - 1);
    }
    if (n > 56) {
        memcpy(&word, from, sizeof word);
        off |= ~word >> shift & (((u64)1 << 56) - 1);
        n -= 56, from += 7;
    }
    memcpy(&word, from, sizeof word);
    return !(off | (~word >> shift & (((u64)1 << n) - 1)));
}
/* The first bit at or behind `at` and before `end` that is set (or clear); `end`: there is none. */
u64 init_find(const u8 *bits, u64 at, u64 end, bool set);

/* ---- device memory ---- */

struct init_plane {
    struct shadow bits; /* a cell is a byte of 8 bits, for 8 bytes */
    int pagemap;        /* /proc/self/pagemap; -1: the host has none */
    u64 newest, unseen; /* serials: of the latest allocation, and of the latest when a launch went unchecked */
    u64 closed[512]; /* functions without open registers, by hash: each launch would look for some anew (init_regs.h) */
};

bool init_create(struct check *c);
void init_destroy(struct check *c);
void init_made(struct check *c, const struct mem_block *b);
void init_gone(struct check *c, const struct mem_block *b);
void init_unseen(struct check *c);
void init_host_wrote(struct check *c, u64 address, u64 size);
void init_host_read(struct check *c, u64 address, u64 size, const struct host_call *call);
void init_copied(struct check *c, u64 to, u64 from, u64 size);

/* Bytes [address, address + n), n <= INIT_SPAN, are not all marked. Which are truly uninitialised, a bit each: memory
 * that counts as initialised for what it is gets marked. *b: the allocation, valid when the result is not 0. */
u32 init_missing(struct check *c, u64 address, u32 n, struct mem_block *b);

/* ---- addresses of local memory, in code that names no space (init_local.c) ---- */

/* The registers that hold some, a bit each by index, in mem (whose recovery point is set). */
u64 *init_local_registers(struct arena *mem, const struct ptx_func *f);
bool init_is_local(const u64 *registers, const struct ptx_operand *o);

/* ---- what loads are for (init_use.c) ---- */

struct init_load {
    u8 elements; /* of the load; 0: it is none of registers, so take it as one element that is used */
    u8 bytes;    /* of an element */
    u8 used;     /* a bit an element: its value matters */
    u8 whole;    /* a bit an element: all bytes of it do */
    u8 copied;   /* a bit an element: it is but copied, as a part of something larger */
    u8 chosen;   /* a bit an element: all that is done is choosing between it and another value (selp) */
    u32 store;   /* 1 + the site of the store that copies it to local memory, which takes over what it is; 0: none */
};

struct init_uses {
    struct init_uses *next;
    const struct ir_func *func;
    struct init_load *loads; /* by site */
};

/* Of one function, in mem (whose recovery point is set). */
struct init_uses *init_uses_make(struct arena *mem, const struct ir_func *func);

/* The instruction's result is its operand's bytes, in another place or together with others. */
bool init_moves_bytes(const struct ptx_inst *i);

/* ---- whether what is loaded is used for sure (init_sure.c) ---- */

/* The instruction is a branch round a few computations, after which both ways are the same again. */
bool init_is_choice(const struct ir_func *f, u32 site);
/* value: the register that the load at site fills; scratch: a byte a register of the function. */
bool init_surely_used(const struct ir_func *func, u32 site, const struct ptx_operand *value, u8 *scratch);

#endif
