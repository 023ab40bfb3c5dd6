/* caches_bench.c - see caches_bench.h. */
#include "caches_bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/cache/sample.h"

const struct address_range *bench_host;
u32 bench_nhost;
u64 bench_enough;

static u32 sms; /* of the launch's GPU */

/* It finds the L2 that the grid `before` has left. */
void bench_begin_behind(struct bench *b, struct caches *before, const struct gpu *gpu, u32 nworkers, u32 resident,
                        u64 nblocks)
{
    *b = (struct bench){.nworkers = nworkers};
    sms = gpu->sms;
    b->caches = caches_make(&(struct caches_input){.gpu = gpu,
                                                   .before = before,
                                                   .l1_bytes = 32 << 10,
                                                   .host = bench_host,
                                                   .nhost = bench_nhost,
                                                   .resident = resident,
                                                   .warps = 2,
                                                   .enough = bench_enough,
                                                   .nblocks = nblocks});
    assert_non_null(b->caches);
    for (u32 w = 0; w < nworkers; w++) {
        b->worker[w] = caches_worker(b->caches);
        assert_non_null(b->worker[w]);
        b->first[w] = caches_add_sites(b->worker[w], b->rows[w], NULL, MOST_SITES);
        assert_true(b->first[w] > 0);
    }
}

void bench_begin(struct bench *b, const struct gpu *gpu, u32 nworkers, u32 resident, u64 nblocks)
{
    bench_begin_behind(b, NULL, gpu, nworkers, resident, nblocks);
}

struct exec_block_info bench_block(u64 linear)
{
    return (struct exec_block_info){.linear = linear, .sm = (u32)(linear % sms), .slot = (u32)(linear / sms)};
}

u32 bench_owner(const struct bench *b, u64 linear) { return (u32)(linear % sms % b->nworkers); }

void bench_start(struct bench *b, u64 linear)
{
    const struct exec_block_info i = bench_block(linear);
    caches_block_begin(b->worker[bench_owner(b, linear)], &i);
}

void bench_stop(struct bench *b, u64 linear)
{
    const struct exec_block_info i = bench_block(linear);
    caches_block_end(b->worker[bench_owner(b, linear)], &i);
}

void bench_lanes(struct bench *b, u64 linear, u32 warp, u32 site, enum traffic_kind kind, const u64 addr[32], u32 size,
                 u8 space)
{
    const struct exec_block_info i = bench_block(linear);
    const u32 w = bench_owner(b, linear);
    const struct exec_access a = {.mask = UINT32_MAX,
                                  .space = space,
                                  .size = (u8)size,
                                  .pattern = PATTERN_GATHER,
                                  .warp = warp,
                                  .block = &i,
                                  .addr = addr};
    caches_access(b->worker[w], b->first[w] + site, kind, &a);
}

/* All lanes, 4 bytes each, `stride` bytes apart. */
void bench_access(struct bench *b, u64 linear, u32 warp, u32 site, enum traffic_kind kind, u64 at, u64 stride)
{
    u64 addr[32];
    for (u32 k = 0; k < 32; k++)
        addr[k] = at + k * stride;
    bench_lanes(b, linear, warp, site, kind, addr, 4, SPACE_GLOBAL);
}

/* The same with so many bytes a lane. */
void bench_access_of(struct bench *b, u64 linear, u32 warp, u32 site, enum traffic_kind kind, u64 at, u64 stride,
                     u32 bytes)
{
    u64 addr[32];
    for (u32 k = 0; k < 32; k++)
        addr[k] = at + k * stride;
    bench_lanes(b, linear, warp, site, kind, addr, bytes, SPACE_GLOBAL);
}

/* Sum of the site over all workers. */
struct traffic bench_end(struct bench *b, u32 site)
{
    struct traffic sum = {0};
    for (u32 w = 0; w < b->nworkers; w++) {
        for (u32 e = 0; e < TRAFFIC_COUNT; e++)
            sum.n[e] += b->rows[w][site].n[e];
        traffic_drawn_add(&sum.drawn, &b->rows[w][site].drawn);
    }
    sample_scale(sum.n, &sum.drawn);
    return sum;
}

void bench_finish(struct bench *b)
{
    assert_true(caches_finish(b->caches));
    caches_free(b->caches);
}
