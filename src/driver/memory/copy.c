/* copy.c - copies of every shape. All are boxes: `depth` slices of `height` rows of `width` bytes.
 *
 * Device addresses are host addresses, so a copy is memmove after a check: every side that is device memory must lie
 * in one allocation. When nothing is before it in its stream, a small copy is done at once; else it waits in the queue.
 * Pageable host memory behaves as in CUDA: what is read from it is taken before the call returns, what is written to it
 * is there when the call returns; only page-locked memory is read and written later. */
#include <string.h>

#include "driver/driver.h"

struct side {
    u8 *at;
    size_t pitch, slice; /* bytes from row to row, from slice to slice */
    bool device;         /* must lie in an allocation */
};

struct box {
    struct side dst, src;
    size_t width, height, depth;
};

enum { AT_ONCE = 64 << 10 }; /* bytes: what an idle stream copies in the caller's thread */

static void copy_rows(const struct box *b, u8 *dst, const u8 *src)
{
    if (b->dst.pitch == b->width && b->src.pitch == b->width) {
        memmove(dst, src, b->width * b->height);
        return;
    }
    for (size_t y = 0; y < b->height; y++)
        memmove(dst + y * b->dst.pitch, src + y * b->src.pitch, b->width);
}

static void tell_copy(const struct box *b, const struct op *op)
{
    const bool rows = b->dst.pitch == b->width && b->src.pitch == b->width;
    const size_t bytes = rows ? b->width * b->height : b->width;
    for (size_t z = 0; z < b->depth; z++)
        for (size_t y = 0; y < (rows ? 1 : b->height); y++)
            emit_copied((u64)(uintptr_t)b->dst.at + z * b->dst.slice + y * b->dst.pitch,
                        (u64)(uintptr_t)b->src.at + z * b->src.slice + y * b->src.pitch, bytes, op);
}

/* For op, or NULL: the call under way. */
static void copy_now(const struct box *b, const struct op *op)
{
    memory_run_begin();
    if (HEARD(copied))
        tell_copy(b, op);
    for (size_t z = 0; z < b->depth; z++)
        copy_rows(b, b->dst.at + z * b->dst.slice, b->src.at + z * b->src.slice);
    memory_run_end();
}

/* Bytes from the first to the last that a side touches; false: beyond the address space. */
static bool span(const struct box *b, const struct side *s, size_t *bytes)
{
    size_t rows, slices, sum;
    if (__builtin_mul_overflow(b->height - 1, s->pitch, &rows) ||
        __builtin_mul_overflow(b->depth - 1, s->slice, &slices) || __builtin_add_overflow(rows, slices, &sum))
        return false;
    return !__builtin_add_overflow(sum, b->width, bytes);
}

static bool side_ok(const struct box *b, const struct side *s)
{
    size_t bytes;
    if (!s->at || !span(b, s, &bytes))
        return false;
    return !s->device || memory_covers((u64)(uintptr_t)s->at, bytes, s == &b->dst);
}

/* s NULL: in a graph. */
static void tell_asked(const struct box *b, const struct CUstream_st *s, bool waits)
{
    TELL(asked, &(struct driver_ask){.what = ASKED_COPY,
                                     .stream = s,
                                     .bytes = b->width * b->height * b->depth,
                                     .from = b->src.at,
                                     .to = b->dst.at,
                                     .waits = waits});
}

struct copy_work {
    struct op op;
    struct box box;
    u8 staged[];
};

/* A graph may copy memory that was freed since: on a GPU that is an illegal address. */
static void copy_run(struct work *w)
{
    struct copy_work *c = (struct copy_work *)w;
    if (ctx_sticky(c->op.ctx) != CUDA_SUCCESS)
        return;
    if (!side_ok(&c->box, &c->box.dst))
        stream_fault(c->op.ctx, "a copy", c->box.dst.at);
    else if (!side_ok(&c->box, &c->box.src))
        stream_fault(c->op.ctx, "a copy", c->box.src.at);
    else
        copy_now(&c->box, &c->op);
    tell_asked(&c->box, NULL, false);
}

