/* cache_l2.c - the second-level cache and DRAM (cache_l2.h): what the SMs send, taken in turns. */
#include "model/cache/cache_l2.h"
#include "base/alloc.h"

enum {
    L2_WAYS = 16,
    WINDOW_LINES = 256, /* of a group of SMs, whose reads are close together; fitted */
    WINDOW_WAYS = 8,
    FETCH_AHEAD = 4, /* requests of an SM */
};

/* ---- input ---- */

/* Which lines are kept when only some are: one in 2^n, the same for every SM. */
static inline bool sampled(u64 number, u32 one_in)
{
    const u64 h = number * 0xd6e8feb86659fd93ull;
    return ((h ^ h >> 32) & (one_in - 1)) == 0;
}

static void thin_out(struct l2_input *in, u32 one_in)
{
    u64 to = 0;
    for (u64 k = 0; k < in->kept.len; k++)
        if (sampled(request_number(in->kept.at[k]), one_in))
            in->kept.at[to++] = in->kept.at[k];
    in->kept.len = to;
    in->one_in = one_in;
}

/* The share kept depends on how many requests there were, not on how many were kept, so that it is the same for every
 * order in which SMs run. */
bool l2_input_push(struct l2_input *in, u64 request)
{
    if (++in->seen > in->budget * in->one_in)
        thin_out(in, in->one_in * 2);
    return !sampled(request_number(request), in->one_in) || requests_push(&in->kept, request);
}

/* ---- L2 ---- */

/* Atomics of the lines that share a slice of L2 are done one after the other: measured, an H200 takes as long for
 * 370,844 sectors of atomics in 1 KiB as for half of them at one address. Slices are told apart by a hash. */
enum { SLICE_LINES = 4, SLICE_BITS = 16 };

struct slice {
    u32 run; /* in which it was last used: what an older one left is not there */
    u32 sectors;
};

struct l2 {
    struct cache half[2];
    struct cache window[L2_GROUPS]; /* what a group asked for lately */
    struct slice *slices;           /* [2^SLICE_BITS] */
    u32 run;                        /* counts launches */
    /* of this one: */
    u32 halves, one_in;
    bool coalesces;
    u32 atomic_most; /* sectors of the slice that has most */
};

struct l2 *l2_make(void)
{
    struct l2 *l2 = ls_calloc(1, sizeof *l2);
    if (l2 && !(l2->slices = ls_calloc(1 << SLICE_BITS, sizeof *l2->slices))) {
        ls_free(l2);
        return NULL;
    }
    return l2;
}

void l2_free(struct l2 *l2)
{
    if (!l2)
        return;
    for (u32 k = 0; k < 2; k++)
        cache_free(&l2->half[k]);
    for (u32 k = 0; k < L2_GROUPS; k++)
        cache_free(&l2->window[k]);
    ls_free(l2->slices);
    ls_free(l2);
}

static inline void count(const struct l2 *l2, struct traffic *t, enum traffic_count e, u32 sectors)
{
    t->n[e] += (u64)sectors_in(sectors) * l2->one_in;
}

/* The half in which a line is at home. */
static inline u32 home_of(const struct l2 *l2, u64 number)
{
    return l2->halves == 1 ? 0 : (u32)((number / SLICE_LINES * 0x9e3779b97f4a7c15ull) >> 63);
}

/* NULL: there is no L2. */
static inline struct cache_line *line_of(struct l2 *l2, u32 half, u64 number, struct traffic *t)
{
    struct cache_line gone, *l = cache_take(&l2->half[half], number, &gone);
    if (gone.held)
        count(l2, t, TRAFFIC_dram_writes, gone.dirty);
    return l;
}

/* Takes the sectors in; those that were not there. */
static inline u32 take(struct l2 *l2, u32 half, u64 number, u32 sectors, struct traffic *t)
{
    struct cache_line *l = line_of(l2, half, number, t);
    const u32 missing = l ? sectors & ~(u32)l->valid : sectors;
    if (l)
        l->valid |= sectors;
    return missing;
}

static void l2_read(struct l2 *l2, u32 side, u64 number, u32 sectors, struct traffic *t)
{
    const u32 home = home_of(l2, number);
    u32 missing = take(l2, side, number, sectors, t);
    count(l2, t, TRAFFIC_l2_reads, sectors);
    count(l2, t, TRAFFIC_l2_read_hits, sectors & ~missing);
    if (home != side && missing) {
        const u32 far = missing;
        missing = take(l2, home, number, far, t);
        count(l2, t, TRAFFIC_l2_far_reads, far);
        count(l2, t, TRAFFIC_l2_far_hits, far & ~missing);
    }
    count(l2, t, TRAFFIC_dram_reads, missing);
}

static void l2_write(struct l2 *l2, u32 home, u64 number, u32 sectors, struct traffic *t)
{
    struct cache_line *l = line_of(l2, home, number, t);
    if (!l) { /* there is no L2 */
        count(l2, t, TRAFFIC_dram_writes, sectors);
        return;
    }
    l->valid |= sectors;
    l->dirty |= sectors;
}

