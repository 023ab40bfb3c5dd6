/* block_order.h - who is ordered before whom in a block: clocks of its warps and lanes, moved by barriers, __syncwarp,
 * mbarriers and fences. Both race checks ask it. Internal.
 *
 * Time in a block is counted in *ticks*. Each warp has a clock, which moves on when the warp arrives somewhere; an
 * access is stamped with (warp, lane, its warp's clock). "Known up to tick T" means: ordered behind all accesses whose
 * stamp has a clock < T. Ticks only grow, so what was known once stays true and nothing is ever cleared:
 *
 *   - a barrier that all threads of the block pass begins a new *epoch*: all clocks jump to `base`, a tick that
 *     none had, and everything below base is ordered before everything behind the barrier;
 *   - `synced` says the same of the lanes of one warp among each other (__syncwarp of all its lanes);
 *   - `knows` of a warp about another (named barriers, mbarriers, if whole warps take part);
 *   - `lanes` and `threads` say it lane by lane, and exist only where parts of warps took part.
 *
 * The products of a warpgroup (wgmma) are an *agent* beside the warps, with a clock of its own: each group of them that is done
 * is a tick, and a warp that has waited for the group knows of it up to there, whichever warp's wait was the first. What a
 * warp knows of agents it hands on like what it knows of warps.
 *
 * A *message* is what an arriving lane leaves at a barrier, an mbarrier or a flag, and what the waiting lanes take
 * there.
 *
 * What is taken as ordered, though PTX does not promise it (false alarms are worse than misses): an mbarrier's waiters
 * are behind all arrivals of all phases that are over, also of later ones than they waited for; threads that have
 * exited are ordered before what waited for those that have not; flags (see sync_strong) are told apart by a hash of
 * their address. Shuffles and votes order nothing. */
#ifndef LS_CHECK_BLOCK_ORDER_H
#define LS_CHECK_BLOCK_ORDER_H

#include "check/core/tool.h"

enum { SYNC_WARPS = 32, SYNC_LANES = 32, SYNC_BARRIERS = 17, SYNC_CHANNELS = 64 };
enum { SYNC_GROUP_WARPS = 4, SYNC_GROUPS = SYNC_WARPS / SYNC_GROUP_WARPS, SYNC_AGENTS = SYNC_WARPS + SYNC_GROUPS };
/* Ticks are below this; when they are used up the block's time begins anew, and everything before counts as ordered. */
enum { SYNC_TICK_BITS = 21 };

struct sync_message {
    u32 warps[SYNC_AGENTS]; /* all lanes of that warp, or that agent, up to this tick */
    u32 *threads;           /* [agents][lane]: beyond that; NULL: nothing */
    u32 version;            /* changes with the content */
};

/* Who initialised an mbarrier, and when. */
struct sync_init {
    const struct ir_func *func; /* NULL: nobody that is known */
    u32 site, restarts, clock;
    u8 warp, lane;
};

/* An mbarrier: who arrives in the phase under way, and who did in those that are over. */
struct sync_mbarrier {
    u32 name; /* its offset + 1; 0: free */
    bool parity;
    bool blurred; /* phases cannot be told apart: waiters are behind all arrivals */
    struct sync_init init;
    struct sync_message open, done;
};

/* What a warp took from a channel last. */
struct sync_seen {
    u32 version, lanes;
};

/* Groups of products of a warpgroup that are done: their last ones. */
struct sync_products {
    u32 group[8], tick[8];
};

