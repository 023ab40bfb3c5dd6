/* launch.c - launches: limits are checked and parameters copied in the caller, the kernel runs on its stream's thread.
 *
 * A launch that CUDA would refuse is refused with CUDA's error at once, and the log names the limit. What goes wrong
 * while the kernel runs becomes the context's sticky error. It runs through driver_launcher. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/kernel_name.h"
#include "driver/driver.h"
#include "driver/observe/launcher.h"
#include "ptx/declared.h"

/* Behind the arguments: a pointer to each, and the launch's attributes. */
struct kernel {
    struct op op;
    CUfunction f;
    struct exec_launch l;
    struct launch_place place; /* of one that is put into a stream itself */
    bool wanted;               /* that one, by a tool */
    int carveout;              /* percent, as the launch or its function had it then; -1: default */
    CUlaunchAttribute *attrs;
    unsigned nattrs;
    _Alignas(16) u8 params[];
};

/* ---- running ---- */

static void print(void *ctx, const char *text, size_t len)
{
    (void)ctx;
    fwrite(text, 1, len, stdout);
}

static CUresult fault_result(enum ls_status s, const struct exec_fault *fault)
{
    if (s == LS_ERR_FAULT || s == LS_ERR_TIMEOUT)
        return result_by_name(exec_fault_cuda_name(fault->kind));
    return result_of(s);
}

static void report(const struct kernel *w, enum ls_status s, const struct exec_fault *fault)
{
    CUresult r = fault_result(s, fault);
    char *text = s == LS_ERR_FAULT || s == LS_ERR_TIMEOUT ? exec_fault_text(fault) : NULL;
    char name[KERNEL_SHORT];
    kernel_name_short(w->f->ir->name, name);
    if (text) {
        drv_log("%s: %s", name, result_name(r));
        drv_log_text(text);
        if (text[0] && text[strlen(text) - 1] != '\n')
            drv_log_text("\n");
    } else {
        drv_log("%s: %s: %s", name, result_name(r), fault->detail[0] ? fault->detail : ls_status_text(s));
    }
    ls_free(text);
    ctx_poison(w->op.ctx, r);
}

/* Reported once: `lockstep check` finds all such accesses. */
static void report_behind(void *ctx, const struct exec_fault *f, u64 bytes)
{
    static atomic_bool told;
    (void)ctx;
    char *text = atomic_exchange(&told, true) ? NULL : exec_fault_text(f);
    if (!text)
        return;
    drv_log("warning: %s runs up to %llu byte%s past the end of an allocation. A GPU lets that pass, and so does this; "
            "`lockstep check` finds every such access",
            f->kernel, (unsigned long long)bytes, bytes == 1 ? "" : "s");
    drv_log_text(text);
    ls_free(text);
}

/* Failed launches are codes that kernels often do not look at. */
static void log_refused(const struct exec_launch *l)
{
    u32 launched, refused;
    exec_children_count(l->children, &launched, &refused);
    if (refused)
        drv_log("%s: %u of its %u launches failed (cudaGetLastError in the kernel says why; at most %u grids may be "
                "pending: CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT)",
                l->kernel->name, refused, launched + refused, l->pending_launches);
}

/* ---- the slot of tools as it is without a tool ---- */

static bool wants_none(const char *kernel, struct launch_place place)
{
    (void)kernel, (void)place;
    return false;
}

static enum ls_status plain_grid(struct driver_launch *x, CUfunction f, bool wanted, struct exec_launch *l,
                                 struct exec_fault *fault)
{
    (void)x, (void)f, (void)wanted;
    return exec_run(l, fault, NULL);
}

static enum ls_status plain_launch(struct driver_launch *x, const struct exec_launch *l, exec_run_one *one, void *ctx,
                                   struct exec_fault *fault)
{
    (void)x;
    return exec_run_tree(l, one, ctx, fault);
}

struct driver_launcher driver_launcher = {.wants = wants_none, .grid = plain_grid, .launch = plain_launch};

/* ---- one run ---- */

struct run {
    struct driver_launch seen; /* by tools */
    const struct kernel *kernel;
    bool wanted; /* the grid that the host launched */
};

