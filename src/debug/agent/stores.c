/* stores.c - what an instruction is about to do to memory: which lanes touch which bytes, so that a watch knows who wrote,
 * and how often a shared access goes through the banks. Addresses are read from the instruction's operands. */
#include <string.h>

#include "debug/agent/internal.h"

struct touched {
    bool known;
    u32 mask; /* lanes */
    u32 size; /* bytes of each */
    u64 at[IR_LANES];
};

static const struct ptx_operand *address_operand(const struct ptx_inst *i)
{
    for (u32 k = 0; k < i->noperands; k++)
        if (i->operands[k].kind == PTX_ADDR)
            return &i->operands[k];
    return NULL;
}

/* The variable's address in its space; false: not one that is known here. */
static bool variable_address(const struct gate_place *p, const struct ptx_var *v, u64 *at)
{
    const struct exec_launch *l = look_launch(look_grid(p->w));
    u64 size;
    bool managed;
    if (v->space == SPACE_GLOBAL || v->space == SPACE_CONST)
        return exec_module_global(l->module, v->name, at, &size, &managed);
    for (u32 k = 0; v->space == SPACE_SHARED && k < l->kernel->nshared_vars; k++)
        if (strcmp(l->kernel->shared_vars[k].name, v->name) == 0) {
            *at = l->kernel->shared_vars[k].at;
            return true;
        }
    return false;
}

static bool base_addresses(const struct gate_place *p, const struct ptx_operand *base, struct touched *t)
{
    u32 bytes;
    u64 at = base->kind == PTX_IMM ? base->bits : 0;
    if (base->kind == PTX_REG) {
        const void *lanes = look_register(look_frame_of(p->w), base->var->index, &bytes);
        for (int i = 0; i < IR_LANES; i++)
            t->at[i] = bytes == 8 ? ((const u64 *)lanes)[i] : ((const u32 *)lanes)[i];
        return bytes >= 4;
    }
    if (base->kind == PTX_VAR && !variable_address(p, base->var, &at))
        return false;
    for (int i = 0; i < IR_LANES; i++)
        t->at[i] = at + (base->kind == PTX_VAR ? (u64)base->offset : 0);
    return base->kind == PTX_IMM || base->kind == PTX_VAR;
}

u32 active_lanes(const struct gate_place *p)
{
    const struct ptx_inst *i = &p->func->src->insts[p->site];
    u32 lanes = UINT32_MAX, bytes;
    if (i->guard)
        memcpy(&lanes, look_register(look_frame_of(p->w), i->guard->index, &bytes), sizeof lanes);
    return look_mask(p->w) & (i->guard_neg ? ~lanes : lanes);
}

static struct touched touched_by(const struct gate_place *p)
{
    const struct ptx_inst *i = &p->func->src->insts[p->site];
    const struct ptx_operand *a = address_operand(i);
    const u8 memory = ptx_op_row((enum ptx_op)i->op)->memory;
    struct touched t = {.mask = active_lanes(p)};
    if (!a || !i->ntypes || (memory != PTX_MEM_LOAD && memory != PTX_MEM_STORE && memory != PTX_MEM_ATOMIC))
        return t;
    t.size = ptx_type_bits((enum ptx_type)i->types[0]) / 8 * ptx_vec_count(i);
    t.known = t.size && base_addresses(p, &a->elems[0], &t);
    for (int k = 0; t.known && k < IR_LANES; k++)
        t.at[k] += (u64)a->offset;
    return t;
}

bool lane_touches(const struct gate_place *p, u32 lane, enum ptx_space space, u64 *at, u64 *size)
{
    const struct touched t = touched_by(p);
    const u8 of = p->func->src->insts[p->site].space;
    if (!t.known)
        return false;
    *at = t.at[lane];
    *size = t.size;
    if (space == SPACE_SHARED || space == SPACE_LOCAL)
        *at = look_offset(agent.config.mem, p->w, (enum ptx_space)of, *at);
    return of == SPACE_NONE || of == space;
}

/* Where the bytes of a lane are in the host's memory, or NULL. */
static const u8 *host_of(const struct gate_place *p, enum ptx_space space, unsigned lane, u64 address)
{
    const char *why;
    u8 *at;
    if (space == SPACE_GLOBAL)
        return (const u8 *)(uintptr_t)address;
    if (space == SPACE_NONE && address - mem_shared_window(agent.config.mem) >= MEM_SHARED_WINDOW_BYTES &&
        address - mem_local_window(agent.config.mem) >= MEM_WINDOW_BYTES)
        return (const u8 *)(uintptr_t)address;
    return look_memory(agent.config.mem, p->w, look_frame_of(p->w), lane, space, address, 1, false, &at, &why) ? at
                                                                                                               : NULL;
}

/* Of device memory, whose addresses are the host's; those of the windows of shared and local memory are none of them. */
static u32 lanes_in_device_memory(const struct touched *t, const u8 *at, u64 size)
{
    const u64 first = (u64)(uintptr_t)at - t->size, span = size + t->size;
    u32 lanes = 0;
    for (int i = 0; i < IR_LANES; i++)
        lanes |= (u32)(t->at[i] - first - 1 < span - 1) << i;
    return lanes & t->mask;
}

static u32 lanes_in_own_memory(const struct gate_place *p, const struct touched *t, const u8 *at, u64 size)
{
    const struct ptx_inst *i = &p->func->src->insts[p->site];
    u32 lanes = 0;
    for (u32 m = t->mask; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        const u8 *to = host_of(p, (enum ptx_space)i->space, lane, t->at[lane]);
        if (to && to < at + size && at < to + t->size)
            lanes |= 1u << lane;
    }
    return lanes;
}

