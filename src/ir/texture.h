/* texture.h - what the record of a texture or surface instruction (PTX ISA 9.7.10, 9.7.11) points to: made by
 * emit_texture.c, read by exec/texture/texture_run.c. All places are byte offsets of slots from regs. */
#ifndef LS_IR_TEXTURE_H
#define LS_IR_TEXTURE_H

#include "base/base.h"

enum ir_texture_op {
    TEXTURE_FETCH,
    TEXTURE_GATHER,
    TEXTURE_QUERY,
    SURFACE_LOAD,
    SURFACE_STORE,
    SURFACE_REDUCE,
    SURFACE_QUERY
};

/* What chooses the level of a mipmap; as in exec/texture/texture.h. */
enum ir_texture_detail { TEXTURE_BASE, TEXTURE_LEVEL, TEXTURE_GRADIENTS };

/* What the four components of a fetch become. */
enum ir_texture_data {
    TEXTURE_32,    /* their 32 bits */
    TEXTURE_F16,   /* four halves */
    TEXTURE_F16X2, /* two pairs of halves, the first component low */
};

/* sured */
enum ir_surface_sum { SUM_ADD, SUM_MIN, SUM_MAX, SUM_AND, SUM_OR };

enum ir_texture_query {
    QUERY_WIDTH,
    QUERY_HEIGHT,
    QUERY_DEPTH,
    QUERY_LAYERS,
    QUERY_DATA_TYPE,
    QUERY_ORDER,
    QUERY_NORMALIZED,
    QUERY_LEVELS,
    QUERY_SAMPLES
};

/* Where a surface access goes whose coordinates are outside (PTX ISA 9.7.11.1). */
enum ir_surface_bounds { BOUNDS_TRAP, BOUNDS_CLAMP, BOUNDS_ZERO };

struct ir_texture {
    u8 op;   /* enum ir_texture_op */
    u8 dims; /* 1, 2, 3: coordinates without the layer; of a cube 3 */
    bool layered, cube;
    bool is_float;     /* coordinates are .f32, else .s32 texels (of surfaces: .b32, x in bytes) */
    bool has_offset;   /* constant or variable displacements in texels */
    bool has_resident; /* d|p */
    u8 data;           /* enum ir_texture_data */
    u8 component;      /* TEXTURE_GATHER: 0 to 3 */
    u8 what;           /* queries: enum ir_texture_query */
    bool formatted;    /* sust.p, sured.p: x in texels, data as the surface's format has it */
    u8 sum;            /* sured: enum ir_surface_sum */
    bool is_signed;    /* sured.b */
    u8 bounds;         /* surfaces: enum ir_surface_bounds */
    u8 count, bytes;   /* registers of data; surfaces: bytes of each */
    u32 handle;        /* u64 lanes */
    u8 detail;         /* textures: enum ir_texture_detail */
    u32 layer, coord[3], offset[3], value[4], resident;
    u32 level;        /* LEVEL: f32 lanes, or s32 when coordinates are; queries: the level, s32 lanes */
    u32 dx[3], dy[3]; /* GRADIENTS: f32 lanes */
};

#endif
