/* condition_run.c - runs an expression. A value is a pointer to its 32 lanes, so a register is not copied; a step that
 * computes writes to the storage of its place in the stack. */
#include <string.h>

#include "debug/agent/condition.h"

struct run {
    const struct condition_place *at;
    const union lanes *stack[CONDITION_DEPTH];
    union lanes room[CONDITION_DEPTH];
    u32 has[CONDITION_DEPTH]; /* lanes that have the value */
    u32 depth, mask;          /* mask: lanes that it is evaluated for */
};

static void push(struct run *r, const union lanes *v)
{
    r->has[r->depth] = r->mask;
    r->stack[r->depth++] = v;
}

#define LANES for (int i = 0; i < IR_LANES; i++)

/* ---- arithmetic ---- */

/* `x` of lanes a and b, whose type is that of the member. */
#define EACH(member, result, x)                                                                                        \
    LANES {                                                                                                            \
        const __typeof__(l->member[0]) a = l->member[i], b = r->member[i];                                             \
        (void)b;                                                                                                       \
        d->result[i] = (__typeof__(d->result[0]))(x);                                                                  \
    }                                                                                                                  \
    return
#define COMPARISONS(member)                                                                                            \
    case STEP_eq:                                                                                                      \
        EACH(member, w, a == b);                                                                                       \
    case STEP_ne:                                                                                                      \
        EACH(member, w, a != b);                                                                                       \
    case STEP_lt:                                                                                                      \
        EACH(member, w, a < b);                                                                                        \
    case STEP_le:                                                                                                      \
        EACH(member, w, a <= b);                                                                                       \
    case STEP_gt:                                                                                                      \
        EACH(member, w, a > b);                                                                                        \
    case STEP_ge:                                                                                                      \
        EACH(member, w, a >= b);                                                                                       \
    case STEP_land:                                                                                                    \
        EACH(member, w, (a != 0) & (b != 0));                                                                          \
    case STEP_lor:                                                                                                     \
        EACH(member, w, (a != 0) | (b != 0));                                                                          \
    case STEP_lnot:                                                                                                    \
        EACH(member, w, a == 0)
#define FLOATS(member)                                                                                                 \
    case STEP_add:                                                                                                     \
        EACH(member, member, a + b);                                                                                   \
    case STEP_sub:                                                                                                     \
        EACH(member, member, a - b);                                                                                   \
    case STEP_mul:                                                                                                     \
        EACH(member, member, a *b);                                                                                    \
    case STEP_div:                                                                                                     \
        EACH(member, member, a / b);                                                                                   \
    case STEP_neg:                                                                                                     \
        EACH(member, member, -a)
/* Signed numbers wrap around; a shift by more than the width gives what is left. Quotients by zero are sorted out before. */
#define INTEGERS(member, unsigned_member, bits, is_signed)                                                             \
    case STEP_add:                                                                                                     \
        EACH(unsigned_member, unsigned_member, a + b);                                                                 \
    case STEP_sub:                                                                                                     \
        EACH(unsigned_member, unsigned_member, a - b);                                                                 \
    case STEP_mul:                                                                                                     \
        EACH(unsigned_member, unsigned_member, a *b);                                                                  \
    case STEP_neg:                                                                                                     \
        EACH(unsigned_member, unsigned_member, 0 - a);                                                                 \
    case STEP_not:                                                                                                     \
        EACH(unsigned_member, unsigned_member, ~a);                                                                    \
    case STEP_and:                                                                                                     \
        EACH(unsigned_member, unsigned_member, a &b);                                                                  \
    case STEP_or:                                                                                                      \
        EACH(unsigned_member, unsigned_member, a | b);                                                                 \
    case STEP_xor:                                                                                                     \
        EACH(unsigned_member, unsigned_member, a ^ b);                                                                 \
    case STEP_shl:                                                                                                     \
        LANES                                                                                                          \
            d->unsigned_member[i] = r->unsigned_member[i] < bits ? l->unsigned_member[i] << r->unsigned_member[i] : 0; \
        return;                                                                                                        \
    case STEP_shr:                                                                                                     \
        LANES                                                                                                          \
            d->member[i] = r->unsigned_member[i] < bits ? l->member[i] >> r->unsigned_member[i]                        \
                                                        : l->member[i] >> (bits - 1) >> (is_signed ? 0 : 1);           \
        return;                                                                                                        \
    case STEP_div:                                                                                                     \
        LANES                                                                                                          \
            d->unsigned_member[i] = r->member[i] == 0 ? 0                                                              \
                                    : is_signed && ~r->member[i] == 0                                                  \
                                        ? 0 - l->unsigned_member[i]                                                    \
                                        : (__typeof__(d->unsigned_member[0]))(l->member[i] / r->member[i]);            \
        return;                                                                                                        \
    case STEP_rem:                                                                                                     \
        LANES                                                                                                          \
            d->unsigned_member[i] = r->member[i] == 0 || (is_signed && ~r->member[i] == 0)                             \
                                        ? 0                                                                            \
                                        : (__typeof__(d->unsigned_member[0]))(l->member[i] % r->member[i]);            \
        return