/* One grid: the host's, or one that a kernel launched; the tool decides on each by its own name. */
static enum ls_status run_grid(void *run, struct exec_launch *l, struct exec_fault *fault)
{
    struct run *r = run;
    CUfunction f = r->kernel->f;
    l->hooks = NULL;
    if (l->depth) {
        l->id = atomic_fetch_add(&drv.launches, 1) + 1;
        if (function_get(f->mod, l->kernel->name, &f) != CUDA_SUCCESS)
            return LS_ERR_NOMEM;
    }
    const bool wanted = l->depth ? driver_launcher.wants(l->kernel->name, r->seen.place) : r->wanted;
    enum ls_status s = driver_launcher.grid(&r->seen, f, wanted, l, fault);
    log_refused(l);
    return s;
}

/* A tool has reported what went wrong. Accesses that were left out would have ended the kernel on a GPU, so the
 * launch's result is their fault. */
static void told_end(const struct run *r, enum ls_status s, const struct exec_fault *fault)
{
    const bool fell = s == LS_ERR_FAULT || s == LS_ERR_TIMEOUT;
    if (s != LS_OK && !fell)
        report(r->kernel, s, fault);
    else if ((fell || r->seen.left_out) && !r->seen.spared)
        ctx_poison(r->kernel->op.ctx,
                   fell ? fault_result(s, fault) : result_by_name(exec_fault_cuda_name(r->seen.left_out)));
}

/* A copy or fill that a kernel asked for. */
static void copied(void *op, u64 to, u64 from, u64 size)
{
    if (from)
        TELL(copied, to, from, size, op);
    else
        TELL(filled, to, size, op);
}

static enum ls_status run_tree(const struct exec_launch *l, struct run *run, struct exec_fault *fault)
{
    if (driver_launcher.alone)
        run->seen.alone = memory_run_begin_alone();
    else
        memory_run_begin();
    const enum ls_status s = driver_launcher.launch(&run->seen, l, run_grid, run, fault);
    memory_run_end();
    return s;
}

const char *kernel_op_name(const struct op *op) { return ((const struct kernel *)op)->l.kernel->name; }

/* Each run of a graph's kernel is a launch of its own, with a number of its own. */
void kernel_op_run(const struct op *op, struct launch_place place, bool wanted)
{
    const struct kernel *w = (const struct kernel *)op;
    if (ctx_sticky(w->op.ctx) != CUDA_SUCCESS)
        return;
    struct run run = {.seen = {.op = op, .place = place, .carveout = w->carveout}, .kernel = w, .wanted = wanted};
    struct exec_fault fault = {0};
    struct exec_launch l = w->l;
    if (ANY_HEARD(HEARD_BIT(copied) | HEARD_BIT(filled))) {
        l.copied = copied;
        l.copied_ctx = (void *)(uintptr_t)op;
    }
    if (!l.id) {
        l.id = atomic_fetch_add(&drv.launches, 1) + 1;
        TELL(asked, &(struct driver_ask){.what = ASKED_KERNEL, .launch = l.id});
    }
    enum ls_status s = run_tree(&l, &run, &fault);
    if (atomic_load(&drv.exiting))
        return;
    if (run.seen.told)
        told_end(&run, s, &fault);
    else if (s != LS_OK)
        report(w, s, &fault);
}

static void launch_run(struct work *work)
{
    const struct kernel *w = (const struct kernel *)work;
    kernel_op_run(&w->op, w->place, w->wanted);
}

/* ---- limits ---- */

struct geometry {
    u32 grid[3], block[3];
    u32 cluster[3]; /* all 0: none is asked for */
    u32 shared;     /* dynamic, bytes */
    int carveout;   /* percent, -1: as the function has it */
    bool cooperative;
};

static CUresult refuse(CUfunction f, CUresult r, const char *what, u64 have, u64 limit)
{
    char name[KERNEL_SHORT];
    drv_log("cannot launch %s: %llu %s, the limit is %llu (%s)", kernel_name_short(f->ir->name, name),
            (unsigned long long)have, what, (unsigned long long)limit, result_name(r));
    return r;
}

static CUresult refuse_empty(CUfunction f)
{
    char name[KERNEL_SHORT];
    drv_log("cannot launch %s: a dimension of the grid or of the block is 0", kernel_name_short(f->ir->name, name));
    return CUDA_ERROR_INVALID_VALUE;
}

