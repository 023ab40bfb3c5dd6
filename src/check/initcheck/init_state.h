/* init_state.h - initcheck's state of a worker: the blocks that it runs. Internal.
 *
 * A worker runs one block at a time, but puts blocks aside that wait for others, so several may be alive. */
#ifndef LS_CHECK_INIT_STATE_H
#define LS_CHECK_INIT_STATE_H

#include "check/initcheck/initcheck.h"

/* A warp's local memory: row r holds bytes 64 r .. 64 r + 63 of each lane, a word a lane. */
struct init_local {
    u64 *rows;
    u64 used, room; /* rows; room is a power of two */
};

struct init_block {
    struct init_block *next;
    const struct exec_block_info *info; /* NULL: free */
    u8 *shared;                         /* bits */
    struct init_local *warps;
};

/* A bulk copy under way: the pieces that it read and that are not initialised. More than these count as initialised. */
struct init_piece {
    u32 number, bits;
};
struct init_bulk {
    u32 nread, nwritten, npieces, taken;
    struct init_piece pieces[64];
};

/* A load of uninitialised bytes that a store of local memory, still to come, hands on. */
enum { INIT_CARRIES = 16 };
struct init_carry {
    const struct exec_block_info *block;
    const struct ir_func *func;
    u32 warp, store, lanes; /* lanes 0: free. More than these at once count as initialised */
    u32 missing[32];
};

struct init_shared {
    struct init_block *now; /* of the last event */
    struct init_block *all;
    u64 shared_bytes; /* the kernel's own, static and dynamic */
    struct init_uses *uses;
    struct init_bulk bulk;
    u32 ncarries;
    struct init_carry carries[INIT_CARRIES];
};

/* NULL: there was no memory for it. */
struct init_block *init_find_block(struct init_shared *s, const struct exec_block_info *info);
static inline struct init_block *init_block_of(struct init_shared *s, const struct exec_block_info *info)
{
    return LS_LIKELY(s->now && s->now->info == info) ? s->now : init_find_block(s, info);
}

/* Makes room for that many rows; false: no memory. */
bool init_local_grow(struct check_worker *w, struct init_local *l, u64 rows);

void init_access(struct check_worker *w, const struct exec_access *a);
void init_far_access(struct check_worker *w, const struct exec_access *a, const struct exec_block_info *home);
void init_order(struct check_worker *w, const struct exec_order *o);

#endif