static struct copy_work *work_new(CUcontext ctx, const struct box *b, size_t bytes)
{
    struct copy_work *c = (struct copy_work *)op_new(sizeof *c + bytes, CU_GRAPH_NODE_TYPE_MEMCPY, ctx, copy_run);
    if (c)
        c->box = *b;
    return c;
}

/* Queues b; when `stage`, with a copy of its source. */
static CUresult enqueue(struct CUstream_st *s, const struct box *b, bool stage)
{
    struct copy_work *c = work_new(s->ctx, b, stage ? b->width * b->height * b->depth : 0);
    if (!c)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (stage) {
        struct box take = *b;
        take.dst = (struct side){.at = c->staged, .pitch = b->width, .slice = b->width * b->height};
        copy_now(&take, &c->op);
        c->box.src = take.dst;
    }
    return stream_submit_op(s, &c->op);
}

static CUresult copy_sync(struct CUstream_st *s, const struct box *b)
{
    while (!stream_enter(s, NULL)) {
        CUresult r = stream_drain(s);
        if (r != CUDA_SUCCESS)
            return r;
    }
    CUresult r = ctx_sticky(s->ctx);
    if (r == CUDA_SUCCESS)
        copy_now(b, NULL);
    stream_leave(s);
    stream_host_did(s, b->dst.at, b->src.at);
    return r;
}

static CUresult copy_async(struct CUstream_st *s, const struct box *b)
{
    bool from_pageable = !memory_known(b->src.at), to_pageable = !memory_known(b->dst.at);
    if (to_pageable)
        return copy_sync(s, b);
    if ((from_pageable || b->width * b->height * b->depth <= AT_ONCE) && stream_enter(s, NULL)) {
        copy_now(b, NULL);
        stream_leave(s);
        return CUDA_SUCCESS;
    }
    return enqueue(s, b, from_pageable);
}

enum when { SYNC, ASYNC };

#define ADDRESS(p) ((u64)(uintptr_t)(p))

/* ---- from CUDA_MEMCPY3D to a box ---- */

/* One side of a CUDA_MEMCPY3D, by its members. */
struct description {
    CUmemorytype type;
    u64 host, device;
    size_t x, y, z, pitch, rows; /* rows a slice */
    CUarray array;
};

/* x is in bytes; of an array z is a slice or layer. The shape of its memory is its own. */
static CUresult describe_array(const struct description *d, const struct box *b, struct side *out)
{
    const CUresult r = array_find(d->array);
    if (r != CUDA_SUCCESS)
        return r;
    const size_t pitch = d->array->desc.Width * d->array->texel_bytes, rows = d->array->rows, slices = d->array->slices;
    if (d->x > pitch || b->width > pitch - d->x || d->y > rows || b->height > rows - d->y || d->z > slices ||
        b->depth > slices - d->z) {
        driver_refused("The array has %zu bytes a row, %zu rows and %zu slices; %zu x %zu x %zu from (%zu, %zu, %zu) "
                       "are wanted",
                       pitch, rows, slices, b->width, b->height, b->depth, d->x, d->y, d->z);
        return CUDA_ERROR_INVALID_VALUE;
    }
    *out = (struct side){.pitch = pitch, .slice = pitch * rows, .device = true};
    out->at = (u8 *)(uintptr_t)d->array->address + d->x + d->y * pitch + d->z * out->slice;
    return CUDA_SUCCESS;
}

