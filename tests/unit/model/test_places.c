/* test_places.c - which blocks stand together, beside an H200's (tests/hw/block_places.cu). Which GPC begins differs from launch to launch there, so
 * what is asked is whether neighbours are in the same one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/cache/l2/places.h"

enum { SMS = 132, BLOCKS = 3000, FULL = 1056 /* blocks of 256 threads that all SMs hold */ };

/* The GPC of an SM of that H200, by its number: TPCs are dealt to eight GPCs in turn, until one is full, then to seven; two have one more, and the
 * first one has the last four. */
static u32 gpc(u32 sm)
{
    const u32 tpc = sm / 2;
    return tpc < 32 ? tpc % 8 : tpc < 60 ? 1 + (tpc - 32) % 7 : tpc < 62 ? tpc - 54 : 0;
}

struct row {
    u32 threads, n, wait, gpc[BLOCKS];
};

static bool read_row(FILE *f, struct row *r)
{
    u32 shared, sm;
    char behind = ',';
    if (fscanf(f, "%u,%u,%u,%u,", &r->threads, &shared, &r->n, &r->wait) != 4)
        return false;
    for (u32 k = 0; k < r->n && behind != '\n'; k++) {
        if (fscanf(f, "%u%c", &sm, &behind) != 2)
            return false;
        r->gpc[k] = gpc(sm);
    }
    return behind == '\n';
}

static FILE *recording(void)
{
    FILE *f = fopen("tests/hw/h200/block-places.csv", "r");
    char line[256];
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    assert_non_null(fgets(line, sizeof line, f));
    return f;
}

static void first_blocks_are_dealt_as_an_h200_does(void **state)
{
    (void)state;
    static struct row r;
    u32 pairs = 0, differ = 0, rows = 0;
    FILE *f = recording();
    for (; read_row(f, &r); rows++)
        for (u32 b = 0; r.n <= SMS && b + 1 < r.n; b++, pairs++)
            differ += (r.gpc[b] == r.gpc[b + 1]) != (sm_place_first(b, r.n).group == sm_place_first(b + 1, r.n).group);
    fclose(f);
    print_message("%u of %u neighbours differ\n", differ, pairs);
    assert_int_equal(rows, 75);
    assert_true(pairs > 2000);
    assert_true(differ < 0.12 * pairs); /* two where one run is a block longer than an H200's */
}

static void later_ones_are_neighbours_as_often(void **state)
{
    (void)state;
    static struct row r;
    u32 pairs = 0, together = 0, modelled = 0;
    FILE *f = recording();
    while (read_row(f, &r))
        for (u32 b = FULL; r.n == BLOCKS && r.threads >= 256 && b + 1 < r.n; b++, pairs++) {
            together += r.gpc[b] == r.gpc[b + 1];
            modelled += sm_place_later(b % SMS, b / SMS).group == sm_place_later((b + 1) % SMS, (b + 1) / SMS).group;
        }
    fclose(f);
    print_message("of %u neighbours %u are in one GPC, modelled %u\n", pairs, together, modelled);
    assert_true(pairs > 7000);
    assert_true(abs((int)together - (int)modelled) < 0.05 * pairs);
}

static void places_are_those_of_the_gpu(void **state)
{
    (void)state;
    u32 n[PLACE_GROUPS] = {0}, at_side[2] = {0};
    for (u32 sm = 0; sm < SMS; sm++) {
        const struct sm_place p = sm_place_first(sm, SMS);
        assert_true(p.group < PLACE_GROUPS && p.side < 2);
        n[p.group]++;
        at_side[p.side]++;
    }
    for (u32 k = 0; k < PLACE_GROUPS; k++)
        assert_int_equal(n[k], k == 2 || k == 3 ? 18 : 16);
    assert_int_equal(at_side[0], at_side[1]);
    for (u32 used = 1; used <= 200; used++)
        for (u32 sm = 0; sm < used; sm++)
            assert_true(sm_place_first(sm, used).group < PLACE_GROUPS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(first_blocks_are_dealt_as_an_h200_does),
                                       cmocka_unit_test(later_ones_are_neighbours_as_often),
                                       cmocka_unit_test(places_are_those_of_the_gpu)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
