/* look.c - see look.h. */
#include "exec/gate/look.h"

#include <string.h>

#include "exec/sched.h"
#include "ir/pass.h"

/* ---- blocks ---- */

const struct block *look_block_of(const struct warp *w) { return w ? w->block : NULL; }
const struct exec_block_info *look_info(const struct block *b) { return &b->info; }
const struct grid *look_grid(const struct warp *w) { return w->block->grid; }
const struct exec_launch *look_launch(const struct grid *g) { return g->launch; }
u32 look_warp_index(const struct warp *w) { return w->index; }
u32 look_mask(const struct warp *w) { return w->mask; }
u32 look_depth(const struct warp *w) { return w->frame->depth; }
u32 look_frame_depth(const struct frame *f) { return f->depth; }
u32 look_exited(const struct warp *w) { return w->exited; }
const struct frame *look_frame_of(const struct warp *w) { return w->frame; }

const struct block *look_block(const struct grid *g, const struct warp *running, u64 linear)
{
    if (running && running->block->info.linear == linear)
        return running->block;
    for (const struct block *b = g->workers[0].live; b; b = b->next)
        if (b->info.linear == linear)
            return b;
    return NULL;
}

void look_blocks(const struct grid *g, const struct warp *running,
                 void (*fn)(void *ctx, const struct exec_block_info *b), void *ctx)
{
    if (running)
        fn(ctx, &running->block->info);
    for (const struct block *b = g->workers[0].live; b; b = b->next)
        fn(ctx, &b->info);
}

const struct warp *look_warp(const struct block *b, u32 warp) { return warp < b->info.warps ? &b->warps[warp] : NULL; }

/* ---- splits ---- */

static enum look_state state_of(const struct split *s)
{
    return s->state == SPLIT_BARRIER ? LOOK_BARRIER : s->state == SPLIT_SYNC ? LOOK_SYNC : LOOK_READY;
}

u32 look_splits(const struct warp *w, const struct gate_place *place, struct look_split out[LOOK_SPLITS])
{
    u32 n = 0;
    for (u32 k = 0; k < w->nsplits; k++) {
        const struct split *s = &w->splits[k];
        if (s->state == SPLIT_NONE)
            continue;
        const bool runs = place && place->pc && place->w == w && w->split == s;
        const struct ir_inst *pc = runs ? place->pc : s->pc;
        out[n++] = (struct look_split){.state = runs ? LOOK_RUNS : state_of(s),
                                       .mask = s->mask,
                                       .frame = s->frame,
                                       .func = s->frame->func->ir,
                                       .site = pc->site,
                                       .barrier = s->barrier};
    }
    for (const struct group *g = w->groups; g; g = g->next)
        if (g->arrived && n < LOOK_SPLITS)
            out[n++] = (struct look_split){.state = LOOK_JOIN,
                                           .mask = g->arrived,
                                           .frame = g->frame,
                                           .func = g->frame->func->ir,
                                           .site = g->pc->site};
    return n;
}

/* ---- frames ---- */

/* The group that lanes of the frame meet in behind the call: it is the innermost one of the caller's. */
static const struct group *call_group(const struct group *g, const struct frame *f)
{
    while (g && g->frame != f->caller)
        g = g->parent;
    return g;
}

/* The group that the lane's split is in; or where it waits, the group above that. */
static const struct group *group_of(const struct warp *w, unsigned lane)
{
    for (u32 k = 0; k < w->nsplits; k++)
        if (w->splits[k].state != SPLIT_NONE && w->splits[k].mask >> lane & 1)
            return w->splits[k].group;
    for (const struct group *g = w->groups; g; g = g->next)
        if (g->arrived >> lane & 1)
            return g->parent;
    return NULL;
}

u32 look_frames(const struct warp *w, const struct gate_place *place, unsigned lane, struct look_frame *out, u32 n)
{
    struct look_split splits[LOOK_SPLITS];
    const u32 nsplits = look_splits(w, place, splits);
    const struct group *g = group_of(w, lane);
    u32 len = 0;
    for (u32 k = 0; k < nsplits && !len && n; k++)
        if (splits[k].mask >> lane & 1)
            out[len++] = (struct look_frame){splits[k].frame, splits[k].func, splits[k].site, splits[k].frame->lanes};
    for (const struct frame *f = len ? out[0].frame : NULL; f && f->caller && len < n; f = f->caller) {
        g = call_group(g, f);
        out[len++] = (struct look_frame){f->caller, f->caller->func->ir, g ? (g->pc - 1)->site : 0, f->caller->lanes};
    }
    return len;
}

