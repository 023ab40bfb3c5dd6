/* work.c - a launch's counters as the work that the performance model asks for. */
#include "meter/count.h"
#include "model/path.h"

#define E(x) ((double)n[EVENT_##x])

/* Products of warpgroups as those of warps (m16n8k16 of halves) that take as long: by the k of 32 bytes that each has, and an H200 is
 * faster at them (2048 multiply-adds a clock and SM of 1283, tests/hw/h200/async-times.csv). */
static double group_products(const u64 *n)
{
    const double halves = E(gmma_ops_f16) + E(gmma_ops_bf16) + 2 * E(gmma_ops_tf32) +
                          (E(gmma_ops_f8) + E(gmma_ops_i8)) / 2 + E(gmma_ops_b1) / 16;
    return halves / (2 * 16 * 8 * 16) * 1283 / 2048;
}

struct model_work work_of_events(const u64 *n)
{
    return (struct model_work){
        .inst = E(inst),
        .fp32 = E(fp32),
        .fp64 = E(fp64),
        .fp16 = E(fp16),
        .integer = E(integer),
        .bit = E(bit),
        .conversion = E(conversion),
        .exchange = E(exchange),
        .products = E(tensor_inst) - E(gmma_inst) + group_products(n),
        .requests = E(gld_requests) + E(gst_requests) + E(gasync_requests) + E(gatom_requests) + E(gred_requests) +
                    E(lld_requests) + E(lst_requests) + E(sld_requests) + E(sst_requests) + E(satom_requests),
        .elsewhere = E(tex_requests) + E(cld_requests),
        .global_sectors = E(gld_sectors) + E(gst_sectors) + E(gatom_sectors) + E(gred_sectors) + E(gasync_sectors),
        .local_sectors = E(lld_sectors) + E(lst_sectors),
        .wavefronts = E(sld_wavefronts) + E(sst_wavefronts) + E(satom_wavefronts) + E(gmma_wavefronts),
        .words = E(cld_words),
        .lanes = E(gatom_lanes) + E(gred_lanes),
        .dram_bytes = 32 * (E(dram_reads) + E(dram_writes)),
        .l1_lines = E(l1_lines),
        .l2_sectors = E(l2_reads) + E(l2_writes) + E(l2_atoms) + E(l2_reds),
        .l2_far_sectors = E(l2_far_reads) + E(l2_far_writes) + E(l2_far_atoms) + E(l2_far_reds),
    };
}

struct model_work work_of_report(const struct meter_report *r)
{
    struct model_work w = work_of_events(r->n);
    w.blocks = (u64)r->grid[0] * r->grid[1] * r->grid[2];
    w.warps = (r->block[0] * r->block[1] * r->block[2] + 31) / 32;
    w.resident = r->occupancy.blocks_per_sm;
    return w;
}

/* ---- the way of a warp ---- */

enum ir_unit work_unit(const struct site_estimate *e)
{
    switch (e->event) {
    case EVENT_fp32:
        return IR_UNIT_FP32;
    case EVENT_fp64:
        return IR_UNIT_FP64;
    case EVENT_fp16:
        return e->products ? IR_UNIT_TENSOR : IR_UNIT_FP16;
    case EVENT_conversion:
        return IR_UNIT_CONVERT;
    case EVENT_exchange:
        return IR_UNIT_SHUFFLE;
    case EVENT_memory:
        return IR_UNIT_MEMORY;
    default:
        return e->products ? IR_UNIT_TENSOR : IR_UNIT_INT;
    }
}

static struct path_step step_of(const struct ptx_inst *i, const struct site_estimate *e, const u64 *n)
{
    const double requests = (double)(n[EVENT_sld_requests] + n[EVENT_satom_requests] + n[EVENT_sst_requests]);
    const double passes = (double)(n[EVENT_sld_wavefronts] + n[EVENT_satom_wavefronts] + n[EVENT_sst_wavefronts]);
    return (struct path_step){
        .unit = work_unit(e),
        .weight = e->weight,
        .served = {.l1 = (double)(n[EVENT_l1_gld_hits] + n[EVENT_l1_other_hits]),
                   .l2 = (double)(n[EVENT_l2_read_hits] + n[EVENT_l2_atoms] + n[EVENT_l2_reds]),
                   .far = (double)n[EVENT_l2_far_hits],
                   .dram = (double)n[EVENT_dram_reads]},
        .wavefronts = requests > 0 ? passes / requests : 0,
        .argument = i->space == SPACE_PARAM,
        .barrier = i->op == OP_BAR || i->op == OP_BARRIER,
    };
}

double work_path(struct arena *mem, const struct gpu *gpu, const struct ir_func *f, const struct estimate *e,
                 const struct exec_block_count *blocks, u64 (*n)[EVENT_COUNT])
{
    struct path_step *steps = arena_array(mem, struct path_step, f->src->ninsts + 1);
    u64 *warps = arena_array(mem, u64, f->nblocks + 1);
    for (u32 s = 0; s < f->src->ninsts; s++)
        steps[s] = step_of(&f->src->insts[s], &e->sites[s], n[s]);
    for (u32 b = 0; b < f->nblocks; b++)
        warps[b] = blocks[b].warps;
    return path_of(mem, gpu, f, steps, warps);
}