static CUresult describe(const struct description *d, const struct box *b, struct side *out)
{
    size_t pitch = d->pitch ? d->pitch : b->width + d->x, rows = d->rows ? d->rows : b->height + d->y;
    bool host = d->type == CU_MEMORYTYPE_HOST;
    if (d->type == CU_MEMORYTYPE_ARRAY)
        return describe_array(d, b, out);
    if (!host && d->type != CU_MEMORYTYPE_DEVICE && d->type != CU_MEMORYTYPE_UNIFIED)
        return CUDA_ERROR_INVALID_VALUE;
    if (b->height > 1 && d->pitch && (d->pitch < b->width || d->pitch - b->width < d->x))
        return CUDA_ERROR_INVALID_VALUE;
    if (b->depth > 1 && d->rows && (d->rows < b->height || d->rows - b->height < d->y))
        return CUDA_ERROR_INVALID_VALUE;
    u64 base = host ? d->host : d->device;
    *out = (struct side){.pitch = pitch, .slice = pitch * rows};
    out->at = (u8 *)(uintptr_t)base + d->x + d->y * pitch + d->z * out->slice;
    out->device = d->type == CU_MEMORYTYPE_DEVICE || memory_known(out->at);
    return base ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* For the call under way: a side that is no memory is the call's error. */
static bool side_given(const struct box *b, const struct side *s)
{
    size_t bytes;
    const bool ok = side_ok(b, s);
    if (!ok && HEARD(call_refused) && span(b, s, &bytes))
        emit_call_refused(&(struct driver_refusal){.what = REFUSED_RANGE,
                                                   .text = s == &b->dst ? "destination" : "source",
                                                   .address = (u64)(uintptr_t)s->at,
                                                   .size = bytes});
    return ok;
}

static CUresult describe_box(const CUDA_MEMCPY3D *c, struct box *b)
{
    const struct description dst = {c->dstMemoryType, ADDRESS(c->dstHost), c->dstDevice, c->dstXInBytes, c->dstY,
                                    c->dstZ,          c->dstPitch,         c->dstHeight, c->dstArray};
    const struct description src = {c->srcMemoryType, ADDRESS(c->srcHost), c->srcDevice, c->srcXInBytes, c->srcY,
                                    c->srcZ,          c->srcPitch,         c->srcHeight, c->srcArray};
    *b = (struct box){.width = c->WidthInBytes, .height = c->Height, .depth = c->Depth};
    CUresult r = describe(&dst, b, &b->dst);
    if (r == CUDA_SUCCESS)
        r = describe(&src, b, &b->src);
    return r != CUDA_SUCCESS || (side_given(b, &b->dst) && side_given(b, &b->src)) ? r : CUDA_ERROR_INVALID_VALUE;
}

CUresult copy_op(CUcontext ctx, const CUDA_MEMCPY3D *c, struct op **out)
{
    struct box b;
    if (!c->WidthInBytes || !c->Height || !c->Depth)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = describe_box(c, &b);
    if (r != CUDA_SUCCESS)
        return r;
    struct copy_work *w = work_new(ctx, &b, 0);
    if (!w)
        return CUDA_ERROR_OUT_OF_MEMORY;
    w->op.params.memcpy = (CUDA_MEMCPY_NODE_PARAMS){.copyCtx = ctx, .copyParams = *c};
    *out = &w->op;
    return CUDA_SUCCESS;
}

/* A graph's copies read and write host memory of every kind when the graph runs. */
static CUresult capture(struct CUstream_st *s, const CUDA_MEMCPY3D *c)
{
    struct op *op;
    CUresult r = copy_op(s->ctx, c, &op);
    return r == CUDA_SUCCESS ? stream_submit_op(s, op) : r;
}

static CUresult submit(const CUDA_MEMCPY3D *c, CUstream stream, enum when when)
{
    struct CUstream_st *s;
    struct box b;
    CUresult r = stream_find(stream, &s);
    if (r == CUDA_SUCCESS && when == SYNC)
        r = capture_forbids(s);
    if (r != CUDA_SUCCESS || !c->WidthInBytes || !c->Height || !c->Depth)
        return r;
    if (stream_capturing(s))
        return capture(s, c);
    r = describe_box(c, &b);
    if (r != CUDA_SUCCESS)
        return r;
    tell_asked(&b, s, when == SYNC);
    peers_order(s, b.dst.at, stream_after);
    peers_order(s, b.src.at, stream_after);
    r = when == SYNC ? copy_sync(s, &b) : copy_async(s, &b);
    peers_order(s, b.dst.at, stream_before);
    peers_order(s, b.src.at, stream_before);
    return r;
}

/* ---- one row ---- */

enum place { HOST = CU_MEMORYTYPE_HOST, DEVICE = CU_MEMORYTYPE_DEVICE, ANYWHERE = CU_MEMORYTYPE_UNIFIED };

static CUresult linear(u64 dst, enum place dst_place, u64 src, enum place src_place, size_t n, CUstream stream,
                       enum when when)
{
    const CUDA_MEMCPY3D c = {.dstMemoryType = (CUmemorytype)dst_place,
                             .dstHost = (void *)(uintptr_t)dst,
                             .dstDevice = dst,
                             .srcMemoryType = (CUmemorytype)src_place,
                             .srcHost = (void *)(uintptr_t)src,
                             .srcDevice = src,
                             .WidthInBytes = n,
                             .Height = 1,
                             .Depth = 1};
    return submit(&c, stream, when);
}

CUresult impl_cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount)
{
    return linear(dst, ANYWHERE, src, ANYWHERE, ByteCount, NULL, SYNC);
}

