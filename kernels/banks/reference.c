/* reference.c of banks - which thread's number each thread must read. */
#include "kernels/banks/columns.h"
#include "kernels/families.h"

/* ---- one access of a warp ---- */

static u32 itself(u32 t, u32 threads)
{
    (void)threads;
    return t;
}

static u32 second(u32 t, u32 threads) { return 2 * t % threads; }

static u32 third(u32 t, u32 threads) { return 3 * t % threads; }

static u32 backwards(u32 t, u32 threads) { return threads - 1 - t; }

static u32 disorder(u32 t, u32 threads)
{
    (void)threads;
    return t / 32 * 32 + (13 * (t % 32) + 7) % 32;
}

static u32 four_alike(u32 t, u32 threads)
{
    (void)threads;
    const u32 lane = t % 32;
    return lane == 3 || lane == 4 || lane == 7 ? t - lane + 5 : t;
}

static u32 two_words(u32 t, u32 threads)
{
    (void)threads;
    return t / 32 * 32 + (t % 32 < 16 ? 12 : 20);
}

static u32 half(u32 t, u32 threads)
{
    (void)threads;
    return t / 2;
}

/* Planes of 8 x 8 elements, each transposed. */
static u32 planes(u32 t, u32 threads)
{
    (void)threads;
    return t / 64 * 64 + t % 8 * 8 + t / 8 % 8;
}

static u32 (*const elements[])(u32 thread, u32 threads) = {
    [PATTERN_OWN] = itself,          [PATTERN_SECOND] = second,     [PATTERN_THIRD] = third,
    [PATTERN_BACKWARDS] = backwards, [PATTERN_DISORDER] = disorder, [PATTERN_FOUR_ALIKE] = four_alike,
    [PATTERN_TWO_WORDS] = two_words, [PATTERN_HALF] = half,         [PATTERN_PLANES] = planes,
};

/* Element e is the words e * words, e * words + 1, ..., each holding its own number. */
static void check_pattern(const struct outcome *o, enum pattern pattern, u32 threads, struct check *c)
{
    const u32 words = o->rung->columns->words;
    const bool wide = o->rung->columns->doubles;
    for (u32 i = 0; i < threads * words; i++) {
        const double got = wide ? ((const double *)o->after[0])[i] : ((const i32 *)o->after[0])[i];
        check_element(c, i, got, elements[pattern](i / words, threads) * words + i % words, 0);
    }
}

/* ---- tiles ---- */

/* What does not load where it stored loads the word in row `i % by` and column `i / by` of the tile, which thread (column,
 * row) stored. */
static u32 transposed(u32 i, const struct shape *s) { return i % s->by * s->bx + i / s->by; }

void banks_check(const struct outcome *o, struct check *c)
{
    const struct shape *s = o->shape;
    const struct columns *own = o->rung->columns;
    const i32 *out = o->after[0];
    if (own->pattern)
        check_pattern(o, own->pattern, s->bx * s->by, c);
    for (u32 i = 0; !own->pattern && i < s->bx * s->by; i++)
        check_element(c, i, out[i], own->identity ? i : transposed(i, s), 0);
}
