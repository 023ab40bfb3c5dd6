/* streams.c - bytes from L1, L2 and DRAM: in order, at random, one line for all. */
#include <string.h>

#include "calibrate/experiments.h"

#define MIB ((u64)1 << 20)

struct stream {
    const char *name, *kernel;
    u32 blocks, threads;
    u64 to, bytes, passes, own, from;
    f64 moved; /* bytes for each byte of `bytes` */
};

/* Rows of bytes a clock (the block in the middle) and bytes a second (first begin to last end). */
static bool stream(struct bench *b, const struct stream *s)
{
    const u64 turn = (u64)(s->own ? 1 : s->blocks) * s->threads * 16 * 4,
              bytes = BENCH_MAX(s->bytes / turn, (u64)1) * turn;
    const struct bench_launch l = {
        "memory", s->kernel, s->blocks, s->threads, 0, false, {.p = {s->to, bytes, s->passes, s->own, s->from}}};
    struct bench_time t;
    f64 spread;
    if (!bench_median(b, &l, true, &t, &spread))
        return false;
    const f64 all = (f64)(bytes * s->passes) * (s->own ? s->blocks : 1) * s->moved;
    if (s->blocks <= 8 * b->sms) /* all at once */
        bench_row(b, all / t.cycles, "bytes a clock", spread, "%s_bytes_a_clock", s->name);
    if (t.ns > 0)
        bench_row(b, all / t.ns * 1e9, "bytes/s", spread, "%s_bytes_a_second", s->name);
    return true;
}

/* Words at random places, each of a sector of its own; so many sectors side by side. */
static bool gather(struct bench *b, u64 at, u64 bytes, u64 sectors)
{
    const u64 steps = bench_scaled(b, 256, 8);
    const u32 blocks = (u32)bench_scaled(b, 2 * b->sms, 1);
    const struct bench_launch l = {"memory", "gather", blocks, 1024, 0, false, {.p = {at, bytes, steps, sectors}}};
    struct bench_time t;
    f64 spread;
    if (!bench_median(b, &l, false, &t, &spread))
        return false;
    bench_row(b, (f64)(steps * blocks) * 1024 / t.cycles, "sectors a clock", spread, "gather_%u_MiB_%u_together",
              (u32)(bytes / MIB), (u32)sectors);
    return true;
}

static bool gathers(struct bench *b, u64 at, u64 bytes)
{
    const u64 sizes[] = {8 * MIB, 32 * MIB, 2048 * MIB};
    for (u32 i = 0; i < bench_scaled(b, 3, 1); i++)
        for (u64 sectors = 1; sectors <= 4; sectors *= 2)
            if (!gather(b, at, BENCH_MIN(sizes[i], bytes), sectors))
                return false;
    return true;
}

/* The same line for all warps of all SMs, and a line each. */
static bool lines(struct bench *b, u64 at)
{
    const u32 blocks = (u32)bench_scaled(b, b->sms, 1);
    const u64 steps = bench_scaled(b, 64, 8);
    for (u32 own = 0; own < 2; own++) {
        const struct bench_launch l = {"memory", "line", blocks, 1024, 0, false, {.p = {at, 128 * own, steps}}};
        struct bench_time t;
        f64 spread;
        if (!bench_median(b, &l, false, &t, &spread))
            return false;
        bench_row(b, (f64)(steps * blocks) * 32 / t.cycles, "lines a clock", spread, own ? "lines_own" : "lines_one");
    }
    return true;
}

/* The fastest of some ways to do the same. */
static void best(struct bench *b, const char *kind)
{
    const char *const ways[] = {"", "_8_blocks", "_many_blocks"};
    f64 most = 0;
    for (u32 i = 0; i < LS_ARRAY_LEN(ways); i++) {
        const struct calibrate_row *r =
            calibrate_find(b->to, arena_printf(b->mem, "%s%s_bytes_a_second", kind, ways[i]));
        most = r && r->value > most ? r->value : most;
    }
    if (most > 0)
        bench_row(b, most, "bytes/s", 0, "%s_best", kind);
}

