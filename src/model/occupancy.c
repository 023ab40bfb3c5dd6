/* occupancy.c - blocks an SM can hold, resource by resource, as NVIDIA's occupancy calculator has it:
 *
 *   warps       floor(warps an SM / warps a block)
 *   registers   a warp takes regs x 32 rounded up to register_unit, inside one sub-partition of the register file;
 *               a block must also fit registers_per_block with its warps rounded up to the sub-partitions
 *   shared      static + dynamic + what the system reserves, rounded up to shared_unit, within the carve-out; a carve-out
 *               that does not hold one block is raised to the smallest that does; where none was asked for it is the largest
 *   barriers    from compute capability 9.0 on
 *
 * tests/unit/meter compares it with the calculator itself where a toolkit is installed. */
#include "model/occupancy.h"

#include "base/mutate.h"

static u32 round_up(u32 x, u32 unit) { return (u32)(((u64)x + unit - 1) / unit * unit); }

static u32 limit_by_warps(const struct gpu *g, u32 threads, u32 warps)
{
    return threads > g->threads_per_block || !warps ? 0 : g->threads_per_sm / g->warp_size / warps;
}

/* Warps whose registers an SM has at once. */
static u32 warps_by_registers(const struct gpu *g, u32 a_warp)
{
    const u32 partition_warps = g->registers_per_sm / g->sub_partitions / a_warp;
    return MUTANT(32, partition_warps * g->sub_partitions, g->registers_per_sm / a_warp);
}

static u32 limit_by_registers(const struct gpu *g, u32 regs, u32 warps)
{
    const u32 a_warp = MUTANT(30, round_up(regs * g->warp_size, g->register_unit), regs * g->warp_size);
    const u64 checked = (u64)a_warp * round_up(warps, g->sub_partitions);
    /* the architecture's 255 plus the one that is never assigned: what the calculator accepts */
    if (regs > g->registers_per_thread + 1 || checked > g->registers_per_block || !warps)
        return 0;
    if (!a_warp)
        return OCCUPANCY_NO_LIMIT;
    return warps_by_registers(g, a_warp) / warps;
}

/* The smallest carve-out of at least `bytes`; 0 when there is none. */
static u32 carveout_for(const struct gpu *g, u64 bytes)
{
    for (u32 i = 0; i < g->ncarveouts; i++)
        if (g->shared_carveouts[i] * 1024ull >= bytes)
            return g->shared_carveouts[i];
    return 0;
}

static u32 limit_by_shared(const struct gpu *g, const struct occupancy_request *q, u32 a_block, u32 *carveout_kib)
{
    const u64 asked = (u64)q->static_shared + q->dynamic_shared;
    const u32 wanted = q->carveout_kib < 0 ? g->shared_per_sm / 1024 : (u32)q->carveout_kib;
    *carveout_kib = carveout_for(g, wanted * 1024ull);
    if (asked > g->shared_per_block_optin || a_block > g->shared_per_sm)
        return 0;
    if (!*carveout_kib || *carveout_kib * 1024 < a_block)
        *carveout_kib = carveout_for(g, a_block);
    return a_block ? *carveout_kib * 1024 / a_block : OCCUPANCY_NO_LIMIT;
}

static u32 limit_by_barriers(const struct gpu *g, u32 barriers)
{
    return g->cc_major >= 9 && barriers ? g->barriers_per_sm / barriers : OCCUPANCY_NO_LIMIT;
}

/* The smallest limit and which resource has it; on a tie the first of enum occupancy_limiter. */
static void pick(struct occupancy_result *r)
{
    const u32 limits[] = {
        [OCCUPANCY_BY_WARPS] = r->limit_warps,         [OCCUPANCY_BY_BLOCKS] = r->limit_blocks,
        [OCCUPANCY_BY_REGISTERS] = r->limit_registers, [OCCUPANCY_BY_SHARED] = r->limit_shared,
        [OCCUPANCY_BY_BARRIERS] = r->limit_barriers,
    };
    r->blocks_per_sm = OCCUPANCY_NO_LIMIT;
    for (u32 i = 0; i < LS_ARRAY_LEN(limits); i++) {
        if (limits[i] < r->blocks_per_sm) {
            r->blocks_per_sm = limits[i];
            r->limiter = (enum occupancy_limiter)i;
        }
    }
}

/* The carve-out in force bounds blocks with shared memory of their own. */
static void set_parts(struct occupancy_result *r, const struct gpu *g, const struct occupancy_request *q)
{
    const u32 a_warp = round_up(q->regs * g->warp_size, g->register_unit), most = r->max_warps;
    const u32 slots =
        a_warp && a_warp <= g->registers_per_sm / g->sub_partitions ? warps_by_registers(g, a_warp) : most;
    const bool shared = q->static_shared || q->dynamic_shared;
    const u32 by_carveout = shared ? r->carveout_kib * 1024 / r->shared_per_block : r->limit_blocks;
    const u32 places = by_carveout < r->limit_blocks ? by_carveout : r->limit_blocks;
    r->slots = slots < most ? slots : most;
    r->places = places < r->limit_barriers ? places : r->limit_barriers;
}