static CUresult check_sizes(CUfunction f, const struct geometry *g)
{
    static const char *const grid_name[] = {"blocks in x", "blocks in y", "blocks in z"};
    static const char *const block_name[] = {"threads a block in x", "threads a block in y", "threads a block in z"};
    for (int i = 0; i < 3; i++) {
        if (g->grid[i] == 0 || g->block[i] == 0)
            return refuse_empty(f);
        if (g->grid[i] > drv.gpu.grid_dim[i])
            return refuse(f, CUDA_ERROR_INVALID_VALUE, grid_name[i], g->grid[i], drv.gpu.grid_dim[i]);
        if (g->block[i] > drv.gpu.block_dim[i])
            return refuse(f, CUDA_ERROR_INVALID_VALUE, block_name[i], g->block[i], drv.gpu.block_dim[i]);
    }
    u64 threads = (u64)g->block[0] * g->block[1] * g->block[2];
    if (threads > drv.gpu.threads_per_block)
        return refuse(f, CUDA_ERROR_INVALID_VALUE, "threads a block", threads, drv.gpu.threads_per_block);
    return CUDA_SUCCESS;
}

/* .reqntid must be met exactly, .maxntid as a product. */
static CUresult check_declared(CUfunction f, const struct geometry *g, u64 threads)
{
    const struct ptx_func *src = f->ir->src;
    for (int i = 0; i < 3; i++) {
        u32 want = src->reqntid[i] ? src->reqntid[i] : 1;
        if (src->reqntid[0] && g->block[i] != want)
            return refuse(f, CUDA_ERROR_INVALID_VALUE,
                          "threads a block in a dimension for which .reqntid declares another number", g->block[i],
                          want);
    }
    const u64 most = ptx_block_threads(src->maxntid);
    if (most && threads > most)
        return refuse(f, CUDA_ERROR_INVALID_VALUE, "threads a block (.maxntid)", threads, most);
    return CUDA_SUCCESS;
}

static CUresult check_resources(CUfunction f, const struct geometry *g, u64 threads)
{
    const u32 most = function_launch_threads(f);
    int dynamic;
    function_attribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, &dynamic);
    if (threads > most)
        return refuse(f, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "threads a block with this kernel's registers", threads,
                      most);
    if (f->ir->shared_bytes > drv.gpu.shared_per_block)
        return refuse(f, CUDA_ERROR_INVALID_VALUE, "bytes of static shared memory a block", f->ir->shared_bytes,
                      drv.gpu.shared_per_block);
    if (g->shared > (u64)dynamic)
        return refuse(f, CUDA_ERROR_INVALID_VALUE,
                      "bytes of dynamic shared memory a block (MAX_DYNAMIC_SHARED_SIZE_BYTES raises it)", g->shared,
                      (u64)dynamic);
    return CUDA_SUCCESS;
}

static CUresult check_cooperative(CUfunction f, const struct geometry *g, u64 threads)
{
    if (!g->cooperative)
        return CUDA_SUCCESS;
    u64 blocks = (u64)g->grid[0] * g->grid[1] * g->grid[2];
    u64 room = (u64)function_blocks_per_sm(f, (u32)threads, g->shared) * drv.gpu.sms;
    if (blocks > room)
        return refuse(f, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "blocks of a cooperative launch", blocks, room);
    return CUDA_SUCCESS;
}

/* What the kernel declares (.reqnctapercluster) holds where the launch says nothing, and must be what it says. */
static CUresult choose_cluster(CUfunction f, struct geometry *g)
{
    const u32 *declared = f->ir->src->cluster;
    for (int i = 0; i < 3 && declared[0]; i++) {
        const u32 want = declared[i] ? declared[i] : 1;
        if (g->cluster[0] && g->cluster[i] != want)
            return refuse(f, CUDA_ERROR_INVALID_CLUSTER_SIZE,
                          "blocks a cluster in a dimension for which the kernel declares another number", g->cluster[i],
                          want);
    }
    for (int i = 0; i < 3 && declared[0] && !g->cluster[0]; i++)
        g->cluster[2 - i] = declared[2 - i] ? declared[2 - i] : 1;
    return CUDA_SUCCESS;
}

