/* exec.h - the engine as the driver, the meter and the checks see it: devices, modules, launches, hooks and faults.
 *
 * Threads: a device and a module may be used from several threads at once; a launch runs on the calling thread and on
 * helpers that it starts. */
#ifndef LS_EXEC_H
#define LS_EXEC_H

#include "base/base.h"
#include "base/gpu.h"
#include "base/status.h"
#include "exec/memory/device_memory.h"
#include "ir/ir.h"

/* ---- device ---- */

/* Levels of the processor's instructions. */
enum exec_isa { ISA_PORTABLE, ISA_V3, ISA_V4, ISA_COUNT };
const char *exec_level(void); /* the best that this processor has: "x86-64-v4", "x86-64-v3" or "portable" */

struct tier_cache;

struct exec_device {
    struct gpu gpu;
    struct mem *mem;
    struct textures *textures; /* texture.h */
    u64 heap_bytes;            /* limit of device-side malloc */
    u64 printf_bytes;          /* size of the printf buffer: what exceeds it in one launch is dropped, as on a GPU */
    u64 stack_bytes;           /* limit of a thread's stack */
    u64 timer_floor;           /* %globaltimer of the next launch begins no earlier (clock.h) */
    /* How functions are lowered, so to be set before the first is. */
    enum exec_isa isa; /* the best that the processor has, unless it is set to another one that it has */
    u8 tier;           /* whether kernels are compiled (exec/tier/tier.h): TIER_AUTO and so on (settings.h); 0: off */
    const struct tier_cache *tier_cache; /* where compiled kernels are kept (exec/tier/cache.h); NULL: nowhere */
    bool weak_memory; /* stores become visible to other blocks late and in any order that PTX allows (weak.h) */
    bool keep_apart;  /* every virtual register has its own slot: for tests */
    u32 shared_gap; /* bytes between the shared variables of a kernel (dynamic memory is the last of them) that belong to
                         none: for checks. The limits do not count them */
};

enum ls_status exec_device_init(struct exec_device *d, const struct gpu *gpu);
void exec_device_free(struct exec_device *d);
/* n of the same GPU, which share a range of addresses (device_memory.h) and texture objects: what an object shows is
 * memory, which a device may touch or not. Freed one by one, the first one last. */
enum ls_status exec_devices_init(struct exec_device *d, unsigned n, const struct gpu *gpu);

/* ---- modules ---- */

struct exec_module;

/* Links n parsed modules (externs of one are found in another), gives their variables device memory and initial
 * values. Takes ownership of the ptx_modules, also on failure. Functions are lowered when first asked for. */
enum ls_status exec_module_load(struct exec_device *d, struct ptx_module **mods, unsigned n, struct exec_module **out,
                                struct diag_list *diags);
void exec_module_free(struct exec_module *m);
/* The same for a module that another device has already: its managed variables are that one's, so that there is one of
 * each. sibling: made of the same texts; NULL: there is none. */
enum ls_status exec_module_load_beside(struct exec_device *d, struct ptx_module **mods, unsigned n,
                                       const struct exec_module *sibling, struct exec_module **out,
                                       struct diag_list *diags);
/* m is about to be freed: the managed variables that it frees are now the sibling's to free. */
void exec_module_hand_over(struct exec_module *m, struct exec_module *sibling);

/* A kernel by name, lowered; NULL when there is none. The function may be poisoned: launching it reports why. */
const struct ir_func *exec_module_kernel(struct exec_module *m, const char *name);
const char *exec_module_kernel_name(const struct exec_module *m, unsigned n); /* n-th kernel, NULL past the last */
/* The shared variable of a kernel that the offset lies in, or else the last one before it; false: there is none. *size 0:
 * dynamic shared memory, which is as large as the launch says. */
bool exec_shared_variable(const struct ir_func *kernel, u64 offset, const char **name, u64 *base, u64 *size);
/* A global or constant variable by name: device address and size. */
bool exec_module_global(struct exec_module *m, const char *name, u64 *address, u64 *size, bool *managed);

/* ---- faults ---- */

/* FAULT(name, text, CUDA error name): faults.def */
enum exec_fault_kind {
#define FAULT(name, text, cuda) FAULT_##name,
#include "exec/faults.def"
#undef FAULT
};
_Static_assert(FAULT_NONE == 0, "a zeroed fault is none");

