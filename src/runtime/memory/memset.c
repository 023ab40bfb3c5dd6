/* memset.c - filling memory with a byte: 1D, 2D, 3D. */
#include "runtime/runtime.h"

static CUdeviceptr device_ptr(const void *p) { return (CUdeviceptr)(uintptr_t)p; }

cudaError_t impl_cudaMemset(void *devPtr, int value, size_t count)
{
    if (count == 0)
        return cudaSuccess;
    return error_of(DRV_DS(cuMemsetD8_v2)(device_ptr(devPtr), (unsigned char)value, count));
}

cudaError_t impl_cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream)
{
    if (count == 0)
        return cudaSuccess;
    return error_of(drv.cuMemsetD8Async(device_ptr(devPtr), (unsigned char)value, count, stream_of(stream)));
}

cudaError_t impl_cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height)
{
    if (width == 0 || height == 0)
        return cudaSuccess;
    return error_of(DRV_DS(cuMemsetD2D8_v2)(device_ptr(devPtr), pitch, (unsigned char)value, width, height));
}

cudaError_t impl_cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height,
                                   cudaStream_t stream)
{
    if (width == 0 || height == 0)
        return cudaSuccess;
    return error_of(
        drv.cuMemsetD2D8Async(device_ptr(devPtr), pitch, (unsigned char)value, width, height, stream_of(stream)));
}

/* A box is a rectangle a slice; slices are ysize rows apart, and where that is the box's height one rectangle does. */
static bool one_rectangle(const struct cudaPitchedPtr *p, const struct cudaExtent *e, size_t *rows)
{
    return (e->depth == 1 || e->height == p->ysize) && !__builtin_mul_overflow(e->height, e->depth, rows);
}

cudaError_t impl_cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent)
{
    size_t rows;
    if (one_rectangle(&pitchedDevPtr, &extent, &rows))
        return impl_cudaMemset2D(pitchedDevPtr.ptr, pitchedDevPtr.pitch, value, extent.width, rows);
    cudaError_t e = cudaSuccess;
    for (size_t z = 0; z < extent.depth && e == cudaSuccess; z++)
        e = impl_cudaMemset2D((char *)pitchedDevPtr.ptr + z * pitchedDevPtr.pitch * pitchedDevPtr.ysize,
                              pitchedDevPtr.pitch, value, extent.width, extent.height);
    return e;
}

cudaError_t impl_cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent,
                                   cudaStream_t stream)
{
    size_t rows;
    if (one_rectangle(&pitchedDevPtr, &extent, &rows))
        return impl_cudaMemset2DAsync(pitchedDevPtr.ptr, pitchedDevPtr.pitch, value, extent.width, rows, stream);
    cudaError_t e = cudaSuccess;
    for (size_t z = 0; z < extent.depth && e == cudaSuccess; z++)
        e = impl_cudaMemset2DAsync((char *)pitchedDevPtr.ptr + z * pitchedDevPtr.pitch * pitchedDevPtr.ysize,
                                   pitchedDevPtr.pitch, value, extent.width, extent.height, stream);
    return e;
}
