/* host.c of transfer - C = A + B with the data on the host: how it gets to the device and back. */
#include "kernels/families.h"
#include "kernels/transfer/columns.h"

/* Allocations that a plan may hold at once, and pieces that are still worth a copy. */
enum { MOST_PIECES = 64 };

/* One plan in the making: the host's arrays first, so that the check finds them at 0, 1 and 2. */
struct job {
    const struct rung *rung;
    const struct shape *shape;
    struct plan *plan;
    u32 a, b, c; /* the host's, or what both sides reach */
};

/* Arrays on the device of `count` elements each. */
struct set {
    u32 a, b, c;
};

static struct set device_set(const struct job *j, u64 count)
{
    struct set d;
    d.a = plan_output(j->plan, BUFFER_FLOAT, count);
    d.b = plan_output(j->plan, BUFFER_FLOAT, count);
    d.c = plan_output(j->plan, BUFFER_FLOAT, count);
    return d;
}

static void copy(const struct job *j, u32 stream, u32 to, u64 to_at, u32 from, u64 from_at, u64 count)
{
    plan_step(j->plan, (struct step){.kind = STEP_COPY,
                                     .stream = stream,
                                     .to = to,
                                     .to_at = to_at,
                                     .from = from,
                                     .from_at = from_at,
                                     .count = count});
}

static void wait_for(const struct job *j, u32 stream)
{
    plan_step(j->plan, (struct step){.kind = STEP_SYNC, .stream = stream});
}

/* c = a + b, `count` elements of each from `at` on. */
static void add(const struct job *j, u32 stream, u32 c, u32 a, u32 b, u64 at, u64 count)
{
    struct launch *l = plan_launch_in(j->plan, stream, j->rung->kernel, ceil_div(count, j->shape->bx), j->shape->bx);
    launch_pointer(l, c, at), launch_pointer(l, a, at), launch_pointer(l, b, at), launch_u32(l, (u32)count);
}

/* In, add, out: `count` elements from `from` on, by way of the device's from `at` on. */
static void piece(const struct job *j, u32 stream, const struct set *d, u64 at, u64 from, u64 count)
{
    copy(j, stream, d->a, at, j->a, from, count);
    copy(j, stream, d->b, at, j->b, from, count);
    add(j, stream, d->c, d->a, d->b, at, count);
    copy(j, stream, j->c, from, d->c, at, count);
}

/* Where piece i of so many begins; the last one's end is that of one past it. */
static u64 begin_of(const struct job *j, u32 i, u32 pieces) { return j->shape->n * i / pieces; }

/* ---- the rungs ---- */

static void all_at_once(const struct job *j)
{
    const struct set d = device_set(j, j->shape->n);
    piece(j, 0, &d, 0, 0, j->shape->n);
    wait_for(j, 0);
}

static void copy_pieces(const struct job *j, u32 to, u32 from)
{
    for (u32 i = 0; i < j->shape->k; i++) {
        const u64 at = begin_of(j, i, j->shape->k), count = begin_of(j, i + 1, j->shape->k) - at;
        if (count)
            copy(j, 0, to, at, from, at, count);
    }
}

static void many_copies(const struct job *j)
{
    const struct set d = device_set(j, j->shape->n);
    copy_pieces(j, d.a, j->a);
    copy_pieces(j, d.b, j->b);
    add(j, 0, d.c, d.a, d.b, 0, j->shape->n);
    copy(j, 0, j->c, 0, d.c, 0, j->shape->n);
    wait_for(j, 0);
}

/* D = (A + B) + B; with a trip C goes to the host and back in between. */
static void two_kernels(const struct job *j, bool trip)
{
    const u64 n = j->shape->n;
    const struct set d = device_set(j, n);
    const u32 result = plan_output(j->plan, BUFFER_FLOAT, n);
    copy(j, 0, d.a, 0, j->a, 0, n);
    copy(j, 0, d.b, 0, j->b, 0, n);
    add(j, 0, d.c, d.a, d.b, 0, n);
    if (trip) {
        const u32 between = plan_buffer(
            j->plan, (struct buffer){.use = BUFFER_OUT, .type = BUFFER_FLOAT, .place = PLACE_PINNED, .count = n});
        copy(j, 0, between, 0, d.c, 0, n);
        wait_for(j, 0);
        copy(j, 0, d.c, 0, between, 0, n);
    }
    add(j, 0, result, d.c, d.b, 0, n);
    copy(j, 0, j->c, 0, result, 0, n);
    wait_for(j, 0);
}

static void round_trip(const struct job *j) { two_kernels(j, true); }

static void resident(const struct job *j) { two_kernels(j, false); }

static void streams(const struct job *j)
{
    const u32 parts = j->rung->columns->streams;
    const struct set d = device_set(j, j->shape->n);
    bool used[PLAN_STREAMS] = {0};
    for (u32 i = 0; i < parts; i++) {
        const u64 at = begin_of(j, i, parts), count = begin_of(j, i + 1, parts) - at;
        used[i + 1] = count > 0;
        if (count)
            piece(j, i + 1, &d, at, at, count);
    }
    for (u32 i = 0; i < parts; i++)
        if (used[i + 1])
            wait_for(j, i + 1);
}

