/* cost.h - what one access costs: its sectors, wavefronts or words, and the bytes that it asks for. */
#ifndef LS_METER_COST_H
#define LS_METER_COST_H

#include "meter/count.h"

struct cost {
    u32 cost, conflicts;
    u32 bytes; /* the distinct ones that active lanes ask for */
};

/* The cost when the pattern is regular enough to say it at once; else its cost is 0, which no access's is. */
struct cost cost_at_once(const struct counter *c, enum access_class class, const struct exec_access *a, u32 bytes);

/* `bytes`: a lane, as machine code accesses them. */
struct cost cost_of(struct counter *c, struct site_count *s, enum access_class class, const struct exec_access *a,
                    u32 bytes);

#endif
