/* test_texels.c - what fetches from textures cost: the rules of texels.c against an H200 (tests/hw/h200/texture.csv), and small
 * ones worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "meter/access/texels.h"

enum {
    EQUAL_LEAST = 207,
    NEAR_LEAST = 210,
    BASE = 1 << 20,
    ALL = 8 /* fetches of a warp that the recording repeats */
};

/* One lane looks at `wide` x `high` x `deep` texels from (x, y, z) on. */
static void look(struct texture_access *a, u32 lane, u32 x, u32 y, u32 z, u32 wide, u32 high, u32 deep)
{
    struct texels *t = &a->texels[lane];
    const u32 first[3] = {x, y, z}, n[3] = {wide, high, deep};
    for (u32 d = 0; d < 3; d++) {
        t->n[d] = (u8)n[d];
        for (u32 k = 0; k < n[d]; k++)
            t->at[d][k] = first[d] + k;
    }
}

static void make(struct texture_access *a, u8 layout, u8 bytes)
{
    memset(a, 0, sizeof *a);
    for (u32 lane = 0; lane < TEXTURE_LANES; lane++)
        a->texels[lane] = (struct texels){
            .base = BASE, .width = 256, .height = 256, .dims = 2, .bytes = bytes, .layout = layout, .by_floats = true};
}

/* ---- by hand ---- */

static void a_row_of_floats(void **state)
{
    (void)state;
    static const struct {
        u8 layout;
        u32 requests, sectors, lines;
    } rows[] = {{LAYOUT_BLOCKS, 8, 8, 4}, {LAYOUT_ROWS, 8, 8, 4}, {LAYOUT_MEMORY, 4, 4, 1}};
    for (u32 k = 0; k < LS_ARRAY_LEN(rows); k++) {
        struct texture_access a;
        struct lines l;
        make(&a, rows[k].layout, 4);
        for (u32 lane = 0; lane < TEXTURE_LANES; lane++)
            look(&a, lane, lane, 0, 0, 1, 1, 1);
        const struct texel_cost c = texels_cost(&l, &a, 0xffffffff, BASE);
        assert_int_equal(c.requests, rows[k].requests);
        assert_int_equal(c.sectors, rows[k].sectors);
        assert_int_equal(c.lines, rows[k].lines);
        assert_int_equal(c.cycles, rows[k].requests);
        assert_int_equal(l.n, rows[k].requests);
    }
}

/* Rows 0 and 1 of 16 bytes are a sector, and 3 and 4 of an array in two lines. */
static void sectors_of_arrays_have_two_rows(void **state)
{
    (void)state;
    struct texture_access a;
    struct lines l;
    make(&a, LAYOUT_BLOCKS, 4);
    for (u32 lane = 0; lane < 4; lane++)
        look(&a, lane, 3, lane, 0, 1, 1, 1);
    assert_int_equal(texels_cost(&l, &a, 0xf, BASE).sectors, 2);
    assert_int_equal(l.n, 1);
    assert_int_equal(l.sectors[0], 3);
    look(&a, 0, 3, 3, 0, 2, 2, 1);
    assert_int_equal(texels_cost(&l, &a, 1, BASE).sectors, 4);
    assert_int_equal(l.n, 2);
    make(&a, LAYOUT_ROWS, 4);
    look(&a, 0, 3, 3, 0, 2, 2, 1);
    assert_int_equal(texels_cost(&l, &a, 1, BASE).sectors, 2);
}

/* Who looks at the border alone asks, and for nothing. */
static void a_border_has_no_sectors(void **state)
{
    (void)state;
    struct texture_access a;
    struct lines l;
    make(&a, LAYOUT_BLOCKS, 4);
    const struct texel_cost c = texels_cost(&l, &a, 0xff, BASE);
    assert_int_equal(c.requests, 2);
    assert_int_equal(c.sectors, 0);
    assert_int_equal(c.cycles, 2);
    assert_int_equal(l.n, 0);
}

static void as_many_lines_as_fit(void **state)
{
    (void)state;
    struct texture_access a;
    struct lines l;
    make(&a, LAYOUT_BLOCKS, 16);
    for (u32 lane = 0; lane < TEXTURE_LANES; lane++) {
        a.texels[lane].dims = 3;
        a.texels[lane].filtered = true;
        look(&a, lane, 1 + 4 * lane, 3 + 8 * lane, lane, 2, 2, 2);
    }
    assert_int_equal(texels_cost(&l, &a, 0xffffffff, BASE).sectors, 256);
    assert_int_equal(l.n, 256);
}

