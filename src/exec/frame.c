/* frame.c - register files: their constants, and the frames of device functions.
 *
 * Constants are slots (ir.h), so a frame is filled before its code runs. A kernel's frames live as long as the block's
 * memory and are filled once; then only what has changed from one block to the next is written again. Frames of device
 * functions are kept by the worker, a list a function; of these, what is the same in all of the grid is written once, and
 * the rest when another warp, block or depth of the stack than before uses the frame. */
#include <string.h>

#include "exec/gate/look.h"
#include "exec/sched.h"

static void fill_32(u8 *at, u32 value)
{
    u32 *lanes = (u32 *)(void *)at;
    for (int i = 0; i < IR_LANES; i++)
        lanes[i] = value;
}

static void fill_64(u8 *at, u64 value)
{
    u64 *lanes = (u64 *)(void *)at;
    for (int i = 0; i < IR_LANES; i++)
        lanes[i] = value;
}

/* ---- special registers: fill_<word> of sregs.def writes component `axis` of one ---- */

static void fill_tid(const struct warp *w, unsigned axis, u8 *at)
{
    const u32 *dim = w->block->grid->launch->block;
    const u32 first = w->index * IR_LANES;
    u32 *lanes = (u32 *)(void *)at;
    u32 xyz[3] = {first % dim[0], first / dim[0] % dim[1], first / dim[0] / dim[1]};
    for (u32 i = 0; i < IR_LANES; i++) {
        lanes[i] = xyz[axis];
        if (++xyz[0] < dim[0])
            continue;
        xyz[0] = 0;
        if (++xyz[1] < dim[1])
            continue;
        xyz[1] = 0;
        xyz[2]++;
    }
}

/* What is the lane's own: `value` of lane i and its bit. */
#define FILL_LANES(name, value)                                                                                        \
    static void fill_##name(const struct warp *w, unsigned axis, u8 *at)                                               \
    {                                                                                                                  \
        u32 *lanes = (u32 *)(void *)at;                                                                                \
        (void)w, (void)axis;                                                                                           \
        for (u32 i = 0, bit = 1; i < IR_LANES; i++, bit <<= 1)                                                         \
            lanes[i] = (value);                                                                                        \
    }
FILL_LANES(laneid, i)
FILL_LANES(lanemask_eq, bit)
FILL_LANES(lanemask_lt, bit - 1)
FILL_LANES(lanemask_le, bit | (bit - 1))
FILL_LANES(lanemask_ge, ~(bit - 1))
FILL_LANES(lanemask_gt, ~(bit | (bit - 1)))

/* What is the same for all lanes, in words of 32 or 64 bits: of warp w, block b, grid g, launch l. */
#define FILL(name, bits, value)                                                                                        \
    static void fill_##name(const struct warp *w, unsigned axis, u8 *at)                                               \
    {                                                                                                                  \
        const struct block *b = w->block;                                                                              \
        const struct grid *g = b->grid;                                                                                \
        const struct exec_launch *l = g->launch;                                                                       \
        (void)l, (void)axis;                                                                                           \
        fill_##bits(at, (u##bits)(value));                                                                             \
    }
FILL(zero, 32, 0)
FILL(warpid, 32, w->index)
FILL(ctaid, 32, b->info.id[axis])
FILL(is_explicit_cluster, 32, l->cluster[0] ? FULL_MASK : 0)
FILL(clusterid, 32, b->info.id[axis] / g->cluster[axis])
FILL(nclusterid, 32, l->grid[axis] / g->cluster[axis])
FILL(cluster_ctaid, 32, b->info.id[axis] % g->cluster[axis])
FILL(cluster_nctaid, 32, g->cluster[axis])
FILL(cluster_ctarank, 32, b->rank)
FILL(cluster_nctarank, 32, g->cluster_size)
FILL(smid, 32, b->info.sm)
FILL(ntid, 32, l->block[axis])
FILL(nctaid, 32, l->grid[axis])
FILL(nwarpid, 32, l->device->gpu.threads_per_sm / IR_LANES)
FILL(nsmid, 32, l->device->gpu.sms)
FILL(gridid, 64, l->id)
FILL(dynamic_smem_size, 32, l->dynamic_shared)
FILL(total_smem_size, 32, g->shared_bytes)
FILL(reserved_smem_offset_1, 32, g->scratch_at)
FILL(envreg1, 32, g->workspace >> 32)
FILL(envreg2, 32, g->workspace)
#define fill_none NULL

static void (*const fills[PTX_NSREGS])(const struct warp *w, unsigned axis, u8 *at) = {
#define PTX_SREG(name, type, vector, scope, fill) fill_##fill,
#include "ptx/sregs.def"
#undef PTX_SREG
};

bool look_special(const struct warp *w, enum ptx_sreg sreg, unsigned axis, u8 *at)
{
    if (!fills[sreg] || axis > 2)
        return false;
    fills[sreg](w, axis, at);
    return true;
}

/* An address of shared memory, which has the block's rank in the cluster. */
static bool has_rank(const struct grid *g, const struct ir_const *c)
{
    return g->cluster_size > 1 && (c->kind == IR_CONST_SHARED || c->kind == IR_CONST_DYNAMIC_SHARED);
}

static bool changes_with_block(const struct grid *g, const struct ir_const *c)
{
    return c->kind == IR_CONST_SREG ? ptx_sreg_rows[c->value / IR_AXES].scope == SREG_SCOPE_BLOCK : has_rank(g, c);
}

static bool same_in_grid(const struct grid *g, const struct ir_const *c)
{
    return c->kind == IR_CONST_SREG ? ptx_sreg_rows[c->value / IR_AXES].scope == SREG_SCOPE_GRID
                                    : c->kind != IR_CONST_LOCAL && !has_rank(g, c);
}

