/* replay.h - the replay of an SM: from the streams of some blocks of a launch to its time, and to what its warps waited for.
 *
 *     recorded blocks ──► one SM, its warps side by side (sm.c) ──► time and stalls of the blocks replayed ──► the launch (launch.c)
 *
 * One SM is run: the four schedulers issue an instruction a clock each, of a warp whose stall count is over, whose
 * scoreboards are down and whose pipe is free. Nothing is run cycle by cycle: each warp knows when it may issue next, and
 * the earliest one does. Memory is a chain of queues (memory.c): what an access costs there is reckoned when it is issued. L1
 * is looked up in the order in which the replay comes to it; who serves what it lacks is known by the model of the caches, a share for
 * each instruction, and dealt out evenly. The other SMs are
 * there as their share of L2 and DRAM: the SM has what the rates are, over the SMs that work.
 *
 * What it does not know: skew between SMs, what other launches do, TLBs, power. */
#ifndef LS_MODEL_REPLAY_REPLAY_H
#define LS_MODEL_REPLAY_REPLAY_H

#include "base/arena.h"
#include "base/gpu.h"
#include "model/cache/l2/cache_l2.h"
#include "model/replay/code.h"
#include "model/replay/stalls.h"
#include "model/replay/stream.h"

/* What comes out for an instruction, of the PTX or of the machine: cycles of warps by reason, and machine instructions issued for it. */
struct replay_site {
    double stalls[STALL_COUNT];
    double issued;
};

/* What counting and the model of caches say of an instruction. */
struct replay_shares {
    struct served served;
    float link;   /* bytes of the link to the host for each sector that the host serves */
    float late;   /* share of its sectors that L2 held, but only just */
    float values; /* of match.any: different ones that the lanes have, on average */
    float asked;  /* of a bulk copy: sectors of L2 for each of its own; less than 1 where other SMs ask for the same */
};

struct replay_func {
    const struct replay_code *code;
    u32 nsites;
    const struct replay_shares *shares; /* by site */
    struct replay_site *sites;          /* by site; added to */
    struct replay_site *machine;        /* the same by place in the machine code; NULL: nobody asks */
    struct prepared *prepared;          /* the replay's own */
};

struct replay_stream {
    const u64 *items;
    u64 n;
};

/* A recorded block. */
struct replay_block_stream {
    const struct replay_stream *warps;
    struct replay_func *const *funcs; /* [nfuncs], by the number that its items have */
    u32 nfuncs;
    u64 linear;
    double cost;    /* machine instructions of its warps */
    double longest; /* machine instructions of its longest warp */
    double rest;    /* its whole cost by what its streams hold: >= 1 where they were too long to be kept */
};

/* Machine instructions of any block's warps: of the longest one, and of the others, in four groups from the shortest to the longest, on average. */
enum { REPLAY_GROUPS = 4 };
struct replay_size {
    float longest, others[REPLAY_GROUPS];
};
/* How many of the others of n warps are in groups before that one. */
static inline u32 replay_group_begin(u32 warps, u32 group) { return (warps - 1) * group / REPLAY_GROUPS; }
static inline double replay_size_cost(const struct replay_size *s, u32 warps)
{
    double cost = s->longest;
    for (u32 g = 0; g < REPLAY_GROUPS; g++)
        cost += s->others[g] * (replay_group_begin(warps, g + 1) - replay_group_begin(warps, g));
    return cost;
}

struct replay_launch {
    const struct gpu *gpu;
    u64 nblocks;
    const struct replay_size *sizes; /* [nblocks]; NULL: not known */
    u32 warps;                       /* of a block */
    u32 resident;                    /* blocks that an SM holds at once, >= 1 */
    u32 slots;                       /* warps that it has room for, of whatever blocks; 0: those of `resident` */
    u32 places;                      /* blocks that it has room for but for their warps; 0: `resident` */
    const struct replay_block_stream *blocks; /* recorded, by number */
    u32 nrecorded;
    u64 l1_bytes;          /* of the SM */
    double cost;           /* of all blocks */
    double reads, atomics; /* sectors that L2 is asked for, of the launch */
    struct l2_hot hot;
    double
        hold; /* cycles from such a swap until its warp writes there again: a lock that is let go; 0: none, or not known yet */
    u64 swaps, swaps_hot;    /* compare-and-swaps that changed memory; of those, at the word that had most */
    double dram_write_share; /* of the sectors written, those that DRAM writes while the launch runs */
    double dram_alone_share; /* of those, what went without another sector of its line */
    double dram_fill_share;  /* and those that it has to send, as L2 has only a part of them */
    double calls;            /* cycles of calls of the device's run time (device_calls.h) */
    u64 budget;              /* machine instructions to replay, about */
};

struct replay_result {
    double cycles;           /* from the start of the first block to the end of the last */
    double active;           /* of an SM that has blocks, on average */
    double ns;               /* with what a launch takes besides */
    double hz;               /* the SM's clock */
    double sm_used, l1_used; /* of the time that an SM works: shares in which its busiest unit is used, and of L1's */
    double warps;            /* of an SM that are there, on average while the launch runs */
    double scale;            /* from the replayed blocks to all of the launch */
    double tries;            /* compare-and-swaps of the launch that failed as those of other blocks were faster */
    double stalls[STALL_COUNT]; /* cycles of the replayed warps */
};

/* Fills the sites of the blocks' functions too. mem is for the time of the call; its recovery point is set. */
struct replay_result replay_launch(struct arena *mem, const struct replay_launch *l);

#endif
