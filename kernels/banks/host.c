/* host.c of banks - one block, which stores its own thread numbers into a tile and loads them by rows or by columns.
 *
 * There is no input; the output is one integer a thread. The rungs called rect_* transpose a tile of any shape, the
 * others one that is square, by swapping the indices. */
#include <string.h>

#include "kernels/families.h"

#define LADDER "kernels/banks/ladder.def"
#include "kernels/rungs.inc"

static bool rectangular(const struct rung *r)
{
    return strncmp(r->name, "rect_", 5) == 0;
}

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
}

/* The tile is the block: there is one shape. */
static bool awkward(const struct rung *r, const struct shape *base, u32 i, struct shape *out)
{
    (void)r;
    *out = *base;
    return i < 1;
}

static const char *plan(const struct rung *r, const struct shape *s, struct plan *out)
{
    if (s->bx == 0 || s->by == 0 || s->bx * (u64)s->by > 1024)
        return "a block has 1 to 1024 threads";
    if (!rectangular(r) && s->bx != s->by)
        return "swapping the indices transposes a square tile only; the rect_ rungs take any";
    u64 threads = (u64)s->bx * s->by;
    u32 numbers = plan_output(out, BUFFER_INT, threads);
    struct launch *l = plan_launch_2d(out, r->kernel, 1, 1, s->bx, s->by);
    l->dynamic_shared = r->tile == TILE_DYNAMIC ? (s->bx + r->pad) * s->by * 4 : 0;
    launch_buffer(l, numbers);
    out->useful_bytes = threads * 4;
    return NULL;
}

const struct family family_banks = {
    .name = "banks",
    .about = "shared memory's 32 banks: rows, columns and padding",
    .matrix = true,
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = banks_check,
};
