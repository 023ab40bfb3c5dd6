/* gate.c - see gate.h. The gate itself is a body: it is entered by the tail call of the record before, or by the
 * scheduler, and ends in a tail call of the body whose place it took. */
#include "exec/gate/gate.h"

#include "base/alloc.h"
#include "exec/bodies/bodies.h"
#include "exec/sched.h"

struct gate {
    ir_body body; /* NULL: the record has no gate */
    u32 flags;
};

struct gate_func {
    const struct ir_func *ir;
    struct ir_inst *insts;
    u32 n;
    struct gate *gates; /* by record */
};

enum { FUNCS_LEAST = 64 };

static struct {
    const struct gate_owner *owner;
    const struct gate_func *last;
    struct gate_func **table; /* open addressing by ir; a power of two */
    u32 room, nfuncs;
    u64 tick;
    const struct ir_inst *pc; /* of the instruction that was begun last, */
    struct warp *w;           /* and whose it is */
    _Atomic u64 alarm;
    bool has_avx;
} gates;

void (*gate_fault_told)(struct grid *g, const struct exec_fault *f);

/* ---- functions ---- */

static u32 place_in_table(const struct ir_func *ir)
{
    const u64 mixed = (u64)(uintptr_t)ir * 0x9e3779b97f4a7c15u;
    u32 at = (u32)(mixed >> 32) & (gates.room - 1);
    while (gates.table[at] && gates.table[at]->ir != ir)
        at = (at + 1) & (gates.room - 1);
    return at;
}

static struct gate_func *find(const struct ir_func *ir) { return gates.room ? gates.table[place_in_table(ir)] : NULL; }

static bool grow(void)
{
    struct gate_func **old = gates.table;
    const u32 n = gates.room;
    if (gates.nfuncs * 2 < n)
        return true;
    const u32 room = n ? n * 2 : FUNCS_LEAST;
    struct gate_func **to = ls_calloc(room, sizeof(*to));
    if (!to)
        return false;
    gates.table = to;
    gates.room = room;
    for (u32 k = 0; k < n; k++)
        if (old[k])
            gates.table[place_in_table(old[k]->ir)] = old[k];
    ls_free(old);
    return true;
}

/* ---- the gate ---- */

