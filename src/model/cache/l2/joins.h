/* joins.h - reads that SMs of a group send together: L2 is asked once for what several want at about the same time. Internal to cache_l2.c.
 *
 * An H200 joins the loads of tiles that several blocks read, but not a block's border with what its neighbour reads: the sectors must be the same. */
#ifndef LS_MODEL_CACHE_JOINS_H
#define LS_MODEL_CACHE_JOINS_H

#include "model/cache/cache.h"
#include "model/cache/l2/places.h"

/* So many cycles after a read others may join it. Measured on an H200 (tests/hw/h200/joined-reads.csv): where 16 SMs read the same lines, each 50, 100 or 200
 * cycles behind the one before, L2 is asked for 0.44, 0.66 and 0.85 of what they read. */
enum { JOINS_CYCLES = 130 };

/* The line that was asked for last, of all with the same hash: 4,096 are more than an H200's group asks for in that time. */
enum { JOINS_BITS = 12 };
struct joins {
    struct joinable {
        u64 line;
        u32 when;  /* cycles, of a clock that does not begin at 0 */
        u32 asked; /* joins_asked; 0: nothing yet */
    } last[PLACE_GROUPS][1 << JOINS_BITS];
};

/* What a line is asked for: some sectors, by an SM below 2^28. */
static inline u32 joins_asked(u32 sectors, u32 sm) { return sm << 4 | sectors; }

static inline struct joinable *joins_of(struct joins *j, u32 group, u64 line)
{
    return &j->last[group][line * CACHE_FACTOR >> (64 - JOINS_BITS)];
}

/* What the group asked for when it began to ask for these sectors of the line, if that was only just; 0: it begins now. */
static inline u32 joins_ask(struct joins *j, u32 group, u64 line, u32 asked, u32 now)
{
    struct joinable *last = joins_of(j, group, line);
    if (last->line == line && now - last->when <= JOINS_CYCLES && !((last->asked ^ asked) & 15))
        return last->asked;
    *last = (struct joinable){line, now, asked};
    return 0;
}

#endif
