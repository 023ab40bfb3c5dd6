/* race_global_order.c - serials, and what is ordered between blocks of a launch and between launches (race_global.h).
 *
 * What a block wrote is ordered before what another does by a release: a fence, and a flag that the other has read.
 * What it read needs no fence: once the block has come to a barrier its reads have their values, and any flag that it
 * writes then passes that on, so a block that has read the flag may overwrite what was read. Both are told by times: of
 * releases, and of such passes. */
#include "check/core/stream_order.h"
#include "check/racecheck/race_global.h"

enum { RESULT_BYTES = 8 }; /* of a flag that carries a result */

#define RACY __attribute__((no_sanitize("thread"))) /* stamps name chunks that another worker has just made */

static struct race_plane *plane_of(const struct check_worker *w) { return w->launch->check->of.racecheck; }

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
        (struct race_chunk){.launch = w->of.racecheck->launch->number, .block = (u32)g->linear, .previous = g->chunk};
    g->chunk = n;
    g->used = 0;
    return true;
}

static u32 last_serial(const struct race_block *g) { return g->chunk ? (g->chunk << G_CHUNK_BITS) + g->used - 1 : 0; }

static void look_at_epoch(const struct sync_state *s, struct race_block *g)
{
    if (LS_LIKELY(g->epoch == s->epoch))
        return;
    g->epoch = s->epoch;
    g->nrecent = 0;
    g->serial = 0;
    g->over = last_serial(g);
}

u32 race_serial(struct check_worker *w, struct sync_state *s, struct race_block *g)
{
    look_at_epoch(s, g);
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
    g->fenced = last_serial(g);
    if (g->serial && g->nrecent < RACE_RECENT)
        g->recent[g->nrecent++] = g->serial;
    g->serial = 0;
}

/* The block's serials (after, upto] get a time, each once. */
RACY static void give_time(struct race_plane *p, const struct race_block *g, u32 *times, u32 after, u32 upto, u32 t)
{
    const u32 per = 1u << G_CHUNK_BITS;
    for (u32 c = g->chunk; c && (c << G_CHUNK_BITS) + per > after; c = p->chunks[c].previous)
        for (u32 k = 0; k < per; k++) {
            const u32 serial = (c << G_CHUNK_BITS) + k;
            if (serial > after && serial <= upto)
                __atomic_store_n(&times[serial], t, __ATOMIC_RELAXED);
        }
}

/* What a fence covers. */
static void publish(struct race_plane *p, struct race_block *g)
{
    if (g->fenced <= g->released)
        return;
    g->time = __atomic_add_fetch(&p->now, 1, __ATOMIC_RELAXED);
    give_time(p, g, p->released, g->released, g->fenced, g->time);
    g->released = g->fenced;
}

/* What was read before the last barrier. */
static void pass(struct race_plane *p, struct race_block *g)
{
    if (g->over <= g->passed)
        return;
    g->pass_time = __atomic_add_fetch(&p->passes, 1, __ATOMIC_RELAXED);
    give_time(p, g, p->passed, g->passed, g->over, g->pass_time);
    g->passed = g->over;
}

static u32 place_of(u64 address) { return (u32)((address >> 2) * 0x9e3779b97f4a7c15u >> 52); }

static void raise_time(u32 *at, u32 t)
{
    u32 old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (old < t && !__atomic_compare_exchange_n(at, &old, t, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

static void raise_to(u32 *mine, const u32 *at)
{
    const u32 t = __atomic_load_n(at, __ATOMIC_RELAXED);
    *mine = t > *mine ? t : *mine;
}

void race_strong(struct check_worker *w, const struct sync_state *s, struct race_block *g, u64 address, bool reads,
                 bool writes, u32 bytes)
{
    struct race_plane *p = plane_of(w);
    u32 *at = &p->times[place_of(address)], *passes = &p->pass_times[place_of(address)];
    look_at_epoch(s, g);
    if (reads) {
        raise_to(&g->taken, at);
        raise_to(&g->pass_taken, passes);
        g->has_taken = true;
    }
    if (writes && bytes >= RESULT_BYTES) {
        pass(p, g);
        raise_time(passes, g->pass_time > g->pass_taken ? g->pass_time : g->pass_taken);
    }
    if (writes && g->has_fenced) {
        publish(p, g);
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
 * what is released (or passed on) by now counts as taken, by a block that has read any flag. */
static bool has_taken(const struct check_worker *w, const struct race_block *g, u32 t, u32 taken, const u32 *now)
{
    const bool alone = !w->launch->workers->next && __atomic_load_n(&plane_of(w)->active, __ATOMIC_RELAXED) == 1;
    return t && t <= (alone || !g->has_taken ? taken : __atomic_load_n(now, __ATOMIC_RELAXED));
}

RACY bool race_before(struct check_worker *w, const struct sync_state *s, const struct race_block *g, u64 stamp,
                      bool wrote, u32 warp, u32 lane)
{
    struct race_launch *x = w->of.racecheck->launch;
    const struct race_plane *p = plane_of(w);
    const u32 serial = stamp_serial(stamp);
    if (serial < x->bound)
        return true;
    const struct race_chunk chunk = p->chunks[serial >> G_CHUNK_BITS];
    if (chunk.launch == x->number && chunk.block == (u32)g->linear)
        return same_block_before(s, g, stamp, warp, lane);
    if (has_taken(w, g, __atomic_load_n(&p->released[serial], __ATOMIC_RELAXED), g->taken, &p->now))
        return true;
    if (!wrote && has_taken(w, g, __atomic_load_n(&p->passed[serial], __ATOMIC_RELAXED), g->pass_taken, &p->passes))
        return true;
    return chunk.launch != x->number && race_launch_before(w->launch->check, x, chunk.launch);
}