/* ---- what the driver chooses ---- */

/* Where nothing is asked for, the driver makes an SM's shared memory larger than the blocks need that fit it. An H200, driver
 * 580.159.04, all of 798 launches (docs/model.md): room for twice the blocks that warps and registers allow, 28 at most, of
 * blocks of more than half of the threads that a block may have for just as many, and without shared memory for four times the blocks
 * that warps allow, whatever registers do. It goes no further than 132 KiB for that. A kernel without shared memory that asks for less gets as
 * much, too (tests/hw/h200/l1-places.csv: none asked for, 128 threads: 32 KiB). */
static u32 blocks_with_room(const struct gpu *g, const struct occupancy_request *q, const struct occupancy_result *r)
{
    const u32 places = r->limit_blocks - r->limit_blocks / 8;
    const u32 most = places < r->limit_barriers ? places : r->limit_barriers;
    u32 blocks = r->limit_warps < r->limit_registers ? r->limit_warps : r->limit_registers;
    if (!q->static_shared && !q->dynamic_shared)
        blocks = 4 * r->limit_warps;
    else if (q->threads <= g->threads_per_block / 2)
        blocks *= 2;
    return blocks < most ? blocks : most;
}

static u32 drivers_carveout(const struct gpu *g, const struct occupancy_request *q, const struct occupancy_result *r)
{
    const u64 room = (u64)blocks_with_room(g, q, r) * r->shared_per_block, enough = g->shared_per_sm * 9ull / 16;
    const u32 fits = carveout_for(g, (u64)r->blocks_per_sm * r->shared_per_block);
    const u32 wide = carveout_for(g, room < enough ? room : enough);
    return wide > fits ? wide : fits;
}

struct occupancy_result occupancy(const struct gpu *g, const struct occupancy_request *q)
{
    struct occupancy_result r = {0};
    const u32 warps = q->threads / g->warp_size + (q->threads % g->warp_size != 0);
    const u64 shared = (u64)q->static_shared + q->dynamic_shared + MUTANT(33, g->shared_reserved, 0);
    r.shared_per_block = shared > INT32_MAX ? INT32_MAX : (u32)shared;
    r.shared_per_block = MUTANT(34, round_up(r.shared_per_block, g->shared_unit), r.shared_per_block);
    r.regs_per_block = round_up(q->regs * g->warp_size, g->register_unit) * warps;
    r.max_warps = g->threads_per_sm / g->warp_size;
    r.limit_warps = limit_by_warps(g, q->threads, warps);
    r.limit_blocks = MUTANT(35, g->blocks_per_sm, OCCUPANCY_NO_LIMIT);
    r.limit_registers = limit_by_registers(g, q->regs, warps);
    r.limit_shared = limit_by_shared(g, q, r.shared_per_block, &r.carveout_kib);
    r.limit_barriers = limit_by_barriers(g, q->barriers);
    pick(&r);
    r.warps = r.blocks_per_sm * warps;
    r.pct = 100.0 * r.warps / r.max_warps;
    const u32 drivers = drivers_carveout(g, q, &r);
    if (q->carveout_kib < 0 || (!q->static_shared && !q->dynamic_shared && r.carveout_kib < drivers))
        r.carveout_kib = drivers;
    r.limit_carveout = r.shared_per_block ? r.carveout_kib * 1024 / r.shared_per_block : OCCUPANCY_NO_LIMIT;
    set_parts(&r, g, q);
    return r;
}

u64 occupancy_l1_bytes(const struct gpu *g, u64 shared)
{
    const u64 all = g->l1_kib * 1024ull, fits = carveout_for(g, shared) * 1024ull;
    const u64 carve = fits || !g->ncarveouts || !shared ? fits : g->shared_carveouts[g->ncarveouts - 1] * 1024ull;
    return carve < all ? all - carve : 0;
}

u32 occupancy_clusters(const struct gpu *g, u32 blocks_per_sm, u32 cluster)
{
    enum { USUAL = 16 };
    u32 sum = 0;
    for (u32 k = 0; k < GPU_GPCS && g->gpc_sms[0]; k++)
        if (g->gpc_sms[k] >= cluster)
            sum += g->gpc_sms[k] * blocks_per_sm / cluster;
    for (u32 left = g->gpc_sms[0] ? 0 : g->sms; left; left -= left < USUAL ? left : USUAL) {
        const u32 n = left < USUAL ? left : USUAL;
        sum += n >= cluster ? n * blocks_per_sm / cluster : 0;
    }
    return sum;
}

const char *occupancy_limiter_name(enum occupancy_limiter l)
{
    static const char *const names[] = {
        [OCCUPANCY_BY_WARPS] = "warps",         [OCCUPANCY_BY_BLOCKS] = "blocks",
        [OCCUPANCY_BY_REGISTERS] = "registers", [OCCUPANCY_BY_SHARED] = "shared memory",
        [OCCUPANCY_BY_BARRIERS] = "barriers",
    };
    return (u32)l < LS_ARRAY_LEN(names) ? names[l] : "?";
}
