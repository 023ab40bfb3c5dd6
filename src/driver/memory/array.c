/* array.c - CUDA arrays. NVIDIA's are laid out for locality in two dimensions and opaque; ours are rows one after the
 * other, in an allocation of their own, because nothing here depends on the order but the driver's own copies.
 *
 * Sizes are those of GPUs since Volta (device.c has them as attributes): a request beyond them fails as it does there.
 * A cube map is a layered array of six faces. Sparse and depth arrays are not there. */
#include "base/locked.h"
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
    if (d->Flags & CUDA_ARRAY3D_CUBEMAP)
        return (struct limits){32768, 32768, d->Flags & CUDA_ARRAY3D_LAYERED ? 2046 : 6};
    if (d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_TEXTURE_GATHER))
        return d->Height ? (struct limits){32768, 32768, 2048} : (struct limits){32768, 0, 2048};
    if (d->Depth)
        return (struct limits){16384, 16384, 16384};
    return d->Height ? (struct limits){131072, 65536, 0} : (struct limits){131072, 0, 0};
}

/* Whether the dimensions that are there are those of a shape. */
static bool has_shape(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    const bool layered = d->Flags & CUDA_ARRAY3D_LAYERED;
    if (d->Flags & CUDA_ARRAY3D_CUBEMAP) /* square faces, six a cube */
        return d->Width == d->Height && d->Depth && d->Depth % 6 == 0 && !(d->Flags & CUDA_ARRAY3D_TEXTURE_GATHER);
    if (layered ? !d->Depth : d->Depth && !d->Height)
        return false;
    return !(d->Flags & CUDA_ARRAY3D_TEXTURE_GATHER) || (d->Height && (!d->Depth || layered));
}

