/* caches.h - the model of the caches: which sectors of a launch L1, L2 and DRAM served.
 *
 *     each access ──► stream of its warp        as it happens, lines and sectors only (lines.c, caches.c)
 *     SM's wave done ─► L1 of the SM            its warps in turn, an instruction each (cache_l1.c)
 *     launch done ──► L2 of the device          the SMs in turn, an instruction each; then DRAM (cache_l2.c)
 *
 * The engine runs a block's warps one after the other for thousands of instructions, and an SM's blocks one after the
 * other; hardware runs what an SM holds side by side. So nothing is looked up when it happens: the streams are kept,
 * and taken in turns once all blocks that an SM holds at once are done. The order is that of the launch, so the results
 * do not depend on workers; nor on their timing, unless blocks wait for each other by polling.
 *
 * The rules. All caches are empty when the launch begins, as under the profiler. Lines of 128 bytes in sectors of 32,
 * the least recently used line leaves.
 *
 * - L1 is what the carve-out leaves of the SM's memory. What is read or written is taken in, sector by sector: an H200
 *   counts a store as a hit where an earlier access to the sector was. Loads past it (.cg, volatile, relaxed, acquire)
 *   and atomics miss. All stores go on to L2.
 *
 * - Between them: stores of a warp to the same sectors that follow each other go together. Reads of the same sectors by
 *   SMs of a group that come close together go once, but for those past L1 (from compute capability 9.0 on; groups and
 *   closeness are fitted).
 *
 * - L2 is one for the device, and written back. Stores and atomics take their line in; only atomics read it. What is
 *   still dirty when the launch ends stays there: it costs DRAM nothing. Where it has two halves (compute capability
 *   8.0, 9.0, 10.0), an SM is at one of them, a line at home in one of them. What an SM reads from the other half is
 *   kept in its own half too; stores and atomics are done at home. Each sector that goes across counts in both halves.
 *
 * - Atomics: lanes that want the same element are one after the other, a request each.
 *
 * What is not modelled: prefetches, compression, persisting lines, early write-back, constants and instructions,
 * textures beyond one texel a lane.
 *
 * A launch costs what it touches: the memory of one that is over is kept for the next (caches.c), and forgetting what a
 * cache held is free (base/cache.h).
 *
 * L2's input is bounded: where an SM sends more than its share, only one line in 2, 4, 8, ... of all SMs is kept (by a
 * hash of its number), the L2 is as much smaller, and what was found is multiplied. */
#ifndef LS_METER_CACHES_H
#define LS_METER_CACHES_H

#include "base/cache.h"
#include "base/gpu.h"
#include "exec/exec.h"
#include "meter/rules.h"

struct caches;

/* How a line is asked for. */
enum traffic_kind {
    TRAFFIC_LOAD,
    TRAFFIC_LOAD_PAST, /* not from L1 */
    TRAFFIC_STORE,
    TRAFFIC_STORE_PAST,   /* volatile and the like */
    TRAFFIC_STORE_MERGED, /* goes to L2 together with the warp's store before it; made by caches_access */
    TRAFFIC_ATOM,
    TRAFFIC_RED,
    TRAFFIC_LOCAL_LOAD,
    TRAFFIC_LOCAL_STORE,
    TRAFFIC_TEXTURE,
};

/* By one instruction, in sectors: the events EVENT_l1_... to EVENT_dram_... in their order. */
enum { TRAFFIC_FIRST = EVENT_l1_gld_hits, TRAFFIC_COUNT = EVENT_dram_writes - EVENT_l1_gld_hits + 1 };
struct traffic {
    u64 n[TRAFFIC_COUNT];
};

