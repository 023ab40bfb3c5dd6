/* texture_object.c - texture and surface objects: descriptors to what the engine samples (exec/texture/texture.h).
 *
 * An object's description is kept for cuTexObjectGet..Desc; the engine has its own copy, by handle. Destroying one
 * waits for its context's work, because kernels that were launched with the handle may still use it. */
#include <string.h>

#include "base/alloc.h"
#include "base/locked.h"
#include "driver/driver.h"
#include "exec/texture/texture.h"

struct object {
    u64 handle;
    CUcontext ctx;
    u8 kind;
    bool has_view;
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC texture;
    CUDA_RESOURCE_VIEW_DESC view;
    struct object *next;
};

static struct object *objects; /* driver.lock */

/* ---- images ---- */

/* As device.c says of the attributes TEXTURE_ALIGNMENT (cuMemAlloc gives 256 here, which every GPU's fetches take) and
 * TEXTURE_PITCH_ALIGNMENT. */
enum { BASE_ALIGN = MEM_ALIGN, PITCH_ALIGN = 32 };
/* The attributes MAXIMUM_TEXTURE1D_LINEAR_WIDTH and MAXIMUM_TEXTURE2D_LINEAR_... */
enum { MOST_LINEAR = 1 << 28, MOST_WIDTH = 131072, MOST_ROWS = 65000, MOST_PITCH = 2097120 };

static u8 texel_format(CUarray_format f)
{
    switch (f) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
        return TEXEL_U8;
    case CU_AD_FORMAT_UNSIGNED_INT16:
        return TEXEL_U16;
    case CU_AD_FORMAT_UNSIGNED_INT32:
        return TEXEL_U32;
    case CU_AD_FORMAT_SIGNED_INT8:
        return TEXEL_S8;
    case CU_AD_FORMAT_SIGNED_INT16:
        return TEXEL_S16;
    case CU_AD_FORMAT_SIGNED_INT32:
        return TEXEL_S32;
    case CU_AD_FORMAT_HALF:
        return TEXEL_HALF;
    default:
        return TEXEL_FLOAT;
    }
}

static void set_texels(struct image *im, CUarray_format f, unsigned channels)
{
    im->format = texel_format(f);
    im->channels = (u8)channels;
    im->texel_bytes = (u8)array_texel_bytes(f, channels);
}

static CUresult array_image(CUarray a, struct image *im)
{
    const CUresult r = array_find(a);
    if (r != CUDA_SUCCESS)
        return r;
    const CUDA_ARRAY3D_DESCRIPTOR *d = &a->desc;
    set_texels(im, d->Format, d->NumChannels);
    im->base = a->address;
    im->layered = d->Flags & CUDA_ARRAY3D_LAYERED;
    im->cube = d->Flags & CUDA_ARRAY3D_CUBEMAP;
    im->gather = d->Flags & CUDA_ARRAY3D_TEXTURE_GATHER;
    im->dims = !d->Height ? 1 : d->Depth && !im->layered && !im->cube ? 3 : 2;
    im->width = (u32)d->Width;
    im->height = (u32)a->rows;
    im->depth = (u32)a->slices;
    im->layout = LAYOUT_BLOCKS;
    im->pitch = d->Width * a->texel_bytes;
    im->slice = im->pitch * a->rows;
    im->bytes = im->slice * a->slices;
    return CUDA_SUCCESS;
}

static CUresult mipmap_image(CUmipmappedArray m, struct image *im)
{
    CUresult r = mipmap_find(m);
    if (r == CUDA_SUCCESS)
        r = array_image(m->level[0], im);
    if (r != CUDA_SUCCESS)
        return r;
    im->levels = (u8)m->levels;
    im->bytes = 0;
    for (unsigned l = 0; l < m->levels; l++) {
        const struct image at = image_level(im, l);
        im->bytes += at.slice * at.depth;
    }
    return CUDA_SUCCESS;
}

static CUresult linear_image(const CUDA_RESOURCE_DESC *d, struct image *im)
{
    const u32 texel = array_texel_bytes(d->res.linear.format, d->res.linear.numChannels);
    if (!texel || d->res.linear.devPtr % BASE_ALIGN || d->res.linear.sizeInBytes / texel > MOST_LINEAR ||
        d->res.linear.sizeInBytes < texel)
        return CUDA_ERROR_INVALID_VALUE;
    set_texels(im, d->res.linear.format, d->res.linear.numChannels);
    im->base = d->res.linear.devPtr;
    im->dims = 1;
    im->width = (u32)(d->res.linear.sizeInBytes / texel);
    im->height = im->depth = 1;
    im->pitch = im->slice = im->bytes = (u64)im->width * texel;
    return CUDA_SUCCESS;
}

