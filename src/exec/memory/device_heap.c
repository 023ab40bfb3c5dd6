/* device_heap.c - malloc and free on the device: allocations of kind MEM_HEAP in the table of device memory, so that an
 * access behind one or after free is found like any other. The limit is the table's (mem_set_heap_limit). */
#include <string.h>

#include "exec/device/builtin.h"

/* CUDA's allocations are 16-byte aligned; the table gives more. */
enum { HEAP_ALIGN = 16 };

static u64 first_argument(const struct builtin_call *c, unsigned lane)
{
    u64 v;
    memcpy(&v, c->args + (size_t)lane * c->arg_stride, sizeof v);
    return v;
}

static void tell(const struct builtin_call *c, unsigned lane, u64 address)
{
    const struct warp *w = c->w;
    if (!w->hooks || !w->hooks->heap)
        return;
    const struct exec_heap h = {.func = w->func,
                                .site = c->pc->site,
                                .warp = w->index,
                                .lane = lane,
                                .size = first_argument(c, lane),
                                .address = address,
                                .block = w->info};
    w->hooks->heap(w->hook_ctx, &h);
}

/* NULL when the heap is exhausted or nothing was asked for. */
bool builtin_malloc(struct builtin_call *c)
{
    for (u32 m = c->mask; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        u64 address = 0;
        if (mem_alloc(c->w->mem, first_argument(c, lane), HEAP_ALIGN, MEM_HEAP, NULL, &address) != LS_OK)
            address = 0;
        memcpy(c->rets + (size_t)lane * c->ret_stride, &address, sizeof address);
        tell(c, lane, address);
    }
    return true;
}

/* A pointer that malloc did not return, or that was freed, is an illegal address. */
bool builtin_free(struct builtin_call *c)
{
    for (u32 m = c->mask; m; m &= m - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(m);
        const u64 address = first_argument(c, lane);
        u64 lo, hi;
        enum mem_kind kind;
        if (!address)
            continue;
        if (!mem_range(c->w->mem, address, &lo, &hi, &kind) || kind != MEM_HEAP ||
            mem_free(c->w->mem, address) != LS_OK) {
            if (!warp_excuse(c->w, c->pc, FAULT_ILLEGAL_ADDRESS, lane, address, 0, SPACE_GLOBAL, true, false))
                return false;
        }
    }
    return true;
}
