/* condition.c - from the steps of an expression to what condition_run.c runs: names are looked up, types are checked. */
#include "debug/agent/condition.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "debug/agent/words.h"

/* ---- names ---- */

static const struct {
    const char *name;
    u8 bytes;
} types[] = {[TYPE_S8] = {"s8", 1},   [TYPE_U8] = {"u8", 1},   [TYPE_S16] = {"s16", 2}, [TYPE_U16] = {"u16", 2},
             [TYPE_S32] = {"s32", 4}, [TYPE_U32] = {"u32", 4}, [TYPE_S64] = {"s64", 8}, [TYPE_U64] = {"u64", 8},
             [TYPE_F32] = {"f32", 4}, [TYPE_F64] = {"f64", 8}};

enum how { PUSH, LOAD, BINARY, COMPARE, UNARY, NEGATION, CONVERSION, SELECTION };

static const struct {
    const char *name;
    enum how how;
} steps[] = {
#define STEP(name, how) {#name, how},
    CONDITION_STEPS(STEP)
#undef STEP
};

bool condition_type_named(const char *name, enum condition_type *out)
{
    for (unsigned k = 0; name && k < LS_ARRAY_LEN(types); k++)
        if (strcmp(types[k].name, name) == 0) {
            *out = (enum condition_type)k;
            return true;
        }
    return false;
}

const char *condition_type_name(enum condition_type t) { return types[t].name; }

bool space_named(const char *name, enum ptx_space *out)
{
    static const struct {
        const char *name;
        enum ptx_space space;
    } spaces[] = {{"generic", SPACE_NONE}, {"global", SPACE_GLOBAL}, {"shared", SPACE_SHARED},
                  {"local", SPACE_LOCAL},  {"param", SPACE_PARAM},   {"const", SPACE_CONST}};
    for (unsigned k = 0; name && k < LS_ARRAY_LEN(spaces); k++)
        if (strcmp(spaces[k].name, name) == 0) {
            *out = spaces[k].space;
            return true;
        }
    return false;
}

bool special_named(const char *name, enum ptx_sreg *sreg, unsigned *axis)
{
    const char *dot = strchr(name, '.');
    const size_t n = dot ? (size_t)(dot - name) : strlen(name);
    *axis = dot && dot[1] >= 'x' && dot[1] <= 'z' && !dot[2] ? (unsigned)(dot[1] - 'x') : 0;
    for (unsigned k = 0; k < PTX_NSREGS; k++)
        if (strlen(ptx_sreg_rows[k].name) == n && memcmp(ptx_sreg_rows[k].name, name, n) == 0) {
            *sreg = (enum ptx_sreg)k;
            return true;
        }
    return false;
}

bool register_named(const struct ir_func *func, const char *name, u32 *index)
{
    for (u32 k = 0; k < func->src->nregs; k++)
        if (strcmp(func->src->regs[k]->name, name) == 0) {
            *index = k;
            return true;
        }
    return false;
}

/* ---- compiling ---- */

struct compile {
    struct condition *out;
    const struct ir_func *func;
    u8 stack[CONDITION_DEPTH]; /* types */
    u32 depth;
    char *why;
};

static bool LS_PRINTF(2, 3) fail(struct compile *c, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(c->why, 200, fmt, args);
    va_end(args);
    return false;
}

/* 8 and 16 bits are loaded as 32. */
static enum condition_type widened(enum condition_type t) { return t < TYPE_S32 ? TYPE_S32 : t; }

static bool push(struct compile *c, enum condition_type t)
{
    if (c->depth == CONDITION_DEPTH)
        return fail(c, "the expression needs more than %d places of the stack", CONDITION_DEPTH);
    c->stack[c->depth++] = (u8)widened(t);
    return true;
}

static bool pop(struct compile *c, enum condition_type *t)
{
    *t = TYPE_S32;
    if (!c->depth)
        return fail(c, "a step finds too few values on the stack");
    *t = (enum condition_type)c->stack[--c->depth];
    return true;
}

/* A value of the type's size: the sign, and whether it is a float, are the step's to say. */
static bool pop_sized(struct compile *c, enum condition_type want)
{
    enum condition_type t = TYPE_S32;
    if (!pop(c, &t))
        return false;
    if (types[t].bytes != types[widened(want)].bytes)
        return fail(c, "a step of type %s finds a value of type %s", types[want].name, types[t].name);
    return true;
}

