/* html_occupancy.c - how many warps an SM would hold with other registers, other shared memory or another block: steps of
 * [from, warps], and where the launch is. */
#include "model/occupancy.h"
#include "report/html/html_parts.h"

struct curve {
    json_t *steps;
    u32 last;
};

static void step(struct curve *c, u32 x, u32 warps)
{
    if (json_array_size(c->steps) && warps == c->last)
        return;
    c->last = warps;
    json_array_append_new(c->steps, json_pack("[i, i]", (int)x, (int)warps));
}

static json_t *curve_of(struct curve *c, u32 at, u32 end)
{
    return json_pack("{s:o, s:i, s:i}", "steps", c->steps, "at", (int)at, "end", (int)end);
}

static json_t *registers_curve(const struct gpu *gpu, struct occupancy_request q)
{
    struct curve c = {.steps = json_array()};
    const u32 at = q.regs;
    for (q.regs = 16; q.regs <= gpu->registers_per_thread; q.regs++)
        step(&c, q.regs, occupancy(gpu, &q).warps);
    return curve_of(&c, at, gpu->registers_per_thread);
}

static json_t *shared_curve(const struct gpu *gpu, struct occupancy_request q)
{
    struct curve c = {.steps = json_array()};
    const u32 at = q.static_shared + q.dynamic_shared, unit = gpu->shared_unit ? gpu->shared_unit : 256;
    q.static_shared = 0;
    for (u32 bytes = 0; bytes <= gpu->shared_per_block_optin; bytes += unit) {
        q.dynamic_shared = bytes;
        step(&c, bytes, occupancy(gpu, &q).warps);
    }
    return curve_of(&c, at, gpu->shared_per_block_optin);
}

static json_t *block_curve(const struct gpu *gpu, struct occupancy_request q)
{
    struct curve c = {.steps = json_array()};
    const u32 at = q.threads;
    for (q.threads = gpu->warp_size; q.threads <= gpu->threads_per_block; q.threads += gpu->warp_size)
        step(&c, q.threads, occupancy(gpu, &q).warps);
    return curve_of(&c, at, gpu->threads_per_block);
}

json_t *html_curves(const struct ncu_launch *l)
{
    const struct meter_report *r = l->r;
    if (!l->gpu || !l->gpu->warp_size)
        return json_null();
    const struct occupancy_request q = {
        .threads = r->block[0] * r->block[1] * r->block[2],
        .regs = r->registers,
        .static_shared = r->static_shared,
        .dynamic_shared = r->dynamic_shared,
        .carveout_kib = -1,
        .barriers = 1,
    };
    const struct occupancy_result now = occupancy(l->gpu, &q);
    return json_pack("{s:i, s:i, s:i, s:s, s:o, s:o, s:o}", "warps", (int)now.warps, "max", (int)now.max_warps,
                     "blocks", (int)now.blocks_per_sm, "limiter", occupancy_limiter_name(now.limiter), "registers",
                     registers_curve(l->gpu, q), "shared", shared_curve(l->gpu, q), "block", block_curve(l->gpu, q));
}
