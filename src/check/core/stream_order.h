/* stream_order.h - which operation of the host's is known to be done before which other begins: streams, events, waits.
 *
 * Operations (launches, copies, fills) are numbered as they are put into streams. A stream is a line of them; an event
 * carries what its stream had done to another stream or to the host; what the host has waited for is before all that it
 * puts into streams afterwards. A clock of streams (one number a stream) is kept for each stream and for the host; an
 * operation remembers its stream's at the time when it is put there.
 *
 * All threads of the host count as one: what one of them has waited for, all of them have. So an order between threads
 * that nobody can see (a mutex, a condition) is never missed, and a race between two threads' streams is found only as
 * far as neither has waited.
 *
 * Memory is bounded: operations are forgotten when the host has waited for them and all that may still run is behind
 * them, and the oldest when there are too many; 256 streams at once have a line of their own, later ones share one.
 * What is forgotten counts as ordered. Without memory everything does.
 *
 * Thread-safe: one lock, leaf. */
#ifndef LS_CHECK_ORDER_H
#define LS_CHECK_ORDER_H

#include "base/base.h"
#include "check/core/finding.h"

struct stream_order;

struct stream_order *order_create(void); /* NULL: no memory */
void order_destroy(struct stream_order *o);

/* Streams are named by any number that stays theirs while they live; `legacy` is CUDA's rule for the default stream:
 * the operation waits for all blocking streams of its context and they for it. */
struct order_stream {
    u64 id, context;
    bool blocking; /* takes part in the legacy stream's rule */
    bool legacy;
};

/* A new operation at the end of the stream. Its number is the caller's: about 1, 2, ..., each once; threads may come with
 * theirs in another order, and a number that has not come counts as ordered. text: "cudaMemcpyAsync in stream 13", copied;
 * call may be NULL. */
void order_op(struct stream_order *o, u64 number, const struct order_stream *s, const char *text,
              const struct host_call *call);
/* The event's id is any number; recorded again it means the later point. */
void order_record(struct stream_order *o, const struct order_stream *s, u64 event);
void order_event_gone(struct stream_order *o, u64 event);
/* What s does next is behind the event as it was recorded last (nothing, if it never was), or behind all that is in
 * streams now: a wait for what cannot be seen from here, as another process's event. */
void order_wait(struct stream_order *o, const struct order_stream *s, u64 event);
void order_wait_all(struct stream_order *o, const struct order_stream *s);
/* Some stream waits for a value in memory (cuStreamWaitValue32). Anything may write it, so from now on everything
 * counts as ordered. */
void order_wait_value(struct stream_order *o);
/* The host knows that this is done: it waited, or asked and was told so. Of the legacy stream: of all that it is
 * behind. */
void order_host_waits_stream(struct stream_order *o, const struct order_stream *s);
void order_host_waits_event(struct stream_order *o, u64 event);
void order_host_waits_op(struct stream_order *o, u64 op);
void order_host_waits_context(struct stream_order *o, u64 context);
void order_host_waits_all(struct stream_order *o);
void order_stream_gone(struct stream_order *o, u64 stream); /* destroyed: its id may be given again */

/* True: a is done before b begins; b = 0: before what the host does now. a = 0 is before everything, and so is what is
 * forgotten; a = b is true. */
bool order_before(struct stream_order *o, u64 a, u64 b);
/* The operation's text and call; false: not known any more. */
bool order_describe(struct stream_order *o, u64 op, char *text, size_t n, struct host_call *call);
/* How many operations are kept: for tests of the bound. */
u64 order_kept(struct stream_order *o);

#endif