static bool type_of(struct compile *c, const json_t *word, enum condition_type *out)
{
    *out = TYPE_S32;
    return condition_type_named(json_string_value(word), out) || fail(c, "a step needs the name of a type");
}

static bool make_register(struct compile *c, struct condition_step *s, const char *name)
{
    if (!name || !register_named(c->func, name, &s->index))
        return fail(c, "%s has no register %.60s", c->func->name, name ? name : "without a name");
    const u32 bits = ptx_type_bits(c->func->src->regs[s->index]->type);
    s->predicate = c->func->src->regs[s->index]->type == PTX_PRED;
    if (bits > 64)
        return fail(c, "%.60s has more than 64 bits", name);
    return push(c, bits > 32 ? TYPE_U64 : TYPE_U32);
}

static bool make_special(struct compile *c, struct condition_step *s, const char *name)
{
    enum ptx_sreg sreg;
    unsigned axis;
    if (!name || !special_named(name, &sreg, &axis) || ptx_sreg_rows[sreg].scope == SREG_SCOPE_MOVING ||
        ptx_sreg_rows[sreg].scope == SREG_SCOPE_NONE)
        return fail(c, "there is no special register %.60s to be read here", name ? name : "without a name");
    s->index = sreg;
    s->axis = (u8)axis;
    return push(c, ptx_type_bits(ptx_sreg_rows[sreg].type) > 32 ? TYPE_U64 : TYPE_U32);
}

/* The address is looked up where the condition runs first: it is the same for the whole grid. */
static bool make_variable(struct compile *c, struct condition_step *s, const char *name)
{
    if (!name)
        return fail(c, "a variable has a name");
    s->name = ls_realloc(NULL, strlen(name) + 1);
    s->constant = word_aligned(sizeof *s->constant);
    if (!s->name || !s->constant)
        return fail(c, "no memory");
    memcpy(s->name, name, strlen(name) + 1);
    return push(c, TYPE_U64);
}

static bool constant_bits(const json_t *value, enum condition_type t, u64 *bits)
{
    if (json_is_string(value) || (json_is_integer(value) && t < TYPE_F32))
        return word_u64(value, bits);
    if (!json_is_number(value))
        return false;
    const f64 number = json_number_value(value);
    const f32 narrow = (f32)number;
    u32 low;
    if (t < TYPE_F32)
        return false;
    memcpy(bits, &number, sizeof number);
    memcpy(&low, &narrow, sizeof low);
    *bits = t == TYPE_F32 ? low : *bits;
    return true;
}

static bool make_constant(struct compile *c, struct condition_step *s, const json_t *step)
{
    enum condition_type t;
    u64 bits;
    if (!type_of(c, json_array_get(step, 1), &t))
        return false;
    if (!constant_bits(json_array_get(step, 2), t, &bits))
        return fail(c, "the value of a constant is a number, or its bits as text: \"0x3f\"");
    if (!(s->constant = word_aligned(sizeof *s->constant)))
        return fail(c, "no memory");
    for (u32 i = 0; i < IR_LANES; i++)
        if (types[widened(t)].bytes == 8)
            s->constant->d[i] = bits;
        else
            s->constant->w[i] = (u32)bits;
    return push(c, t);
}

static bool make_push(struct compile *c, struct condition_step *s, const json_t *step)
{
    const char *name = json_string_value(json_array_get(step, 1));
    return s->code == STEP_reg        ? make_register(c, s, name)
           : s->code == STEP_special  ? make_special(c, s, name)
           : s->code == STEP_variable ? make_variable(c, s, name)
                                      : make_constant(c, s, step);
}

static bool make_load(struct compile *c, struct condition_step *s, const json_t *step)
{
    enum ptx_space space;
    enum condition_type t, address;
    if (!space_named(json_string_value(json_array_get(step, 1)), &space))
        return fail(c, "a load needs the name of a space");
    if (!type_of(c, json_array_get(step, 2), &t) || !pop(c, &address))
        return false;
    s->space = (u8)space;
    s->type = (u8)t;
    s->from = (u8)address;
    return push(c, t);
}

static bool make_conversion(struct compile *c, struct condition_step *s, const json_t *step)
{
    enum condition_type to, from = TYPE_S32;
    if (!type_of(c, json_array_get(step, 1), &to) || !type_of(c, json_array_get(step, 2), &from) || !pop_sized(c, from))
        return false;
    s->type = (u8)to;
    s->from = (u8)from;
    return push(c, to);
}