/* Bodies leave the upper halves of the vector registers in use, which makes the SSE code of everything else slow. */
static void clear_upper(void)
{
#if defined(__x86_64__)
    if (gates.has_avx)
        __asm__ volatile("vzeroupper" ::
                             : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
                               "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
#endif
}

static __attribute__((noinline)) const struct ir_inst *ask(const struct ir_inst *pc, u8 *regs, struct warp *w)
{
    const struct gate *g = &gates.last->gates[pc - gates.last->insts];
    const struct gate_place p = {
        .tick = gates.tick - 1, .w = w, .pc = pc, .func = w->func, .site = pc->site, .flags = g->flags};
    const ir_body body = g->body;
    clear_upper();
    if (gates.owner->at(gates.owner->ctx, &p))
        return body(pc, regs, w);
    w->split->pc = pc;
    atomic_store(&w->block->grid->stop, true);
    w->stop = STOP_FAULT;
    return NULL;
}

static const struct ir_inst *gate_run(const struct ir_inst *pc, u8 *regs, struct warp *w)
{
    const struct gate_func *f = gates.last;
    if (LS_UNLIKELY(f->ir != w->func))
        gates.last = f = find(w->func);
    const struct gate *g = &f->gates[pc - f->insts];
    const u64 tick = gates.tick++;
    gates.pc = pc;
    gates.w = w;
    if (LS_UNLIKELY(g->flags || tick >= atomic_load_explicit(&gates.alarm, memory_order_relaxed)))
        return ask(pc, regs, w);
    return g->body(pc, regs, w);
}

/* ---- putting gates in and taking them out ---- */

/* The first record of each instruction. A block's join is none of its first instruction's: lanes that come there alone
 * wait, and then go on together. Nor is what tells of the block's entry in traced code, if the instruction has no other
 * record: a tick is the same instruction in all code. */
static void put_gates(struct gate_func *f, const struct ir_code *code, enum ir_mode mode)
{
    const struct ir_func *ir = f->ir;
    for (u32 b = 0; b < ir->nblocks; b++) {
        const u32 at = code->block_at[b] + ir->blocks[b].is_join, end = code->block_at[b + 1];
        const bool enters_alone =
            mode == IR_TRACED && at < end && (at + 1 == end || f->insts[at + 1].site != f->insts[at].site);
        const u32 first = at + enters_alone;
        for (u32 k = first; k < end; k++) {
            if (k > first && f->insts[k].site == f->insts[k - 1].site)
                continue;
            f->gates[k].body = f->insts[k].run;
            f->insts[k].run = gate_run;
        }
    }
}

static bool gate_function(const struct ir_func *ir, enum ir_mode mode)
{
    const struct ir_code *code = &ir->code[mode];
    if (!code->insts || ir->poison || find(ir))
        return true;
    struct gate_func *f = grow() ? ls_calloc(1, sizeof *f) : NULL;
    if (!f || !(f->gates = ls_calloc(code->n + 1, sizeof *f->gates))) {
        ls_free(f);
        return false;
    }
    f->ir = ir;
    f->insts = code->insts;
    f->n = code->n;
    gates.table[place_in_table(ir)] = f;
    gates.nfuncs++;
    gates.last = f;
    put_gates(f, code, mode);
    return true;
}

bool gate_kernel(const struct exec_launch *l)
{
    const enum ir_mode mode = grid_mode(l);
    bool ok = gate_function(l->kernel, mode);
    for (u32 k = 0; l->kernel->has_calls && k < l->module->nfuncs; k++) {
        const struct exec_func *f = &l->module->funcs[k];
        if (f->ir && !f->src->is_entry)
            ok &= gate_function(f->ir, mode);
    }
    return ok;
}

static void tell_fault(struct grid *g, const struct exec_fault *f)
{
    clear_upper();
    gates.owner->fault(gates.owner->ctx, g, f);
}

void gate_open(const struct gate_owner *o)
{
    LS_BUG_ON(gates.owner);
    gates.owner = o;
    gate_set_tick(0);
    gates.has_avx = bodies_has_isa(ISA_V3);
    gate_fault_told = o->fault ? tell_fault : NULL;
    gate_alarm(UINT64_MAX);
}

static void drop(struct gate_func *f)
{
    for (u32 k = 0; k < f->n; k++)
        if (f->gates[k].body)
            f->insts[k].run = f->gates[k].body;
    ls_free(f->gates);
    ls_free(f);
}

void gate_close(void)
{
    for (u32 k = 0; k < gates.room; k++)
        if (gates.table[k])
            drop(gates.table[k]);
    ls_free(gates.table);
    gates.table = NULL;
    gates.last = NULL;
    gates.room = gates.nfuncs = 0;
    gates.owner = NULL;
    gate_fault_told = NULL;
}

/* ---- flags, ticks ---- */

bool gate_flag(const struct ir_func *func, u32 *site, u32 flags)
{
    struct gate_func *f = find(func);
    struct gate *best = NULL;
    u32 at = UINT32_MAX;
    for (u32 k = 0; f && k < f->n; k++)
        if (f->gates[k].body && f->insts[k].site >= *site && f->insts[k].site < at) {
            best = &f->gates[k];
            at = f->insts[k].site;
        }
    if (!best)
        return false;
    best->flags |= flags;
    *site = at;
    return true;
}

void gate_unflag(u32 flags)
{
    for (u32 n = 0; n < gates.room; n++)
        for (u32 k = 0; gates.table[n] && k < gates.table[n]->n; k++)
            gates.table[n]->gates[k].flags &= ~flags;
}

u32 gate_flags(const struct gate_place *p)
{
    const struct gate_func *f = find(p->func);
    return f ? f->gates[p->pc - f->insts].flags : 0;
}

bool gate_last(struct gate_place *out)
{
    const struct gate_func *f = gates.last;
    if (!gates.tick || !f || !gates.pc)
        return false;
    *out = (struct gate_place){
        .tick = gates.tick - 1, .w = gates.w, .pc = gates.pc, .func = f->ir, .site = gates.pc->site};
    return true;
}

void gate_each(void (*fn)(void *ctx, const struct ir_func *func), void *ctx)
{
    for (u32 n = 0; n < gates.room; n++)
        if (gates.table[n])
            fn(ctx, gates.table[n]->ir);
}

u64 gate_tick(void) { return gates.tick; }

void gate_set_tick(u64 tick)
{
    gates.tick = tick;
    gates.pc = NULL;
}

void gate_alarm(u64 tick) { atomic_store(&gates.alarm, tick); }
u64 gate_alarm_now(void) { return atomic_load_explicit(&gates.alarm, memory_order_relaxed); }