#define CALCULATOR(name, rows, member)                                                                                 \
    static void name(enum condition_code code, union lanes *d, const union lanes *l, const union lanes *r)             \
    {                                                                                                                  \
        switch (code) {                                                                                                \
            rows;                                                                                                      \
            COMPARISONS(member);                                                                                       \
        default:                                                                                                       \
            return;                                                                                                    \
        }                                                                                                              \
    }
CALCULATOR(calculate_s32, INTEGERS(sw, w, 32, true), sw)
CALCULATOR(calculate_u32, INTEGERS(w, w, 32, false), w)
CALCULATOR(calculate_s64, INTEGERS(sd, d, 64, true), sd)
CALCULATOR(calculate_u64, INTEGERS(d, d, 64, false), d)
CALCULATOR(calculate_f32, FLOATS(f), f)
CALCULATOR(calculate_f64, FLOATS(df), df)

typedef void calculator(enum condition_code code, union lanes *d, const union lanes *l, const union lanes *r);
static calculator *const calculators[] = {
    [TYPE_S32] = calculate_s32, [TYPE_U32] = calculate_u32, [TYPE_S64] = calculate_s64,
    [TYPE_U64] = calculate_u64, [TYPE_F32] = calculate_f32, [TYPE_F64] = calculate_f64,
};

static u32 nonzero(const union lanes *v, u32 bytes)
{
    u32 mask = 0;
    LANES
        mask |= (u32)(bytes == 8 ? v->d[i] != 0 : v->w[i] != 0) << i;
    return mask;
}

static bool is_unary(enum condition_code code) { return code == STEP_neg || code == STEP_not || code == STEP_lnot; }

/* The lanes that have the result. What && and || need not look at may be without value. */
static u32 lanes_of(const struct run *r, const struct condition_step *s, u32 at)
{
    const u32 bytes = condition_type_bytes((enum condition_type)s->type);
    const u32 left = r->has[at], right = r->has[r->depth - 1];
    switch ((enum condition_code)s->code) {
    case STEP_land:
        return left & (right | ~nonzero(r->stack[at], bytes));
    case STEP_lor:
        return left & (right | nonzero(r->stack[at], bytes));
    case STEP_div:
    case STEP_rem:
        return left & right & (s->type < TYPE_F32 ? nonzero(r->stack[r->depth - 1], bytes) : UINT32_MAX);
    default:
        return left & right;
    }
}

static void calculate(struct run *r, const struct condition_step *s)
{
    const enum condition_code code = (enum condition_code)s->code;
    const u32 at = r->depth - (is_unary(code) ? 1 : 2);
    const union lanes *right = r->stack[r->depth - 1];
    r->has[at] = lanes_of(r, s, at);
    /* a comparison of 64 bits writes 32 where its own operand may lie */
    union lanes d;
    calculators[s->type](code, &d, r->stack[at], right);
    r->room[at] = d;
    r->stack[at] = &r->room[at];
    r->depth = at + 1;
}

/* ---- conversions ---- */

/* As in C; a float out of range of the integer becomes its nearest, NaN 0. */
static i64 to_integer(f64 x) { return x != x ? 0 : x >= 0x1p63 ? INT64_MAX : x <= -0x1p63 ? INT64_MIN : (i64)x; }

static void convert_lane(union lanes *d, int i, enum condition_type to, enum condition_type from, const union lanes *v)
{
    const bool is_float = from >= TYPE_F32;
    const f64 real = from == TYPE_F32 ? (f64)v->f[i] : v->df[i];
    i64 x = is_float                               ? to_integer(real)
            : from == TYPE_S32                     ? v->sw[i]
            : from == TYPE_S64 || from == TYPE_U64 ? v->sd[i]
                                                   : (i64)v->w[i];
    if (from == TYPE_S8 || from == TYPE_U8)
        x = from == TYPE_S8 ? (i8)v->w[i] : (u8)v->w[i];
    if (from == TYPE_S16 || from == TYPE_U16)
        x = from == TYPE_S16 ? (i16)v->w[i] : (u16)v->w[i];
    const f64 y = is_float ? real : from == TYPE_U64 ? (f64)(u64)x : (f64)x;
    switch (to) {
    case TYPE_S8:
        d->sw[i] = (i8)x;
        break;
    case TYPE_U8:
        d->w[i] = (u8)x;
        break;
    case TYPE_S16:
        d->sw[i] = (i16)x;
        break;
    case TYPE_U16:
        d->w[i] = (u16)x;
        break;
    case TYPE_S32:
    case TYPE_U32:
        d->w[i] = (u32)x;
        break;
    case TYPE_S64:
        d->sd[i] = x;
        break;
    case TYPE_U64:
        d->d[i] = is_float && real >= 0x1p63 ? (real >= 0x1p64 ? UINT64_MAX : (u64)real) : (u64)x;
        break;
    case TYPE_F32:
        d->f[i] = from == TYPE_F32 ? v->f[i] : (f32)y;
        break;
    case TYPE_F64:
        d->df[i] = y;
        break;
    }
}

