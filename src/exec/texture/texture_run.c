/* texture_run.c - runs one texture or surface instruction for a warp, lane by lane: finds the object behind each lane's
 * handle, checks it and its memory, and samples, stores or answers.
 *
 * Lane by lane matters: a destination may take the slot of a source that dies here (ir/live.c), so a lane's sources are
 * all read before its results are written.
 *
 * No handle and no coordinate can make the host touch memory that is not the image's: the object is a copy, its bytes
 * are checked against the live allocations (the range is remembered a site, as for loads), and indices stay inside. */
#include "exec/texture/texture.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "exec/sched.h"
#include "exec/sync/weak.h"
#include "ir/texture.h"

#define RACY __attribute__((no_sanitize("thread")))
typedef u8 u8_any __attribute__((may_alias));
typedef u16 u16_any __attribute__((aligned(1), may_alias));
typedef u32 u32_any __attribute__((aligned(1), may_alias));
typedef u64 u64_any __attribute__((aligned(1), may_alias));

/* One execution of an instruction. */
struct run {
    struct warp *w;
    const struct ir_inst *pc;
    const struct ir_texture *i;
    u8 *regs;
    struct texture object; /* behind the last lane's handle */
    bool told;             /* somebody hears the event */
    struct texture_access access;
};
_Static_assert((int)TEXTURE_LANES == (int)IR_LANES, "a warp's");

static u32 lane32(const struct run *r, u32 slot, unsigned lane)
{
    return ((const u32 *)(const void *)(r->regs + slot))[lane];
}

static f32 lane_float(const struct run *r, u32 slot, unsigned lane)
{
    return ((const f32 *)(const void *)(r->regs + slot))[lane];
}

static void put32(struct run *r, u32 slot, unsigned lane, u32 value)
{
    ((u32 *)(void *)(r->regs + slot))[lane] = value;
}

static bool LS_PRINTF(3, 4) fault(struct run *r, unsigned lane, const char *fmt, ...)
{
    struct exec_fault f = {.kind = FAULT_TEXTURE};
    va_list args;
    fault_place(r->w, r->pc, lane, &f);
    va_start(args, fmt);
    vsnprintf(f.detail, sizeof f.detail, fmt, args);
    va_end(args);
    grid_fault(r->w->block->grid, &f);
    r->w->stop = STOP_FAULT;
    return false;
}

/* ---- the object behind a handle ---- */

static bool is_surface(const struct run *r) { return r->i->op >= SURFACE_LOAD; }

static bool check_memory(struct run *r, unsigned lane)
{
    const struct image *im = &r->object.image;
    struct site_cache *c = &r->w->sites[r->pc->site];
    enum mem_kind kind;
    char where[256];
    u64 lo, hi;
    if (im->base >= c->lo && im->base < c->hi && c->hi - im->base >= im->bytes)
        return true;
    if (mem_range(r->w->mem, im->base, &lo, &hi, &kind) && hi - im->base >= im->bytes) {
        if (kind != MEM_HEAP)
            *c = (struct site_cache){lo, hi, !mem_read_only(kind)};
        return true;
    }
    mem_describe(r->w->mem, im->base, im->bytes, where, sizeof where);
    return fault(r, lane, "the memory of %s object 0x%" PRIx64 " is gone: %" PRIu64 " bytes at 0x%" PRIx64 ", %s",
                 is_surface(r) ? "surface" : "texture", r->object.handle, im->bytes, im->base, where);
}

static const char *shape_name(bool cube, unsigned dims)
{
    return cube ? "cube" : dims == 1 ? "1D" : dims == 2 ? "2D" : "3D";
}

/* A surface sees the faces of a cube as layers (surfCubemapread). */
static bool fits(const struct ir_texture *i, const struct image *im, bool surface)
{
    if (im->cube)
        return surface ? i->dims == 2 && i->layered : i->cube && i->layered == im->layered;
    return !i->cube && im->dims == i->dims && im->layered == i->layered;
}

