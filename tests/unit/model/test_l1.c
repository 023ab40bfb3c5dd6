/* test_l1.c - which lines leave L1, beside an H200: what one thread read there (tests/hw/l1_survival.cu), read again here. The model keeps the last
 * lines that were asked for again, and lets any other leave; an H200 lets the oldest ones leave first, so single rows differ. What is asserted is how far
 * off the rows are in the mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/cache/l1/l1.h"

struct row {
    char what[16];
    u32 carveout, lines, parts, times, scan, scan_parts, asked, hits;
};

/* Reads a word: 1 if its sector is there. `place`: of `parts` sectors of each line. */
static u32 ask(struct cache *l1, u64 line, u32 place, u32 parts)
{
    return l1_ask(l1, TRAFFIC_LOAD, line + place / parts, 1u << place % parts) != 0;
}

static u32 hash(u32 x)
{
    x *= 0x9e3779b1u;
    x ^= x >> 15;
    x *= 0x85ebca6bu;
    return x ^ x >> 13;
}

/* The recording has the step in the column of `scan`. */
static u32 rounds(struct cache *l1, const struct row *r)
{
    const u32 places = r->lines * r->parts;
    u32 n = 0;
    for (u32 t = 0; t < r->times; t++)
        for (u32 k = 0; k < places; k++)
            n += ask(l1, 0, (u32)((u64)k * r->scan % places), r->parts) & (t > 0);
    return n;
}

static u32 draws(struct cache *l1, const struct row *r)
{
    const u32 places = r->lines * r->parts, all = 16 * places;
    u32 n = 0, at = 1;
    for (u32 k = 0; k < all; k++) {
        at = hash(at + k);
        n += ask(l1, 0, at % places, r->parts) & (2 * k >= all);
    }
    return n;
}

/* The GPU looked for one line in eight at a time, in as many launches; here looking changes nothing. */
static u32 survive(struct cache *l1, const struct row *r)
{
    u32 n = 0, rank;
    for (u32 t = 0; t < r->times; t++)
        for (u32 k = 0; k < r->lines * r->parts; k++)
            ask(l1, 0, k, r->parts);
    for (u32 k = 0; k < r->scan * r->scan_parts; k++)
        ask(l1, r->lines, k, r->scan_parts);
    for (u32 k = 0; k < r->lines; k++) {
        const struct cache_line *l = cache_peek(l1, k, &rank);
        n += l && l->valid & 1;
    }
    return n;
}

static bool read_row(const char *line, struct row *r)
{
    char text[256];
    snprintf(text, sizeof text, "%s", line);
    for (char *p = text; *p; p++)
        *p = *p == ',' ? ' ' : *p;
    return sscanf(text, "%15s %u %u %u %u %u %u %u %u", r->what, &r->carveout, &r->lines, &r->parts, &r->times,
                  &r->scan, &r->scan_parts, &r->asked, &r->hits) == 9;
}

static void hits_are_an_h200s_in_the_mean(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        u32 (*run)(struct cache *, const struct row *);
        double most;
        u32 rows;
    } kinds[] = {{"rounds", rounds, 0.11, 132}, {"draws", draws, 0.03, 66}, {"survive", survive, 0.11, 2160}};
    struct cache l1 = {0};
    double off[LS_ARRAY_LEN(kinds)] = {0};
    u32 n[LS_ARRAY_LEN(kinds)] = {0};
    char line[256];
    FILE *f = fopen("tests/hw/h200/l1-survival.csv", "r");
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        struct row r;
        for (u32 k = 0; read_row(line, &r) && k < LS_ARRAY_LEN(kinds); k++) {
            if (strcmp(r.what, kinds[k].what))
                continue;
            assert_true(l1_empty(&l1, (256u - (r.carveout == 14 ? 32 : 100)) << 10));
            const double hits = kinds[k].run(&l1, &r), all = r.asked;
            off[k] += hits > r.hits ? (hits - r.hits) / all : (r.hits - hits) / all;
            n[k]++;
        }
    }
    fclose(f);
    cache_free(&l1);
    for (u32 k = 0; k < LS_ARRAY_LEN(kinds); k++) {
        print_message("%s: %u rows, %.3f off in the mean\n", kinds[k].what, n[k], off[k] / n[k]);
        assert_int_equal(n[k], kinds[k].rows);
        assert_true(off[k] / n[k] < kinds[k].most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hits_are_an_h200s_in_the_mean)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
