/* frame.c - register files: their constants, and the frames of device functions.
 *
 * Constants are slots (ir.h), so a frame is filled before its code runs. A kernel's frames live as long as the block's
 * memory and are filled once; then only what changes from block to block is written again. Frames of device functions
 * are kept by the worker, a list a function, and refilled for the warp that uses them. */
#include <string.h>

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

static void fill_tid(const struct warp *w, u8 *at, unsigned axis)
{
    const u32 *dim = w->block->grid->launch->block;
    u32 *lanes = (u32 *)(void *)at;
    for (u32 i = 0; i < IR_LANES; i++) {
        u32 t = w->index * IR_LANES + i;
        u32 xyz[3] = {t % dim[0], t / dim[0] % dim[1], t / dim[0] / dim[1]};
        lanes[i] = xyz[axis];
    }
}

static void fill_lane_mask(u8 *at, u64 which)
{
    u32 *lanes = (u32 *)(void *)at;
    for (u32 i = 0; i < IR_LANES; i++) {
        u32 eq = 1u << i, lt = eq - 1;
        lanes[i] = which == SREG_LANEMASK_EQ   ? eq
                   : which == SREG_LANEMASK_LT ? lt
                   : which == SREG_LANEMASK_LE ? lt | eq
                   : which == SREG_LANEMASK_GE ? ~lt
                                               : ~(lt | eq);
    }
}

/* The value of a special register that is the same for all lanes. */
static u64 sreg_value(const struct warp *w, u64 which)
{
    const struct block *b = w->block;
    const struct grid *g = b->grid;
    const struct exec_launch *l = g->launch;
    switch (which) {
    case SREG_NTID_X:
    case SREG_NTID_Y:
    case SREG_NTID_Z:
        return l->block[which - SREG_NTID_X];
    case SREG_CTAID_X:
    case SREG_CTAID_Y:
    case SREG_CTAID_Z:
        return b->info.id[which - SREG_CTAID_X];
    case SREG_NCTAID_X:
    case SREG_NCTAID_Y:
    case SREG_NCTAID_Z:
        return l->grid[which - SREG_NCTAID_X];
    case SREG_WARPID:
        return w->index;
    case SREG_NWARPID:
        return l->device->gpu.threads_per_sm / IR_LANES;
    case SREG_SMID:
        return b->info.sm;
    case SREG_NSMID:
        return l->device->gpu.sms;
    case SREG_GRIDID:
        return l->id;
    case SREG_DYNAMIC_SMEM_SIZE:
        return l->dynamic_shared;
    case SREG_TOTAL_SMEM_SIZE:
        return g->shared_bytes;
    case SREG_ONE:
        return 1;
    case SREG_RESERVED_SMEM_OFFSET:
        return g->scratch_at;
    case SREG_ENVREG1:
        return g->workspace >> 32;
    case SREG_ENVREG2:
        return g->workspace & 0xffffffffu;
    default:
        return 0;
    }
}

_Static_assert(SREG_TID_X == 0 && SREG_TID_Z == 2 && SREG_CTAID_Z == SREG_CTAID_X + 2 &&
                   SREG_LANEMASK_GT == SREG_LANEMASK_EQ + 4,
               "the order of enum ir_sreg on which the ranges below rest");

static bool changes_with_block(const struct ir_const *c)
{
    return c->kind == IR_CONST_SREG &&
           ((c->value >= SREG_CTAID_X && c->value <= SREG_CTAID_Z) || c->value == SREG_SMID);
}

static void fill_sreg(const struct warp *w, const struct ir_const *c, u8 *at)
{
    if (c->value <= SREG_TID_Z)
        fill_tid(w, at, (unsigned)(c->value - SREG_TID_X));
    else if (c->value == SREG_LANEID)
        for (u32 i = 0; i < IR_LANES; i++)
            ((u32 *)(void *)at)[i] = i;
    else if (c->value >= SREG_LANEMASK_EQ && c->value <= SREG_LANEMASK_GT)
        fill_lane_mask(at, c->value);
    else if (c->bytes == 8)
        fill_64(at, sreg_value(w, c->value));
    else
        fill_32(at, (u32)sreg_value(w, c->value));
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

void frame_fill(struct warp *w, struct frame *f, bool all)
{
    const struct ir_func *func = f->func->ir;
    const struct grid *g = w->block->grid;
    for (u32 k = 0; k < func->nconsts; k++) {
        const struct ir_const *c = &func->consts[k];
        u8 *at = f->regs + c->at;
        u64 v = c->value;
        if (!all && !changes_with_block(c))
            continue;
        switch ((enum ir_const_kind)c->kind) {
        case IR_CONST_SREG:
            fill_sreg(w, c, at);
            continue;
        case IR_CONST_PARAM:
            v = param_value(g, c);
            break;
        case IR_CONST_PARAM_ADDRESS:
            v = g->param_address + c->value;
            break;
        case IR_CONST_LOCAL:
            v = f->local_base + c->value;
            break;
        case IR_CONST_DYNAMIC_SHARED:
            v = g->shared_static + c->value;
            break;
        case IR_CONST_PRED:
            memset(at, v ? 0xff : 0, 4);
            continue;
        case IR_CONST_32:
        case IR_CONST_64:
            break;
        }
        if (c->bytes == 8)
            fill_64(at, v);
        else
            fill_32(at, (u32)v);
    }
}

/* What a call costs of a lane's stack besides the callee's local variables: a return address and saved registers. */
enum { CALL_BYTES = 32 };

struct frame *frame_push(struct warp *w, struct exec_func *callee, u32 lanes, u32 ret_at)
{
    struct worker *wk = w->worker;
    const struct ir_func *ir = callee->ir;
    struct frame *caller = w->frame, *f = wk->free_frames[callee->number];
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
    f->local_base = base;
    f->in = caller->out;
    f->in_stride = caller->out_stride;
    f->ret_at = ret_at;
    frame_fill(w, f, true);
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