static bool check_shape(struct run *r, unsigned lane)
{
    const struct image *im = &r->object.image;
    const bool query = r->i->op == TEXTURE_QUERY || r->i->op == SURFACE_QUERY;
    if (!query && !fits(r->i, im, is_surface(r)))
        return fault(r, lane, "the instruction is for %s%s, object 0x%" PRIx64 " is %s%s",
                     r->i->layered ? "layered " : "", shape_name(r->i->cube, r->i->dims), r->object.handle,
                     im->layered ? "layered " : "", shape_name(im->cube, im->dims));
    if (r->i->op == TEXTURE_GATHER && !im->gather)
        return fault(r, lane, "tld4 needs a two-dimensional array made with CUDA_ARRAY3D_TEXTURE_GATHER");
    return query || check_memory(r, lane);
}

/* Makes r->object the lane's; false after a fault. */
static bool find_object(struct run *r, unsigned lane)
{
    const u64 handle = ((const u64 *)(const void *)(r->regs + r->i->handle))[lane];
    const u8 kind = is_surface(r) ? KIND_SURFACE : KIND_TEXTURE;
    if (handle && handle == r->object.handle)
        return true;
    if (!textures_find(r->w->block->grid->launch->device->textures, handle, &r->object))
        return fault(r, lane, "0x%" PRIx64 " is not the handle of a live %s object", handle,
                     kind == KIND_SURFACE ? "surface" : "texture");
    if (r->object.kind != kind)
        return fault(r, lane, "0x%" PRIx64 " is the handle of a %s object, the instruction needs a %s object", handle,
                     kind == KIND_SURFACE ? "texture" : "surface", kind == KIND_SURFACE ? "surface" : "texture");
    return check_shape(r, lane);
}

/* ---- fetches ---- */

static void put_value(struct run *r, unsigned lane, const struct texture_value *v)
{
    const struct ir_texture *i = r->i;
    u32 half[4];
    if (i->data == TEXTURE_32) {
        for (unsigned k = 0; k < 4; k++)
            put32(r, i->value[k], lane, v->bits[k]);
        return;
    }
    for (unsigned k = 0; k < 4; k++) {
        f32 x;
        memcpy(&x, &v->bits[k], sizeof x);
        half[k] = texture_half_bits(x);
    }
    for (unsigned k = 0; k < i->count; k++)
        put32(r, i->value[k], lane, i->data == TEXTURE_F16 ? half[k] : half[2 * k] | half[2 * k + 1] << 16);
}

static bool fetch(struct run *r, unsigned lane)
{
    const struct ir_texture *i = r->i;
    struct texture_place at = {.is_float = i->is_float, .layer = i->layered ? lane32(r, i->layer, lane) : 0};
    if (i->data != TEXTURE_32 && !texture_gives_floats(&r->object))
        return fault(r, lane, "the instruction gives halves, texture object 0x%" PRIx64 " integers", r->object.handle);
    at.detail = i->detail;
    if (i->detail == TEXTURE_LEVEL)
        at.level = i->is_float ? lane_float(r, i->level, lane) : (f32)(i32)lane32(r, i->level, lane);
    for (unsigned d = 0; d < i->dims; d++) {
        if (i->detail == TEXTURE_GRADIENTS) {
            at.dx[d] = lane_float(r, i->dx[d], lane);
            at.dy[d] = lane_float(r, i->dy[d], lane);
        }
        if (i->is_float)
            at.at[d] = lane_float(r, i->coord[d], lane);
        else
            at.texel[d] = (i32)lane32(r, i->coord[d], lane);
        if (i->has_offset)
            at.offset[d] = (i32)lane32(r, i->offset[d], lane);
    }
    if (r->told) {
        at.seen = &r->access.texels[lane];
        at.seen->n[0] = 0;
    }
    const struct texture_value v =
        i->op == TEXTURE_GATHER ? texture_gather(&r->object, &at, i->component) : texture_fetch(&r->object, &at);
    r->access.address[lane] = v.address;
    put_value(r, lane, &v);
    return true;
}

/* ---- queries ---- */

/* The numbers of OpenCL's enumerations, which PTX's are (PTX ISA 5.3, table 10). */
static u32 data_type(const struct texture *t)
{
    static const u16 integers[] = {0x10da, 0x10db, 0x10dc, 0x10d7, 0x10d8, 0x10d9, 0x10dd, 0x10de};
    static const u16 floats[] = {0x10d2, 0x10d3, 0x10dc, 0x10d0, 0x10d1, 0x10d9, 0x10dd, 0x10de};
    const bool normalized = t->kind == KIND_TEXTURE && !t->sampler.integers;
    return (normalized ? floats : integers)[t->image.format];
}