/* Eight lanes are a request of a surface; what all of a warp want of a line goes together (h200/surface-stores.csv). */
static void surfaces_by_eight_lanes(void **state)
{
    (void)state;
    static const struct {
        u32 bytes, wide; /* of a tile of 32 texels */
        u32 sectors, different, lines;
    } rows[] = {{4, 32, 8, 8, 4}, {4, 8, 8, 4, 1},   {4, 1, 16, 16, 8},    {1, 32, 4, 2, 1},
                {1, 8, 4, 2, 1},  {1, 1, 16, 16, 8}, {16, 32, 32, 32, 16}, {16, 8, 32, 16, 4}};
    for (u32 k = 0; k < LS_ARRAY_LEN(rows); k++) {
        struct texture_access a;
        struct lines l;
        make(&a, LAYOUT_BLOCKS, (u8)rows[k].bytes);
        for (u32 lane = 0; lane < TEXTURE_LANES; lane++)
            look(&a, lane, lane % rows[k].wide, lane / rows[k].wide, 0, 1, 1, 1);
        const struct texel_cost c = surface_store_cost(&l, &a, 0xffffffff, BASE);
        assert_int_equal(c.requests, 4);
        assert_int_equal(c.sectors, rows[k].sectors);
        assert_int_equal(c.different, rows[k].different);
        assert_int_equal(c.lines, rows[k].lines);
        assert_int_equal(l.n, rows[k].lines);
    }
}

/* With layers or slices four lanes are a request of a surface; a load asks for each request by itself (h200/texel-cases.csv). */
static void surfaces_with_layers_by_four(void **state)
{
    (void)state;
    struct texture_access a;
    struct lines l;
    make(&a, LAYOUT_BLOCKS, 4);
    for (u32 lane = 0; lane < TEXTURE_LANES; lane++)
        look(&a, lane, lane % 8, lane / 8, 0, 1, 1, 1);
    assert_int_equal(surface_load_cost(&l, &a, 0xffffffff, BASE).requests, 4);
    assert_int_equal(l.n, 4);
    a.texels[0].layered = true;
    const struct texel_cost load = surface_load_cost(&l, &a, 0xffffffff, BASE);
    assert_int_equal(load.requests, 8);
    assert_int_equal(load.sectors, 8);
    assert_int_equal(load.cycles, 8);
    assert_int_equal(surface_store_cost(&l, &a, 0xffffffff, BASE).requests, 8);
    assert_int_equal(l.n, 1);
}

/* Two lanes at a time filter in three dimensions, and ask for their sectors apart. */
static void deep_filters_go_by_pairs(void **state)
{
    (void)state;
    struct texture_access a;
    struct lines l;
    make(&a, LAYOUT_BLOCKS, 4);
    for (u32 lane = 0; lane < 4; lane++) {
        a.texels[lane].dims = 3;
        a.texels[lane].filtered = true;
        look(&a, lane, lane, 0, 0, 2, 2, 2);
    }
    const struct texel_cost c = texels_cost(&l, &a, 0xf, BASE);
    assert_int_equal(c.requests, 1);
    assert_int_equal(c.sectors, 2 + 4); /* x: 0 to 2, and 2 to 4, of two slices */
    assert_int_equal(c.cycles, 2);
}

/* The right half of a line's row and the left half of the next line's are in two banks; four slices are in two. */
static void halves_and_slices_have_banks(void **state)
{
    (void)state;
    struct texture_access a;
    struct lines l;
    make(&a, LAYOUT_BLOCKS, 4);
    for (u32 lane = 0; lane < 4; lane++)
        look(&a, lane, 6 + lane, 0, 0, 1, 1, 1);
    assert_int_equal(texels_cost(&l, &a, 0xf, BASE).cycles, 1);
    for (u32 lane = 0; lane < 4; lane++)
        look(&a, lane, 4 * lane, 0, 0, 1, 1, 1);
    assert_int_equal(texels_cost(&l, &a, 0xf, BASE).cycles, 2);
    for (u32 lane = 0; lane < 4; lane++) {
        a.texels[lane].dims = 3;
        look(&a, lane, 0, 0, lane, 1, 1, 1);
    }
    assert_int_equal(texels_cost(&l, &a, 0xf, BASE).cycles, 2);
}

/* ---- the recording: tests/hw/texture.cu ---- */

struct row {
    char texel[16], memory[16], filter[16], pattern[16];
    double cycles;
};

