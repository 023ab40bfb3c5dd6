/* race_shared.h - what racecheck remembers of a block's shared memory. Internal.
 *
 * A *cell* stands for `granule` bytes: 4 until something smaller is accessed, then as small as that. It has three
 * stamps: the last write, the last read, and another read, which is of another warp if there was one in this epoch. A
 * stamp is
 *
 *     63 ............. 43   42      41 .. 37   36 .. 32   31 .. 16   15 .. 0
 *     the warp's clock      atomic  warp       lane       product    site (race_site.h)
 *
 * The stamp of a product that is done (wgmma) names, as its warp, its warpgroup; its clock is that agent's (block_order.h).
 * so stamps compare like clocks, and those of an earlier epoch (block_order.h) are below a limit: nothing is cleared at
 * a barrier, nor between blocks.
 *
 * As long as nothing was written in an epoch, reads need no look at cells: they go into a *log*, which the next barrier
 * of the whole block makes void. The first write puts it into the cells. */
#ifndef LS_CHECK_RACE_SHARED_H
#define LS_CHECK_RACE_SHARED_H

#include "base/vec.h"
#include "check/core/block_order.h"
#include "check/racecheck/race_site.h"

enum { STAMP_PRODUCT = 16, STAMP_LANE = 32, STAMP_WARP = 37, STAMP_ATOMIC = 42, STAMP_CLOCK = 43 };
#define STAMP_PRODUCT_BIT (1ull << STAMP_PRODUCT)
#define STAMP_WARP_MASK (0x1full << STAMP_WARP | STAMP_PRODUCT_BIT)
#define STAMP_THREAD_MASK (0x3ffull << STAMP_LANE | STAMP_PRODUCT_BIT)
#define STAMP_ATOMIC_BIT (1ull << STAMP_ATOMIC)

enum flight { FLIGHT_NONE, FLIGHT_WRITE, FLIGHT_READ };
/* Whose groups a copy is of. COPY_PRODUCT: of wgmma, which read. */
enum copy_kind { COPY_PLAIN, COPY_BULK, COPY_PRODUCT, COPY_KINDS };

/* Bytes of one lane's asynchronous copy that is under way. */
struct copy {
    u32 lo, bytes;
    u32 group;        /* of the lane: 1, 2, ... */
    u32 mbarrier;     /* offset + 1 of the object whose phase covers it, or 0 */
    u32 clock, epoch; /* when it arrived there */
    u16 site;
    u8 lane, kind; /* enum copy_kind */
    bool reads;    /* of shared memory, to device memory or for a product */
};

struct copies {
    VEC(struct copy) list;
    u32 committed[COPY_KINDS][SYNC_LANES]; /* groups */
};

/* A write after a write of two lanes of one warp, which is told when somebody reads the cell. */
struct contested {
    u32 cell, size;
    u64 address;
    enum finding_kind kind;
    u16 site, other_site;
    u8 warp, lane, other_lane;
    bool one_execution; /* of one instruction */
    struct party_value {
        u8 bytes[8], n;
    } value, other_value;
};

struct shared_cells {
    u32 granule_bits, n;
    u64 *wr, *rd, *rd2;
    u8 *flight;      /* enum flight */
    u32 in_flight;   /* copies */
    u32 restarts;    /* sync's: when it moves, stamps are void */
    u32 blocks;      /* the same: when it moves, the block is another */
    u32 write_epoch; /* the last epoch in which something was written */
    u32 log_epoch, log_len;
    u32 *log; /* [LOG_WORDS] */
    VEC(struct contested) contested;
    u8 *is_contested; /* by cell; NULL until one is */
    struct copies copies[SYNC_WARPS];
    u32 *stored;      /* by 4 bytes: proxy_fences when a thread last stored there; NULL: nothing reads so */
    u32 proxy_fences; /* how many there were, and 1 */
};

/* What a function's products lack: see race_shared_fence.c. */
struct fence_func {
    const struct ir_func *func;
    u32 *sites;
    struct fence_func *next;
};

/* One worker's. */
struct race_shared {
    struct race_site_index index;
    struct fence_func *fences;
    u32 granule_bits; /* the smallest that any block needed */
};

