/* l2.h - the state of L2, and the requests that are on their way to it. Internal to cache_l2.c and l2_turns.c. */
#ifndef LS_MODEL_CACHE_L2_STATE_H
#define LS_MODEL_CACHE_L2_STATE_H

#include "model/cache/l2/cache_l2.h"
#include "model/cache/l2/joins.h"
#include "model/cache/l2/l2_places.h"
#include "model/cache/l2/written.h"

enum { L2_WAYS = 16 };

/* Cycles until DRAM has answered. */
enum { LATE = 350 };

/* Requests whose turn it is, while the host's caches fetch what they will be looked up in. */
struct batch {
    u32 n;
    u64 request[L2_TOGETHER];
    u64 from[L2_TOGETHER]; /* from_make */
    struct traffic *t[L2_TOGETHER];
    bool joined[L2_TOGETHER]; /* it went along with another SM's */
    struct l2_places at;
};

/* Whose turn it is: an SM, its group and side (struct l2_input's), and when, in cycles. */
static inline u32 from_place(const struct l2_input *in, u32 halves)
{
    return in->sm << 8 | in->place.group << 1 | (halves == 1 ? 0 : in->place.side);
}
/* The SM's local memory is where its first blocks were. */
static inline u64 from_local(u64 from, const struct l2_input *in, u32 halves)
{
    return (from & ~1ull) | (halves == 1 ? 0 : in->first.side);
}
static inline u64 from_make(u32 place, u32 when) { return (u64)when << 32 | place; }
static inline u32 from_when(u64 from) { return (u32)(from >> 32); }
static inline u32 from_sm(u64 from) { return (u32)from >> 8; }
static inline u32 from_group(u64 from) { return from >> 1 & 127; }
static inline u32 from_side(u64 from) { return from & 1; }

struct l2 {
    struct cache half[2];
    struct joins *joins;
    struct spot *lines, *slices; /* [SPOTS]; lines: by sector of a line, of atomics only */
    u32 run;                     /* counts launches */
    /* Cycles. */
    u32 begun;             /* when the launch began; they are counted on from launch to launch */
    u32 when;              /* of what is looked up */
    double now;            /* of the round, an instruction of each SM, since then */
    double turn;           /* that a round takes at least */
    u64 sent;              /* lines, by all SMs in the round */
    struct batch batch[2]; /* one is filled while what is in the other is fetched */
    struct batch *filled;  /* that one */
    u32 *came;             /* [2^CAME_BITS] by line: when DRAM was asked for it */
    struct written written;
    /* of this one: */
    u32 parts_most;                  /* lines */
    u32 together;                    /* reads that a group could join */
    u64 alone;                       /* sectors that went to DRAM without another of their line */
    u32 halves, one_in, one_in_bits; /* lines: one in 2^one_in_bits */
    bool coalesces;
    bool copies;                  /* a half has something of the other since L2 was empty */
    u32 first_writes, old_copies; /* of lines by an SM at their home; and how many until old copies are mostly gone */
    u64 random;                   /* which dirty line goes; begins anew with each launch */
    const struct l2_lines *host;
    u32 nhost;
    bool leaves_out; /* some requests are not looked up */
};

/* n requests of the batch that is filled have come: it is looked up when the next one has, too. The result: what is filled from now on. */
struct batch *l2_batch_came(struct l2 *l2, u32 n);
/* Those that are on their way. */
void l2_all_come(struct l2 *l2);
/* An atomic of a line that is not looked up, which stands for so many. */
void l2_count_beside(struct l2 *l2, const struct l2_input *in, u64 request, struct traffic *t);
/* Whether it is of the host's memory, which L2 does not look up: then it is counted. */
bool l2_asks_host(struct l2 *l2, u64 request, struct traffic *t);

#endif
