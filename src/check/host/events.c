/* events.c - who of the checks observes the driver, and the events that are told to several of them. */
#include "base/alloc.h"
#include "check/host/check.h"

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

static void on_op_made(struct op *op) { op->note = check_call_new(); }

static void on_op_gone(struct op *op) { ls_free(op->note); }

static const struct driver_observer calls_observer = {.process = on_process,
                                                      .call_begin = on_call_begin,
                                                      .call_end = on_call_end,
                                                      .call_failed = check_call_failed,
                                                      .error_asked = check_status_asked,
                                                      .launch_untold = check_status_launched,
                                                      .op_made = on_op_made,
                                                      .op_gone = on_op_gone};

/* The last one ends the record of the process. */
static const struct driver_observer *const observers[] = {&order_observer, &memory_observer, &refused_observer,
                                                          &leaks_observer, &calls_observer};

void check_observe(void)
{
    for (size_t k = 0; k < LS_ARRAY_LEN(observers); k++)
        if (observers[k] != &leaks_observer || check_wants(CHECK_LEAKCHECK))
            driver_observe(observers[k]);
}

void check_unobserve(void)
{
    check_on = false;
    for (size_t k = 0; k < LS_ARRAY_LEN(observers); k++)
        driver_unobserve(observers[k]);
}
