/* plan_map.c - a plan's tensor maps: encoded by the driver, kept in device memory. */
#include "lab/trial.h"

static CUtensorMapDataType map_type(enum buffer_type type)
{
    static const CUtensorMapDataType types[] = {
        [BUFFER_INT] = CU_TENSOR_MAP_DATA_TYPE_INT32,      [BUFFER_FLOAT] = CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
        [BUFFER_DOUBLE] = CU_TENSOR_MAP_DATA_TYPE_FLOAT64, [BUFFER_HALF] = CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
        [BUFFER_BF16] = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,  [BUFFER_BYTE] = CU_TENSOR_MAP_DATA_TYPE_UINT8};
    return types[type];
}

static bool encode(struct trial *t, const struct plan_map *m, CUtensorMap *out)
{
    const struct buffer *b = &t->plan.buffers[m->buffer];
    const u32 element = buffer_element(b->type);
    LS_BUG_ON((u64)(m->rows ? m->rows : 1) * m->cols > b->lead + b->count + b->tail);
    const cuuint64_t size[] = {m->cols, m->rows}, pitch[] = {(cuuint64_t)m->cols * element};
    const cuuint32_t box[] = {m->box_cols, m->box_rows}, step[] = {1, 1};
    void *base = (void *)(uintptr_t)(t->device[m->buffer] + payload_at(t, b) - b->lead * element);
    return trial_ok(t, t->lab->cuda.map_encode(out, map_type(b->type), m->rows ? 2 : 1, base, size, pitch, box, step,
                                               CU_TENSOR_MAP_INTERLEAVE_NONE,
                                               m->swizzled ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE,
                                               CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
}

bool trial_make_maps(struct trial *t)
{
    CUtensorMap maps[PLAN_MAPS];
    const u64 bytes = t->plan.nmaps * sizeof maps[0];
    bool good = true;
    for (u32 i = 0; good && i < t->plan.nmaps; i++)
        good = encode(t, &t->plan.maps[i], &maps[i]);
    return good && (!bytes || (trial_ok(t, t->lab->cuda.alloc(&t->maps, bytes)) &&
                               trial_ok(t, t->lab->cuda.to_device(t->maps, maps, bytes))));
}

void trial_drop_maps(struct trial *t)
{
    if (t->maps)
        t->lab->cuda.free(t->maps);
    t->maps = 0;
}
