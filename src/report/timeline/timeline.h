/* timeline.h - when each call, copy and kernel of a program would have run on the GPU: `lockstep trace`.
 *
 * The driver wrote what was asked for, in order (attach/timeline.c), and the launches' records say how long each kernel
 * takes by the time model. From both, and from what the GPU's file says of the link, timeline_read makes a schedule. All
 * times are modelled seconds from the process's first call; work of the host between calls counts nothing, so the
 * schedule is the same in every run. */
#ifndef LS_REPORT_TIMELINE_H
#define LS_REPORT_TIMELINE_H

#include <stdio.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/gpu.h"
#include "base/vec.h"
#include "meter/session/session.h"

enum timeline_kind {
    TIMELINE_CALL,   /* of the API, by `thread`: `depth` calls of the same thread are around it */
    TIMELINE_RETURN, /* only while it is read */
    TIMELINE_COPY,
    TIMELINE_SET,
    TIMELINE_KERNEL,
    TIMELINE_HOST, /* a function of the host's in a stream */
    TIMELINE_RECORD,
    TIMELINE_WAIT,
    TIMELINE_SYNC,  /* the host waits */
    TIMELINE_GRAPH, /* only while it is read: the launch of a graph, in whose place its operations go */
};

/* Where a copy's bytes are. */
enum timeline_place { PLACE_UNKNOWN, PLACE_PAGEABLE, PLACE_PINNED, PLACE_DEVICE, PLACE_MANAGED, PLACE_ARRAY };

enum { TIMELINE_DEVICES = 64 }; /* the most that there can be */

struct timeline_item {
    enum timeline_kind kind;
    u32 thread, depth;
    u64 context, stream; /* as ncu numbers them; 0: none */
    u32 device;
    bool blocking, waits;
    const char *name; /* of a call */
    u64 bytes, launch, event;
    u64 graph; /* of a graph's launch, and of what it did */
    enum timeline_place from, to;
    const struct meter_report *report; /* of a kernel; NULL: it was not recorded */
    double start, seconds;             /* set by timeline_schedule */
};

struct timeline {
    struct arena mem;
    u32 devices;     /* that something is done on: one more than the largest number */
    u32 process;     /* of the session's */
    u32 last_report; /* while it is read */
    VEC(struct timeline_item) items;
};

/* One process's file, <pid>.line, scheduled. LS_ERR_IO, LS_ERR_NOMEM, LS_ERR_UNSUPPORTED (the GPU's file does not say how
 * fast its link is; a kernel has no modelled time) with a diagnostic. `out` is to be freed in any case. */
enum ls_status timeline_read(const char *path, const struct session *s, u32 process, const struct gpu *gpu,
                             struct timeline *out, struct diag_list *diags);
void timeline_free(struct timeline *t);

/* Of all processes that called CUDA, in a session's folder, by their numbers; `out`, empty before, is to be freed in any case. */
struct timelines {
    struct timeline *all;
    u32 n;
};
enum ls_status timeline_read_folder(const char *folder, const struct session *s, const struct gpu *gpu,
                                    struct timelines *out, struct diag_list *diags);
void timelines_free(struct timelines *t);

/* Gives every item its start and seconds; false: a number of the GPU's file is not known. */
bool timeline_schedule(struct timeline *t, const struct gpu *gpu);

/* "HtoD", "DtoH", "DtoD", "HtoH". */
const char *timeline_direction(const struct timeline_item *i);
const char *timeline_place_name(enum timeline_place p); /* "Pageable", "Pinned", ... as nvprof */
/* It is work of the device: a copy, a fill or a kernel. */
bool timeline_on_device(const struct timeline_item *i);

/* ---- printing: as nvprof did ---- */
void timeline_print_gpu(FILE *out, const struct timeline *t, const struct gpu *gpu, bool csv);
void timeline_print_api(FILE *out, const struct timeline *t, bool csv);
void timeline_print_summary(FILE *out, const struct timeline *t);

/* All processes as one document for chrome://tracing and Perfetto; false: no memory. */
bool timeline_chrome(FILE *out, const struct timeline *all, u32 n, const struct session *s, const struct gpu *gpu);

#endif
