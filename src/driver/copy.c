/* copy.c - copies of every shape. All are boxes: `depth` slices of `height` rows of `width` bytes.
 *
 * Device addresses are host addresses, so a copy is memmove after a check: every side that is device memory must lie
 * in one allocation. When nothing is before it in its stream, a small copy is done at once; else it waits in the queue.
 * Pageable host memory behaves as in CUDA: what is read from it is taken before the call returns, what is written to it
 * is there when the call returns; only page-locked memory is read and written later. */
#include <string.h>

#include "base/alloc.h"
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

static void copy_now(const struct box *b)
{
    for (size_t z = 0; z < b->depth; z++)
        copy_rows(b, b->dst.at + z * b->dst.slice, b->src.at + z * b->src.slice);
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
    return !s->device || memory_covers((u64)(uintptr_t)s->at, bytes);
}

struct copy_work {
    struct work work;
    struct box box;
    CUcontext ctx;
    u8 staged[];
};

static void copy_run(struct work *w)
{
    struct copy_work *c = (struct copy_work *)w;
    if (ctx_sticky(c->ctx) == CUDA_SUCCESS)
        copy_now(&c->box);
}

static void copy_release(struct work *w)
{
    ls_free(w);
}

/* Queues b; when `stage`, with a copy of its source. */
static CUresult enqueue(struct CUstream_st *s, const struct box *b, bool stage)
{
    size_t bytes = stage ? b->width * b->height * b->depth : 0;
    struct copy_work *c = ls_realloc(NULL, sizeof *c + bytes);
    if (!c)
        return CUDA_ERROR_OUT_OF_MEMORY;
    c->work = (struct work){.run = copy_run, .release = copy_release};
    c->box = *b;
    c->ctx = s->ctx;
    if (stage) {
        struct box take = *b;
        take.dst = (struct side){.at = c->staged, .pitch = b->width, .slice = b->width * b->height};
        copy_now(&take);
        c->box.src = take.dst;
    }
    return stream_submit(s, &c->work, NULL);
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
        copy_now(b);
    stream_leave(s);
    return r;
}

static CUresult copy_async(struct CUstream_st *s, const struct box *b)
{
    bool from_pageable = !memory_known(b->src.at), to_pageable = !memory_known(b->dst.at);
    if (to_pageable)
        return copy_sync(s, b);
    if ((from_pageable || b->width * b->height * b->depth <= AT_ONCE) && stream_enter(s, NULL)) {
        copy_now(b);
        stream_leave(s);
        return CUDA_SUCCESS;
    }
    return enqueue(s, b, from_pageable);
}

enum when { SYNC, ASYNC };

static CUresult submit(const struct box *b, CUstream stream, enum when when)
{
    struct CUstream_st *s;
    CUresult r = stream_find(stream, &s);
    if (r != CUDA_SUCCESS)
        return r;
    if (!b->width || !b->height || !b->depth)
        return CUDA_SUCCESS;
    if (!side_ok(b, &b->dst) || !side_ok(b, &b->src))
        return CUDA_ERROR_INVALID_VALUE;
    return when == SYNC ? copy_sync(s, b) : copy_async(s, b);
}

/* ---- one row ---- */

enum place { HOST, DEVICE, ANYWHERE };

static struct side row(u64 address, size_t n, enum place place)
{
    void *p = (void *)(uintptr_t)address;
    return (struct side){
        .at = p, .pitch = n, .slice = n, .device = place == DEVICE || (place == ANYWHERE && memory_known(p))};
}

static CUresult linear(u64 dst, enum place dst_place, u64 src, enum place src_place, size_t n, CUstream stream,
                       enum when when)
{
    struct box b = {.dst = row(dst, n, dst_place), .src = row(src, n, src_place), .width = n, .height = 1, .depth = 1};
    return submit(&b, stream, when);
}

#define ADDRESS(p) ((u64)(uintptr_t)(p))

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
    return linear(dstDevice, DEVICE, ADDRESS(srcHost), ANYWHERE, ByteCount, NULL, SYNC);
}

CUresult impl_cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream)
{
    return linear(dstDevice, DEVICE, ADDRESS(srcHost), ANYWHERE, ByteCount, hStream, ASYNC);
}

CUresult impl_cuMemcpyDtoH_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount)
{
    return linear(ADDRESS(dstHost), ANYWHERE, srcDevice, DEVICE, ByteCount, NULL, SYNC);
}

