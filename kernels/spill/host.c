/* host.c of spill - each thread keeps `length` elements, `n` apart, and weighs their deviations from their mean, the
 * last element first. Where the array lives is what the rungs are about. */
#include "kernels/families.h"
#include "kernels/spill/columns.h"

#define LADDER "kernels/spill/ladder.def"
#include "kernels/rungs.inc"

/* The last element first; a rung that reads this from memory cannot know it. */
static const i32 *reverse(struct plan *p, u32 length)
{
    i32 *order = arena_array(p->mem, i32, length);
    for (u32 j = 0; j < length; j++)
        order[j] = (i32)(length - 1 - j);
    return order;
}

static void defaults(const struct rung *r, struct shape *s)
{
    (void)r;
    if (s->n == 0)
        s->n = 1u << 14;
    if (s->bx == 0)
        s->bx = 128;
    if (s->by == 0)
        s->by = 1;
}

static bool awkward(const struct rung *r, const struct shape *base, u32 i, struct shape *out)
{
    (void)r;
    const u64 sizes[] = {1, 2, 31, 32, 33, base->bx - 1, base->bx, base->bx + 1, 397};
    *out = *base;
    if (i >= LS_ARRAY_LEN(sizes))
        return false;
    out->n = sizes[i] ? sizes[i] : 1;
    return true;
}

/* 64 words a thread are 64 KiB for 256 threads, which every GPU of gpus/ gives a block that asks for it. */
static const char *unsuitable(const struct rung *r, const struct shape *s)
{
    if (s->by != 1 || s->bx % 32 || s->bx > 1024)
        return "blocks have one dimension and whole warps here, up to 1024 threads";
    if (s->n == 0 || s->n > 1u << 22)
        return "n is 1 to 2^22";
    if (r->tile == TILE_DYNAMIC && s->bx > 256)
        return "256 bytes of shared memory a thread: at most 256 threads";
    if (r->columns->bounds && s->bx > 256)
        return "its launch bounds allow at most 256 threads";
    if (r->columns->length == 128 && s->bx > 256)
        return "up to 255 registers a thread: at most 256 threads";
    return r->columns->length == 64 && s->bx > 512 ? "up to 128 registers a thread: at most 512 threads" : NULL;
}

static const char *plan(const struct rung *r, const struct shape *s, struct plan *out)
{
    const char *why = unsuitable(r, s);
    if (why)
        return why;
    const u32 in = plan_input(out, BUFFER_FLOAT, s->n * r->columns->length);
    const u32 order = plan_fixed(out, BUFFER_INT, r->columns->length, reverse(out, r->columns->length));
    const u32 to = plan_output(out, BUFFER_FLOAT, s->n);
    struct launch *l = plan_launch(out, r->kernel, ceil_div(s->n, s->bx), s->bx);
    l->dynamic_shared = r->tile == TILE_DYNAMIC ? s->bx * r->columns->length * 4 : 0;
    launch_buffer(l, in), launch_buffer(l, order), launch_buffer(l, to), launch_u32(l, (u32)s->n);
    out->useful_bytes = s->n * 4 * (r->columns->length + 1u);
    return NULL;
}

const struct family family_spill = {
    .name = "spill",
    .about = "an array a thread: registers, local memory, shared memory, and what each costs",
    .columns = "gld gst local regs occ inst",
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = spill_check,
};
