/* host.c of timing - one task, timed in different ways: the marks are the host's clock, the events the device's. */
#include "kernels/families.h"
#include "kernels/timing/columns.h"

static void defaults(const struct rung *r, struct shape *s)
{
    (void)r;
    s->n = s->n ? s->n : 1u << 15;
    s->k = s->k ? s->k : 20000;
    s->bx = s->bx ? s->bx : 256;
    s->by = s->by ? s->by : 1;
}

static bool awkward(const struct rung *r, const struct shape *base, u32 i, struct shape *out)
{
    static const u32 sizes[] = {1, 2, 3, 31, 33, 255, 257, 997};
    static const u32 rounds[] = {1, 2, 19, 20, 21, 100, 7, 41};
    (void)r;
    if (i >= LS_ARRAY_LEN(sizes))
        return false;
    *out = *base;
    out->n = sizes[i];
    out->k = rounds[i];
    return true;
}

static void step(struct plan *p, enum step_kind kind, u32 stream, u32 to)
{
    plan_step(p, (struct step){.kind = kind, .stream = stream, .to = to});
}

static void poke(struct plan *p, u32 flag, u32 value)
{
    plan_step(p, (struct step){.kind = STEP_POKE, .to = flag, .value = value});
}

/* The rounds, shared among the launches. */
static void launches(const struct rung *r, const struct shape *s, struct plan *p, u32 stream, u32 data)
{
    for (u32 i = 0; i < r->columns->launches; i++) {
        const u64 from = (u64)s->k * i / r->columns->launches, to = (u64)s->k * (i + 1) / r->columns->launches;
        struct launch *l = plan_launch_in(p, stream, r->kernel, ceil_div(s->n, s->bx), s->bx);
        launch_buffer(l, data), launch_u32(l, (u32)s->n), launch_u32(l, (u32)(to - from));
    }
}

static void clock_no_sync(const struct rung *r, const struct shape *s, struct plan *p, u32 data)
{
    step(p, STEP_MARK, 0, 0);
    step(p, STEP_RECORD, 0, 0);
    launches(r, s, p, 0, data);
    step(p, STEP_RECORD, 0, 1);
    step(p, STEP_MARK, 0, 1);
    step(p, STEP_SYNC, 0, 0);
}

static void clock_sync(const struct rung *r, const struct shape *s, struct plan *p, u32 data)
{
    step(p, STEP_MARK, 0, 0);
    step(p, STEP_RECORD, 0, 0);
    launches(r, s, p, 0, data);
    step(p, STEP_RECORD, 0, 1);
    step(p, STEP_SYNC, 0, 0);
    step(p, STEP_MARK, 0, 1);
}

static void events(const struct rung *r, const struct shape *s, struct plan *p, u32 data)
{
    step(p, STEP_RECORD, 0, 0);
    step(p, STEP_MARK, 0, 0);
    launches(r, s, p, 0, data);
    step(p, STEP_MARK, 0, 1);
    step(p, STEP_RECORD, 0, 1);
    step(p, STEP_SYNC, 0, 0);
}

/* The word is taken back first: the plan may run again. */
static void events_held(const struct rung *r, const struct shape *s, struct plan *p, u32 data)
{
    static const i32 closed = 0;
    const u32 released = plan_buffer(
        p,
        (struct buffer){.use = BUFFER_INOUT, .type = BUFFER_INT, .place = PLACE_MAPPED, .count = 1, .fixed = &closed});
    poke(p, released, 0);
    launch_buffer(plan_launch(p, "hold", 1, 1), released);
    step(p, STEP_RECORD, 0, 0);
    launches(r, s, p, 0, data);
    step(p, STEP_RECORD, 0, 1);
    step(p, STEP_MARK, 0, 0);
    poke(p, released, 1);
    step(p, STEP_SYNC, 0, 0);
    step(p, STEP_MARK, 0, 1);
}

static void clock_late(const struct rung *r, const struct shape *s, struct plan *p, u32 data)
{
    step(p, STEP_RECORD, 0, 0);
    launches(r, s, p, 0, data);
    step(p, STEP_RECORD, 0, 1);
    step(p, STEP_MARK, 0, 0);
    step(p, STEP_MARK, 0, 1);
    step(p, STEP_SYNC, 0, 0);
}

static void events_elsewhere(const struct rung *r, const struct shape *s, struct plan *p, u32 data)
{
    step(p, STEP_MARK, 0, 0);
    step(p, STEP_RECORD, 2, 0);
    launches(r, s, p, 1, data);
    step(p, STEP_RECORD, 2, 1);
    step(p, STEP_SYNC, 0, 0);
    step(p, STEP_MARK, 0, 1);
}

#define LADDER "kernels/timing/ladder.def"
#define DEFAULTS .launches = 1,
#include "kernels/rungs.inc"

static const char *plan(const struct rung *r, const struct shape *s, struct plan *out)
{
    if (s->by != 1)
        return "blocks have one dimension here";
    if (s->bx == 0 || s->bx > 1024)
        return "a block has 1 to 1024 threads";
    if (s->n == 0 || s->n > 1u << 28)
        return "n is 1 to 2^28";
    if (s->k == 0 || s->k > 1u << 30)
        return "1 to 2^30 rounds";
    const u32 data = plan_inout(out, BUFFER_INT, s->n);
    r->columns->steps(r, s, out, data);
    out->useful_bytes = 8 * s->n;
    return NULL;
}

const struct family family_timing = {
    .name = "timing",
    .about = "how long a kernel takes, by the host's clock and by events",
    .third = "number of rounds",
    .columns = "launch clock gst",
    .rungs = rungs,
    .nrungs = LS_ARRAY_LEN(rungs),
    .defaults = defaults,
    .awkward = awkward,
    .plan = plan,
    .check = timing_check,
};
