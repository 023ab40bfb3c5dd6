/* value.c - see value.h: from locations to bytes and back. */
#include "debug/info/value.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { VALUE_BYTES = 1 << 20 }; /* larger values are not read whole */

bool debug_fail(struct debug_context *c, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    c->error = arena_strndup(c->mem, text, strlen(text));
    return false;
}

static bool cannot_access(struct debug_context *c, u64 address)
{
    return debug_fail(c, "Cannot access memory at address 0x%llx", (unsigned long long)address);
}

static u64 size_of(const struct debug_type *t) { return t ? t->size : 0; }

/* ---- making values ---- */

struct debug_value debug_value_in_memory(const struct debug_type *t, enum ptx_space space, u64 address)
{
    return (struct debug_value){.type = t, .where = DEBUG_IN_MEMORY, .space = (u8)space, .address = address};
}

struct debug_value debug_value_bytes(struct debug_context *c, const struct debug_type *t, const void *bytes)
{
    struct debug_value v = {.type = t, .bytes = arena_alloc(c->mem, size_of(t) + 1)};
    memcpy(v.bytes, bytes, size_of(t));
    return v;
}

struct debug_value debug_value_number(struct debug_context *c, const struct debug_type *t, u64 bits)
{
    struct debug_value v = {.type = t, .bytes = arena_alloc(c->mem, size_of(t) + 8)};
    memcpy(v.bytes, &bits, sizeof bits);
    if (size_of(t) < 8)
        memset(v.bytes + size_of(t), 0, 8);
    return v;
}

/* A piece whose size is not said is as large as what is left. */
static u64 piece_size(const struct debug_piece *p, u64 left) { return p->size && p->size < left ? p->size : left; }

static u64 register_bytes(const struct ptx_var *reg)
{
    const u64 bits = (u64)ptx_type_bits((enum ptx_type)reg->type) * (reg->vec ? reg->vec : 1);
    return bits < 8 ? 1 : bits / 8;
}

static bool read_register(struct debug_context *c, const struct ptx_var *reg, u8 to[DEBUG_REGISTER_BYTES])
{
    memset(to, 0, DEBUG_REGISTER_BYTES);
    return c->target && c->target->read_register &&
           c->target->read_register(c->target->self, &c->thread, reg, to) == LS_OK;
}

/* Where a piece in memory is. */
static bool piece_address(struct debug_context *c, const struct debug_piece *p, u64 *address)
{
    u64 base = 0;
    u8 bytes[DEBUG_REGISTER_BYTES];
    if (p->var) {
        if (!c->target || c->target->address_of(c->target->self, &c->thread, p->var, &base) != LS_OK)
            return false;
    } else if (p->reg) {
        if (!read_register(c, p->reg, bytes))
            return false;
        memcpy(&base, bytes, sizeof base);
    }
    *address = base + (u64)p->offset;
    return true;
}

static bool read_memory(struct debug_context *c, enum ptx_space space, u64 address, void *to, u64 len)
{
    return c->target && c->target->read_memory &&
           c->target->read_memory(c->target->self, &c->thread, space, address, to, len) == LS_OK;
}

/* False: it is lost. */
static bool read_piece(struct debug_context *c, const struct debug_piece *p, u8 *to, u64 len)
{
    u8 bytes[DEBUG_REGISTER_BYTES] = {0};
    u64 address, number;
    switch (p->kind) {
    case DEBUG_REGISTER:
        if (len > sizeof bytes || !read_register(c, p->reg, bytes))
            return false;
        memcpy(to, bytes, len);
        return true;
    case DEBUG_MEMORY:
        return piece_address(c, p, &address) && read_memory(c, (enum ptx_space)p->space, address, to, len);
    case DEBUG_VALUE:
        if (p->bytes) {
            memcpy(to, p->bytes, len < p->nbytes ? len : p->nbytes);
            return len <= p->nbytes;
        }
        if (!piece_address(c, p, &number) || len > sizeof number)
            return false;
        memcpy(to, &number, len);
        return true;
    default:
        return false;
    }
}

static void read_pieces(struct debug_context *c, struct debug_value *v)
{
    const u64 size = size_of(v->type);
    u64 at = 0;
    v->bytes = arena_alloc(c->mem, size + 8);
    for (u32 k = 0; k < v->location.n && at < size; k++) {
        const u64 len = piece_size(&v->location.pieces[k], size - at);
        if (!read_piece(c, &v->location.pieces[k], v->bytes + at, len)) {
            if (!v->lost)
                v->lost = arena_alloc(c->mem, size + 1);
            memset(v->lost + at, 1, len);
        }
        at += len;
    }
    if (at < size) {
        if (!v->lost)
            v->lost = arena_alloc(c->mem, size + 1);
        memset(v->lost + at, 1, size - at);
    }
}