static CUresult check_cluster(CUfunction f, const struct geometry *g)
{
    static const char *const names[] = {"blocks in x, of which a cluster", "blocks in y, of which a cluster",
                                        "blocks in z, of which a cluster"};
    const u32 most = function_cluster_most(f);
    const u64 size = (u64)g->cluster[0] * g->cluster[1] * g->cluster[2];
    if (!g->cluster[0])
        return CUDA_SUCCESS;
    if (size > most)
        return refuse(f, CUDA_ERROR_INVALID_CLUSTER_SIZE,
                      f->nonportable_cluster ? "blocks a cluster"
                                             : "blocks a cluster (NON_PORTABLE_CLUSTER_SIZE_ALLOWED raises it)",
                      size, most);
    for (int i = 0; i < 3; i++)
        if (g->grid[i] % g->cluster[i]) {
            char name[KERNEL_SHORT];
            drv_log("cannot launch %s: %u %s has %u, which does not divide them (%s)",
                    kernel_name_short(f->ir->name, name), g->grid[i], names[i], g->cluster[i],
                    result_name(CUDA_ERROR_INVALID_CLUSTER_SIZE));
            return CUDA_ERROR_INVALID_CLUSTER_SIZE;
        }
    return CUDA_SUCCESS;
}

static CUresult check(CUfunction f, const struct geometry *g)
{
    u64 threads = (u64)g->block[0] * g->block[1] * g->block[2];
    char name[KERNEL_SHORT];
    if (f->ir->poison) {
        drv_log("cannot launch %s: %s", kernel_name_short(f->ir->name, name), f->ir->poison);
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    CUresult r = check_sizes(f, g);
    if (r == CUDA_SUCCESS)
        r = check_declared(f, g, threads);
    if (r == CUDA_SUCCESS)
        r = check_resources(f, g, threads);
    if (r == CUDA_SUCCESS)
        r = check_cluster(f, g);
    return r == CUDA_SUCCESS ? check_cooperative(f, g, threads) : r;
}

/* ---- parameters ---- */

/* `extra` is a list of key, value, ..., END: a buffer that is laid out already. */
static CUresult params_of_extra(const struct ir_func *ir, void **extra, u8 *to)
{
    const void *buffer = NULL;
    size_t size = 0;
    for (unsigned i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
        if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER)
            buffer = extra[i + 1];
        else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE)
            size = *(const size_t *)extra[i + 1];
        else
            return CUDA_ERROR_INVALID_VALUE;
    }
    if (!buffer || size < ir->param_bytes) {
        char name[KERNEL_SHORT];
        drv_log("cannot launch %s: its parameters have %llu bytes, the buffer %zu", kernel_name_short(ir->name, name),
                (unsigned long long)ir->param_bytes, size);
        return CUDA_ERROR_INVALID_VALUE;
    }
    memcpy(to, buffer, ir->param_bytes);
    return CUDA_SUCCESS;
}

static CUresult params_of(const struct ir_func *ir, void **params, void **extra, u8 *to)
{
    if (params && extra)
        return CUDA_ERROR_INVALID_VALUE;
    if (ir->src->nparams == 0)
        return CUDA_SUCCESS;
    if (extra)
        return params_of_extra(ir, extra, to);
    if (!params)
        return CUDA_ERROR_INVALID_VALUE;
    for (u32 i = 0; i < ir->src->nparams; i++) {
        const struct ptx_var *p = ir->src->params[i];
        if (!params[i])
            return CUDA_ERROR_INVALID_VALUE;
        memcpy(to + p->offset, params[i], p->size);
    }
    return CUDA_SUCCESS;
}

/* ---- attributes ---- */

/* Attributes that change what a kernel means, or what is counted of it, are obeyed or refused; other hints about speed are ignored. */
static CUresult apply(const CUlaunchAttribute *a, struct geometry *g)
{
    switch (a->id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        g->cooperative = a->value.cooperative != 0;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        return access_window_check(&a->value.accessPolicyWindow);
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
        if (!a->value.clusterDim.x || !a->value.clusterDim.y || !a->value.clusterDim.z)
            return CUDA_ERROR_INVALID_CLUSTER_SIZE;
        g->cluster[0] = a->value.clusterDim.x;
        g->cluster[1] = a->value.clusterDim.y;
        g->cluster[2] = a->value.clusterDim.z;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        g->carveout = a->value.sharedMemCarveout <= 100 ? (int)a->value.sharedMemCarveout : -1;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
        drv_log("launch attribute %d is not supported", (int)a->id);
        return CUDA_ERROR_NOT_SUPPORTED;
    default:
        return CUDA_SUCCESS;
    }
}

static CUresult geometry_of(const CUDA_KERNEL_NODE_PARAMS *p, const CUlaunchAttribute *attrs, unsigned n,
                            struct geometry *g)
{
    *g = (struct geometry){.grid = {p->gridDimX, p->gridDimY, p->gridDimZ},
                           .block = {p->blockDimX, p->blockDimY, p->blockDimZ},
                           .shared = p->sharedMemBytes,
                           .carveout = -1};
    for (unsigned i = 0; i < n; i++) {
        CUresult r = apply(&attrs[i], g);
        if (r != CUDA_SUCCESS)
            return r;
    }
    return CUDA_SUCCESS;
}

