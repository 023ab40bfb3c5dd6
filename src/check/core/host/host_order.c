/* host_order.c - the driver's events about streams, told to the order of operations (stream_order.h) in its words. What the
 * driver tells follows the manual and not what it happens to do: freeing memory waits for the context's work, as it does
 * in CUDA. An operation has the driver's number: queue_doing says it in the thread that does the operation. */
#include <stdio.h>

#include "base/kernel_name.h"
#include "check/core/host/host.h"
#include "check/core/stream_order.h"

static struct stream_order *order(void) { return check_order(checked); }

static struct order_stream stream_of(const struct CUstream_st *s)
{
    return (struct order_stream){
        .id = s->id, .context = s->ctx->id, .blocking = !(s->flags & CU_STREAM_NON_BLOCKING), .legacy = s->legacy};
}

static u64 id_of(const void *handle) { return (u64)(uintptr_t)handle; }

/* ---- operations ---- */

/* An executable graph is an event that each launch of it waits for and records. */
static void on_put(const struct driver_put *p)
{
    char name[160], what[192], text[256];
    const struct order_stream os = stream_of(p->stream);
    const struct host_call *call = check_call();
    if (p->kernel)
        snprintf(what, sizeof what, "launch %llu of %s", (unsigned long long)p->launch,
                 kernel_name(p->kernel, KERNEL_FUNCTION, name, sizeof name));
    else
        snprintf(what, sizeof what, "%s", call && call->api[0] ? call->api : "an operation");
    snprintf(text, sizeof text, "%s in stream %llu", what, (unsigned long long)stream_place(p->stream).stream);
    if (p->graph)
        order_wait(order(), &os, id_of(p->graph));
    order_op(order(), p->number, &os, text, call);
    if (p->graph)
        order_record(order(), &os, id_of(p->graph));
}

/* ---- events ---- */

static void on_record(const struct CUstream_st *s, const struct CUevent_st *e, bool by_node)
{
    const struct order_stream os = stream_of(s);
    (void)by_node;
    order_record(order(), &os, id_of(e));
}

static void on_wait(const struct CUstream_st *s, const struct CUevent_st *e, bool by_node)
{
    const struct order_stream os = stream_of(s);
    if (e->shared && !by_node)
        order_wait_all(order(), &os);
    else
        order_wait(order(), &os, id_of(e));
}

static void on_join(const struct CUstream_st *s, const struct CUstream_st *before)
{
    static const char event;
    const struct order_stream os = stream_of(s), first = stream_of(before);
    order_record(order(), &first, id_of(&event));
    order_wait(order(), &os, id_of(&event));
    order_event_gone(order(), id_of(&event));
}

static void on_value_waited(void) { order_wait_value(order()); }

static void on_event_gone(const struct CUevent_st *e) { order_event_gone(order(), id_of(e)); }

static void on_stream_gone(const struct CUstream_st *s) { order_stream_gone(order(), s->id); }

/* ---- the host waits ---- */

/* An event of several processes may be reached by another's work, which may be behind anything here. */
static void on_host_waited(const struct driver_wait *w)
{
    if (w->stream) {
        const struct order_stream os = stream_of(w->stream);
        order_host_waits_stream(order(), &os);
    } else if (w->event && !w->event->shared) {
        order_host_waits_event(order(), id_of(w->event));
    } else if (w->ctx) {
        order_host_waits_context(order(), w->ctx->id);
    } else if (w->op) {
        order_host_waits_op(order(), w->op);
    } else {
        order_host_waits_all(order());
    }
}

const struct driver_observer observer_order = {.op_put = on_put,
                                               .event_recorded = on_record,
                                               .event_waited = on_wait,
                                               .event_gone = on_event_gone,
                                               .stream_joined = on_join,
                                               .stream_gone = on_stream_gone,
                                               .value_waited = on_value_waited,
                                               .host_waited = on_host_waited};