/* ---- registers ---- */

void *look_register(const struct frame *f, u32 index, u32 *bytes)
{
    static const u32 sizes[CLASS_COUNT] = {[CLASS_32] = 4, [CLASS_64] = 8, [CLASS_128] = 16, [CLASS_PRED] = 0};
    const struct ir_func *ir = f->func->ir;
    if (index >= ir->src->nregs)
        return NULL;
    const struct ptx_var *v = ir->src->regs[index];
    *bytes = sizes[ir_class(v->type)];
    return f->regs + ir->place[index];
}

/* ---- variables ---- */

static const struct ptx_var *local_named(const struct ptx_func *f, const char *name)
{
    for (u32 k = 0; k < f->nlocals; k++)
        if (strcmp(f->locals[k]->name, name) == 0)
            return f->locals[k];
    for (u32 k = 0; k < f->nparams; k++)
        if (strcmp(f->params[k]->name, name) == 0)
            return f->params[k];
    return NULL;
}

static bool shared_named(const struct grid *g, const char *name, u64 *address, u64 *size)
{
    const struct ir_func *kernel = g->launch->kernel;
    for (u32 k = 0; k < kernel->nshared_vars; k++)
        if (strcmp(kernel->shared_vars[k].name, name) == 0) {
            *address = kernel->shared_vars[k].at;
            *size = kernel->shared_vars[k].size ? kernel->shared_vars[k].size : g->launch->dynamic_shared;
            return true;
        }
    return false;
}

bool look_variable(const struct warp *w, const struct frame *f, const char *name, enum ptx_space *space, u64 *address,
                   u64 *size)
{
    const struct ptx_func *func = f->func->src;
    const struct ptx_var *v = local_named(func, name);
    bool managed;
    *space = SPACE_SHARED;
    if (shared_named(w->block->grid, name, address, size))
        return true;
    *space = v ? (enum ptx_space)v->space : SPACE_GLOBAL;
    if (!v || v->space == SPACE_GLOBAL || v->space == SPACE_CONST)
        return exec_module_global(f->func->module, name, address, size, &managed);
    *size = v->size;
    *address = v->offset;
    if (v->space == SPACE_LOCAL && ir_local_at(func, v, address)) {
        *address += f->local_base;
        return true;
    }
    for (u32 k = 0; k < func->nparams; k++)
        if (func->params[k] == v)
            return true;
    return false;
}

/* ---- calls ---- */

bool look_returned(const struct frame *f, u32 site, unsigned lane, const u8 **at, u64 *size, const char **function)
{
    const struct ptx_func *src = f->func->src, *callee = NULL;
    u32 call = site < src->ninsts ? site : src->ninsts;
    while (call && src->insts[call - 1].op != OP_CALL)
        call--;
    if (!call--)
        return false;
    const struct ptx_inst *i = &src->insts[call];
    for (u32 k = 0; k < i->noperands; k++)
        callee = i->operands[k].kind == PTX_FUNC ? i->operands[k].func : callee;
    if (!callee || !callee->nrets || !f->out)
        return false;
    *at = f->out + (size_t)lane * f->out_stride + ir_call_ret_at(i);
    *size = callee->rets[0]->size;
    *function = callee->name;
    return true;
}

/* ---- memory ---- */

u64 look_generic(const struct warp *w, enum ptx_space space, u64 address)
{
    return address + (space == SPACE_SHARED ? w->shared_window : space == SPACE_LOCAL ? w->local_window : 0);
}

static u64 within(u8 *base, u64 bytes, u64 offset, u64 size, u8 **at, const char **why, const char *outside)
{
    if (offset >= bytes) {
        *why = outside;
        return 0;
    }
    *at = base + offset;
    return bytes - offset < size ? bytes - offset : size;
}

