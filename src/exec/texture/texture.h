/* texture.h - texture and surface objects as the engine knows them, and the table of their handles.
 *
 * An *image* is device memory seen as texels: an array of the driver's (rows one after the other, whatever the hardware
 * does) or plain memory. A *texture* is an image with a sampler, a *surface* an image that is read and written by byte.
 * A *handle* is what PTX has in a 64-bit register; handles are not addresses and never used twice, so a stale or
 * invented one is told from a live one. */
#ifndef LS_EXEC_TEXTURE_H
#define LS_EXEC_TEXTURE_H

#include "base/base.h"
#include "base/status.h"

struct warp;
struct ir_inst;

enum { TEXTURE_LANES = 32 };

enum texel_format { TEXEL_U8, TEXEL_U16, TEXEL_U32, TEXEL_S8, TEXEL_S16, TEXEL_S32, TEXEL_HALF, TEXEL_FLOAT };
/* With the driver API's values. */
enum texture_address { ADDRESS_WRAP, ADDRESS_CLAMP, ADDRESS_MIRROR, ADDRESS_BORDER };
enum texture_kind { KIND_NONE, KIND_TEXTURE, KIND_SURFACE };
/* How the hardware has the texels: as memory is; rows of memory, of which L1 takes four together; an array's own order. */
enum image_layout { LAYOUT_MEMORY, LAYOUT_ROWS, LAYOUT_BLOCKS };

struct image {
    u64 base, bytes;          /* [base, base + bytes) in device memory */
    u64 pitch, slice;         /* bytes from row to row, from slice or layer to the next */
    u32 width, height, depth; /* texels; depth: slices or layers; 1 where there is no such dimension */
    u8 dims;                  /* 1, 2, 3 without the layers */
    u8 format, channels;      /* enum texel_format; 1, 2, 4 */
    u8 texel_bytes;
    bool layered, gather; /* gather: tld4 is allowed */
    bool cube;            /* six square faces a layer, which are slices: +x -x +y -y +z -z */
    u8 levels;            /* of the mipmap, each half as large, one behind the other; 0 and 1: the image alone */
    u8 layout;            /* enum image_layout: of the hardware, for what is counted; here texels are rows always */
};

struct sampler {
    u8 address[3];         /* enum texture_address */
    bool linear;           /* filter; else the nearest texel */
    bool normalized;       /* coordinates are 0 to 1 */
    bool integers;         /* 8- and 16-bit integers are not made floats from 0 (-1) to 1 */
    u32 border[4];         /* bits of floats, or integers when that is what the texture gives */
    bool srgb;             /* 8-bit colours are made linear */
    bool seamless;         /* filtering goes round the edges of a cube */
    bool mip_linear;       /* between two levels; else the nearest one */
    f32 bias, least, most; /* is added to the level of detail, which then stays between the others */
};

struct texture {
    u64 handle;
    struct image image;
    struct sampler sampler; /* textures only */
    u8 kind;                /* enum texture_kind */
};

/* ---- the table: texture_table.c ---- */

struct textures;
struct textures *textures_make(void); /* NULL: no memory */
void textures_free(struct textures *t);

/* Enters a copy; *handle is never 0. LS_ERR_NOMEM, or LS_ERR_LIMIT when a million are alive. */
enum ls_status textures_add(struct textures *t, const struct texture *object, u64 *handle);
/* False when there is no such object. Kernels that still use the handle fault. */
bool textures_remove(struct textures *t, u64 handle);
/* A copy of the object behind a handle, of whatever value. Takes no lock. */
bool textures_find(struct textures *t, u64 handle, struct texture *out);

/* ---- sampling: texture_sample.c. The image's memory must have been checked ---- */

static inline bool texel_is_float(u8 format) { return format == TEXEL_HALF || format == TEXEL_FLOAT; }
static inline u32 texel_bits(u8 format)
{
    static const u8 bits[] = {8, 16, 32, 8, 16, 32, 16, 32};
    return bits[format];
}
/* Whether fetches give floats: 8- and 16-bit integers become some unless they are to stay integers. */
static inline bool texture_gives_floats(const struct texture *t)
{
    return texel_is_float(t->image.format) || (!t->sampler.integers && texel_bits(t->image.format) < 32);
}

/* The texels that a lane looked at: those with any of the places x, of y and of z. Of two levels of a mipmap, the
 * second one's. */
struct texels {
    u64 base;          /* of the image, or of its level */
    u32 width, height; /* of it, in texels */
    u32 at[3][2];      /* x, y, z; layers are z */
    u8 n[3];           /* how many places of each; 0: none, as on the border */
    u8 dims, bytes, layout;
    bool layered;   /* a cube too */
    bool by_floats; /* coordinates */
    bool filtered;  /* linear filtering was asked for, even where one texel has all the weight */
};
/* What an access event of a texture or a surface has besides addresses; exec_access.addr is `address`. Of a surface a texel is as
 * large as the access. */
struct texture_access {
    u64 address[TEXTURE_LANES]; /* of a texel that each lane touched */
    struct texels texels[TEXTURE_LANES];
};
static inline const struct texture_access *texture_access_of(const u64 *addr)
{
    return (const struct texture_access *)(const void *)addr;
}

/* Where to fetch: float coordinates, or texels as integers. */
enum texture_detail { DETAIL_NONE, DETAIL_LEVEL, DETAIL_GRADIENTS };
struct texture_place {
    bool is_float;
    u8 detail; /* enum texture_detail: what chooses the level of a mipmap */
    f32 level, dx[3], dy[3];
    f32 at[3];
    i32 texel[3], offset[3];
    u32 layer;
    struct texels *seen; /* is told what was looked at; NULL: nobody asks */
};

/* Four components as 32 bits each, and the address of the first texel that was looked at. */
struct texture_value {
    u32 bits[4];
    u64 address;
};
struct texture_value texture_fetch(const struct texture *t, const struct texture_place *at);
/* A level of an image's mipmap, as an image of its own; levels beyond the last are the last. */
struct image image_level(const struct image *im, unsigned level);
/* One component of the four texels that linear filtering would weigh: (0,1) (1,1) (1,0) (0,0). */
struct texture_value texture_gather(const struct texture *t, const struct texture_place *at, unsigned component);

/* ---- cube maps: texture_cube.c ---- */

/* The face that the direction at->at meets becomes the layer, and the place on it, from 0 to 1, the coordinates; gradients
 * become those of the place. */
void cube_to_face(struct texture_place *at);
/* A texel beyond one edge of the face that is the layer becomes the one that the neighbour has there. */
void cube_neighbour(u32 size, i64 index[3], u32 *layer);

/* 16-bit floats; to even. */
f32 texture_half_value(u32 half);
u32 texture_half_bits(f32 value);

/* ---- one instruction: texture_run.c ---- */

/* Runs the texture or surface instruction at pc for the warp's lanes; false after a fault. */
bool texture_run(const struct ir_inst *pc, u8 *regs, struct warp *w);

#endif
