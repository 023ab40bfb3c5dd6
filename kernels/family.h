/* family.h - what a ladder says about itself: its rungs, and how one of them is launched and judged.
 *
 * A family is a folder: <rung>.cu (one rung a file), broken/<rung>.cu (kernels that must be caught), ladder.def (the
 * rungs in order), host.c (shapes, buffers, launch geometry), reference.c (the right answer, on the CPU), README.md.
 * Nothing here knows of a device: the laboratory (src/lab) allocates, launches, reads counters and times.
 *
 * Buffers on the device look like this; a rung gets the address of payload[0]:
 *
 *     | guard | lead | payload, `count` elements | tail | guard |
 *
 * An input's lead and tail hold data like its payload (a stencil's halo); all else that is not an input's is poison,
 * and guards, an output's lead and tail, and the payload of an input must be the same after the launch. */
#ifndef LS_KERNELS_FAMILY_H
#define LS_KERNELS_FAMILY_H

#include "base/base.h"

enum rung_tile { TILE_NONE, TILE_STATIC, TILE_DYNAMIC };

struct rung {
    const char *name;   /* its file, without .cu */
    const char *kernel; /* its name in the PTX */
    enum rung_tile tile;
    u8 unroll; /* elements a thread */
    u8 pad;    /* words added to a row of the tile */
    bool broken;
    const char *about; /* a few words for lists */
};

/* What the user may choose. A family uses n or rows and cols, and 0 means its default. */
struct shape {
    u64 n;
    u32 rows, cols;
    u32 bx, by;
};

enum buffer_use { BUFFER_IN, BUFFER_OUT, BUFFER_INOUT };
enum buffer_type { BUFFER_INT, BUFFER_FLOAT }; /* 4 bytes both */

struct buffer {
    enum buffer_use use;
    enum buffer_type type;
    u64 count, lead, tail; /* elements */
    const void *fixed;     /* an input's contents; NULL: random, never zero */
};

enum { PLAN_BUFFERS = 3, PLAN_ARGS = 6 };

struct plan_arg {
    i32 buffer; /* index; -1: value */
    u32 value;
};

/* A launch. Memory that it points to is static. */
struct plan {
    u32 grid[3], block[3];
    u32 dynamic_shared; /* bytes */
    struct buffer buffers[PLAN_BUFFERS];
    u32 nbuffers;
    u32 output; /* which of them the reference judges */
    struct plan_arg args[PLAN_ARGS];
    u32 nargs;
    const char *constant; /* a __constant__ variable to be set, or NULL */
    const void *constant_data;
    u32 constant_bytes;
    u64 useful_bytes; /* what any program for this task must move; for effective bandwidth */
};

/* What the reference thinks of an output. */
struct check {
    u64 wrong;               /* elements out of bounds */
    u64 first;               /* the first of them */
    double got, want, bound; /* there; or where the error was largest, when none is wrong */
    double worst;            /* the largest error */
};

struct family {
    const char *name, *about;
    bool matrix;              /* rows and cols; else n */
    const struct rung *rungs; /* in order; the broken ones last */
    u32 nrungs;
    void (*defaults)(const struct rung *r, struct shape *s); /* replaces zeros */
    /* The i-th shape to be verified for a block like that of `base`; false past the last. */
    bool (*awkward)(const struct rung *r, const struct shape *base, u32 i, struct shape *out);
    /* Fills the plan; or why this rung does not take this shape. */
    const char *(*plan)(const struct rung *r, const struct shape *s, struct plan *out);
    /* Payload of every buffer before the launch (its lead is at negative indices), and of the output after it. */
    void (*check)(const struct rung *r, const struct shape *s, const void *const before[PLAN_BUFFERS],
                  const void *output, struct check *c);
};

/* All families, in the order of the tutorial. */
extern const struct family *const kernel_families[];
extern const u32 kernel_family_count;

/* Records one element; !(error <= bound), so that NaN is wrong. */
void check_element(struct check *c, u64 i, double got, double want, double bound);

static inline u32 ceil_div(u64 a, u64 b)
{
    return (u32)((a + b - 1) / b);
}

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