static CUresult pitch_image(const CUDA_RESOURCE_DESC *d, struct image *im)
{
    const u32 texel = array_texel_bytes(d->res.pitch2D.format, d->res.pitch2D.numChannels);
    const size_t width = d->res.pitch2D.width, height = d->res.pitch2D.height, pitch = d->res.pitch2D.pitchInBytes;
    if (!texel || d->res.pitch2D.devPtr % BASE_ALIGN || !width || width > MOST_WIDTH || !height || height > MOST_ROWS ||
        pitch % PITCH_ALIGN || pitch < width * texel || pitch > MOST_PITCH)
        return CUDA_ERROR_INVALID_VALUE;
    set_texels(im, d->res.pitch2D.format, d->res.pitch2D.numChannels);
    im->base = d->res.pitch2D.devPtr;
    im->dims = 2;
    im->width = (u32)width;
    im->height = (u32)height;
    im->depth = 1;
    im->layout = LAYOUT_ROWS;
    im->pitch = pitch;
    im->slice = pitch * height;
    im->bytes = pitch * (height - 1) + width * texel;
    return CUDA_SUCCESS;
}

static CUresult make_image(const CUDA_RESOURCE_DESC *d, struct image *im)
{
    CUresult r = CUDA_ERROR_INVALID_VALUE;
    switch (d->resType) {
    case CU_RESOURCE_TYPE_ARRAY:
        r = array_image(d->res.array.hArray, im);
        break;
    case CU_RESOURCE_TYPE_LINEAR:
        r = linear_image(d, im);
        break;
    case CU_RESOURCE_TYPE_PITCH2D:
        r = pitch_image(d, im);
        break;
    case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
        r = mipmap_image(d->res.mipmap.hMipmappedArray, im);
        break;
    default:
        break;
    }
    if (r == CUDA_SUCCESS && !memory_covers(im->base, im->bytes, false))
        r = CUDA_ERROR_INVALID_VALUE;
    return r;
}

/* ---- samplers ---- */

static CUresult make_sampler(const CUDA_TEXTURE_DESC *d, CUresourcetype type, struct texture *t)
{
    struct sampler *s = &t->sampler;
    const unsigned known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_SRGB |
                           CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION | CU_TRSF_SEAMLESS_CUBEMAP;
    if (d->flags & ~known || (unsigned)d->filterMode > CU_TR_FILTER_MODE_LINEAR)
        return CUDA_ERROR_INVALID_VALUE;
    s->integers = d->flags & CU_TRSF_READ_AS_INTEGER;
    s->normalized = d->flags & CU_TRSF_NORMALIZED_COORDINATES;
    s->linear = d->filterMode == CU_TR_FILTER_MODE_LINEAR;
    s->srgb = d->flags & CU_TRSF_SRGB;
    s->seamless = d->flags & CU_TRSF_SEAMLESS_CUBEMAP;
    if (t->image.levels) {
        if ((unsigned)d->mipmapFilterMode > CU_TR_FILTER_MODE_LINEAR || !s->normalized)
            return CUDA_ERROR_INVALID_VALUE;
        s->mip_linear = d->mipmapFilterMode == CU_TR_FILTER_MODE_LINEAR;
        s->bias = d->mipmapLevelBias;
        s->least = d->minMipmapLevelClamp;
        s->most = d->maxMipmapLevelClamp;
    }
    s->normalized |= t->image.cube; /* a place on a face */
    for (unsigned k = 0; k < 3; k++) {
        if ((unsigned)d->addressMode[k] > CU_TR_ADDRESS_MODE_BORDER)
            return CUDA_ERROR_INVALID_VALUE;
        s->address[k] = (u8)d->addressMode[k];
    }
    memcpy(s->border, d->borderColor, sizeof s->border);
    if ((s->linear || s->mip_linear) && !texture_gives_floats(t))
        return CUDA_ERROR_INVALID_VALUE;
    if (type == CU_RESOURCE_TYPE_LINEAR) { /* no modes: what is outside is 0, and texels are not filtered */
        memset(s->address, ADDRESS_BORDER, sizeof s->address);
        memset(s->border, 0, sizeof s->border);
        s->linear = s->normalized = false;
    }
    return CUDA_SUCCESS;
}

/* ---- views ---- */

