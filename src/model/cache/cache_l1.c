/* cache_l1.c - the first-level cache of an SM (traffic.h has its rules). */
#include "model/cache/cache_l1.h"

enum { L1_WAYS = 16 };

bool l1_shape(struct sm *s, u64 bytes)
{
    const bool good = cache_shape(&s->l1, bytes, L1_WAYS);
    s->l1.policy = CACHE_RANDOM;
    return good;
}

static bool to_l2(struct sm *s, u64 request, u32 sectors)
{
    const u64 all = 15ull << 40;
    return !sectors || l2_input_push(&s->l2, (request & ~all) | (u64)sectors << 40);
}

/* The sectors that are there; those that are not are from now on. */
static u32 l1_take(struct sm *s, u64 number, u32 sectors)
{
    struct cache_line gone, *l = cache_take(&s->l1, number, &gone);
    if (!l)
        return 0;
    const u32 there = l->valid & sectors;
    l->valid |= sectors;
    return there;
}

_Static_assert(TRAFFIC_l1_gld_misses == TRAFFIC_l1_gld_hits + 1 && TRAFFIC_l1_gst_misses == TRAFFIC_l1_gst_hits + 1 &&
                   TRAFFIC_l1_other_misses == TRAFFIC_l1_other_hits + 1,
               "misses stand behind their hits in traffic.def");

/* Counts hits, and misses behind them; the sectors that are missing. */
static u32 l1_count(struct sm *s, u64 request, struct traffic *t, enum traffic_count hits)
{
    const u32 sectors = request_sectors(request), there = l1_take(s, request_number(request), sectors);
    t->n[hits] += sectors_in(there);
    t->n[hits + 1] += sectors_in(sectors & ~there);
    return sectors & ~there;
}

/* The same for what is not taken in; what was there leaves when it is to be read past L1. */
static void l1_pass(struct sm *s, u64 request, struct traffic *t, enum traffic_count hits)
{
    const u32 sectors = request_sectors(request);
    struct cache_line *l = cache_find(&s->l1, request_number(request));
    const bool load = request_kind(request) == TRAFFIC_LOAD_PAST;
    const u32 there = l && !load ? l->valid & sectors : 0;
    t->n[hits] += sectors_in(there);
    t->n[hits + 1] += sectors_in(sectors & ~there);
    if (l && load)
        l->valid &= ~sectors;
}

static bool l1_load(struct sm *s, u64 request, struct traffic *t, enum traffic_count hits)
{
    const u32 missing = l1_count(s, request, t, hits);
    t->n[TRAFFIC_l1_served] += sectors_in(request_sectors(request) & ~missing);
    return to_l2(s, request, missing);
}

/* False: no memory. */
static bool l1_look_up(struct sm *s, u64 request)
{
    struct traffic *t = (*s->l2.sites)[request_site(request)];
    const u32 sectors = request_sectors(request), n = sectors_in(sectors);
    t->n[TRAFFIC_l1_lines]++;
    switch (request_kind(request)) {
    case TRAFFIC_LOAD:
        return l1_load(s, request, t, TRAFFIC_l1_gld_hits);
    case TRAFFIC_LOCAL_LOAD:
    case TRAFFIC_TEXTURE:
        return l1_load(s, request, t, TRAFFIC_l1_other_hits);
    case TRAFFIC_LOCAL_STORE:
        l1_count(s, request, t, TRAFFIC_l1_other_hits);
        break;
    case TRAFFIC_LOAD_PAST:
        l1_pass(s, request, t, TRAFFIC_l1_gld_hits);
        break;
    case TRAFFIC_STORE_PAST:
        l1_pass(s, request, t, TRAFFIC_l1_gst_hits);
        break;
    case TRAFFIC_STORE_MERGED:
        l1_count(s, request, t, TRAFFIC_l1_gst_hits);
        t->n[TRAFFIC_l1_served] += n;
        return true;
    case TRAFFIC_STORE:
        l1_count(s, request, t, TRAFFIC_l1_gst_hits);
        break;
    case TRAFFIC_ATOM:
    case TRAFFIC_RED:
        t->n[TRAFFIC_l1_other_misses] += n;
        break;
    }
    return to_l2(s, request, sectors);
}

static u64 misses_of(const struct traffic *t) { return t->n[TRAFFIC_l1_gld_misses] + t->n[TRAFFIC_l1_other_misses]; }

/* One instruction of the stream; *good = false: no memory. False: it is at its end. */
static bool l1_step(struct sm *s, struct requests *r, bool *good)
{
    bool missed = false;
    while (r->next < r->len) {
        const u64 request = r->at[r->next++];
        struct traffic *t = (*s->l2.sites)[request_site(request)];
        const u64 before = misses_of(t);
        *good &= l1_look_up(s, request);
        missed |= misses_of(t) != before;
        if (request_last(request)) {
            t->n[TRAFFIC_l1_missed] += missed;
            break;
        }
    }
    return r->next < r->len;
}

/* The streams that have something, in the order of blocks and warps. */
static u32 begin_turns(struct sm *s, u32 warps)
{
    u32 n = 0;
    for (u32 b = 0; b < s->nheld; b++)
        for (u32 k = 0; k < warps; k++)
            if (s->held[b].warps[k].len)
                s->turns[n++] = &s->held[b].warps[k];
    return n;
}

/* Streams that are at their end leave the turn. */
bool sm_run(struct sm *s, u32 warps)
{
    bool good = true;
    for (u32 n = begin_turns(s, warps); n;) {
        u32 left = 0;
        for (u32 k = 0; k < n; k++)
            if (l1_step(s, s->turns[k], &good))
                s->turns[left++] = s->turns[k];
            else
                s->turns[k]->len = s->turns[k]->next = 0;
        n = left;
    }
    s->staged = 0;
    return good;
}
