/* host_observers.c - which parts of the checks observe the driver, and the events that no other file takes. */
#include "base/alloc.h"
#include "check/core/host/host.h"

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
    if (r->what == REFUSED_NUMBER)
        check_call_answered();
}

static void on_op_made(struct op *op) { op->note = check_call_new(); }

static void on_op_gone(struct op *op) { ls_free(op->note); }

const struct driver_observer observer_calls = {.process = on_process,
                                               .call_begin = on_call_begin,
                                               .call_end = on_call_end,
                                               .call_refused = on_refused,
                                               .op_made = on_op_made,
                                               .op_gone = on_op_gone};

static const struct {
    const struct driver_observer *observer;
    unsigned tools;
} observers[] = {
#define OBSERVER(name, tools) {&observer_##name, tools},
#include "check/tools.def"
};

/* The driver has said that the process begins, before anybody here could hear it. */
void check_observe(const struct driver_observer *but)
{
    for (size_t k = 0; k < LS_ARRAY_LEN(observers); k++) {
        const struct driver_observer *o = observers[k].observer;
        if (o == but || !(observers[k].tools & check_tools(checked)))
            continue;
        if (o->process)
            o->process(PROCESS_START);
        driver_observe(o);
    }
}

void check_unobserve(void)
{
    check_on = false;
    for (size_t k = 0; k < LS_ARRAY_LEN(observers); k++)
        driver_unobserve(observers[k].observer);
}
