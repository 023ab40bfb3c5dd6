/* tool.h - what a tool is made of: instruments, and their state in a process, a launch and a worker. Internal.
 *
 * An *instrument* is a set of functions that receive the engine's events. tools.def lists them; check_launch.c makes
 * one set of hooks from those that the wanted tools need, and calls them in turn. What an instrument keeps is in the
 * members of its name in `of`. Workers share nothing but the shadows of device memory, which are touched by relaxed,
 * unlocked accesses: what two blocks do to the same byte at the same moment is a race of the kernel's, and either order
 * is a right answer. */
#ifndef LS_CHECK_TOOL_H
#define LS_CHECK_TOOL_H

#include <pthread.h>

#include "base/arena.h"
#include "check/core/check.h"
#include "check/core/shadow.h"

struct finding_set;  /* finding_set.h */
struct stream_order; /* stream_order.h */

/* A pointer for each instrument, by the name and types of tools.def. */
struct check_of_process {
#define INSTRUMENT(name, process, launch, worker) struct process *name;
#include "check/tools.def"
};
struct check_of_launch {
#define INSTRUMENT(name, process, launch, worker) struct launch *name;
#include "check/tools.def"
};
struct check_of_worker {
#define INSTRUMENT(name, process, launch, worker) struct worker *name;
#include "check/tools.def"
};

struct check {
    struct check_options options;
    struct mem *mem;
    u64 mem_base, mem_size; /* mem_extent */
    struct finding_set *found;
    pthread_mutex_t lock; /* of found; leaf */
    struct stream_order *order;
    struct allocations *allocations; /* allocations.h: who made and freed what, by serial */
    struct check_of_process of;      /* NULL: the tool is off */
};

/* The state of one worker of a launch. mem's recovery point is set while worker_begin runs; who allocates later uses
 * check_alloc. */
struct check_worker {
    struct check_launch *launch;
    struct check_worker *next;
    unsigned index;
    struct arena mem;           /* for the launch */
    u64 left_out;               /* accesses */
    enum exec_fault_kind first; /* what the first of them did wrong */
    struct check_of_worker of;
};

struct check_launch {
    struct check *check;
    const struct exec_launch *exec;
    struct check_site site;
    struct host_call call;
    struct exec_hooks hooks;
    struct check_worker *workers;           /* a list */
    bool failed;                            /* a worker's state could not be made: it is unchecked */
    const struct check_instrument **active; /* that the tools need, in order */
    unsigned nactive;
    struct arena mem; /* for what the launching thread makes; its recovery point is set while launch_begin runs */
    struct check_of_launch of;
};

/* Every pointer may be NULL. As the hooks of exec.h, with the worker as context. create, launch_begin, worker_begin: false:
 * no memory. worker_begin makes the state of one worker (in w->mem, whose recovery point is set). */
struct check_instrument {
    unsigned tools; /* that need it (enum check_tool, several) */
    /* Of the process: planes of device memory and what happens to it outside of kernels (check.h). made, gone: allocations,
     * under the lock of the table of memory. */
    bool (*create)(struct check *c);
    void (*destroy)(struct check *c);
    void (*made)(struct check *c, const struct mem_block *b);
    void (*gone)(struct check *c, const struct mem_block *b);
    void (*host_wrote)(struct check *c, u64 address, u64 size, u64 op, const struct host_call *call);
    void (*host_read)(struct check *c, u64 address, u64 size, u64 op, const struct host_call *call);
    void (*copied)(struct check *c, u64 to, u64 from, u64 size, u64 op, const struct host_call *call);
    void (*filled)(struct check *c, u64 address, u64 size, u64 op, const struct host_call *call);
    void (*ordered)(struct check *c, u64 base, u64 op, bool freed);
    void (*unseen)(struct check *c);
    /* Of a launch, its workers and blocks. */
    bool (*wanted)(struct check_launch *l); /* false: not for this launch; l->mem's recovery point is set */
    bool (*launch_begin)(struct check_launch *l);
    void (*launch_end)(struct check_launch *l, enum ls_status s, const struct exec_fault *fault);
    bool (*worker_begin)(struct check_worker *w);
    void (*block_begin)(struct check_worker *w, const struct exec_block_info *b);
    void (*block_end)(struct check_worker *w, const struct exec_block_info *b);
    void (*enter)(struct check_worker *w, const struct ir_func *func, u32 block, u32 mask, u32 warp,
                  const struct exec_block_info *b);
    void (*access)(struct check_worker *w, const struct exec_access *a);
    void (*far_access)(struct check_worker *w, const struct exec_access *a, const struct exec_block_info *home);
    void (*barrier)(struct check_worker *w, const struct exec_barrier *b);
    void (*release)(struct check_worker *w, const struct exec_block_info *b, u32 id, const u32 *lanes);
    void (*warp_sync)(struct check_worker *w, const struct exec_warp_sync *s);
    void (*order)(struct check_worker *w, const struct exec_order *o);
    void (*far_order)(struct check_worker *w, const struct exec_order *o, const struct exec_block_info *home);
    void (*exit)(struct check_worker *w, const struct exec_block_info *b, u32 warp, u32 mask);
    void (*heap)(struct check_worker *w, const struct exec_heap *h);
    bool (*fault)(struct check_worker *w, const struct exec_block_info *b, const struct exec_fault *f);
    /* Before `fault` of any. True: the access is left out, it counts as no fault, and nobody else hears of it. */
    bool (*excuse)(struct check_worker *w, const struct exec_block_info *b, const struct exec_fault *f);
};

/* In the order in which they are called. */
#define INSTRUMENT(name, ...) extern const struct check_instrument instrument_##name;
#include "check/tools.def"

extern const struct check_instrument *const check_instruments[];
extern const unsigned check_ninstruments;

/* Takes a finding of this launch: completes kernel, launch, call and allocation, counts it with those of its place (count
 * and threads are added up). Any thread. `key`: findings with the same kind and key are one; finding_key makes the usual one. */
void check_found(struct check_launch *l, struct finding *f, u64 key);
u64 finding_key(const struct ir_func *func, u32 site, const struct ir_func *other, u32 other_site);
/* Whether that place has been found already: then the caller may count only (check_found_again) and spare itself the
 * description. */
bool check_found_again(struct check_launch *l, enum finding_kind kind, u64 key, u64 times);

/* Adds who made and freed the finding's allocation (f->allocation). */
void check_complete(struct check *c, struct finding *f);
/* Hands what waits to the reporter. */
void check_flush(struct check *c);

/* `size` zeroed bytes of an arena whose recovery point is not set; NULL: no memory. */
void *check_alloc(struct arena *mem, size_t size);
void *check_alloc_aligned(struct arena *mem, size_t size, size_t align);
const char *check_copy_text(struct arena *mem, const char *text); /* NULL also of NULL */
/* Room for one more in a vec (base/vec.h); false: no memory. */
#define check_room(mem, v)                                                                                             \
    ((v)->len < (v)->cap || check_grow((mem), (void **)&(v)->at, &(v)->cap, (v)->len, sizeof *(v)->at))
bool check_grow(struct arena *mem, void **at, u32 *cap, u32 len, size_t size);
#define check_new(mem, type) ((type *)check_alloc((mem), sizeof(type)))
#define check_array(mem, type, n) ((type *)check_alloc((mem), sizeof(type) * (size_t)(n)))

/* The block's launch, for tools whose context is the worker. */
static inline struct check *check_of(const struct check_worker *w) { return w->launch->check; }

#endif
