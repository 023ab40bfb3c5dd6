/* free_async.c - cuMemFreeAsync: memory is freed when the stream comes there. cuMemAllocAsync (pool.c) allocates at
 * once. */
#include "base/alloc.h"
#include "driver/driver.h"
#include "driver/memory/allocation_table.h"

struct free_work {
    struct work work;
    u64 address;
    bool graph;
};

void memory_free_now(u64 address)
{
    struct allocation a;
    if (allocation_take(address, DEVICE_KINDS, &a))
        memory_give_back(&a);
}

static void free_run(struct work *w)
{
    struct free_work *f = (struct free_work *)w;
    if (!f->graph)
        memory_free_now(f->address);
}

static void free_release(struct work *w)
{
    struct free_work *f = (struct free_work *)w;
    if (f->graph)
        allocation_unhold(f->address);
    ls_free(w);
}

static CUresult capture_free(struct CUstream_st *s, u64 address)
{
    struct op *op;
    CUresult r = free_op(s->ctx, address, &op);
    return r == CUDA_SUCCESS ? stream_submit_op(s, op) : r;
}

static CUresult queue_free(struct CUstream_st *s, u64 address, bool graph, u64 number)
{
    struct free_work *w = ls_calloc(1, sizeof *w);
    if (!w)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *w = (struct free_work){.work = {.run = free_run, .release = free_release, .number = number},
                            .address = address,
                            .graph = graph && allocation_hold(address)};
    if (graph && !w->graph) {
        ls_free(w);
        return CUDA_ERROR_INVALID_VALUE;
    }
    return stream_submit(s, &w->work, NULL);
}

/* Freed is what the program gave back, whether or not the stream has come there. */
static CUresult free_later(struct CUstream_st *s, const struct allocation *a)
{
    if (!a->graph && !allocation_mark_freed(a->base))
        return allocation_wrong_free(a->base);
    const u64 number = a->graph ? 0 : stream_number(s, 0, NULL, NULL);
    if (!a->graph) {
        TELL(memory_gone, a->base);
        TELL(memory_ordered, a->base, number, true);
    }
    return queue_free(s, a->base, a->graph, number);
}

CUresult impl_cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream)
{
    struct CUstream_st *s;
    struct allocation a;
    CUresult r = stream_find(hStream, &s);
    if (r != CUDA_SUCCESS || !dptr)
        return r;
    if (stream_capturing(s))
        return capture_free(s, dptr);
    if (!memory_find(dptr, &a) || a.base != dptr || !(DEVICE_KINDS >> a.kind & 1))
        return allocation_wrong_free(dptr);
    if (!stream_enter(s, NULL))
        return free_later(s, &a);
    bool mine = allocation_take(dptr, DEVICE_KINDS, &a);
    if (mine && !a.graph)
        TELL(memory_ordered, dptr, queue_doing, true);
    if (mine)
        memory_give_back(&a);
    stream_leave(s);
    return mine ? CUDA_SUCCESS : allocation_wrong_free(dptr);
}
