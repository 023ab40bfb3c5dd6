/* caches.h - from accesses to the model of the caches: which sectors of a launch L1, L2 and DRAM served. model/cache/traffic.h
 * has its rules.
 *
 *     each access ──► stream of its warp        as it happens, lines and sectors only (lines.c, caches.c)
 *     SM's wave done ─► L1 of the SM            its warps in turn, an instruction each (model/cache/l1/cache_l1.c)
 *     launch done ──► L2 of the device          the SMs in turn, an instruction each; then DRAM (model/cache/l2/cache_l2.c)
 *
 * The engine runs a block's warps one after the other for thousands of instructions, and an SM's blocks one after the
 * other; hardware runs what an SM holds side by side. So nothing is looked up when it happens: the streams are kept,
 * and taken in turns once all blocks that an SM holds at once are done. The order is that of the launch, so the results
 * do not depend on workers; nor on their timing, unless blocks wait for each other by polling.
 *
 * A launch costs what it touches: the memory of one that is over is kept for the next (caches.c), and forgetting what a
 * cache held is free (model/cache/cache.h). */
#ifndef LS_METER_CACHES_H
#define LS_METER_CACHES_H

#include "base/gpu.h"
#include "exec/exec.h"
#include "meter/meter.h"
#include "meter/metrics.h"
#include "model/cache/l2/cache_l2.h"

struct caches;
struct lines;

/* Where the events of struct traffic are among the meter's. */
enum { TRAFFIC_FIRST = EVENT_l1_gld_hits };
_Static_assert(EVENT_host_bytes - TRAFFIC_FIRST + 1 == TRAFFIC_COUNT, "they stand together");

/* With more, of all SMs together, some stand for all (traffic.h): lines that are looked up in L1, and requests to L2. */
enum { CACHES_ENOUGH = 8 << 20, CACHES_ENOUGH_OF_L2 = 4 << 20 };

struct caches_input {
    const struct gpu *gpu;
    u64 l1_bytes;                     /* of an SM */
    u64 memory_base;                  /* where addresses count from, a multiple of a line */
    const struct address_range *host; /* memory of the host's that kernels may touch; is copied */
    u32 nhost;
    u64 nblocks;
    u32 resident; /* blocks that an SM holds at once */
    u32 warps;    /* of a block */
    u64 enough;   /* in place of both CACHES_ENOUGH, where it is not 0 */
    struct caches *
        before; /* of a grid of the same tree that has ended (caches_end), whose L2 this one finds; NULL: L2 is empty */
};
/* In memory of launches that are over, where there is some; `before` becomes the result. NULL: no memory. */
struct caches *caches_make(const struct caches_input *in);
/* The launch is over; what L2 holds stays. Then it is `before` of another, or freed. */
void caches_end(struct caches *c);
/* Ends it, if that was not done; the memory stays for the next launch. */
void caches_free(struct caches *c);
/* Gives back what stayed. */
void caches_forget(void);
/* Of a worker of the launch, on the launching thread; it lives as long as c. NULL: no memory. */
struct caches_worker *caches_worker(struct caches *c);
/* Numbers for n sites, for caches_access: the result and those that follow. `rows` are theirs, and are read and written
 * until caches_finish; how: of each enum traffic_site; NULL: nothing.
 * 0: they all count in caches_rest, there is no number left. */
u32 caches_add_sites(struct caches_worker *w, struct traffic *rows, const u8 *how, u32 n);
/* What belongs to sites that there was no number for. */
const struct traffic *caches_rest(const struct caches_worker *w);

void caches_block_begin(struct caches_worker *w, const struct exec_block_info *b);
/* Before the end of an SM's first block: for so many cycles its schedulers were busy with it, all together. */
void caches_pace(struct caches_worker *w, const struct exec_block_info *b, u64 cycles);
void caches_block_end(struct caches_worker *w, const struct exec_block_info *b);
/* The number of lines that it asks for. */
u32 caches_access(struct caches_worker *w, u32 site, enum traffic_kind kind, const struct exec_access *a);
/* The same of one that asks for one line, by that request, and is no look at memory past L1, no atomic and no store whose words must be
 * counted; whatever there is room for. turn: as of caches_line. False: nothing is kept of its warp. */
bool caches_line_anywhere(struct caches_worker *w, const struct exec_access *a, u64 request, bool turn);

/* What a worker begins with: the block that asked last, and where its warps' requests go. */
struct caches_here {
    u64 linear;
    u32 nwarps; /* 0: blocks have come or gone since */
    struct requests *warps;
    u64 *staged; /* requests that its SM keeps */
};
enum { CACHES_STAGED_MOST = 1 << 18 }; /* until its wave is done; then what is there is looked up */

/* Mostly it is of the same block as the one before. turn: it ends its warp's turn. */
static inline bool caches_line(struct caches_worker *w, const struct exec_access *a, u64 request, bool turn)
{
    const struct caches_here *h = (const struct caches_here *)w;
    const bool here = a->block && a->warp < h->nwarps && h->linear == a->block->linear;
    struct requests *to = here ? &h->warps[a->warp] : NULL;
    if (LS_UNLIKELY(!to || to->len == to->cap || *h->staged >= CACHES_STAGED_MOST))
        return caches_line_anywhere(w, a, request, turn);
    to->at[to->len++] = request;
    to->turns += turn;
    ++*h->staged;
    return true;
}

/* Of a cluster or wider: a fence is both orders (enum traffic_order), an access that acquires empties L1 behind it, one that releases
 * settles what was asked before it. */
void caches_order(struct caches_worker *w, const struct exec_block_info *b, u32 warp, u32 site, u32 order);
/* The warps that have lanes have come to a barrier of the block: what they ask for behind it has its turn when all have had theirs before it. */
void caches_barrier(struct caches_worker *w, const struct exec_block_info *b, const u32 *lanes);
/* Those lines, of the last access: valid until the next. Of an atomic only those of its last turn. */
/* The same for a fetch from textures or an access to a surface, whose lines and sectors l has. */
void caches_texels(struct caches_worker *w, u32 site, enum traffic_kind kind, const struct exec_access *a,
                   const struct lines *l);
const struct lines *caches_lines(const struct caches_worker *w);

/* The rest of the L1s, and the L2: after the launch. False: there was no memory somewhere. */
bool caches_finish(struct caches *c);
/* Then: what the most wanted lines and slices of L2 had to do, one after the other. */
const struct l2_hot *caches_hot(const struct caches *c);
/* Of L2. */
u32 caches_halves(const struct caches *c);

#endif