/* One access, as the cells see it. */
struct touch {
    u64 me;    /* stamp of lane 0 */
    u64 limit; /* stamps below are ordered before it */
    u64 own;   /* the same of its own warp's */
    u32 mask, warp;
    u32 bits;             /* a lane touches 1 << bits cells */
    u32 first;            /* contiguous, uniform: the first cell */
    u8 pattern;           /* enum exec_pattern */
    u32 cell[SYNC_LANES]; /* gather: each active lane's first cell */
};

/* ---- race_shared_cells.c ---- */

struct shared_cells *cells_new(struct arena *mem, u64 bytes, u32 granule_bits); /* NULL: no memory */
bool cells_split(struct shared_cells *c, struct arena *mem, u32 granule_bits);
void cells_clear(struct shared_cells *c);
u64 cells_gather(u32 *restrict cell, const u64 *restrict addr, u32 mask, u32 granule_bits);

/* True: some cell has a write that may be in no order with the reads; then look closer. cells_read records them. */
bool cells_check_read(const struct shared_cells *c, const struct touch *t);
void cells_read(struct shared_cells *c, const struct touch *t);
bool cells_check_write(const struct shared_cells *c, const struct touch *t);
/* True: two lanes wrote the same cell. */
bool cells_write(struct shared_cells *c, const struct touch *t);
bool cells_flight(const struct shared_cells *c, const struct touch *t);

static inline u32 touch_cell(const struct touch *t, u32 lane)
{
    return t->pattern == PATTERN_CONTIGUOUS ? t->first + (lane << t->bits)
           : t->pattern == PATTERN_UNIFORM  ? t->first
                                            : t->cell[lane];
}

/* The stamp is in no order with `me`, as far as epochs and whole warps tell: sync_before knows more. */
static inline bool stamp_unordered(u64 stamp, u64 me, u64 limit, u64 own)
{
    const u64 x = stamp ^ me;
    return (x & STAMP_THREAD_MASK) && stamp >= (x & STAMP_WARP_MASK ? limit : own);
}

/* ---- race_shared_found.c ---- */

struct shared_event {
    struct check_worker *w;
    struct sync_state *s;
    struct shared_cells *c;
    const struct exec_access *a;
    const struct touch *t;
    u32 number, flags; /* of the site */
};

void race_shared_report_read(const struct shared_event *e);
void race_shared_report_write(const struct shared_event *e);
void race_shared_report_lanes(const struct shared_event *e);
void race_shared_report_flight(const struct shared_event *e);
/* Memory of a product or a bulk copy that no fence between proxies was behind the store of; a register of a product. */
void race_shared_report_proxy(const struct shared_event *e, u32 lane, u32 cell);
void race_shared_report_register(struct check_worker *w, const struct copy *x, const struct exec_order *o);
/* A register of the product was written at `site`, with no wgmma.fence behind it; the product's own: there was none at all. */
void race_shared_report_fence(const struct shared_event *e, u32 site);
/* Lanes use an mbarrier whose init is in no order with them (sync_state.early). */
void race_shared_report_init(struct check_worker *w, const struct sync_state *s, const struct exec_order *o);
void race_shared_report_contested(const struct shared_event *e, const struct contested *x);

/* What the stamp says is a hazard with what the lane does now. */
bool race_shared_is_hazard(const struct shared_event *e, u64 stamp, u32 lane);

/* ---- race_shared_contested.c ---- */

void contested_keep(const struct shared_event *e, const struct contested *x);
void contested_read(const struct shared_event *e);
void contested_write(const struct shared_event *e); /* before the cells have the write */
void contested_drop(struct shared_cells *c);

/* ---- race_shared_proxy.c ---- */

bool proxy_watch(struct shared_cells *c, struct arena *mem, const struct exec_block_info *b);
void proxy_access(const struct shared_event *e);
void proxy_order(struct shared_cells *c, const struct exec_order *o);

/* ---- race_shared_fence.c ---- */

void fence_access(const struct shared_event *e); /* of a product */

/* ---- race_shared_copy.c ---- */

void copies_add(const struct shared_event *e);
void copies_order(struct check_worker *w, struct sync_state *s, struct shared_cells *c, const struct exec_order *o);
void copies_drop(struct shared_cells *c);
const struct copy *copies_at(const struct shared_cells *c, u32 offset, u32 *warp);

#endif
