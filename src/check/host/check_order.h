/* check_order.h - the driver's events about streams, told to the order of operations (check/core/stream_order.h) in its
 * words. Nothing is called for nothing: without checks nobody listens.
 *
 * An operation has the driver's number: queue_doing says it in the thread that does the operation. */
#ifndef LS_CHECK_HOST_CHECK_ORDER_H
#define LS_CHECK_HOST_CHECK_ORDER_H

#include "driver/driver.h"

struct stream_order;

void check_order_begin(struct stream_order *o); /* from now on; the order stays the check's */

/* As the events of these names. */
void check_order_put(const struct driver_put *p);
void check_order_record(const struct CUstream_st *s, const struct CUevent_st *e, bool by_node);
void check_order_wait(const struct CUstream_st *s, const struct CUevent_st *e, bool by_node);
void check_order_join(const struct CUstream_st *s, const struct CUstream_st *before);
void check_order_wait_value(void);
void check_order_event_gone(const struct CUevent_st *e);
void check_order_stream_gone(const struct CUstream_st *s);
void check_order_host_waited(const struct driver_wait *w);

#endif
