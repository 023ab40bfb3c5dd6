/* family.h - what a ladder says about itself: its rungs, and how one of them is run and judged.
 *
 * A family is a folder: <rung>.cu (one rung a file), broken/<rung>.cu (kernels that must be caught), ladder.def (the
 * rungs in order, and by columns what they differ in), columns.h (what the columns mean), host.c (shapes and plans),
 * reference.c (the right answer, on the CPU), README.md. families.def lists the families. The code of a family asks
 * columns, never a rung's name. Nothing here knows of a device: the laboratory (src/lab) carries out plans, reads
 * counters and times.
 *
 * A plan is buffers and steps, made by the functions of plan.c:
 *
 *     u32 in = plan_input(p, BUFFER_FLOAT, n), out = plan_output(p, BUFFER_FLOAT, n);
 *     struct launch *l = plan_launch(p, r->kernel, ceil_div(n, s->bx), s->bx);
 *     launch_buffer(l, out), launch_buffer(l, in), launch_u32(l, n);
 *
 * Most plans are one launch; others copy, use several streams, record events, or launch many kernels. Buffers look like
 * this; a kernel gets the address of payload[0]:
 *
 *     | guard | lead | payload, `count` elements | tail | guard |
 *
 * An input's lead and tail hold data like its payload (a stencil's halo); all else that is not an input's is poison,
 * and guards, an output's lead and tail, and all of an input must be the same afterwards. */
#ifndef LS_KERNELS_FAMILY_H
#define LS_KERNELS_FAMILY_H

#include "base/arena.h"
#include "base/base.h"
#include "base/vec.h"

enum rung_tile { TILE_NONE, TILE_STATIC, TILE_DYNAMIC };

struct columns; /* each family has its own: <family>/columns.h */

struct rung {
    const char *name;   /* its file, without .cu */
    const char *kernel; /* its name in the PTX */
    enum rung_tile tile;
    bool broken;
    const char *about;             /* a few words for lists */
    const struct columns *columns; /* what else its line of ladder.def says */
};

/* A column that the formulas of a family's rungs may use (src/lab/expect.h): a u32 of its struct columns. */
struct rung_column {
    const char *name;
    size_t offset;
};

/* What the user may choose. A family uses n or rows and cols, perhaps k and batch; 0 means its default. */
struct shape {
    u64 n;
    u32 rows, cols;
    u32 k;     /* a third size: the inner length of a product, the width of a filter, a stencil's radius, a stride */
    u32 batch; /* so many problems at once */
    u32 bx, by;
};

/* ---- buffers ---- */

enum buffer_use { BUFFER_IN, BUFFER_OUT, BUFFER_INOUT };
/* Random contents: integers +-1 to +-1000, bytes 1 to 255, numbers +-0.5 to +-2. Never zero: zeros hide sums of what was
 * not written, and run faster on GPUs. */
enum buffer_type { BUFFER_INT, BUFFER_FLOAT, BUFFER_DOUBLE, BUFFER_HALF, BUFFER_BF16, BUFFER_BYTE };
/* Device memory, unless a plan copies: then the host's, malloc'ed or page-locked; or memory that both sides reach. */
enum buffer_place { PLACE_DEVICE, PLACE_PAGEABLE, PLACE_PINNED, PLACE_MAPPED, PLACE_MANAGED };

struct buffer {
    enum buffer_use use;
    enum buffer_type type;
    enum buffer_place place;
    u64 count, lead, tail; /* elements */
    const void *fixed;     /* an input's lead, payload and tail; NULL: random */
};

/* ---- steps ---- */

enum {
    PLAN_BUFFERS = 12,
    PLAN_ARGS = 16,
    PLAN_CONSTANTS = 4,
    PLAN_TEXTURES = 2,
    PLAN_MAPS = 2,
    PLAN_STREAMS = 5,
    PLAN_EVENTS = 16,
    PLAN_MARKS = 4
};

enum arg_kind { ARG_VALUE, ARG_BUFFER, ARG_TEXTURE, ARG_MAP };

