/* texture_object.c - texture and surface objects: descriptors from the runtime API's form to the driver's and back. */
#include <string.h>

#include "runtime/runtime.h"

/* ---- resources ---- */

static cudaError_t resource_of(const struct cudaResourceDesc *d, CUDA_RESOURCE_DESC *out)
{
    memset(out, 0, sizeof *out);
    out->resType = (CUresourcetype)d->resType;
    switch (d->resType) {
    case cudaResourceTypeArray:
        out->res.array.hArray = (CUarray)(void *)d->res.array.array;
        return cudaSuccess;
    case cudaResourceTypeMipmappedArray:
        out->res.mipmap.hMipmappedArray = (CUmipmappedArray)(void *)d->res.mipmap.mipmap;
        return cudaSuccess;
    case cudaResourceTypeLinear:
        out->res.linear.devPtr = (CUdeviceptr)(uintptr_t)d->res.linear.devPtr;
        out->res.linear.sizeInBytes = d->res.linear.sizeInBytes;
        return format_of(&d->res.linear.desc, &out->res.linear.format, &out->res.linear.numChannels);
    case cudaResourceTypePitch2D:
        out->res.pitch2D.devPtr = (CUdeviceptr)(uintptr_t)d->res.pitch2D.devPtr;
        out->res.pitch2D.width = d->res.pitch2D.width;
        out->res.pitch2D.height = d->res.pitch2D.height;
        out->res.pitch2D.pitchInBytes = d->res.pitch2D.pitchInBytes;
        return format_of(&d->res.pitch2D.desc, &out->res.pitch2D.format, &out->res.pitch2D.numChannels);
    default:
        return cudaErrorInvalidValue;
    }
}

static void resource_to(const CUDA_RESOURCE_DESC *d, struct cudaResourceDesc *out)
{
    memset(out, 0, sizeof *out);
    out->resType = (enum cudaResourceType)d->resType;
    switch (d->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        out->res.array.array = (cudaArray_t)(void *)d->res.array.hArray;
        break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        out->res.mipmap.mipmap = (cudaMipmappedArray_t)(void *)d->res.mipmap.hMipmappedArray;
        break;
    case CU_RESOURCE_TYPE_LINEAR:
        out->res.linear.devPtr = (void *)(uintptr_t)d->res.linear.devPtr;
        out->res.linear.desc = desc_of(d->res.linear.format, d->res.linear.numChannels);
        out->res.linear.sizeInBytes = d->res.linear.sizeInBytes;
        break;
    default:
        out->res.pitch2D.devPtr = (void *)(uintptr_t)d->res.pitch2D.devPtr;
        out->res.pitch2D.desc = desc_of(d->res.pitch2D.format, d->res.pitch2D.numChannels);
        out->res.pitch2D.width = d->res.pitch2D.width;
        out->res.pitch2D.height = d->res.pitch2D.height;
        out->res.pitch2D.pitchInBytes = d->res.pitch2D.pitchInBytes;
        break;
    }
}

/* ---- how a texture is read ---- */

/* The element's kind and width: of what resource_of has accepted. */
static struct cudaChannelFormatDesc element_of(const CUDA_RESOURCE_DESC *r)
{
    struct cudaChannelFormatDesc d = {0, 0, 0, 0, cudaChannelFormatKindNone};
    if (r->resType == CU_RESOURCE_TYPE_LINEAR)
        d = desc_of(r->res.linear.format, r->res.linear.numChannels);
    else if (r->resType == CU_RESOURCE_TYPE_PITCH2D)
        d = desc_of(r->res.pitch2D.format, r->res.pitch2D.numChannels);
    else if (r->resType == CU_RESOURCE_TYPE_ARRAY)
        impl_cudaArrayGetInfo(&d, NULL, NULL, (cudaArray_t)(void *)r->res.array.hArray);
    return d;
}

/* Integers are read as they are, or, up to 16 bits, as fractions; only what is read as a float can be filtered. */
static cudaError_t check_reading(const struct cudaTextureDesc *t, struct cudaChannelFormatDesc element)
{
    const bool integer = element.f == cudaChannelFormatKindSigned || element.f == cudaChannelFormatKindUnsigned;
    if (integer && element.x == 32 && t->readMode == cudaReadModeNormalizedFloat)
        return cudaErrorInvalidNormSetting;
    if (integer && t->readMode == cudaReadModeElementType && t->filterMode == cudaFilterModeLinear)
        return cudaErrorInvalidFilterSetting;
    return cudaSuccess;
}

static CUDA_TEXTURE_DESC texture_of(const struct cudaTextureDesc *t)
{
    CUDA_TEXTURE_DESC d = {.filterMode = (CUfilter_mode)t->filterMode,
                           .maxAnisotropy = t->maxAnisotropy,
                           .mipmapFilterMode = (CUfilter_mode)t->mipmapFilterMode,
                           .mipmapLevelBias = t->mipmapLevelBias,
                           .minMipmapLevelClamp = t->minMipmapLevelClamp,
                           .maxMipmapLevelClamp = t->maxMipmapLevelClamp};
    for (int i = 0; i < 3; i++)
        d.addressMode[i] = (CUaddress_mode)t->addressMode[i];
    memcpy(d.borderColor, t->borderColor, sizeof d.borderColor);
    d.flags = (t->readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0) |
              (t->normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0) | (t->sRGB ? CU_TRSF_SRGB : 0) |
              (t->disableTrilinearOptimization ? CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION : 0) |
              (t->seamlessCubemap ? CU_TRSF_SEAMLESS_CUBEMAP : 0);
    return d;
}

