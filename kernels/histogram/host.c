/* host.c of histogram - how often each byte value occurs among n bytes: 256 bins of 32 bits.
 *
 * k says how many different values the data have: 255 (every value but 0), or 1 (all bytes are equal: the worst case
 * for atomics). The rung says which unless k is asked for. A block counts its own part, `per_thread` bytes a
 * thread; the bins are set to 0 before the first launch. */
#include "kernels/families.h"
#include "kernels/histogram/columns.h"

enum { BINS = 256, VALUES_MOST = 255 };

#define LADDER "kernels/histogram/ladder.def"
#define DEFAULTS .per_thread = 16, .values = VALUES_MOST,
#include "kernels/rungs.inc"

static void defaults(const struct rung *r, struct shape *s)
{
    if (s->n == 0)
        s->n = 1u << 19;
    if (s->k == 0)
        s->k = r->columns->values;
    if (s->bx == 0)
        s->bx = 128;
    if (s->by == 0)
        s->by = 1;
}

/* One size a block, and few different values, which collide more. */
static bool awkward(const struct rung *r, const struct shape *base, u32 i, struct shape *out)
{
    u64 block = (u64)base->bx * r->columns->per_thread;
    const u64 sizes[] = {1, 2, 15, 17, 31, 33, 257, block - 1, block, block + 1, 3 * block + 7};
    *out = *base;
    if (i >= 2 * LS_ARRAY_LEN(sizes))
        return false;
    out->n = sizes[i / 2];
    out->k = i % 2 ? 3 : base->k;
    return out->n > 0;
}

static const char *unsuitable(const struct shape *s)
{
    if (s->by != 1)
        return "blocks have one dimension here";
    if (s->bx > 1024 || s->bx % 32)
        return "whole warps are needed: a multiple of 32 threads, at most 1024";
    if (s->n == 0 || s->n > 1u << 30)
        return "n is 1 to 2^30";
    if (s->k == 0 || s->k > VALUES_MOST)
        return "k is 1 to 255 different values";
    return NULL;
}

/* Byte i of the data: one of k values, spread over 1 to 255 (7, 20, 33, ... modulo 255). The generator is the 32-bit
 * finalizer of MurmurHash3, so that neighbours have nothing in common. */
static u8 datum(u64 i, u32 k)
{
    u32 x = (u32)i + 0x9e3779b9u;
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    x ^= x >> 16;
    return (u8)(1 + (7 + x % k * 13) % VALUES_MOST);
}

static const char *plan(const struct rung *r, const struct shape *s, struct plan *out)
{
    const char *why = unsuitable(s);
    if (why)
        return why;
    u8 *bytes = arena_array(out->mem, u8, s->n);
    for (u64 i = 0; i < s->n; i++)
        bytes[i] = datum(i, s->k);
    u32 data = plan_fixed(out, BUFFER_BYTE, s->n, bytes), bins = plan_output(out, BUFFER_INT, BINS);
    plan_step(out, (struct step){.kind = STEP_SET, .to = bins, .count = BINS, .value = 0});
    const u32 blocks = ceil_div(s->n, (u64)s->bx * r->columns->per_thread);
    struct launch *l = plan_launch(out, r->kernel, blocks, s->bx);
    launch_clusters(l, r->columns->cluster);
    launch_buffer(l, bins), launch_buffer(l, data), launch_u32(l, (u32)s->n);
    out->useful_bytes = s->n + BINS * 4;
    return NULL;
}

const struct family family_histogram = {
    .name = "histogram",
    .about = "256 bins over n bytes: atomics in global and shared memory",
    .third = "different values",
    .columns = "gld atom sld sst barriers occ",
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = histogram_check,
};