struct debug_value debug_value_of(struct debug_context *c, const struct debug_variable *variable)
{
    struct debug_value v = {.type = variable->type, .where = DEBUG_IN_PIECES};
    v.location = debug_location(c->info, variable, c->at);
    const struct debug_piece *p = &v.location.pieces[0];
    u64 address;
    if (v.location.n == 1 && p->kind == DEBUG_MEMORY && piece_address(c, p, &address))
        return debug_value_in_memory(v.type, (enum ptx_space)p->space, address);
    if (size_of(v.type) <= VALUE_BYTES)
        read_pieces(c, &v);
    else
        v.unreadable = true;
    return v;
}

static const struct debug_type *register_type(struct debug_context *c, const struct ptx_var *reg)
{
    const enum ptx_type t = (enum ptx_type)reg->type;
    const u64 bytes = ptx_type_bits(t) < 8 ? 1 : ptx_type_bits(t) / 8;
    enum debug_encoding e = DEBUG_UNSIGNED;
    if (ptx_type_class(t) == 'P')
        e = DEBUG_BOOL;
    else if (ptx_type_class(t) == 'F' && bytes >= 4)
        e = DEBUG_FLOAT;
    else if (ptx_type_class(t) == 'S' || ptx_type_class(t) == 'B')
        e = DEBUG_SIGNED;
    const struct debug_type *one = debug_type_base(c->info, e, bytes);
    return reg->vec > 1 ? debug_type_array(c->info, one, reg->vec) : one;
}

struct debug_value debug_value_register(struct debug_context *c, const struct ptx_var *reg)
{
    struct debug_piece *p = arena_new(c->mem, struct debug_piece);
    *p = (struct debug_piece){.kind = DEBUG_REGISTER, .reg = reg, .size = register_bytes(reg)};
    struct debug_value v = {.type = register_type(c, reg), .where = DEBUG_IN_PIECES, .location = {1, p}};
    read_pieces(c, &v);
    return v;
}

/* ---- parts ---- */

struct debug_value debug_value_part(struct debug_context *c, const struct debug_value *v, const struct debug_type *t,
                                    u64 offset)
{
    struct debug_value part = *v;
    part.type = t;
    part.bits = part.bit = 0;
    part.address += offset;
    part.at += offset;
    const u64 whole = size_of(v->type);
    if (v->bytes && (offset > whole || size_of(t) > whole - offset)) { /* what is outside is not there */
        part.bytes = part.lost = NULL;
        part.unreadable = v->where != DEBUG_IN_MEMORY;
    } else if (v->bytes) {
        part.bytes = v->bytes + offset;
        part.lost = v->lost ? v->lost + offset : NULL;
    }
    (void)c;
    return part;
}

/* The bytes that hold a bit-field. */
static u64 field_bytes(const struct debug_value *v) { return (v->bit + v->bits + 7) / 8; }

static u64 take_bits(const struct debug_value *v, const u8 *bytes)
{
    unsigned __int128 all = 0;
    memcpy(&all, bytes, field_bytes(v));
    u64 x = (u64)(all >> v->bit);
    if (v->bits < 64) {
        x &= ((u64)1 << v->bits) - 1;
        if (debug_is_signed(v->type) && x >> (v->bits - 1))
            x |= ~(u64)0 << v->bits;
    }
    return x;
}

struct debug_value debug_value_member(struct debug_context *c, const struct debug_value *v,
                                      const struct debug_member *m)
{
    struct debug_value part = debug_value_part(c, v, m->type, m->offset);
    if (!m->bits)
        return part;
    part.bits = m->bits;
    part.bit = m->bit;
    part.bytes = part.lost = NULL;
    if (v->bytes) {
        if (m->offset > size_of(v->type) || field_bytes(&part) > size_of(v->type) - m->offset) {
            part.unreadable = true;
            return part;
        }
        const u64 x = take_bits(&part, v->bytes + m->offset);
        part.bytes = debug_value_number(c, m->type, x).bytes;
        part.lost = NULL;
        for (u64 k = 0; v->lost && k < field_bytes(&part); k++)
            if (v->lost[m->offset + k]) {
                part.lost = arena_alloc(c->mem, size_of(m->type) + 1);
                memset(part.lost, 1, size_of(m->type));
            }
    }
    return part;
}

/* ---- reading and writing ---- */

bool debug_value_lost(const struct debug_value *v)
{
    for (u64 k = 0; v->lost && k < size_of(v->type); k++)
        if (v->lost[k])
            return true;
    return false;
}

static bool fetch_memory(struct debug_context *c, struct debug_value *v)
{
    const u64 size = v->bits ? field_bytes(v) : size_of(v->type);
    if (size > VALUE_BYTES)
        return debug_fail(c, "value requires %llu bytes, which is more than max-value-size", (unsigned long long)size);
    u8 *bytes = arena_alloc(c->mem, size + 16);
    if (size && !read_memory(c, (enum ptx_space)v->space, v->address, bytes, size)) {
        v->unreadable = true;
        return cannot_access(c, v->address);
    }
    v->bytes = v->bits ? debug_value_number(c, v->type, take_bits(v, bytes)).bytes : bytes;
    return true;
}

bool debug_value_fetch(struct debug_context *c, struct debug_value *v)
{
    if (v->unreadable)
        return cannot_access(c, v->address);
    if (!v->bytes && v->where == DEBUG_IN_MEMORY)
        return fetch_memory(c, v);
    if (!v->bytes || debug_value_lost(v))
        return debug_fail(c, "value has been optimized out");
    return true;
}