/* The texels of a view's format: each element type has three, of 1, 2 and 4 channels. False: block-compressed. */
static bool view_texels(CUresourceViewFormat f, struct image *im)
{
    static const u8 formats[] = {TEXEL_U8,  TEXEL_S8,  TEXEL_U16,  TEXEL_S16,
                                 TEXEL_U32, TEXEL_S32, TEXEL_HALF, TEXEL_FLOAT};
    const unsigned n = (unsigned)f - CU_RES_VIEW_FORMAT_UINT_1X8;
    if (n >= 3 * LS_ARRAY_LEN(formats))
        return false;
    im->format = formats[n / 3];
    im->channels = (u8)(1u << n % 3);
    return texel_bits(im->format) / 8 * im->channels == im->texel_bytes;
}

static bool view_levels(const CUDA_RESOURCE_VIEW_DESC *v, struct image *im)
{
    const unsigned last = im->levels ? im->levels - 1u : 0;
    const u64 end = im->base + im->bytes;
    if (v->firstMipmapLevel > v->lastMipmapLevel || v->lastMipmapLevel > last)
        return false;
    const struct image first = image_level(im, v->firstMipmapLevel);
    *im = first;
    im->levels = im->levels ? (u8)(v->lastMipmapLevel - v->firstMipmapLevel + 1) : 0;
    im->bytes = end - im->base;
    return true;
}

/* Of a mipmap all layers must be seen: its levels lie one behind the other. */
static bool view_layers(const CUDA_RESOURCE_VIEW_DESC *v, struct image *im)
{
    const bool layers = im->layered || im->cube;
    const u32 count = v->lastLayer - v->firstLayer + 1;
    if (v->firstLayer > v->lastLayer || (!layers && v->lastLayer))
        return false;
    if (!layers || (!v->firstLayer && (!v->lastLayer || count == im->depth)))
        return true;
    if (v->lastLayer >= im->depth || im->levels > 1 || (im->cube && count % 6))
        return false;
    im->base += v->firstLayer * im->slice;
    im->depth = count;
    im->bytes = im->slice * count;
    return true;
}

