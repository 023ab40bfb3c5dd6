/* pipes.c - the clock, instructions, shared memory, matrix instructions, barriers: what one SM does by itself. */
#include <string.h>

#include "calibrate/experiments.h"

enum { STEPS = 64, RATE_STEPS = 128, SHARED_STEPS = 32, MATRIX_STEPS = 32 }; /* as the kernels unroll */

/* ---- the clock ---- */

static bool clock_rate(struct bench *b)
{
    struct bench_time t;
    f64 mhz[BENCH_RUNS];
    const u32 runs = b->request->gpu ? BENCH_RUNS : 1;
    struct bench_launch l = {"block", "clock_rate", b->sms, 256, 0, false, {.p = {bench_scaled(b, 20000000, 10000)}}};
    l.blocks = b->request->gpu ? b->sms : 1;
    for (u32 i = 0; i < runs; i++) {
        if (!bench_run(b, &l, &t))
            return false;
        mhz[i] = (f64)b->records[0].cycles * 1e3 / (f64)(b->records[0].end - b->records[0].begin);
    }
    b->mhz = bench_middle(mhz, runs);
    bench_row(b, b->mhz, "MHz", bench_spread(mhz, runs), "sm_clock");
    return true;
}

bool measure_clock(struct bench *b)
{
    struct bench_time t;
    f64 spread;
    const u64 n = bench_scaled(b, 4096, 64);
    const struct bench_launch read = {"block", "clock_read", 1, 32, 0, false, {.p = {n}}};
    const struct bench_launch span = {"block", "clock_read", 1, 32, 0, false, {.p = {0}}};
    if (!clock_rate(b) || !bench_median(b, &read, false, &t, &spread))
        return false;
    bench_row(b, t.cycles / (f64)n, "cycles", spread, "latency_clock_read");
    if (!bench_median(b, &span, false, &t, &spread))
        return false;
    bench_row(b, t.cycles, "cycles", spread, "empty_span");
    return true;
}

/* ---- instructions ---- */

struct instruction {
    const char *id;
    u32 n, alu;
};

static bool latency(struct bench *b, const char *module, const struct instruction *in, u32 steps, f64 *out)
{
    const u64 rounds = bench_scaled(b, 64, 1);
    const struct bench_launch l = {
        module, arena_printf(b->mem, "latency_%s", in->id), 1, 32, 0, false, {.p = {rounds, 12345, 54321}}};
    struct bench_time t;
    f64 spread;
    if (!bench_median(b, &l, false, &t, &spread))
        return false;
    *out = (t.cycles / (f64)(rounds * steps) - in->alu * b->alu) / in->n;
    bench_row(b, *out, "cycles", spread, "latency_%s", in->id);
    return true;
}

/* Results of lanes a clock and SM, or instructions of warps times `per`. */
static bool rate(struct bench *b, const char *module, const struct instruction *in, u32 steps, u32 threads, f64 per,
                 const char *unit)
{
    const u64 rounds = bench_scaled(b, 64, 1);
    const struct bench_launch l = {module,
                                   arena_printf(b->mem, "rate_%s", in->id),
                                   (u32)bench_scaled(b, b->sms, 1),
                                   threads,
                                   0,
                                   false,
                                   {.p = {rounds, 12345, 54321}}};
    struct bench_time t;
    f64 spread;
    if (!bench_median(b, &l, false, &t, &spread))
        return false;
    bench_row(b, (f64)(rounds * steps) * in->n * (threads / 32.0) * per / t.cycles, unit, spread, "rate_%s", in->id);
    return true;
}

/* A round of a loop of 16 instructions of a chain; and one in which some lanes do 16 and the others 32. */
static bool loops(struct bench *b)
{
    const struct calibrate_row *chain = calibrate_find(b->to, "latency_alu");
    const u64 rounds = bench_scaled(b, 4096, 16);
    for (u32 part = 0; part < 2; part++) {
        const struct bench_launch l = {"block", part ? "loop_part" : "loop", 1, 32, 0, false, {.p = {rounds}}};
        struct bench_time t;
        f64 spread;
        if (!bench_median(b, &l, false, &t, &spread))
            return false;
        const f64 rest = t.cycles / (f64)rounds - (part ? 48 : 16) * chain->value;
        bench_row(b, rest, "cycles", spread, part ? "branch_lanes_part" : "branch");
    }
    return true;
}

bool measure_instructions(struct bench *b)
{
    static const struct instruction all[] = {
#define INSTRUCTION(id, type, letter, n, alu, text) {#id, n, alu},
#include "calibrate/instructions.def"
    };
    f64 cycles;
    for (u32 i = 0; i < LS_ARRAY_LEN(all); i++) {
        if (!latency(b, "instructions", &all[i], STEPS, &cycles))
            return false;
        if (i == 0)
            b->alu = cycles; /* LOP3 */
        if (!rate(b, "instructions", &all[i], RATE_STEPS, (u32)bench_scaled(b, 1024, 64), 32, "lanes a clock and SM"))
            return false;
    }
    return loops(b);
}

