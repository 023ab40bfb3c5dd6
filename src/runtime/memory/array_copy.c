/* array_copy.c - copies with arrays, and the general three-dimensional copy.
 *
 * Units differ: the two-dimensional functions count x in bytes; cudaMemcpy3D counts x and the width in elements where
 * an array takes part, in bytes where none does. */
#include <string.h>

#include "runtime/memory/copy.h"

static void from_array(CUDA_MEMCPY3D *c, cudaArray_const_t a, size_t x, size_t y, size_t z)
{
    c->srcMemoryType = CU_MEMORYTYPE_ARRAY;
    c->srcArray = (CUarray)(uintptr_t)a;
    c->srcXInBytes = x;
    c->srcY = y;
    c->srcZ = z;
}

static void to_array(CUDA_MEMCPY3D *c, cudaArray_t a, size_t x, size_t y, size_t z)
{
    c->dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c->dstArray = (CUarray)(void *)a;
    c->dstXInBytes = x;
    c->dstY = y;
    c->dstZ = z;
}

/* ---- cudaMemcpy3D ---- */

/* The bytes of an element: an array's, which must agree if both sides are arrays, or 1. */
static cudaError_t element(const struct cudaMemcpy3DParms *p, size_t *bytes)
{
    size_t of_src = 0, of_dst = 0;
    cudaError_t e = p->srcArray ? array_texel(p->srcArray, &of_src) : cudaSuccess;
    if (e == cudaSuccess && p->dstArray)
        e = array_texel(p->dstArray, &of_dst);
    if (e == cudaSuccess && of_src && of_dst && of_src != of_dst)
        e = cudaErrorInvalidValue;
    *bytes = of_src ? of_src : of_dst ? of_dst : 1;
    return e;
}

cudaError_t copy_of_3d(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *out)
{
    size_t bytes;
    if (!p || (!p->srcArray == !p->srcPtr.ptr) || (!p->dstArray == !p->dstPtr.ptr))
        return cudaErrorInvalidValue; /* each side is one thing */
    cudaError_t e = copy_kind(p->kind);
    if (e == cudaSuccess)
        e = element(p, &bytes);
    if (e != cudaSuccess)
        return e;
    *out =
        (CUDA_MEMCPY3D){.WidthInBytes = p->extent.width * bytes, .Height = p->extent.height, .Depth = p->extent.depth};
    if (p->srcArray) {
        from_array(out, p->srcArray, p->srcPos.x * bytes, p->srcPos.y, p->srcPos.z);
    } else {
        copy_from_linear(out, p->srcPtr.ptr, p->srcPtr.pitch, p->srcPtr.ysize, p->kind);
        out->srcXInBytes = p->srcPos.x, out->srcY = p->srcPos.y, out->srcZ = p->srcPos.z;
    }
    if (p->dstArray) {
        to_array(out, p->dstArray, p->dstPos.x * bytes, p->dstPos.y, p->dstPos.z);
    } else {
        copy_to_linear(out, p->dstPtr.ptr, p->dstPtr.pitch, p->dstPtr.ysize, p->kind);
        out->dstXInBytes = p->dstPos.x, out->dstY = p->dstPos.y, out->dstZ = p->dstPos.z;
    }
    return cudaSuccess;
}

static cudaError_t copy_3d(const struct cudaMemcpy3DParms *p, struct copy_when when)
{
    CUDA_MEMCPY3D c;
    cudaError_t e = copy_of_3d(p, &c);
    return e == cudaSuccess ? copy_run(&c, &when) : e;
}

cudaError_t impl_cudaMemcpy3D(const struct cudaMemcpy3DParms *p) { return copy_3d(p, COPY_NOW); }

cudaError_t impl_cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
    return copy_3d(p, COPY_IN(stream));
}

/* The driver's structure for copies between devices is that of other copies, with a context a side. */
_Static_assert(sizeof(CUDA_MEMCPY3D_PEER) == sizeof(CUDA_MEMCPY3D), "copied as a whole");

