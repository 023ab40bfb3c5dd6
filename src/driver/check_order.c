/* check_order.c - see check_order.h. What is told here follows the manual and not what this driver happens to do: a
 * fill of device memory by cudaMemset is asynchronous, a copy between device memory too, and the host that goes on
 * knows nothing of their end. Freeing memory waits for the context's work, as it does in CUDA. */
#include "driver/check_order.h"

#include <stdio.h>

#include "check/core/stream_order.h"
#include "driver/check.h"
#include "meter/session/kernel_name.h"

static struct stream_order *order;

void check_order_begin(struct stream_order *o) { order = o; }

u64 check_op(void) { return queue_doing; }

static struct order_stream stream_of(const struct CUstream_st *s)
{
    return (struct order_stream){
        .id = s->id, .context = s->ctx->id, .blocking = !(s->flags & CU_STREAM_NON_BLOCKING), .legacy = s->legacy};
}

/* ---- operations ---- */

u64 check_order_put(const struct CUstream_st *s, const char *what)
{
    if (!order)
        return 0;
    char text[256];
    const struct order_stream os = stream_of(s);
    const struct host_call *call = check_call();
    if (!what)
        what = call && call->api[0] ? call->api : "an operation";
    snprintf(text, sizeof text, "%s in stream %llu", what, (unsigned long long)profile_place(s).stream);
    return order_op(order, &os, text, call);
}

u64 check_order_launch(const struct CUstream_st *s, u64 launch, const char *kernel)
{
    if (!order)
        return 0;
    char name[160], text[192];
    kernel_name(kernel, KERNEL_FUNCTION, name, sizeof name);
    snprintf(text, sizeof text, "launch %llu of %s", (unsigned long long)launch, name);
    return check_order_put(s, text);
}

void check_order_enter(const struct CUstream_st *s)
{
    if (order)
        queue_doing = check_order_put(s, NULL);
}

void check_order_leave(void) { queue_doing = 0; }

/* ---- events ---- */

static u64 id_of(const void *handle) { return (u64)(uintptr_t)handle; }

void check_order_record(const struct CUstream_st *s, const struct CUevent_st *e)
{
    if (!order)
        return;
    const struct order_stream os = stream_of(s);
    order_record(order, &os, id_of(e));
}

void check_order_wait(const struct CUstream_st *s, const struct CUevent_st *e)
{
    if (!order)
        return;
    const struct order_stream os = stream_of(s);
    order_wait(order, &os, id_of(e));
}

void check_order_wait_shared(const struct CUstream_st *s)
{
    if (!order)
        return;
    const struct order_stream os = stream_of(s);
    order_wait_all(order, &os);
}

void check_order_join(const struct CUstream_st *s, const struct CUstream_st *before)
{
    static const char event;
    if (!order || s == before)
        return;
    const struct order_stream os = stream_of(s), first = stream_of(before);
    order_record(order, &first, id_of(&event));
    order_wait(order, &os, id_of(&event));
    order_event_gone(order, id_of(&event));
}

void check_order_wait_value(void)
{
    if (order)
        order_wait_value(order);
}

void check_order_event_gone(const struct CUevent_st *e)
{
    if (order)
        order_event_gone(order, id_of(e));
}

void check_order_stream_gone(const struct CUstream_st *s)
{
    if (order)
        order_stream_gone(order, s->id);
}

/* The executable graph is an event that each launch waits for and records. */
void check_order_graph_begin(const struct CUstream_st *s, const void *exec)
{
    if (!order)
        return;
    const struct order_stream os = stream_of(s);
    order_wait(order, &os, id_of(exec));
}

void check_order_graph_end(const struct CUstream_st *s, const void *exec)
{
    if (!order)
        return;
    const struct order_stream os = stream_of(s);
    order_record(order, &os, id_of(exec));
}

/* ---- the host waits ---- */

void check_order_host_stream(const struct CUstream_st *s)
{
    if (!order)
        return;
    const struct order_stream os = stream_of(s);
    order_host_waits_stream(order, &os);
}

/* An event of several processes may be reached by another's work, which may be behind anything here. */
void check_order_host_event(const struct CUevent_st *e)
{
    if (!order)
        return;
    if (e->shared)
        order_host_waits_all(order);
    else
        order_host_waits_event(order, id_of(e));
}

void check_order_host_context(CUcontext ctx)
{
    if (order)
        order_host_waits_context(order, ctx->id);
}

void check_order_host_here(void)
{
    if (order)
        order_host_waits_op(order, queue_doing);
}

static bool of_device(const void *p)
{
    struct allocation a;
    if (!p)
        return true;
    if (!memory_find(id_of(p), &a))
        return memory_known(p); /* a module's variable */
    return a.kind != MEM_PINNED && a.kind != MEM_REGISTERED && a.kind != MEM_MANAGED;
}

void check_order_host_did(const struct CUstream_st *s, const void *to, const void *from)
{
    if (order && !(of_device(to) && of_device(from)))
        check_order_host_stream(s);
}
