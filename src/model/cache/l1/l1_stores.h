/* l1_stores.h - stores to parts of sectors, of which several go to L2 together. Internal to cache_l1.c. */
#ifndef LS_MODEL_CACHE_L1_STORES_H
#define LS_MODEL_CACHE_L1_STORES_H

#include "model/cache/l1/cache_l1.h"

static inline bool is_texels(u64 request)
{
    return request_number(request) >= REQUEST_TEXELS && request_number(request) < REQUEST_LOCAL;
}

static inline bool is_store(enum traffic_kind kind)
{
    return kind == TRAFFIC_STORE || kind == TRAFFIC_STORE_WORD || kind == TRAFFIC_STORE_TWO ||
           kind == TRAFFIC_STORE_FOUR;
}

/* To L2. False: no memory. */
static inline bool l1_push(struct sm *s, u64 request)
{
    if (!slices_all(&s->slices))
        slices_ask(&s->slices, request_number(request));
    if (LS_UNLIKELY(s->l2.asked_in > 1) && !sample_keeps(request_number(request), s->l2.asked_in))
        return l2_input_push_beside(&s->l2, request);
    return l2_input_push(&s->l2, request);
}

/* Some sectors of what is asked for; none: it does not go on. */
static inline bool l1_send(struct sm *s, u64 request, u32 sectors)
{
    const u64 all = 15ull << 40;
    return !sectors || l1_push(s, (request & ~all) | (u64)sectors << 40);
}

/* Whether the store at `at` of the stream, to parts of sectors, has gone along with one before it of its warp; else *request has what it takes along
 * itself. */
bool stores_join(struct sm *s, const struct requests *r, u64 at, u64 *request);
/* It waits in L1, or goes along with one that does, of whatever warp. *saved: sectors that do. False: no memory. */
bool stores_wait(struct sm *s, const struct requests *of, u64 at, u64 request, u32 *saved);
/* All that wait go to L2. False: no memory. */
bool stores_leave(struct sm *s);

#endif