/* What ended a kernel. Filled by the engine, printed by exec_fault_text alone. */
struct exec_fault {
    enum exec_fault_kind kind;
    const char *kernel;   /* interned in its module */
    const char *function; /* where it happened: the kernel or a device function */
    u32 block[3], thread[3];
    u32 ptx_line, source_line; /* 0 = unknown */
    u32 source_column;
    const char *ptx_file, *source_file;
    const struct ir_func *func; /* and the instruction in it; NULL when there is none */
    u32 site;
    u64 address, size; /* memory faults */
    u8 space;          /* enum ptx_space */
    bool write, atomic;
    char detail[1024];     /* the nearest allocation, the waiting warps of a deadlock, the failed assertion */
    char launched_by[512]; /* a grid that a kernel launched: by which thread, a line a level, the nearest first */
};

/* The fault as a few lines of text; ls_realloc'ed. */
char *exec_fault_text(const struct exec_fault *f);
const char *exec_fault_cuda_name(enum exec_fault_kind kind); /* "CUDA_ERROR_ILLEGAL_ADDRESS" */

/* ---- events ---- */

enum exec_access_op { ACCESS_LD, ACCESS_ST, ACCESS_ATOM, ACCESS_RED };
enum exec_pattern {
    PATTERN_GATHER,     /* look at addr */
    PATTERN_UNIFORM,    /* every active lane: addr[first] */
    PATTERN_CONTIGUOUS, /* all 32 lanes active, addr[i] = addr[0] + i * size */
};

struct exec_block_info;

/* One execution of one memory instruction by a warp, before it is done. Lanes that fault are not in it. Valid during the
 * call only. */
struct exec_access {
    const struct ir_func *func; /* the function that contains the instruction */
    u32 site;
    u32 mask;   /* active lanes, not 0 */
    u8 space;   /* SPACE_GLOBAL LOCAL SHARED CONST PARAM; generic accesses are reported by the space they hit,
                       one event a space. SPACE_TEX: a texture or surface (the site's opcode says which), by one of the
                       texels that each lane touched */
    u8 op;      /* enum exec_access_op */
    u8 size;    /* bytes a lane, of the whole vector: 1..32 */
    u8 pattern; /* enum exec_pattern; always GATHER for local */
    u8 atom_op; /* ACCESS_ATOM/RED: enum ptx_mod of the operation (MOD_ADD, MOD_CAS, ...) */
    u8 type;    /* enum ptx_type of the element */
    bool generic;
    u32 warp;         /* in its block */
    bool async;       /* cp.async, bulk copies: the memory is touched some time before the wait for it ends */
    bool uncounted;   /* not through the load-store unit, so it is not counted: bulk copies (async too) and what
                        built-in functions touch. One lane and up to 16 bytes an event */
    bool again;       /* all lanes are active, and each is as far from lane 0 as in every other access of this site
                        that says so */
    const u32 *bytes; /* cp.async: [32], what each lane reads of `size`; else NULL */
    const struct exec_block_info *block; /* until block_end; NULL in a test's own events */
    const struct ir_inst *pc;            /* for exec_access_value; NULL where there are no values to ask for */
    const u8 *regs;
    const u64 *addr; /* [32]; only active lanes are meaningful. global, const: device address; shared: offset in the
                        block's window; local: offset in the lane's own local memory */
};

/* Where a block runs and which it is. */
struct exec_block_info {
    u32 id[3];
    u64 linear;
    u32 sm, slot; /* as the launch order deals them to the device's SMs */
    u32 threads, warps;
    const u8 *shared; /* the block's shared memory as it is now: what a check may read */
    u64 shared_bytes; /* all of it: the kernel's own, static and dynamic, and what is reserved behind */
    u64 reserved_at;  /* where what cooperative groups use begins: zeros at first; shared_bytes: there is none */
    u64 cluster;      /* the number of the first block of its cluster */
    u32 rank;         /* in it */
    u32 cluster_size; /* 1: it is one by itself */
    const struct exec_launch *launch; /* the grid's */
};

/* A bulk copy or reduction (PTX ISA 9.7.9.25.4, .5), its prefetch, st.async or red.async, as one lane issues it: once, however many
 * blocks it goes to. Where shared memory is a part of it, it is that of the blocks of the cluster in `blocks`, at the same place in
 * each, and so is the mbarrier. */
