/* device_runtime.c - the functions of the CUDA runtime that kernels may call: the launch of grids (parameter buffer,
 * launch), copies and fills, errors, attributes, streams, malloc. As of CUDA 12 (CDP2): there is no synchronisation
 * from the device.
 *
 * PTX calls them by the names of the device runtime library, __cudaCDP2<Name>, with _ptsz where the null stream is each
 * thread's own; cuda<Name> are their older names. Errors are codes, kept for each thread; what a kernel launches badly
 * is no fault. All launches of a block run in the order in which it made them (child.h), so streams and events, which
 * only order launches of one block, need no state. Not here: copies of arrays and boxes, limits, function attributes.
 * A call of those is an undefined function, and the kernel is not launched. */
#include "exec/device/device_runtime.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "exec/device/child.h"
#include "exec/sched.h"

/* Streams with a meaning of their own (driver_types.h); created ones are numbered behind a mark. */
enum { STREAM_TAIL = LAUNCHED_TAIL, STREAM_FIRE_AND_FORGET = LAUNCHED_FORGOTTEN };
#define STREAM_MARK 0xcd50000000000000u
enum { NON_BLOCKING = 1 }; /* cudaStreamNonBlocking: the only kind that a kernel may create */

static u64 arg64(const struct builtin_call *c, unsigned lane, u32 at)
{
    u64 v;
    memcpy(&v, c->args + (size_t)lane * c->arg_stride + at, sizeof v);
    return v;
}

static u32 arg32(const struct builtin_call *c, unsigned lane, u32 at)
{
    u32 v;
    memcpy(&v, c->args + (size_t)lane * c->arg_stride + at, sizeof v);
    return v;
}

static void give64(struct builtin_call *c, unsigned lane, u64 v)
{
    memcpy(c->rets + (size_t)lane * c->ret_stride, &v, sizeof v);
}

static void give32(struct builtin_call *c, unsigned lane, u32 v)
{
    memcpy(c->rets + (size_t)lane * c->ret_stride, &v, sizeof v);
}

/* ---- errors: the last of each thread ---- */

static u32 *last_error(struct builtin_call *c, unsigned lane)
{
    struct block *b = c->w->block;
    if (!b->errors)
        b->errors = arena_array(&b->worker->mem, u32, (size_t)b->info.warps * IR_LANES);
    return &b->errors[c->w->index * IR_LANES + lane];
}

static u32 note(struct builtin_call *c, unsigned lane, u32 error)
{
    if (error)
        *last_error(c, lane) = error;
    return error;
}

static bool get_last_error(struct builtin_call *c, unsigned lane)
{
    u32 *e = last_error(c, lane);
    give32(c, lane, *e);
    *e = 0;
    return true;
}

static bool peek_at_last_error(struct builtin_call *c, unsigned lane)
{
    give32(c, lane, *last_error(c, lane));
    return true;
}

/* ---- texts of errors: in device memory, so that the kernel can read them ---- */