/* Lanes that write to [at, at + size); all that run if their addresses are not known. */
static u32 store_lanes(const struct gate_place *p, const struct touched *t, const u8 *at, u64 size, bool device)
{
    const u8 space = p->func->src->insts[p->site].space;
    if (!t->known)
        return t->mask;
    if (!device)
        return lanes_in_own_memory(p, t, at, size);
    return space == SPACE_GLOBAL || space == SPACE_NONE ? lanes_in_device_memory(t, at, size) : 0;
}

/* 32 banks of 4 bytes. Words that several lanes share count once; wider accesses go in halves or quarters of a warp, as
 * many as make 128 bytes (CUDA C++ Programming Guide, shared memory). */
static u32 passes_of(const struct touched *t, u32 first, u32 lanes)
{
    enum { BANKS = 32, WORD = 4 };
    u32 most = 0;
    for (u32 bank = 0; bank < BANKS; bank++) {
        u64 words[IR_LANES * 4];
        u32 n = 0;
        for (u32 i = first; i < first + lanes; i++)
            for (u32 k = 0; t->mask >> i & 1 && k < (t->size + WORD - 1) / WORD; k++) {
                const u64 word = t->at[i] / WORD + k;
                u32 seen = 0;
                while (seen < n && words[seen] != word)
                    seen++;
                if (word % BANKS == bank && seen == n)
                    words[n++] = word;
            }
        most = n > most ? n : most;
    }
    return most;
}

u32 bank_passes(const struct gate_place *p)
{
    const struct touched t = touched_by(p);
    const u32 part = t.size > 8 ? IR_LANES / 4 : t.size > 4 ? IR_LANES / 2 : IR_LANES;
    u32 most = 0;
    for (u32 first = 0; t.known && t.size <= 16 && first < IR_LANES; first += part) {
        const u32 n = passes_of(&t, first, part);
        most = n > most ? n : most;
    }
    return most;
}

/* ---- watches ---- */

static bool of_device(const struct stop *s) { return s->watch.space == SPACE_GLOBAL || s->watch.space == SPACE_NONE; }

/* Memory of the device stays where it is, and there, until something is freed. */
static const u8 *device_bytes(struct stop *s)
{
    const u64 epoch = mem_epoch(agent.config.mem);
    const char *why;
    u8 *at;
    if (s->watch.host && s->watch.epoch == epoch)
        return s->watch.host;
    const u64 n = look_memory(agent.config.mem, NULL, NULL, 0, (enum ptx_space)s->watch.space, s->watch.address,
                              s->watch.size, false, &at, &why);
    s->watch.host = n == s->watch.size ? at : NULL;
    s->watch.epoch = epoch;
    return s->watch.host;
}

/* Where the watched bytes are when the warp of p stores; NULL: it cannot reach them. */
static const u8 *watched_bytes(struct stop *s, const struct gate_place *p)
{
    const struct warp *w = p->w;
    unsigned lane = 0;
    const char *why;
    u8 *at;
    if (of_device(s))
        return device_bytes(s);
    if (s->watch.block != look_info(look_block_of(p->w))->linear)
        return NULL;
    if (s->watch.space == SPACE_LOCAL) {
        w = look_warp(look_block_of(p->w), (u32)(s->watch.thread / IR_LANES));
        lane = (unsigned)(s->watch.thread % IR_LANES);
    }
    const u64 n = w ? look_memory(agent.config.mem, w, NULL, lane, (enum ptx_space)s->watch.space, s->watch.address,
                                  s->watch.size, false, &at, &why)
                    : 0;
    return n == s->watch.size ? at : NULL;
}

static void watch_one(struct stored *s, struct stop *stop, const struct gate_place *p, const struct touched *t)
{
    const u8 *at = s->nwatched < LS_ARRAY_LEN(s->watched) ? watched_bytes(stop, p) : NULL;
    const u32 lanes = at ? store_lanes(p, t, at, stop->watch.size, of_device(stop)) : 0;
    if (!lanes)
        return;
    memcpy(s->watched[s->nwatched].before, at, stop->watch.size);
    s->watched[s->nwatched].at = at;
    s->watched[s->nwatched].stop = stop;
    s->watched[s->nwatched].known = t->known;
    s->watched[s->nwatched++].lanes = lanes;
}

void watch_before(struct stored *s, const struct gate_place *p)
{
    const struct travel *t = &agent.run->travel;
    s->nwatched = 0;
    if (t->on && (!travel_looks(t) || p->tick < t->from))
        return;
    const struct touched by = touched_by(p);
    if (t->on && t->record == RECORD_WRITE)
        watch_one(s, t->watched, p, &by);
    else
        for (struct stop *k = agent.stops; k; k = k->next)
            if (k->kind == STOP_AT_WATCH && stop_passes(k, p))
                watch_one(s, k, p, &by);
    if (!s->nwatched)
        return;
    s->on = true;
    s->tick = p->tick;
    s->func = p->func;
    s->site = p->site;
    s->mask = look_mask(p->w);
    s->warp = look_warp_index(p->w);
    s->block = look_info(look_block_of(p->w))->linear;
}

bool watch_after(struct stored *s, struct hit *h)
{
    s->on = false;
    for (u32 k = 0; k < s->nwatched; k++) {
        const struct stop *stop = s->watched[k].stop;
        const bool changed = memcmp(s->watched[k].before, s->watched[k].at, stop->watch.size) != 0;
        if (!changed && !(stop->watch.on_write && s->watched[k].known))
            continue;
        *h = (struct hit){.stop = (struct stop *)(uintptr_t)stop,
                          .reason = "watch",
                          .tick = s->tick,
                          .has_write = true,
                          .by = *s,
                          .which = k};
        memcpy(h->after, s->watched[k].at, stop->watch.size);
        return true;
    }
    return false;
}
