/* caches_bench.h - a launch whose accesses the tests of caches make up: known sequences, whose sectors a formula tells. */
#ifndef LS_TEST_CACHES_BENCH_H
#define LS_TEST_CACHES_BENCH_H

#include "meter/caches.h"

enum { SMS = 4, MOST_SITES = 10, MOST_WORKERS = 4 };
#define N(row, e) ((row).n[TRAFFIC_##e])

/* A launch whose accesses the tests make up. */
struct bench {
    struct caches *caches;
    u32 nworkers;
    struct caches_worker *worker[MOST_WORKERS];
    struct traffic rows[MOST_WORKERS][MOST_SITES];
    u32 first[MOST_WORKERS];
};

static const struct gpu one_l2 = {.sms = SMS, .cc_major = 8, .cc_minor = 9, .l2_bytes = 1 << 20};
static const struct gpu two_halves = {.sms = 28, .cc_major = 9, .cc_minor = 0, .l2_bytes = 1 << 20};

/* The host's memory in launches that begin from now on. */
extern const struct address_range *bench_host;
extern u32 bench_nhost;
/* With how many requests some lines stand for all, likewise; 0: as ever. */
extern u64 bench_enough;

/* It finds the L2 that the grid `before` has left. */
void bench_begin_behind(struct bench *b, struct caches *before, const struct gpu *gpu, u32 nworkers, u32 resident,
                        u64 nblocks);
void bench_begin(struct bench *b, const struct gpu *gpu, u32 nworkers, u32 resident, u64 nblocks);
struct exec_block_info bench_block(u64 linear);
/* The worker whose block it is. */
u32 bench_owner(const struct bench *b, u64 linear);
void bench_start(struct bench *b, u64 linear);
void bench_stop(struct bench *b, u64 linear);
void bench_lanes(struct bench *b, u64 linear, u32 warp, u32 site, enum traffic_kind kind, const u64 addr[32], u32 size,
                 u8 space);
/* All lanes, 4 bytes each, `stride` bytes apart. */
void bench_access(struct bench *b, u64 linear, u32 warp, u32 site, enum traffic_kind kind, u64 at, u64 stride);
/* The same with so many bytes a lane. */
void bench_access_of(struct bench *b, u64 linear, u32 warp, u32 site, enum traffic_kind kind, u64 at, u64 stride,
                     u32 bytes);
/* Sum of the site over all workers, as the meter adds them up. */
struct traffic bench_end(struct bench *b, u32 site);
void bench_finish(struct bench *b);

#endif