CUresult impl_cuMemcpyDtoHAsync_v2(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream)
{
    return linear(ADDRESS(dstHost), ANYWHERE, srcDevice, DEVICE, ByteCount, hStream, ASYNC);
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

/* ---- boxes ---- */

/* One side of a CUDA_MEMCPY structure, by its members. */
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
        b->depth > slices - d->z)
        return CUDA_ERROR_INVALID_VALUE;
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

static CUresult copy_box(const struct description *dst, const struct description *src, size_t width, size_t height,
                         size_t depth, CUstream stream, enum when when)
{
    struct box b = {.width = width, .height = height, .depth = depth};
    if (!width || !height || !depth)
        return CUDA_SUCCESS;
    CUresult r = describe(dst, &b, &b.dst);
    if (r == CUDA_SUCCESS)
        r = describe(src, &b, &b.src);
    return r == CUDA_SUCCESS ? submit(&b, stream, when) : r;
}

static CUresult copy_2d(const CUDA_MEMCPY2D *c, CUstream stream, enum when when)
{
    if (!c)
        return CUDA_ERROR_INVALID_VALUE;
    const struct description dst = {
        c->dstMemoryType, ADDRESS(c->dstHost), c->dstDevice, c->dstXInBytes, c->dstY, 0, c->dstPitch, 0, c->dstArray};
    const struct description src = {
        c->srcMemoryType, ADDRESS(c->srcHost), c->srcDevice, c->srcXInBytes, c->srcY, 0, c->srcPitch, 0, c->srcArray};
    return copy_box(&dst, &src, c->WidthInBytes, c->Height, 1, stream, when);
}

static CUresult copy_3d(const CUDA_MEMCPY3D *c, CUstream stream, enum when when)
{
    if (!c)
        return CUDA_ERROR_INVALID_VALUE;
    const struct description dst = {c->dstMemoryType, ADDRESS(c->dstHost), c->dstDevice, c->dstXInBytes, c->dstY,
                                    c->dstZ,          c->dstPitch,         c->dstHeight,  c->dstArray};
    const struct description src = {c->srcMemoryType, ADDRESS(c->srcHost), c->srcDevice, c->srcXInBytes, c->srcY,
                                    c->srcZ,          c->srcPitch,         c->srcHeight,  c->srcArray};
    return copy_box(&dst, &src, c->WidthInBytes, c->Height, c->Depth, stream, when);
}

CUresult impl_cuMemcpy2D_v2(const CUDA_MEMCPY2D *pCopy)
{
    return copy_2d(pCopy, NULL, SYNC);
}
CUresult impl_cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *pCopy)
{
    return copy_2d(pCopy, NULL, SYNC);
}
CUresult impl_cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream)
{
    return copy_2d(pCopy, hStream, ASYNC);
}
CUresult impl_cuMemcpy3D_v2(const CUDA_MEMCPY3D *pCopy)
{
    return copy_3d(pCopy, NULL, SYNC);
}
CUresult impl_cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *pCopy, CUstream hStream)
{
    return copy_3d(pCopy, hStream, ASYNC);
}

/* ---- bytes of one-dimensional arrays ---- */

static struct description array_side(CUarray array, size_t offset)
{
    return (struct description){.type = CU_MEMORYTYPE_ARRAY, .x = offset, .array = array};
}

static struct description host_side(const void *p)
{
    return (struct description){.type = CU_MEMORYTYPE_HOST, .host = ADDRESS(p)};
}

static struct description device_side(CUdeviceptr p)
{
    return (struct description){.type = CU_MEMORYTYPE_DEVICE, .device = p};
}

static CUresult copy_bytes(struct description dst, struct description src, size_t n, CUstream stream, enum when when)
{
    return copy_box(&dst, &src, n, 1, 1, stream, when);
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

/* The peer form has contexts where the plain one has reserved words; there is one device. */
CUresult impl_cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *pCopy)
{
    _Static_assert(sizeof(CUDA_MEMCPY3D) == sizeof(CUDA_MEMCPY3D_PEER), "the same layout");
    return copy_3d((const CUDA_MEMCPY3D *)(const void *)pCopy, NULL, SYNC);
}

CUresult impl_cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream)
{
    return copy_3d((const CUDA_MEMCPY3D *)(const void *)pCopy, hStream, ASYNC);
}
