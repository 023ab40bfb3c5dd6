/* host.c of config - one kernel of each kind, to be run with blocks of every shape: `lockstep climb config --sweep
 * block=all`. Rungs with a tile take 4 bytes of shared memory a thread, or as many KiB as --k (or ladder.def) says. */
#include "kernels/config/columns.h"
#include "kernels/families.h"

#define LADDER "kernels/config/ladder.def"
#define DEFAULTS .planes = 1, .carveout = -1,
#include "kernels/rungs.inc"

static void defaults(const struct rung *r, struct shape *s)
{
    const u32 side = r->columns->planes > 1 ? 128 : 512;
    if (s->rows == 0)
        s->rows = side;
    if (s->cols == 0)
        s->cols = side;
    if (s->bx == 0) {
        s->bx = 32;
        s->by = 8;
    }
    if (s->by == 0)
        s->by = 1;
    if (s->k == 0)
        s->k = r->columns->kib;
}

static bool awkward(const struct rung *r, const struct shape *base, u32 i, struct shape *out)
{
    (void)r;
    const u32 bx = base->bx, by = base->by;
    const u32 sizes[][2] = {{1, 1}, {2, 3}, {by, bx}, {by + 1, bx + 1}, {1, 67}, {131, 1}, {3 * by + 1, 2 * bx - 1}};
    *out = *base;
    if (i >= LS_ARRAY_LEN(sizes))
        return false;
    out->rows = sizes[i][0];
    out->cols = sizes[i][1];
    return true;
}

/* The bytes of dynamic shared memory: the tile's at least. */
static u32 shared_bytes(const struct rung *r, const struct shape *s)
{
    const u32 tile = s->bx * s->by * 4, asked = s->k * 1024;
    return r->tile != TILE_DYNAMIC ? 0 : tile > asked ? tile : asked;
}

static const char *unsuitable(const struct rung *r, const struct shape *s)
{
    const u64 threads = (u64)s->bx * s->by, elements = (u64)s->rows * s->cols * r->columns->planes;
    if (threads == 0 || threads > 1024)
        return "a block has at most 1024 threads";
    if (s->rows == 0 || s->cols == 0 || elements > 1u << 30)
        return "rows and columns are at least 1, and 2^30 elements are the most";
    if (ceil_div(s->rows, s->by) > 65535)
        return "a grid has at most 65,535 rows of blocks";
    if (s->k > 227)
        return "a block can ask for 227 KiB of shared memory at most (Hopper), elsewhere 96 to 163";
    if (r->columns->many_registers && threads > 512)
        return "80 registers a thread: more than 512 threads would not fit 65,536 (keepManyBounds does it)";
    return NULL;
}

static const char *plan(const struct rung *r, const struct shape *s, struct plan *out)
{
    const char *why = unsuitable(r, s);
    if (why)
        return why;
    const struct columns *own = r->columns;
    const u64 n = (u64)s->rows * s->cols;
    const u32 in = plan_input(out, BUFFER_FLOAT, n * own->planes), to = plan_output(out, BUFFER_FLOAT, n);
    struct launch *l = plan_launch_2d(out, r->kernel, ceil_div(s->cols, s->bx), ceil_div(s->rows, s->by), s->bx, s->by);
    l->dynamic_shared = shared_bytes(r, s);
    l->carveout = own->carveout;
    launch_buffer(l, in), launch_buffer(l, to), launch_u32(l, s->rows), launch_u32(l, s->cols);
    if (own->task == FMAS) {
        launch_f32(l, config_fma[0]), launch_f32(l, config_fma[1]);
        out->flops = 2.0 * CONFIG_FMAS * (double)n;
    } else if (own->task == DEVIATIONS) {
        out->flops = 4.0 * own->planes * (double)n; /* a sum, a difference, a product and its sum */
    }
    out->useful_bytes = n * 4 * (own->planes + 1u);
    return NULL;
}

const struct family family_config = {
    .name = "config",
    .about = "blocks of every shape: what limits how many fit an SM, for each kind of kernel",
    .matrix = true,
    .third = "KiB of shared memory",
    .columns = "gld gst sld barriers regs occ",
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = config_check,
};
