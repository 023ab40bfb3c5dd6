/* plan_texture.c - a plan's textures: each an array that is filled from its buffer, and a texture object over it.
 *
 * The array is a copy: kernels that change the buffer do not change the texture. */
#include "lab/trial.h"

static CUarray_format texel_format(enum buffer_type type)
{
    LS_BUG_ON(type == BUFFER_DOUBLE || type == BUFFER_BF16); /* no texels are like these */
    switch (type) {
    case BUFFER_INT:
        return CU_AD_FORMAT_SIGNED_INT32;
    case BUFFER_HALF:
        return CU_AD_FORMAT_HALF;
    case BUFFER_BYTE:
        return CU_AD_FORMAT_UNSIGNED_INT8;
    default:
        return CU_AD_FORMAT_FLOAT;
    }
}

static bool make_array(struct trial *t, u32 i)
{
    const struct plan_texture *p = &t->plan.textures[i];
    const CUDA_ARRAY_DESCRIPTOR d = {.Width = p->cols,
                                     .Height = p->rows, /* 0: one dimension */
                                     .Format = texel_format(t->plan.buffers[p->buffer].type),
                                     .NumChannels = 1};
    return trial_ok(t, t->lab->cuda.array_create(&t->arrays[i], &d));
}

/* From the image that the buffer starts with. */
static bool fill_array(struct trial *t, u32 i)
{
    const struct plan_texture *p = &t->plan.textures[i];
    const struct buffer *b = &t->plan.buffers[p->buffer];
    const u64 rows = p->rows ? p->rows : 1, row = (u64)p->cols * buffer_element(b->type);
    LS_BUG_ON(rows * p->cols > b->count);
    const CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                                .srcHost = t->before[p->buffer] + payload_at(t, b),
                                .srcPitch = row,
                                .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                                .dstArray = t->arrays[i],
                                .WidthInBytes = row,
                                .Height = rows};
    return trial_ok(t, t->lab->cuda.copy_2d(&copy));
}

static bool make_object(struct trial *t, u32 i)
{
    const struct plan_texture *p = &t->plan.textures[i];
    const CUaddress_mode mode = (CUaddress_mode)p->address;
    const CUDA_RESOURCE_DESC from = {.resType = CU_RESOURCE_TYPE_ARRAY, .res.array.hArray = t->arrays[i]};
    const CUDA_TEXTURE_DESC how = {.addressMode = {mode, mode, mode},
                                   .filterMode = p->linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
                                   .flags = p->normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0};
    return trial_ok(t, t->lab->cuda.texture_create(&t->textures[i], &from, &how, NULL));
}

bool trial_make_textures(struct trial *t)
{
    bool good = true;
    for (u32 i = 0; good && i < t->plan.ntextures; i++)
        good = make_array(t, i) && fill_array(t, i) && make_object(t, i);
    return good;
}

void trial_drop_textures(struct trial *t)
{
    for (u32 i = 0; i < t->plan.ntextures; i++) {
        if (t->textures[i])
            t->lab->cuda.texture_destroy(t->textures[i]);
        if (t->arrays[i])
            t->lab->cuda.array_destroy(t->arrays[i]);
    }
}
