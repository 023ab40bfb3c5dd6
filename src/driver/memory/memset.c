/* memset.c - filling device memory with bytes, halves and words, in one and two dimensions. */
#include <string.h>

#include "driver/driver.h"

struct fill {
    u8 *at;
    size_t pitch;         /* bytes from row to row */
    size_t width, height; /* elements, rows */
    u32 value;
    u8 size; /* of an element: 1, 2, 4 */
};

enum { AT_ONCE = 64 << 10 }; /* bytes: what an idle stream fills in the caller's thread */

/* The first element is written, then what is written is doubled. */
static void fill_row(const struct fill *f, u8 *row)
{
    size_t bytes = f->width * f->size, done = f->size;
    if (f->size == 1 || f->value == 0) {
        memset(row, (int)(f->value & 0xff), bytes);
        return;
    }
    memcpy(row, &f->value, f->size);
    while (done < bytes) {
        size_t n = done < bytes - done ? done : bytes - done;
        if (n > 4096)
            n = 4096; /* stays in the cache */
        memcpy(row + done, row, n);
        done += n;
    }
}

static void tell_fill(const struct fill *f, const struct op *op)
{
    for (size_t y = 0; y < f->height; y++)
        emit_filled((u64)(uintptr_t)f->at + y * f->pitch, f->width * f->size, op);
}

/* For op, or NULL: the call under way. */
static void fill_now(const struct fill *f, const struct op *op)
{
    memory_run_begin();
    if (HEARD(filled))
        tell_fill(f, op);
    for (size_t y = 0; y < f->height; y++)
        fill_row(f, f->at + y * f->pitch);
    memory_run_end();
}

/* Copies reach the memory of any device, but a device fills only what its kernels could write (as on an H200). */
static bool fill_ok(CUcontext ctx, const struct fill *f)
{
    size_t row, rows, bytes;
    if ((u64)(uintptr_t)f->at % f->size || f->pitch % f->size)
        return false;
    if (__builtin_mul_overflow(f->width, f->size, &row) || (f->height > 1 && f->pitch < row) ||
        __builtin_mul_overflow(f->height - 1, f->pitch, &rows) || __builtin_add_overflow(row, rows, &bytes))
        return false;
    return memory_reaches(ctx, (u64)(uintptr_t)f->at, bytes);
}

/* s NULL: in a graph. */
static void tell_asked(const struct fill *f, const struct CUstream_st *s)
{
    TELL(asked,
         &(struct driver_ask){.what = ASKED_FILL, .stream = s, .bytes = f->width * f->size * f->height, .to = f->at});
}

struct fill_work {
    struct op op;
    struct fill fill;
};

/* A graph may fill memory that was freed since: on a GPU that is an illegal address. */
static void fill_run(struct work *w)
{
    struct fill_work *f = (struct fill_work *)w;
    if (ctx_sticky(f->op.ctx) != CUDA_SUCCESS)
        return;
    if (fill_ok(f->op.ctx, &f->fill))
        fill_now(&f->fill, &f->op);
    else
        stream_fault(f->op.ctx, "a fill", f->fill.at);
    tell_asked(&f->fill, NULL);
}

CUresult fill_op(CUcontext ctx, const CUDA_MEMSET_NODE_PARAMS *p, struct op **out)
{
    if (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)
        return CUDA_ERROR_INVALID_VALUE;
    const struct fill f = {(u8 *)(uintptr_t)p->dst, p->pitch, p->width, p->height, p->value, (u8)p->elementSize};
    if (!f.width || !f.height || !fill_ok(ctx, &f))
        return CUDA_ERROR_INVALID_VALUE;
    struct fill_work *w = (struct fill_work *)op_new(sizeof *w, CU_GRAPH_NODE_TYPE_MEMSET, ctx, fill_run);
    if (!w)
        return CUDA_ERROR_OUT_OF_MEMORY;
    w->fill = f;
    w->op.params.memset =
        (CUDA_MEMSET_NODE_PARAMS_v2){p->dst, p->pitch, p->value, p->elementSize, p->width, p->height, ctx};
    *out = &w->op;
    return CUDA_SUCCESS;
}

