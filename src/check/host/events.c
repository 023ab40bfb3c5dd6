/* events.c - the driver's events (driver/events.def) that the checks want, and where each goes. */
#include "base/alloc.h"
#include "check/host/check.h"
#include "check/host/check_order.h"

static void on_process(enum driver_moment moment)
{
    if (moment == PROCESS_MAIN_ENDED) {
        check_settle();
    } else if (moment == PROCESS_END) {
        check_end();
        check_unobserve();
    } else if (moment == PROCESS_FORKED) {
        check_unobserve(); /* the findings are the parent's */
    }
}

static void on_call_begin(const struct driver_call *c)
{
    if (c->above)
        check_call_begin_above(c->name, c->from);
    else
        check_call_begin(c->name, c->from);
}

static void on_call_end(const struct driver_call *c)
{
    (void)c;
    check_call_end();
}

static void on_refused(const struct driver_refusal *r)
{
    switch (r->what) {
    case REFUSED_TEXT:
        check_call_detail("%s", r->text);
        break;
    case REFUSED_RANGE:
        check_range_bad(r->text, r->address, r->size);
        break;
    case REFUSED_FREE:
        check_free_failed(r->address);
        break;
    case REFUSED_ARRAY:
        check_handle_failed(r->handle);
        break;
    }
}

static const struct host_call *call_of(const struct op *op) { return op ? op->note : check_call(); }

static void on_copied(u64 to, u64 from, u64 size, const struct op *op) { check_copy(to, from, size, call_of(op)); }

static void on_filled(u64 address, u64 size, const struct op *op) { check_fill(address, size, call_of(op)); }

static void on_op_made(struct op *op) { op->note = check_call_new(); }

static void on_op_gone(struct op *op) { ls_free(op->note); }

static const struct driver_observer checks = {.process = on_process,
                                              .context_end = check_leaks,
                                              .call_begin = on_call_begin,
                                              .call_end = on_call_end,
                                              .call_failed = check_call_failed,
                                              .call_refused = on_refused,
                                              .error_asked = check_status_asked,
                                              .launch_untold = check_status_launched,
                                              .memory_made = check_made,
                                              .memory_gone = check_gone,
                                              .array_gone = check_handle_gone,
                                              .copied = on_copied,
                                              .filled = on_filled,
                                              .op_made = on_op_made,
                                              .op_gone = on_op_gone,
                                              .op_put = check_order_put,
                                              .event_recorded = check_order_record,
                                              .event_waited = check_order_wait,
                                              .event_gone = check_order_event_gone,
                                              .stream_joined = check_order_join,
                                              .stream_gone = check_order_stream_gone,
                                              .value_waited = check_order_wait_value,
                                              .host_waited = check_order_host_waited};

void check_observe(void) { driver_observe(&checks); }

void check_unobserve(void)
{
    check_on = false;
    driver_unobserve(&checks);
}
