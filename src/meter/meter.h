/* meter.h - from the engine's events to the numbers that Nsight Compute prints.
 *
 *     struct meter *m;
 *     meter_begin(&launch, &gpu, NULL, &m);      before exec_run
 *     launch.hooks = meter_hooks(m);
 *     status = exec_run(&launch, &fault, NULL);
 *     report = meter_end(m);                     frees m; NULL: no memory
 *     meter_value(report, METRIC_gld_requests);  meter_value_of(report, "l1tex__t_requests_...")
 *     meter_report_free(report);
 *
 * Each worker of the engine counts in a context of its own, without locks; meter_end adds them up, so the numbers do
 * not depend on the number of workers. */
#ifndef LS_METER_H
#define LS_METER_H

#include "base/arena.h"
#include "base/base.h"
#include "base/gpu.h"
#include "base/status.h"
#include "exec/exec.h"
#include "meter/metrics.h"
#include "model/device_heap.h"
#include "model/occupancy.h"
#include "model/replay/stalls.h"
#include "model/time.h"

struct meter;
struct caches;

enum { METER_SAMPLING_CYCLES = 2048 }; /* between two samples of a warp of an SM, where numbers of samples are told */

struct address_range {
    u64 base, size;
};

/* What the grids of a launch leave for those that their kernels launched: the launch's own comes first, one runs after the other.
 * All zero before the first. */
struct meter_tree {
    struct caches *caches;
};
void meter_tree_end(struct meter_tree *t);

/* What the caller may choose; NULL or all zero but carveout_kib = -1 is the default. */
/* What is worked out once for a kernel, and kept for its next launches, which may be on several threads at once. NULL: no memory. */
struct meter_kernel;
struct meter_kernel *meter_kernel_make(void);
void meter_kernel_free(struct meter_kernel *k); /* k may be NULL */

struct meter_options {
    i32 carveout_kib;      /* of occupancy_request; -1 = default */
    u32 banks, bank_bytes; /* shared memory to be pictured instead of the GPU's; 0 = the GPU's */
    bool no_lines;         /* leave out the rows by line */
    bool no_memo;          /* compute every access afresh: for tests */
    bool caches;           /* the model of caches, DRAM and time too: the metrics that are modelled */
    bool base_clock;       /* time is modelled at the GPU's base clock, if its file has one, not at the boost clock */
    u64 memory_base; /* of device memory: from there the model counts lines, so that they are the same in every run */
    const struct address_range *host; /* memory of the host's that kernels may touch; is copied */
    u32 nhost;
    struct meter_tree *tree; /* NULL: the grid is modelled as if it were alone */
    /* The device's heap: its size, the allocations before the launch, and what they take (model/device_heap.h) */
    u64 heap_bytes, heap_n, heap_slots[HEAP_SIZES];
    bool pictures; /* keep each memory instruction's addresses in the first block (struct meter_picture) */
    bool machine;  /* keep what ptxas made of the kernel (struct meter_machine), if caches are modelled */
    /* The module's PTX text, and the program that is asked about it, with a folder for its files; NULL = estimate */
    const char *ptx_text, *ptxas, *tmp;
    size_t ptx_len;
    struct meter_kernel *kernel; /* of its launches before; NULL: nothing is kept */
};
#define METER_OPTIONS_DEFAULT ((struct meter_options){.carveout_kib = -1})

/* Events of one PTX instruction. `n` are raw event counters (metrics.h). */
struct meter_line {
    const char *function; /* that contains it */
    const char *file;     /* source file, NULL without .loc */
    u32 line;             /* source line, 0 without .loc */
    u32 ptx_line;
    const char *ptx; /* the instruction as text; NULL in a report that was read from a session */
    u64 n[EVENT_COUNT];
};

/* An instruction that ptxas made of the kernel. What warps waited for at it, and how often it was issued, is of the replay, for
 * the whole launch. */
struct meter_machine {
    const char *text; /* a disassembler's words, or what is known without one (sass_text) */
    const char *pipe; /* that it goes to */
    const char *file; /* of the PTX line that it was made of: source file, NULL without .loc */
    u32 line;         /* source line, 0 without .loc */
    u32 ptx_line;     /* 0: none */
    u64 issued;       /* by warps */
    u64 stalls[STALL_COUNT];
};
enum { METER_MACHINE_BYTES = 16 }; /* from one to the next */

/* The first execution of a memory instruction in the first block. Global and constant addresses count from the start of
 * the 128-byte line that holds the lowest one, the others from the start of their window. */