struct exec_bulk {
    const struct ir_func *func;
    u32 site, warp, lane;
    const struct ir_bulk *what;   /* ir/async.h */
    const struct tensor_box *box; /* exec/sync/tensor.h; NULL: it has no tensor map */
    u32 bytes;                    /* of shared memory, in one block; of a prefetch what it asks for */
    u32 blocks;                   /* a bit each, by rank */
    u64 shared;                   /* the offset in their shared memory */
    u64 address;                  /* of global memory, without a map */
    u64 barrier;                  /* the offset of the mbarrier at which the bytes arrive; UINT64_MAX: none */
    bool first;                   /* of the instruction's lanes */
    const struct exec_block_info *block;
    /* Tells the bytes of global memory: row by row, in pieces that shared memory has in one line of 128 bytes. */
    void (*rows)(const struct exec_bulk *b, void (*fn)(void *ctx, u64 address, u32 bytes), void *ctx);
};

/* A warp's arrival at a barrier of its block. */
enum exec_barrier_op { EXEC_BARRIER_SYNC, EXEC_BARRIER_ARRIVE, EXEC_BARRIER_REDUCE };
struct exec_barrier {
    const struct ir_func *func;
    u32 site, warp;
    u32 mask;     /* lanes that arrive */
    u32 exited;   /* lanes of the warp that have exited or never were */
    u8 id;        /* 0..15; 16: the cluster's */
    u8 op;        /* enum exec_barrier_op */
    bool aligned; /* all lanes of the warp must come together (bar, barrier.aligned) */
    u32 threads;  /* the count, 0: all of the block */
    const struct exec_block_info *block;
};

/* A warp-wide operation that fires: all lanes of `members` that have not exited are there. Shuffles in which all 32 lanes
 * name all 32 are not told. */
struct exec_warp_sync {
    const struct ir_func *func; /* of the first lane */
    u32 site, warp;
    u32 lanes;   /* that take part */
    u32 members; /* the mask that they gave; `lanes` has those, too, that are outside their own mask */
    u32 reads;   /* shfl: lanes whose value another lane takes, whether they take part or not; else 0 */
    u32 exited;
    bool orders; /* bar.warp.sync: memory accesses of the lanes are ordered by it; shuffles and votes order nothing */
    const struct exec_block_info *block;
};

/* What orders accesses besides barriers. */
enum exec_order_op {
    EXEC_FENCE,       /* membar, fence; scope says how far */
    EXEC_COPY_COMMIT, /* cp.async.commit_group, cp.async.bulk.commit_group */
    EXEC_COPY_WAIT,   /* cp.async.wait_group n (value; UINT32_MAX: all, committed or not) and wait_all */
    EXEC_MBARRIER_INIT,
    EXEC_MBARRIER_ARRIVE, /* also arrive_drop, and the arrival of bytes of a bulk copy */
    EXEC_MBARRIER_COPIES, /* cp.async.mbarrier.arrive: the lanes' copies so far count as arrived */
    EXEC_MBARRIER_WAIT,   /* test_wait and try_wait that say that the phase is over: mask has these lanes alone */
    EXEC_MBARRIER_INVAL,
    EXEC_CLUSTER_WAIT, /* far_order alone: barrier.cluster.wait, as it begins */
    EXEC_SLEEP,        /* nanosleep, which orders nothing, for value ns: of lanes that differ the fewest */
};
enum exec_scope { EXEC_SCOPE_BLOCK, EXEC_SCOPE_CLUSTER, EXEC_SCOPE_GPU, EXEC_SCOPE_SYSTEM }; /* the narrowest first */
struct exec_order {
    const struct ir_func *func;
    u32 site, warp, mask;
    u8 op;     /* enum exec_order_op */
    u8 scope;  /* EXEC_FENCE: enum exec_scope */
    bool bulk; /* groups of bulk copies, which are counted apart; EXEC_MBARRIER_ARRIVE: the bytes of a bulk copy */
    u32 value; /* EXEC_COPY_WAIT, EXEC_SLEEP */
    const struct exec_block_info *block;
    const u64 *addr; /* mbarriers: [32], offsets in the block's shared memory; else NULL */
    u32 dead;        /* mbarriers: the lanes of mask whose object mbarrier.inval had ended before */
};

/* A call of malloc on the device by one lane. */
struct exec_heap {
    const struct ir_func *func;
    u32 site, warp;
    unsigned lane;
    u64 size, address; /* address 0: it gave NULL */
    const struct exec_block_info *block;
};

/* What the engine counts itself instead of telling it: of one function, by one worker. */
struct exec_block_count {
    u64 warps, threads; /* that entered a basic block */
};
/* Loads and stores of so plain a shape that their number says what they cost. A generic one is only counted where it
 * hits global memory. */
