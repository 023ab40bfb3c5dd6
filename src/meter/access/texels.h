/* texels.h - what one fetch from textures asks of L1 and how long it keeps the texture unit, by the texels that its lanes look
 * at. Measured on an H200 (tests/hw/h200/texture.csv, texture-images.csv); docs/model.md has the rules. No memory, no state. */
#ifndef LS_METER_ACCESS_TEXELS_H
#define LS_METER_ACCESS_TEXELS_H

#include "exec/texture/texture.h"
#include "meter/access/lines.h"

struct texel_cost {
    u32 requests; /* of four lanes; of eight where texels lie as memory does, and of surfaces without layers and depth */
    u32 sectors;  /* of all requests */
    u32 different; /* of surfaces: those sectors, each once; of textures all */
    u32 lines;     /* different ones, of all requests */
    u32 cycles;    /* of the texture unit */
    u32 delay;     /* cycles that its result takes longer than that of a fetch of four bytes by integers */
};

/* l: the lines and sectors of one request after the other. Addresses count from `base`, a multiple of a line. */
struct texel_cost texels_cost(struct lines *l, const struct texture_access *a, u32 mask, u64 base);
/* The same of a load from a surface; and of a store, where l has each line once, with what all lanes want of it. */
struct texel_cost surface_load_cost(struct lines *l, const struct texture_access *a, u32 mask, u64 base);
struct texel_cost surface_store_cost(struct lines *l, const struct texture_access *a, u32 mask, u64 base);

#endif