static CUresult enqueue(struct CUstream_st *s, const struct fill *f)
{
    const CUDA_MEMSET_NODE_PARAMS p = {(u64)(uintptr_t)f->at, f->pitch, f->value, f->size, f->width, f->height};
    struct op *op;
    CUresult r = fill_op(s->ctx, &p, &op);
    return r == CUDA_SUCCESS ? stream_submit_op(s, op) : r;
}

/* Why the call under way cannot fill that. */
static void explain(const struct fill *f)
{
    const size_t row = f->width * f->size;
    if ((u64)(uintptr_t)f->at % f->size || f->pitch % f->size)
        driver_refused("Address and pitch of a fill by %u bytes are multiples of that", f->size);
    else if (f->height > 1 && f->pitch < row)
        driver_refused("The pitch is %zu bytes, a row has %zu", f->pitch, row);
    else
        TELL(call_refused, &(struct driver_refusal){.what = REFUSED_RANGE,
                                                    .text = "destination",
                                                    .address = (u64)(uintptr_t)f->at,
                                                    .size = (f->height - 1) * f->pitch + row});
}

/* Filling is asynchronous also in the functions without Async, but for the host's view of managed and pinned memory;
 * both kinds wait for their stream here when `sync`. */
static CUresult fill(struct fill f, CUstream stream, bool sync)
{
    struct CUstream_st *s;
    CUresult r = stream_find(stream, &s);
    if (r == CUDA_SUCCESS && sync)
        r = capture_forbids(s);
    if (r != CUDA_SUCCESS || !f.width || !f.height)
        return r;
    if (!fill_ok(s->ctx, &f)) {
        if (HEARD(call_refused))
            explain(&f);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!stream_capturing(s))
        tell_asked(&f, s);
    if ((sync || f.width * f.size * f.height <= AT_ONCE) && stream_enter(s, NULL)) {
        fill_now(&f, NULL);
        stream_leave(s);
    } else {
        r = enqueue(s, &f);
        if (r == CUDA_SUCCESS && sync)
            r = stream_drain(s);
    }
    if (sync)
        stream_host_did(s, f.at, NULL);
    return r;
}

static struct fill rows(CUdeviceptr p, size_t pitch, u32 value, u8 size, size_t width, size_t height)
{
    return (struct fill){(u8 *)(uintptr_t)p, pitch, width, height, value, size};
}

/* FILL(bits, type, value): the four functions of an element size. */
#define FILL(bits, type, v)                                                                                            \
    CUresult impl_cuMemsetD##bits##_v2(CUdeviceptr dstDevice, type v, size_t N)                                        \
    {                                                                                                                  \
        return fill(rows(dstDevice, 0, v, sizeof(type), N, 1), NULL, true);                                            \
    }                                                                                                                  \
    CUresult impl_cuMemsetD##bits##Async(CUdeviceptr dstDevice, type v, size_t N, CUstream hStream)                    \
    {                                                                                                                  \
        return fill(rows(dstDevice, 0, v, sizeof(type), N, 1), hStream, false);                                        \
    }                                                                                                                  \
    CUresult impl_cuMemsetD2D##bits##_v2(CUdeviceptr dstDevice, size_t dstPitch, type v, size_t Width, size_t Height)  \
    {                                                                                                                  \
        return fill(rows(dstDevice, dstPitch, v, sizeof(type), Width, Height), NULL, true);                            \
    }                                                                                                                  \
    CUresult impl_cuMemsetD2D##bits##Async(CUdeviceptr dstDevice, size_t dstPitch, type v, size_t Width,               \
                                           size_t Height, CUstream hStream)                                            \
    {                                                                                                                  \
        return fill(rows(dstDevice, dstPitch, v, sizeof(type), Width, Height), hStream, false);                        \
    }

FILL(8, unsigned char, uc)
FILL(16, unsigned short, us)
FILL(32, unsigned int, ui)
