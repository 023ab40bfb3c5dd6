/* print.c - values as text, as gdb writes them: {x = 1, y = 2}, {0 <repeats 32 times>}, 97 'a', 0x7f00 "text". */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "debug/info/value.h"

struct printer {
    struct debug_context *c;
    struct debug_format f;
    VEC(char) out;
    u32 depth;
};

enum { DEPTH = 32, TEXT_BYTES = 1 << 20, ELEMENTS = 200, REPEATS = 10 };

static void put(struct printer *p, const char *s)
{
    for (; *s && p->out.len < TEXT_BYTES; s++)
        vec_push(p->c->mem, &p->out, *s);
}

static void putf(struct printer *p, const char *fmt, ...) LS_PRINTF(2, 3);
static void putf(struct printer *p, const char *fmt, ...)
{
    char text[160];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    put(p, text);
}

static void print(struct printer *p, struct debug_value v, bool top);

/* ---- characters ---- */

static bool is_char(const struct debug_type *t)
{
    t = debug_type_strip(t);
    return t && t->kind == DEBUG_BASE && t->size == 1 && (t->encoding == DEBUG_CHAR || t->encoding == DEBUG_UCHAR);
}

static void put_char(struct printer *p, u8 c, char quote)
{
    static const char from[] = "\a\b\t\n\v\f\r", to[] = "abtnvfr";
    const char *k = c ? strchr(from, c) : NULL;
    if (k)
        putf(p, "\\%c", to[k - from]);
    else if (c == (u8)quote || c == '\\')
        putf(p, "\\%c", c);
    else if (c < 32 || c > 126)
        putf(p, "\\%03o", c);
    else
        putf(p, "%c", c);
}

static u64 run_length(const u8 *s, u64 n)
{
    u64 k = 1;
    while (k < n && s[k] == s[0])
        k++;
    return k;
}

/* "abc", '\000' <repeats 20 times>, "de"... */
static void put_string(struct printer *p, const u8 *s, u64 n, bool more)
{
    bool open = false;
    u64 printed = 0;
    if (n == 0)
        put(p, "\"\"");
    for (u64 i = 0, run; i < n; i += run) {
        if (printed >= p->f.elements) {
            more = true;
            break;
        }
        run = run_length(s + i, n - i);
        if (run > p->f.repeats) {
            put(p, open ? "\", '" : i ? ", '" : "'");
            put_char(p, s[i], '\'');
            putf(p, "' <repeats %llu times>", (unsigned long long)run);
            printed += p->f.repeats;
            open = false;
            continue;
        }
        run = 1;
        if (!open)
            put(p, i ? ", \"" : "\"");
        open = true;
        put_char(p, s[i], '"');
        printed++;
    }
    put(p, open ? "\"" : "");
    put(p, more ? "..." : "");
}

/* What a pointer to characters points to, up to its end or the limit. */
static void put_pointed(struct printer *p, enum ptx_space space, u64 address)
{
    const struct debug_target *t = p->c->target;
    u8 *s = arena_alloc(p->c->mem, p->f.elements + 1);
    u64 n = 0;
    bool end = false;
    for (; n < p->f.elements && !end; n += !end) {
        if (!t || t->read_memory(t->self, &p->c->thread, space, address + n, s + n, 1) != LS_OK)
            break;
        end = s[n] == 0;
    }
    if (n == 0 && !end) {
        putf(p, "<error: Cannot access memory at address 0x%llx>", (unsigned long long)address);
        return;
    }
    put_string(p, s, n, !end);
}

/* ---- numbers ---- */

static bool is_float_size(u64 size) { return size == 2 || size == 4 || size == 8; }