/* Between integers of 32 and 64 bits, what indices are made of. */
static bool convert_integers(union lanes *d, enum condition_type to, enum condition_type from, const union lanes *v)
{
    const bool wide = to == TYPE_S64 || to == TYPE_U64, was_wide = from == TYPE_S64 || from == TYPE_U64;
    if ((!wide && to != TYPE_S32 && to != TYPE_U32) || (!was_wide && from != TYPE_S32 && from != TYPE_U32))
        return false;
    if (wide && from == TYPE_S32)
        LANES
            d->sd[i] = v->sw[i];
    else if (wide && !was_wide)
        LANES
            d->d[i] = v->w[i];
    else if (was_wide && !wide)
        LANES
            d->w[i] = (u32)v->d[i];
    else if (wide)
        memcpy(d->d, v->d, sizeof d->d);
    else
        memcpy(d->w, v->w, sizeof d->w);
    return true;
}

static void convert(struct run *r, const struct condition_step *s)
{
    const u32 at = r->depth - 1;
    union lanes d;
    if (!convert_integers(&d, (enum condition_type)s->type, (enum condition_type)s->from, r->stack[at]))
        LANES
            convert_lane(&d, i, (enum condition_type)s->type, (enum condition_type)s->from, r->stack[at]);
    r->room[at] = d;
    r->stack[at] = &r->room[at];
}

static void choose(struct run *r, const struct condition_step *s)
{
    const u32 at = r->depth - 3;
    const union lanes *which = r->stack[at], *a = r->stack[at + 1], *b = r->stack[at + 2];
    union lanes d;
    LANES {
        if (condition_type_bytes((enum condition_type)s->type) == 8)
            d.d[i] = which->w[i] ? a->d[i] : b->d[i];
        else
            d.w[i] = which->w[i] ? a->w[i] : b->w[i];
    }
    const u32 first = nonzero(which, 4);
    r->has[at] &= (first & r->has[at + 1]) | (~first & r->has[at + 2]);
    r->room[at] = d;
    r->stack[at] = &r->room[at];
    r->depth = at + 1;
}

/* ---- values from the launch ---- */

static void push_register(struct run *r, const struct condition_step *s)
{
    u32 bytes;
    const void *at = look_register(r->at->frame, s->index, &bytes);
    union lanes *own = &r->room[r->depth];
    if (s->predicate) {
        u32 mask;
        memcpy(&mask, at, sizeof mask);
        LANES
            own->w[i] = mask >> i & 1;
        at = own;
    }
    push(r, at);
}

/* Cached: a variable is at one place for the whole grid. */
static void push_variable(struct run *r, struct condition_step *s)
{
    enum ptx_space space;
    u64 address, size;
    if (!s->found) {
        s->found = look_variable(r->at->w, r->at->frame, s->name, &space, &address, &size) ? 2 : 1;
        LANES
            s->constant->d[i] = s->found == 2 ? address : 0;
    }
    push(r, s->constant);
    if (s->found == 1)
        r->has[r->depth - 1] = 0;
}

static void push_special(struct run *r, const struct condition_step *s)
{
    look_special(r->at->w, (enum ptx_sreg)s->index, s->axis, r->room[r->depth].bytes);
    push(r, &r->room[r->depth]);
}

/* Memory around what the step reads: what it read last, or around the address. */
static struct look_span span_of(const struct run *r, struct condition_step *s, u64 address)
{
    struct look_span span = s->span;
    if (address - span.lo < span.hi - span.lo)
        return span;
    if (!look_span(r->at->mem, r->at->w, (enum ptx_space)s->space, address, &span))
        return (struct look_span){0};
    if (span.stays)
        s->span = span;
    return span;
}

