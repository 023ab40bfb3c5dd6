/* record.h - what some blocks of a launch did, as streams for the replay of an SM (model/replay/stream.h).
 *
 * Each block is written into the memory of its worker while it runs; when it ends it is kept or forgotten. Kept are
 *
 *     the blocks of SM 0 that the replay runs (replay_takes);
 *     the most costly blocks of all.
 *
 * Which those are follows from the launch alone, so it does not depend on the number of workers. A stream that becomes too
 * long is cut off; the block's cost says how much is missing.
 *
 * Each worker of the engine has a recorder of its own, without locks. */
#ifndef LS_METER_RECORD_H
#define LS_METER_RECORD_H

#include "exec/exec.h"
#include "meter/access/lines.h"
#include "model/replay/replay.h"

struct record_launch {
    u64 nblocks;
    u32 warps;    /* of a block */
    u32 resident; /* blocks that an SM holds at once */
    u32 sms;
};

struct recorder;

struct recorder *recorder_make(const struct record_launch *l); /* NULL: no memory */
void recorder_free(struct recorder *r);

void record_block_begin(struct recorder *r, const struct exec_block_info *b);
void record_block_end(struct recorder *r, const struct exec_block_info *b);
/* An access, which costs nothing, and its lines; l NULL: L1 is not asked. */
void record_access(struct recorder *r, const struct exec_block_info *b, u32 warp, u64 item, const struct lines *l,
                   u32 kind);
/* What a warp of a block that runs has done so far. */
struct record_warp {
    u64 *at;
    u64 len, cap;
    double cost, lost; /* machine instructions: of all; of what was cut off */
    /* the last poll, and what stood before it */
    u64 polled; /* 1 + its index; 0: there is none */
    u32 polls;  /* that came one after the other */
    double cost_then;
};

/* What a recorder begins with: the block that the last event was of. */
struct record_here {
    u64 linear;
    u32 nwarps; /* 0: there is none */
    struct record_warp *warps;
};

/* NULL: it is not of that block, or there is no room for n items yet. */
static inline struct record_warp *record_room_here(const struct recorder *r, const struct exec_block_info *b, u32 warp,
                                                   u32 n)
{
    const struct record_here *h = (const struct record_here *)r;
    struct record_warp *w = b && warp < h->nwarps && h->linear == b->linear ? &h->warps[warp] : NULL;
    return LS_LIKELY(w && w->cap - w->len >= n) ? w : NULL;
}

/* There is room for it. */
static inline void record_put(struct record_warp *w, u64 item, double cost)
{
    w->at[w->len++] = item;
    w->cost += cost;
}

void record_item_anywhere(struct recorder *r, const struct exec_block_info *b, u32 warp, u64 item, double cost);
/* cost: machine instructions that an entry stands for; 0 of others. */
static inline void record_item(struct recorder *r, const struct exec_block_info *b, u32 warp, u64 item, double cost)
{
    struct record_warp *w = record_room_here(r, b, warp, 1);
    if (LS_UNLIKELY(!w)) {
        record_item_anywhere(r, b, warp, item, cost);
        return;
    }
    record_put(w, item, cost);
}

/* record_access with one line, which is an item, too. */
static inline void record_line(struct recorder *r, const struct exec_block_info *b, u32 warp, u64 item, u64 line)
{
    struct record_warp *w = record_room_here(r, b, warp, 2);
    if (LS_UNLIKELY(!w)) {
        record_item_anywhere(r, b, warp, item, 0);
        record_item_anywhere(r, b, warp, line, 0);
        return;
    }
    w->at[w->len] = item;
    w->at[w->len + 1] = line;
    w->len += 2;
}

/* A load that passes L1, as those are that wait for another block. How often the engine looked says nothing about a GPU: of
 * looks that follow each other without another access between them one is kept. */
void record_poll(struct recorder *r, const struct exec_block_info *b, u32 warp, u64 item);

/* A bulk copy, or what is done to the mbarrier at that offset of the block's shared memory, UINT64_MAX: none. Fills in the slot, and of
 * a wait how many arrived before. */
void record_async(struct recorder *r, const struct exec_block_info *b, u32 warp, struct item_async a, u64 barrier);
/* The warp has asked an mbarrier until its phase was over: of the turns of that loop one is kept. weights: of func's blocks. */
void record_unspin(struct recorder *r, const struct exec_block_info *b, u32 warp, u32 func, const double *weights);

/* A block that was kept. */
struct record_block {
    u64 linear;
    double cost, kept_cost; /* of all of it; of what the streams hold */
    double longest;         /* cost of its most costly warp */
    u64 **items;            /* [warps] */
    u64 *lengths;           /* [warps] */
    bool sample;            /* kept for its place, not for its cost */
};
/* After the launch, all workers: sorted by place, with the most costly ones of all. The result is ls_malloc'ed, its blocks are
 * the recorders'; worker[k] says whose block k is. NULL: no memory, or nothing was kept (*n is 0). */
const struct record_block **record_blocks(struct recorder *const *all, u32 workers, u32 **worker, u32 *n);
/* False: some memory was missing. r NULL: nothing was recorded. */
bool record_good(const struct recorder *r);
/* Of all blocks of this worker. */
double record_cost(const struct recorder *r);
/* Of all workers' blocks, by place in the grid. False: they are too many, and were not kept. */
bool record_has_sizes(u64 nblocks);
bool record_sizes(struct recorder *const *all, u32 workers, u64 nblocks, struct replay_size *to);

#endif
