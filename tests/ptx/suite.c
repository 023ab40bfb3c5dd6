/* suite.c - reads the tests from a file's comments and makes their inputs: special values of each type crossed with
 * each other, every value of 16-bit types, and random ones from a fixed generator, so that every machine has the same. */
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- comments ---- */

static bool read_type(const char *text, size_t len, struct operand *o)
{
    const char *colon = memchr(text, ':', len);
    const size_t tlen = colon ? (size_t)(colon - text) : len;
    o->type = type_find(text, (unsigned)tlen);
    if (!o->type)
        return false;
    const unsigned bits = o->type->pair ? 2 * o->type->bits : o->type->kind == KIND_PRED ? 32 : o->type->bits;
    o->size = bits / 8;
    if (!colon)
        return true;
    char how[32] = "";
    memcpy(how, colon + 1, len - tlen - 1 < 31 ? len - tlen - 1 : 31);
    if (!strcmp(how, "nz"))
        o->values = NONZERO;
    else if (!strcmp(how, "shift"))
        o->values = SHIFT;
    else if (!strcmp(how, "trig"))
        o->values = TRIG;
    else if (sscanf(how, "%lld-%lld", (long long *)&o->lo, (long long *)&o->hi) == 2)
        o->values = RANGE;
    else
        return false;
    return true;
}

static bool read_types(const char *list, struct operand *to, unsigned *n)
{
    while (*list) {
        const size_t len = strcspn(list, ",");
        if (*n == MAX_IN || !read_type(list, len, &to[(*n)++]))
            return false;
        list += len + (list[len] == ',');
    }
    return true;
}

static bool read_key(struct test *t, const char *key, const char *value)
{
    if (!strcmp(key, "op"))
        return snprintf(t->op, sizeof t->op, "%s", value) > 0;
    if (!strcmp(key, "in"))
        return read_types(value, t->in, &t->nin);
    if (!strcmp(key, "out"))
        return read_types(value, t->out, &t->nout);
    if (!strcmp(key, "imm"))
        return t->ref.imm = atoi(value), true;
    if (!strcmp(key, "not"))
        return t->ref.negate = true;
    if (!strcmp(key, "err")) {
        t->kind = APPROX;
        return snprintf(t->err, sizeof t->err, "%s", value) > 0;
    }
    if (!strcmp(key, "ref")) {
        t->kind = strcmp(value, "nan") ? RECORD_ONLY : NAN_ANY;
        return true;
    }
    if (!strcmp(key, "grid"))
        return t->kind = SELF, (t->grid = (unsigned)atoi(value)) > 0;
    if (!strcmp(key, "block"))
        return (t->block = (unsigned)atoi(value)) > 0;
    if (!strcmp(key, "n"))
        return (t->n = (u64)atoi(value)) > 0;
    if (!strcmp(key, "shared"))
        return (t->shared = (unsigned)atoi(value)) > 0;
    return false;
}

/* name key=value ... */
static bool read_test(char *line, struct test *t)
{
    char *save = NULL, *word = strtok_r(line, " ", &save);
    if (!word)
        return false;
    snprintf(t->name, sizeof t->name, "%s", word);
    while ((word = strtok_r(NULL, " ", &save))) {
        char *eq = strchr(word, '=');
        if (!eq)
            return false;
        *eq = 0;
        if (!read_key(t, word, eq + 1))
            return false;
    }
    if (t->kind == SELF)
        return t->n > 0;
    const struct ref keep = t->ref;
    t->warp = warp_find(t->op);
    if (t->nin == 0 || t->nout == 0 || (!ref_parse(t->op, &t->ref) && !t->warp && t->kind != RECORD_ONLY))
        return false;
    t->ref.imm = keep.imm;
    t->ref.negate = keep.negate;
    t->ref.sources = t->nin;
    return true;
}