static bool streams_in(struct bench *b, u64 at, u64 bytes)
{
    const u64 n = bench_scaled(b, 1, 0);
    const u32 all = (u32)bench_scaled(b, b->sms, 1), two = (u32)bench_scaled(b, 2 * b->sms, 1);
    const u64 dram = bench_scaled(b, bytes / 2, MIB / 2), small = bench_scaled(b, 64 << 10, 1 << 14);
    const u32 many = (u32)bench_scaled(b, 65536, 4); /* each but a few turns */
    const struct stream streams[] = {
        {"l1_one_sm", "read_l1", 1, 1024, at, small, 1 + 200 * n, 1, 0, 1},
        {"l1", "read_l1", all, 1024, at, small, 1 + 200 * n, 1, 0, 1},
        {"l2_one_sm", "read_l2", 1, 1024, at, 2 * MIB, 1 + 8 * n, 1, 0, 1},
        {"l2_one_sm_32_warps_small", "read_l2", 1, 1024, at, MIB / 4, 1 + 64 * n, 1, 0, 1},
        {"l2_8_MiB", "read_l2", all, 1024, at, 9 * MIB, 1 + 40 * n, 0, 0, 1},
        {"l2_16_MiB", "read_l2", two, 1024, at, 18 * MIB, 1 + 40 * n, 0, 0, 1},
        {"l2_32_MiB", "read_l2", two, 1024, at, 36 * MIB, 1 + 20 * n, 0, 0, 1},
        {"l2_48_MiB", "read_l2", two, 1024, at, 52 * MIB, 1 + 20 * n, 0, 0, 1},
        {"l2_private", "read_l2", all, 1024, at, 128 << 10, 1 + 100 * n, 1, 0, 1},
        {"l2_all_the_same", "read_l2", all, 1024, at, 128 << 10, 1 + 100 * n, 2, 0, 1},
        {"l2_write_8_MiB", "write", all, 1024, at, 9 * MIB, 1 + 40 * n, 0, 0, 1},
        {"l2_write_one_sm", "write", 1, 1024, at, 2 * MIB, 1 + 8 * n, 0, 0, 1},
        {"dram_read", "read_l2", two, 1024, at, dram, 1, 0, 0, 1},
        {"dram_read_8_blocks", "read_l2", (u32)bench_scaled(b, 8 * b->sms, 1), 256, at, dram, 1, 0, 0, 1},
        {"dram_read_many_blocks", "read_l2", many, 256, at, dram, 1, 0, 0, 1},
        {"dram_write_many_blocks", "write", many, 256, at, dram, 1, 0, 0, 1},
        {"dram_copy_many_blocks", "write", many, 256, at, dram, 1, 0, at + dram, 2},
        {"dram_write", "write", two, 1024, at, dram, 1, 0, 0, 1},
        {"dram_copy", "write", two, 1024, at, dram, 1, 0, at + dram, 2},
        {"dram_read_one_sm", "read_l2", 1, 1024, at + dram, bench_scaled(b, 256 * MIB, MIB / 2), 1, 0, 0, 1},
        {"dram_write_one_sm", "write", 1, 1024, at, bench_scaled(b, 256 * MIB, MIB / 2), 1, 0, 0, 1},
    };
    for (u32 i = 0; i < LS_ARRAY_LEN(streams); i++) {
        if (!b->request->gpu && strstr(streams[i].name, "_MiB") && strcmp(streams[i].name, "l2_8_MiB") != 0)
            continue;
        if (!stream(b, &streams[i]))
            return false;
    }
    best(b, "dram_read");
    best(b, "dram_write");
    best(b, "dram_copy");
    return true;
}

bool measure_bandwidth(struct bench *b)
{
    CUdeviceptr at;
    const u64 bytes = bench_scaled(b, 4096 * MIB, 32 * MIB);
    if (!bench_alloc(b, bytes, &at))
        return false;
    const bool good = streams_in(b, at, bytes) && gathers(b, at, bytes) && lines(b, at);
    if (!b->hung)
        b->cuda.free(at);
    return good;
}
