/* array.c - CUDA arrays, and channel descriptors between the two APIs' forms.
 *
 * A runtime array is the driver's: cudaArray_t and CUarray are one handle. */
#include "runtime/runtime.h"

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

static const struct {
    enum cudaChannelFormatKind kind;
    int bits;
    CUarray_format format;
} formats[] = {
    {cudaChannelFormatKindUnsigned, 8, CU_AD_FORMAT_UNSIGNED_INT8},
    {cudaChannelFormatKindUnsigned, 16, CU_AD_FORMAT_UNSIGNED_INT16},
    {cudaChannelFormatKindUnsigned, 32, CU_AD_FORMAT_UNSIGNED_INT32},
    {cudaChannelFormatKindSigned, 8, CU_AD_FORMAT_SIGNED_INT8},
    {cudaChannelFormatKindSigned, 16, CU_AD_FORMAT_SIGNED_INT16},
    {cudaChannelFormatKindSigned, 32, CU_AD_FORMAT_SIGNED_INT32},
    {cudaChannelFormatKindFloat, 16, CU_AD_FORMAT_HALF},
    {cudaChannelFormatKindFloat, 32, CU_AD_FORMAT_FLOAT},
};

/* 1, 2 or 4 channels of the same width, from x on; 0: anything else. */
static unsigned channels_of(const struct cudaChannelFormatDesc *d)
{
    const int bits[4] = {d->x, d->y, d->z, d->w};
    unsigned n = 0;
    while (n < 4 && bits[n])
        n++;
    for (unsigned i = 0; i < 4; i++)
        if (bits[i] != (i < n ? d->x : 0))
            return 0;
    return n == 3 ? 0 : n;
}

cudaError_t format_of(const struct cudaChannelFormatDesc *desc, CUarray_format *format, unsigned *channels)
{
    *channels = channels_of(desc);
    if (desc->f > cudaChannelFormatKindNone && desc->f <= cudaChannelFormatKindUnsignedNormalized1010102) {
        rt_log("elements of channel format %d (normalized, compressed or planar) are not supported; integers and "
               "floats of 8, 16 and 32 bits are",
               (int)desc->f);
        return cudaErrorNotSupported;
    }
    for (size_t i = 0; *channels && i < LS_ARRAY_LEN(formats); i++) {
        if (formats[i].kind == desc->f && formats[i].bits == desc->x) {
            *format = formats[i].format;
            return cudaSuccess;
        }
    }
    return cudaErrorInvalidChannelDescriptor;
}

struct cudaChannelFormatDesc desc_of(CUarray_format format, unsigned channels)
{
    struct cudaChannelFormatDesc d = {0, 0, 0, 0, cudaChannelFormatKindNone};
    for (size_t i = 0; i < LS_ARRAY_LEN(formats); i++) {
        const int bits = formats[i].bits;
        if (formats[i].format == format)
            d = (struct cudaChannelFormatDesc){bits, channels > 1 ? bits : 0, channels > 2 ? bits : 0,
                                               channels > 3 ? bits : 0, formats[i].kind};
    }
    return d;
}

/* ---- arrays ---- */

cudaError_t impl_cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                                   struct cudaExtent extent, unsigned int flags)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {extent.width, extent.height, extent.depth, (CUarray_format)0, 0, flags};
    if (!array || !desc)
        return cudaErrorInvalidValue;
    cudaError_t e = format_of(desc, &d.Format, &d.NumChannels);
    return e == cudaSuccess ? error_of(drv.cuArray3DCreate_v2((CUarray *)(void *)array, &d)) : e;
}

cudaError_t impl_cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc, size_t width,
                                 size_t height, unsigned int flags)
{
    return impl_cudaMalloc3DArray(array, desc, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t impl_cudaFreeArray(cudaArray_t array)
{
    return array ? error_of(drv.cuArrayDestroy((CUarray)(void *)array)) : cudaSuccess;
}

/* ---- mipmapped arrays ---- */

cudaError_t impl_cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmappedArray,
                                          const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
                                          unsigned int numLevels, unsigned int flags)
{
    CUDA_ARRAY3D_DESCRIPTOR d = {extent.width, extent.height, extent.depth, (CUarray_format)0, 0, flags};
    if (!mipmappedArray || !desc)
        return cudaErrorInvalidValue;
    cudaError_t e = format_of(desc, &d.Format, &d.NumChannels);
    if (e != cudaSuccess)
        return e;
    return error_of(drv.cuMipmappedArrayCreate((CUmipmappedArray *)(void *)mipmappedArray, &d, numLevels));
}

cudaError_t impl_cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray)
{
    return mipmappedArray ? error_of(drv.cuMipmappedArrayDestroy((CUmipmappedArray)(void *)mipmappedArray))
                          : cudaSuccess;
}

cudaError_t impl_cudaGetMipmappedArrayLevel(cudaArray_t *levelArray, cudaMipmappedArray_const_t mipmappedArray,
                                            unsigned int level)
{
    return error_of(drv.cuMipmappedArrayGetLevel((CUarray *)(void *)levelArray,
                                                 (CUmipmappedArray)(uintptr_t)mipmappedArray, level));
}

/* ---- what an array is ---- */

static cudaError_t describe(cudaArray_const_t array, CUDA_ARRAY3D_DESCRIPTOR *d)
{
    if (!array)
        return cudaErrorInvalidResourceHandle;
    return error_of(drv.cuArray3DGetDescriptor_v2(d, (CUarray)(uintptr_t)array));
}

cudaError_t impl_cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent, unsigned int *flags,
                                  cudaArray_t array)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    cudaError_t e = describe(array, &d);
    if (e != cudaSuccess)
        return e;
    if (desc)
        *desc = desc_of(d.Format, d.NumChannels);
    if (extent)
        *extent = (struct cudaExtent){d.Width, d.Height, d.Depth};
    if (flags)
        *flags = d.Flags;
    return cudaSuccess;
}

cudaError_t impl_cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    return desc ? impl_cudaArrayGetInfo(desc, NULL, NULL, (cudaArray_t)(uintptr_t)array) : cudaErrorInvalidValue;
}

cudaError_t array_texel(cudaArray_const_t array, size_t *bytes)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    cudaError_t e = describe(array, &d);
    if (e != cudaSuccess)
        return e;
    for (size_t i = 0; i < LS_ARRAY_LEN(formats); i++)
        if (formats[i].format == d.Format)
            *bytes = (size_t)formats[i].bits / 8 * d.NumChannels;
    return cudaSuccess;
}