static void texture_to(const CUDA_TEXTURE_DESC *d, struct cudaTextureDesc *out)
{
    memset(out, 0, sizeof *out);
    for (int i = 0; i < 3; i++)
        out->addressMode[i] = (enum cudaTextureAddressMode)d->addressMode[i];
    memcpy(out->borderColor, d->borderColor, sizeof out->borderColor);
    out->filterMode = (enum cudaTextureFilterMode)d->filterMode;
    out->readMode = d->flags & CU_TRSF_READ_AS_INTEGER ? cudaReadModeElementType : cudaReadModeNormalizedFloat;
    out->sRGB = (d->flags & CU_TRSF_SRGB) != 0;
    out->normalizedCoords = (d->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0;
    out->maxAnisotropy = d->maxAnisotropy;
    out->mipmapFilterMode = (enum cudaTextureFilterMode)d->mipmapFilterMode;
    out->mipmapLevelBias = d->mipmapLevelBias;
    out->minMipmapLevelClamp = d->minMipmapLevelClamp;
    out->maxMipmapLevelClamp = d->maxMipmapLevelClamp;
    out->disableTrilinearOptimization = (d->flags & CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION) != 0;
    out->seamlessCubemap = (d->flags & CU_TRSF_SEAMLESS_CUBEMAP) != 0;
}

_Static_assert(sizeof(struct cudaResourceViewDesc) == sizeof(CUDA_RESOURCE_VIEW_DESC), "passed on as it is");

/* ---- objects ---- */

cudaError_t impl_cudaCreateTextureObject(cudaTextureObject_t *pTexObject, const struct cudaResourceDesc *pResDesc,
                                         const struct cudaTextureDesc *pTexDesc,
                                         const struct cudaResourceViewDesc *pResViewDesc)
{
    CUDA_RESOURCE_DESC r;
    if (!pTexObject || !pResDesc || !pTexDesc)
        return cudaErrorInvalidValue;
    cudaError_t e = resource_of(pResDesc, &r);
    if (e == cudaSuccess)
        e = check_reading(pTexDesc, element_of(&r));
    if (e != cudaSuccess)
        return e;
    const CUDA_TEXTURE_DESC t = texture_of(pTexDesc);
    return error_of(
        drv.cuTexObjectCreate(pTexObject, &r, &t, (const CUDA_RESOURCE_VIEW_DESC *)(const void *)pResViewDesc));
}

cudaError_t impl_cudaDestroyTextureObject(cudaTextureObject_t texObject)
{
    return texObject ? error_of(drv.cuTexObjectDestroy(texObject)) : cudaSuccess;
}

cudaError_t impl_cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *pResDesc, cudaTextureObject_t texObject)
{
    CUDA_RESOURCE_DESC d;
    if (!pResDesc)
        return cudaErrorInvalidValue;
    CUresult r = drv.cuTexObjectGetResourceDesc(&d, texObject);
    if (r == CUDA_SUCCESS)
        resource_to(&d, pResDesc);
    return error_of(r);
}

cudaError_t impl_cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *pTexDesc, cudaTextureObject_t texObject)
{
    CUDA_TEXTURE_DESC d;
    if (!pTexDesc)
        return cudaErrorInvalidValue;
    CUresult r = drv.cuTexObjectGetTextureDesc(&d, texObject);
    if (r == CUDA_SUCCESS)
        texture_to(&d, pTexDesc);
    return error_of(r);
}

cudaError_t impl_cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *pResViewDesc,
                                                      cudaTextureObject_t texObject)
{
    return error_of(drv.cuTexObjectGetResourceViewDesc((CUDA_RESOURCE_VIEW_DESC *)(void *)pResViewDesc, texObject));
}

cudaError_t impl_cudaCreateSurfaceObject(cudaSurfaceObject_t *pSurfObject, const struct cudaResourceDesc *pResDesc)
{
    CUDA_RESOURCE_DESC r;
    if (!pSurfObject || !pResDesc)
        return cudaErrorInvalidValue;
    cudaError_t e = resource_of(pResDesc, &r);
    return e == cudaSuccess ? error_of(drv.cuSurfObjectCreate(pSurfObject, &r)) : e;
}

cudaError_t impl_cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject)
{
    return surfObject ? error_of(drv.cuSurfObjectDestroy(surfObject)) : cudaSuccess;
}

cudaError_t impl_cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *pResDesc, cudaSurfaceObject_t surfObject)
{
    CUDA_RESOURCE_DESC d;
    if (!pResDesc)
        return cudaErrorInvalidValue;
    CUresult r = drv.cuSurfObjectGetResourceDesc(&d, surfObject);
    if (r == CUDA_SUCCESS)
        resource_to(&d, pResDesc);
    return error_of(r);
}