static bool store_memory(struct debug_context *c, enum ptx_space space, u64 address, const u8 *bytes, u64 len)
{
    if (!c->target->write_memory ||
        c->target->write_memory(c->target->self, &c->thread, space, address, bytes, len) != LS_OK)
        return cannot_access(c, address);
    return true;
}

static bool store_field(struct debug_context *c, const struct debug_value *v, const u8 *bytes)
{
    u8 around[16] = {0};
    u64 x = 0;
    unsigned __int128 all = 0, mask = ((unsigned __int128)1 << v->bits) - 1;
    const u64 n = field_bytes(v);
    if (v->where != DEBUG_IN_MEMORY)
        return debug_fail(c, "Cannot change a bit-field in a register");
    if (!read_memory(c, (enum ptx_space)v->space, v->address, around, n))
        return cannot_access(c, v->address);
    memcpy(&x, bytes, size_of(v->type) < 8 ? size_of(v->type) : 8);
    memcpy(&all, around, n);
    all = (all & ~(mask << v->bit)) | (((unsigned __int128)x & mask) << v->bit);
    memcpy(around, &all, n);
    return store_memory(c, (enum ptx_space)v->space, v->address, around, n);
}

static bool store_piece(struct debug_context *c, const struct debug_piece *p, u64 offset, const u8 *bytes, u64 len)
{
    u8 reg[DEBUG_REGISTER_BYTES];
    u64 address;
    if (p->kind == DEBUG_MEMORY && piece_address(c, p, &address))
        return store_memory(c, (enum ptx_space)p->space, address + offset, bytes, len);
    if (p->kind != DEBUG_REGISTER || !c->target->write_register || offset + len > sizeof reg)
        return debug_fail(c, "Cannot change a value that has been optimized out");
    if (!read_register(c, p->reg, reg))
        memset(reg, 0, sizeof reg);
    memcpy(reg + offset, bytes, len);
    if (c->target->write_register(c->target->self, &c->thread, p->reg, reg) != LS_OK)
        return debug_fail(c, "Cannot change register %s", p->reg->name);
    return true;
}

/* Each piece takes what of [at, at + len) lies in it. */
static bool store_pieces(struct debug_context *c, const struct debug_value *v, const u8 *bytes, u64 len)
{
    u64 from = 0;
    for (u32 k = 0; k < v->location.n; k++) {
        const struct debug_piece *p = &v->location.pieces[k];
        const u64 size = p->size ? p->size : UINT64_MAX - from;
        const u64 low = v->at > from ? v->at : from;
        const u64 high = v->at + len < from + size ? v->at + len : from + size;
        if (low < high && !store_piece(c, p, low - from, bytes + (low - v->at), high - low))
            return false;
        from += size;
    }
    return true;
}

bool debug_value_store(struct debug_context *c, const struct debug_value *v, const void *bytes)
{
    if (!c->target)
        return debug_fail(c, "The program is not being run.");
    if (v->where == DEBUG_NOWHERE)
        return debug_fail(c, "Left operand of assignment is not an lvalue.");
    if (!c->may_write)
        return debug_fail(c, "Values cannot be changed here.");
    if (v->bits)
        return store_field(c, v, bytes);
    if (v->where == DEBUG_IN_MEMORY)
        return store_memory(c, (enum ptx_space)v->space, v->address, bytes, size_of(v->type));
    return store_pieces(c, v, bytes, size_of(v->type));
}

/* ---- numbers ---- */

bool debug_is_signed(const struct debug_type *t)
{
    t = debug_type_strip(t);
    return t && (t->kind == DEBUG_BASE || t->kind == DEBUG_ENUM) &&
           (t->encoding == DEBUG_SIGNED || t->encoding == DEBUG_CHAR);
}

u64 debug_value_bits(const struct debug_value *v)
{
    const u64 n = size_of(v->type) < 8 ? size_of(v->type) : 8;
    u64 x = 0;
    if (v->bytes)
        memcpy(&x, v->bytes, n);
    if (n && n < 8 && debug_is_signed(v->type) && x >> (8 * n - 1))
        x |= ~(u64)0 << (8 * n);
    return x;
}

/* IEEE 754 binary16 */
static f64 half(u16 h)
{
    const int exponent = h >> 10 & 31, fraction = h & 1023;
    f64 x = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    if (exponent == 31)
        x = fraction ? (f64)NAN : (f64)INFINITY;
    return h >> 15 ? -x : x;
}

f64 debug_value_float(const struct debug_value *v)
{
    f32 f;
    f64 d;
    if (!v->bytes)
        return 0;
    switch (size_of(v->type)) {
    case 2:
        return half((u16)(v->bytes[0] | v->bytes[1] << 8));
    case 4:
        memcpy(&f, v->bytes, sizeof f);
        return (f64)f;
    case 8:
        memcpy(&d, v->bytes, sizeof d);
        return d;
    default:
        return 0;
    }
}
