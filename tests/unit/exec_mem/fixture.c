/* fixture.c - see fixture.h. */
#include "fixture.h"

#include <stdlib.h>
#include <string.h>

static _Thread_local struct fx *running;

/* A grid that knows whose it is. */
struct fx_grid {
    struct grid grid; /* first */
    struct fx *fixture;
};

static const struct ir_inst *stop(const struct ir_inst *pc, u8 *regs, struct warp *w)
{
    (void)regs;
    (void)w;
    if (pc == &running->code[1])
        running->code[1].imm = 1;
    return NULL;
}

/* The linker sends the engine's calls here (--wrap). */
const struct ir_inst *__wrap_warp_fault(struct warp *w, const struct ir_inst *pc, enum exec_fault_kind kind,
                                        unsigned lane, u64 address, u64 size, u8 space, bool write, bool atomic);
const struct ir_inst *__wrap_warp_fault(struct warp *w, const struct ir_inst *pc, enum exec_fault_kind kind,
                                        unsigned lane, u64 address, u64 size, u8 space, bool write, bool atomic)
{
    struct fx *f = (struct fx *)(void *)w; /* its first member */
    (void)pc;
    LS_BUG_ON(f->fault.set);
    f->fault = (struct fx_fault){true, write, atomic, kind, lane, address, size, space};
    return NULL;
}

u8 *__wrap_warp_excuse(struct warp *w, const struct ir_inst *pc, enum exec_fault_kind kind, unsigned lane, u64 address,
                       u64 size, u8 space, bool write, bool atomic);
u8 *__wrap_warp_excuse(struct warp *w, const struct ir_inst *pc, enum exec_fault_kind kind, unsigned lane, u64 address,
                       u64 size, u8 space, bool write, bool atomic)
{
    __wrap_warp_fault(w, pc, kind, lane, address, size, space, write, atomic);
    return NULL;
}

/* Nothing is forgiven here. */
bool __wrap_warp_forgive(struct warp *w, const struct ir_inst *pc, unsigned lane, u64 address, u64 size, u8 space,
                         bool write, bool atomic);
bool __wrap_warp_forgive(struct warp *w, const struct ir_inst *pc, unsigned lane, u64 address, u64 size, u8 space,
                         bool write, bool atomic)
{
    (void)w, (void)pc, (void)lane, (void)address, (void)size, (void)space, (void)write, (void)atomic;
    return false;
}

void __wrap_fault_place(const struct warp *w, const struct ir_inst *pc, unsigned lane, struct exec_fault *f);
void __wrap_fault_place(const struct warp *w, const struct ir_inst *pc, unsigned lane, struct exec_fault *f)
{
    (void)w;
    (void)pc;
    f->thread[0] = lane;
}

void __wrap_grid_fault(struct grid *g, const struct exec_fault *e);
void __wrap_grid_fault(struct grid *g, const struct exec_fault *e)
{
    struct fx *f = ((struct fx_grid *)(void *)g)->fixture;
    LS_BUG_ON(f->fault.set);
    f->fault = (struct fx_fault){.set = true, .kind = e->kind, .lane = e->thread[0]};
    memcpy(f->detail, e->detail, sizeof f->detail);
}

void __wrap_exec_print(struct warp *w, const char *text, size_t len);
void __wrap_exec_print(struct warp *w, const char *text, size_t len)
{
    struct fx *f = (struct fx *)(void *)w;
    f->printed = realloc(f->printed, f->printed_len + len + 1);
    memcpy(f->printed + f->printed_len, text, len);
    f->printed_len += len;
    f->printed[f->printed_len] = 0;
}

static void record(void *ctx, const struct exec_access *a)
{
    struct fx *f = ctx;
    if (a->uncounted)
        return;
    LS_BUG_ON(f->nevents == FX_EVENTS);
    f->events[f->nevents] = *a;
    memcpy(f->event_addr[f->nevents++], a->addr, sizeof f->event_addr[0]);
}

void fx_init(struct fx *f)
{
    memset(f, 0, sizeof *f);
    LS_BUG_ON(mem_create(1u << 30, &f->m) != LS_OK);
    f->regs = aligned_alloc(64, FX_SLOTS * IR_SLOT);
    f->shared = aligned_alloc(64, FX_SHARED);
    f->local = aligned_alloc(64, (size_t)FX_LOCAL * IR_LANES);
    memset(f->regs, 0, FX_SLOTS * IR_SLOT);
    memset(f->shared, 0, FX_SHARED);
    memset(f->local, 0, (size_t)FX_LOCAL * IR_LANES);
    f->hooks.access = record;
    f->w = (struct warp){.mask = FULL_MASK,
                         .budget = 1 << 20,
                         .regs = f->regs,
                         .local = f->local,
                         .local_bytes = FX_LOCAL,
                         .shared = f->shared,
                         .shared_bytes = FX_SHARED,
                         .shared_window = mem_shared_window(f->m),
                         .local_window = mem_local_window(f->m),
                         .sites = &f->site,
                         .hooks = &f->hooks,
                         .hook_ctx = f,
                         .func = &f->func,
                         .mem = f->m};
    f->block = calloc(1, sizeof *f->block);
    f->grid = aligned_alloc(_Alignof(struct fx_grid), sizeof *f->grid);
    *f->grid = (struct fx_grid){{.cluster_size = 1}, f};
    f->block->grid = &f->grid->grid;
    f->w.block = f->block;
    f->code[0].run = NULL;
    f->code[1].run = stop;
}

void fx_free(struct fx *f)
{
    free(f->regs);
    free(f->shared);
    free(f->local);
    free(f->printed);
    free(f->block);
    free(f->grid);
    mem_destroy(f->m);
}

void fx_reset(struct fx *f)
{
    f->site = (struct site_cache){0};
    f->fault = (struct fx_fault){0};
    f->nevents = 0;
}

bool fx_run(struct fx *f, ir_body body)
{
    running = f;
    f->code[1].imm = 0;
    f->code[0].run = body;
    for (const struct ir_inst *pc = f->code; pc;)
        pc = pc->run(pc, f->regs, &f->w);
    return f->code[1].imm == 1;
}

static _Thread_local u64 seed = 88172645463325252u;

void fx_seed(u64 s) { seed = s ? s : 1; }

u64 fx_random(void)
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return seed * 2685821657736338717u;
}
