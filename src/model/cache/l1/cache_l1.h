/* cache_l1.h - an SM: the blocks that it holds, what their warps have asked for, and its first-level cache. Its
 * blocks come and go in meter/caches.c. */
#ifndef LS_MODEL_CACHE_L1_H
#define LS_MODEL_CACHE_L1_H

#include "model/cache/l1/slices.h"
#include "model/cache/l2/cache_l2.h"

/* A block that an SM holds, and what its warps have asked for. */
struct held_block {
    u64 linear;
    u32 slot; /* which of the blocks that the SM is given one after the other */
    bool done;
    u32 nwarps; /* that there are streams for */
    struct requests *warps;
};

/* A store to parts of sectors that has not left the SM yet: a line, the sectors of it, and how many words of each are written. */
enum { STORES_WAIT = 24 };
struct waiting_store {
    u64 request;
    u64 came; /* how many requests the SM had looked up */
    const struct requests *of;
    u32 words;
};

struct turn;
struct sm {
    u64 launch; /* that used it last: what an older one left is not there */
    u32 number;
    struct cache l1;
    struct held_block *held; /* by slot; [room], the first nheld are there */
    u32 nheld, room;
    u32 had;                 /* blocks that it had before these */
    struct requests **turns; /* sm_run's: [turns_room], at least as many as there are streams */
    struct turn *turn;       /* likewise */
    u32 turns_room;
    u64 taken;         /* turns */
    double pace;       /* cycles that a scheduler needs for what a warp does between two accesses; 0: not known */
    bool stores_queue; /* the SM's warps ask for a line a cycle and more, or it is not known whether they do */
    u64 staged;
    u8 **how;                                  /* by site, enum traffic_site */
    u32 joined, met;                           /* stores that could be, of a warp and its like, and of any other warp */
    struct waiting_store waiting[STORES_WAIT]; /* a ring: the last ones of nwaiting that ever came */
    u64 nwaiting;
    u64 looked;                 /* requests */
    u64 budget;                 /* sm_draws_fewer's */
    u64 spread;                 /* lines of accesses that have many (SM_SPREAD), of all that it ever asked for */
    u64 scattered;              /* those of accesses with more than SM_TILE */
    u64 parts;                  /* stores to parts of sectors, and atomics */
    u64 l2_enough;              /* sm_l2_budget's */
    u32 one_in_most, staged_in; /* lines that are looked up: one in so many at most; of what is staged now */
    bool goes;                  /* of those, the last one: what follows it is taken to go on as it does */
    struct slices slices;
    struct l2_input l2;
};

/* Lines: of an access that has many; of the fragment of a tile, which SMs may read together. */
enum { SM_SPREAD = 16, SM_TILE = 16 };
/* Of what was looked up, three quarters and more go on to L2. */
static inline bool sm_misses_most(const struct sm *s) { return 4 * s->l2.seen >= 3 * s->looked; }
/* Whether an SM's accesses are mostly scattered, and such as L1 does not hold. What becomes of such a line does not depend on others, as SMs seldom ask
 * for the same close together then; but it does of stores to parts of sectors, and of atomics. asked: lines. */
static inline bool sm_scatters(const struct sm *s, u64 asked)
{
    enum { FEW_PARTS = 16 };
    return 4 * s->scattered >= 3 * asked && sm_misses_most(s) && FEW_PARTS * s->parts <= s->l2.seen;
}
/* For those a sixteenth of the requests to L2 is enough, and an eighth of the lines in L1 if that holds next to none. */
enum { SM_FEWER_SENT = 16, SM_FEWER_LINES = 8 };
static inline bool sm_scatters_widely(const struct sm *s, u64 asked)
{
    return 16 * s->l2.seen >= 15 * s->looked && sm_scatters(s, asked);
}

/* Of an SM that has asked for many lines, mostly by accesses that have many of them, and mostly such as L1 does not hold, some are looked up for all
 * (sample.h); each time that it has asked for twice as many, half of those. Where an access has few lines it costs less, and where L1 holds
 * most, it matters when SMs ask for the same. It depends on the order of the launch alone. */
static inline bool sm_draws_fewer(const struct sm *s, u64 asked, u32 one_in)
{
    const u64 most = s->budget * one_in;
    return LS_UNLIKELY(SM_FEWER_LINES * asked > most) && one_in < s->one_in_most && 4 * s->spread >= 3 * asked &&
           s->looked && sm_misses_most(s) && (asked > most || sm_scatters_widely(s, asked));
}

/* So many requests to L2 are all looked up. asked: lines. */
static inline u64 sm_l2_budget(const struct sm *s, u64 asked)
{
    return sm_scatters(s, asked) ? s->l2_enough / SM_FEWER_SENT : s->l2_enough;
}

/* Looks up what is staged of the blocks in the first slots, the warps in turn, an instruction each, and tells L2; `warps` of a block. Their
 * streams are then empty. False: there was no memory for all. */
bool sm_run(struct sm *s, u32 warps, u32 slots);
/* The SM's first block has ended, for which its schedulers were busy so many cycles, all together: from now on its pace is known. together:
 * warps that the SM has at once. */
void sm_set_pace(struct sm *s, const struct held_block *h, u32 warps, u32 together, u64 cycles);
/* The SM waits until all that it asked for is done: each slice of L2 that it has asked is asked once more. */
void sm_settle(struct sm *s, struct traffic *t);
/* At the end of the launch: each slice that the SM has ever asked. */
void sm_settle_all(struct sm *s, struct traffic *t);

/* Turns of which something went on to L2, and the cycles from one to the next: so many warps have a turn each until what one wants is there, or in the time that
 * the schedulers need for what they do between two accesses, if that is longer. warps: not 0. */
struct sm_turns {
    double n, cycles;
};
struct sm_turns sm_turns_to_l2(const struct sm *s, u32 warps);

#endif