/* ---- the operation ---- */

static void fill(struct kernel *w, const struct geometry *g)
{
    size_t pending = w->op.ctx->pending_launches;
    w->carveout = g->carveout < 0 ? w->f->carveout : g->carveout;
    w->l = (struct exec_launch){
        .device = &drv.exec[w->op.ctx->device],
        .module = w->f->mod->exec,
        .kernel = w->f->ir,
        .grid = {g->grid[0], g->grid[1], g->grid[2]},
        .block = {g->block[0], g->block[1], g->block[2]},
        .cluster = {g->cluster[0], g->cluster[1], g->cluster[2]},
        .dynamic_shared = g->shared,
        .params = w->params,
        .cooperative = g->cooperative,
        .pending_launches = pending < UINT32_MAX ? (u32)pending : UINT32_MAX,
        .workers = (unsigned)drv.settings.workers,
        .seed = drv.settings.seed,
        .max_instructions = drv.settings.max_instructions,
        .max_seconds = drv.settings.timeout,
        .one_lane = drv.settings.oracle,
        .print = print,
        .behind = report_behind,
        .cancel = &drv.cancel,
    };
}

/* What cuGraphKernelNodeGetParams returns: the caller's parameters, with our copies of the arguments. */
static void describe(struct kernel *w, const CUDA_KERNEL_NODE_PARAMS *p, void **pointers)
{
    const struct ptx_func *src = w->f->ir->src;
    CUDA_KERNEL_NODE_PARAMS *d = &w->op.params.kernel;
    *d = *p;
    d->ctx = w->op.ctx;
    d->extra = NULL;
    d->kernelParams = src->nparams ? pointers : NULL;
    for (u32 i = 0; i < src->nparams; i++)
        pointers[i] = w->params + src->params[i]->offset;
}

CUresult kernel_op(CUcontext ctx, const CUDA_KERNEL_NODE_PARAMS *p, const CUlaunchAttribute *attrs, unsigned n,
                   struct op **out)
{
    CUfunction f;
    struct geometry g;
    CUresult r = function_find_for(ctx, p->func ? p->func : (CUfunction)(void *)p->kern, &f);
    if (r == CUDA_SUCCESS)
        r = geometry_of(p, attrs, n, &g);
    if (r == CUDA_SUCCESS)
        r = choose_cluster(f, &g);
    if (r == CUDA_SUCCESS)
        r = check(f, &g);
    if (r != CUDA_SUCCESS)
        return r;
    size_t pointers_at = ls_align_up(f->ir->param_bytes, 16);
    size_t attrs_at = pointers_at + ls_align_up(f->ir->src->nparams * sizeof(void *), 16);
    struct kernel *w =
        (struct kernel *)op_new(sizeof *w + attrs_at + n * sizeof *attrs, CU_GRAPH_NODE_TYPE_KERNEL, ctx, launch_run);
    if (!w)
        return CUDA_ERROR_OUT_OF_MEMORY;
    r = params_of(f->ir, p->kernelParams, p->extra, w->params);
    if (r != CUDA_SUCCESS) {
        op_unref(&w->op);
        return r;
    }
    w->f = f;
    w->attrs = (CUlaunchAttribute *)(void *)(w->params + attrs_at);
    w->nattrs = n;
    if (n)
        memcpy(w->attrs, attrs, n * sizeof *attrs);
    fill(w, &g);
    describe(w, p, (void **)(void *)(w->params + pointers_at));
    *out = &w->op;
    return CUDA_SUCCESS;
}

const CUlaunchAttribute *kernel_op_attributes(const struct op *op, unsigned *n)
{
    const struct kernel *w = (const struct kernel *)op;
    *n = w->nattrs;
    return w->attrs;
}

/* ---- launching ---- */