static bool make_selection(struct compile *c, struct condition_step *s)
{
    enum condition_type a, b;
    if (!pop(c, &b) || !pop(c, &a) || !pop_sized(c, TYPE_S32))
        return false;
    if (types[a].bytes != types[b].bytes)
        return fail(c, "both sides of a select have one size");
    s->type = (u8)a;
    return push(c, a);
}

static bool make_arithmetic(struct compile *c, struct condition_step *s, const json_t *step)
{
    const enum how how = steps[s->code].how;
    enum condition_type t;
    if (!type_of(c, json_array_get(step, 1), &t))
        return false;
    const bool bitwise = s->code == STEP_and || s->code == STEP_or || s->code == STEP_xor || s->code == STEP_shl ||
                         s->code == STEP_shr || s->code == STEP_not || s->code == STEP_rem;
    if (t < TYPE_S32 || (bitwise && t >= TYPE_F32))
        return fail(c, "%s has no type %s", steps[s->code].name, types[t].name);
    s->type = (u8)t;
    if ((how == BINARY || how == COMPARE) && !pop_sized(c, t))
        return false;
    return pop_sized(c, t) && push(c, how == COMPARE || how == NEGATION ? TYPE_S32 : t);
}

static bool make_step(struct compile *c, struct condition_step *s, const json_t *step)
{
    const char *name = json_string_value(json_array_get(step, 0));
    unsigned code = 0;
    while (name && code < STEP_COUNT && strcmp(steps[code].name, name) != 0)
        code++;
    if (!name || code == STEP_COUNT)
        return fail(c, "a step begins with its name, which %.60s is not", name ? name : "nothing");
    s->code = (u8)code;
    switch (steps[code].how) {
    case PUSH:
        return make_push(c, s, step);
    case LOAD:
        return make_load(c, s, step);
    case CONVERSION:
        return make_conversion(c, s, step);
    case SELECTION:
        return make_selection(c, s);
    default:
        return make_arithmetic(c, s, step);
    }
}

/* ---- constants ---- */

/* How many values a step takes that only computes; 0: it is another. */
static u32 takes(const struct condition_step *s)
{
    switch ((enum condition_code)s->code) {
    case STEP_reg:
    case STEP_special:
    case STEP_variable:
    case STEP_const:
    case STEP_load:
    case STEP_select:
        return 0;
    case STEP_cvt:
    case STEP_neg:
    case STEP_not:
    case STEP_lnot:
        return 1;
    default:
        return 2;
    }
}

static bool all_constant(const struct condition_step *s, u32 n)
{
    for (u32 k = 0; k < n; k++)
        if (s[k].code != STEP_const)
            return false;
    return true;
}

/* What is computed of constants alone is computed here. */
static void fold(struct condition *c)
{
    u32 n = 0;
    for (u32 k = 0; k < c->n; k++) {
        c->steps[n++] = c->steps[k];
        const u32 m = takes(&c->steps[n - 1]);
        struct condition_step *first = &c->steps[n - 1 - m];
        if (!m || !all_constant(first, m) || !condition_constant(first, m + 1, first->constant))
            continue;
        if (m == 2)
            word_aligned_free(first[1].constant);
        n -= m;
    }
    c->n = n;
}

struct condition *condition_compile(const json_t *text, const struct ir_func *func, char why[200])
{
    struct compile c = {.func = func, .why = why};
    const size_t n = json_array_size(text);
    bool ok = n > 0 && n <= CONDITION_STEPS_MOST;
    snprintf(why, 200, "an expression is a list of 1 to %d steps", CONDITION_STEPS_MOST);
    c.out = ls_calloc(1, sizeof *c.out);
    if (c.out && ok)
        c.out->steps = ls_calloc(n, sizeof *c.out->steps);
    if (!c.out || (ok && !c.out->steps))
        ok = fail(&c, "no memory");
    for (size_t k = 0; ok && k < n; k++) {
        c.out->n = (u32)k + 1;
        ok = make_step(&c, &c.out->steps[k], json_array_get(text, k));
    }
    if (ok && c.depth != 1)
        ok = fail(&c, "the expression leaves %u values, not one", c.depth);
    if (ok) {
        c.out->type = c.stack[0];
        fold(c.out);
        return c.out;
    }
    condition_free(c.out);
    return NULL;
}

void condition_free(struct condition *c)
{
    for (u32 k = 0; c && k < c->n; k++)
        word_aligned_free(c->steps[k].constant), ls_free(c->steps[k].name);
    if (c)
        ls_free(c->steps);
    ls_free(c);
}