static u32 hash(u32 x)
{
    x *= 0x9e3779b1u;
    x ^= x >> 15;
    x *= 0x85ebca6bu;
    return x ^ x >> 13;
}

/* As `place` there. */
static void place(const char *pattern, u32 lane, u32 k, u32 *x, u32 *y)
{
    u32 wide = 0, high = 0;
    *x = 0, *y = k;
    if (!strcmp(pattern, "row"))
        *x = lane;
    else if (sscanf(pattern, "tile%ux%u", &wide, &high) == 2)
        *x = lane % wide, *y = k * high + lane / wide;
    else if (!strcmp(pattern, "column"))
        *x = k, *y = lane;
    else if (sscanf(pattern, "stride%u", &wide) == 1)
        *x = wide * lane;
    else if (!strcmp(pattern, "rows4"))
        *y = k * 8 + lane / 4;
    else if (!strcmp(pattern, "diagonal"))
        *x = lane, *y = k + lane;
    else if (!strcmp(pattern, "random"))
        *x = hash(lane * 977 + k * 31337), *y = *x >> 12;
}

static u8 bytes_of(const char *texel)
{
    const bool four = strchr(texel, '4');
    return (u8)(strncmp(texel, "uchar", 5) ? four ? 16 : strchr(texel, '2') ? 8 : 4 : four ? 4 : 1);
}

/* Cycles of one fetch, on the mean of those that the program repeats. */
static double modelled(const struct row *r)
{
    const u8 bytes = bytes_of(r->texel);
    const bool memory = !strcmp(r->memory, "linear"), deep = !strcmp(r->memory, "array3d");
    const u32 side = bytes > 4 ? 32 : 64, two = strcmp(r->filter, "linear4") ? 1 : 2;
    const u32 wide = !memory && (!strcmp(r->pattern, "stride4") || !strcmp(r->pattern, "stride8")) ? 256 : side;
    const u8 layout = memory ? LAYOUT_MEMORY : strcmp(r->memory, "pitch") ? LAYOUT_BLOCKS : LAYOUT_ROWS;
    u32 cycles = 0;
    for (u32 k = 0; k < ALL; k++) {
        struct texture_access a;
        struct lines l;
        make(&a, layout, bytes);
        for (u32 lane = 0; lane < TEXTURE_LANES; lane++) {
            u32 x, y;
            place(r->pattern, lane, k, &x, &y);
            x &= wide - 1, y &= side - 1;
            a.texels[lane].filtered = strcmp(r->filter, "point") != 0;
            a.texels[lane].dims = memory ? 1 : deep ? 3 : 2;
            look(&a, lane, memory ? x + y * wide : x, memory ? 0 : y, deep ? 1 : 0, two, two, 1);
        }
        cycles += texels_cost(&l, &a, 0xffffffff, BASE).cycles;
    }
    return (double)cycles / ALL;
}

/* Of 32 warps: the time between fetches is then the unit's alone, and what the loop itself takes a fetch is below 0.6. */
static void an_h200_took_as_long(void **state)
{
    (void)state;
    FILE *f = fopen("tests/hw/h200/texture.csv", "r");
    char line[256];
    u32 n = 0, equal = 0, near = 0;
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        struct row r;
        if (sscanf(line, "rate,%15[^,],%15[^,],%15[^,],%15[^,],32,%lf", r.texel, r.memory, r.filter, r.pattern,
                   &r.cycles) != 5)
            continue;
        const double off = r.cycles - modelled(&r);
        n++;
        equal += off > 0 && off < 0.6;
        near += fabs(off) < 0.1 * r.cycles;
        if (off <= 0 || off >= 0.6)
            printf("%s %s %s %s: %.2f, an H200 %.2f\n", r.texel, r.memory, r.filter, r.pattern, modelled(&r), r.cycles);
    }
    fclose(f);
    printf("%u rates, %u equal, %u less than 10 %% off\n", n, equal, near);
    assert_int_equal(n, 221);
    assert_true(equal >= EQUAL_LEAST && near >= NEAR_LEAST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_of_floats),
        cmocka_unit_test(sectors_of_arrays_have_two_rows),
        cmocka_unit_test(a_border_has_no_sectors),
        cmocka_unit_test(as_many_lines_as_fit),
        cmocka_unit_test(surfaces_with_layers_by_four),
        cmocka_unit_test(deep_filters_go_by_pairs),
        cmocka_unit_test(halves_and_slices_have_banks),
        cmocka_unit_test(surfaces_by_eight_lanes),
        cmocka_unit_test(an_h200_took_as_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