/* "ones" or "out[0..] = 1 2 3": the words of a SELF test, the last one repeated. */
static bool read_expect(const char *line, struct test *t)
{
    u64 n = 0, value = 1;
    const char *at = strstr(line, "= ");
    t->want = calloc(t->n, sizeof *t->want);
    if (!t->want || (!at && strncmp(line, "ones", 4)))
        return false;
    at = at ? at + 2 : "";
    for (n = 0; n < t->n; n++) {
        char *end;
        u64 v = strtoull(at, &end, 0);
        if (end != at)
            value = v;
        at = end;
        t->want[n] = value;
    }
    return true;
}

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    const long len = ftell(f);
    rewind(f);
    char *text = calloc((size_t)len + 1, 1);
    if (text && fread(text, 1, (size_t)len, f) != (size_t)len)
        text[0] = 0;
    fclose(f);
    return text;
}

static const char *line_after(const char *text, const char *head, char *line, size_t size)
{
    const char *at = strstr(text, head);
    if (!at)
        return NULL;
    at += strlen(head);
    const size_t len = strcspn(at, "\r\n");
    snprintf(line, size, "%.*s", (int)len, at);
    return at + len;
}

bool suite_read(const char *path, struct suite *s)
{
    static char line[1 << 14];
    memset(s, 0, sizeof *s);
    if (!(s->text = read_file(path)))
        return false;
    for (const char *at = s->text; (at = line_after(at, "// TEST: ", line, sizeof line));) {
        struct test *grown = realloc(s->tests, (s->n + 1) * sizeof *grown);
        if (!grown)
            return false;
        s->tests = grown;
        struct test *t = memset(&grown[s->n], 0, sizeof *t);
        bool ok = read_test(line, t);
        if (ok && t->kind == SELF)
            ok = line_after(at, "// EXPECT: ", line, sizeof line) && read_expect(line, t);
        s->n++;
        if (ok)
            continue;
        printf("%s: cannot understand the test %s\n", path, t->name);
        s->bad++;
        s->n--;
    }
    return true;
}

/* ---- values ---- */

struct random {
    u64 x;
};
static u64 next(struct random *r)
{
    r->x ^= r->x << 13;
    r->x ^= r->x >> 7;
    r->x ^= r->x << 17;
    return r->x * 0x2545f4914f6cdd1dull;
}

static unsigned int_specials(unsigned bits, u64 *to)
{
    const u64 top = (u64)1 << (bits - 1), all = low_bits(bits);
    const u64 some[] = {0,
                        1,
                        2,
                        3,
                        5,
                        7,
                        10,
                        15,
                        16,
                        31,
                        32,
                        63,
                        64,
                        100,
                        127,
                        128,
                        255,
                        256,
                        0x5555555555555555u,
                        0xaaaaaaaaaaaaaaaau,
                        0x0f0f0f0f0f0f0f0fu,
                        0x8000,
                        0x7fff,
                        0xffff,
                        0x10000,
                        0x7fffff,
                        0x800000,
                        0xffffff,
                        0x1000000,
                        0x7fffffff,
                        0x80000000u,
                        0xffffffffu,
                        0x100000000u,
                        top,
                        top - 1,
                        top + 1,
                        top >> 1,
                        all,
                        all - 1,
                        all - 2,
                        all - 127,
                        all - 128,
                        0x123456789abcdef0u,
                        0xfedcba9876543210u};
    for (unsigned k = 0; k < sizeof some / sizeof some[0]; k++)
        to[k] = some[k] & all;
    return sizeof some / sizeof some[0];
}

/* Zero, least and largest subnormal and normal numbers, one, ulps around it, halves, small and large integers,
 * infinity, NaNs quiet and signalling; each with both signs. */
static unsigned float_specials(const struct type *t, u64 *to)
{
    const int m = t->precision - 1;
    const u64 one = (u64)(1 - t->least - 1 + 1) << m, ulp = 1, inf = (low_bits(t->bits - 1) >> m) << m;
    const u64 e = (u64)1 << m;
    const u64 some[] = {0,
                        1,
                        2,
                        3,
                        e - 1,
                        e,
                        e + 1,
                        e >> 1,
                        2 * e,
                        2 * e + 1,
                        one,
                        one + ulp,
                        one - ulp,
                        one - e,
                        one - e + 1,
                        one + e,
                        one + e + (e >> 1),
                        one + (e >> 1),
                        one + (e >> 1) + 1,
                        one + 2 * e,
                        one + (u64)m * e,
                        one + (u64)m * e + 1,
                        one + (u64)(m + 1) * e,
                        one - (u64)m * e,
                        one - (u64)(m + 1) * e,
                        inf - 1,
                        inf - 2,
                        inf - e,
                        inf,
                        inf + 1,
                        inf + (e >> 1),
                        inf + e - 1,
                        one + 0x123456789abcdull % e,
                        one + 4 * e + 0x19999999ull % e};
    const unsigned n = sizeof some / sizeof some[0];
    for (unsigned k = 0; k < n; k++) {
        to[2 * k] = some[k] & low_bits(t->bits - 1);
        to[2 * k + 1] = to[2 * k] | (u64)1 << (t->bits - 1);
    }
    return 2 * n;
}

