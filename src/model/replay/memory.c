/* memory.c - what an access costs: a chain of queues, each with the time at which it is free again.
 *
 *     LSU, L1, shared memory ──► L2, reads and writes ──► DRAM
 *                                 └──► atomics
 *
 * An access takes the LSU and the data of L1 or shared memory for as many cycles as it has lines, wavefronts or 128 bytes.
 * Of its sectors those go on that the model of the caches says: the share of the instruction, dealt out so that its sum is
 * right. A queue that is taken delays the result; one that is too long stops the issue. */
#include "model/replay/sm.h"

/* Sectors of n that have the share, with what earlier ones left over. */
static double deal(float *carry, double n, double share)
{
    const double want = n * share + *carry;
    const double whole = floor(want + 1e-3);
    *carry = (float)(want - whole);
    return whole;
}

static double take(double *queue, double t, double cycles)
{
    const double start = *queue > t ? *queue : t;
    *queue = start + cycles;
    return *queue;
}

static double most(double a, double b) { return a > b ? a : b; }

u8 sm_reason_of(u64 item)
{
    switch (item_read_access(item).class) {
    case ITEM_SHARED_LOAD:
    case ITEM_SHARED_STORE:
    case ITEM_SHARED_ATOMIC:
        return STALL_SHORT_SCOREBOARD;
    case ITEM_CONSTANT:
        return STALL_IMC_MISS;
    default:
        return STALL_LONG_SCOREBOARD;
    }
}

/* ---- behind L1 ---- */

struct beyond {
    double l2, far, dram; /* sectors */
};

static struct beyond go_on(const struct sm_warp *w, u32 site, double sectors)
{
    const struct served *s = &w->func->served[site];
    float *carry = w->func->prepared->carry[site];
    return (struct beyond){deal(&carry[0], sectors, s->near), deal(&carry[1], sectors, s->far),
                           deal(&carry[2], sectors, s->dram)};
}

static double read_beyond(struct sm *s, struct beyond b, double t)
{
    const struct machine *m = s->machine;
    const double sectors = b.l2 + b.far + b.dram;
    if (sectors <= 0)
        return 0;
    double done = take(&s->memory.l2_read, t, sectors * s->read_share) + (b.far > 0 ? m->far : m->l2);
    if (b.dram > 0)
        done = most(done, take(&s->memory.dram, t, 32 * b.dram * s->dram_share) + m->dram);
    return done;
}

/* Until the sectors have left the SM. */
static double write_beyond(struct sm *s, double sectors, double t)
{
    const double written = 32 * sectors * s->launch->dram_write_share;
    if (written > 0)
        take(&s->memory.dram, t, written * s->dram_share);
    return take(&s->memory.l2_write, t, sectors * s->write_share);
}

/* ---- by class ---- */

static double load(struct sm *s, struct sm_warp *w, const struct item_access *a, double t)
{
    const double beyond = read_beyond(s, go_on(w, a->site, a->passes), t);
    return most(t + s->machine->l1 + (a->lines > 1 ? (a->lines - 1) * s->machine->line : 0), beyond);
}

static double store(struct sm *s, struct sm_warp *w, const struct item_access *a, double t)
{
    const double left = write_beyond(s, a->passes, t);
    w->leaves = most(w->leaves, left);
    return left + s->machine->l2;
}

/* Lanes at one place are one after the other; those of one sector go together. */
static double atomic_cycles(const struct sm *s, const struct item_access *a)
{
    return most(most(a->passes, a->lines) * s->atomic_share, a->passes * s->atomic_sector_share);
}

/* At L2, where those at one place are done one after the other. */
static double atomic(struct sm *s, struct sm_warp *w, const struct item_access *a, double t)
{
    write_beyond(s, a->passes, t);
    const double done = take(&s->memory.atomics, t, atomic_cycles(s, a));
    w->leaves = most(w->leaves, done);
    return done + s->machine->atomic;
}

static double finish(struct sm *s, struct sm_warp *w, const struct item_access *a, double t)
{
    const struct machine *m = s->machine;
    switch (a->class) {
    case ITEM_LOAD:
    case ITEM_LOCAL_LOAD:
        return load(s, w, a, t);
    case ITEM_COPY: {
        const double done = load(s, w, a, t);
        w->copies = most(w->copies, done);
        return done;
    }
    case ITEM_TEXTURE:
        return load(s, w, a, t) + m->texture - m->l1;
    case ITEM_STORE:
    case ITEM_LOCAL_STORE:
    case ITEM_SURFACE_STORE:
        return store(s, w, a, t);
    case ITEM_ATOMIC:
    case ITEM_REDUCTION:
        return atomic(s, w, a, t);
    case ITEM_SHARED_ATOMIC:
        return t + m->shared_atomic * most(1, a->lines); /* lines: turns of a loop of compare-and-swap */
    case ITEM_CONSTANT:
        return t + m->constant;
    default:
        return t + m->shared + (a->passes > 1 ? (a->passes - 1) * (m->way - 1) : 0);
    }
}

/* Cycles that it takes the LSU. */
static double lsu_of(const struct machine *m, const struct item_access *a)
{
    switch (a->class) {
    case ITEM_SHARED_LOAD:
    case ITEM_SHARED_STORE:
    case ITEM_SHARED_ATOMIC:
        return most(m->lsu_cycles, a->passes);
    case ITEM_CONSTANT:
    case ITEM_TEXTURE:
        return a->passes;
    default:
        return most(m->lsu_cycles, most(a->lines, 32.0 * a->passes / m->line_bytes));
    }
}

static double *queue_of(struct sm *s, const struct item_access *a)
{
    return a->class == ITEM_CONSTANT  ? &s->memory.constants
           : a->class == ITEM_TEXTURE ? &s->memory.texture
                                      : &s->memory.lsu;
}

static u8 throttle_of(const struct item_access *a)
{
    switch (a->class) {
    case ITEM_SHARED_LOAD:
    case ITEM_SHARED_STORE:
    case ITEM_SHARED_ATOMIC:
        return STALL_MIO_THROTTLE;
    case ITEM_TEXTURE:
        return STALL_TEX_THROTTLE;
    case ITEM_CONSTANT:
        return STALL_IMC_MISS;
    default:
        return STALL_LG_THROTTLE;
    }
}

/* When the queues have room; what goes out and is not waited for must not pile up. */
static double room(const struct sm *s, const struct item_access *a, double *queue)
{
    const struct sm_memory *q = &s->memory;
    const double lsu = *queue - s->machine->queue;
    if (a->class == ITEM_STORE || a->class == ITEM_LOCAL_STORE || a->class == ITEM_REDUCTION)
        return most(lsu, most(most(q->l2_write, q->dram), q->atomics) - s->machine->store_queue);
    return lsu;
}

bool sm_access(struct sm *s, struct sm_warp *w, u64 item, double t, struct sm_done *out)
{
    const struct item_access a = item_read_access(item);
    double *queue = queue_of(s, &a);
    const double from = room(s, &a, queue);
    if (from > t) {
        *out = (struct sm_done){.result = from, .reason = throttle_of(&a)};
        return false;
    }
    const double taken = take(queue, t, lsu_of(s->machine, &a));
    out->result = finish(s, w, &a, taken);
    out->read = taken + 8;
    out->reason = sm_reason_of(item);
    if (a.class != ITEM_SHARED_LOAD && a.class != ITEM_SHARED_STORE)
        w->memory = most(w->memory, out->result);
    return true;
}