static cudaError_t peer_of_3d(const struct cudaMemcpy3DPeerParms *p, CUDA_MEMCPY3D_PEER *out)
{
    CUcontext from, to;
    CUDA_MEMCPY3D c;
    if (!p)
        return cudaErrorInvalidValue;
    const struct cudaMemcpy3DParms q = {.srcArray = p->srcArray,
                                        .srcPos = p->srcPos,
                                        .srcPtr = p->srcPtr,
                                        .dstArray = p->dstArray,
                                        .dstPos = p->dstPos,
                                        .dstPtr = p->dstPtr,
                                        .extent = p->extent,
                                        .kind = cudaMemcpyDefault};
    cudaError_t e = context_find(p->srcDevice, &from);
    if (e == cudaSuccess)
        e = context_find(p->dstDevice, &to);
    if (e == cudaSuccess)
        e = copy_of_3d(&q, &c);
    if (e != cudaSuccess)
        return e;
    memcpy(out, &c, sizeof c);
    out->srcContext = from;
    out->dstContext = to;
    return cudaSuccess;
}

static cudaError_t copy_3d_peer(const struct cudaMemcpy3DPeerParms *p, struct copy_when when)
{
    CUDA_MEMCPY3D_PEER c;
    cudaError_t e = peer_of_3d(p, &c);
    if (e != cudaSuccess || c.WidthInBytes == 0 || c.Height == 0 || c.Depth == 0)
        return e;
    return error_of(when.async ? drv.cuMemcpy3DPeerAsync(&c, stream_of(when.stream)) : DRV_DS(cuMemcpy3DPeer)(&c));
}

cudaError_t impl_cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p) { return copy_3d_peer(p, COPY_NOW); }

cudaError_t impl_cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
    return copy_3d_peer(p, COPY_IN(stream));
}

/* ---- a rectangle of an array ---- */

static cudaError_t rectangle_to(cudaArray_t dst, size_t x, size_t y, const void *src, size_t spitch, size_t width,
                                size_t height, enum cudaMemcpyKind kind, struct copy_when when)
{
    CUDA_MEMCPY3D c = {.WidthInBytes = width, .Height = height, .Depth = 1};
    cudaError_t e = copy_kind(kind);
    if (e != cudaSuccess)
        return e;
    if (!dst)
        return cudaErrorInvalidResourceHandle;
    if (width > spitch)
        return cudaErrorInvalidPitchValue;
    copy_from_linear(&c, src, spitch, height, kind);
    to_array(&c, dst, x, y, 0);
    return copy_run(&c, &when);
}

static cudaError_t rectangle_from(void *dst, size_t dpitch, cudaArray_const_t src, size_t x, size_t y, size_t width,
                                  size_t height, enum cudaMemcpyKind kind, struct copy_when when)
{
    CUDA_MEMCPY3D c = {.WidthInBytes = width, .Height = height, .Depth = 1};
    cudaError_t e = copy_kind(kind);
    if (e != cudaSuccess)
        return e;
    if (!src)
        return cudaErrorInvalidResourceHandle;
    if (width > dpitch)
        return cudaErrorInvalidPitchValue;
    from_array(&c, src, x, y, 0);
    copy_to_linear(&c, dst, dpitch, height, kind);
    return copy_run(&c, &when);
}

cudaError_t impl_cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return rectangle_to(dst, wOffset, hOffset, src, spitch, width, height, kind, COPY_NOW);
}

cudaError_t impl_cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                          size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind,
                                          cudaStream_t stream)
{
    return rectangle_to(dst, wOffset, hOffset, src, spitch, width, height, kind, COPY_IN(stream));
}

cudaError_t impl_cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                       size_t width, size_t height, enum cudaMemcpyKind kind)
{
    return rectangle_from(dst, dpitch, src, wOffset, hOffset, width, height, kind, COPY_NOW);
}

cudaError_t impl_cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
                                            size_t hOffset, size_t width, size_t height, enum cudaMemcpyKind kind,
                                            cudaStream_t stream)
{
    return rectangle_from(dst, dpitch, src, wOffset, hOffset, width, height, kind, COPY_IN(stream));
}

