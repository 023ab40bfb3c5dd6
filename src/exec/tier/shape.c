/* shape.c - what is known of a cell's lanes: constant offsets between them, and what two shapes have in common. */
#include "exec/tier/gen.h"

const i64 *shape_offsets(struct gen *e, const i64 offset[IR_LANES])
{
    for (u32 k = 0; k < e->offsets.len; k++)
        if (memcmp(e->offsets.at[k], offset, sizeof *offset * IR_LANES) == 0)
            return e->offsets.at[k];
    i64 *copy = arena_array(e->mem, i64, IR_LANES);
    memcpy(copy, offset, sizeof *offset * IR_LANES);
    vec_push(e->mem, &e->offsets, copy);
    return copy;
}

struct value gen_offsets(struct gen *e, llvm_value base, u8 align, const i64 offset[IR_LANES], u8 kind)
{
    const i64 first = kind == CELL_32 ? (i32)offset[0] : offset[0];
    i64 from_first[IR_LANES];
    u64 any = 0;
    for (u32 i = 0; i < IR_LANES; i++) {
        const u64 d = (u64)offset[i] - (u64)offset[0];
        from_first[i] = kind == CELL_32 ? (i32)d : (i64)d;
        any |= (u64)from_first[i];
    }
    if (first)
        base = B(Add, base, gen_int(e, kind == CELL_64 ? e->i64 : e->i32, (u64)first));
    struct value v = {.v = base, .s = {.kind = SHAPE_UNIFORM, .align = align}};
    if (first && shape_zeros((u64)first) < align)
        v.s.align = shape_zeros((u64)first);
    if (any) {
        v.s.kind = SHAPE_OFFSETS;
        v.s.offset = shape_offsets(e, from_first);
    }
    return v;
}

struct value gen_lanes_apart(struct gen *e, llvm_value base, u8 align, i64 step, u8 kind)
{
    i64 offset[IR_LANES];
    for (u32 i = 0; i < IR_LANES; i++)
        offset[i] = (i64)i * step;
    return gen_offsets(e, base, align, offset, kind);
}

/* Bits that are no NaN of an f32, so it does not matter how NaNs are to be. */
static bool is_no_nan(const struct shape *s) { return s->known && ((u64)s->value & 0x7fffffff) <= 0x7f800000; }

bool shape_raw(const struct shape *a, const struct shape *b)
{
    return (a->raw && (b->raw || is_no_nan(b))) || (b->raw && is_no_nan(a));
}

struct shape shape_of(const struct value *v)
{
    if (!v->ok)
        return v->s;
    return (struct shape){.kind = SHAPE_VECTOR};
}

u8 shape_align(const struct shape *s) { return s->known ? shape_zeros((u64)s->value) : s->align; }

struct shape shape_meet(struct shape a, struct shape b)
{
    struct shape s = {.kind = a.kind};
    if (a.kind == SHAPE_NONE || b.kind == SHAPE_NONE)
        return a.kind == SHAPE_NONE ? b : a;
    s.raw = shape_raw(&a, &b);
    if (a.kind != b.kind || (a.kind == SHAPE_OFFSETS && a.offset != b.offset))
        return (struct shape){.kind = SHAPE_VECTOR, .raw = s.raw};
    s.offset = a.offset;
    s.known = a.known && b.known && a.value == b.value;
    s.value = s.known ? a.value : 0;
    s.root = a.root == b.root ? a.root : 0;
    s.align = shape_align(&a) < shape_align(&b) ? shape_align(&a) : shape_align(&b);
    if (s.kind == SHAPE_VECTOR || a.root != b.root)
        s.align = s.root = 0;
    return s;
}

bool shape_same(struct shape a, struct shape b)
{
    return a.kind == b.kind && a.known == b.known && a.raw == b.raw && a.align == b.align && a.root == b.root &&
           a.offset == b.offset && (!a.known || a.value == b.value);
}