static u32 answer(const struct texture *t, u8 what, u32 level)
{
    const struct image at = image_level(&t->image, level), *im = &at;
    switch (what) {
    case QUERY_WIDTH:
        return im->width;
    case QUERY_HEIGHT:
        return im->dims >= 2 ? im->height : 0;
    case QUERY_DEPTH:
        return im->dims == 3 ? im->depth : 0;
    case QUERY_LAYERS:
        return !im->layered ? 0 : im->cube ? im->depth / 6 : im->depth;
    case QUERY_DATA_TYPE:
        return data_type(t);
    case QUERY_ORDER:
        return im->channels == 1 ? 0x10b0 : im->channels == 2 ? 0x10b2 : 0x10b5; /* R, RG, RGBA */
    case QUERY_NORMALIZED:
        return t->sampler.normalized;
    case QUERY_LEVELS:
        return t->image.levels ? t->image.levels : 1;
    default: /* samples */
        return 1;
    }
}

/* ---- surfaces ---- */

/* Where an access goes once its coordinates are clamped, and whether they had to be. */
struct surface_place {
    u64 address;
    u32 x, y, z; /* x in bytes */
    bool outside;
};

/* A coordinate that is clamped to 0 .. most. */
static i64 clamped(i64 x, i64 most, bool *outside)
{
    *outside |= x < 0 || x > most;
    return x < 0 ? 0 : x > most ? most : x;
}

static struct surface_place surface_place(const struct run *r, const i64 c[3], u32 size)
{
    const struct image *im = &r->object.image;
    struct surface_place p = {0};
    const i64 row = (i64)im->width * im->texel_bytes;
    const i64 x = clamped(c[0], row - size, &p.outside), y = clamped(c[1], im->height - 1, &p.outside);
    const i64 z = clamped(c[2], im->depth - 1, &p.outside);
    p.address = im->base + (u64)z * im->slice + (u64)y * im->pitch + (u64)x;
    p.x = (u32)x;
    p.y = (u32)y;
    p.z = (u32)z;
    return p;
}

/* Address 0: zeros. */
RACY static void load(struct run *r, unsigned lane, u64 address)
{
    const struct ir_texture *i = r->i;
    for (unsigned k = 0; k < i->count; k++) {
        const void *p = (const void *)(uintptr_t)(address + k * i->bytes);
        if (i->bytes == 8)
            ((u64 *)(void *)(r->regs + i->value[k]))[lane] = address ? *(const u64_any *)p : 0;
        else
            put32(r, i->value[k], lane,
                  !address        ? 0
                  : i->bytes == 1 ? *(const u8_any *)p
                  : i->bytes == 2 ? *(const u16_any *)p
                                  : *(const u32_any *)p);
    }
}

RACY static void store(struct run *r, unsigned lane, u64 address)
{
    const struct ir_texture *i = r->i;
    for (unsigned k = 0; k < i->count; k++) {
        void *p = (void *)(uintptr_t)(address + k * i->bytes);
        const u32 value = lane32(r, i->value[k], lane);
        if (i->bytes == 8)
            *(u64_any *)p = ((const u64 *)(const void *)(r->regs + i->value[k]))[lane];
        else if (i->bytes == 4)
            *(u32_any *)p = value;
        else if (i->bytes == 2)
            *(u16_any *)p = (u16)value;
        else
            *(u8_any *)p = (u8)value;
    }
}

/* ---- sust.p: what an H200 stored of 32 bits (tests/programs/surface_forms.cu) ---- */

static u32 clamp_component(u32 x, u32 bits, bool is_signed)
{
    const i64 high = is_signed ? ((i64)1 << (bits - 1)) - 1 : ((i64)1 << bits) - 1, low = is_signed ? -high - 1 : 0;
    const i64 v = is_signed ? (i64)(i32)x : (i64)x;
    return (u32)(v > high ? high : v < low ? low : v);
}

