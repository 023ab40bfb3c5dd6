/* child_copy.c - copies and fills that kernels put into streams: places in the queue of the grids that they launch
 * (child.h), so that they come after what was launched before them and before what is launched behind them.
 *
 * Every byte is checked when the copy runs, as any access of a kernel is. Device memory and what the device can reach
 * of the host's; the shared and local memory of the kernel that asked is gone by then. */
#include <string.h>

#include "exec/device/child.h"
#include "exec/memory/device_memory.h"

static bool reaches(struct mem *m, u64 address, u64 bytes, bool write)
{
    u64 lo, hi;
    enum mem_kind kind;
    return mem_range(m, address, &lo, &hi, &kind) && hi - address >= bytes && !(write && mem_read_only(kind));
}

static enum ls_status illegal(struct mem *m, u64 address, u64 bytes, bool write, struct exec_fault *fault)
{
    *fault = (struct exec_fault){
        .kind = FAULT_ILLEGAL_ADDRESS, .address = address, .size = bytes, .space = SPACE_GLOBAL, .write = write};
    fault->kernel = fault->function = write ? "a copy to device memory" : "a copy from device memory";
    mem_describe(m, address, bytes, fault->detail, sizeof fault->detail);
    return LS_ERR_FAULT;
}

enum ls_status child_copy_run(const struct exec_launch *parent, const struct child_copy *c, struct exec_fault *fault)
{
    struct mem *m = parent->device->mem;
    for (u64 row = 0; c->width && row < c->height; row++) {
        const u64 to = c->to + row * c->to_pitch, from = c->from + row * c->from_pitch;
        if (!reaches(m, to, c->width, true))
            return illegal(m, to, c->width, true, fault);
        if (!c->fill && !reaches(m, from, c->width, false))
            return illegal(m, from, c->width, false, fault);
        if (c->fill)
            memset((void *)(uintptr_t)to, (int)c->value, c->width);
        else
            memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, c->width);
        if (parent->copied)
            parent->copied(parent->copied_ctx, to, c->fill ? 0 : from, c->width);
    }
    return LS_OK;
}
