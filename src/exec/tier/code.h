/* code.h - compiled code as the engine runs it, and the state in which it begins and ends. Internal to exec/tier.
 *
 * Between two runs a warp's values lie in its frame's slots in a *compact* form: what is the same in all lanes, or differs
 * by the same step from lane to lane, has its lane 0 there alone. tier_state says which cells these are. */
#ifndef LS_EXEC_TIER_CODE_H
#define LS_EXEC_TIER_CODE_H

#include "exec/tier/graph.h"
#include "exec/warp.h"

struct tier_cell {
    u32 at;  /* byte offset in the frame */
    u8 kind; /* enum cell_kind */
    struct shape s;
};

/* A warp's state in front of a record. */
struct tier_state {
    u32 record, ncells;
    struct tier_cell *cells;
};

/* How a warp's run ended; its result is this | number of the state << 3. */
enum tier_end {
    TIER_DONE,    /* all lanes have exited */
    TIER_BARRIER, /* the warp arrived at a barrier of all threads; the state is the one behind it, an entry */
    TIER_YIELD,   /* its budget is used up; the state is a loop's, an entry */
    TIER_LEAVE,   /* the interpreter goes on */
    TIER_FAULT,   /* a body stopped: warp.stop says why */
};
#define TIER_END(result) ((enum tier_end)((result) & 7))
#define TIER_STATE(result) ((result) >> 3)

struct tier_tell;

/* What code is given of the block. */
struct tier_args {
    const void *params;
    struct site_cache *sites;
    u8 *shared;
    u64 shared_bytes;
    u32 ctaid[4], nctaid[4];
    u32 dynamic_shared; /* where dynamic shared memory begins */
    u64 param_address;
    u32 first, end;   /* the warps that run, one after the other */
    u32 last, before; /* out: the one that ran last, whose result is returned, and the result of all before it */
    u32 x, x_end; /* straight code runs the blocks behind the first in x, too. out: the one that runs; where they end */
    u32 chance;   /* mixed: at the so manyth place where code may leave it does */
    /* Counted code (gen_count.c): the worker's counters, by basic block and by site; blocks NULL: entries are told. Sites
     * are always there, all zero where accesses are told. */
    struct exec_block_count *blocks;
    struct exec_site_count *plain;
    const struct tier_tell *tell;
    const struct ir_func *kernel;
    u64 addr[IR_LANES]; /* of the access that is told next */
    const struct ir_inst *bodies;
    /* Runs records up to the one that stops, with these lanes. False: the code ends with TIER_FAULT. */
    bool (*run_body)(struct warp *w, const struct ir_inst *first, u32 mask);
    /* The warp has used its budget where it cannot stop: gives it a new one. False: the grid stops, as above. */
    bool (*go_on)(struct warp *w);
};

/* What counted code calls where there is something to tell. */
struct tier_tell {
    void (*enter)(struct warp *w, const struct tier_args *args, u32 block, u32 mask);
    void (*diverge)(struct warp *w, const struct tier_args *args, u32 site, u32 mask, u32 taken);
    /* An access at args->addr, which is of that pattern; */
    void (*known)(struct warp *w, const struct tier_args *args, u32 site, u32 what, u32 mask, u32 pattern);
    /* which may be one place or a row after all, and then perhaps is only counted. */
    void (*any)(struct warp *w, const struct tier_args *args, u32 site, u32 what, u32 mask);
};
/* An access in a word: the space of the event, elements and their bytes, and these. */
enum { TELL_STORE = 1 << 24, TELL_SIGNED = 1 << 25, TELL_GENERIC = 1 << 26, TELL_AGAIN = 1 << 27 };
#define TELL_WHAT(space, size, count) ((u32)(space) | (u32)(size) << 8 | (u32)(count) << 16)

/* Runs warps of the block, whose lanes are all active, each from the entry of that number, until one's result is not the one
 * of those before it, or a warp is neither done nor at a barrier. warps, frames: the block's. */
typedef u32 tier_run(struct warp *warps, const struct frame *frames, struct tier_args *args, u32 entry);

/* Records that code has run by their bodies: [first, end) of the kernel's, then one that stops. */
struct tier_body {
    u32 first, end;
};

enum { TIER_WHY = 512 };
/* COLD: it was not in the cache, and its kernel is not worth compiling yet. */
enum tier_phase { TIER_ASKED, TIER_COLD, TIER_READY, TIER_FAILED };

struct tier_code {
    struct arena mem;
    tier_run *run;
    struct object *object;
    struct tier_state *states; /* entries first */
    u32 nstates, nentries;
    u32 *entry_at; /* by record: the number of the entry + 1, or 0 */
    struct tier_body *body_list;
    u32 nbodies;
    struct ir_inst *bodies;
    bool pays;        /* it takes from the warp's budget, or bodies may */
    bool needs_frame; /* code reads constant slots of the frame */
    const struct exec_func *f;
    u32 block[3];      /* the block's dimensions that it is for */
    u32 mixed;         /* not 0: it leaves at random places, which this number chooses (TIER_MIXED) */
    enum ir_mode mode; /* the records that it is made of: IR_TRACED's code is counted */
    char why[TIER_WHY];
    _Atomic u32 phase;      /* enum tier_phase */
    struct tier_code *next; /* of the same function */
};

#endif