static CUresult check(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    const unsigned ours =
        CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST | CUDA_ARRAY3D_TEXTURE_GATHER | CUDA_ARRAY3D_CUBEMAP;
    const struct limits most = limits(d);
    if (d->Flags & ~ours || (d->Format && !format_bytes(d->Format))) {
        drv_log("arrays of format 0x%x with flags 0x%x are not supported", (unsigned)d->Format, d->Flags);
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (!array_texel_bytes(d->Format, d->NumChannels) || !d->Width)
        return CUDA_ERROR_INVALID_VALUE;
    if (d->Width > most.width || d->Height > most.height || d->Depth > most.depth)
        return CUDA_ERROR_INVALID_VALUE;
    return has_shape(d) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* An array without memory, not yet in the list; NULL: no memory for the handle. */
static CUarray describe(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    CUarray a = handle_new(TAG_ARRAY, sizeof *a);
    if (!a)
        return NULL;
    a->ctx = ctx_current();
    a->desc = *d;
    a->texel_bytes = array_texel_bytes(d->Format, d->NumChannels);
    a->rows = d->Height ? d->Height : 1;
    a->slices = d->Depth ? d->Depth : 1;
    return a;
}

static size_t array_bytes(const struct CUarray_st *a) { return a->desc.Width * a->texel_bytes * a->rows * a->slices; }

/* Enters an array that has its memory; driver.lock held. */
static void enter(CUarray a)
{
    LS_LOCKED(&drv.lock);
    a->tag = TAG_ARRAY;
    a->next = drv.arrays;
    drv.arrays = a;
}

CUresult impl_cuArray3DCreate_v2(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pAllocateArray)
{
    CUresult r = pHandle && pAllocateArray ? check(pAllocateArray) : CUDA_ERROR_INVALID_VALUE;
    if (r != CUDA_SUCCESS)
        return r;
    CUarray a = describe(pAllocateArray);
    if (!a)
        return CUDA_ERROR_OUT_OF_MEMORY;
    r = memory_alloc(a->ctx, array_bytes(a), MEM_DEVICE, 0, NULL, &a->address);
    if (r != CUDA_SUCCESS) {
        handle_free(TAG_ARRAY, a);
        return r;
    }
    pthread_mutex_lock(&drv.lock);
    enter(a);
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
    LS_LOCKED(&drv.lock);
    CUarray a = *at;
    *at = a->next;
    handle_free(TAG_ARRAY, a);
}

/* Of a handle that was taken out of its list; address 0: it was not in there. */
static CUresult free_memory(const void *handle, u64 address)
{
    if (address)
        TELL(array_gone, handle, address);
    else
        TELL(call_refused, &(struct driver_refusal){.what = REFUSED_ARRAY, .handle = handle});
    return address ? impl_cuMemFree_v2(address) : CUDA_ERROR_INVALID_HANDLE;
}

/* Textures of it stay and fault when they are fetched from. */
CUresult impl_cuArrayDestroy(CUarray hArray)
{
    u64 address = 0;
    pthread_mutex_lock(&drv.lock);
    for (CUarray *at = &drv.arrays; *at; at = &(*at)->next)
        if (*at == hArray && !hArray->mipmap) { /* a level goes with its mipmapped array */
            address = hArray->address;
            unlink_array(at);
            break;
        }
    pthread_mutex_unlock(&drv.lock);
    return free_memory(hArray, address);
}

/* ---- mipmapped arrays ---- */

static size_t halved(size_t size, unsigned times) { return !size || size >> times ? size >> times : 1; }

/* 1 + log2 of the largest dimension that gets smaller, rounded down. */
static unsigned most_levels(const CUDA_ARRAY3D_DESCRIPTOR *d)
{
    const bool layers = d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
    size_t size = d->Width > d->Height ? d->Width : d->Height;
    unsigned n = 1;
    size = !layers && d->Depth > size ? d->Depth : size;
    while (size >>= 1)
        n++;
    return n;
}

static void drop_levels(CUmipmappedArray m)
{
    for (unsigned l = 0; l < m->levels; l++)
        if (m->level[l])
            handle_free(TAG_ARRAY, m->level[l]);
    handle_free(TAG_MIPMAP, m);
}

/* Describes the levels; *bytes: of all of them. */
static bool make_levels(CUmipmappedArray m, const CUDA_ARRAY3D_DESCRIPTOR *d, size_t *bytes)
{
    const bool layers = d->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);
    for (unsigned l = 0; l < m->levels; l++) {
        CUDA_ARRAY3D_DESCRIPTOR level = *d;
        level.Width = halved(d->Width, l);
        level.Height = halved(d->Height, l);
        level.Depth = layers ? d->Depth : halved(d->Depth, l);
        m->level[l] = describe(&level);
        if (!m->level[l])
            return false;
        m->level[l]->mipmap = m;
        m->level[l]->address = *bytes; /* until the address of all is known */
        *bytes += array_bytes(m->level[l]);
    }
    return true;
}

CUresult impl_cuMipmappedArrayCreate(CUmipmappedArray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *pMipmappedArrayDesc,
                                     unsigned numMipmapLevels)
{
    CUresult r = pHandle && pMipmappedArrayDesc ? check(pMipmappedArrayDesc) : CUDA_ERROR_INVALID_VALUE;
    if (r != CUDA_SUCCESS)
        return r;
    const unsigned most = most_levels(pMipmappedArrayDesc);
    size_t bytes = 0;
    CUmipmappedArray m = handle_new(TAG_MIPMAP, sizeof *m);
    if (!m)
        return CUDA_ERROR_OUT_OF_MEMORY;
    m->ctx = ctx_current();
    m->levels = numMipmapLevels < 1 ? 1 : numMipmapLevels > most ? most : numMipmapLevels;
    r = make_levels(m, pMipmappedArrayDesc, &bytes) ? memory_alloc(m->ctx, bytes, MEM_DEVICE, 0, NULL, &m->address)
                                                    : CUDA_ERROR_OUT_OF_MEMORY;
    if (r != CUDA_SUCCESS) {
        drop_levels(m);
        return r;
    }
    pthread_mutex_lock(&drv.lock);
    m->tag = TAG_MIPMAP;
    for (unsigned l = 0; l < m->levels; l++) {
        m->level[l]->address += m->address;
        enter(m->level[l]);
    }
    m->next = drv.mipmaps;
    drv.mipmaps = m;
    pthread_mutex_unlock(&drv.lock);
    *pHandle = m;
    return CUDA_SUCCESS;
}

CUresult mipmap_find(CUmipmappedArray handle)
{
    pthread_mutex_lock(&drv.lock);
    CUmipmappedArray m = drv.mipmaps;
    while (m && m != handle)
        m = m->next;
    pthread_mutex_unlock(&drv.lock);
    return m ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult impl_cuMipmappedArrayGetLevel(CUarray *pLevelArray, CUmipmappedArray hMipmappedArray, unsigned level)
{
    const CUresult r = mipmap_find(hMipmappedArray);
    if (r != CUDA_SUCCESS)
        return r;
    if (!pLevelArray || level >= hMipmappedArray->levels)
        return CUDA_ERROR_INVALID_VALUE;
    *pLevelArray = hMipmappedArray->level[level];
    return CUDA_SUCCESS;
}

/* Takes the mipmapped array that `at` points to out of the lists, with its levels; driver.lock held. */
static void unlink_mipmap(CUmipmappedArray *at)
{
    LS_LOCKED(&drv.lock);
    CUmipmappedArray m = *at;
    *at = m->next;
    for (CUarray *a = &drv.arrays; *a;)
        if ((*a)->mipmap == m)
            unlink_array(a);
        else
            a = &(*a)->next;
    handle_free(TAG_MIPMAP, m);
}

CUresult impl_cuMipmappedArrayDestroy(CUmipmappedArray hMipmappedArray)
{
    u64 address = 0;
    pthread_mutex_lock(&drv.lock);
    for (CUmipmappedArray *at = &drv.mipmaps; *at; at = &(*at)->next)
        if (*at == hMipmappedArray) {
            address = hMipmappedArray->address;
            unlink_mipmap(at);
            break;
        }
    pthread_mutex_unlock(&drv.lock);
    return free_memory(hMipmappedArray, address);
}

void array_free_context(CUcontext ctx)
{
    for (CUmipmappedArray *at = &drv.mipmaps; *at;)
        if ((*at)->ctx == ctx)
            unlink_mipmap(at);
        else
            at = &(*at)->next;
    for (CUarray *at = &drv.arrays; *at;)
        if ((*at)->ctx == ctx)
            unlink_array(at);
        else
            at = &(*at)->next;
}