bool measure_tensor(struct bench *b)
{
    static const struct {
        struct instruction in;
        f64 madds;
    } all[] = {
#define MATRIX(id, type, letter, outputs, madds, about, text) {{#id, 1, 0}, madds},
#include "calibrate/matrix.def"
    };
    f64 cycles;
    for (u32 i = 0; i < LS_ARRAY_LEN(all); i++)
        if (!latency(b, "tensor", &all[i].in, MATRIX_STEPS, &cycles) ||
            !rate(b, "tensor", &all[i].in, MATRIX_STEPS, (u32)bench_scaled(b, 512, 32), all[i].madds,
                  "madds a clock and SM"))
            return false;
    return true;
}

/* ---- shared memory ---- */

/* Cycles a step: of one warp whose lanes are `stride` bytes apart. */
static bool shared_step(struct bench *b, const struct instruction *in, u32 stride, f64 *cycles, f64 *spread)
{
    const u64 rounds = bench_scaled(b, 32, 1);
    const struct bench_launch l = {
        "shared", arena_printf(b->mem, "chain_%s", in->id), 1, 32, 0, false, {.p = {rounds, 0, stride, 0}}};
    struct bench_time t;
    if (!bench_median(b, &l, false, &t, spread))
        return false;
    *cycles = (t.cycles / (f64)(rounds * SHARED_STEPS) - in->alu * b->alu) / in->n;
    return true;
}

/* Lanes a clock of an SM that is full of warps. */
static bool shared_rate(struct bench *b, const struct instruction *in, u32 stride, const char *pattern)
{
    const u64 rounds = bench_scaled(b, 32, 1);
    const u32 threads = (u32)bench_scaled(b, 1024, 64);
    const struct bench_launch l = {
        "shared", arena_printf(b->mem, "rate_%s", in->id), (u32)bench_scaled(b, b->sms, 1), threads, 0,
        false,    {.p = {rounds, 0, stride, 32 * stride}}};
    struct bench_time t;
    f64 spread;
    if (!bench_median(b, &l, false, &t, &spread))
        return false;
    bench_row(b, (f64)(rounds * SHARED_STEPS) * threads / t.cycles, "lanes a clock and SM", spread, "rate_%s%s", in->id,
              pattern);
    return true;
}

static bool shared_one(struct bench *b, const struct instruction *in, u32 width)
{
    f64 cycles, spread;
    if (!shared_step(b, in, width, &cycles, &spread))
        return false;
    bench_row(b, cycles, "cycles", spread, "latency_%s", in->id);
    if (!shared_rate(b, in, width, ""))
        return false;
    if (strstr(in->id, "atomic") == NULL && strstr(in->id, "red") == NULL)
        return true;
    if (!shared_step(b, in, 0, &cycles, &spread))
        return false;
    bench_row(b, cycles, "cycles", spread, "latency_%s_one_address", in->id);
    return shared_rate(b, in, 0, "_one_address");
}

/* Lanes 4, 8, ... 128 bytes apart: 1, 2, ... 32 wavefronts. */
static bool conflicts(struct bench *b, const struct instruction *in)
{
    f64 cycles[6], spread;
    for (u32 i = 0; i < 6; i++) {
        if (!shared_step(b, in, 4u << i, &cycles[i], &spread))
            return false;
        bench_row(b, cycles[i], "cycles", spread, "latency_%s_%u_ways", in->id, 1u << i);
        if (!shared_rate(b, in, 4u << i, arena_printf(b->mem, "_%u_ways", 1u << i)))
            return false;
    }
    bench_row(b, (cycles[5] - cycles[0]) / 31, "cycles", 0, "%s_conflict_way", in->id);
    return true;
}

bool measure_shared(struct bench *b)
{
    static const struct {
        struct instruction in;
        u32 width;
    } all[] = {
#define SHARED(id, width, n, alu, text) {{#id, n, alu}, width},
#include "calibrate/shared.def"
    };
    for (u32 i = 0; i < LS_ARRAY_LEN(all); i++)
        if (!shared_one(b, &all[i].in, all[i].width))
            return false;
    static const struct instruction load = {"shared_load32", 1, 0}, atomic = {"shared_atomic_add", 1, 0};
    return conflicts(b, &load) && conflicts(b, &atomic);
}

/* ---- barriers ---- */

static bool grid_barrier(struct bench *b, u32 threads)
{
    const u64 rounds = bench_scaled(b, 256, 2);
    const u32 blocks = (u32)bench_scaled(b, b->sms, 4);
    const struct bench_launch l = {"block", "grid_barrier", blocks, threads, 0, true, {.p = {rounds}}};
    struct bench_time t;
    f64 spread;
    if (!bench_median(b, &l, false, &t, &spread))
        return false;
    bench_row(b, t.cycles / (f64)rounds, "cycles", spread, "grid_barrier_%u_threads", threads);
    return true;
}

bool measure_barriers(struct bench *b)
{
    const u64 rounds = bench_scaled(b, 512, 16);
    f64 first = 0, last = 0;
    for (u32 warps = 1; warps <= 32; warps *= 2) {
        const struct bench_launch l = {"block", "barrier", 1, 32 * warps, 0, false, {.p = {rounds}}};
        struct bench_time t;
        f64 spread;
        if (!bench_median(b, &l, false, &t, &spread))
            return false;
        last = t.cycles / (f64)rounds;
        first = warps == 1 ? last : first;
        bench_row(b, last, "cycles", spread, "barrier_%u_warps", warps);
    }
    bench_row(b, (last - first) / 31, "cycles", 0, "barrier_a_warp_more");
    return grid_barrier(b, 32) && grid_barrier(b, 256) && grid_barrier(b, 1024);
}
