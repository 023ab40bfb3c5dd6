/* tensor_map.c - tensor maps: the checks of the driver API's "Tensor Map Object Management", and the engine's form
 * (exec/sync/tensor_map.h). What an H200's driver refuses was asked (tests/hw/tensor_maps.cu): it is less strict than the
 * manual about strides, and stricter about elementStrides[0]. */
#include <string.h>

#include "driver/driver.h"
#include "exec/sync/tensor_map.h"

_Static_assert(sizeof(CUtensorMap) == TENSOR_MAP_BYTES, "CUtensorMap holds a tensor map");

/* What both kinds of map say. */
struct wanted {
    CUtensorMapDataType type;
    cuuint32_t rank;
    const void *address;
    const cuuint64_t *dims, *strides;
    const cuuint32_t *steps;
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    CUtensorMapL2promotion promotion;
    CUtensorMapFloatOOBfill fill;
};

/* Enumerators may have any value that a program makes up. */
static bool below(int value, int end) { return value >= 0 && value < end; }

static bool words_are_good(const struct wanted *w)
{
    return below((int)w->type, TENSOR_TYPES) && below((int)w->interleave, INTERLEAVES) &&
           below((int)w->swizzle, SWIZZLES) && below((int)w->promotion, CU_TENSOR_MAP_L2_PROMOTION_L2_256B + 1) &&
           below((int)w->fill, FILLS) && (w->fill == 0 || tensor_is_float((u8)w->type));
}

static bool shape_is_good(const struct wanted *w)
{
    const u32 align = w->interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? 32 : 16;
    if ((uintptr_t)w->address % align)
        return false;
    for (u32 k = 0; k < w->rank; k++)
        if (!w->dims[k] || w->dims[k] > 1ull << 32 || !w->steps[k] || w->steps[k] > TENSOR_MOST_STEP)
            return false;
    for (u32 k = 0; k + 1 < w->rank; k++)
        if (w->strides[k] % align || w->strides[k] >= 1ull << 40)
            return false;
    return true;
}

/* The innermost dimension of a box: whole units of 16 bytes, and with a swizzle no more than its span. */
static bool row_is_good(const struct wanted *w, u32 elements)
{
    const u32 bytes = elements * tensor_element((u8)w->type);
    const bool spans = w->interleave == CU_TENSOR_MAP_INTERLEAVE_NONE && w->swizzle != CU_TENSOR_MAP_SWIZZLE_NONE;
    return elements && elements <= TENSOR_MOST_BOX && bytes % 16 == 0 && !(spans && bytes > 16u << w->swizzle);
}

static struct tensor_map make(const struct wanted *w, enum tensor_mode mode)
{
    struct tensor_map m = {.mark = TENSOR_MAP_MARK,
                           .mode = (u8)mode,
                           .type = (u8)w->type,
                           .rank = (u8)w->rank,
                           .interleave = (u8)w->interleave,
                           .swizzle = (u8)w->swizzle,
                           .fill = (u8)w->fill,
                           .address = (u64)(uintptr_t)w->address};
    for (u32 k = 0; k < TENSOR_RANKS; k++) {
        const bool used = k < w->rank;
        m.lasts[k] = used ? (u32)(w->dims[k] - 1) : 0;
        m.steps[k] = used ? (u8)w->steps[k] : 1;
        if (used && k)
            m.strides[k - 1] = w->strides[k - 1];
    }
    return m;
}

static bool arrays_are_there(const struct wanted *w) { return w->dims && w->steps && (w->strides || w->rank == 1); }

CUresult impl_cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                     const cuuint64_t *dims, const cuuint64_t *strides, const cuuint32_t *box,
                                     const cuuint32_t *steps, CUtensorMapInterleave interleave,
                                     CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                     CUtensorMapFloatOOBfill fill)
{
    enum { BYTES_END = 1 << 18 }; /* what a box takes of shared memory is less */
    const struct wanted w = {type, rank, address, dims, strides, steps, interleave, swizzle, promotion, fill};
    const u32 least = interleave == CU_TENSOR_MAP_INTERLEAVE_NONE ? 1 : 3;
    if (!map || (uintptr_t)map % TENSOR_MAP_ALIGN || rank < least || rank > TENSOR_RANKS || !box ||
        !arrays_are_there(&w) || !words_are_good(&w) || !shape_is_good(&w) || !row_is_good(&w, box[0]))
        return CUDA_ERROR_INVALID_VALUE;
    struct tensor_map m = make(&w, TENSOR_TILED);
    u64 bytes = tensor_element(m.type);
    for (u32 k = 0; k < TENSOR_RANKS; k++) {
        if (k < rank && (!box[k] || box[k] > TENSOR_MOST_BOX))
            return CUDA_ERROR_INVALID_VALUE;
        m.box[k] = k < rank ? (u16)box[k] : 1;
        bytes *= k ? (m.box[k] + m.steps[k] - 1u) / m.steps[k] : m.box[k];
    }
    if (bytes >= BYTES_END)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(map, &m, sizeof m);
    return CUDA_SUCCESS;
}

/* Corners: 16 bits for one dimension, 8 for each of two, 5 for each of three. */
static bool corners_are_good(const struct wanted *w, const int *lower, const int *upper)
{
    static const int ends[] = {[3] = 1 << 15, [4] = 1 << 7, [5] = 1 << 4};
    const int end = ends[w->rank];
    for (u32 k = 0; k + 2 < w->rank; k++) {
        if (lower[k] < -end || lower[k] >= end || upper[k] < -end || upper[k] >= end)
            return false;
        if ((i64)w->dims[k + 1] - 1 + upper[k] < lower[k])
            return false;
    }
    return true;
}

CUresult impl_cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                      const cuuint64_t *dims, const cuuint64_t *strides, const int *lower,
                                      const int *upper, cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *steps,
                                      CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                      CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    const struct wanted w = {type, rank, address, dims, strides, steps, interleave, swizzle, promotion, fill};
    if (!map || (uintptr_t)map % TENSOR_MAP_ALIGN || rank < 3 || rank > TENSOR_RANKS || !lower || !upper ||
        !arrays_are_there(&w) || !words_are_good(&w) || !shape_is_good(&w) || !row_is_good(&w, channels) ||
        !corners_are_good(&w, lower, upper) || !pixels || pixels > TENSOR_MOST_PIXELS)
        return CUDA_ERROR_INVALID_VALUE;
    struct tensor_map m = make(&w, TENSOR_IM2COL);
    for (u32 k = 0; k + 2 < rank; k++) {
        m.lower[k] = (i16)lower[k];
        m.upper[k] = (i16)upper[k];
    }
    m.channels = (u16)channels;
    m.pixels = (u16)pixels;
    memcpy(map, &m, sizeof m);
    return CUDA_SUCCESS;
}

CUresult impl_cuTensorMapReplaceAddress(CUtensorMap *map, void *address)
{
    struct tensor_map m;
    if (!map || !address)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&m, map, sizeof m);
    if (m.mark != TENSOR_MAP_MARK || (uintptr_t)address % 16)
        return CUDA_ERROR_INVALID_VALUE;
    m.address = (u64)(uintptr_t)address;
    memcpy(map, &m, sizeof m);
    return CUDA_SUCCESS;
}
