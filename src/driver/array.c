/* array.c - CUDA arrays. NVIDIA's are laid out for locality in two dimensions and opaque; ours are rows one after the
 * other, in an allocation of their own, because nothing here depends on the order but the driver's own copies.
 *
 * Sizes are those of GPUs since Volta (device.c has them as attributes): a request beyond them fails as it does there.
 * Cube maps, mipmaps, sparse and depth arrays are not there. */
#include "driver/driver.h"

static u32 format_bytes(CUarray_format f)
{
    switch (f) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
        return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
        return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
        return 4;
    default:
        return 0;
    }
}

u32 array_texel_bytes(CUarray_format format, unsigned channels)
{
    return channels == 1 || channels == 2 || channels == 4 ? channels * format_bytes(format) : 0;
}

/* The most elements in each dimension; a dimension that must not be there is 0. */
struct limits {
    size_t width, height, depth;
};

static struct limits limits(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    if (d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_TEXTURE_GATHER))
        return d->Height ? (struct limits){32768, 32768, 2048} : (struct limits){32768, 0, 2048};
    if (d->Depth)
        return (struct limits){16384, 16384, 16384};
    return d->Height ? (struct limits){131072, 65536, 0} : (struct limits){131072, 0, 0};
}

static CUresult check(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    const unsigned ours = CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_TEXTURE_GATHER;
    const struct limits most = limits(d);
    if (d->Flags & ~ours || (d->Format && !format_bytes(d->Format))) {
        drv_log("arrays of format 0x%x with flags 0x%x are not supported", (unsigned)d->Format, d->Flags);
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (!array_texel_bytes(d->Format, d->NumChannels) || !d->Width)
        return CUDA_ERROR_INVALID_VALUE;
    if (d->Width > most.width || d->Height > most.height || d->Depth > most.depth)
        return CUDA_ERROR_INVALID_VALUE;
    if (d->Flags & CUDA_ARRAY3D_LAYERED ? !d->Depth : d->Depth && !d->Height)
        return CUDA_ERROR_INVALID_VALUE;
    if (d->Flags & CUDA_ARRAY3D_TEXTURE_GATHER && (!d->Height || (d->Depth && !(d->Flags & CUDA_ARRAY3D_LAYERED))))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult impl_cuArray3DCreate_v2(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray)
{
    CUresult r = pHandle && pAllocateArray ? check(pAllocateArray) : CUDA_ERROR_INVALID_VALUE;
    if (r != CUDA_SUCCESS)
        return r;
    CUarray a = handle_new(TAG_ARRAY, sizeof *a);
    if (!a)
        return CUDA_ERROR_OUT_OF_MEMORY;
    a->ctx = ctx_current();
    a->desc = *pAllocateArray;
    a->texel_bytes = array_texel_bytes(a->desc.Format, a->desc.NumChannels);
    a->rows = a->desc.Height ? a->desc.Height : 1;
    a->slices = a->desc.Depth ? a->desc.Depth : 1;
    r = memory_alloc(a->ctx, a->desc.Width * a->texel_bytes * a->rows * a->slices, MEM_DEVICE, 0, NULL, &a->address);
    if (r != CUDA_SUCCESS) {
        handle_free(TAG_ARRAY, a);
        return r;
    }
    pthread_mutex_lock(&drv.lock);
    a->tag = TAG_ARRAY;
    a->next = drv.arrays;
    drv.arrays = a;
    pthread_mutex_unlock(&drv.lock);
    *pHandle = a;
    return CUDA_SUCCESS;
}

CUresult impl_cuArrayCreate_v2(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *pAllocateArray)
{
    if (!pAllocateArray)
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_ARRAY3D_DESCRIPTOR d = {.Width = pAllocateArray->Width,
                                       .Height = pAllocateArray->Height,
                                       .Format = pAllocateArray->Format,
                                       .NumChannels = pAllocateArray->NumChannels};
    return impl_cuArray3DCreate_v2(pHandle, &d);
}

/* Looked up in the list: any value is safe to ask about. */
CUresult array_find(CUarray handle)
{
    pthread_mutex_lock(&drv.lock);
    CUarray a = drv.arrays;
    while (a && a != handle)
        a = a->next;
    pthread_mutex_unlock(&drv.lock);
    return a ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult impl_cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *pArrayDescriptor, CUarray hArray)
{
    const CUresult r = array_find(hArray);
    if (r == CUDA_SUCCESS && !pArrayDescriptor)
        return CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        *pArrayDescriptor = hArray->desc;
    return r;
}

CUresult impl_cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *pArrayDescriptor, CUarray hArray)
{
    CUDA_ARRAY3D_DESCRIPTOR d;
    const CUresult r = impl_cuArray3DGetDescriptor_v2(&d, hArray);
    if (r == CUDA_SUCCESS && !pArrayDescriptor)
        return CUDA_ERROR_INVALID_VALUE;
    if (r == CUDA_SUCCESS)
        *pArrayDescriptor = (CUDA_ARRAY_DESCRIPTOR){d.Width, d.Height, d.Format, d.NumChannels};
    return r;
}

/* Takes the array that `at` points to out of the list; driver.lock held. */
static void unlink_array(CUarray *at)
{
    CUarray a = *at;
    *at = a->next;
    handle_free(TAG_ARRAY, a);
}

/* Textures of it stay and fault when they are fetched from. */
CUresult impl_cuArrayDestroy(CUarray hArray)
{
    u64 address = 0;
    pthread_mutex_lock(&drv.lock);
    for (CUarray *at = &drv.arrays; *at; at = &(*at)->next)
        if (*at == hArray) {
            address = hArray->address;
            unlink_array(at);
            break;
        }
    pthread_mutex_unlock(&drv.lock);
    return address ? impl_cuMemFree_v2(address) : CUDA_ERROR_INVALID_HANDLE;
}

void array_free_context(CUcontext ctx)
{
    for (CUarray *at = &drv.arrays; *at;)
        if ((*at)->ctx == ctx)
            unlink_array(at);
        else
            at = &(*at)->next;
}