static void at_slice(struct l2 *l2, u64 number, u32 sectors)
{
    struct slice *s = &l2->slices[(number / SLICE_LINES * 0xd6e8feb86659fd93ull) >> (64 - SLICE_BITS)];
    if (s->run != l2->run)
        *s = (struct slice){.run = l2->run};
    s->sectors += sectors_in(sectors);
    if (s->sectors > l2->atomic_most)
        l2->atomic_most = s->sectors;
}

static void l2_atomic(struct l2 *l2, u32 home, u64 number, u32 sectors, struct traffic *t)
{
    const u32 missing = take(l2, home, number, sectors, t);
    count(l2, t, TRAFFIC_dram_reads, missing);
    l2_write(l2, home, number, sectors, t);
    at_slice(l2, number, sectors);
}

/* Those of the sectors that no SM of the group has asked for lately. */
static u32 coalesce(struct l2 *l2, u32 group, u64 number, u32 sectors)
{
    struct cache_line gone, *l = l2->coalesces ? cache_take(&l2->window[group], number, &gone) : NULL;
    if (!l)
        return sectors;
    const u32 asked = l->valid;
    l->valid |= sectors;
    return sectors & ~asked;
}

static void l2_look_up(struct l2 *l2, const struct l2_input *in, u64 request, struct traffic *t)
{
    const u64 number = request_number(request);
    u32 sectors = request_sectors(request);
    const u32 near = l2->halves == 1 ? 0 : in->side, home = home_of(l2, number);
    switch (request_kind(request)) {
    case TRAFFIC_STORE:
    case TRAFFIC_STORE_PAST:
    case TRAFFIC_LOCAL_STORE:
        count(l2, t, TRAFFIC_l2_writes, sectors);
        count(l2, t, TRAFFIC_l2_far_writes, near != home ? sectors : 0);
        l2_write(l2, home, number, sectors, t);
        return;
    case TRAFFIC_ATOM:
    case TRAFFIC_RED:
        count(l2, t, request_kind(request) == TRAFFIC_RED ? TRAFFIC_l2_reds : TRAFFIC_l2_atoms, sectors);
        count(l2, t, request_kind(request) == TRAFFIC_RED ? TRAFFIC_l2_far_reds : TRAFFIC_l2_far_atoms,
              near != home ? sectors : 0);
        l2_atomic(l2, home, number, sectors, t);
        return;
    default:
        if (request_kind(request) != TRAFFIC_LOAD_PAST)
            sectors = coalesce(l2, in->group, number, sectors);
        if (sectors)
            l2_read(l2, near, number, sectors, t);
    }
}

/* The tags of a large L2 are not in the host's caches. When it is the request's turn, they are. */
static void fetch_ahead(const struct l2 *l2, const struct l2_input *in, u64 request)
{
    const enum traffic_kind kind = request_kind(request);
    const bool load =
        kind == TRAFFIC_LOAD || kind == TRAFFIC_LOAD_PAST || kind == TRAFFIC_LOCAL_LOAD || kind == TRAFFIC_TEXTURE;
    const u64 number = request_number(request);
    cache_fetch(&l2->half[load && l2->halves == 2 ? in->side : home_of(l2, number)], number);
}

/* The next instruction's lines of one SM; false: it is at its end. */
static bool l2_step(struct l2 *l2, struct l2_input *in)
{
    struct requests *r = &in->kept;
    while (r->next < r->len) {
        const u64 request = r->at[r->next++];
        if (r->next + FETCH_AHEAD <= r->len)
            fetch_ahead(l2, in, r->at[r->next + FETCH_AHEAD - 1]);
        l2_look_up(l2, in, request, (*in->sites)[request_site(request)]);
        if (request_last(request))
            break;
    }
    return r->next < r->len;
}

/* Those that are at their end leave the turn. */
static void run(struct l2 *l2, struct l2_input **inputs, u32 n)
{
    while (n) {
        u32 left = 0;
        for (u32 k = 0; k < n; k++)
            if (l2_step(l2, inputs[k]))
                inputs[left++] = inputs[k];
        n = left;
    }
}

/* Empty, for another launch. */
static bool renew(struct l2 *l2, const struct l2_shape *shape, u32 one_in)
{
    bool good = true;
    l2->halves = shape->halves;
    l2->coalesces = shape->coalesces;
    l2->one_in = one_in;
    l2->atomic_most = 0;
    l2->run++;
    for (u32 k = 0; k < l2->halves; k++)
        good = good && cache_shape(&l2->half[k], shape->bytes / l2->halves / one_in, L2_WAYS);
    for (u32 k = 0; k < L2_GROUPS && l2->coalesces; k++)
        good = good && cache_shape(&l2->window[k], (u64)WINDOW_LINES * CACHE_LINE / one_in, WINDOW_WAYS);
    return good;
}

bool l2_run(struct l2 *l2, const struct l2_shape *shape, struct l2_input **inputs, u32 n, u64 *atomic_most)
{
    u32 one_in = 1;
    for (u32 k = 0; k < n; k++)
        one_in = inputs[k]->one_in > one_in ? inputs[k]->one_in : one_in;
    for (u32 k = 0; k < n; k++)
        if (inputs[k]->one_in < one_in)
            thin_out(inputs[k], one_in);
    if (!renew(l2, shape, one_in))
        return false;
    run(l2, inputs, n);
    *atomic_most = (u64)l2->atomic_most * one_in;
    return true;
}