static void put_float(struct printer *p, const struct debug_value *v)
{
    const u64 size = v->type->size;
    const f64 x = debug_value_float(v);
    u64 raw = 0;
    memcpy(&raw, v->bytes, size < 8 ? size : 8);
    const u32 fraction = size == 8 ? 52 : size == 4 ? 23 : 10;
    const char *sign = raw >> (8 * size - 1) ? "-" : "";
    if (isnan(x))
        putf(p, "%snan(0x%llx)", sign, (unsigned long long)(raw & (((u64)1 << fraction) - 1)));
    else if (isinf(x))
        putf(p, "%sinf", sign);
    else
        putf(p, "%.*g", size == 8 ? 17 : size == 4 ? 9 : 5, x);
}

static void put_binary(struct printer *p, u64 x)
{
    char digits[65];
    u32 n = 64;
    digits[64] = 0;
    do
        digits[--n] = (char)('0' + (x & 1));
    while (x >>= 1);
    put(p, digits + n);
}

/* As a letter says: the bits of the value, whatever its type. */
static void put_formatted(struct printer *p, const struct debug_value *v, char letter)
{
    const u64 size = v->type->size;
    const u64 all = debug_value_bits(v), raw = size < 8 ? all & (((u64)1 << (8 * size)) - 1) : all;
    const u32 unused = size < 8 ? 64 - 8 * (u32)size : 0;
    const i64 number = (i64)(raw << unused) >> unused;
    switch (letter) {
    case 'd':
        putf(p, "%lld", (long long)number);
        break;
    case 'u':
        putf(p, "%llu", (unsigned long long)raw);
        break;
    case 'o':
        putf(p, raw ? "0%llo" : "%llo", (unsigned long long)raw);
        break;
    case 't':
        put_binary(p, raw);
        break;
    case 'z':
        putf(p, "0x%0*llx", (int)size * 2, (unsigned long long)raw);
        break;
    case 'c':
        putf(p, "%d '", (i8)raw);
        put_char(p, (u8)raw, '\'');
        put(p, "'");
        break;
    default:
        putf(p, "0x%llx", (unsigned long long)raw);
    }
}

static void put_base(struct printer *p, const struct debug_value *v)
{
    const struct debug_type *t = debug_type_strip(v->type);
    const u64 bits = debug_value_bits(v);
    if (t->size > 8) {
        put(p, "0x");
        for (u64 k = t->size; k-- > 0;)
            putf(p, "%02x", v->bytes[k]);
    } else if (t->encoding == DEBUG_FLOAT && is_float_size(t->size)) {
        put_float(p, v);
    } else if (t->encoding == DEBUG_BOOL && bits <= 1) {
        put(p, bits ? "true" : "false");
    } else if (is_char(t)) {
        putf(p, t->encoding == DEBUG_CHAR ? "%lld '" : "%llu '", (unsigned long long)bits);
        put_char(p, (u8)bits, '\'');
        put(p, "'");
    } else if (t->encoding == DEBUG_SIGNED || t->encoding == DEBUG_CHAR) {
        putf(p, "%lld", (long long)bits);
    } else {
        putf(p, "%llu", (unsigned long long)bits);
    }
}

/* The name of the value; if it has none and the enumerators are bits, those that make it. */
static void put_enum(struct printer *p, const struct debug_value *v)
{
    const struct debug_type *t = debug_type_strip(v->type);
    const struct debug_members *m = debug_members(p->c->info, t);
    const u64 mask = t->size < 8 ? ((u64)1 << (8 * t->size)) - 1 : ~(u64)0;
    const u64 bits = debug_value_bits(v) & mask;
    u64 left = bits;
    bool flags = m->n > 0, any = false;
    for (u32 k = 0; k < m->n; k++) {
        const u64 x = (u64)m->at[k].value & mask;
        if (x == bits) {
            put(p, m->at[k].name);
            return;
        }
        flags &= (x & (x - 1)) == 0;
    }
    if (!flags || bits == 0) {
        putf(p, "%lld", (long long)debug_value_bits(v));
        return;
    }
    for (u32 k = 0; k < m->n; k++) {
        const u64 x = (u64)m->at[k].value & mask;
        if (x && (left & x) == x) {
            putf(p, "%s", any ? " | " : "(");
            put(p, m->at[k].name);
            any = true;
            left &= ~x;
        }
    }
    if (left || !any)
        putf(p, "%sunknown: 0x%llx", any ? " | " : "(", (unsigned long long)left);
    put(p, ")");
}

