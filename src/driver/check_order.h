/* check_order.h - the order of operations, for the checks (check/core/stream_order.h): streams, events and waits say here what they
 * do. Nothing is called for nothing: without checks each of these is one test of a pointer.
 *
 * An operation is numbered when it is put into its stream. Its number travels with its work (struct work) and is what
 * check_op() says in the thread that does it, while it does it. */
#ifndef LS_DRIVER_CHECK_ORDER_H
#define LS_DRIVER_CHECK_ORDER_H

#include "driver/driver.h"

struct stream_order;

void check_order_begin(struct stream_order *o); /* from now on; the order stays the check's */

/* The operation that this thread is doing; 0: none, or nothing is checked. */
u64 check_op(void);

/* A new operation in s, with the call under way; 0 when nothing is checked. what NULL: the call's name. */
u64 check_order_put(const struct CUstream_st *s, const char *what);
u64 check_order_launch(const struct CUstream_st *s, u64 launch, const char *kernel);
/* Between these the calling thread does an operation of s by itself. */
void check_order_enter(const struct CUstream_st *s);
void check_order_leave(void);

void check_order_record(const struct CUstream_st *s, const struct CUevent_st *e);
void check_order_wait(const struct CUstream_st *s, const struct CUevent_st *e);
void check_order_wait_shared(const struct CUstream_st *s); /* for an event of another process: for everything */
/* What s does next is behind all that `before` was given. hub.lock held. */
void check_order_join(const struct CUstream_st *s, const struct CUstream_st *before);
void check_order_wait_value(void); /* for a value in memory */
void check_order_event_gone(const struct CUevent_st *e);
void check_order_stream_gone(const struct CUstream_st *s);
/* Launches of one executable graph come one behind the other: before and behind the launch. */
void check_order_graph_begin(const struct CUstream_st *s, const void *exec);
void check_order_graph_end(const struct CUstream_st *s, const void *exec);

/* The host knows that these are done. */
void check_order_host_stream(const struct CUstream_st *s);
void check_order_host_event(const struct CUevent_st *e);
void check_order_host_context(CUcontext ctx);
void check_order_host_here(void); /* a function of the host's, called by a stream, knows what was before it */
/* A copy or fill of the functions without Async returned: the host has waited for it, unless it is of the device's
 * memory alone. Addresses: what it touched; 0: none. */
void check_order_host_did(const struct CUstream_st *s, const void *to, const void *from);

#endif