static const struct {
    u32 code;
    const char *name, *text;
} errors[] = {
    {0, "cudaSuccess", "no error"},
    {CUDA_INVALID_VALUE, "cudaErrorInvalidValue", "invalid argument"},
    {CUDA_MEMORY_ALLOCATION, "cudaErrorMemoryAllocation", "out of memory"},
    {CUDA_INVALID_CONFIGURATION, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {CUDA_LAUNCH_MAX_DEPTH_EXCEEDED, "cudaErrorLaunchMaxDepthExceeded",
     "launch would exceed maximum depth of nested launches"},
    {CUDA_LAUNCH_PENDING_COUNT_EXCEEDED, "cudaErrorLaunchPendingCountExceeded",
     "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount"},
    {CUDA_INVALID_DEVICE_FUNCTION, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {CUDA_INVALID_DEVICE, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {CUDA_INVALID_RESOURCE_HANDLE, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {CUDA_NOT_SUPPORTED, "cudaErrorNotSupported", "operation not supported"},
    {~0u, "cudaErrorUnknown", "unrecognized error code"}, /* any other */
};

enum { NAME_BYTES = 64, TEXT_BYTES = 128 };
#define TEXTS "texts of error codes"

static void find_texts(void *ctx, const struct mem_block *b)
{
    if (b->kind == MEM_INTERNAL && b->name && strcmp(b->name, TEXTS) == 0)
        *(u64 *)ctx = b->base;
}

/* Their address, or 0 when memory ran out. Made by the first kernel that asks, freed with the device. */
static u64 texts(struct mem *m)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const u64 bytes = LS_ARRAY_LEN(errors) * (NAME_BYTES + TEXT_BYTES);
    u64 address = 0;
    pthread_mutex_lock(&lock);
    mem_each(m, find_texts, &address);
    if (!address && mem_alloc(m, bytes, MEM_ALIGN, MEM_INTERNAL, TEXTS, &address) == LS_OK)
        for (size_t k = 0; k < LS_ARRAY_LEN(errors); k++) {
            char *to = (char *)(uintptr_t)address + k * (NAME_BYTES + TEXT_BYTES);
            snprintf(to, NAME_BYTES, "%s", errors[k].name);
            snprintf(to + NAME_BYTES, TEXT_BYTES, "%s", errors[k].text);
        }
    pthread_mutex_unlock(&lock);
    return address;
}

static bool give_text(struct builtin_call *c, unsigned lane, u32 offset)
{
    const u32 code = arg32(c, lane, 0);
    const u64 all = texts(c->w->mem);
    u32 k = 0;
    while (k + 1 < LS_ARRAY_LEN(errors) && errors[k].code != code)
        k++;
    give64(c, lane, all ? all + k * (NAME_BYTES + TEXT_BYTES) + offset : 0);
    return true;
}

/* const char *GetErrorName(cudaError_t) */
static bool get_error_name(struct builtin_call *c, unsigned lane) { return give_text(c, lane, 0); }

/* const char *GetErrorString(cudaError_t) */
static bool get_error_string(struct builtin_call *c, unsigned lane) { return give_text(c, lane, NAME_BYTES); }

/* ---- launches ---- */

static bool bad_child(struct builtin_call *c, unsigned lane, const char *why)
{
    struct exec_fault f = {.kind = FAULT_ILLEGAL_INSTRUCTION};
    fault_place(c->w, c->pc, lane, &f);
    snprintf(f.detail, sizeof f.detail, "the kernel that it launches cannot run: %s", why);
    grid_fault(c->w->block->grid, &f);
    c->w->stop = STOP_FAULT;
    return false;
}

/* The kernel of that address, ready to run; NULL with *error, or with *error = 0 after a fault. */
static const struct ir_func *find_kernel(struct builtin_call *c, unsigned lane, u64 handle, u32 *error)
{
    struct exec_module *m = c->w->block->grid->module;
    const struct exec_func *f = exec_module_func(m, handle);
    *error = CUDA_INVALID_DEVICE_FUNCTION;
    if (!f || !f->src->is_entry)
        return NULL;
    const struct ir_func *kernel = exec_module_kernel(m, f->src->name);
    *error = kernel ? 0 : CUDA_MEMORY_ALLOCATION;
    if (kernel && kernel->poison) {
        bad_child(c, lane, kernel->poison);
        return NULL;
    }
    return kernel;
}

struct shape {
    u32 grid[3], block[3], shared;
};

static struct shape shape_of(const struct builtin_call *c, unsigned lane, u32 at)
{
    struct shape s;
    for (u32 k = 0; k < 3; k++) {
        s.grid[k] = arg32(c, lane, at + 4 * k);
        s.block[k] = arg32(c, lane, at + 12 + 4 * k);
    }
    s.shared = arg32(c, lane, at + 24);
    return s;
}

static bool fits_declaration(const struct ptx_func *src, const struct shape *s)
{
    for (u32 k = 0; k < 3; k++)
        if (src->reqntid[0] && s->block[k] != (src->reqntid[k] ? src->reqntid[k] : 1))
            return false;
    return true;
}

static bool has_cluster(const struct ptx_func *src)
{
    return src->cluster[0] > 1 || src->cluster[1] > 1 || src->cluster[2] > 1;
}

/* 0, or why such a grid cannot be. */
static u32 check_shape(const struct builtin_call *c, const struct ir_func *kernel, const struct shape *s)
{
    const struct exec_launch *parent = c->w->block->grid->launch;
    struct exec_launch l = {.device = parent->device, .kernel = kernel, .dynamic_shared = s->shared};
    struct exec_fault why;
    memcpy(l.grid, s->grid, sizeof l.grid);
    memcpy(l.block, s->block, sizeof l.block);
    if (grid_check_limits(&l, &why) || !fits_declaration(kernel->src, s))
        return CUDA_INVALID_CONFIGURATION;
    if (has_cluster(kernel->src))
        return CUDA_NOT_SUPPORTED;
    return parent->depth >= CHILD_DEPTH_MOST ? CUDA_LAUNCH_MAX_DEPTH_EXCEEDED : 0;
}

static void set_shape(struct child *child, const struct ir_func *kernel, const struct shape *s)
{
    child->kernel = kernel;
    memcpy(child->grid, s->grid, sizeof child->grid);
    memcpy(child->block, s->block, sizeof child->block);
    child->shared = s->shared;
}

static u32 refuse(struct builtin_call *c, unsigned lane, u32 error)
{
    child_refuse(c->w->worker);
    return note(c, lane, error);
}

/* void *GetParameterBufferV2(void *func, dim3 grid, dim3 block, unsigned shared): NULL when it cannot be launched */
static bool get_parameter_buffer_v2(struct builtin_call *c, unsigned lane)
{
    u32 error;
    struct child *child = NULL;
    const struct ir_func *kernel = find_kernel(c, lane, arg64(c, lane, 0), &error);
    const struct shape s = shape_of(c, lane, 8);
    if (!kernel && !error)
        return false;
    if (kernel)
        error = check_shape(c, kernel, &s);
    if (!error) /* a kernel without parameters has a buffer too: its address stands for the launch */
        child = child_prepare(c->w->worker, kernel->param_bytes ? kernel->param_bytes : 1, &error);
    if (child)
        set_shape(child, kernel, &s);
    else
        refuse(c, lane, error);
    give64(c, lane, child ? child->params : 0);
    return true;
}

/* void *GetParameterBuffer(size_t alignment, size_t size), of the first version: the launch says the rest */
static bool get_parameter_buffer(struct builtin_call *c, unsigned lane)
{
    enum { PARAM_BYTES_MOST = 4096 };
    const u64 bytes = arg64(c, lane, 8);
    u32 error = bytes > PARAM_BYTES_MOST ? CUDA_INVALID_VALUE : 0;
    struct child *child = error ? NULL : child_prepare(c->w->worker, bytes ? bytes : 1, &error);
    if (!child)
        refuse(c, lane, error);
    give64(c, lane, child ? child->params : 0);
    return true;
}

static bool is_stream(u64 stream) { return stream <= STREAM_FIRE_AND_FORGET || (stream & STREAM_MARK) == STREAM_MARK; }

static void queue(struct builtin_call *c, unsigned lane, struct child *child, u64 stream)
{
    struct exec_fault at = {0}; /* for the thread's coordinates */
    fault_place(c->w, c->pc, lane, &at);
    child->stream = stream;
    child->tail = stream == STREAM_TAIL;
    child_queue(c->w->block, child, at.thread);
}

/* cudaError_t LaunchDeviceV2(void *buffer, cudaStream_t stream) */
static bool launch_device_v2(struct builtin_call *c, unsigned lane)
{
    const u64 buffer = arg64(c, lane, 0), stream = arg64(c, lane, 8);
    if (!is_stream(stream)) {
        give32(c, lane, refuse(c, lane, CUDA_INVALID_RESOURCE_HANDLE));
        return true;
    }
    struct child *child = buffer ? child_take(c->w->worker, buffer) : NULL;
    if (child && child->kernel)
        queue(c, lane, child, stream);
    give32(c, lane, child && child->kernel ? 0 : refuse(c, lane, CUDA_INVALID_VALUE));
    return true;
}

/* cudaError_t LaunchDevice(void *func, void *buffer, dim3 grid, dim3 block, unsigned shared, cudaStream_t stream) */
static bool launch_device(struct builtin_call *c, unsigned lane)
{
    enum { BUFFER = 8, SHAPE = 16, STREAM = 48 };
    const u64 buffer = arg64(c, lane, BUFFER), stream = arg64(c, lane, STREAM);
    const struct shape s = shape_of(c, lane, SHAPE);
    u32 error;
    const struct ir_func *kernel = find_kernel(c, lane, arg64(c, lane, 0), &error);
    if (!kernel && !error)
        return false;
    if (kernel)
        error = is_stream(stream) ? check_shape(c, kernel, &s) : CUDA_INVALID_RESOURCE_HANDLE;
    if (!error && !buffer && kernel->param_bytes)
        error = CUDA_INVALID_VALUE;
    if (!error && !buffer)
        child_prepare(c->w->worker, 0, &error);
    struct child *child = error ? NULL : child_take(c->w->worker, buffer);
    if (child && child->param_bytes >= kernel->param_bytes) {
        set_shape(child, kernel, &s);
        queue(c, lane, child, stream);
    } else if (!error) {
        error = CUDA_INVALID_VALUE;
    }
    give32(c, lane, error ? refuse(c, lane, error) : 0);
    return true;
}

/* ---- copies and fills ---- */

/* In the queue at once: what it reads is what memory holds when its turn comes. */
static bool queue_copy(struct builtin_call *c, unsigned lane, u64 stream, const struct child_copy *copy)
{
    u32 error = is_stream(stream) ? 0 : CUDA_INVALID_RESOURCE_HANDLE;
    if (copy->height > 1 && (copy->width > copy->to_pitch || (!copy->fill && copy->width > copy->from_pitch)))
        error = CUDA_INVALID_VALUE;
    struct child *child = error ? NULL : child_prepare(c->w->worker, 0, &error);
    if (child) {
        child_take(c->w->worker, 0);
        child->is_copy = true;
        child->copy = *copy;
        queue(c, lane, child, stream);
    }
    give32(c, lane, error ? refuse(c, lane, error) : 0);
    return true;
}

/* cudaError_t MemcpyAsync(void *to, const void *from, size_t n, enum cudaMemcpyKind kind, cudaStream_t stream) */
static bool memcpy_async(struct builtin_call *c, unsigned lane)
{
    const struct child_copy copy = {
        .to = arg64(c, lane, 0), .from = arg64(c, lane, 8), .width = arg64(c, lane, 16), .height = 1};
    return queue_copy(c, lane, arg64(c, lane, 32), &copy);
}

/* cudaError_t Memcpy2DAsync(void *to, size_t pitch, const void *from, size_t pitch, size_t width, size_t height,
 *                           enum cudaMemcpyKind kind, cudaStream_t stream) */
static bool memcpy_2d_async(struct builtin_call *c, unsigned lane)
{
    const struct child_copy copy = {.to = arg64(c, lane, 0),
                                    .to_pitch = arg64(c, lane, 8),
                                    .from = arg64(c, lane, 16),
                                    .from_pitch = arg64(c, lane, 24),
                                    .width = arg64(c, lane, 32),
                                    .height = arg64(c, lane, 40)};
    return queue_copy(c, lane, arg64(c, lane, 56), &copy);
}

/* cudaError_t MemsetAsync(void *to, int value, size_t n, cudaStream_t stream) */
static bool memset_async(struct builtin_call *c, unsigned lane)
{
    const struct child_copy fill = {
        .fill = true, .to = arg64(c, lane, 0), .value = arg32(c, lane, 8), .width = arg64(c, lane, 16), .height = 1};
    return queue_copy(c, lane, arg64(c, lane, 24), &fill);
}

/* cudaError_t Memset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream) */
static bool memset_2d_async(struct builtin_call *c, unsigned lane)
{
    const struct child_copy fill = {.fill = true,
                                    .to = arg64(c, lane, 0),
                                    .to_pitch = arg64(c, lane, 8),
                                    .value = arg32(c, lane, 16),
                                    .width = arg64(c, lane, 24),
                                    .height = arg64(c, lane, 32)};
    return queue_copy(c, lane, arg64(c, lane, 40), &fill);
}

/* ---- the device ---- */

/* cudaDeviceAttr's numbers. */
static bool attribute(const struct gpu *g, u32 which, u32 *value)
{
    switch (which) {
    case 1: /* cudaDevAttrMaxThreadsPerBlock */
        *value = g->threads_per_block;
        return true;
    case 2:
    case 3:
    case 4: /* cudaDevAttrMaxBlockDimX, Y, Z */
        *value = g->block_dim[which - 2];
        return true;
    case 5:
    case 6:
    case 7: /* cudaDevAttrMaxGridDimX, Y, Z */
        *value = g->grid_dim[which - 5];
        return true;
    case 8: /* cudaDevAttrMaxSharedMemoryPerBlock */
        *value = g->shared_per_block;
        return true;
    case 10: /* cudaDevAttrWarpSize */
        *value = g->warp_size;
        return true;
    case 12: /* cudaDevAttrMaxRegistersPerBlock */
        *value = g->registers_per_block;
        return true;
    case 16: /* cudaDevAttrMultiProcessorCount */
        *value = g->sms;
        return true;
    case 39: /* cudaDevAttrMaxThreadsPerMultiProcessor */
        *value = g->threads_per_sm;
        return true;
    case 75:
    case 76: /* cudaDevAttrComputeCapabilityMajor, Minor */
        *value = which == 75 ? g->cc_major : g->cc_minor;
        return true;
    case 95: /* cudaDevAttrCooperativeLaunch */
        *value = 1;
        return true;
    default:
        return false;
    }
}

/* cudaError_t f(int *out, ...): the number goes where the first argument points */
static bool give_int(struct builtin_call *c, unsigned lane, u32 value, u32 error)
{
    if (!error && !builtin_write(c, lane, arg64(c, lane, 0), &value, sizeof value))
        return false;
    give32(c, lane, note(c, lane, error));
    return true;
}

static bool device_get_attribute(struct builtin_call *c, unsigned lane)
{
    u32 value = 0, error = 0;
    if (arg32(c, lane, 12))
        error = CUDA_INVALID_DEVICE;
    else if (!attribute(&c->w->block->grid->launch->device->gpu, arg32(c, lane, 8), &value))
        error = CUDA_NOT_SUPPORTED;
    return give_int(c, lane, value, error);
}

static bool get_device(struct builtin_call *c, unsigned lane) { return give_int(c, lane, 0, 0); }

static bool get_device_count(struct builtin_call *c, unsigned lane) { return give_int(c, lane, 1, 0); }

/* ---- streams, events, memory ---- */

static bool give_handle(struct builtin_call *c, unsigned lane, u32 error)
{
    const u64 handle = STREAM_MARK | ++c->w->block->handles;
    if (!error && !builtin_write(c, lane, arg64(c, lane, 0), &handle, sizeof handle))
        return false;
    give32(c, lane, note(c, lane, error));
    return true;
}

static bool stream_create(struct builtin_call *c, unsigned lane)
{
    return give_handle(c, lane, arg32(c, lane, 8) == NON_BLOCKING ? 0 : CUDA_INVALID_VALUE);
}

static bool event_create(struct builtin_call *c, unsigned lane) { return give_handle(c, lane, 0); }

/* Of a handle that the block made, as its first argument. */
static bool of_handle(struct builtin_call *c, unsigned lane)
{
    const bool ours = (arg64(c, lane, 0) & STREAM_MARK) == STREAM_MARK;
    give32(c, lane, note(c, lane, ours ? 0 : CUDA_INVALID_RESOURCE_HANDLE));
    return true;
}

static bool stream_wait_event(struct builtin_call *c, unsigned lane)
{
    const bool ours = is_stream(arg64(c, lane, 0)) && (arg64(c, lane, 8) & STREAM_MARK) == STREAM_MARK;
    give32(c, lane, note(c, lane, ours ? 0 : CUDA_INVALID_RESOURCE_HANDLE));
    return true;
}

/* cudaError_t Malloc(void **p, size_t n): the heap of the kernels' malloc */
static bool device_malloc(struct builtin_call *c, unsigned lane)
{
    u64 address = 0;
    const u32 error =
        mem_alloc(c->w->mem, arg64(c, lane, 8), MEM_ALIGN, MEM_HEAP, NULL, &address) ? CUDA_MEMORY_ALLOCATION : 0;
    if (error)
        address = 0;
    if (!builtin_write(c, lane, arg64(c, lane, 0), &address, sizeof address))
        return false;
    give32(c, lane, note(c, lane, error));
    return true;
}

static bool device_free(struct builtin_call *c, unsigned lane)
{
    const u64 address = arg64(c, lane, 0);
    u64 lo, hi;
    enum mem_kind kind;
    const bool ok = !address || (mem_range(c->w->mem, address, &lo, &hi, &kind) && kind == MEM_HEAP &&
                                 mem_free(c->w->mem, address) == LS_OK);
    give32(c, lane, note(c, lane, ok ? 0 : CUDA_INVALID_VALUE));
    return true;
}

/* ---- graphs ---- */

/* void GraphSetConditional(cudaGraphConditionalHandle handle, unsigned value): a handle is the address of its value */
static bool graph_set_conditional(struct builtin_call *c, unsigned lane)
{
    const u32 value = arg32(c, lane, 8);
    return builtin_write(c, lane, arg64(c, lane, 0), &value, sizeof value);
}

/* ---- the table ---- */

static const struct {
    const char *name;
    bool (*run)(struct builtin_call *c, unsigned lane);
} functions[] = {
    {"GetParameterBufferV2", get_parameter_buffer_v2},
    {"LaunchDeviceV2", launch_device_v2},
    {"GetParameterBuffer", get_parameter_buffer},
    {"LaunchDevice", launch_device},
    {"GetLastError", get_last_error},
    {"PeekAtLastError", peek_at_last_error},
    {"GetErrorName", get_error_name},
    {"GetErrorString", get_error_string},
    {"DeviceGetAttribute", device_get_attribute},
    {"GetDevice", get_device},
    {"GetDeviceCount", get_device_count},
    {"StreamCreateWithFlags", stream_create},
    {"StreamDestroy", of_handle},
    {"StreamWaitEvent", stream_wait_event},
    {"EventCreateWithFlags", event_create},
    {"EventRecord", of_handle},
    {"EventRecordWithFlags", of_handle},
    {"EventDestroy", of_handle},
    {"GraphSetConditional", graph_set_conditional},
    {"MemcpyAsync", memcpy_async},
    {"Memcpy2DAsync", memcpy_2d_async},
    {"MemsetAsync", memset_async},
    {"Memset2DAsync", memset_2d_async},
    {"Malloc", device_malloc},
    {"Free", device_free},
};

int device_runtime_find(const char *name)
{
    static const char *const prefixes[] = {"__cudaCDP2", "cuda"};
    for (size_t p = 0; p < LS_ARRAY_LEN(prefixes); p++) {
        const size_t skip = strlen(prefixes[p]);
        if (strncmp(name, prefixes[p], skip) != 0)
            continue;
        for (size_t k = 0; k < LS_ARRAY_LEN(functions); k++) {
            const size_t n = strlen(functions[k].name);
            const char *rest = name + skip + n;
            if (strncmp(name + skip, functions[k].name, n) == 0 && (!*rest || strcmp(rest, "_ptsz") == 0))
                return (int)k;
        }
    }
    return -1;
}

bool device_runtime_run(int id, struct builtin_call *c)
{
    LS_BUG_ON((size_t)id >= LS_ARRAY_LEN(functions));
    for (u32 m = c->mask; m; m &= m - 1)
        if (!functions[id].run(c, (unsigned)__builtin_ctz(m)))
            return false;
    return true;
}