struct plan_arg {
    enum arg_kind kind;
    u32 index; /* of the buffer, texture or map */
    u64 value; /* or the element of the buffer that it points to */
};

struct launch {
    const char *kernel;
    u32 grid[3], block[3];
    u32 cluster[3];     /* blocks; 0: no clusters */
    u32 dynamic_shared; /* bytes; above 48 KiB the laboratory asks for it */
    bool cooperative;
    i32 carveout; /* preferred, percent of shared memory; -1: the driver's choice */
    struct plan_arg args[PLAN_ARGS];
    u32 nargs;
};

enum step_kind {
    STEP_LAUNCH,
    STEP_COPY,     /* elements of one buffer to another, in stream order */
    STEP_SET,      /* elements of a device buffer to a byte value */
    STEP_PREFETCH, /* a managed buffer to the device, or (value 1) to the host */
    STEP_RECORD,   /* an event, in its stream */
    STEP_WAIT,     /* the stream waits for the event */
    STEP_SYNC,     /* the host waits for the stream; stream 0: for everything */
    STEP_POKE,     /* the host writes `value` to an element of a mapped or pinned buffer */
    STEP_MARK,     /* the host looks at its clock */
    STEP_ALLOC,    /* the host allocates `count` bytes of device memory */
    STEP_FREE,     /* and frees what was allocated last */
    STEP_TOUCH,    /* the host reads a host, mapped or managed buffer (it has waited for the device before) */
};

struct step {
    enum step_kind kind;
    u32 stream;         /* 0: the default stream */
    u32 to, from;       /* buffers; events and marks: `to` is the index */
    u64 to_at, from_at; /* elements */
    u64 count;          /* elements; STEP_ALLOC: bytes */
    u64 value;
    struct launch *launch;
};

/* A texture object over a 2D array (rows > 0) or a 1D one; filled from a buffer, row by row. */
struct plan_texture {
    u32 buffer;
    u32 cols, rows;
    bool linear;     /* filter */
    bool normalized; /* coordinates */
    u32 address;     /* CU_TR_ADDRESS_MODE: 0 wrap, 1 clamp, 2 mirror, 3 border */
};

/* A tensor map of a matrix that a buffer holds, from its lead on, and the boxes that copies take of it; what is outside of the matrix is
 * zero. A kernel gets the map's device address. Rows have a multiple of 16 bytes. */
struct plan_map {
    u32 buffer;
    u32 rows, cols;         /* elements; rows 0: one dimension */
    u32 box_rows, box_cols; /* at most 256 */
    bool swizzled;          /* over rows of 128 bytes */
};

struct plan_constant {
    const char *name; /* of the __constant__ variable */
    const void *data;
    u32 bytes;
};

/* What to do for one rung and shape. Memory that it points to is static or its arena's. */
struct plan {
    struct arena *mem;
    struct buffer buffers[PLAN_BUFFERS];
    u32 nbuffers;
    struct plan_constant constants[PLAN_CONSTANTS];
    u32 nconstants;
    struct plan_texture textures[PLAN_TEXTURES];
    u32 ntextures;
    struct plan_map maps[PLAN_MAPS];
    u32 nmaps;
    VEC(struct step) steps;
    u64 useful_bytes;    /* what any program for this task must move; for effective bandwidth */
    double flops;        /* arithmetic that any program for this task must do, for the roofline; 0: not of interest */
    u32 schedules;       /* on the CPU: run under so many shuffled schedules with weak memory too; 0: none */
    bool device_runtime; /* launches kernels from kernels */
};

/* Random input, poisoned output, random in and out. Each returns the buffer's index. */
u32 plan_buffer(struct plan *p, struct buffer b);
u32 plan_input(struct plan *p, enum buffer_type type, u64 count);
u32 plan_fixed(struct plan *p, enum buffer_type type, u64 count, const void *contents);
u32 plan_output(struct plan *p, enum buffer_type type, u64 count);
u32 plan_inout(struct plan *p, enum buffer_type type, u64 count);
void plan_constant(struct plan *p, const char *name, const void *data, u32 bytes);
u32 plan_texture(struct plan *p, struct plan_texture t);
u32 plan_map(struct plan *p, struct plan_map m);

