/* grid.c - a launch: its checks, what it needs of memory, and what comes of it. Its blocks are run by worker.c and crew.c. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "exec/device/builtin.h"
#include "exec/device/child.h"
#include "exec/gate/gate.h"
#include "exec/progress.h"
#include "exec/sched.h"
#include "exec/sync/cluster.h"
#include "exec/tier/tier.h"
#include "ptx/declared.h"

double exec_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Asked once: the C library reads a file each time. */
unsigned exec_processors(void)
{
    static atomic_uint known;
    unsigned n = atomic_load_explicit(&known, memory_order_relaxed);
    if (n)
        return n;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    n = online > 0 ? (unsigned)online : 1;
    atomic_store_explicit(&known, n, memory_order_relaxed);
    return n;
}

u64 worker_random(struct worker *w)
{
    w->rng = w->rng * 6364136223846793005u + 1442695040888963407u; /* Knuth's MMIX generator */
    return w->rng >> 33;
}

/* ---- printf ---- */

struct print {
    struct print *next;
    u64 block;
    size_t len;
    char text[];
};

void exec_print(struct warp *w, const char *text, size_t len)
{
    struct worker *wk = w->worker;
    struct grid *g = wk->grid;
    if (!g->launch->print || atomic_fetch_add(&g->printed, len) + len > g->launch->device->printf_bytes)
        return;
    struct print *p = arena_alloc(&wk->mem, sizeof *p + len);
    p->block = w->block->info.linear;
    p->len = len;
    memcpy(p->text, text, len);
    *wk->print_last = p;
    wk->print_last = &p->next;
}

/* Hands out the text by block; a worker's list is in that order but for blocks that were put aside. */
static void flush_print(struct grid *g)
{
    for (;;) {
        struct print **best = NULL;
        for (unsigned k = 0; k < g->nworkers; k++)
            for (struct print **p = &g->workers[k].print_first; *p; p = &(*p)->next)
                if (!best || (*p)->block < (*best)->block) {
                    best = p;
                    break;
                }
        if (!best)
            return;
        g->launch->print(g->launch->print_ctx, (*best)->text, (*best)->len);
        *best = (*best)->next;
    }
}

/* ---- checks ---- */

static enum ls_status limit(struct exec_fault *f, const char *what, u64 have, u64 most)
{
    snprintf(f->detail, sizeof f->detail, "%s is %llu, the device's limit is %llu", what, (unsigned long long)have,
             (unsigned long long)most);
    return LS_ERR_LIMIT;
}

static enum ls_status check_cluster(const struct exec_launch *l, struct exec_fault *f)
{
    u64 blocks = 1;
    for (int k = 0; k < 3; k++) {
        const u32 n = l->cluster[k] ? l->cluster[k] : 1;
        blocks *= n;
        if (l->grid[k] % n) {
            snprintf(f->detail, sizeof f->detail,
                     "the grid has %u blocks in dimension %d, which clusters of %u do not divide", l->grid[k], k, n);
            return LS_ERR_LIMIT;
        }
    }
    return blocks > CLUSTER_MOST ? limit(f, "the number of blocks of a cluster", blocks, CLUSTER_MOST) : LS_OK;
}

enum ls_status grid_check_limits(const struct exec_launch *l, struct exec_fault *f)
{
    static const char *const block_names[] = {"blockDim.x", "blockDim.y", "blockDim.z"};
    static const char *const grid_names[] = {"gridDim.x", "gridDim.y", "gridDim.z"};
    const struct gpu *gpu = &l->device->gpu;
    const struct ptx_func *src = l->kernel->src;
    u64 threads = 1;
    for (int k = 0; k < 3; k++) {
        if (!l->block[k] || l->block[k] > gpu->block_dim[k])
            return limit(f, block_names[k], l->block[k], gpu->block_dim[k]);
        if (!l->grid[k] || l->grid[k] > gpu->grid_dim[k])
            return limit(f, grid_names[k], l->grid[k], gpu->grid_dim[k]);
        threads *= l->block[k];
    }
    if (threads > gpu->threads_per_block)
        return limit(f, "the number of threads of a block", threads, gpu->threads_per_block);
    const u64 maxntid = ptx_block_threads(src->maxntid);
    if (maxntid && threads > maxntid)
        return limit(f, "the number of threads of a block (.maxntid, __launch_bounds__)", threads, maxntid);
    u64 shared = (u64)l->kernel->shared_bytes + l->dynamic_shared;
    if (shared > gpu->shared_per_block_optin)
        return limit(f, "shared memory of a block (bytes)", shared, gpu->shared_per_block_optin);
    return check_cluster(l, f);
}

/* How many blocks of this shape an SM would hold at once, by threads and shared memory; at least one. */
static u64 resident_per_sm(const struct grid *g)
{
    const struct gpu *gpu = &g->launch->device->gpu;
    const u64 shared = (u64)g->launch->kernel->shared_bytes + g->launch->dynamic_shared;
    u64 by_threads = gpu->threads_per_sm / (g->nwarps * IR_LANES), by_blocks = gpu->blocks_per_sm;
    u64 by_shared = shared ? gpu->shared_per_sm / shared : by_blocks;
    u64 per_sm = by_threads < by_blocks ? by_threads : by_blocks;
    per_sm = by_shared < per_sm ? by_shared : per_sm;
    return per_sm ? per_sm : 1;
}

