/* launch_args.c - the arguments of `lockstep launch`:
 *
 *     i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 : VALUE      a plain value; integers in decimal, 0x... or 0...
 *     hex:00112233...                                    bytes in memory order: structs, half precision
 *     buf:BYTES[:FILL][:out=TYPE[xN]]                    device memory; BYTES with k, m or g
 *     FILL: zero (unless told), random[=TYPE], iota[=TYPE]; TYPE is out's unless told, else i32
 *
 * random is the same in every run: floats in [0, 1), integers of all bits. iota is 0, 1, 2, ... */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/launch/launch_command.h"
#include "cli/options.h"

static const struct launch_type types[] = {
    {"i8", 1, 'i'},  {"i16", 2, 'i'}, {"i32", 4, 'i'}, {"i64", 8, 'i'}, {"u8", 1, 'u'},
    {"u16", 2, 'u'}, {"u32", 4, 'u'}, {"u64", 8, 'u'}, {"f32", 4, 'f'}, {"f64", 8, 'f'},
};
static const char type_names[] = "i8 i16 i32 i64 u8 u16 u32 u64 f32 f64";

static const struct launch_type *find_type(const char *name, size_t len)
{
    for (u32 i = 0; i < LS_ARRAY_LEN(types); i++)
        if (strlen(types[i].name) == len && memcmp(types[i].name, name, len) == 0)
            return &types[i];
    return NULL;
}

/* ---- plain values ---- */

static bool put_signed(const char *text, const struct launch_type *t, u8 *to)
{
    char *end;
    long long v = strtoll(text, &end, 0), most = INT64_MAX >> (64 - 8 * t->size);
    memcpy(to, &v, 8);
    return end != text && *end == 0 && errno == 0 && v <= most && v >= -most - 1;
}

static bool put_unsigned(const char *text, const struct launch_type *t, u8 *to)
{
    char *end;
    unsigned long long v = strtoull(text, &end, 0), most = UINT64_MAX >> (64 - 8 * t->size);
    memcpy(to, &v, 8);
    return end != text && *end == 0 && errno == 0 && v <= most && !strchr(text, '-');
}

static bool put_float(const char *text, const struct launch_type *t, u8 *to)
{
    char *end;
    f64 d = strtod(text, &end);
    f32 f = strtof(text, NULL);
    memcpy(to, t->size == 4 ? (void *)&f : (void *)&d, t->size);
    return end != text && *end == 0;
}

static bool read_value(const char *text, const struct launch_type *t, struct launch_arg *a, char why[256])
{
    errno = 0;
    bool good = t->cls == 'i'   ? put_signed(text, t, a->value)
                : t->cls == 'u' ? put_unsigned(text, t, a->value)
                                : put_float(text, t, a->value);
    a->size = t->size;
    if (!good)
        snprintf(why, 256, "'%.80s' is no value of type %s", text, t->name);
    return good;
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
}

static bool read_hex(const char *text, struct launch_arg *a, char why[256])
{
    size_t n = strlen(text);
    bool good = n > 0 && n % 2 == 0 && n / 2 <= LAUNCH_VALUE_BYTES;
    for (size_t i = 0; good && i < n; i += 2) {
        int high = digit(text[i]), low = digit(text[i + 1]);
        good = high >= 0 && low >= 0;
        a->value[i / 2] = (u8)(high * 16 + low);
    }
    a->size = (u32)(n / 2);
    if (!good)
        snprintf(why, 256, "hex: needs 1 to %d bytes of two hexadecimal digits each", LAUNCH_VALUE_BYTES);
    return good;
}

/* ---- buffers ---- */

/* "f32" or "f32x16" */
static bool read_out(const char *text, size_t len, struct launch_arg *a)
{
    const char *x = memchr(text, 'x', len);
    size_t name = x ? (size_t)(x - text) : len;
    char *end = NULL;
    a->type = find_type(text, name);
    a->shown = x ? strtoull(x + 1, &end, 10) : LAUNCH_SHOWN;
    return a->type && a->shown > 0 && (!x || (end == text + len && x[1] >= '0' && x[1] <= '9'));
}

/* One word between colons of a buffer's SPEC. */
static bool read_word(const char *word, size_t len, struct launch_arg *a, const struct launch_type **fill)
{
    static const char *const fills[] = {[FILL_ZERO] = "zero", [FILL_RANDOM] = "random", [FILL_IOTA] = "iota"};
    if (len > 4 && memcmp(word, "out=", 4) == 0)
        return read_out(word + 4, len - 4, a);
    for (u32 i = 0; i < LS_ARRAY_LEN(fills); i++) {
        size_t n = strlen(fills[i]);
        if (len < n || memcmp(word, fills[i], n) != 0)
            continue;
        a->fill = (enum launch_fill)i;
        if (len == n)
            return true;
        *fill = word[n] == '=' ? find_type(word + n + 1, len - n - 1) : NULL;
        return *fill && i != FILL_ZERO;
    }
    return false;
}