static void double_buffer(const struct job *j)
{
    const u32 k = j->shape->k;
    const u64 most = (j->shape->n + k - 1) / k;
    const struct set d[2] = {device_set(j, most), device_set(j, most)};
    for (u32 i = 0; i < k; i++) {
        const u64 at = begin_of(j, i, k), count = begin_of(j, i + 1, k) - at;
        if (count)
            piece(j, 1 + i % 2, &d[i % 2], 0, at, count);
    }
    wait_for(j, 1);
    wait_for(j, 2);
}

static void no_copies(const struct job *j)
{
    add(j, 0, j->c, j->a, j->b, 0, j->shape->n);
    wait_for(j, 0);
    plan_step(j->plan, (struct step){.kind = STEP_TOUCH, .to = j->c});
}

static void prefetch(const struct job *j, u32 buffer, bool to_host)
{
    plan_step(j->plan, (struct step){.kind = STEP_PREFETCH, .to = buffer, .value = to_host});
}

static void prefetched(const struct job *j)
{
    prefetch(j, j->a, false);
    prefetch(j, j->b, false);
    prefetch(j, j->c, false);
    add(j, 0, j->c, j->a, j->b, 0, j->shape->n);
    prefetch(j, j->c, true);
    wait_for(j, 0);
    plan_step(j->plan, (struct step){.kind = STEP_TOUCH, .to = j->c});
}

/* Round the plain form, as many allocations as are asked for, of all three arrays' bytes together. */
static void allocations(const struct job *j, u32 count)
{
    for (u32 i = 0; i < count; i++)
        plan_step(j->plan, (struct step){.kind = STEP_ALLOC, .count = (12 * j->shape->n + count - 1) / count});
    all_at_once(j);
    for (u32 i = 0; i < count; i++)
        plan_step(j->plan, (struct step){.kind = STEP_FREE});
}

static void many_allocations(const struct job *j) { allocations(j, j->shape->k); }

static void one_allocation(const struct job *j) { allocations(j, 1); }

/* As printed: A alone is copied, the result stays, n / 2 elements each. */
static void printed(const struct job *j)
{
    const struct set d = device_set(j, j->shape->n);
    const u64 half = j->shape->n / 2;
    for (u32 i = 0; half && i < 2; i++) {
        copy(j, i + 1, d.a, i * half, j->a, i * half, half);
        add(j, i + 1, d.c, d.a, d.b, i * half, half);
    }
    wait_for(j, 1);
    wait_for(j, 2);
}

static void rounded_down(const struct job *j)
{
    const struct set d = device_set(j, j->shape->n);
    const u64 quarter = j->shape->n / 4;
    for (u32 i = 0; quarter && i < 4; i++)
        piece(j, i + 1, &d, i * quarter, i * quarter, quarter);
    wait_for(j, 0);
}

#define LADDER "kernels/transfer/ladder.def"
#define DEFAULTS .host = PLACE_PINNED,
#include "kernels/rungs.inc"

static void defaults(const struct rung *r, struct shape *s)
{
    (void)r;
    s->n = s->n ? s->n : 1u << 20;
    s->k = s->k ? s->k : 16;
    s->bx = s->bx ? s->bx : 256;
    s->by = s->by ? s->by : 1;
}

static bool awkward(const struct rung *r, const struct shape *base, u32 i, struct shape *out)
{
    static const u32 sizes[] = {1, 2, 3, 5, 31, 33, 255, 257, 997, 4096, 4099, 16};
    static const u32 pieces[] = {1, 16, 2, 4, 64, 7, 16, 3, 13, 16, 1, 16};
    (void)r;
    if (i >= LS_ARRAY_LEN(sizes))
        return false;
    *out = *base;
    out->n = sizes[i];
    out->k = pieces[i];
    return true;
}

static const char *plan(const struct rung *r, const struct shape *s, struct plan *out)
{
    const struct columns *own = r->columns;
    if (s->by != 1)
        return "blocks have one dimension here";
    if (s->bx == 0 || s->bx > 1024)
        return "a block has 1 to 1024 threads";
    if (s->n == 0 || s->n > 1u << 28)
        return "n is 1 to 2^28";
    if (s->k == 0 || s->k > MOST_PIECES)
        return "1 to 64 pieces";
    struct buffer b = {.use = BUFFER_IN, .type = BUFFER_FLOAT, .place = own->host, .count = s->n};
    struct job j = {.rung = r, .shape = s, .plan = out};
    j.a = plan_buffer(out, b);
    j.b = plan_buffer(out, b);
    b.use = BUFFER_OUT;
    j.c = plan_buffer(out, b);
    own->steps(&j);
    out->useful_bytes = 12 * s->n * (own->twice ? 2 : 1);
    out->flops = (double)s->n * (own->twice ? 2 : 1);
    return NULL;
}

const struct family family_transfer = {
    .name = "transfer",
    .about = "C = A + B with the data on the host: copies, streams, and memory that both sides reach",
    .third = "number of pieces",
    .columns = "copy launch path",
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = transfer_check,
};