enum exec_plain {
    PLAIN_ROW,       /* PATTERN_CONTIGUOUS, from a multiple of 32 bytes on */
    PLAIN_ROW_OFF,   /* PATTERN_CONTIGUOUS, from elsewhere */
    PLAIN_SAME,      /* PATTERN_UNIFORM, all 32 lanes */
    PLAIN_SAME_SOME, /* PATTERN_UNIFORM, fewer lanes */
    PLAIN_AGAIN,     /* as the last that was told with `again`: lane 0, too, is `phase` behind a multiple of 32 bytes */
    PLAIN_SHAPES
};
struct exec_site_count {
    u64 n
        [PLAIN_SHAPES]; /* 0: accesses of that shape are told; else 1 + how many there were since the instrument set 1 */
    u32 phase;          /* the instrument's */
};
struct exec_counts {
    struct exec_block_count *blocks; /* by basic block; NULL: entries are told */
    struct exec_site_count *sites;   /* by site; NULL: all accesses are told */
};

/* Every pointer may be NULL. `ctx` is what worker_begin returned (one for a worker thread, so no locks are needed).
 * Order within a warp is program order; between warps of a block it is the schedule; between workers none. */
struct exec_hooks {
    void *launch;                                         /* passed to worker_begin */
    void *(*worker_begin)(void *launch, unsigned worker); /* on the launching thread, before any other event */
    /* Where the engine may count for itself in func. Once a worker and function, before func's first event; what it
     * points to must live until the launch has ended. Never asked by a kernel that reads a clock. Who has it is also told of
     * accesses by compiled code, whose values cannot be asked for. */
    struct exec_counts (*counts)(void *ctx, const struct ir_func *func);
    void (*block_begin)(void *ctx, const struct exec_block_info *b);
    void (*block_end)(void *ctx, const struct exec_block_info *b);
    /* Warp `warp` of block b enters basic block `block` of func with these lanes. Accounts for every instruction in it. */
    void (*enter)(void *ctx, const struct ir_func *func, u32 block, u32 mask, u32 warp,
                  const struct exec_block_info *b);
    /* The branch at site sent some lanes of mask to its target (taken) and the others on; both sides are not empty.
     * For brx and indirect calls once an execution, taken = the first target's lanes. */
    void (*diverge)(void *ctx, const struct ir_func *func, u32 site, u32 mask, u32 taken);
    void (*access)(void *ctx, const struct exec_access *a);
    /* The same of shared memory of another block of the cluster, home: a's offsets are of that block's. Always
     * PATTERN_GATHER; `access` does not hear of it. Lanes that mean different blocks are one event a block, of which
     * all but the first say `again`. */
    void (*far_access)(void *ctx, const struct exec_access *a, const struct exec_block_info *home);
    /* Those above make a launch run traced code; those below are called from fast code too. */

    void (*bulk)(void *ctx, const struct exec_bulk *b);
    bool whole; /* who has this hook wants no access events of what bulk copies and products of warpgroups touch */

    /* bar.sync / barrier / bar.arrive / bar.red by these lanes of the warp, once a warp's arrival. */
    void (*barrier)(void *ctx, const struct exec_barrier *b);
    /* Barrier `id` is complete: lanes[w] are those of warp w that arrived, block->warps of them. After the last arrival
     * and before anybody goes on. */
    void (*release)(void *ctx, const struct exec_block_info *b, u32 id, const u32 *lanes);
    void (*warp_sync)(void *ctx, const struct exec_warp_sync *s);
    /* match.any at site: how many different values its lanes have. */
    void (*match)(void *ctx, const struct ir_func *func, u32 site, u32 values);
    void (*order)(void *ctx, const struct exec_order *o);
    /* What is done to mbarriers of another block of the cluster, home, and EXEC_CLUSTER_WAIT, of which home is the
     * block itself. `order` does not hear of it. */
    void (*far_order)(void *ctx, const struct exec_order *o, const struct exec_block_info *home);
    /* These lanes have exited (or returned from the kernel). */
    void (*exit)(void *ctx, const struct exec_block_info *b, u32 warp, u32 mask);
    void (*heap)(void *ctx, const struct exec_heap *h);
    /* A lane is about to fault. True: its access is left out (what it loads is 0, what it stores is lost) and the kernel
     * goes on. False, or no hook: the fault ends the kernel. Asked only where going on is possible: accesses of memory
     * and device-side free (size 0). */
    bool (*fault)(void *ctx, const struct exec_block_info *b, const struct exec_fault *f);
};