cudaError_t impl_cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                                          size_t wOffsetSrc, size_t hOffsetSrc, size_t width, size_t height,
                                          enum cudaMemcpyKind kind)
{
    CUDA_MEMCPY3D c = {.WidthInBytes = width, .Height = height, .Depth = 1};
    if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (!dst || !src)
        return cudaErrorInvalidResourceHandle;
    from_array(&c, src, wOffsetSrc, hOffsetSrc, 0);
    to_array(&c, dst, wOffsetDst, hOffsetDst, 0);
    return copy_run(&c, &(struct copy_when){false, NULL});
}

/* ---- bytes of an array, row after row: the rest of a row, whole rows, the beginning of one ---- */

struct piece {
    size_t x, y, width, height;
};

/* The next piece of `count` bytes from (x, y) on in rows of `row` bytes. */
static struct piece next_piece(size_t x, size_t y, size_t count, size_t row)
{
    if (x > 0 || count < row)
        return (struct piece){x, y, count < row - x ? count : row - x, 1};
    return (struct piece){0, y, row, count / row};
}

static cudaError_t row_bytes(cudaArray_const_t a, size_t x, size_t *row)
{
    struct cudaExtent extent;
    size_t texel;
    cudaError_t e = array_texel(a, &texel);
    if (e == cudaSuccess)
        e = impl_cudaArrayGetInfo(NULL, &extent, NULL, (cudaArray_t)(uintptr_t)a);
    if (e != cudaSuccess)
        return e;
    *row = extent.width * texel;
    return x < *row ? cudaSuccess : cudaErrorInvalidValue;
}

static cudaError_t bytes_to(cudaArray_t dst, size_t x, size_t y, const char *src, size_t count,
                            enum cudaMemcpyKind kind, struct copy_when when)
{
    size_t row;
    cudaError_t e = row_bytes(dst, x, &row);
    while (e == cudaSuccess && count > 0) {
        struct piece p = next_piece(x, y, count, row);
        e = rectangle_to(dst, p.x, p.y, src, p.width, p.width, p.height, kind, when);
        count -= p.width * p.height;
        src += p.width * p.height;
        x = 0, y += p.height;
    }
    return e;
}

static cudaError_t bytes_from(char *dst, cudaArray_const_t src, size_t x, size_t y, size_t count,
                              enum cudaMemcpyKind kind, struct copy_when when)
{
    size_t row;
    cudaError_t e = row_bytes(src, x, &row);
    while (e == cudaSuccess && count > 0) {
        struct piece p = next_piece(x, y, count, row);
        e = rectangle_from(dst, p.width, src, p.x, p.y, p.width, p.height, kind, when);
        count -= p.width * p.height;
        dst += p.width * p.height;
        x = 0, y += p.height;
    }
    return e;
}

cudaError_t impl_cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count,
                                   enum cudaMemcpyKind kind)
{
    return bytes_to(dst, wOffset, hOffset, src, count, kind, COPY_NOW);
}

cudaError_t impl_cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count,
                                        enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return bytes_to(dst, wOffset, hOffset, src, count, kind, COPY_IN(stream));
}

cudaError_t impl_cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
                                     enum cudaMemcpyKind kind)
{
    return bytes_from(dst, src, wOffset, hOffset, count, kind, COPY_NOW);
}

cudaError_t impl_cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                          size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    return bytes_from(dst, src, wOffset, hOffset, count, kind, COPY_IN(stream));
}

/* Both sides wrap at their own rows: the shorter of the two pieces each time. */
cudaError_t impl_cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                                        size_t wOffsetSrc, size_t hOffsetSrc, size_t count, enum cudaMemcpyKind kind)
{
    size_t to_row, from_row;
    cudaError_t e = row_bytes(dst, wOffsetDst, &to_row);
    if (e == cudaSuccess)
        e = row_bytes(src, wOffsetSrc, &from_row);
    while (e == cudaSuccess && count > 0) {
        size_t n = to_row - wOffsetDst < from_row - wOffsetSrc ? to_row - wOffsetDst : from_row - wOffsetSrc;
        n = n < count ? n : count;
        e = impl_cudaMemcpy2DArrayToArray(dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, n, 1, kind);
        count -= n;
        hOffsetDst += (wOffsetDst + n) / to_row, wOffsetDst = (wOffsetDst + n) % to_row;
        hOffsetSrc += (wOffsetSrc + n) / from_row, wOffsetSrc = (wOffsetSrc + n) % from_row;
    }
    return e;
}
