/* host_memory.c - what the program does to memory from the host: who made and freed each allocation, and the bytes that
 * copies and fills touch.
 *
 * Memory of the host that kernels can reach (pinned, registered) counts as the host's: a copy from there is a write of
 * device memory by the host, and a copy to there a read of it. The program's own writes to it are not seen by the
 * driver. */
#include "check/core/allocations.h"
#include "check/core/host/host.h"

/* ---- allocations ---- */

u64 check_serial_of(u64 base)
{
    struct mem_block b;
    return mem_nearest(drv.mem, base, &b) && b.base == base ? b.serial : 0;
}

static void on_made(u64 base)
{
    const struct host_call *call = check_call();
    const u64 serial = check_serial_of(base);
    if (call && serial)
        allocations_put_made(check_allocations(checked), serial, call);
}

static void on_gone(u64 base)
{
    const struct host_call *call = check_call();
    const u64 serial = check_serial_of(base);
    if (call && serial)
        allocations_put_gone(check_allocations(checked), serial, call);
}

static void on_ordered(u64 base, u64 op, bool freed) { check_ordered(checked, base, op, freed); }

/* ---- copies and fills ---- */

enum place { PAGEABLE, REACHABLE, DEVICE }; /* of the host; of the host, and kernels can reach it; of the device */

static enum place place_of(u64 address)
{
    u64 lo, hi;
    enum mem_kind kind;
    if (!mem_range(drv.mem, address, &lo, &hi, &kind))
        return PAGEABLE;
    return kind == MEM_PINNED || kind == MEM_REGISTERED ? REACHABLE : DEVICE;
}

static const struct host_call *call_of(const struct op *op) { return op ? op->note : check_call(); }

static void on_copied(u64 to, u64 from, u64 size, const struct op *op)
{
    const struct host_call *call = call_of(op);
    const enum place dst = place_of(to), src = place_of(from);
    const u64 number = queue_doing;
    if (dst == DEVICE && src == DEVICE) {
        check_copied(checked, to, from, size, number, call);
        return;
    }
    if (src != PAGEABLE)
        check_host_read(checked, from, size, number, call);
    if (dst != PAGEABLE)
        check_host_wrote(checked, to, size, number, call);
}

static void on_filled(u64 address, u64 size, const struct op *op)
{
    check_filled(checked, address, size, queue_doing, call_of(op));
}

const struct driver_observer observer_memory = {
    .memory_made = on_made,
    .memory_gone = on_gone,
    .memory_ordered = on_ordered,
    .copied = on_copied,
    .filled = on_filled,
};