/* The same of the whole device; a worker gets its part. All blocks of a cooperative launch. */
static u64 resident_blocks(const struct grid *g)
{
    u64 all = resident_per_sm(g) * g->launch->device->gpu.sms;
    return g->launch->cooperative ? g->nblocks : (all + g->nworkers - 1) / g->nworkers;
}

/* With weak memory there is one: what a seed shows must not depend on how the host's threads are timed. */
static unsigned worker_count(const struct grid *g)
{
    unsigned n = g->launch->device->weak_memory ? 1 : g->launch->workers;
    if (!n)
        n = exec_processors();
    if (n > g->places)
        n = g->places;
    return n > g->nplaced ? (unsigned)g->nplaced : n;
}

/* How many blocks in a row a worker takes. Neighbours mostly use neighbouring memory: of a long row a core's prefetcher brings
 * what that core needs next, of a short one what another core has (with two threads saxpy of 2^22 took 1.08 ms in rows of one
 * block, 0.73 in rows of 64 and 0.71 in rows of 256; Sapphire Rapids). Each worker has several rows, as some blocks do more than others. 0: SMs are
 * dealt to the workers one by one; where blocks may wait for those before them, and where somebody keeps what belongs to an SM
 * (caches, a clock). */
static u32 row_length(const struct grid *g)
{
    enum { MOST = 256, ROWS = 4 };
    const struct exec_launch *l = g->launch;
    const bool waits = g->kernel->ir->looks_past_l1 || g->kernel->ir->has_calls || l->device->weak_memory;
    const bool keeps = g->mode != IR_FAST || (l->hooks && l->hooks->worker_begin);
    const u64 length = g->nplaced / ((u64)g->nworkers * ROWS);
    if (waits || keeps || g->nworkers == 1)
        return 0;
    return length < MOST ? (u32)length : MOST;
}

/* Blocks, or clusters, and where they go. */
static void count_places(struct grid *g)
{
    const struct exec_launch *l = g->launch;
    const u32 sms = l->device->gpu.sms;
    g->nblocks = (u64)l->grid[0] * l->grid[1] * l->grid[2];
    g->cluster_size = 1;
    for (int k = 0; k < 3; k++) {
        g->cluster[k] = l->cluster[k] ? l->cluster[k] : 1;
        g->cluster_size *= g->cluster[k];
    }
    g->nplaced = g->nblocks / g->cluster_size;
    g->places = sms > g->cluster_size ? sms / g->cluster_size : 1;
}

/* ---- the launch ---- */

/* A lane's local memory: the kernel's own, and a stack when it calls functions. */
static u64 local_bytes(const struct exec_launch *l)
{
    enum { STACK_LEAST = 8192 };
    u64 stack = l->device->stack_bytes > STACK_LEAST ? l->device->stack_bytes : STACK_LEAST;
    if (!l->kernel->has_calls)
        return l->kernel->local_bytes; /* not rounded up, so that an array's overrun by one is outside */
    return ls_align_up(l->kernel->local_bytes + stack, 16);
}

static bool names_scratch(const struct ir_func *f)
{
    for (u32 k = 0; f && k < f->nconsts; k++)
        if (f->consts[k].kind == IR_CONST_SREG && f->consts[k].value == SREG_reserved_smem_offset_1 * IR_AXES)
            return true;
    return false;
}

/* The kernel, or a function of its module if it calls any, uses the shared memory that cooperative groups have. */
static bool uses_scratch(const struct grid *g)
{
    bool any = names_scratch(g->kernel->ir);
    for (u32 k = 0; g->kernel->ir->has_calls && k < g->module->nfuncs; k++)
        any |= !g->module->funcs[k].src->is_entry && names_scratch(g->module->funcs[k].ir);
    return any;
}

/* Where dynamic shared memory begins: behind a gap if there is any (exec_device.shared_gap). A kernel that has none may
 * run on to a multiple of 16 bytes, as GPUs hand out more than is asked for; under memcheck, which asks for faults, it
 * may not. */
static u32 static_shared(const struct exec_launch *l)
{
    const struct ir_func *k = l->kernel;
    const struct ir_shared_var *last = k->nshared_vars ? &k->shared_vars[k->nshared_vars - 1] : NULL;
    const bool strict = l->hooks && l->hooks->fault;
    const u64 align = k->shared_align > 1 || strict ? k->shared_align : 16;
    return (u32)(last && !last->size && l->dynamic_shared ? last->at : ls_align_up(k->shared_placed, align));
}

/* The other hooks are called by what fast code shares with traced code. */
static bool needs_trace(const struct exec_hooks *h)
{
    return h && (h->enter || h->diverge || h->access || h->far_access);
}

enum ir_mode grid_mode(const struct exec_launch *l)
{
    return l->kernel->code[IR_TIMED].insts ? IR_TIMED : needs_trace(l->hooks) ? IR_TRACED : IR_FAST;
}