struct sync_state {
    const struct exec_block_info *block; /* NULL: free */
    const struct ir_func *kernel;        /* for which has_products is known */
    bool has_products;
    struct sync_state *next;
    struct arena *mem;
    u32 warps, threads;
    u32 agents;   /* warps, and behind them the warpgroups if the kernel has products */
    u32 base;     /* the tick at which the epoch began */
    u32 epoch;    /* a number of it; never repeats in this state */
    u32 restarts; /* changes when ticks begin anew: stamps made before mean nothing */
    u32 blocks;   /* how many it has been the state of */
    bool lost;    /* no memory: everything is ordered */
    bool fenced;  /* some thread has executed a fence since the block began */
    u32 clock[SYNC_AGENTS], synced[SYNC_WARPS], exited[SYNC_WARPS];
    u32 knows[SYNC_WARPS][SYNC_AGENTS];
    struct sync_products products[SYNC_GROUPS];
    u32 (*lanes_known[SYNC_WARPS])[SYNC_LANES]; /* [lane][of lane] in one warp, or NULL */
    u32 *threads_known[SYNC_WARPS];             /* [lane][of agent][of lane], or NULL */
    u32 fence[SYNC_WARPS][SYNC_LANES]; /* known to whom the lane's next flag reaches: its own accesses up to here */
    u32 arrived_only[SYNC_BARRIERS][SYNC_WARPS]; /* bar.arrive: lanes that will not wait */
    struct sync_message barriers[SYNC_BARRIERS];
    struct sync_mbarrier mbarriers[SYNC_CHANNELS];
    u32 early;                                /* lanes of this event whose mbarrier's init is in no order with them */
    struct sync_init early_init;              /* the init of the first of them */
    struct sync_message flags[SYNC_CHANNELS]; /* by a hash of the address */
    struct sync_seen seen[SYNC_CHANNELS][SYNC_WARPS]; /* of flags */
    void *race_shared, *race_global;                  /* the race checks' own, of this block; they outlive the block */
};

extern const struct check_instrument instrument_sync;

/* The state of a block that is under way; makes it the worker's current one. NULL: no memory. */
struct sync_state *sync_find(struct check_worker *w, const struct exec_block_info *b);
static inline struct sync_state *sync_of(struct check_worker *w, const struct exec_block_info *b)
{
    return LS_LIKELY(w->of.sync && w->of.sync->block == b) ? w->of.sync : sync_find(w, b);
}

/* ---- events; instrument_sync calls them ---- */

void sync_block_begin(struct sync_state *s, const struct exec_block_info *b);
void sync_release(struct sync_state *s, u32 id, const u32 *lanes);
void sync_arrive(struct sync_state *s, const struct exec_barrier *b);
void sync_warp(struct sync_state *s, u32 warp, u32 lanes);
void sync_fence(struct sync_state *s, u32 warp, u32 lanes);
/* Behind the operation on the object: some of the warp's lanes have arrived there, or their wait is over. */
void sync_mbarrier_arrive(struct sync_state *s, u32 warp, u32 lanes, u64 address);
void sync_mbarrier_wait(struct sync_state *s, u32 warp, u32 lanes, u64 address);

/* A group of products of the warp's warpgroup (1, 2, ...) is done: the tick of its reads. Only if the kernel has products. */
u32 sync_product_done(struct sync_state *s, u32 warp, u32 group);
/* The warp has waited for all groups up to that one. */
void sync_product_wait(struct sync_state *s, u32 warp, u32 group);

/* A strong access (atomic, volatile, relaxed, acquire, release) of one location: it takes what strong writes left there
 * (reads), and leaves what its lanes have fenced (writes). Cheap while nobody has executed a fence. */
void sync_strong_slow(struct sync_state *s, u32 warp, u32 lanes, u64 address, bool reads, bool writes);
static inline void sync_strong(struct sync_state *s, u32 warp, u32 lanes, u64 address, bool reads, bool writes)
{
    if (LS_UNLIKELY(s->fenced))
        sync_strong_slow(s, warp, lanes, address, reads, writes);
}

/* ---- questions ---- */

/* The agent that the products of the warp's warpgroup are. */
static inline u32 sync_agent_of(const struct sync_state *s, u32 warp) { return s->warps + warp / SYNC_GROUP_WARPS; }

/* The access of (warp or agent, lane) at that clock, of this block and no older than the last restart, is ordered before what
 * (to_warp, to_lane) does now. */
bool sync_before(const struct sync_state *s, u32 warp, u32 lane, u32 clock, u32 to_warp, u32 to_lane);

#endif