/* A launch of blocks x 1 x 1 blocks of threads x 1 x 1; set more in the result, which is the plan's. */
struct launch *plan_launch(struct plan *p, const char *kernel, u64 blocks, u32 threads);
struct launch *plan_launch_2d(struct plan *p, const char *kernel, u64 grid_x, u64 grid_y, u32 bx, u32 by);
struct launch *plan_launch_in(struct plan *p, u32 stream, const char *kernel, u64 blocks, u32 threads);
/* Clusters of so many blocks along x, to which the grid is rounded up; 0: none. */
void launch_clusters(struct launch *l, u32 blocks);
void launch_buffer(struct launch *l, u32 buffer);
void launch_pointer(struct launch *l, u32 buffer, u64 element);
void launch_texture(struct launch *l, u32 texture);
void launch_map(struct launch *l, u32 map);
void launch_u32(struct launch *l, u32 v);
void launch_u64(struct launch *l, u64 v);
void launch_f32(struct launch *l, f32 v);
/* Any other step; see enum step_kind for the fields that it uses. */
void plan_step(struct plan *p, struct step s);

/* The launch that stands for the plan: the first of the rung's own kernel, or else the first; NULL: none. */
const struct launch *plan_main(const struct plan *p, const struct rung *r);
u32 buffer_element(enum buffer_type type); /* bytes */

/* ---- judgement ---- */

/* What the reference thinks of an output. */
struct check {
    u64 wrong;               /* elements out of bounds */
    u64 first;               /* the first of them */
    double got, want, bound; /* there; or where the error was largest, when none is wrong */
    double worst;            /* the largest error */
    double cycles_per_step;  /* by the kernel's own clock, where it reads one for that; 0: it does not */
};

/* What the reference has to go by: payloads before and after, a buffer's lead at negative indices. After: only what may
 * change (outputs, in-outs), else NULL. */
struct outcome {
    const struct rung *rung;
    const struct shape *shape;
    const struct plan *plan;
    const void *before[PLAN_BUFFERS];
    const void *after[PLAN_BUFFERS];
};

struct family {
    const char *name, *about;
    bool matrix;              /* rows and cols; else n */
    const char *third;        /* what k is here ("inner length"), or NULL: not used */
    bool batched;             /* uses batch */
    const char *columns;      /* groups of the table (report/columns.c): "gld gst sld sst"; NULL: the usual */
    const struct rung *rungs; /* in order; the broken ones last */
    u32 nrungs;
    const struct rung_column *formula_columns;               /* up to one without a name; NULL: none */
    void (*defaults)(const struct rung *r, struct shape *s); /* replaces zeros */
    /* The i-th shape to be verified for a block like that of `base`; false past the last. */
    bool (*awkward)(const struct rung *r, const struct shape *base, u32 i, struct shape *out);
    /* Fills the plan, which is empty but for its arena; or why this rung does not take this shape. */
    const char *(*plan)(const struct rung *r, const struct shape *s, struct plan *out);
    void (*check)(const struct outcome *o, struct check *c);
};

/* All families, in the order of families.def. */
extern const struct family *const kernel_families[];
extern const u32 kernel_family_count;

/* Records one element; !(error <= bound), so that NaN is wrong. */
void check_element(struct check *c, u64 i, double got, double want, double bound);

static inline u32 ceil_div(u64 a, u64 b) { return (u32)((a + b - 1) / b); }

/* A rung's machine code and source, built into the program. Rungs with a tile of fixed size are there once a tile. */
struct embedded {
    const char *family, *rung;
    bool broken;
    u32 tile_x, tile_y;       /* 0: for any block */
    const char *ptx, *source; /* texts */
    const char *path;         /* the source's, from the project's root */
};

extern const struct embedded kernel_embedded[];
extern const u32 kernel_embedded_count;

/* The code of a rung for this block; NULL when it was not built for such a tile. */
const struct embedded *kernel_code(const struct family *f, const struct rung *r, u32 bx, u32 by);

#endif
