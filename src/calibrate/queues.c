/* queues.c - how many memory instructions a warp issues before it must wait. */
#include "calibrate/experiments.h"

struct queue {
    const char *kind;
    u64 stride;
    u32 warps;
    const char *pattern;
};

static bool queue(struct bench *b, u64 at, const struct queue *q)
{
    static const u32 counts[] = {1, 2, 4, 8, 12, 16, 24, 32, 48};
    for (u32 i = 0; i < bench_scaled(b, LS_ARRAY_LEN(counts), 2); i++) {
        const struct bench_launch l = {"queues",
                                       arena_printf(b->mem, "queue_%s_%u", q->kind, counts[i]),
                                       1,
                                       32 * q->warps,
                                       0,
                                       false,
                                       {.p = {at, q->stride}}};
        struct bench_time t;
        f64 spread;
        if (!bench_median(b, &l, false, &t, &spread))
            return false;
        bench_row(b, t.cycles, "cycles", spread, "issue_%u_%s%s_of_%u_warps", counts[i], q->kind, q->pattern, q->warps);
    }
    return true;
}

static bool queues_at(struct bench *b, u64 at)
{
    static const char *const kinds[] = {"shared_load", "shared_store", "l1_load",
                                        "global_load", "global_store", "global_red"};
    for (u32 k = 0; k < LS_ARRAY_LEN(kinds); k++) {
        const struct queue patterns[] = {
            {kinds[k], 4, 1, ""},
            {kinds[k], 128, 1, "_scattered"},
            {kinds[k], 4, 16, ""},
            {kinds[k], 128, 16, "_scattered"},
        };
        for (u32 i = 0; i < LS_ARRAY_LEN(patterns); i++)
            if (!queue(b, at, &patterns[i]))
                return false;
    }
    return true;
}

bool measure_queues(struct bench *b)
{
    CUdeviceptr at;
    if (!bench_alloc(b, 1 << 20, &at))
        return false;
    const bool good = queues_at(b, at);
    if (!b->hung)
        b->cuda.free(at);
    return good;
}
