/* race_global_order.c - serials, and what is ordered between blocks of a launch and between launches (race_global.h).
 */
#include "check/order.h"
#include "check/race_global.h"

#define RACY __attribute__((no_sanitize("thread"))) /* stamps name chunks that another worker has just made */

static struct race_plane *plane_of(const struct check_worker *w)
{
    return w->launch->check->race;
}

/* ---- serials ---- */

RACY static bool new_chunk(struct check_worker *w, struct race_block *g)
{
    struct race_plane *p = plane_of(w);
    const u32 most = (1u << (G_SERIAL_BITS - G_CHUNK_BITS)) - 1;
    if (__atomic_load_n(&p->next_chunk, __ATOMIC_RELAXED) >= most)
        return false;
    const u32 n = __atomic_fetch_add(&p->next_chunk, 1, __ATOMIC_RELAXED);
    if (n >= most)
        return false;
    p->chunks[n] =
        (struct race_chunk){.launch = w->race_global->launch->number, .block = (u32)g->linear, .previous = g->chunk};
    g->chunk = n;
    g->used = 0;
    return true;
}

u32 race_serial(struct check_worker *w, struct sync_state *s, struct race_block *g)
{
    if (LS_UNLIKELY(g->epoch != s->epoch)) {
        g->epoch = s->epoch;
        g->nrecent = 0;
        g->serial = 0;
    }
    if (LS_LIKELY(g->serial))
        return g->serial;
    if (g->used >= 1u << G_CHUNK_BITS && !new_chunk(w, g))
        return 0;
    return g->serial = (g->chunk << G_CHUNK_BITS) + g->used++;
}

/* ---- releases ---- */

/* What the block did so far is covered; what it does next has another serial. */
void race_fence(struct race_block *g)
{
    g->has_fenced = true;
    if (g->chunk)
        g->fenced = (g->chunk << G_CHUNK_BITS) + g->used - 1;
    if (g->serial && g->nrecent < RACE_RECENT)
        g->recent[g->nrecent++] = g->serial;
    g->serial = 0;
}

/* Serials that a fence covers get a time, each once. */
RACY static void publish(struct check_worker *w, struct race_block *g)
{
    struct race_plane *p = plane_of(w);
    if (g->fenced <= g->released)
        return;
    const u32 per = 1u << G_CHUNK_BITS, t = __atomic_add_fetch(&p->now, 1, __ATOMIC_RELAXED);
    for (u32 c = g->chunk; c && (c << G_CHUNK_BITS) + per > g->released; c = p->chunks[c].previous)
        for (u32 k = 0; k < per; k++) {
            const u32 serial = (c << G_CHUNK_BITS) + k;
            if (serial > g->released && serial <= g->fenced)
                __atomic_store_n(&p->released[serial], t, __ATOMIC_RELAXED);
        }
    g->released = g->fenced;
    g->time = t;
}

static u32 *time_of(struct check_worker *w, u64 address)
{
    return &plane_of(w)->times[(address >> 2) * 0x9e3779b97f4a7c15u >> 52];
}

static void raise_time(u32 *at, u32 t)
{
    u32 old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (old < t && !__atomic_compare_exchange_n(at, &old, t, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

void race_strong(struct check_worker *w, struct race_block *g, u64 address, bool reads, bool writes)
{
    u32 *at = time_of(w, address);
    if (reads) {
        const u32 t = __atomic_load_n(at, __ATOMIC_RELAXED);
        g->taken = t > g->taken ? t : g->taken;
        g->has_taken = true;
    }
    if (writes && g->has_fenced) {
        publish(w, g);
        raise_time(at, g->time > g->taken ? g->time : g->taken);
    }
}

/* ---- before ---- */

static bool same_block_before(const struct sync_state *s, const struct race_block *g, u64 stamp, u32 warp, u32 lane)
{
    const u32 serial = stamp_serial(stamp), thread = stamp_thread(stamp);
    bool recent = serial == g->serial;
    for (u32 k = 0; k < g->nrecent && !recent; k++)
        recent = g->recent[k] == serial;
    if (!recent) /* of an earlier epoch, or so many fences ago that it counts as such */
        return true;
    return sync_before(s, thread / SYNC_LANES, thread % SYNC_LANES, s->base + ((u32)(stamp >> G_CLOCK) & G_CLOCK_MOST),
                       warp, lane);
}

/* With several workers, or launches at once, a flag may be written between the event of the read and the read: then
 * what is released by now counts as taken, by a block that has read any flag. */
static u32 taken_by(const struct check_worker *w, const struct race_block *g)
{
    const struct race_plane *p = plane_of(w);
    const bool alone = !w->launch->workers->next && __atomic_load_n(&p->active, __ATOMIC_RELAXED) == 1;
    return alone || !g->has_taken ? g->taken : __atomic_load_n(&p->now, __ATOMIC_RELAXED);
}

RACY bool race_before(struct check_worker *w, const struct sync_state *s, const struct race_block *g, u64 stamp,
                      u32 warp, u32 lane)
{
    struct race_launch *x = w->race_global->launch;
    const struct race_plane *p = plane_of(w);
    const u32 serial = stamp_serial(stamp);
    if (serial < x->bound)
        return true;
    const struct race_chunk chunk = p->chunks[serial >> G_CHUNK_BITS];
    if (chunk.launch == x->number && chunk.block == (u32)g->linear)
        return same_block_before(s, g, stamp, warp, lane);
    const u32 t = __atomic_load_n(&p->released[serial], __ATOMIC_RELAXED);
    if (t && t <= taken_by(w, g))
        return true;
    return chunk.launch != x->number && race_launch_before(w->launch->check, x, chunk.launch);
}
