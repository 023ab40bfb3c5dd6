/* bulk.c - bulk asynchronous copies (PTX ISA 9.7.9.25.4) and st.bulk, done at once, lane by lane: usually one lane of a
 * block issues them.
 *
 * Their bytes go round the load-store unit: the events of their accesses are not counted; addresses are checked as any
 * others.
 * Addresses and sizes are multiples of 16 bytes, of st.bulk 8. */
#include "exec/sync/async.h"

#include <string.h>

#include "exec/sync/weak.h"

enum { UNIT = 16 };
#define RACY __attribute__((no_sanitize("thread")))

/* Device memory of the lane, checked; NULL after a fault. *left_out: the kernel goes on nevertheless. */
static u8 *global(struct warp *w, const struct ir_inst *pc, const u8 *regs, const struct ir_address *at, unsigned lane,
                  u32 bytes, bool write, bool *left_out)
{
    const u64 address = async_address(regs, at, lane);
    u64 lo, hi;
    enum mem_kind kind;
    const bool aligned = address % UNIT == 0;
    if (aligned && mem_range(w->mem, address, &lo, &hi, &kind) && hi - address >= bytes &&
        !(write && mem_read_only(kind)))
        return (u8 *)(uintptr_t)address;
    if (aligned && warp_forgive(w, pc, lane, address, bytes, SPACE_GLOBAL, write, false))
        return (u8 *)(uintptr_t)address;
    *left_out = warp_excuse(w, pc, aligned ? FAULT_ILLEGAL_ADDRESS : FAULT_MISALIGNED, lane, address, bytes,
                            SPACE_GLOBAL, write, false);
    return NULL;
}

typedef u64 unit __attribute__((vector_size(UNIT), aligned(UNIT), may_alias));

/* Bit i of the mask: byte i of each 16 is written. Others may read and write meanwhile: a unit is copied as a whole. */
RACY static void copy_masked(u8 *to, const u8 *from, u32 bytes, u32 mask)
{
    if (mask == 0xffff) {
        for (u32 k = 0; k < bytes; k += UNIT)
            *(volatile unit *)(void *)(to + k) = *(const volatile unit *)(const void *)(from + k);
        return;
    }
    for (u32 k = 0; k < bytes; k++)
        if (mask >> k % UNIT & 1)
            to[k] = from[k];
}

/* The same bytes as events. */
static void tell(struct warp *w, const struct ir_inst *pc, unsigned lane, u64 to, u64 from, u32 bytes, u32 mask)
{
    const struct ir_bulk *b = pc->ptr;
    const u8 source = b->kind == BULK_IN ? SPACE_GLOBAL : SPACE_SHARED;
    const u8 target = b->kind == BULK_OUT ? SPACE_GLOBAL : SPACE_SHARED;
    const u32 piece = mask == 0xffff ? bytes : 1;
    for (u32 k = 0; k < bytes; k += piece)
        if (mask >> k % UNIT & 1) {
            warp_touch(w, pc, lane, source, ACCESS_LD, from + k, piece, true);
            warp_touch(w, pc, lane, target, ACCESS_ST, to + k, piece, true);
        }
}

/* An address as events have it. */
static u64 place_of(const struct warp *w, const u8 *p, bool shared)
{
    return shared ? (u64)(p - w->shared) : (u64)(uintptr_t)p;
}

/* What is in another block's shared memory is not told. */
static bool leaves_block(const struct warp *w, const u8 *p) { return cluster_block_of(w, p) != w->block; }

static bool copy_lane(struct warp *w, const struct ir_inst *pc, u8 *regs, unsigned lane,
                      const struct ir_address *target, const struct ir_address *barrier)
{
    const struct ir_bulk *b = pc->ptr;
    const u32 bytes = ((const u32 *)(const void *)(regs + b->bytes))[lane];
    const u32 mask = b->is_masked ? ((const u32 *)(const void *)(regs + b->mask))[lane] : 0xffff;
    if (bytes % UNIT) {
        warp_fault(w, pc, FAULT_MISALIGNED, lane, bytes, bytes, SPACE_SHARED, true, false);
        return false;
    }
    const bool in = b->kind == BULK_IN, out = b->kind == BULK_OUT;
    bool left_out = false;
    const u8 *from = in ? global(w, pc, regs, &b->from, lane, bytes, false, &left_out)
                        : async_shared(w, pc, regs, &b->from, lane, bytes, UNIT, false, &left_out);
    u8 *to = !from ? NULL
             : out ? global(w, pc, regs, target, lane, bytes, true, &left_out)
                   : async_shared(w, pc, regs, target, lane, bytes, UNIT, true, &left_out);
    if (to && w->hooks && !leaves_block(w, to) && !leaves_block(w, from))
        tell(w, pc, lane, place_of(w, to, !out), place_of(w, from, !in), bytes, mask);
    if (to)
        copy_masked(to, from, bytes, mask);
    else if (!left_out)
        return false;
    return out || mbarrier_bytes_came(w, pc, regs, barrier, lane, bytes);
}

/* The same offset in the shared memory of the block of this rank. */
static struct ir_address address_in(const struct warp *w, const u8 *regs, const struct ir_address *a, unsigned lane,
                                    u32 rank)
{
    return (struct ir_address){.flags = IR_ADDR_CONST,
                               .offset = (i64)cluster_address(async_address(regs, a, lane), rank, cluster_rank(w))};
}

static bool run_lane(struct warp *w, const struct ir_inst *pc, u8 *regs, unsigned lane)
{
    const struct ir_bulk *b = pc->ptr;
    if (!b->multicast)
        return copy_lane(w, pc, regs, lane, &b->to, &b->barrier);
    for (u32 left = ((const u32 *)(const void *)(regs + b->ranks))[lane] & 0xffff; left; left &= left - 1) {
        const u32 rank = (u32)__builtin_ctz(left);
        const struct ir_address to = address_in(w, regs, &b->to, lane, rank),
                                barrier = address_in(w, regs, &b->barrier, lane, rank);
        if (!copy_lane(w, pc, regs, lane, &to, &barrier))
            return false;
    }
    return true;
}

static bool fill_lane(struct warp *w, const struct ir_inst *pc, u8 *regs, unsigned lane)
{
    const struct ir_bulk *b = pc->ptr;
    const u64 bytes = ((const u64 *)(const void *)(regs + b->bytes))[lane];
    bool left_out = false;
    u8 *to = async_shared(w, pc, regs, &b->to, lane, bytes, 8, true, &left_out);
    if (to) {
        warp_touch(w, pc, lane, SPACE_SHARED, ACCESS_ST, (u64)(to - w->shared), bytes, true);
        memset(to, 0, bytes);
    }
    return to || left_out;
}

const struct ir_inst *bulk_run(struct warp *w, const struct ir_inst *pc, u8 *regs)
{
    const struct ir_bulk *b = pc->ptr;
    if (w->weak) /* in order after everything the warp did */
        weak_fence(w);
    for (u32 left = w->mask; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(left);
        if (!(b->kind == BULK_FILL ? fill_lane : run_lane)(w, pc, regs, lane))
            return NULL;
    }
    return pc + 1;
}