/* A float cut off towards zero, so no finite one becomes infinite; of a NaN the sign and the upper bits. */
static u32 cut_to_half(u32 x)
{
    const u32 sign = x >> 16 & 0x8000, fraction = x & 0x7fffff;
    const i32 field = (i32)(x >> 23 & 255), e = field - 112;
    if (field == 255)
        return sign | 0x7c00 | fraction >> 13 | (fraction && !(fraction >> 13) ? 0x200 : 0);
    if (e >= 31)
        return sign | 0x7bff;
    if (e > 0)
        return sign | (u32)e << 10 | fraction >> 13;
    return e < -10 ? sign : sign | (fraction | 0x800000) >> (14 - e);
}

static u32 texel_of(u8 format, u32 x)
{
    const u32 bits = texel_bits(format);
    if (bits == 32)
        return x;
    return format == TEXEL_HALF ? cut_to_half(x) : clamp_component(x, bits, format == TEXEL_S8 || format == TEXEL_S16);
}

/* Components that the instruction does not name become 0. */
RACY static void store_texel(struct run *r, unsigned lane, u64 address)
{
    const struct ir_texture *i = r->i;
    const struct image *im = &r->object.image;
    const u32 bits = texel_bits(im->format);
    for (unsigned k = 0; k < im->channels; k++) {
        const u32 x = texel_of(im->format, k < i->count ? lane32(r, i->value[k], lane) : 0);
        if (bits == 32)
            ((u32_any *)(uintptr_t)address)[k] = x;
        else if (bits == 16)
            ((u16_any *)(uintptr_t)address)[k] = (u16)x;
        else
            ((u8_any *)(uintptr_t)address)[k] = (u8)x;
    }
}

static bool is_signed_format(u8 format) { return format == TEXEL_S8 || format == TEXEL_S16 || format == TEXEL_S32; }

static u64 sum_of(u8 sum, bool is_signed, u64 a, u64 b)
{
    const bool less = is_signed ? (i64)a < (i64)b : a < b;
    switch (sum) {
    case SUM_ADD:
        return a + b;
    case SUM_MIN:
        return less ? a : b;
    case SUM_MAX:
        return less ? b : a;
    case SUM_AND:
        return a & b;
    default:
        return a | b;
    }
}

/* sured, which is atomic. sured.p: a word at a multiple of its size, whatever the format, which only says whether it has a
 * sign (asked on an H200). */
