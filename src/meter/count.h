/* count.h - one worker's counters: what the engine's hooks add to. No locks; totals.c adds the workers up. */
#ifndef LS_METER_COUNT_H
#define LS_METER_COUNT_H

#include "base/vec.h"
#include "meter/access/banks.h"
#include "meter/caches.h"
#include "meter/report/picture.h"
#include "meter/rules.h"
#include "model/device_heap.h"

/* Of one instruction and access class. cost: sectors, wavefronts or words. */
struct tally {
    u64 requests, cost, conflicts;
    u64 bytes, lanes; /* where an event is made of them: not of constants, and lanes of atomics alone */
};

struct memo;

/* The sectors of shared memory to which the lanes of an st.async or red.async have sent. */
struct sent_sectors {
    u64 at[32]; /* block and sector */
    u32 n;
};

/* Of a bulk copy. */
struct bulk_tally {
    u64 inst, sectors, bytes;
    u64 many_sectors, many_lines; /* of multicasts */
};

/* The last access with a recorder whose pattern says what it costs. Where the next one is like it, it costs the same, and only its sector and
 * lines are others. */
struct like_count {
    u32 mask;   /* 0: there was none */
    u32 form;   /* access.c's form_of */
    u32 phase;  /* of the first address, in what its sectors or banks repeat after: */
    u32 within; /* its bits of an address */
    u32 cost, conflicts, bytes, lanes;
    u8 kind;           /* enum traffic_kind, where the caches are asked */
    bool asks, turn;   /* the caches; and an access ends its warp's turn there */
    u8 run;            /* access.c's run_of, then; 0: the next one may ask for more than a line */
    u64 item;          /* in the stream */
    u64 place_item;    /* the same, but for where; where it asks, of a single line */
    u64 request, line; /* of such a line, but for which */
    u64 n;             /* accesses like it that are not in the tally yet */
};

struct site_count {
    u8 class; /* of `first`; CLASS_NONE until the first access */
    u8 width; /* as in struct site_estimate */
    u8 bytes; /* a lane, of the last access, as merged */
    bool follows, unused, loops, async, kept, counts, elected;
    bool aligned;
    u8 plain_class, plain_bytes; /* of those that the engine counts (plain.c) */
    bool asked;                  /* whether it may */
    bool past_l1;                /* global loads and stores: L1 is not asked */
    bool empties_l1;             /* it acquires: what L1 had is not read again */
    bool settles;                /* it releases: what was asked of L2 must be done */
    struct plain_cost {
        u32 cost, conflicts, bytes;
        u8 class;
    } again; /* of the last access that was told with `again` */
    struct like_count like;
    u64 gather; /* in the stream: the last load of lanes in many places through L1; 0: there was none */
    struct tally first;
    struct tally *others; /* [ACCESS_CLASSES], for generic accesses that hit several spaces; or NULL */
    struct memo *memo;
    struct bulk_tally *bulk; /* NULL: it is none, or has not run */
    u64 divergent, barriers;
    u64 matches, match_values; /* match.any: executions, and different values of lanes */
};

struct func_count {
    const struct ir_func *func;
    struct estimate *estimate;
    struct exec_block_count *blocks; /* by block */
    struct site_count *sites;        /* by site */
    struct exec_site_count *plain;   /* by site: what the engine counts; NULL: it is to tell all */
    struct traffic *traffic;         /* by site; NULL without the model of the caches */
    u32 first_site;                  /* the number of site 0 there */
    u32 index;                       /* among the counter's functions */
    u32 *busy;                       /* by block: cycles that a scheduler is; NULL without the model of the caches */
    u64 *before;                     /* by block: warps that had entered it when an SM's first block began */
    double *weights;                 /* by block: its machine instructions; NULL without a recorder */
    u32 fed;                         /* the first blocks, whose entries are recorded */
};

enum { SWAP_BITS = 14, SWAP_WORDS = 1 << SWAP_BITS };

/* Where the accesses of a warp go that one after the other are told of. */
struct warp_here {
    const struct exec_block_info *block;
    u32 warp; /* UINT32_MAX: there is none */
    struct requests *asks;
    u64 *staged; /* as in struct caches_here */
    struct record_warp *record;
};

