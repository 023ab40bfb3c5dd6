/* host.c of banks - one block, which stores its own thread numbers into a tile and loads them by rows or by columns.
 *
 * There is no input; the output is one number a thread, or `words` integers. The rungs with a pattern are one access of
 * a warp; the others transpose a tile: rect_* of any shape, the rest one that is square, by swapping the indices. k is
 * the padding of a row in words that rect_padSearch is to try; the others' is in their source. */
#include "kernels/banks/columns.h"
#include "kernels/families.h"

#define LADDER "kernels/banks/ladder.def"
#define DEFAULTS .words = 1,
#include "kernels/rungs.inc"

static bool rectangular(const struct rung *r) { return r->columns->rectangular; }

static bool searches(const struct rung *r) { return r->columns->search; }

static void defaults(const struct rung *r, struct shape *s)
{
    if (s->bx == 0) {
        s->bx = 32;
        s->by = rectangular(r) ? 16 : 32;
    }
    if (s->by == 0)
        s->by = 1;
    s->rows = s->by;
    s->cols = s->bx;
    s->n = (u64)s->bx * s->by;
    if (s->k == 0 && searches(r))
        s->k = r->columns->pad;
}

/* The tile is the block: there is one shape. */
static bool awkward(const struct rung *r, const struct shape *base, u32 i, struct shape *out)
{
    (void)r;
    *out = *base;
    return i < 1;
}

/* What swapping, splitting and xor-ing indices needs of a tile. */
static const char *unsuitable_tile(const struct rung *r, const struct shape *s)
{
    const bool swizzle = r->columns->swizzle;
    if (!rectangular(r) && s->bx != s->by)
        return "swapping the indices transposes a square tile only; the rect_ rungs take any";
    if (swizzle && !rectangular(r) && s->bx & (s->bx - 1))
        return "x ^ y stays inside a row only if its length is a power of two";
    if (swizzle && rectangular(r) && (s->bx != 32 || 32 % s->by))
        return "its xor is made for rows of 32 words, and as many rows as divide 32";
    return NULL;
}

static const char *unsuitable(const struct rung *r, const struct shape *s)
{
    const enum pattern pattern = r->columns->pattern;
    const u32 multiple = pattern == PATTERN_PLANES ? 64 : 32; /* or some would read what nobody wrote */
    if (s->bx == 0 || s->by == 0 || s->bx * (u64)s->by > 1024)
        return "a block has 1 to 1024 threads";
    if (!searches(r) && s->k != 0)
        return "its padding is written into it; rect_padSearch takes any k";
    if (s->k > 64)
        return "k is up to 64 words of padding";
    if (!pattern)
        return unsuitable_tile(r, s);
    if (s->bx * s->by % multiple)
        return multiple == 32 ? "whole warps are needed: a multiple of 32 threads"
                              : "whole squares of 8 x 8 are needed: a multiple of 64 threads";
    return NULL;
}

static const char *plan(const struct rung *r, const struct shape *s, struct plan *out)
{
    const char *why = unsuitable(r, s);
    if (why)
        return why;
    const struct columns *own = r->columns;
    const bool wide = own->doubles;
    const u32 pad = own->search ? s->k : own->pad;
    const u64 numbers = (u64)s->bx * s->by * own->words;
    const u32 to = plan_output(out, wide ? BUFFER_DOUBLE : BUFFER_INT, numbers);
    struct launch *l = plan_launch_2d(out, r->kernel, 1, 1, s->bx, s->by);
    l->dynamic_shared = r->tile == TILE_DYNAMIC ? (s->bx + pad) * s->by * 4 : 0;
    launch_buffer(l, to);
    if (searches(r))
        launch_u32(l, pad);
    out->useful_bytes = numbers * (wide ? 8 : 4);
    return NULL;
}

const struct family family_banks = {
    .name = "banks",
    .about = "shared memory's 32 banks: rows, columns, widths, padding and swizzles",
    .matrix = true,
    .third = "pad to try",
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = banks_check,
};