u64 warp_parameters(const struct warp *w, u64 *first)
{
    const struct grid *g = w->block->grid;
    *first = g->param_address;
    return g->param_address ? g->launch->kernel->param_bytes : 0;
}

/* A scalar of the parameter block, extended to 64 bits as its type says. */
static u64 param_value(const struct grid *g, const struct ir_const *c)
{
    const u8 *at = (const u8 *)g->launch->params + c->value;
    u32 bytes = ptx_type_bits(c->type) / 8;
    u64 v = 0;
    memcpy(&v, at, bytes);
    if (ptx_type_signed(c->type) && bytes < 8) {
        unsigned shift = 64 - 8 * bytes;
        v = (u64)((i64)(v << shift) >> shift);
    }
    return v;
}

static void fill_constant(const struct warp *w, const struct frame *f, const struct ir_const *c)
{
    const struct grid *g = w->block->grid;
    u8 *at = f->regs + c->at;
    u64 v = c->value;
    switch ((enum ir_const_kind)c->kind) {
    case IR_CONST_SREG:
        fills[c->value / IR_AXES](w, c->value % IR_AXES, at);
        return;
    case IR_CONST_PARAM:
        v = param_value(g, c);
        break;
    case IR_CONST_PARAM_ADDRESS:
        v = g->param_address + c->value;
        break;
    case IR_CONST_LOCAL:
        v = f->local_base + c->value;
        break;
    case IR_CONST_SHARED:
        v = w->shared_at + c->value;
        break;
    case IR_CONST_DYNAMIC_SHARED:
        v = w->shared_at + g->shared_static + c->value;
        break;
    case IR_CONST_PRED:
        memset(at, v ? 0xff : 0, 4);
        return;
    case IR_CONST_32:
    case IR_CONST_64:
        break;
    }
    if (c->bytes == 8)
        fill_64(at, v);
    else
        fill_32(at, (u32)v);
}

void frame_fill(struct warp *w, struct frame *f)
{
    const struct ir_func *func = f->func->ir;
    for (u32 k = 0; k < func->nconsts; k++)
        fill_constant(w, f, &func->consts[k]);
}

void frames_find_moving(struct block *b)
{
    const struct ir_func *func = b->grid->kernel->ir;
    if (!func->uses_block_const && b->grid->cluster_size <= 1)
        return;
    b->moving = arena_array(&b->worker->mem, const struct ir_const *, func->nconsts);
    for (u32 k = 0; k < func->nconsts; k++)
        if (changes_with_block(b->grid, &func->consts[k]))
            b->moving[b->nmoving++] = &func->consts[k];
}

/* They are the same in all lanes and warps; what changes is in their low 32 bits. */
void frames_move(struct block *b)
{
    for (u32 k = 0; k < b->nmoving; k++) {
        const struct ir_const *c = b->moving[k];
        u8 *at = b->frames[0].regs + c->at;
        u32 before, now;
        memcpy(&before, at, sizeof before);
        fill_constant(&b->warps[0], &b->frames[0], c);
        memcpy(&now, at, sizeof now);
        for (u32 n = 1; now != before && n < b->info.warps; n++)
            if (c->bytes == 8)
                fill_constant(&b->warps[n], &b->frames[n], c);
            else
                fill_32(b->frames[n].regs + c->at, now);
    }
}

/* A device function's frame, which may have been another warp's. */
static void refill(struct warp *w, struct frame *f, bool fresh, bool moved)
{
    const struct ir_func *func = f->func->ir;
    const u64 linear = w->block->info.linear;
    if (!fresh && !moved && f->filled_for == w && f->filled_in == linear)
        return;
    for (u32 k = 0; k < func->nconsts; k++)
        if (fresh || !same_in_grid(w->block->grid, &func->consts[k]))
            fill_constant(w, f, &func->consts[k]);
    f->filled_for = w;
    f->filled_in = linear;
}

/* What a call costs of a lane's stack besides the callee's local variables: a return address and saved registers. */
enum { CALL_BYTES = 32 };

struct frame *frame_push(struct warp *w, struct exec_func *callee, u32 lanes, u32 ret_at)
{
    struct worker *wk = w->worker;
    const struct ir_func *ir = callee->ir;
    struct frame *caller = w->frame, *f = wk->free_frames[callee->number];
    const bool fresh = !f;
    u64 base = ls_align_up(caller->local_base + caller->func->ir->local_bytes + CALL_BYTES, 16);
    if (base + ir->local_bytes > w->local_bytes)
        return NULL;
    if (f) {
        wk->free_frames[callee->number] = f->next;
    } else {
        worker_knows(wk, callee);
        f = arena_new(&wk->mem, struct frame);
        f->regs = arena_alloc_aligned(&wk->mem, ir->frame_bytes, 64);
        f->out_stride = (u32)ls_align_up(ir->call_bytes, 16);
        f->out = arena_alloc(&wk->mem, (size_t)f->out_stride * IR_LANES);
        f->func = callee;
    }
    f->caller = caller;
    f->depth = caller->depth + 1;
    f->lanes = lanes;
    const bool moved = f->local_base != base;
    f->local_base = base;
    f->in = caller->out;
    f->in_stride = caller->out_stride;
    f->ret_at = ret_at;
    refill(w, f, fresh, moved);
    if (w->clock)
        clock_frame(wk, f);
    return f;
}

void frame_leave(struct warp *w, struct frame *f, u32 lanes)
{
    f->lanes &= ~lanes;
    if (f->lanes)
        return;
    f->next = w->worker->free_frames[f->func->number];
    w->worker->free_frames[f->func->number] = f;
}