struct counter {
    struct arena mem;
    const struct gpu *gpu;
    struct func_count *current; /* of the function of the last event */
    VEC(struct func_count *) funcs;
    struct bank_shape shape;
    bool plain_shape; /* 32 banks of 4 bytes: the short cuts for regular patterns hold */
    bool no_memo;
    bool plain;    /* the engine may count plain accesses */
    bool failed;   /* no memory: what follows is dropped */
    bool pictures; /* in the block whose accesses are kept (picture.c) */
    VEC(struct picture_sample) samples;
    u32 cc_major;
    const struct sass_func *code; /* what ptxas made of the kernel, or NULL */
    struct caches_worker *caches; /* NULL: not asked for */
    u64 memory_base;              /* from there addresses count in streams */
    u32 *swaps;                   /* [SWAP_WORDS], by a word's hash: compare-and-swaps that changed it; NULL: none */
    struct sent_sectors sent;     /* by the instruction that is being told */
    struct recorder *recorder;    /* of streams for the replay; NULL: not asked for */
    struct warp_here here;        /* of the last access, until a block comes or goes */
    bool keeps_pictures;
    struct device_heap_sum heap[HEAP_SIZES]; /* the allocations that kernels made */
};

struct counter *counter_make(const struct gpu *gpu, bool no_memo);
void counter_free(struct counter *c);

struct exec_counts counter_counts(void *ctx, const struct ir_func *func);
/* Most events: what is like the one before it takes a short way. */
void counter_enter(void *ctx, const struct ir_func *func, u32 block, u32 mask, u32 warp,
                   const struct exec_block_info *b);
/* Cycles that schedulers are busy with f's blocks; that they were with an SM's first block, for the model of the caches. */
void pace_weigh(struct counter *c, struct func_count *f);
void pace_block_begin(struct counter *c, const struct exec_block_info *b);
void pace_block_end(struct counter *c, const struct exec_block_info *b);
void counter_diverge(void *ctx, const struct ir_func *func, u32 site, u32 mask, u32 taken);
void counter_access(void *ctx, const struct exec_access *a);
/* All that was told is in the tallies. */
void counter_settle(struct counter *c);
void counter_far_access(void *ctx, const struct exec_access *a, const struct exec_block_info *home);
void counter_match(void *ctx, const struct ir_func *func, u32 site, u32 values);
void counter_barrier(void *ctx, const struct exec_barrier *b);
/* With caches only. */
void counter_release(void *ctx, const struct exec_block_info *b, u32 id, const u32 *lanes);
void counter_bulk(void *ctx, const struct exec_bulk *b); /* bulk.c */
void counter_order(void *ctx, const struct exec_order *o);
void counter_block_begin(void *ctx, const struct exec_block_info *b);
void counter_block_end(void *ctx, const struct exec_block_info *b);

/* Makes func that of the last event. */
struct func_count *counter_switch(struct counter *c, const struct ir_func *func);
/* NULL: no memory. */
static inline struct func_count *func_of(struct counter *c, const struct ir_func *func)
{
    return LS_LIKELY(c->current && c->current->func == func) ? c->current : counter_switch(c, func);
}

static inline u32 lanes_of(u32 mask) { return mask == UINT32_MAX ? 32 : (u32)__builtin_popcount(mask); }

/* work.c: which unit runs it. */
enum ir_unit work_unit(const struct site_estimate *e);
/* Cycles that all warps of a launch spend in f, one after the other; n: the events by site. mem is for the time of
 * the call; its recovery point is set. */
double work_path(struct arena *mem, const struct gpu *gpu, const struct ir_func *f, const struct estimate *e,
                 const struct exec_block_count *blocks, u64 (*n)[EVENT_COUNT]);

/* Whether the hardware counts a byte that several lanes ask for once. */
static inline bool distinct_bytes(enum access_class class)
{
    return class == CLASS_GLD || class == CLASS_GST || class == CLASS_SLD || class == CLASS_SST ||
           class == CLASS_GASYNC;
}

struct tally *tally_other(struct counter *c, struct site_count *s, enum access_class class);
/* Where accesses of that class are added; NULL: no memory. */
static inline struct tally *tally_of(struct counter *c, struct site_count *s, enum access_class class)
{
    return LS_LIKELY(s->class == class) ? &s->first : tally_other(c, s, class);
}
/* The tally of that class, or NULL when there was no such access. */
const struct tally *site_tally(const struct site_count *s, enum access_class class);
/* bulk.c: what the bulk copies at this instruction counted. */
void bulk_events(const struct bulk_tally *t, const struct ptx_inst *i, u64 n[EVENT_COUNT]);
/* Adds what a site counted to the events. */
void site_events(const struct site_count *s, u64 n[EVENT_COUNT]);
/* What the model of the caches is asked by such an access to memory outside of the SM. */
enum traffic_kind traffic_kind_of(enum access_class class, bool past_l1);

#endif