struct meter_picture {
    const char *file; /* NULL without .loc */
    u32 line, ptx_line;
    const char *space, *op; /* "global", "shared", ...; "ld", "st", "atom", "red" */
    u32 size, mask;         /* bytes a lane; active lanes */
    u64 addr[32];
};

/* One finished launch. Everything it points to is its own. */
struct meter_report {
    struct arena mem;
    const char *kernel;
    const char *device; /* gpu.id */
    const char *status; /* "ok", or why the launch ended; "ok" until the caller sets it (a string that outlives) */
    u64 id;
    /* Launched by a kernel: ids of the grid that did and of the host's grid above them, how many levels below it; all 0
     * for the host's own. `children`: how many grids its threads launched; the caller sets it. */
    u64 parent, root;
    u32 depth, children;
    u64 context, stream; /* ids as ncu prints them, the default stream is 7; the caller sets them; 0: not known */
    u32 ordinal;         /* of the device, as the process numbers them; the caller sets it */
    u64 sequence;        /* number among the session's launches, all processes together; the caller sets it */
    u32 cc[2];           /* of the device: 9, 0 */
    u32 grid[3], block[3];
    u32 cluster[3];                                     /* all 0: the launch names none */
    u32 static_shared, dynamic_shared, shared_reserved; /* bytes a block; reserved: by the system */
    u32 sms, schedulers;                                /* of the device; of an SM */
    u32 registers;                                      /* a thread */
    bool modelled;                                      /* with the modelled metrics */
    u64 modelled_as; /* id of the launch before it whose modelled metrics these are; 0: they are its own */
    bool unlike;     /* without, because it did other work than the launches before it, which is known too late */
    struct model_time time; /* when modelled; of a report that was read from a session: not */
    double seconds;         /* 0 until the caller sets it */
    struct occupancy_result occupancy;
    struct meter_metric {
        double value; /* NaN: not in this report */
        enum metric_kind kind;
    } metrics[METRIC_COUNT];
    u64 n[EVENT_COUNT]; /* the raw counters */
    struct meter_line *lines;
    struct meter_rows *rows;        /* reports of a session may share their lines (session.h); NULL: they are in mem */
    u32 process;                    /* of the session's processes, for a report that was read from one */
    struct meter_picture *pictures; /* when they were asked for */
    u32 npictures;
    struct meter_machine *machine; /* when it was asked for, a ptxas answered and the launch was replayed */
    u32 nmachine;
    const char *machine_by; /* the disassembler whose words they are; NULL: none was there */
    u32 nlines;             /* the instructions that were executed, the kernel's first, by function and PTX line */
};

/* Takes what it needs of `l` (the kernel, the grid); LS_ERR_NOMEM is the only failure. gpu NULL: the device's. */
enum ls_status meter_begin(const struct exec_launch *l, const struct gpu *gpu, const struct meter_options *options,
                           struct meter **out);
/* To be set as the launch's hooks; valid until meter_end. */
const struct exec_hooks *meter_hooks(struct meter *m);
/* Adds the workers up, frees the meter. NULL when there was no memory (then nothing was counted right). */
struct meter_report *meter_end(struct meter *m);
void meter_report_free(struct meter_report *r);
/* So many grids were launched by the launch; the interval of a time is not for launches that do that. */
void meter_report_has_children(struct meter_report *r, u32 n);
/* Adds the events of another launch: metrics that are formulas over events are then those of both together, the others
 * (registers, occupancy) stay those of `to`. Its lines are left out. */
void meter_report_add(struct meter_report *to, const struct meter_report *r);

/* A metric's value; NaN when the report has none. */
double meter_value(const struct meter_report *r, enum metric_id id);
/* By ncu's name or an nvprof alias; NaN for an unknown name too (metric_find tells). */
double meter_value_of(const struct meter_report *r, const char *name);
/* A metric of one line. Only metrics that are formulas over events have one; else NaN. */
double meter_line_value(const struct meter_line *l, enum metric_id id);

/* The rows of r added up by source line, sorted by file and line (ptx_line: the smallest; rows without a source line
 * stay by PTX line). Lives in mem. */
struct meter_line *meter_source_lines(const struct meter_report *r, struct arena *mem, u32 *n);

/* What the launch has to do, for the performance model: from counters alone, and with the launch's shape. */
struct model_work work_of_events(const u64 *n);
struct model_work work_of_report(const struct meter_report *r);

#endif
