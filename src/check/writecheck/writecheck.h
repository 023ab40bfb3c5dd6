/* writecheck.h - which bytes of device memory were written, by which launch and thread: what the files of writecheck
 * share. Internal.
 *
 * An *output* is an allocation that the last launch which touched it only stored to, plainly: no loads, no atomics.
 * When the host copies from an output, its bytes must have been produced, and by one thread each (write_output.c has
 * the rules).
 *
 * For each word of 4 bytes of device memory there are
 *
 *     a mark (u16)    tag of the launch that wrote it last | filled | word | 4 bits: produced before
 *                     | 4 bits: written by the tag's launch
 *     a writer (u32)  word: number of the thread mod 2^24 | epoch of its block
 *                     else a byte a byte: its block's hash
 *
 * so 1.5 bytes a byte of memory that is written. Tags are 1..63 in turn; before one is used again all marks that bear
 * one are turned into "produced before". */
#ifndef LS_CHECK_WRITECHECK_H
#define LS_CHECK_WRITECHECK_H

#include "base/intern.h"
#include "check/core/tool.h"

enum {
    MARK_NOW = 0xf,     /* a bit a byte: written by the launch of the tag */
    MARK_BEFORE = 0xf0, /* produced by an earlier launch, or copied there */
    MARK_BEFORE_SHIFT = 4,
    MARK_WORD = 1 << 8,   /* the writer is a thread's number and epoch */
    MARK_FILLED = 1 << 9, /* the whole word, and not written since */
    MARK_TAG_SHIFT = 10,
    WRITE_TAGS = 63,
    WRITER_BITS = 24,
    EPOCH_MOST = 255, /* from there on epochs are not told apart */
};

/* What a launch did to an allocation. */
enum { TOUCH_LOAD = 1, TOUCH_STORE = 2, TOUCH_OTHER = 4 /* atomics, volatile stores, textures */ };

/* Two threads wrote different values to one place. */
struct write_clash {
    u64 address, count; /* the first place, how many */
    u32 bytes;
    bool across; /* the threads are of different blocks */
    struct party at, other;
};

struct write_use {
    struct write_use *next;
    u64 serial, base, size;
    u8 touched; /* TOUCH_* */
    u8 widest;  /* the largest store, bytes */
    struct write_clash clash;
};

/* What is remembered of an allocation: its last use. */
struct write_record {
    struct write_record *next;
    struct write_use use;
    u64 launch;
    u32 tag;
    bool data_dependent;             /* the launch used results of atomics: where it wrote may follow from data */
    bool said_unwritten, said_twice; /* of this use */
    const char *kernel;
};

struct write_plane {
    struct shadow marks, writers;
    pthread_mutex_t lock;              /* of what follows; leaf, but under the table of memory */
    struct write_record *records[256]; /* by serial */
    u32 tag;
    u64 newest, unseen; /* serials: of the latest allocation, and of the latest when a launch went unchecked */
    struct arena mem;   /* names */
    struct intern names;
};

/* A launch's (check_launch.of). */
struct write_launch {
    u32 tag;
    bool ordered; /* blocks may be ordered by fences or the grid's barrier */
    bool asked;   /* some atomic gave a result: threads may be ordered by locks and tickets */
};

struct write_site {
    u64 lo, hi; /* the allocation that it touched last */
    struct write_use *use;
    bool special; /* volatile, or with an order: no plain access */
};

struct write_func {
    struct write_func *next;
    const struct ir_func *func;
    struct write_site *sites;
};

struct write_block {
    struct write_block *next;
    const struct exec_block_info *info; /* NULL: free */
    u32 epoch;                          /* 1, and one more at each barrier and __syncwarp */
};

struct write_worker {
    struct write_func *funcs, *func; /* func: of the last event */
    struct write_use *uses;
    struct write_block *blocks, *block;
    bool fenced; /* some thread had a fence of the GPU's scope or wider */
    bool asked;  /* some atomic gave a result */
};

static inline u16 *write_mark(const struct write_plane *p, u64 address) { return shadow_cell(&p->marks, address); }
static inline u32 *write_writer(const struct write_plane *p, u64 address) { return shadow_cell(&p->writers, address); }

/* write_access.c */
void write_access(struct check_worker *w, const struct exec_access *a);

/* write_output.c: a copy to the host. */
void write_host_read(struct check *c, u64 address, u64 size, const struct host_call *call);

/* The record of that allocation, or NULL. The caller locks. */
struct write_record *write_find(struct write_plane *p, u64 serial);

#endif