struct caches_input {
    const struct gpu *gpu;
    u64 l1_bytes;    /* of an SM */
    u64 memory_base; /* where addresses count from, a multiple of a line */
    u64 nblocks;
    u32 resident; /* blocks that an SM holds at once */
    u32 warps;    /* of a block */
};
/* In memory of launches that are over, where there is some. NULL: no memory. */
struct caches *caches_make(const struct caches_input *in);
/* The memory stays for the next launch. */
void caches_free(struct caches *c);
/* Gives back what stayed. */
void caches_forget(void);
/* Of a worker of the launch, on the launching thread; it lives as long as c. NULL: no memory. */
struct caches_worker *caches_worker(struct caches *c);
/* Numbers for n sites, for caches_access: the result and those that follow. `rows` are theirs, and are read and written
 * until caches_finish. 0: they all count in caches_rest, there is no number left. */
u32 caches_add_sites(struct caches_worker *w, struct traffic *rows, u32 n);
/* What belongs to sites that there was no number for. */
const struct traffic *caches_rest(const struct caches_worker *w);

void caches_block_begin(struct caches_worker *w, const struct exec_block_info *b);
void caches_block_end(struct caches_worker *w, const struct exec_block_info *b);
void caches_access(struct caches_worker *w, u32 site, enum traffic_kind kind, const struct exec_access *a);

/* The rest of the L1s, and the L2: after the launch. False: there was no memory somewhere. */
bool caches_finish(struct caches *c);
/* Then: sectors of atomics that the most wanted slice of L2 had to do, one after the other. */
u64 caches_atomic_most(const struct caches *c);

/* ---- between caches.c, cache_l1.c and cache_l2.c ---- */

/* A line that an instruction asks for, in 64 bits: number 40, sectors 4, kind 4, last line of its instruction 1,
 * site 15. */
enum { REQUEST_NUMBER_BITS = 40, REQUEST_SITES = 1 << 15 };
static inline u64 request_make(u64 number, u32 sectors, enum traffic_kind kind, bool last, u32 site)
{
    return (number & ((1ull << REQUEST_NUMBER_BITS) - 1)) | (u64)sectors << 40 | (u64)kind << 44 | (u64)last << 48 |
           (u64)site << 49;
}
static inline u64 request_number(u64 r) { return r & ((1ull << REQUEST_NUMBER_BITS) - 1); }
static inline u32 request_sectors(u64 r) { return (u32)(r >> 40) & 15; }
static inline enum traffic_kind request_kind(u64 r) { return (enum traffic_kind)(r >> 44 & 15); }
static inline bool request_last(u64 r) { return r >> 48 & 1; }
static inline u32 request_site(u64 r) { return (u32)(r >> 49); }

struct requests {
    u64 *at;
    u64 len, cap, next;
};
bool requests_grow(struct requests *s);
static inline bool requests_push(struct requests *s, u64 request)
{
    if (s->len == s->cap && !requests_grow(s))
        return false;
    s->at[s->len++] = request;
    return true;
}
/* Number of sectors. A processor that popcount can be counted on is not what we are built for. */
static inline u32 sectors_in(u32 sectors) { return 0x4332322132212110ull >> 4 * sectors & 15; }

/* What an SM sends to L2. */
struct l2_input {
    struct requests kept;
    u64 seen, budget;
    u32 one_in;              /* lines kept: one in so many, a power of two */
    u32 side;                /* the half of L2 that it is at, 0 or 1 */
    u32 group;               /* of SMs whose reads are coalesced, below L2_GROUPS */
    struct traffic ***sites; /* the worker's, which may move */
};
bool l2_input_push(struct l2_input *in, u64 request);
enum { L2_GROUPS = 8 };
struct l2_shape {
    u64 bytes;
    u32 halves;
    bool coalesces;
};
/* Memory for one launch after the other. NULL: there is none. */
struct l2;
struct l2 *l2_make(void);
void l2_free(struct l2 *l2);
/* Takes all inputs in turn, from an L2 that is empty on; adds to their sites' rows. The order of `inputs` is lost.
 * False: no memory. */
bool l2_run(struct l2 *l2, const struct l2_shape *shape, struct l2_input **inputs, u32 n, u64 *atomic_most);

#endif