CUresult impl_cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream)
{
    return linear(dst, ANYWHERE, src, ANYWHERE, ByteCount, hStream, ASYNC);
}

CUresult impl_cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount)
{
    return linear(dstDevice, DEVICE, ADDRESS(srcHost), HOST, ByteCount, NULL, SYNC);
}

CUresult impl_cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream)
{
    return linear(dstDevice, DEVICE, ADDRESS(srcHost), HOST, ByteCount, hStream, ASYNC);
}

CUresult impl_cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount)
{
    return linear(ADDRESS(dstHost), HOST, srcDevice, DEVICE, ByteCount, NULL, SYNC);
}

CUresult impl_cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)
{
    return linear(ADDRESS(dstHost), HOST, srcDevice, DEVICE, ByteCount, hStream, ASYNC);
}

CUresult impl_cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount)
{
    return linear(dstDevice, DEVICE, srcDevice, DEVICE, ByteCount, NULL, SYNC);
}

CUresult impl_cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)
{
    return linear(dstDevice, DEVICE, srcDevice, DEVICE, ByteCount, hStream, ASYNC);
}

CUresult impl_cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
                           size_t ByteCount)
{
    if (!ctx_valid(dstContext) || !ctx_valid(srcContext))
        return CUDA_ERROR_INVALID_CONTEXT;
    return impl_cuMemcpyDtoD_v2(dstDevice, srcDevice, ByteCount);
}

CUresult impl_cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                                CUcontext srcContext, size_t ByteCount, CUstream hStream)
{
    if (!ctx_valid(dstContext) || !ctx_valid(srcContext))
        return CUDA_ERROR_INVALID_CONTEXT;
    return impl_cuMemcpyDtoDAsync_v2(dstDevice, srcDevice, ByteCount, hStream);
}

/* ---- two and three dimensions ---- */

static CUresult copy_2d(const CUDA_MEMCPY2D *c, CUstream stream, enum when when)
{
    if (!c)
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_MEMCPY3D box = {.srcXInBytes = c->srcXInBytes,
                               .srcY = c->srcY,
                               .srcMemoryType = c->srcMemoryType,
                               .srcHost = c->srcHost,
                               .srcDevice = c->srcDevice,
                               .srcArray = c->srcArray,
                               .srcPitch = c->srcPitch,
                               .dstXInBytes = c->dstXInBytes,
                               .dstY = c->dstY,
                               .dstMemoryType = c->dstMemoryType,
                               .dstHost = c->dstHost,
                               .dstDevice = c->dstDevice,
                               .dstArray = c->dstArray,
                               .dstPitch = c->dstPitch,
                               .WidthInBytes = c->WidthInBytes,
                               .Height = c->Height,
                               .Depth = 1};
    return submit(&box, stream, when);
}

static CUresult copy_3d(const CUDA_MEMCPY3D *c, CUstream stream, enum when when)
{
    return c ? submit(c, stream, when) : CUDA_ERROR_INVALID_VALUE;
}

