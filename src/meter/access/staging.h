/* staging.h - what an access asks for, as requests in the stream of its warp, until its SM looks them up (caches.c). */
#ifndef LS_METER_ACCESS_STAGING_H
#define LS_METER_ACCESS_STAGING_H

#include "meter/access/lines.h"
#include "model/cache/l1/cache_l1.h"

/* How much of its sectors a store writes, on the average. */
enum traffic_kind staging_store_kind(const struct exec_access *a, const struct lines *l);
/* The lines of an access, in a stream that has room for all of them. Of a long launch only some, where there are many (sm_draws_fewer). False: no
 * memory. */
bool staging_put(struct sm *s, struct requests *to, u32 site, enum traffic_kind kind, const struct lines *l);
/* enum traffic_order. False: no memory. */
bool staging_order(struct sm *s, struct requests *to, u32 site, u32 order);
/* The warp waits at a barrier for all others of its block. False: no memory. */
bool staging_barrier(struct sm *s, struct requests *to);

#endif