/* ---- pointers ---- */

static void put_type(struct printer *p, const struct debug_type *t)
{
    put(p, "(");
    put(p, debug_type_name(p->c->info, t));
    put(p, ") ");
}

static void put_pointer(struct printer *p, const struct debug_value *v, bool top)
{
    const struct debug_type *t = debug_type_strip(v->type);
    const u64 address = debug_value_bits(v);
    const bool text = is_char(t->target);
    const struct debug_type *to = debug_type_strip(t->target);
    if ((top && !text) || (to && to->kind == DEBUG_FUNCTION))
        put_type(p, v->type);
    putf(p, "0x%llx", (unsigned long long)address);
    if (text && address) {
        put(p, " ");
        put_pointed(p, (enum ptx_space)t->space, address);
    }
}

static void put_reference(struct printer *p, const struct debug_value *v, bool top)
{
    const struct debug_type *t = debug_type_strip(v->type);
    if (top)
        put_type(p, v->type);
    putf(p, "@0x%llx: ", (unsigned long long)debug_value_bits(v));
    print(p, debug_value_in_memory(t->target, (enum ptx_space)t->space, debug_value_bits(v)), false);
}

/* ---- aggregates ---- */

static bool same_element(const struct debug_value *a, const struct debug_value *b, u64 size)
{
    return memcmp(a->bytes, b->bytes, size) == 0 && (!a->lost || (memcmp(a->lost, b->lost, size) == 0));
}

static void put_elements(struct printer *p, const struct debug_value *v, const struct debug_type *t, u64 count,
                         bool more)
{
    const u64 size = t->target ? t->target->size : 0;
    u64 printed = 0;
    put(p, "{");
    for (u64 i = 0, run; i < count; i += run) {
        const struct debug_value e = debug_value_part(p->c, v, t->target, i * size);
        if (i)
            put(p, ", ");
        if (printed >= p->f.elements || p->out.len >= TEXT_BYTES) {
            put(p, "...");
            more = false;
            break;
        }
        for (run = 1; i + run < count; run++) {
            const struct debug_value next = debug_value_part(p->c, v, t->target, (i + run) * size);
            if (!same_element(&e, &next, size))
                break;
        }
        print(p, e, false);
        if (run > p->f.repeats) {
            putf(p, " <repeats %llu times>", (unsigned long long)run);
            printed += p->f.repeats;
        } else {
            run = 1;
            printed++;
        }
    }
    put(p, more ? ", ...}" : "}");
}

static void put_array(struct printer *p, const struct debug_value *v)
{
    const struct debug_type *t = debug_type_strip(v->type);
    u64 n = t->count;
    if (is_char(t->target) && !p->f.letter) {
        const bool whole = n <= p->f.elements;
        if (whole && n && v->bytes[n - 1] == 0)
            n--;
        put_string(p, v->bytes, n, false);
        return;
    }
    put_elements(p, v, t, n, false);
}

/* The name of a class behind nvcc's __b_4Base too. */
static const char *base_name(const struct debug_member *m)
{
    const struct debug_type *t = debug_type_strip(m->type);
    return t && t->name ? t->name : m->name;
}

static void put_struct(struct printer *p, const struct debug_value *v)
{
    const struct debug_members *m = debug_members(p->c->info, debug_type_strip(v->type));
    put(p, "{");
    for (u32 k = 0; k < m->n; k++) {
        put(p, k ? ", " : "");
        if (m->at[k].base)
            putf(p, "<%s> = ", base_name(&m->at[k]));
        else if (m->at[k].name)
            putf(p, "%s = ", m->at[k].name);
        print(p, debug_value_member(p->c, v, &m->at[k]), false);
    }
    put(p, m->n ? "}" : "<No data fields>}");
}

