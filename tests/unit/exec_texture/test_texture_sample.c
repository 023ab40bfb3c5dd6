/* test_texture_sample.c - what a texture gives: every address mode with every filter, borders, formats, shapes. The
 * expected values are worked out by hand from the programming guide's formulas (texture_sample.c has them). */
/* clang-format off */ // rows of macros and of text
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "exec/texture/texture.h"

static f32 as_float(u32 bits)
{
    f32 x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static u32 as_bits(f32 x)
{
    u32 bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* A texture of w x h x d texels that lie one after the other. */
static struct texture texture_of(const void *texels, u8 format, u8 channels, u8 dims, u32 w, u32 h, u32 d)
{
    struct texture t = {.kind = KIND_TEXTURE};
    struct image *im = &t.image;
    *im = (struct image){.base = (u64)(uintptr_t)texels, .width = w, .height = h, .depth = d, .dims = dims,
                         .format = format, .channels = channels};
    im->texel_bytes = (u8)(texel_bits(format) / 8 * channels);
    im->pitch = (u64)w * im->texel_bytes;
    im->slice = im->pitch * h;
    im->bytes = im->slice * d;
    return t;
}

static struct texture_value fetch(const struct texture *t, f32 x, f32 y, f32 z)
{
    return texture_fetch(t, &(struct texture_place){.is_float = true, .at = {x, y, z}});
}

static const f32 line[] = {10, 20, 30, 40};

enum { NORMALIZED = 1, LINEAR = 2 };
static struct texture line_texture(u8 address, int how)
{
    struct texture t = texture_of(line, TEXEL_FLOAT, 1, 1, 4, 1, 1);
    memset(t.sampler.address, address, sizeof t.sampler.address);
    t.sampler.normalized = how & NORMALIZED;
    t.sampler.linear = how & LINEAR;
    t.sampler.border[0] = as_bits(7);
    return t;
}

struct sample {
    u8 address, how;
    f32 x, want;
};

static void check_samples(const struct sample *s, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        const struct texture t = line_texture(s[k].address, s[k].how);
        const f32 got = as_float(fetch(&t, s[k].x, 0, 0).bits[0]);
        if (got != s[k].want)
            fail_msg("row %zu: mode %u, how %u, x = %g gives %.9g, not %.9g", k, s[k].address, s[k].how, (f64)s[k].x,
                     (f64)got, (f64)s[k].want);
    }
}

static void the_nearest_texel_is_the_floor(void **state)
{
    (void)state;
    static const struct sample rows[] = {
        {ADDRESS_CLAMP, 0, 0, 10}, {ADDRESS_CLAMP, 0, 0.99f, 10}, {ADDRESS_CLAMP, 0, 1, 20},
        {ADDRESS_CLAMP, 0, 3.99f, 40}, {ADDRESS_CLAMP, 0, 4, 40}, {ADDRESS_CLAMP, 0, -1, 10},
        {ADDRESS_CLAMP, 0, 1e30f, 40}, {ADDRESS_CLAMP, 0, -1e30f, 10}, {ADDRESS_CLAMP, 0, INFINITY, 40},
        {ADDRESS_CLAMP, 0, NAN, 10},
        {ADDRESS_BORDER, 0, -0.01f, 7}, {ADDRESS_BORDER, 0, 0, 10}, {ADDRESS_BORDER, 0, 3.99f, 40},
        {ADDRESS_BORDER, 0, 4, 7}, {ADDRESS_BORDER, 0, -INFINITY, 7},
        {ADDRESS_CLAMP, NORMALIZED, 0.5f, 30}, {ADDRESS_CLAMP, NORMALIZED, 1, 40}, {ADDRESS_CLAMP, NORMALIZED, -3, 10},
        {ADDRESS_BORDER, NORMALIZED, 1, 7}, {ADDRESS_BORDER, NORMALIZED, 0.999f, 40},
        /* 1.25 * 4 = 5: texel 5 - 4; -0.25 * 4 = -1: texel -1 + 4 */
        {ADDRESS_WRAP, NORMALIZED, 1.25f, 20}, {ADDRESS_WRAP, NORMALIZED, -0.25f, 40},
        {ADDRESS_WRAP, NORMALIZED, 1000.5f, 30}, {ADDRESS_WRAP, NORMALIZED, -1, 10},
        /* forth 0 1 2 3, back 3 2 1 0 */
        {ADDRESS_MIRROR, NORMALIZED, 1, 40}, {ADDRESS_MIRROR, NORMALIZED, 1.25f, 30},
        {ADDRESS_MIRROR, NORMALIZED, 1.75f, 10}, {ADDRESS_MIRROR, NORMALIZED, 2, 10},
        {ADDRESS_MIRROR, NORMALIZED, -0.25f, 10}, {ADDRESS_MIRROR, NORMALIZED, -0.5f, 20},
        /* no periods without normalized coordinates: they clamp */
        {ADDRESS_WRAP, 0, 5, 40}, {ADDRESS_WRAP, 0, -1, 10}, {ADDRESS_MIRROR, 0, 5, 40}, {ADDRESS_MIRROR, 0, -2, 10},
    };
    check_samples(rows, LS_ARRAY_LEN(rows));
}

static void linear_filtering_weighs_two_texels(void **state)
{
    (void)state;
    static const struct sample rows[] = {
        {ADDRESS_CLAMP, LINEAR, 0.5f, 10}, {ADDRESS_CLAMP, LINEAR, 1, 15}, {ADDRESS_CLAMP, LINEAR, 0.75f, 12.5f},
        {ADDRESS_CLAMP, LINEAR, 3.5f, 40}, {ADDRESS_CLAMP, LINEAR, 0, 10}, {ADDRESS_CLAMP, LINEAR, 4, 40},
        {ADDRESS_CLAMP, LINEAR, -9, 10}, {ADDRESS_CLAMP, LINEAR, 99, 40},
        /* at 0 the texels -1 and 0, at 4.25 the texels 3 and 4, weights 0.25 and 0.75 */
        {ADDRESS_BORDER, LINEAR, 0, 8.5f}, {ADDRESS_BORDER, LINEAR, 4.25f, 15.25f}, {ADDRESS_BORDER, LINEAR, -1, 7},
        {ADDRESS_BORDER, LINEAR, 5, 7},
        {ADDRESS_CLAMP, NORMALIZED | LINEAR, 0.25f, 15}, {ADDRESS_BORDER, NORMALIZED | LINEAR, 1, 23.5f},
        {ADDRESS_WRAP, NORMALIZED | LINEAR, 0, 25}, {ADDRESS_WRAP, NORMALIZED | LINEAR, 1, 25},
        /* -0.75 - 0.5: texels -2 and -1, weights 0.25 and 0.75, which wrap to the third and the fourth */
        {ADDRESS_WRAP, NORMALIZED | LINEAR, -0.1875f, 37.5f},
        {ADDRESS_MIRROR, NORMALIZED | LINEAR, 0, 10}, {ADDRESS_MIRROR, NORMALIZED | LINEAR, 1, 40},
        {ADDRESS_MIRROR, NORMALIZED | LINEAR, 1.25f, 35}, {ADDRESS_MIRROR, NORMALIZED | LINEAR, -0.25f, 15},
        {ADDRESS_WRAP, LINEAR, 0, 10}, {ADDRESS_MIRROR, LINEAR, 4, 40},
    };
    check_samples(rows, LS_ARRAY_LEN(rows));
}

/* 1.8 fixed point: a quarter of 1/256 is nothing, a half is 1/256, and 1.0 is a weight. */
static void weights_have_eight_bits_of_fraction(void **state)
{
    (void)state;
    static const struct sample rows[] = {
        {ADDRESS_CLAMP, LINEAR, 0.5f + 1.0f / 1024, 10},
        {ADDRESS_CLAMP, LINEAR, 0.5f + 1.0f / 512, 10 + 10.0f / 256},
        {ADDRESS_CLAMP, LINEAR, 0.5f + 1.0f / 256, 10 + 10.0f / 256},
        {ADDRESS_CLAMP, LINEAR, 0.5f + 1.375f / 256, 10 + 10.0f / 256},
        {ADDRESS_CLAMP, LINEAR, 0.5f + 255.25f / 256, 10 + 10.0f * 255 / 256},
        {ADDRESS_CLAMP, LINEAR, 0.5f + 255.75f / 256, 20},
    };
    check_samples(rows, LS_ARRAY_LEN(rows));
}

static void integer_coordinates_are_texels(void **state)
{
    (void)state;
    struct texture t = line_texture(ADDRESS_BORDER, LINEAR);
    static const struct {
        i32 x, offset;
        f32 want;
    } rows[] = {{0, 0, 10}, {3, 0, 40}, {4, 0, 7}, {-1, 0, 7}, {INT32_MAX, 0, 7}, {INT32_MIN, -8, 7}, {1, 2, 40}};
    for (size_t k = 0; k < LS_ARRAY_LEN(rows); k++) {
        const struct texture_place at = {.texel = {rows[k].x}, .offset = {rows[k].offset}};
        assert_true(as_float(texture_fetch(&t, &at).bits[0]) == rows[k].want);
    }
    const struct texture_place moved = {.is_float = true, .at = {1}, .offset = {1}};
    assert_true(as_float(texture_fetch(&t, &moved).bits[0]) == 25);
}

static const f32 cube[] = {0, 1, 2, 3, 4, 5, 6, 7};

static void two_and_three_dimensions_multiply_weights(void **state)
{
    (void)state;
    struct texture two = texture_of(cube, TEXEL_FLOAT, 1, 2, 2, 2, 1);
    struct texture three = texture_of(cube, TEXEL_FLOAT, 1, 3, 2, 2, 2);
    memset(two.sampler.address, ADDRESS_CLAMP, 3);
    three.sampler = two.sampler;
    assert_true(as_float(fetch(&two, 1.5f, 0.5f, 0).bits[0]) == 1);
    assert_true(as_float(fetch(&two, 0.5f, 1.5f, 0).bits[0]) == 2);
    assert_true(as_float(fetch(&three, 1.5f, 1.5f, 1.5f).bits[0]) == 7);
    two.sampler.linear = three.sampler.linear = true;
    assert_true(as_float(fetch(&two, 1, 1, 0).bits[0]) == 1.5f);
    /* a = 1/4, b = 1/2: (0 * 3/4 + 1 * 1/4) / 2 + (2 * 3/4 + 3 * 1/4) / 2 */
    assert_true(as_float(fetch(&two, 0.75f, 1, 0).bits[0]) == 1.25f);
    assert_true(as_float(fetch(&three, 1, 1, 1).bits[0]) == 3.5f);
    /* z alone moves by four: 1/4 of the way is 1 more than (0.5, 0.5) of the first slice, which is 0 */
    assert_true(as_float(fetch(&three, 0.5f, 0.5f, 0.75f).bits[0]) == 1);
}

static void each_dimension_has_its_address_mode(void **state)
{
    (void)state;
    struct texture t = texture_of(cube, TEXEL_FLOAT, 1, 2, 2, 2, 1);
    t.sampler.normalized = true;
    t.sampler.address[0] = ADDRESS_WRAP;
    t.sampler.address[1] = ADDRESS_BORDER;
    t.sampler.border[0] = as_bits(-1);
    assert_true(as_float(fetch(&t, 1.5f, 0.5f, 0).bits[0]) == 3);
    assert_true(as_float(fetch(&t, 1.5f, 1.5f, 0).bits[0]) == -1);
}

static void a_layer_outside_is_the_last(void **state)
{
    (void)state;
    struct texture t = texture_of(cube, TEXEL_FLOAT, 1, 1, 2, 1, 4);
    t.image.layered = true;
    t.sampler.address[0] = ADDRESS_CLAMP;
    static const struct {
        u32 layer;
        f32 want;
    } rows[] = {{0, 1}, {1, 3}, {3, 7}, {4, 7}, {UINT32_MAX, 7}};
    for (size_t k = 0; k < LS_ARRAY_LEN(rows); k++) {
        const struct texture_place at = {.is_float = true, .at = {1.5f}, .layer = rows[k].layer};
        assert_true(as_float(texture_fetch(&t, &at).bits[0]) == rows[k].want);
    }
}

static void gather_takes_the_four_texels_from_the_lower_left(void **state)
{
    (void)state;
    static const f32 pairs[] = {0, 10, 1, 11, 2, 12, 3, 13};
    struct texture t = texture_of(pairs, TEXEL_FLOAT, 2, 2, 2, 2, 1);
    memset(t.sampler.address, ADDRESS_CLAMP, 3);
    const struct texture_place at = {.is_float = true, .at = {1, 1}};
    static const f32 want[2][4] = {{2, 3, 1, 0}, {12, 13, 11, 10}};
    for (unsigned c = 0; c < 2; c++) {
        const struct texture_value v = texture_gather(&t, &at, c);
        for (unsigned k = 0; k < 4; k++)
            assert_true(as_float(v.bits[k]) == want[c][k]);
    }
}

/* ---- formats ---- */

static void check_format(u8 format, const void *texels, unsigned n, const u32 *as_is, const f32 *as_floats)
{
    struct texture t = texture_of(texels, format, 1, 1, n, 1, 1);
    t.sampler.address[0] = ADDRESS_CLAMP;
    for (unsigned k = 0; k < n; k++) {
        const struct texture_place at = {.texel = {(i32)k}};
        t.sampler.integers = true;
        assert_int_equal(texture_fetch(&t, &at).bits[0], as_is[k]);
        t.sampler.integers = false;
        if (as_floats)
            assert_true(as_float(texture_fetch(&t, &at).bits[0]) == as_floats[k]);
        else
            assert_int_equal(texture_fetch(&t, &at).bits[0], as_is[k]);
    }
}

static void integers_stay_or_become_floats(void **state)
{
    (void)state;
    check_format(TEXEL_U8, (u8[]){0, 128, 255}, 3, (u32[]){0, 128, 255}, (f32[]){0, 128.0f / 255, 1});
    check_format(TEXEL_S8, (i8[]){-128, -127, 0, 127, 64}, 5, (u32[]){(u32)-128, (u32)-127, 0, 127, 64},
                 (f32[]){-1, -1, 0, 1, 64.0f / 127});
    check_format(TEXEL_U16, (u16[]){0, 32768, 65535}, 3, (u32[]){0, 32768, 65535}, (f32[]){0, 32768.0f / 65535, 1});
    check_format(TEXEL_S16, (i16[]){-32768, -32767, 1, 32767}, 4, (u32[]){(u32)-32768, (u32)-32767, 1, 32767},
                 (f32[]){-1, -1, 1.0f / 32767, 1});
    check_format(TEXEL_U32, (u32[]){0, UINT32_MAX}, 2, (u32[]){0, UINT32_MAX}, NULL);
    check_format(TEXEL_S32, (i32[]){-5, INT32_MIN}, 2, (u32[]){(u32)-5, 0x80000000u}, NULL);
    check_format(TEXEL_FLOAT, (u32[]){0x7fc01234, 0x80000000}, 2, (u32[]){0x7fc01234, 0x80000000}, NULL);
    check_format(TEXEL_HALF, (u16[]){0x3c00, 0xc000, 0x0001, 0x7c00, 0xfbff}, 5,
                 (u32[]){as_bits(1), as_bits(-2), as_bits(0x1p-24f), 0x7f800000, as_bits(-65504)}, NULL);
}

static void channels_that_are_not_there_are_0_0_1(void **state)
{
    (void)state;
    static const u8 bytes[] = {255, 0, 51, 255};
    const struct texture_place at = {0};
    for (u8 channels = 1; channels <= 4; channels = (u8)(channels * 2)) {
        struct texture t = texture_of(bytes, TEXEL_U8, channels, 1, 1, 1, 1);
        const f32 want[4] = {1, 0, channels > 2 ? 0.2f : 0, 1};
        struct texture_value v = texture_fetch(&t, &at);
        for (unsigned k = 0; k < 4; k++)
            assert_true(as_float(v.bits[k]) == want[k]);
        t.sampler.integers = true;
        v = texture_fetch(&t, &at);
        assert_int_equal(v.bits[0], 255);
        assert_int_equal(v.bits[3], channels > 2 ? 255 : 1);
    }
}

static void normalized_integers_are_filtered(void **state)
{
    (void)state;
    static const u8 bytes[] = {0, 255};
    struct texture t = texture_of(bytes, TEXEL_U8, 1, 1, 2, 1, 1);
    t.sampler.linear = true;
    t.sampler.address[0] = ADDRESS_CLAMP;
    assert_true(as_float(fetch(&t, 1, 0, 0).bits[0]) == 0.5f);
    assert_true(as_float(fetch(&t, 0.75f, 0, 0).bits[0]) == 0.25f);
}

/* Weight 0 keeps an infinity out of the sum. */
static void a_texel_of_weight_0_does_not_count(void **state)
{
    (void)state;
    static const f32 texels[] = {1, INFINITY};
    struct texture t = texture_of(texels, TEXEL_FLOAT, 1, 1, 2, 1, 1);
    t.sampler.linear = true;
    t.sampler.address[0] = ADDRESS_CLAMP;
    assert_true(as_float(fetch(&t, 0.5f, 0, 0).bits[0]) == 1);
    assert_true(isinf(as_float(fetch(&t, 1, 0, 0).bits[0])));
}

static void halves_round_to_even(void **state)
{
    (void)state;
    for (u32 h = 0; h < 0x10000; h++)
        if ((h & 0x7c00) != 0x7c00 || !(h & 0x3ff))
            assert_int_equal(texture_half_bits(texture_half_value(h)), h);
    static const struct {
        f32 x;
        u32 want;
    } rows[] = {{1 + 0x1p-11f, 0x3c00}, {1 + 0x3p-11f, 0x3c02}, {65519.996f, 0x7bff}, {65520, 0x7c00},
                {-1e30f, 0xfc00}, {0x1p-25f, 0}, {0x1.8p-25f, 1}, {0x1.ff8p-15f, 0x03ff}, {0x1.ffcp-15f, 0x0400},
                {-0.0f, 0x8000}, {NAN, 0x7fff}};
    for (size_t k = 0; k < LS_ARRAY_LEN(rows); k++)
        assert_int_equal(texture_half_bits(rows[k].x), rows[k].want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_texel_is_the_floor),
        cmocka_unit_test(linear_filtering_weighs_two_texels),
        cmocka_unit_test(weights_have_eight_bits_of_fraction),
        cmocka_unit_test(integer_coordinates_are_texels),
        cmocka_unit_test(two_and_three_dimensions_multiply_weights),
        cmocka_unit_test(each_dimension_has_its_address_mode),
        cmocka_unit_test(a_layer_outside_is_the_last),
        cmocka_unit_test(gather_takes_the_four_texels_from_the_lower_left),
        cmocka_unit_test(integers_stay_or_become_floats),
        cmocka_unit_test(channels_that_are_not_there_are_0_0_1),
        cmocka_unit_test(normalized_integers_are_filtered),
        cmocka_unit_test(a_texel_of_weight_0_does_not_count),
        cmocka_unit_test(halves_round_to_even),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