static u64 device_memory(struct mem *mem, u64 address, u64 size, bool write, u8 **at, const char **why)
{
    u64 lo, hi;
    enum mem_kind kind;
    if (!mem_range(mem, address, &lo, &hi, &kind)) {
        *why = "no allocation is there";
        return 0;
    }
    if (kind == MEM_MAPPED_NONE || (write && kind == MEM_MAPPED_READ)) {
        *why = "the memory is mapped without the right to do that";
        return 0;
    }
    *at = (u8 *)(uintptr_t)address;
    return hi - address < size ? hi - address : size;
}

static u64 parameters(const struct warp *w, const struct frame *f, unsigned lane, u64 address, u64 size, bool write,
                      u8 **at, const char **why)
{
    const struct exec_launch *l = w->block->grid->launch;
    if (f && f->caller)
        return within(f->in + (size_t)lane * f->in_stride, f->func->ir->param_bytes, address, size, at, why,
                      "the function has not that many bytes of parameters");
    if (write) {
        *why = "a kernel's parameters are constants";
        return 0;
    }
    return within((u8 *)(uintptr_t)l->params, l->kernel->param_bytes, address, size, at, why,
                  "the kernel has not that many bytes of parameters");
}

/* What a generic address means; *base: where the warp's own memory of the space begins among these addresses. Those of
 * variables in shared memory do not have the block's rank. */
static enum ptx_space resolve(struct mem *mem, const struct warp *w, enum ptx_space space, u64 address, u64 *base)
{
    *base = w && space == SPACE_SHARED && address >= w->shared_at ? w->shared_at : 0;
    if (space != SPACE_NONE)
        return space;
    *base = w ? w->shared_window : mem_shared_window(mem);
    if (address - *base < MEM_WINDOW_BYTES)
        return SPACE_SHARED;
    *base = mem_local_window(mem);
    if (address - *base < MEM_WINDOW_BYTES)
        return SPACE_LOCAL;
    *base = 0;
    return SPACE_GLOBAL;
}

u64 look_offset(struct mem *mem, const struct warp *w, enum ptx_space space, u64 address)
{
    u64 base;
    resolve(mem, w, space, address, &base);
    return address - base;
}

u64 look_memory(struct mem *mem, const struct warp *w, const struct frame *f, unsigned lane, enum ptx_space space,
                u64 address, u64 size, bool write, u8 **at, const char **why)
{
    u64 base;
    space = resolve(mem, w, space, address, &base);
    address -= base;
    if (space == SPACE_GLOBAL || space == SPACE_CONST)
        return device_memory(mem, address, size, write, at, why);
    if (!w) {
        *why = "no warp is there whose memory it could be";
        return 0;
    }
    if (space == SPACE_SHARED)
        return within(w->shared, w->shared_bytes, address, size, at, why, "it is outside of the block's shared memory");
    if (space == SPACE_LOCAL)
        return within(w->local + lane * w->local_bytes, w->local_bytes, address, size, at, why,
                      "it is outside of the thread's local memory");
    if (space == SPACE_PARAM)
        return parameters(w, f, lane, address, size, write, at, why);
    *why = "it is no space of memory";
    return 0;
}

bool look_span(struct mem *mem, const struct warp *w, enum ptx_space space, u64 address, struct look_span *out)
{
    enum mem_kind kind = MEM_DEVICE;
    u64 base;
    space = resolve(mem, w, space, address, &base);
    *out = (struct look_span){.lo = base};
    if (space == SPACE_SHARED && w) {
        out->base = w->shared;
        out->hi = base + w->shared_bytes;
    } else if (space == SPACE_LOCAL && w) {
        out->base = w->local;
        out->hi = base + w->local_bytes;
        out->stride = w->local_bytes;
    } else if (space == SPACE_GLOBAL || space == SPACE_CONST) {
        if (!mem_range(mem, address, &out->lo, &out->hi, &kind) || kind == MEM_MAPPED_NONE)
            return false;
        out->base = (const u8 *)(uintptr_t)out->lo;
        out->stays = kind != MEM_HEAP;
    }
    return address - out->lo < out->hi - out->lo;
}