static bool is_float(const struct operand *o) { return o->type->kind == KIND_F; }

static unsigned specials(const struct operand *o, u64 *to)
{
    static const u64 shifts[] = {0,  1,   2,   3,   7,   8,   9,       15,         16,          17,         24,
                                 30, 31,  32,  33,  34,  40,  47,      48,         62,          63,         64,
                                 65, 127, 128, 255, 256, 257, 0x10001, 0x7fffffff, 0x80000000u, 0xffffffffu};
    if (o->values == SHIFT) {
        memcpy(to, shifts, sizeof shifts);
        return sizeof shifts / sizeof shifts[0];
    }
    if (o->type->kind == KIND_PRED)
        return to[0] = 0, to[1] = 1, 2;
    unsigned n = is_float(o) ? float_specials(o->type, to) : int_specials(o->type->bits, to);
    if (o->type->pair) /* the other half is another special value */
        for (unsigned k = 0; k < n; k++)
            to[k] |= to[(k * 7 + 3) % n] % ((u64)1 << o->type->bits) << o->type->bits;
    return n;
}

/* A random value; every fourth has a long run of equal bits after one other, the halfway cases of rounding. */
static u64 random_bits(struct random *r, unsigned bits)
{
    u64 x = next(r) >> (64 - bits);
    const u64 how = next(r);
    if (how % 4 == 0) {
        const unsigned at = (unsigned)(how >> 8) % bits;
        const u64 half = (u64)1 << at;
        x &= ~low_bits(at + 1 > 63 ? 64 : at + 1);
        x += (how >> 16 & 3) == 0 ? half : (how >> 16 & 3) == 1 ? half - 1 : (how >> 16 & 3) == 2 ? half + 1 : 0;
    } else if (how % 4 == 1) {
        x >>= (how >> 8) % bits;
    }
    return x & low_bits(bits);
}

/* A number near 1: the exponent within the precision, so that sums of two interact. */
static u64 random_float(struct random *r, const struct type *t)
{
    u64 x = random_bits(r, t->bits);
    const int m = t->precision - 1, bias = 1 - t->least;
    if (next(r) % 4 == 0)
        return x;
    const u64 e = (u64)(bias - t->precision - 2 + (int)(next(r) % (u64)(2 * t->precision + 5)));
    const unsigned field = t->bits - 1 - (unsigned)m;
    return (x & ~(low_bits(field) << m)) | (e & low_bits(field)) << m;
}

static u64 random_value(struct random *r, const struct operand *o)
{
    const struct type *t = o->type;
    if (o->values == SHIFT)
        return next(r) % 70;
    if (t->kind == KIND_PRED)
        return next(r) >> 63;
    u64 x = is_float(o) ? random_float(r, t) : random_bits(r, t->bits);
    if (t->pair)
        x |= (is_float(o) ? random_float(r, t) : random_bits(r, t->bits)) << t->bits;
    return x;
}

/* Brings a value into the operand's range. */
static u64 restrict_value(const struct operand *o, u64 x)
{
    if (o->values == NONZERO)
        return x ? x : 1;
    if (o->values == RANGE)
        return (u64)(o->lo + (i64)(x % (u64)(o->hi - o->lo + 1))) & low_bits(o->type->bits);
    if (o->values == TRIG) { /* [-2 pi, 2 pi] */
        const float f = (float)((double)(x & 0xffffffff) / 4294967295.0 * 12.566370614359172 - 6.283185307179586);
        u32 u;
        memcpy(&u, &f, 4);
        return u;
    }
    return x;
}

static u64 seed_of(const char *name)
{
    u64 h = 0x9e3779b97f4a7c15u;
    for (; *name; name++)
        h = (h ^ (u8)*name) * 0x100000001b3ull;
    return h | 1;
}