static bool read_buffer(const char *text, struct launch_arg *a, char why[256])
{
    char bytes[40];
    size_t n = strcspn(text, ":");
    const struct launch_type *fill = NULL;
    snprintf(bytes, sizeof bytes, "%.*s", (int)n, text);
    a->size = 8;
    if (n >= sizeof bytes || !option_read_count(bytes, 1ull << 40, &a->bytes) || a->bytes == 0) {
        snprintf(why, 256, "buf: needs a size in bytes (4096, 64k, 16m), not '%.80s'", bytes);
        return false;
    }
    for (text += n; *text == ':'; text += n) {
        n = strcspn(++text, ":");
        if (!read_word(text, n, a, &fill)) {
            snprintf(why, 256, "a buffer takes zero, random[=TYPE], iota[=TYPE] and out=TYPE[xN], not '%.*s'; TYPE: %s",
                     n > 60 ? 60 : (int)n, text, type_names);
            return false;
        }
    }
    if (!a->type || (fill && a->shown == 0))
        a->type = fill ? fill : find_type("i32", 3);
    if (fill && fill != a->type) {
        snprintf(why, 256, "the buffer is filled as %s and shown as %s; one type a buffer", fill->name, a->type->name);
        return false;
    }
    return true;
}

bool launch_arg_read(const char *spec, struct launch_arg *out, char why[256])
{
    size_t n = strcspn(spec, ":");
    const struct launch_type *t = find_type(spec, n);
    *out = (struct launch_arg){.spec = spec};
    if (spec[n] == ':' && t)
        return read_value(spec + n + 1, t, out, why);
    if (spec[n] == ':' && n == 3 && memcmp(spec, "hex", 3) == 0)
        return read_hex(spec + 4, out, why);
    if (spec[n] == ':' && n == 3 && memcmp(spec, "buf", 3) == 0)
        return read_buffer(spec + 4, out, why);
    snprintf(why, 256, "write TYPE:VALUE, hex:DIGITS or buf:BYTES; TYPE: %s", type_names);
    return false;
}

/* ---- uploading ---- */

/* splitmix64 (Steele, Lea and Flood 2014): one step gives one well mixed word. */
static u64 next_random(u64 *state)
{
    u64 z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void fill_element(u8 *to, const struct launch_type *t, bool random, u64 i, u64 *state)
{
    u64 bits = random ? next_random(state) : i;
    f64 d = random ? (f64)(bits >> 11) * 0x1p-53 : (f64)i;
    f32 f = random ? (f32)(bits >> 40) * 0x1p-24f : (f32)i;
    memcpy(to, t->cls != 'f' ? (void *)&bits : t->size == 4 ? (void *)&f : (void *)&d, t->size);
}

/* Writes the buffer piece by piece, so that a large one costs the host no second copy. */
static CUresult upload(const struct launch_arg *a, const struct lab_cuda *c, u64 seed)
{
    enum { PIECE = 1 << 20 }; /* a multiple of every element's size */
    u8 *piece = ls_calloc(1, PIECE);
    CUresult r = piece ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
    for (u64 at = 0; at < a->bytes && r == CUDA_SUCCESS; at += PIECE) {
        const u64 n = a->bytes - at < PIECE ? a->bytes - at : PIECE, size = a->type->size;
        for (u64 i = 0; a->fill != FILL_ZERO && i < n / size; i++)
            fill_element(piece + i * size, a->type, a->fill == FILL_RANDOM, at / size + i, &seed);
        if (n % a->type->size) /* the end of no whole element */
            memset(piece + n / size * size, 0, n % size);
        r = c->to_device(a->device + at, piece, n);
    }
    ls_free(piece);
    return r;
}

CUresult launch_arg_upload(struct launch_arg *a, const struct lab_cuda *c, u64 seed)
{
    if (!a->bytes)
        return CUDA_SUCCESS;
    CUdeviceptr at = 0;
    CUresult r = c->alloc(&at, a->bytes);
    a->device = at;
    memcpy(a->value, &a->device, 8);
    return r == CUDA_SUCCESS ? upload(a, c, seed) : r;
}

/* ---- elements ---- */

static i64 integer(const struct launch_type *t, const void *p)
{
    u64 bits = 0;
    memcpy(&bits, p, t->size);
    u32 unused = 64 - 8 * t->size;
    return t->cls == 'i' ? (i64)(bits << unused) >> unused : (i64)bits;
}

double launch_element_value(const struct launch_type *t, const void *p)
{
    if (t->cls == 'f' && t->size == 4) {
        f32 f;
        memcpy(&f, p, sizeof f);
        return f;
    }
    if (t->cls == 'f') {
        f64 d;
        memcpy(&d, p, sizeof d);
        return d;
    }
    return t->cls == 'i' ? (f64)integer(t, p) : (f64)(u64)integer(t, p);
}

void launch_element(const struct launch_type *t, const void *p, char out[40])
{
    if (t->cls == 'f') /* enough digits to tell any two values apart */
        snprintf(out, 40, t->size == 4 ? "%.9g" : "%.17g", launch_element_value(t, p));
    else if (t->cls == 'i')
        snprintf(out, 40, "%lld", (long long)integer(t, p));
    else
        snprintf(out, 40, "%llu", (unsigned long long)integer(t, p));
}