/* ---- any value ---- */

static bool all_lost(const struct debug_value *v)
{
    for (u64 k = 0; k < v->type->size; k++)
        if (!v->lost || !v->lost[k])
            return false;
    return v->type->size > 0;
}

/* Values that are made of others say themselves what of them is missing. */
static bool is_aggregate(const struct debug_type *t)
{
    return t->kind == DEBUG_STRUCT || t->kind == DEBUG_UNION || t->kind == DEBUG_ARRAY;
}

static void put_known(struct printer *p, const struct debug_value *v, const struct debug_type *t, bool top)
{
    if (t->kind == DEBUG_ARRAY) {
        put_array(p, v);
    } else if (t->kind == DEBUG_STRUCT || t->kind == DEBUG_UNION) {
        put_struct(p, v);
    } else if (p->f.letter && p->f.letter != 's' && t->size <= 8 &&
               !(p->f.letter == 'f' && t->kind == DEBUG_BASE && t->encoding == DEBUG_FLOAT)) {
        const struct debug_type *f = debug_type_base(p->c->info, DEBUG_FLOAT, t->size);
        if (p->f.letter == 'f' && (t->size == 4 || t->size == 8))
            put_float(p, &(struct debug_value){.type = f, .bytes = v->bytes});
        else
            put_formatted(p, v, p->f.letter == 'f' ? 'd' : p->f.letter);
    } else if (t->kind == DEBUG_BASE) {
        put_base(p, v);
    } else if (t->kind == DEBUG_ENUM) {
        put_enum(p, v);
    } else if (t->kind == DEBUG_POINTER) {
        put_pointer(p, v, top);
    } else {
        put_reference(p, v, top);
    }
}

/* A large array is read as far as it is printed. */
static struct debug_value shorten(struct printer *p, struct debug_value v, const struct debug_type *t)
{
    const u64 most = (u64)p->f.elements * 64;
    if (t->kind == DEBUG_ARRAY && t->count > most && !v.bytes)
        v.type = debug_type_array(p->c->info, t->target, most);
    return v;
}

static void print(struct printer *p, struct debug_value v, bool top)
{
    const struct debug_type *t = debug_type_strip(v.type);
    if (!t) {
        put(p, "void");
        return;
    }
    if (!t->size && !is_aggregate(t) && t->kind != DEBUG_FUNCTION && !t->incomplete) {
        put(p, "<a type without size>");
        return;
    }
    if (t->kind == DEBUG_FUNCTION || t->incomplete || p->depth >= DEPTH) {
        put(p, t->incomplete ? "<incomplete type>" : t->kind == DEBUG_FUNCTION ? "{...}" : "...");
        return;
    }
    v = shorten(p, v, t);
    t = debug_type_strip(v.type);
    p->depth++;
    if (!v.bytes && !debug_value_fetch(p->c, &v))
        putf(p, p->depth == 1 && v.unreadable ? "%s" : v.unreadable ? "<error: %s>" : "<optimized out>", p->c->error);
    else if (v.lost && (all_lost(&v) || (!is_aggregate(t) && debug_value_lost(&v))))
        put(p, "<optimized out>");
    else
        put_known(p, &v, t, top);
    p->depth--;
}

const char *debug_value_text(struct debug_context *c, struct debug_value v, const struct debug_format *f)
{
    struct printer p = {.c = c, .f = f ? *f : (struct debug_format){.top_type = true}};
    if (!p.f.elements)
        p.f.elements = ELEMENTS;
    if (!p.f.repeats)
        p.f.repeats = REPEATS;
    print(&p, v, p.f.top_type);
    vec_push(c->mem, &p.out, 0);
    return p.out.at;
}
