/* cache_l1.c - the first-level cache of an SM (traffic.h has its rules). */
#include "model/cache/cache_l1.h"

#include "model/cache/l1.h"

static bool to_l2(struct sm *s, u64 request, u32 sectors)
{
    const u64 all = 15ull << 40;
    return !sectors || l2_input_push(&s->l2, (request & ~all) | (u64)sectors << 40);
}

_Static_assert(TRAFFIC_l1_gld_misses == TRAFFIC_l1_gld_hits + 1 && TRAFFIC_l1_gst_misses == TRAFFIC_l1_gst_hits + 1 &&
                   TRAFFIC_l1_other_misses == TRAFFIC_l1_other_hits + 1,
               "misses stand behind their hits in traffic.def");

/* Where its hits are counted. */
static enum traffic_count hits_of(enum traffic_kind kind)
{
    switch (kind) {
    case TRAFFIC_LOAD:
    case TRAFFIC_LOAD_PAST:
        return TRAFFIC_l1_gld_hits;
    case TRAFFIC_STORE:
    case TRAFFIC_STORE_PAST:
    case TRAFFIC_STORE_MERGED:
        return TRAFFIC_l1_gst_hits;
    default:
        return TRAFFIC_l1_other_hits;
    }
}

/* What a hit needs nothing of L2 for. */
static bool reads(enum traffic_kind kind)
{
    return kind == TRAFFIC_LOAD || kind == TRAFFIC_LOCAL_LOAD || kind == TRAFFIC_TEXTURE;
}

/* False: no memory. */
static bool l1_look_up(struct sm *s, u64 request)
{
    struct traffic *t = (*s->l2.sites)[request_site(request)];
    const enum traffic_kind kind = request_kind(request);
    const u32 sectors = request_sectors(request), there = l1_ask(&s->l1, kind, request_number(request), sectors);
    const u32 left = kind == TRAFFIC_STORE_MERGED ? 0 : reads(kind) ? sectors & ~there : sectors;
    t->n[TRAFFIC_l1_lines]++;
    t->n[hits_of(kind)] += sectors_in(there);
    t->n[hits_of(kind) + 1] += sectors_in(sectors & ~there);
    t->n[TRAFFIC_l1_served] += sectors_in(sectors & ~left);
    return to_l2(s, request, left);
}

/* One instruction of the stream; *good = false: no memory. False: it is at its end. */
static bool l1_step(struct sm *s, struct requests *r, bool *good)
{
    while (r->next < r->len) {
        const u64 request = r->at[r->next++];
        *good &= l1_look_up(s, request);
        if (request_last(request))
            break;
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