/* How many threads: all values of 8 and 16 bits, with 8 partners each; else special crossings and random ones. */
static u64 choose_size(const struct test *t)
{
    const unsigned size = t->in[0].size;
    const bool compares = !strncmp(t->op, "set", 3);
    if (size <= 2 && t->nin == 1)
        return (u64)1 << (8 * size);
    if (size == 2 && t->nin == 2 && !compares && !t->warp)
        return 8 << 16;
    return t->nin == 1 ? 16384 : t->nin == 2 ? (compares ? 8192 : 16384) : 24576;
}

static u64 value_at(const struct test *t, unsigned k, u64 i, struct random *r, u64 table[][80], const unsigned *len)
{
    const struct operand *o = &t->in[k];
    if (o->size <= 2 && k == 0 && (t->nin == 1 || t->n == 8 << 16))
        return i & low_bits(8 * o->size);
    if (t->n == 8 << 16 && k == 1) /* 6 special partners for each value, and 2 random ones */
        return i >> 16 < 6 ? table[k][(i * 6 + (i >> 16)) % len[k]] : random_value(r, o);
    if (t->nin <= 2) {
        u64 cross = 1, at = i;
        for (unsigned j = 0; j < t->nin; j++)
            cross *= len[j];
        if (i >= cross)
            return random_value(r, o);
        for (unsigned j = 0; j < k; j++)
            at /= len[j];
        return table[k][at % len[k]];
    }
    return next(r) % 8 < 5 ? table[k][next(r) % len[k]] : random_value(r, o);
}

static void put_value(const struct test *t, unsigned k, u64 i, u64 x)
{
    memcpy((u8 *)t->data[k] + i * t->in[k].size, &x, t->in[k].size);
}

u64 input_bits(const struct test *t, unsigned k, u64 i)
{
    u64 x = 0;
    memcpy(&x, (u8 *)t->data[k] + i * t->in[k].size, t->in[k].size);
    return x;
}

static bool make_inputs(struct test *t)
{
    u64 table[MAX_IN][80];
    unsigned len[MAX_IN];
    struct random r = {seed_of(t->op)};
    t->n = choose_size(t);
    for (unsigned k = 0; k < t->nin; k++) {
        len[k] = specials(&t->in[k], table[k]);
        if (!(t->data[k] = calloc(t->n, t->in[k].size)))
            return false;
    }
    for (u64 i = 0; i < t->n; i++)
        for (unsigned k = 0; k < t->nin; k++)
            put_value(t, k, i, restrict_value(&t->in[k], value_at(t, k, i, &r, table, len)));
    return true;
}

static void expect_warps(struct test *t)
{
    u64 in[MAX_IN][32], out[MAX_IN][32];
    for (u64 base = 0; base < t->n; base += 32) {
        for (unsigned k = 0; k < t->nin; k++)
            for (unsigned l = 0; l < 32; l++)
                in[k][l] = input_bits(t, k, base + l);
        memset(out, 0, sizeof out);
        warp_eval(&t->ref, in, out);
        for (unsigned k = 0; k < t->nout; k++)
            for (unsigned l = 0; l < 32; l++)
                t->want[(base + l) * t->nout + k] = out[k][l];
    }
}

bool test_prepare(struct test *t)
{
    if (t->kind == SELF)
        return true;
    if (!make_inputs(t))
        return false;
    if (t->kind == APPROX || t->kind == RECORD_ONLY)
        return true;
    if (!(t->want = calloc(t->n * t->nout, sizeof *t->want)))
        return false;
    if (t->warp) {
        expect_warps(t);
        return true;
    }
    for (u64 i = 0; i < t->n; i++) {
        u64 in[MAX_IN] = {0}, out[MAX_IN] = {0};
        for (unsigned k = 0; k < t->nin; k++)
            in[k] = input_bits(t, k, i);
        ref_eval(&t->ref, in, out);
        memcpy(&t->want[i * t->nout], out, t->nout * sizeof *out);
    }
    return true;
}

void test_release(struct test *t)
{
    for (unsigned k = 0; k < t->nin; k++)
        free(t->data[k]), t->data[k] = NULL;
    free(t->want);
    t->want = NULL;
}
