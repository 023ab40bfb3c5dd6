/* cache_l2.c - the second-level cache and DRAM (caches.h): what the SMs send, taken in turns. */
#include "base/alloc.h"
#include "meter/caches.h"

enum {
    L2_WAYS = 16,
    WINDOW_LINES = 256, /* of a group of SMs, whose reads are close together; fitted */
    WINDOW_WAYS = 8,
};

/* ---- input ---- */

/* Which lines are kept when only some are: one in 2^n, the same for every SM. */
static bool sampled(u64 number, u32 one_in)
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
enum { SLICE_LINES = 4, SLICES = 1 << 16 };

struct l2 {
    struct cache half[2];
    struct cache window[L2_GROUPS]; /* what a group asked for lately */
    u32 halves, one_in;
    bool coalesces;
    u32 *atomics; /* [SLICES] */
};

static inline u32 bits(u32 sectors)
{
    return (u32)__builtin_popcount(sectors);
}

static void count(const struct l2 *l2, struct traffic *t, enum event_id e, u32 sectors)
{
    t->n[e - TRAFFIC_FIRST] += (u64)bits(sectors) * l2->one_in;
}

/* The half in which a line is at home. */
static u32 home_of(const struct l2 *l2, u64 number)
{
    return l2->halves == 1 ? 0 : (u32)((number / SLICE_LINES * 0x9e3779b97f4a7c15ull) >> 63);
}

static struct cache_line *line_of(struct l2 *l2, u32 half, u64 number, struct traffic *t)
{
    struct cache_line gone, *l = cache_find(&l2->half[half], number);
    if (l)
        return l;
    l = cache_put(&l2->half[half], number, &gone);
    if (gone.held)
        count(l2, t, EVENT_dram_writes, gone.dirty);
    return l;
}

/* Takes the sectors in; those that were not there. */
static u32 take(struct l2 *l2, u32 half, u64 number, u32 sectors, struct traffic *t)
{
    struct cache_line *l = line_of(l2, half, number, t);
    const u32 missing = l ? sectors & ~(u32)l->valid : sectors;
    if (l)
        l->valid |= (u8)sectors;
    return missing;
}

static void l2_read(struct l2 *l2, u32 side, u64 number, u32 sectors, struct traffic *t)
{
    const u32 home = home_of(l2, number);
    u32 missing = take(l2, side, number, sectors, t);
    count(l2, t, EVENT_l2_reads, sectors);
    count(l2, t, EVENT_l2_read_hits, sectors & ~missing);
    if (home != side && missing) {
        const u32 far = missing;
        missing = take(l2, home, number, far, t);
        count(l2, t, EVENT_l2_far_reads, far);
        count(l2, t, EVENT_l2_far_hits, far & ~missing);
    }
    count(l2, t, EVENT_dram_reads, missing);
}

static void l2_write(struct l2 *l2, u32 home, u64 number, u32 sectors, struct traffic *t)
{
    struct cache_line *l = line_of(l2, home, number, t);
    if (!l) { /* there is no L2 */
        count(l2, t, EVENT_dram_writes, sectors);
        return;
    }
    l->valid |= (u8)sectors;
    l->dirty |= (u8)sectors;
}

static void l2_atomic(struct l2 *l2, u32 home, u64 number, u32 sectors, struct traffic *t)
{
    const u32 missing = take(l2, home, number, sectors, t);
    count(l2, t, EVENT_dram_reads, missing);
    l2_write(l2, home, number, sectors, t);
    l2->atomics[(number / SLICE_LINES * 0xd6e8feb86659fd93ull) >> 48] += bits(sectors);
}

/* Those of the sectors that nobody of the group has asked for lately. */
static u32 coalesce(struct l2 *l2, u32 group, u64 number, u32 sectors)
{
    struct cache *w = &l2->window[group];
    struct cache_line gone, *l = l2->coalesces ? cache_find(w, number) : NULL;
    const u32 asked = l ? l->valid & sectors : 0;
    if (!l && l2->coalesces)
        l = cache_put(w, number, &gone);
    if (l)
        l->valid |= (u8)sectors;
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
        count(l2, t, EVENT_l2_writes, sectors);
        count(l2, t, EVENT_l2_far_writes, near != home ? sectors : 0);
        l2_write(l2, home, number, sectors, t);
        return;
    case TRAFFIC_ATOM:
    case TRAFFIC_RED:
        count(l2, t, request_kind(request) == TRAFFIC_RED ? EVENT_l2_reds : EVENT_l2_atoms, sectors);
        count(l2, t, request_kind(request) == TRAFFIC_RED ? EVENT_l2_far_reds : EVENT_l2_far_atoms,
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

/* The next instruction's lines of one SM. */
static bool l2_step(struct l2 *l2, struct l2_input *in)
{
    struct requests *r = &in->kept;
    while (r->next < r->len) {
        const u64 request = r->at[r->next++];
        l2_look_up(l2, in, request, (*in->sites)[request_site(request)]);
        if (request_last(request))
            break;
    }
    return r->next < r->len;
}

static void run(struct l2 *l2, struct l2_input *const *inputs, u32 n)
{
    for (bool more = true; more;) {
        more = false;
        for (u32 k = 0; k < n; k++)
            more |= l2_step(l2, inputs[k]);
    }
}

static u64 most_atomics(const struct l2 *l2)
{
    u64 most = 0;
    for (u32 k = 0; k < SLICES; k++)
        most = l2->atomics[k] > most ? l2->atomics[k] : most;
    return most * l2->one_in;
}

static bool make(struct l2 *l2, const struct l2_shape *shape)
{
    bool good = (l2->atomics = ls_calloc(SLICES, sizeof *l2->atomics)) != NULL;
    for (u32 k = 0; k < l2->halves; k++)
        good = good && cache_init(&l2->half[k], shape->bytes / l2->halves / l2->one_in, L2_WAYS);
    for (u32 k = 0; k < L2_GROUPS && l2->coalesces; k++)
        good = good && cache_init(&l2->window[k], (u64)WINDOW_LINES * CACHE_LINE / l2->one_in, WINDOW_WAYS);
    return good;
}

static void unmake(struct l2 *l2)
{
    for (u32 k = 0; k < l2->halves; k++)
        cache_free(&l2->half[k]);
    for (u32 k = 0; k < L2_GROUPS; k++)
        cache_free(&l2->window[k]);
    ls_free(l2->atomics);
}

bool l2_run(const struct l2_shape *shape, struct l2_input *const *inputs, u32 n, u64 *atomic_most)
{
    struct l2 l2 = {.one_in = 1, .halves = shape->halves, .coalesces = shape->coalesces};
    for (u32 k = 0; k < n; k++)
        l2.one_in = inputs[k]->one_in > l2.one_in ? inputs[k]->one_in : l2.one_in;
    for (u32 k = 0; k < n; k++)
        if (inputs[k]->one_in < l2.one_in)
            thin_out(inputs[k], l2.one_in);
    const bool good = make(&l2, shape);
    if (good) {
        run(&l2, inputs, n);
        *atomic_most = most_atomics(&l2);
    }
    unmake(&l2);
    return good;
}