/* Where a lane's load reads, or NULL. */
static const u8 *lane_memory(const struct run *r, const struct condition_step *s, int lane, u64 address, u32 bytes)
{
    const struct condition_place *at = r->at;
    const char *why;
    u8 *to;
    return look_memory(at->mem, at->w, at->frame, (unsigned)lane, (enum ptx_space)s->space, address, bytes, false, &to,
                       &why) < bytes
               ? NULL
               : to;
}

static inline void put_loaded(union lanes *d, int i, enum condition_type t, const u8 *from)
{
    i16 half;
    switch (t) {
    case TYPE_S8:
        d->sw[i] = (i8)*from;
        break;
    case TYPE_U8:
        d->w[i] = *from;
        break;
    case TYPE_S16:
    case TYPE_U16:
        memcpy(&half, from, sizeof half);
        d->sw[i] = t == TYPE_S16 ? half : (u16)half;
        break;
    case TYPE_S64:
    case TYPE_U64:
    case TYPE_F64:
        memcpy(&d->d[i], from, 8);
        break;
    default:
        memcpy(&d->w[i], from, 4);
        break;
    }
}

/* The lanes of mask, for one type, which is known where this is inlined. The result: lanes that have a value. */
static inline __attribute__((always_inline)) u32 load_lanes(struct run *r, struct condition_step *s, u32 mask,
                                                            const union lanes *address, bool wide,
                                                            enum condition_type t, u32 bytes, union lanes *d)
{
    struct look_span span = {0};
    u32 good = mask;
    for (u32 m = mask; m; m &= m - 1) {
        const int i = __builtin_ctz(m);
        const u64 a = wide ? address->d[i] : address->w[i];
        if (a - span.lo >= span.hi - span.lo)
            span = span_of(r, s, a);
        const bool inside = a - span.lo < span.hi - span.lo && span.hi - a >= bytes;
        const u8 *from = inside ? span.base + (u64)i * span.stride + (a - span.lo) : lane_memory(r, s, i, a, bytes);
        if (from)
            put_loaded(d, i, t, from);
        else
            good &= ~(1u << i);
    }
    return good;
}

static void load(struct run *r, struct condition_step *s)
{
    const enum condition_type t = (enum condition_type)s->type;
    const u32 at = r->depth - 1, bytes = condition_type_bytes(t);
    const bool wide = condition_type_bytes((enum condition_type)s->from) == 8;
    const union lanes *address = r->stack[at];
    union lanes d;
    memset(&d, 0, sizeof d);
    if (bytes == 4 && wide)
        r->has[at] = load_lanes(r, s, r->has[at], address, true, TYPE_U32, 4, &d);
    else if (bytes == 8 && wide)
        r->has[at] = load_lanes(r, s, r->has[at], address, true, TYPE_U64, 8, &d);
    else
        r->has[at] = load_lanes(r, s, r->has[at], address, wide, t, bytes, &d);
    r->room[at] = d;
    r->stack[at] = &r->room[at];
}

/* ---- running ---- */

static void run_step(struct run *r, struct condition_step *s)
{
    switch ((enum condition_code)s->code) {
    case STEP_reg:
        push_register(r, s);
        break;
    case STEP_special:
        push_special(r, s);
        break;
    case STEP_const:
        push(r, s->constant);
        break;
    case STEP_variable:
        push_variable(r, s);
        break;
    case STEP_load:
        load(r, s);
        break;
    case STEP_cvt:
        convert(r, s);
        break;
    case STEP_select:
        choose(r, s);
        break;
    default:
        calculate(r, s);
        break;
    }
}

static const union lanes *run(struct run *r, const struct condition *c)
{
    r->depth = 0;
    for (u32 k = 0; k < c->n; k++)
        run_step(r, &c->steps[k]);
    return r->stack[0];
}

u32 condition_run(const struct condition *c, const struct condition_place *at, u32 mask, union lanes *out)
{
    struct run r;
    r.at = at;
    r.mask = mask;
    const union lanes *v = run(&r, c);
    memcpy(out->bytes, v, condition_type_bytes((enum condition_type)c->type) * IR_LANES);
    return r.has[0];
}

u32 condition_holds(const struct condition *c, const struct condition_place *at, u32 mask)
{
    struct run r;
    r.at = at;
    r.mask = mask;
    const union lanes *v = run(&r, c);
    return r.has[0] & nonzero(v, condition_type_bytes((enum condition_type)c->type));
}

bool condition_constant(struct condition_step *steps, u32 n, union lanes *out)
{
    const struct condition c = {.n = n, .steps = steps};
    struct run r = {.mask = UINT32_MAX};
    const union lanes *v = run(&r, &c);
    if (r.has[0] == UINT32_MAX)
        *out = *v;
    return r.has[0] == UINT32_MAX;
}
