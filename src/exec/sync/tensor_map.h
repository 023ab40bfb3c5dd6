/* tensor_map.h - the 128 bytes of a tensor map (PTX ISA 5.5): how a tensor lies in global memory, and which box of it a
 * copy takes. The driver makes it, programs carry it about, tensormap.replace changes it, copies read it (tensor.h).
 *
 * Programs may not look inside, so the layout is ours. All of it is as the driver's function was given it. */
#ifndef LS_EXEC_TENSOR_MAP_H
#define LS_EXEC_TENSOR_MAP_H

#include "base/base.h"

enum {
    TENSOR_MAP_BYTES = 128,
    TENSOR_MAP_ALIGN = 64,
    TENSOR_MAP_MARK = 0x704d534c,
    TENSOR_RANKS = 5,
    TENSOR_MOST_BOX = 256,     /* elements of a box in a dimension, channels of a pixel */
    TENSOR_MOST_PIXELS = 1024, /* of a column */
    TENSOR_MOST_STEP = 8,
};

enum tensor_mode { TENSOR_TILED, TENSOR_IM2COL };
/* As tensormap.replace and CUtensorMapDataType number them. */
enum tensor_type {
    TENSOR_U8,
    TENSOR_U16,
    TENSOR_U32,
    TENSOR_S32,
    TENSOR_U64,
    TENSOR_S64,
    TENSOR_F16,
    TENSOR_F32,
    TENSOR_F64,
    TENSOR_BF16,
    TENSOR_F32_FTZ,
    TENSOR_TF32,
    TENSOR_TF32_FTZ,
    TENSOR_TYPES
};
enum tensor_swizzle { SWIZZLE_NONE, SWIZZLE_32, SWIZZLE_64, SWIZZLE_128, SWIZZLES };
enum tensor_interleave { INTERLEAVE_NONE, INTERLEAVE_16, INTERLEAVE_32, INTERLEAVES };
enum tensor_fill { FILL_ZERO, FILL_NAN, FILLS };

/* Dimension 0 is the innermost, whose elements are next to each other. */
struct tensor_map {
    u32 mark; /* TENSOR_MAP_MARK: else it is no tensor map */
    u8 mode, type, rank, interleave, swizzle, fill;
    u8 steps[TENSOR_RANKS]; /* every so many-th element of a dimension is copied */
    u8 reserved;
    u64 address;
    u64 strides[TENSOR_RANKS - 1]; /* bytes from an element to the next of dimension k + 1 */
    u32 lasts[TENSOR_RANKS];       /* the last coordinate of a dimension: its size less 1 */
    union {
        u16 box[TENSOR_RANKS]; /* TENSOR_TILED: elements in each dimension */
        struct {               /* TENSOR_IM2COL: of W, H, D, for rank - 2 of them */
            i16 lower[3], upper[3];
            u16 channels, pixels;
        };
    };
    u8 rest[32];
};
_Static_assert(sizeof(struct tensor_map) == TENSOR_MAP_BYTES, "it must fit into CUtensorMap");

static inline u32 tensor_element(u8 type)
{
    static const u8 bytes[TENSOR_TYPES] = {
        [TENSOR_U8] = 1,      [TENSOR_U16] = 2,  [TENSOR_U32] = 4,     [TENSOR_S32] = 4, [TENSOR_U64] = 8,
        [TENSOR_S64] = 8,     [TENSOR_F16] = 2,  [TENSOR_F32] = 4,     [TENSOR_F64] = 8, [TENSOR_BF16] = 2,
        [TENSOR_F32_FTZ] = 4, [TENSOR_TF32] = 4, [TENSOR_TF32_FTZ] = 4};
    return bytes[type];
}

static inline bool tensor_is_float(u8 type) { return type >= TENSOR_F16; }

#endif
