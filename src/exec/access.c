/* access.c - what an instrument may ask of an access, and the events of accesses that are not of the load-store unit's.
 */
#include <string.h>

#include "exec/sched.h"

#define RACY __attribute__((no_sanitize("thread")))

/* ---- values ---- */

/* The lane's memory; NULL: it is not bytes that one could look at. */
static const u8 *memory_of(const struct exec_access *a, unsigned lane)
{
    const struct block *b = (const struct block *)(const void *)a->block; /* its first member */
    const u64 at = a->addr[lane];
    switch (a->space) {
    case SPACE_SHARED:
        return b ? b->shared + at : NULL;
    case SPACE_LOCAL:
        return b ? b->warps[a->warp].local + lane * b->warps[a->warp].local_bytes + at : NULL;
    case SPACE_GLOBAL:
    case SPACE_CONST:
    case SPACE_PARAM:
        return (const u8 *)(uintptr_t)at;
    default:
        return NULL;
    }
}

/* Other threads may write there. */
RACY static u32 from_memory(const struct exec_access *a, unsigned lane, u8 *out)
{
    const volatile u8 *p = memory_of(a, lane);
    const u32 n = !p ? 0 : a->bytes && a->bytes[lane] < a->size ? a->bytes[lane] : a->size;
    for (u32 k = 0; k < n; k++)
        out[k] = p[k];
    return n;
}

/* The data operands are where the bodies of ops/memory.inc and ops/atomic.inc have them; cas writes its third. */
static u32 from_registers(const struct exec_access *a, unsigned lane, u8 *out)
{
    const struct ir_inst *pc = a->pc;
    const u32 esize = ptx_type_bits((enum ptx_type)a->type) / 8, n = esize ? a->size / esize : 0;
    if (!n || n * esize != a->size)
        return 0;
    for (u32 k = 0; k < n; k++) {
        const u32 slot = n > 1 ? pc->list[k] : a->atom_op == MOD_CAS ? pc->c : pc->b;
        const u32 width = esize < 4 ? 4 : esize; /* of the lane's register; low bytes first, as in memory */
        memcpy(out + k * esize, a->regs + slot + lane * width, esize);
    }
    return a->size;
}

u32 exec_access_value(const struct exec_access *a, unsigned lane, u8 out[32])
{
    if (lane >= IR_LANES || !(a->mask >> lane & 1) || a->size > 32)
        return 0;
    if (a->op == ACCESS_LD)
        return from_memory(a, lane, out);
    const u8 memory = ptx_op_rows[a->func->src->insts[a->site].op].memory;
    const bool plain = memory == PTX_MEM_STORE || memory == PTX_MEM_ATOMIC; /* not copies and matrices */
    return plain && a->pc && a->regs ? from_registers(a, lane, out) : 0;
}

/* ---- accesses that are not counted ---- */

static u8 type_of(u64 bytes)
{
    return bytes == 1 ? PTX_B8 : bytes == 2 ? PTX_B16 : bytes == 4 ? PTX_B32 : bytes == 8 ? PTX_B64 : PTX_B128;
}

static void touch(struct warp *w, const struct ir_inst *pc, unsigned lane, u8 space, enum exec_access_op op,
                  u64 address, u64 bytes, bool async, const struct exec_block_info *home)
{
    u64 addr[IR_LANES];
    while (bytes) { /* aligned pieces of 16, 8, 4, 2 or 1 */
        u64 n = 16;
        while (n > bytes || address % n)
            n /= 2;
        addr[lane] = address;
        const struct exec_access a = {.func = w->func,
                                      .site = pc->site,
                                      .mask = 1u << lane,
                                      .space = space,
                                      .op = (u8)op,
                                      .size = (u8)n,
                                      .pattern = PATTERN_GATHER,
                                      .type = type_of(n),
                                      .warp = w->index,
                                      .async = async,
                                      .uncounted = true,
                                      .block = w->info,
                                      .addr = addr};
        if (home)
            w->hooks->far_access(w->hook_ctx, &a, home);
        else
            w->hooks->access(w->hook_ctx, &a);
        address += n;
        bytes -= n;
    }
}

void warp_touch(struct warp *w, const struct ir_inst *pc, unsigned lane, u8 space, enum exec_access_op op, u64 address,
                u64 bytes, bool async)
{
    if (w->hooks && w->hooks->access)
        touch(w, pc, lane, space, op, address, bytes, async, NULL);
}

void warp_touch_far(struct warp *w, const struct ir_inst *pc, unsigned lane, enum exec_access_op op,
                    const struct block *home, u64 offset, u64 bytes)
{
    if (w->hooks && w->hooks->far_access)
        touch(w, pc, lane, SPACE_SHARED, op, offset, bytes, true, &home->info);
}