RACY static void reduce(struct run *r, unsigned lane, u64 address)
{
    const struct ir_texture *i = r->i;
    const bool is_signed = i->formatted ? is_signed_format(r->object.image.format) : i->is_signed;
    if (i->bytes == 8) {
        const u64 value = ((const u64 *)(const void *)(r->regs + i->value[0]))[lane];
        u64 *p = (u64 *)(uintptr_t)address, old = __atomic_load_n(p, __ATOMIC_RELAXED);
        while (!__atomic_compare_exchange_n(p, &old, sum_of(i->sum, is_signed, old, value), true, __ATOMIC_SEQ_CST,
                                            __ATOMIC_RELAXED)) {
        }
        return;
    }
    const u32 value = lane32(r, i->value[0], lane);
    u32 *p = (u32 *)(uintptr_t)address, old = __atomic_load_n(p, __ATOMIC_RELAXED), now;
    do
        now = (u32)(is_signed ? sum_of(i->sum, true, (u64)(i64)(i32)old, (u64)(i64)(i32)value)
                              : sum_of(i->sum, false, old, value));
    while (!__atomic_compare_exchange_n(p, &old, now, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
}

/* Says which texel was accessed, of those that are as large as the access. nothing: none was. */
static void tell_surface(struct run *r, unsigned lane, const struct surface_place *p, u32 size, bool nothing)
{
    const struct image *im = &r->object.image;
    r->access.texels[lane] = (struct texels){.base = im->base,
                                             .width = im->width * im->texel_bytes / size,
                                             .height = im->height,
                                             .at = {{p->x / size}, {p->y}, {p->z}},
                                             .n = {!nothing, 1, 1},
                                             .dims = im->dims,
                                             .bytes = (u8)size,
                                             .layout = im->layout,
                                             .layered = im->layered || im->cube};
}

static bool access_surface(struct run *r, unsigned lane)
{
    const struct ir_texture *i = r->i;
    const struct image *im = &r->object.image;
    const bool texel = i->op == SURFACE_STORE && i->formatted;
    const u32 size = texel ? im->texel_bytes : (u32)i->count * i->bytes;
    i64 c[3] = {0};
    for (unsigned d = 0; d < i->dims; d++)
        c[d] = (i32)lane32(r, i->coord[d], lane);
    if (i->formatted)
        c[0] *= i->op == SURFACE_REDUCE ? size : im->texel_bytes;
    if (i->layered)
        c[2] = lane32(r, i->layer, lane);
    if (c[0] & (size - 1))
        return fault(r, lane, "x is %" PRId64 " bytes, not a multiple of the access's %u bytes", c[0], size);
    if ((u64)im->width * im->texel_bytes < size)
        return fault(r, lane, "the access has %u bytes, a row of surface object 0x%" PRIx64 " has %u", size,
                     r->object.handle, im->width * im->texel_bytes);
    const struct surface_place p = surface_place(r, c, size);
    if (p.outside && i->bounds == BOUNDS_TRAP)
        return fault(r, lane,
                     "x %" PRId64 " bytes, y %" PRId64 ", z %" PRId64 " is outside surface object 0x%" PRIx64
                     " of %u x %u x %u texels of %u bytes",
                     c[0], c[1], c[2], r->object.handle, im->width, im->height, im->depth, im->texel_bytes);
    const bool nothing = p.outside && i->bounds == BOUNDS_ZERO;
    r->access.address[lane] = p.address;
    if (r->told)
        tell_surface(r, lane, &p, size, nothing);
    if (i->op == SURFACE_LOAD)
        load(r, lane, nothing ? 0 : p.address);
    else if (!nothing)
        (texel ? store_texel : i->op == SURFACE_REDUCE ? reduce : store)(r, lane, p.address);
    return true;
}

/* ---- an instruction ---- */

static bool run_lane(struct run *r, unsigned lane)
{
    if (!find_object(r, lane))
        return false;
    switch (r->i->op) {
    case TEXTURE_FETCH:
    case TEXTURE_GATHER:
        return fetch(r, lane);
    case SURFACE_LOAD:
    case SURFACE_STORE:
    case SURFACE_REDUCE:
        return access_surface(r, lane);
    default:
        put32(r, r->i->value[0], lane,
              answer(&r->object, r->i->what, r->i->detail == TEXTURE_LEVEL ? lane32(r, r->i->level, lane) : 0));
        return true;
    }
}

static void report(struct run *r)
{
    struct warp *w = r->w;
    if (!r->told || r->i->op == TEXTURE_QUERY || r->i->op == SURFACE_QUERY)
        return;
    const bool texels = !is_surface(r) || (r->i->op == SURFACE_STORE && r->i->formatted);
    const u32 bytes = texels ? r->object.image.texel_bytes : (u32)r->i->count * r->i->bytes;
    const struct exec_access e = {.func = w->func,
                                  .site = r->pc->site,
                                  .mask = w->mask,
                                  .space = SPACE_TEX,
                                  .op = r->i->op == SURFACE_STORE    ? ACCESS_ST
                                        : r->i->op == SURFACE_REDUCE ? ACCESS_RED
                                                                     : ACCESS_LD,
                                  .size = (u8)bytes,
                                  .pattern = PATTERN_GATHER,
                                  .type = warp_inst(w, r->pc)->types[0],
                                  .warp = w->index,
                                  .block = w->info,
                                  .addr = r->access.address};
    w->hooks->access(w->hook_ctx, &e);
}

bool texture_run(const struct ir_inst *pc, u8 *regs, struct warp *w)
{
    struct run r;
    r.w = w;
    r.pc = pc;
    r.i = pc->ptr;
    r.regs = regs;
    r.object.handle = 0;
    r.told = w->hooks && w->hooks->access;
    if (w->weak) /* in order after everything the warp did */
        weak_fence(w);
    for (u32 m = w->mask; m; m &= m - 1)
        if (!run_lane(&r, (unsigned)__builtin_ctz(m)))
            return false;
    if (r.i->has_resident) /* all of a texture is in memory */
        *(u32 *)(void *)(regs + r.i->resident) |= w->mask;
    report(&r);
    return true;
}
