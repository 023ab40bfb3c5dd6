/* timeline.h - what the program asked for, in order, for `lockstep trace`: with LOCKSTEP_TIMELINE=1 each call, and each
 * operation that a call put into a stream, is a line of JSON in $LOCKSTEP_SESSION/<pid>.line. No times of the device are
 * in it: they are modelled by whoever reads it, from the sizes here and the launches' own records.
 *
 *     {"call":"cuMemAlloc_v2","thread":1,"at":1500}         begins; "at": the host's nanoseconds since the first line
 *     {"return":"cuMemAlloc_v2","thread":1,"at":9000}
 *     {"op":"copy","stream":7,"context":1,"blocking":true,"thread":1,"bytes":4096,"from":"pageable","to":"device","waits":true}
 *     {"op":"set", ... ,"bytes":4096}
 *     {"op":"kernel", ... ,"launch":3}                      the record of that id has the rest
 *     {"op":"host", ... }                                   a function of the host's in a stream
 *     {"op":"record", ... ,"event":94}  {"op":"wait", ... ,"event":94}
 *     {"op":"graph", ... ,"graph":2}                        what it does are the lines with "in":2, written when it runs
 *     {"op":"sync","thread":1}                              the host waits: for everything, or for
 *     {"op":"sync","thread":1,"stream":13}  {"op":"sync","thread":1,"event":94}
 *
 * Streams and contexts are numbered as in the records. A line is one write, and the lines of all threads are in the order
 * in which things were asked for. */
#ifndef LS_DRIVER_TIMELINE_H
#define LS_DRIVER_TIMELINE_H

#include "driver/driver.h"

extern bool timeline_on;

void timeline_init(void);
void timeline_call(const char *name, bool begins);

/* `waits`: the call returns when it is done; copies of pageable memory always do. from and to may be any address. */
void timeline_copy(const struct CUstream_st *s, u64 bytes, const void *from, const void *to, bool waits);
void timeline_set(const struct CUstream_st *s, u64 bytes);
void timeline_kernel(const struct CUstream_st *s, u64 launch); /* NULL: in the graph that runs in this thread */
void timeline_host(const struct CUstream_st *s);
void timeline_record(const struct CUstream_st *s, const struct CUevent_st *event);
void timeline_wait(const struct CUstream_st *s, const struct CUevent_st *event);
void timeline_sync(void);
void timeline_sync_stream(const struct CUstream_st *s);
void timeline_sync_event(const struct CUevent_st *event);

/* A launch of a graph, and its run in a thread of the driver's; what is put in between by that thread is the graph's. */
u64 timeline_graph(const struct CUstream_st *s);
void timeline_graph_begin(u64 graph);
void timeline_graph_end(void);
void timeline_graph_copy(u64 bytes, const void *from, const void *to); /* nothing outside of a graph's run */
void timeline_graph_set(u64 bytes);

#endif
