/* tensor_map.c - instructions that change tensor maps: tensormap.replace (PTX ISA 9.7.9.26.1) and tensormap.cp_fenceproxy
 * (9.7.13.15.18). They act at once; a copy that was issued before has its own copy of the map (flight.h). */
#include "exec/sync/tensor_map.h"

#include <stdio.h>
#include <string.h>

#include "exec/sync/async.h"
#include "exec/sync/weak.h"

static bool illegal(struct warp *w, const struct ir_inst *pc, unsigned lane, const char *why)
{
    struct exec_fault f = {.kind = FAULT_ILLEGAL_INSTRUCTION};
    fault_place(w, pc, lane, &f);
    snprintf(f.detail, sizeof f.detail, "%s", why);
    grid_fault(w->block->grid, &f);
    w->stop = STOP_FAULT;
    return false;
}

/* The map of the lane's address, in global or shared memory; NULL after a fault. */
static u8 *find_map(struct warp *w, const struct ir_inst *pc, const u8 *regs, const struct ir_address *at,
                    unsigned lane, bool is_shared, bool write)
{
    const u64 address = async_address(regs, at, lane);
    const bool window = at->generic && warp_in_shared(w, address);
    u64 lo, hi;
    enum mem_kind kind;
    if (is_shared || window)
        return async_shared(w, pc, regs, at, lane, TENSOR_MAP_BYTES, TENSOR_MAP_ALIGN, write, NULL);
    const bool aligned = address % TENSOR_MAP_ALIGN == 0;
    if (aligned && mem_range(w->mem, address, &lo, &hi, &kind) && hi - address >= TENSOR_MAP_BYTES &&
        !(write && mem_read_only(kind)))
        return (u8 *)(uintptr_t)address;
    warp_fault(w, pc, aligned ? FAULT_ILLEGAL_ADDRESS : FAULT_MISALIGNED, lane, address, TENSOR_MAP_BYTES, SPACE_GLOBAL,
               write, false);
    return NULL;
}

/* A field that there is one of in each dimension. */
static bool replace_numbered(struct tensor_map *m, const struct ir_tensor_map *t, u64 value)
{
    const u32 k = t->number, end = t->field == MOD_GLOBAL_STRIDE ? TENSOR_RANKS - 1 : TENSOR_RANKS;
    if (k >= end || (t->field == MOD_BOX_DIM && m->mode != TENSOR_TILED))
        return false;
    switch (t->field) {
    case MOD_BOX_DIM:
        m->box[k] = (u16)value;
        return value && value <= TENSOR_MOST_BOX;
    case MOD_GLOBAL_DIM:
        m->lasts[k] = (u32)value - 1;
        return true;
    case MOD_GLOBAL_STRIDE:
        m->strides[k] = value;
        return value % 16 == 0;
    default:
        m->steps[k] = (u8)value;
        return value && value <= TENSOR_MOST_STEP;
    }
}

/* False: the field cannot have that value. */
static bool replace(struct tensor_map *m, const struct ir_tensor_map *t, u64 value)
{
    switch (t->field) {
    case MOD_GLOBAL_ADDRESS:
        m->address = value;
        return value % 16 == 0;
    case MOD_RANK: /* less 1 */
        m->rank = (u8)(value + 1);
        return value < TENSOR_RANKS;
    case MOD_ELEMTYPE:
        m->type = (u8)value;
        return value < TENSOR_TYPES;
    case MOD_INTERLEAVE_LAYOUT:
        m->interleave = (u8)value;
        return value < INTERLEAVES;
    case MOD_SWIZZLE_MODE:
        m->swizzle = (u8)value;
        return value < SWIZZLES;
    case MOD_FILL_MODE:
        m->fill = (u8)value;
        return value < FILLS;
    default:
        return replace_numbered(m, t, value);
    }
}

/* 128 bytes of zeros are a map of tiles of which no field is set yet: kernels make maps of their own so. */
static bool is_blank(const u8 *at)
{
    static const u8 zeros[TENSOR_MAP_BYTES];
    return memcmp(at, zeros, sizeof zeros) == 0;
}

static bool replace_lane(struct warp *w, const struct ir_inst *pc, u8 *regs, unsigned lane)
{
    const struct ir_tensor_map *t = pc->ptr;
    const u64 value = t->is_wide ? ((const u64 *)(const void *)(regs + t->value))[lane]
                                 : ((const u32 *)(const void *)(regs + t->value))[lane];
    u8 *at = find_map(w, pc, regs, &t->at, lane, t->is_shared, true);
    struct tensor_map m;
    if (!at)
        return false;
    memcpy(&m, at, sizeof m);
    if (is_blank(at))
        m.mark = TENSOR_MAP_MARK;
    if (m.mark != TENSOR_MAP_MARK)
        return illegal(w, pc, lane, "its address is not that of a tensor map");
    if (!replace(&m, t, value))
        return illegal(w, pc, lane, "a tensor map's field cannot have that value");
    memcpy(at, &m, sizeof m);
    return true;
}

/* The warp's lanes have the same addresses: the first one copies. */
static bool copy_map(struct warp *w, const struct ir_inst *pc, u8 *regs)
{
    const struct ir_tensor_map *t = pc->ptr;
    const unsigned lane = (unsigned)__builtin_ctz(w->mask);
    const u8 *from = find_map(w, pc, regs, &t->from, lane, true, false);
    u8 *to = from ? find_map(w, pc, regs, &t->at, lane, false, true) : NULL;
    if (!to)
        return false;
    warp_touch(w, pc, lane, SPACE_SHARED, ACCESS_LD, (u64)(from - w->shared), TENSOR_MAP_BYTES, false);
    warp_touch(w, pc, lane, SPACE_GLOBAL, ACCESS_ST, (u64)(uintptr_t)to, TENSOR_MAP_BYTES, false);
    memcpy(to, from, TENSOR_MAP_BYTES);
    return true;
}

const struct ir_inst *tensor_map_run(struct warp *w, const struct ir_inst *pc, u8 *regs)
{
    const struct ir_tensor_map *t = pc->ptr;
    if (w->weak) /* in order after everything the warp did */
        weak_fence(w);
    if (!t->field)
        return copy_map(w, pc, regs) ? pc + 1 : NULL;
    for (u32 left = w->mask; left; left &= left - 1)
        if (!replace_lane(w, pc, regs, (unsigned)__builtin_ctz(left)))
            return NULL;
    return pc + 1;
}
