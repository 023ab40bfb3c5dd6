/* copy.c - copies of linear memory: 1D, 2D, 3D, between devices, to and from symbols. Copies with arrays are in
 * array_copy.c; both end in the driver's three-dimensional copy.
 *
 * A kind says what the pointers are; cudaMemcpyDefault leaves it to the driver, which knows its own memory and takes
 * any other address for the host's. */
#include "runtime/memory/copy.h"

#include <string.h>

static CUdeviceptr device_ptr(const void *p) { return (CUdeviceptr)(uintptr_t)p; }

cudaError_t copy_kind(enum cudaMemcpyKind kind)
{
    return (unsigned)kind > cudaMemcpyDefault ? cudaErrorInvalidMemcpyDirection : cudaSuccess;
}

/* ---- one dimension ---- */

static CUresult copy_1d(void *dst, const void *src, size_t n, enum cudaMemcpyKind kind)
{
    switch (kind) {
    case cudaMemcpyHostToDevice:
        return DRV_DS(cuMemcpyHtoD_v2)(device_ptr(dst), src, n);
    case cudaMemcpyDeviceToHost:
        return DRV_DS(cuMemcpyDtoH_v2)(dst, device_ptr(src), n);
    case cudaMemcpyDeviceToDevice:
        return DRV_DS(cuMemcpyDtoD_v2)(device_ptr(dst), device_ptr(src), n);
    default:
        return DRV_DS(cuMemcpy)(device_ptr(dst), device_ptr(src), n);
    }
}

static CUresult copy_1d_async(void *dst, const void *src, size_t n, enum cudaMemcpyKind kind, CUstream s)
{
    switch (kind) {
    case cudaMemcpyHostToDevice:
        return drv.cuMemcpyHtoDAsync_v2(device_ptr(dst), src, n, s);
    case cudaMemcpyDeviceToHost:
        return drv.cuMemcpyDtoHAsync_v2(dst, device_ptr(src), n, s);
    case cudaMemcpyDeviceToDevice:
        return drv.cuMemcpyDtoDAsync_v2(device_ptr(dst), device_ptr(src), n, s);
    default:
        return drv.cuMemcpyAsync(device_ptr(dst), device_ptr(src), n, s);
    }
}

cudaError_t impl_cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
    cudaError_t e = copy_kind(kind);
    return e != cudaSuccess || count == 0 ? e : error_of(copy_1d(dst, src, count, kind));
}

cudaError_t impl_cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
                                 cudaStream_t stream)
{
    cudaError_t e = copy_kind(kind);
    return e != cudaSuccess || count == 0 ? e : error_of(copy_1d_async(dst, src, count, kind, stream_of(stream)));
}

/* Attributes say where memory is and when it is read. They are hints: reading it in the order of the stream is always
 * right. */
cudaError_t impl_cudaMemcpyBatchAsync(void *const *dsts, const void *const *srcs, const size_t *sizes, size_t count,
                                      struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                                      cudaStream_t stream)
{
    cudaError_t e = cudaSuccess;
    if (!dsts || !srcs || !sizes || !count || !attrs || !attrsIdxs || !numAttrs || numAttrs > count ||
        stream_of(stream) == NULL || stream == cudaStreamLegacy)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < count && e == cudaSuccess; i++)
        e = impl_cudaMemcpyAsync(dsts[i], srcs[i], sizes[i], cudaMemcpyDefault, stream);
    return e;
}

/* ---- between devices ---- */

static cudaError_t two_contexts(int a, int b, CUcontext *of_a, CUcontext *of_b)
{
    cudaError_t e = context_find(a, of_a);
    return e == cudaSuccess ? context_find(b, of_b) : e;
}

cudaError_t impl_cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count)
{
    CUcontext to, from;
    cudaError_t e = two_contexts(dstDevice, srcDevice, &to, &from);
    if (e != cudaSuccess || count == 0)
        return e;
    return error_of(drv.cuMemcpyPeer(device_ptr(dst), to, device_ptr(src), from, count));
}

cudaError_t impl_cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice, size_t count,
                                     cudaStream_t stream)
{
    CUcontext to, from;
    cudaError_t e = two_contexts(dstDevice, srcDevice, &to, &from);
    if (e != cudaSuccess || count == 0)
        return e;
    return error_of(drv.cuMemcpyPeerAsync(device_ptr(dst), to, device_ptr(src), from, count, stream_of(stream)));
}

/* ---- two and three dimensions ---- */