static enum ls_status grid_init(struct grid *g, const struct exec_launch *l)
{
    g->launch = l;
    g->module = l->module;
    g->kernel = exec_module_func_of(l->module, l->kernel);
    g->mode = grid_mode(l);
    g->may_compile = tier_may_run(g);
    count_places(g);
    g->nthreads = l->block[0] * l->block[1] * l->block[2];
    g->nwarps = (g->nthreads + IR_LANES - 1) / IR_LANES;
    g->last_mask = g->nthreads % IR_LANES ? (1u << g->nthreads % IR_LANES) - 1 : FULL_MASK;
    g->shared_static = static_shared(l);
    g->shared_bytes = g->shared_static + l->dynamic_shared;
    if (uses_scratch(g))
        g->scratch_at = (u32)ls_align_up(g->shared_bytes ? g->shared_bytes : 1, 128);
    g->local_bytes = local_bytes(l);
    g->deadline = l->max_seconds > 0 ? exec_now() + l->max_seconds : 0;
    g->nworkers = worker_count(g);
    g->run = row_length(g);
    g->resident = resident_blocks(g);
    if (g->mode == IR_TIMED)
        clock_grid_begin(g, (u32)resident_per_sm(g));
    pthread_mutex_init(&g->lock, NULL);
    g->workers_memory = ls_calloc(1, sizeof *g->workers * g->nworkers + APART);
    if (!g->workers_memory)
        return LS_ERR_NOMEM;
    g->workers = (struct worker *)ls_align_up((uintptr_t)g->workers_memory, APART);
    for (unsigned k = 0; k < g->nworkers; k++)
        worker_init(&g->workers[k], g, k);
    return LS_OK;
}

/* Device memory that belongs to the launch: the parameters when the kernel takes their address, and the workspace of a
 * cooperative grid. */
static enum ls_status launch_memory(struct grid *g)
{
    const struct exec_launch *l = g->launch;
    struct mem *mem = l->device->mem;
    enum { WORKSPACE_BYTES = 4096 };
    if (l->kernel->uses_param_address && l->kernel->param_bytes) {
        if (mem_alloc(mem, l->kernel->param_bytes, MEM_ALIGN, MEM_CONST, "kernel parameters", &g->param_address))
            return LS_ERR_NOMEM;
        memcpy((void *)(uintptr_t)g->param_address, l->params, l->kernel->param_bytes);
    }
    if (l->cooperative) {
        if (mem_alloc(mem, WORKSPACE_BYTES, MEM_ALIGN, MEM_INTERNAL, "grid workspace", &g->workspace))
            return LS_ERR_NOMEM;
        memset((void *)(uintptr_t)g->workspace, 0, WORKSPACE_BYTES);
    }
    return LS_OK;
}

static void grid_free(struct grid *g)
{
    struct mem *mem = g->launch->device->mem;
    for (unsigned k = 0; g->workers && k < g->nworkers; k++) {
        arena_free(&g->workers[k].mem);
        pthread_cond_destroy(&g->workers[k].wake);
    }
    ls_free(g->workers_memory);
    if (g->param_address)
        mem_free(mem, g->param_address);
    if (g->workspace)
        mem_free(mem, g->workspace);
    pthread_mutex_destroy(&g->lock);
}

static enum ls_status run_plainly(void *stats, struct exec_launch *l, struct exec_fault *fault)
{
    return exec_run(l, fault, stats);
}

enum ls_status exec_run(const struct exec_launch *l, struct exec_fault *fault, struct exec_stats *stats)
{
    if (!l->children)
        return exec_run_tree(l, run_plainly, stats, fault);
    *fault = (struct exec_fault){.kernel = l->kernel->name, .function = l->kernel->name};
    if (l->kernel->poison) {
        snprintf(fault->detail, sizeof fault->detail, "%s", l->kernel->poison);
        return LS_ERR_UNSUPPORTED;
    }
    enum ls_status s = grid_check_limits(l, fault);
    if (s)
        return s;
    struct grid g = {0};
    s = grid_init(&g, l);
    if (!s)
        s = launch_memory(&g);
    if (!s) {
        struct progress_entry told;
        progress_begin(&told, &g);
        crew_run(&g);
        progress_end(&told);
        s = children_collect(&g);
        if (l->print)
            flush_print(&g);
        grid_tell_behind(&g);
        if (g.mode == IR_TIMED)
            clock_grid_end(&g);
    }
    if (g.faulted) {
        *fault = g.fault;
        s = fault->kind == FAULT_TIMEOUT ? LS_ERR_TIMEOUT : fault->kind == FAULT_NOMEM ? LS_ERR_NOMEM : LS_ERR_FAULT;
    }
    for (unsigned k = 0; stats && g.workers && k < g.nworkers; k++) {
        stats->blocks += g.workers[k].blocks;
        stats->warps += g.workers[k].blocks * g.nwarps;
        stats->loop_instructions += g.workers[k].spent;
    }
    grid_free(&g);
    return s;
}