/* Changes the image to what the view shows; a dimension of 0 leaves that of the image. */
static CUresult apply_view(const CUDA_RESOURCE_VIEW_DESC *v, struct image *im)
{
    if (!v)
        return CUDA_SUCCESS;
    if (v->format != CU_RES_VIEW_FORMAT_NONE && (unsigned)v->format > CU_RES_VIEW_FORMAT_FLOAT_4X32) {
        drv_log("views of block-compressed formats are not supported");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if ((v->format != CU_RES_VIEW_FORMAT_NONE && !view_texels(v->format, im)) || (v->width && v->width != im->width) ||
        (v->height && v->height != im->height) || (v->depth && v->depth != im->depth) || !view_levels(v, im) ||
        !view_layers(v, im))
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

/* ---- objects ---- */

static CUresult enter(const struct texture *t, struct object *o)
{
    const enum ls_status s = textures_add(drv.exec[0].textures, t, &o->handle);
    if (s != LS_OK) {
        ls_free(o);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    o->ctx = ctx_current();
    o->kind = t->kind;
    pthread_mutex_lock(&drv.lock);
    o->next = objects;
    objects = o;
    pthread_mutex_unlock(&drv.lock);
    return CUDA_SUCCESS;
}

CUresult impl_cuTexObjectCreate(CUtexObject *pTexObject, const CUDA_RESOURCE_DESC *pResDesc,
                                const CUDA_TEXTURE_DESC *pTexDesc, const CUDA_RESOURCE_VIEW_DESC *pResViewDesc)
{
    struct texture t = {.kind = KIND_TEXTURE};
    if (!pTexObject || !pResDesc || !pTexDesc || pResDesc->flags)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = make_image(pResDesc, &t.image);
    if (r == CUDA_SUCCESS)
        r = apply_view(pResViewDesc, &t.image);
    if (r == CUDA_SUCCESS)
        r = make_sampler(pTexDesc, pResDesc->resType, &t);
    if (r != CUDA_SUCCESS)
        return r;
    struct object *o = ls_calloc(1, sizeof *o);
    if (!o)
        return CUDA_ERROR_OUT_OF_MEMORY;
    o->resource = *pResDesc;
    o->texture = *pTexDesc;
    o->has_view = pResViewDesc;
    if (pResViewDesc)
        o->view = *pResViewDesc;
    r = enter(&t, o);
    if (r == CUDA_SUCCESS)
        *pTexObject = o->handle;
    return r;
}

CUresult impl_cuSurfObjectCreate(CUsurfObject *pSurfObject, const CUDA_RESOURCE_DESC *pResDesc)
{
    struct texture t = {.kind = KIND_SURFACE};
    if (!pSurfObject || !pResDesc || pResDesc->flags || pResDesc->resType != CU_RESOURCE_TYPE_ARRAY)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult r = make_image(pResDesc, &t.image);
    if (r != CUDA_SUCCESS)
        return r;
    if (!(pResDesc->res.array.hArray->desc.Flags & CUDA_ARRAY3D_SURFACE_LDST)) {
        drv_log("a surface needs an array made with CUDA_ARRAY3D_SURFACE_LDST");
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct object *o = ls_calloc(1, sizeof *o);
    if (!o)
        return CUDA_ERROR_OUT_OF_MEMORY;
    o->resource = *pResDesc;
    r = enter(&t, o);
    if (r == CUDA_SUCCESS)
        *pSurfObject = o->handle;
    return r;
}

/* The place in the list of that object; driver.lock held. */
static struct object **find(u64 handle, u8 kind)
{
    LS_LOCKED(&drv.lock);
    struct object **at = &objects;
    while (*at && ((*at)->handle != handle || (*at)->kind != kind))
        at = &(*at)->next;
    return *at ? at : NULL;
}

/* A copy of the object; false: there is none. */
static bool copy_object(u64 handle, u8 kind, struct object *out)
{
    pthread_mutex_lock(&drv.lock);
    struct object **at = find(handle, kind);
    if (at)
        *out = **at;
    pthread_mutex_unlock(&drv.lock);
    return at;
}

static CUresult destroy(u64 handle, u8 kind)
{
    struct object o;
    if (!copy_object(handle, kind, &o))
        return CUDA_ERROR_INVALID_VALUE;
    streams_wait(o.ctx);
    pthread_mutex_lock(&drv.lock);
    struct object **at = find(handle, kind), *gone = at ? *at : NULL;
    if (gone)
        *at = gone->next;
    pthread_mutex_unlock(&drv.lock);
    if (!gone)
        return CUDA_ERROR_INVALID_VALUE;
    textures_remove(drv.exec[0].textures, handle);
    ls_free(gone);
    return CUDA_SUCCESS;
}

void texture_free_context(CUcontext ctx)
{
    for (struct object **at = &objects, *o; (o = *at);) {
        if (o->ctx != ctx) {
            at = &o->next;
            continue;
        }
        *at = o->next;
        textures_remove(drv.exec[0].textures, o->handle);
        ls_free(o);
    }
}

CUresult impl_cuTexObjectDestroy(CUtexObject texObject) { return destroy(texObject, KIND_TEXTURE); }
CUresult impl_cuSurfObjectDestroy(CUsurfObject surfObject) { return destroy(surfObject, KIND_SURFACE); }

CUresult impl_cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUtexObject texObject)
{
    struct object o;
    if (!pResDesc || !copy_object(texObject, KIND_TEXTURE, &o))
        return CUDA_ERROR_INVALID_VALUE;
    *pResDesc = o.resource;
    return CUDA_SUCCESS;
}

CUresult impl_cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *pTexDesc, CUtexObject texObject)
{
    struct object o;
    if (!pTexDesc || !copy_object(texObject, KIND_TEXTURE, &o))
        return CUDA_ERROR_INVALID_VALUE;
    *pTexDesc = o.texture;
    return CUDA_SUCCESS;
}

CUresult impl_cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *pResViewDesc, CUtexObject texObject)
{
    struct object o;
    if (!pResViewDesc || !copy_object(texObject, KIND_TEXTURE, &o) || !o.has_view)
        return CUDA_ERROR_INVALID_VALUE;
    *pResViewDesc = o.view;
    return CUDA_SUCCESS;
}

CUresult impl_cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *pResDesc, CUsurfObject surfObject)
{
    struct object o;
    if (!pResDesc || !copy_object(surfObject, KIND_SURFACE, &o))
        return CUDA_ERROR_INVALID_VALUE;
    *pResDesc = o.resource;
    return CUDA_SUCCESS;
}

CUresult impl_cuDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements, CUarray_format format,
                                                 unsigned numChannels, CUdevice dev)
{
    if (!device_ok(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    if (!maxWidthInElements || !array_texel_bytes(format, numChannels))
        return CUDA_ERROR_INVALID_VALUE;
    *maxWidthInElements = MOST_LINEAR;
    return CUDA_SUCCESS;
}
