/* observe.c - see observe.h. An observer keeps its place in the list until it is removed; the place is not used again,
 * because some thread may be about to read it. */
#include "driver/observe/observe.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#include "driver/driver.h"

_Static_assert(DRIVER_EVENTS <= 64, "a bit an event");

_Atomic u64 driver_heard;

enum { MOST = 32 };
static const struct driver_observer nobody;
static _Atomic(const struct driver_observer *) observers[MOST];
static atomic_uint nobservers;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of changes */

static unsigned count(void) { return atomic_load_explicit(&nobservers, memory_order_acquire); }

static const struct driver_observer *observer(unsigned i)
{
    return atomic_load_explicit(&observers[i], memory_order_relaxed);
}

/* Lock held. */
static void listen_again(void)
{
    u64 heard = 0;
    for (unsigned i = 0; i < count(); i++) {
#define EVENT(name, parameters, arguments) heard |= observer(i)->name ? HEARD_BIT(name) : 0;
#include "driver/observe/events.def"
#undef EVENT
    }
    atomic_store(&driver_heard, heard);
}

void driver_observe(const struct driver_observer *o)
{
    pthread_mutex_lock(&lock);
    const unsigned n = count();
    LS_BUG_ON(n == MOST);
    atomic_store(&observers[n], o);
    atomic_store(&nobservers, n + 1);
    listen_again();
    pthread_mutex_unlock(&lock);
}

void driver_unobserve(const struct driver_observer *o)
{
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < count(); i++)
        if (observer(i) == o)
            atomic_store(&observers[i], &nobody);
    listen_again();
    pthread_mutex_unlock(&lock);
}

#define TELL_FIRST(n, name, arguments)                                                                                 \
    for (unsigned i_ = 0; i_ < (n); i_++)                                                                              \
        if (observer(i_)->name)                                                                                        \
            observer(i_)->name arguments;

#define EVENT(name, parameters, arguments)                                                                             \
    void emit_##name parameters { TELL_FIRST(count(), name, arguments) }
#include "driver/observe/events.def"
#undef EVENT

unsigned driver_call_begin(const char *name, const void *from)
{
    const unsigned n = count();
    const struct driver_call c = {.name = name, .from = from};
    TELL_FIRST(n, call_begin, (&c))
    return n;
}

void driver_call_end(unsigned n, const struct driver_call *c)
{
    const char *name = result_name(c->result), *text = result_text(c->result);
    if (c->result != CUDA_SUCCESS)
        TELL_FIRST(n, call_failed, ((int)c->result, name ? name : "an unknown error", text ? text : ""))
    TELL_FIRST(n, call_end, (c))
}

void driver_refused(const char *fmt, ...)
{
    char text[1024];
    va_list args;
    if (!HEARD(call_refused))
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    emit_call_refused(&(struct driver_refusal){.what = REFUSED_TEXT, .text = text});
}