/* What lane `lane` of a store, atomic or reduction is about to write (or combine; cas: its new value), up to 32 bytes as
 * in memory; for a load what the memory holds. The number of bytes, 0 when it cannot be told (what copies and matrix
 * instructions store). Inside the access hook only. */
u32 exec_access_value(const struct exec_access *a, unsigned lane, u8 out[32]);

/* Where another lane of the warp that an event is about is. */
struct exec_place {
    const struct ir_func *func;
    u32 site;       /* what it runs next, or waits at */
    bool waits;     /* at a barrier or a warp-wide operation */
    bool outermost; /* func is the kernel, not a function that it calls */
};
/* Inside a hook only, of the event's own warp. False: the lane has exited, or is one of those that run now. */
bool exec_lane_at(const struct exec_block_info *b, u32 warp, unsigned lane, struct exec_place *out);

/* ---- launches ---- */

struct exec_children;

struct exec_launch {
    struct exec_device *device;
    struct exec_module *module;
    const struct ir_func *kernel;
    u32 grid[3], block[3];
    u32 cluster[3]; /* blocks of a cluster, which divides the grid; all 0: the launch names none, each block is one */
    u32 dynamic_shared; /* bytes */
    const void *params; /* kernel->param_bytes bytes, laid out at the parameters' offsets */
    bool cooperative;   /* all blocks are resident at once; the caller has checked that they fit */
    u64 id;             /* %gridid */
    /* Where grids that kernels launch (dynamic parallelism) go; NULL: exec_run runs them too, with these hooks. */
    struct exec_children *children;
    u32 pending_launches; /* the most that may wait (cudaLimitDevRuntimePendingLaunchCount); 0: 2048, CUDA's default */
    u32 depth;            /* 0: launched by the host; set by exec_run_tree, like the two below */
    u64 parent, root;     /* ids of the grid that launched this one (0: the host), and of the host's grid above it */
    const struct exec_hooks *hooks; /* NULL: fast */
    /* Copies and fills (from = 0) that kernels asked for, a row at a time, when they have been done; may be NULL. On the
     * thread of exec_run_tree, between grids. */
    void (*copied)(void *ctx, u64 to, u64 from, u64 size);
    void *copied_ctx;
    unsigned workers;     /* threads; 0 = one a core */
    u64 seed;             /* 0 = launch order; else shuffles warp and block order. Weak memory's chances are its, too */
    u64 max_instructions; /* watchdog, warp instructions, approximately; 0 = none */
    double max_seconds;   /* watchdog; 0 = none */
    bool one_lane;        /* every lane runs alone, a split of its own: for tests */
    /* Text of printf in the order of the blocks that ran; called on the launching thread when the launch ends, also
     * when it faults. NULL drops it. */
    void (*print)(void *ctx, const char *text, size_t len);
    void *print_ctx;
    /* Accesses that run past the end of an allocation where a GPU lets them pass (mem_behind): they take place. Called
     * on the launching thread when the grid has ended, also when it faulted, with the one that went furthest, as the
     * fault that it is otherwise, and by how many bytes. NULL, or a fault hook is there: they are faults. */
    void (*behind)(void *ctx, const struct exec_fault *furthest, u64 bytes);
    void *behind_ctx;
    /* Set by another thread to stop the launch (process exit). May be NULL. */
    const volatile bool *cancel;
};

struct exec_stats {
    u64 blocks, warps;
    u64 loop_instructions; /* warp instructions in loops, about: what the watchdog counts */
};

/* Runs the grid to its end. LS_OK; LS_ERR_FAULT or LS_ERR_TIMEOUT with *fault filled; LS_ERR_LIMIT (a limit of the
 * device, named in fault->detail), LS_ERR_UNSUPPORTED (poisoned kernel, why is in fault->detail), LS_ERR_NOMEM. */
enum ls_status exec_run(const struct exec_launch *l, struct exec_fault *fault, struct exec_stats *stats);

/* Runs a grid of the host's and then all that its kernels launch, parents before children (child.h). `run` runs one of
 * them by exec_run, with the hooks that it wants for this one; it may give it an id and must leave l->children alone. The
 * first failure ends the tree. */
typedef enum ls_status exec_run_one(void *ctx, struct exec_launch *l, struct exec_fault *fault);
enum ls_status exec_run_tree(const struct exec_launch *l, exec_run_one *run, void *ctx, struct exec_fault *fault);
/* After exec_run, within `run`: how many grids it launched, and how many launches failed. */
void exec_children_count(const struct exec_children *c, u32 *launched, u32 *refused);

#endif
