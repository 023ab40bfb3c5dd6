/* traffic.c - memory of streams of requests, and what counts say of who served them (traffic.h). */
#include "model/cache/traffic.h"

#include <math.h>

#include "base/alloc.h"
#include "base/clones.h"

bool requests_grow(struct requests *s, u64 n)
{
    u64 cap = s->cap ? s->cap : 64;
    while (cap - s->len < n)
        cap *= 2;
    u64 *to = ls_realloc(s->at, sizeof *to * cap);
    if (!to)
        return false;
    s->at = to;
    s->cap = cap;
    return true;
}

static bool same_sectors(const u64 *a, const u64 *b, u32 n)
{
    const u64 what = request_make(~0ull, 15, 0, true, 0);
    for (u32 k = 0; k < n; k++)
        if ((a[k] ^ b[k]) & what || request_kind(a[k]) == TRAFFIC_EMPTY_L1)
            return false;
    return true;
}

void requests_fold(struct requests *s, u32 n)
{
    const u64 from = s->len - n, *now = s->at + from, hash = request_number(now[0]) * 0x9e3779b97f4a7c15ull;
    struct recent *recent = &s->recent[hash >> 58];
    _Static_assert(REQUESTS_RECENT == 1 << 6, "of six bits of the hash");
    if (recent->hash == (u32)(hash >> 26) && recent->at && recent->at - 1 + n <= from &&
        same_sectors(s->at + recent->at - 1, now, n)) {
        s->at[from] = request_again(recent->at - 1, request_kind(now[0]), request_site(now[0]));
        s->len = from + 1;
        s->folded += n - 1;
    } else if (from < UINT32_MAX) {
        *recent = (struct recent){.at = (u32)from + 1, .hash = (u32)(hash >> 26)};
    }
}

CLONES static u32 sectors_of_requests(const u64 *restrict request, u32 n)
{
    u64 all = 0;
    for (u32 k = 0; k < n; k++) { /* sectors_in, as vectors do it */
        const u64 mask = request[k] >> 40 & 15, pairs = mask - (mask >> 1 & 5);
        all += (pairs & 3) + (pairs >> 2);
    }
    return (u32)all;
}

u32 requests_sectors(const u64 *request, u32 n) { return sectors_of_requests(request, n); }

/* ---- who served ---- */

#define T(count) ((double)n[TRAFFIC_##count])

/* Sectors that went on to L2, as L2 saw them, by where they were served. */
static struct served beyond_l1(const u64 n[TRAFFIC_COUNT])
{
    const double atomics = T(l2_atoms) + T(l2_reds), crossed = T(l2_far_atoms) + T(l2_far_reds);
    const double load_fetches = T(l2_reads) - T(l2_read_hits) - T(l2_far_hits) - T(host_reads);
    const double host_stores = fmin(T(host_writes), T(l2_writes)), host_atomics = T(host_writes) - host_stores;
    const double atomic_fetches = T(dram_reads) > load_fetches ? T(dram_reads) - load_fetches : 0;
    const double found = atomics > atomic_fetches ? (atomics - atomic_fetches) / atomics : 0; /* in L2 */
    return (struct served){
        .near = T(l2_read_hits) + T(l2_writes) - T(l2_far_writes) - host_stores + found * (atomics - crossed) -
                host_atomics,
        .far = T(l2_far_hits) + T(l2_far_writes) + found * crossed,
        .dram = load_fetches + (atomics < atomic_fetches ? atomics : atomic_fetches),
        .host = T(host_reads) + T(host_writes),
    };
}

struct served traffic_served(const u64 n[TRAFFIC_COUNT])
{
    const double asked =
        T(l1_gld_hits) + T(l1_gld_misses) + T(l1_gst_hits) + T(l1_gst_misses) + T(l1_other_hits) + T(l1_other_misses);
    struct served s = beyond_l1(n);
    const double arrived = s.near + s.far + s.dram + s.host;
    if (asked <= 0 && arrived <= 0)
        return (struct served){0};
    s.l1 = asked > 0 ? T(l1_served) / asked : 0; /* bulk copies ask no L1 */
    if (arrived <= 0) {                          /* all of it was asked for by another SM just before */
        s.near = 1 - s.l1;
        return s;
    }
    s.near *= (1 - s.l1) / arrived;
    s.far *= (1 - s.l1) / arrived;
    s.dram *= (1 - s.l1) / arrived;
    s.host *= (1 - s.l1) / arrived;
    return s;
}

/* ---- besides ---- */

enum { CODE_LINE = 128 };

struct beside traffic_beside(u32 insts)
{
    enum { FLAT = 564, FLAT_READS = 870, FLAT_DRAM = 72 };
    const u64 code = (insts * 16ull + CODE_LINE - 1) / CODE_LINE * (CODE_LINE / 32), reads = FLAT_READS + code * 19 / 2;
    return (struct beside){.l2 = reads + FLAT, .l2_reads = reads, .dram_reads = FLAT_DRAM + code};
}

/* Of 1 to 254 grids below a kernel, by how many there were: it does not matter which code they have, how many blocks and threads, nor
 * into which stream they go (tests/hw/call_traffic.cu). */
struct beside traffic_beside_child(u64 n[TRAFFIC_COUNT])
{
    enum { READS = 175, OTHER = 245, WRITES = 205, FAR_WRITES = 90, ATOMS = 14, FAR_ATOMS = 4, REDS = 2, FAR_REDS = 1 };
    n[TRAFFIC_l2_writes] += WRITES;
    n[TRAFFIC_l2_far_writes] += FAR_WRITES;
    n[TRAFFIC_l2_atoms] += ATOMS;
    n[TRAFFIC_l2_far_atoms] += FAR_ATOMS;
    n[TRAFFIC_l2_reds] += REDS;
    n[TRAFFIC_l2_far_reds] += FAR_REDS;
    return (struct beside){.l2 = READS + OTHER, .l2_reads = READS};
}

u64 traffic_meanwhile(double ns) { return (u64)(5e-3 * ns); }
