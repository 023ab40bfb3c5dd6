/* judge.c - compares results with what was expected: bit by bit, with any NaN for any other, or within the error that
 * the PTX manual states for an approximation. */
#include "suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 4 };

u64 hash_words(const u64 *w, u64 n)
{
    u64 h = 0x6c6f636b73746570u;
    for (u64 i = 0; i < n; i++) {
        h = (h ^ w[i]) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return h;
}

static void show(const struct test *t, u64 i, const u64 *got, const u64 *want, const char *label)
{
    printf("%s%s: %s: thread %llu:", label, t->name, t->op, (unsigned long long)i);
    for (unsigned k = 0; t->kind != SELF && k < t->nin; k++)
        printf(" %s=%llx", k == 0 ? "a" : k == 1 ? "b" : k == 2 ? "c" : "x", (unsigned long long)input_bits(t, k, i));
    printf(" gives");
    for (unsigned k = 0; k < (t->kind == SELF ? 1 : t->nout); k++)
        printf(" %llx", (unsigned long long)got[k]);
    printf(", not");
    for (unsigned k = 0; want && k < (t->kind == SELF ? 1 : t->nout); k++)
        printf(" %llx", (unsigned long long)want[k]);
    printf("\n");
}

static bool same_nan(const struct operand *o, u64 x, u64 y)
{
    if (o->type->kind != KIND_F || x == y)
        return x == y;
    const unsigned bits = o->type->bits;
    for (unsigned s = 0; s < (o->type->pair ? 2u : 1u); s++) {
        const u64 a = x >> (s * bits) & low_bits(bits), b = y >> (s * bits) & low_bits(bits);
        if (a != b && !(float_is_nan(o->type, a) && float_is_nan(o->type, b)))
            return false;
    }
    return true;
}

static bool equal(const struct test *t, const u64 *got, const u64 *want)
{
    for (unsigned k = 0; k < t->nout; k++)
        if (t->kind == NAN_ANY ? !same_nan(&t->out[k], got[k], want[k]) : got[k] != want[k])
            return false;
    return true;
}

/* ---- approximations ---- */

/* The largest error allowed for this result; x is the first operand. */
static long double allowed(const struct test *t, long double truth, long double x)
{
    const struct type *d = t->ref.d;
    const double k = strchr(t->err, ':') ? atof(strchr(t->err, ':') + 1) : 0;
    int e;
    frexpl(truth, &e);
    e = e - 1 < d->least ? d->least : e - 1;
    if (!strncmp(t->err, "ulp", 3))
        return (long double)k * ldexpl(1, e - d->precision + 1);
    if (!strncmp(t->err, "abs", 3))
        return exp2l(k);
    if (!strcmp(t->err, "lg2"))
        return x > 0.5L && x < 2 ? 0x1p-22L : 0x1p-22L * fabsl(truth);
    return exp2l(k) * fabsl(truth);
}

static bool near(const struct test *t, u64 bits, long double truth, long double x)
{
    const struct type *d = t->ref.d;
    const long double got = float_value(d, bits), tiny = ldexpl(1, d->least);
    const long double top = ldexpl(1, 2 - d->least) * (1 - ldexpl(1, -d->precision + 2));
    if (isnan(truth) || isnan(got))
        return isnan(truth) && isnan(got);
    if (!strcmp(t->err, "any"))
        return fabsl(got) <= 1;
    if (isinf(truth))
        return isinf(got) && signbit(got) == signbit(truth);
    if (isinf(got))
        return fabsl(truth) >= top && signbit(got) == signbit(truth);
    if (fabsl(truth) < tiny && t->ref.ftz && got == 0)
        return true;
    const long double least_step = ldexpl(1, d->least - d->precision + 1);
    return fabsl(got - truth) <= allowed(t, truth, x) + (fabsl(truth) < tiny ? least_step : 0);
}

static bool approximates(const struct test *t, u64 i, u64 got)
{
    const struct type *a = t->ref.a;
    u64 in[2] = {input_bits(t, 0, i), t->nin > 1 ? input_bits(t, 1, i) : 0};
    for (unsigned s = 0; s < (a->pair ? 2u : 1u); s++) {
        const u64 half[2] = {a->pair ? in[0] >> (s * a->bits) & low_bits(a->bits) : in[0], in[1]};
        const u64 bits = a->pair ? got >> (s * a->bits) & low_bits(a->bits) : got;
        if (!near(t, bits, approx_truth(&t->ref, half), float_value(a, half[0])))
            return false;
    }
    return true;
}

u64 test_judge(const struct test *t, const u64 *got, const char *label)
{
    u64 wrong = 0;
    const unsigned stride = t->kind == SELF ? 1 : t->nout;
    for (u64 i = 0; i < t->n && t->kind != RECORD_ONLY; i++) {
        const u64 *g = got + i * stride, *w = t->want ? t->want + i * stride : NULL;
        const bool ok = t->kind == APPROX ? approximates(t, i, *g) : t->kind == SELF ? *g == *w : equal(t, g, w);
        if (ok)
            continue;
        if (++wrong > SHOWN)
            continue;
        show(t, i, g, w, label);
        if (t->kind == APPROX) {
            const u64 in[2] = {input_bits(t, 0, i), t->nin > 1 ? input_bits(t, 1, i) : 0};
            printf("    %.12Lg, the exact value is %.12Lg\n", float_value(t->ref.d, *g), approx_truth(&t->ref, in));
        }
    }
    return wrong;
}