static CUresult launch_plain(const CUDA_KERNEL_NODE_PARAMS *p, const CUlaunchAttribute *attrs, unsigned n,
                             CUstream stream)
{
    struct CUstream_st *s;
    struct op *op;
    CUresult r = stream_find(stream, &s);
    if (r == CUDA_SUCCESS)
        r = kernel_op(s->ctx, p, attrs, n, &op);
    if (r != CUDA_SUCCESS)
        return r;
    if (stream_capturing(s))
        return stream_submit_op(s, op);
    struct kernel *w = (struct kernel *)op;
    w->place = stream_place(s);
    w->wanted = driver_launcher.wants(w->l.kernel->name, w->place);
    w->l.id = atomic_fetch_add(&drv.launches, 1) + 1; /* in the order of the calls */
    TELL(asked, &(struct driver_ask){.what = ASKED_KERNEL, .stream = s, .launch = w->l.id});
    op->work.number = stream_number(s, w->l.id, w->f->ir->name, NULL);
    r = stream_submit_op(s, op);
    return r == CUDA_SUCCESS ? launch_wait(s) : r;
}

static bool has_event(const CUlaunchAttribute *a)
{
    return a->id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT || a->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT;
}

/* Both kinds of attribute begin with the event and its flags. */
static CUresult check_event(const CUlaunchAttribute *a)
{
    const CUevent e = a->value.launchCompletionEvent.event;
    if (a->value.launchCompletionEvent.flags & ~(int)CU_EVENT_RECORD_EXTERNAL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!event_valid(e))
        return CUDA_ERROR_INVALID_HANDLE;
    return e->flags & CU_EVENT_DISABLE_TIMING ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
}

/* A launch may name events that its kernel reaches before it ends: when all blocks have begun, or have signalled. Here
 * they are recorded after the kernel: waiting for one takes longer and is no less correct. */
static CUresult launch(const CUDA_KERNEL_NODE_PARAMS *p, const CUlaunchAttribute *attrs, unsigned n, CUstream stream)
{
    CUlaunchAttribute *rest = n ? ls_calloc(n, sizeof *rest) : NULL;
    unsigned nrest = 0;
    CUresult r = n && !rest ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
    for (unsigned i = 0; i < n && r == CUDA_SUCCESS; i++)
        if (has_event(&attrs[i]))
            r = check_event(&attrs[i]);
        else
            rest[nrest++] = attrs[i];
    if (r == CUDA_SUCCESS)
        r = launch_plain(p, rest, nrest, stream);
    for (unsigned i = 0; i < n && r == CUDA_SUCCESS; i++)
        if (has_event(&attrs[i]))
            r = impl_cuEventRecordWithFlags(attrs[i].value.launchCompletionEvent.event, stream,
                                            (unsigned)attrs[i].value.launchCompletionEvent.flags);
    ls_free(rest);
    return r;
}

CUresult impl_cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                             unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                             unsigned int sharedMemBytes, CUstream hStream, void **kernelParams, void **extra)
{
    const CUDA_KERNEL_NODE_PARAMS p = {.func = f,
                                       .gridDimX = gridDimX,
                                       .gridDimY = gridDimY,
                                       .gridDimZ = gridDimZ,
                                       .blockDimX = blockDimX,
                                       .blockDimY = blockDimY,
                                       .blockDimZ = blockDimZ,
                                       .sharedMemBytes = sharedMemBytes,
                                       .kernelParams = kernelParams,
                                       .extra = extra};
    return launch(&p, NULL, 0, hStream);
}

CUresult impl_cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                        unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                                        unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                                        void **kernelParams)
{
    const CUlaunchAttribute cooperative = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value = {.cooperative = 1}};
    const CUDA_KERNEL_NODE_PARAMS p = {.func = f,
                                       .gridDimX = gridDimX,
                                       .gridDimY = gridDimY,
                                       .gridDimZ = gridDimZ,
                                       .blockDimX = blockDimX,
                                       .blockDimY = blockDimY,
                                       .blockDimZ = blockDimZ,
                                       .sharedMemBytes = sharedMemBytes,
                                       .kernelParams = kernelParams};
    return launch(&p, &cooperative, 1, hStream);
}

CUresult impl_cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra)
{
    if (!config || (config->numAttrs && !config->attrs))
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_KERNEL_NODE_PARAMS p = {.func = f,
                                       .gridDimX = config->gridDimX,
                                       .gridDimY = config->gridDimY,
                                       .gridDimZ = config->gridDimZ,
                                       .blockDimX = config->blockDimX,
                                       .blockDimY = config->blockDimY,
                                       .blockDimZ = config->blockDimZ,
                                       .sharedMemBytes = config->sharedMemBytes,
                                       .kernelParams = kernelParams,
                                       .extra = extra};
    return launch(&p, config->attrs, config->numAttrs, config->hStream);
}