static CUmemorytype source_type(enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyDefault                                        ? CU_MEMORYTYPE_UNIFIED
           : kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice ? CU_MEMORYTYPE_HOST
                                                                            : CU_MEMORYTYPE_DEVICE;
}

static CUmemorytype target_type(enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyDefault                                        ? CU_MEMORYTYPE_UNIFIED
           : kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost ? CU_MEMORYTYPE_HOST
                                                                            : CU_MEMORYTYPE_DEVICE;
}

void copy_from_linear(CUDA_MEMCPY3D *c, const void *src, size_t pitch, size_t rows, enum cudaMemcpyKind kind)
{
    c->srcMemoryType = source_type(kind);
    c->srcHost = src;
    c->srcDevice = device_ptr(src);
    c->srcPitch = pitch;
    c->srcHeight = rows;
}

void copy_to_linear(CUDA_MEMCPY3D *c, void *dst, size_t pitch, size_t rows, enum cudaMemcpyKind kind)
{
    c->dstMemoryType = target_type(kind);
    c->dstHost = dst;
    c->dstDevice = device_ptr(dst);
    c->dstPitch = pitch;
    c->dstHeight = rows;
}

cudaError_t copy_run(const CUDA_MEMCPY3D *c, const struct copy_when *when)
{
    if (c->WidthInBytes == 0 || c->Height == 0 || c->Depth == 0)
        return cudaSuccess;
    return error_of(when->async ? drv.cuMemcpy3DAsync_v2(c, stream_of(when->stream)) : DRV_DS(cuMemcpy3D_v2)(c));
}

static cudaError_t copy_2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                           enum cudaMemcpyKind kind, struct copy_when when)
{
    CUDA_MEMCPY3D c = {.WidthInBytes = width, .Height = height, .Depth = 1};
    cudaError_t e = copy_kind(kind);
    if (e != cudaSuccess)
        return e;
    if (width > dpitch || width > spitch)
        return cudaErrorInvalidValue;
    copy_from_linear(&c, src, spitch, height, kind);
    copy_to_linear(&c, dst, dpitch, height, kind);
    return copy_run(&c, &when);
}

cudaError_t impl_cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind)
{
    return copy_2d(dst, dpitch, src, spitch, width, height, kind, COPY_NOW);
}

cudaError_t impl_cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                                   size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy_2d(dst, dpitch, src, spitch, width, height, kind, COPY_IN(stream));
}

/* ---- symbols ---- */

/* The device side of a copy of `count` bytes at an offset into a variable. */
static cudaError_t place(const void *symbol, size_t count, size_t offset, void **address)
{
    CUdeviceptr at;
    size_t size;
    cudaError_t e = variable_of(symbol, &at, &size);
    if (e != cudaSuccess)
        return e;
    if (offset > size || count > size - offset)
        return cudaErrorInvalidValue;
    *address = (void *)(uintptr_t)(at + offset);
    return cudaSuccess;
}

static cudaError_t to_symbol_kind(enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault
               ? cudaSuccess
               : cudaErrorInvalidMemcpyDirection;
}

static cudaError_t from_symbol_kind(enum cudaMemcpyKind kind)
{
    return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault
               ? cudaSuccess
               : cudaErrorInvalidMemcpyDirection;
}

cudaError_t impl_cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
                                    enum cudaMemcpyKind kind)
{
    void *at;
    cudaError_t e = to_symbol_kind(kind);
    if (e == cudaSuccess)
        e = place(symbol, count, offset, &at);
    return e == cudaSuccess ? impl_cudaMemcpy(at, src, count, kind) : e;
}

cudaError_t impl_cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind)
{
    void *at;
    cudaError_t e = from_symbol_kind(kind);
    if (e == cudaSuccess)
        e = place(symbol, count, offset, &at);
    return e == cudaSuccess ? impl_cudaMemcpy(dst, at, count, kind) : e;
}

cudaError_t impl_cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count, size_t offset,
                                         enum cudaMemcpyKind kind, cudaStream_t stream)
{
    void *at;
    cudaError_t e = to_symbol_kind(kind);
    if (e == cudaSuccess)
        e = place(symbol, count, offset, &at);
    return e == cudaSuccess ? impl_cudaMemcpyAsync(at, src, count, kind, stream) : e;
}

cudaError_t impl_cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset,
                                           enum cudaMemcpyKind kind, cudaStream_t stream)
{
    void *at;
    cudaError_t e = from_symbol_kind(kind);
    if (e == cudaSuccess)
        e = place(symbol, count, offset, &at);
    return e == cudaSuccess ? impl_cudaMemcpyAsync(dst, at, count, kind, stream) : e;
}