CUresult impl_cuMemcpy2D_v2(const CUDA_MEMCPY2D *pCopy) { return copy_2d(pCopy, NULL, SYNC); }
CUresult impl_cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *pCopy) { return copy_2d(pCopy, NULL, SYNC); }
CUresult impl_cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream)
{
    return copy_2d(pCopy, hStream, ASYNC);
}
CUresult impl_cuMemcpy3D_v2(const CUDA_MEMCPY3D *pCopy) { return copy_3d(pCopy, NULL, SYNC); }
CUresult impl_cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *pCopy, CUstream hStream)
{
    return copy_3d(pCopy, hStream, ASYNC);
}

/* ---- bytes of one-dimensional arrays ---- */

/* One side of a copy of bytes; the functions below say which. */
struct bytes_side {
    CUmemorytype type;
    u64 at;
    CUarray array;
    size_t offset;
};

static struct bytes_side array_side(CUarray array, size_t offset)
{
    return (struct bytes_side){.type = CU_MEMORYTYPE_ARRAY, .array = array, .offset = offset};
}

static struct bytes_side host_side(const void *p)
{
    return (struct bytes_side){.type = CU_MEMORYTYPE_HOST, .at = ADDRESS(p)};
}

static struct bytes_side device_side(CUdeviceptr p)
{
    return (struct bytes_side){.type = CU_MEMORYTYPE_DEVICE, .at = p};
}

static CUresult copy_bytes(struct bytes_side dst, struct bytes_side src, size_t n, CUstream stream, enum when when)
{
    const CUDA_MEMCPY3D c = {.dstMemoryType = dst.type,
                             .dstHost = (void *)(uintptr_t)dst.at,
                             .dstDevice = dst.at,
                             .dstArray = dst.array,
                             .dstXInBytes = dst.offset,
                             .srcMemoryType = src.type,
                             .srcHost = (const void *)(uintptr_t)src.at,
                             .srcDevice = src.at,
                             .srcArray = src.array,
                             .srcXInBytes = src.offset,
                             .WidthInBytes = n,
                             .Height = 1,
                             .Depth = 1};
    return submit(&c, stream, when);
}

CUresult impl_cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount)
{
    return copy_bytes(array_side(dstArray, dstOffset), host_side(srcHost), ByteCount, NULL, SYNC);
}
CUresult impl_cuMemcpyAtoH_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount)
{
    return copy_bytes(host_side(dstHost), array_side(srcArray, srcOffset), ByteCount, NULL, SYNC);
}
CUresult impl_cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice, size_t ByteCount)
{
    return copy_bytes(array_side(dstArray, dstOffset), device_side(srcDevice), ByteCount, NULL, SYNC);
}
CUresult impl_cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset, size_t ByteCount)
{
    return copy_bytes(device_side(dstDevice), array_side(srcArray, srcOffset), ByteCount, NULL, SYNC);
}
CUresult impl_cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset, size_t ByteCount)
{
    return copy_bytes(array_side(dstArray, dstOffset), array_side(srcArray, srcOffset), ByteCount, NULL, SYNC);
}
CUresult impl_cuMemcpyHtoAAsync_v2(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount,
                                   CUstream hStream)
{
    return copy_bytes(array_side(dstArray, dstOffset), host_side(srcHost), ByteCount, hStream, ASYNC);
}
CUresult impl_cuMemcpyAtoHAsync_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount,
                                   CUstream hStream)
{
    return copy_bytes(host_side(dstHost), array_side(srcArray, srcOffset), ByteCount, hStream, ASYNC);
}

/* The peer form has contexts in place of reserved words; they are not needed, since an address tells its device. */
CUresult impl_cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *pCopy)
{
    _Static_assert(sizeof(CUDA_MEMCPY3D) == sizeof(CUDA_MEMCPY3D_PEER), "the same layout");
    return copy_3d((const CUDA_MEMCPY3D *)(const void *)pCopy, NULL, SYNC);
}

CUresult impl_cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream)
{
    return copy_3d((const CUDA_MEMCPY3D *)(const void *)pCopy, hStream, ASYNC);
}
