/* test_sectors.c - sectors against a set of bytes: every byte an active lane touches is marked, then the blocks that
 * hold a mark are counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "meter/access/sectors.h"

enum { BYTES = 1 << 16 };
static u8 touched[BYTES];
static u32 seed = 99;

static u32 random_u32(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

static u32 random_mask(void)
{
    switch (random_u32() % 4) {
    case 0:
        return UINT32_MAX;
    case 1:
        return 1u << random_u32() % 32;
    default:
        return (random_u32() << 16 ^ random_u32()) | 1;
    }
}

static u32 marked_blocks(u32 block_bytes)
{
    u32 n = 0;
    for (u32 b = 0; b < BYTES; b += block_bytes)
        n += memchr(touched + b, 1, block_bytes) != NULL;
    return n;
}

/* One of: linear, reversed, strided, all the same, random, random in a few lines, misaligned. */
static void random_pattern(u64 *at, u32 bytes)
{
    const u32 kind = random_u32() % 7, stride = random_u32() % 300, base = random_u32() % 4096;
    for (u32 i = 0; i < 32; i++) {
        const u64 by_kind[] = {i * bytes,          (31 - i) * bytes, i * stride, 0, random_u32() % 40000,
                               random_u32() % 256, i * bytes};
        at[i] = base + by_kind[kind];
        if (kind != 6)
            at[i] = at[i] / bytes * bytes;
    }
}

static void sectors_are_the_marked_blocks(void **state)
{
    (void)state;
    static const u32 widths[] = {1, 2, 4, 8, 16, 32};
    for (int round = 0; round < 20000; round++) {
        const u32 bytes = widths[random_u32() % 6], mask = random_mask();
        u64 at[32];
        random_pattern(at, bytes);
        memset(touched, 0, sizeof touched);
        for (u32 i = 0; i < 32; i++)
            if (mask >> i & 1)
                memset(touched + at[i], 1, bytes);
        assert_int_equal(sectors_count(at, mask, bytes), marked_blocks(32));
    }
}

/* In one pass what the two counts say apart; also where lanes are far from each other, or not aligned. */
static void elements_and_sectors_are_counted_together(void **state)
{
    (void)state;
    for (int round = 0; round < 40000; round++) {
        const u32 bytes = 1u << random_u32() % 6, mask = random_mask();
        u64 at[32];
        random_pattern(at, bytes);
        for (u32 i = 0; i < 32; i++) {
            at[i] += round % 3 ? 0x7f1234560000ull : 0;
            at[i] += round % 5 == 0 && random_u32() % 4 == 0 ? (u64)(random_u32() % 4) << 31 : 0;
        }
        const struct distinct n = sectors_distinct(at, mask, bytes);
        assert_int_equal(n.elements, sectors_words(at, mask, bytes));
        assert_int_equal(n.sectors, sectors_count(at, mask, bytes));
    }
}

/* Lane l's byte b of word k is byte b of the warp's word 32 k + l. */
static void local_sectors_are_interleaved_words(void **state)
{
    (void)state;
    for (int round = 0; round < 5000; round++) {
        const u32 bytes = 1u << random_u32() % 5, mask = random_mask();
        u64 at[32];
        memset(touched, 0, sizeof touched);
        for (u32 i = 0; i < 32; i++) {
            at[i] = random_u32() % (round % 2 ? 400 : 16) / bytes * bytes;
            for (u64 o = at[i]; o < at[i] + bytes && mask >> i & 1; o++)
                touched[(32 * (o / 4) + i) * 4 + o % 4] = 1;
        }
        assert_int_equal(sectors_local(at, mask, bytes), marked_blocks(32));
    }
}

static void the_same_index_of_a_local_array_is_four_sectors(void **state)
{
    (void)state;
    u64 at[32];
    for (u32 i = 0; i < 32; i++)
        at[i] = 40;
    assert_int_equal(sectors_local(at, UINT32_MAX, 4), 4);
}

static void constant_words_are_the_distinct_addresses(void **state)
{
    (void)state;
    for (int round = 0; round < 5000; round++) {
        const u32 bytes = 1u << random_u32() % 5, mask = random_mask();
        u64 at[32];
        u32 want = 0;
        for (u32 i = 0; i < 32; i++) {
            at[i] = random_u32() % 256 / bytes * bytes;
            bool fresh = mask >> i & 1;
            for (u32 j = 0; j < i; j++)
                fresh &= !(mask >> j & 1) || at[j] != at[i];
            want += fresh;
        }
        assert_int_equal(sectors_words(at, mask, bytes), want);
    }
}

/* The textbook cases: 32 floats in a row are 4 sectors, shifted by one float 5, every eighth float 32. */
static void textbook_accesses(void **state)
{
    (void)state;
    u64 row[32], shifted[32], eighth[32];
    for (u32 i = 0; i < 32; i++) {
        row[i] = 1024 + 4 * i;
        shifted[i] = row[i] + 4;
        eighth[i] = 32 * i;
    }
    assert_int_equal(sectors_count(row, UINT32_MAX, 4), 4);
    assert_int_equal(sectors_count(shifted, UINT32_MAX, 4), 5);
    assert_int_equal(sectors_count(eighth, UINT32_MAX, 4), 32);
    assert_int_equal(sectors_count(row, 0, 4), 0);
}

/* A reduction charges a sector for each lane that adds to the same element. */
static void reductions_repeat_sectors(void **state)
{
    (void)state;
    u64 row[32], same[32], pairs[32];
    for (u32 i = 0; i < 32; i++) {
        row[i] = 4 * i;
        same[i] = 64;
        pairs[i] = 4 * (i / 2);
    }
    assert_int_equal(sectors_red(row, UINT32_MAX, 4), 4);
    assert_int_equal(sectors_red(same, UINT32_MAX, 4), 32);
    assert_int_equal(sectors_red(same, 0xff, 4), 8);
    assert_int_equal(sectors_red(pairs, UINT32_MAX, 4), 4); /* two sectors, each word twice */
    assert_int_equal(lines_red(row, UINT32_MAX, 4), 1);
    assert_int_equal(lines_red(same, UINT32_MAX, 4), 32);
    assert_int_equal(lines_red(pairs, UINT32_MAX, 4), 2);
}

/* By the rule, lane by lane: of each piece of memory the element that most lanes want. */
static u32 turns_of(const u64 *at, u32 mask, u32 bytes, u32 piece)
{
    u32 total = 0;
    for (u32 i = 0; i < 32; i++) {
        bool first = mask >> i & 1;
        u32 most = 0;
        for (u32 k = 0; k < i; k++)
            first &= !(mask >> k & 1) || at[k] / piece != at[i] / piece;
        for (u32 k = i; k < 32 && first; k++) {
            u32 n = 0;
            for (u32 j = 0; j < 32 && mask >> k & 1 && at[k] / piece == at[i] / piece; j++)
                n += (mask >> j & 1) && at[j] / bytes == at[k] / bytes;
            most = n > most ? n : most;
        }
        total += most;
    }
    return total;
}

static void any_reduction_takes_turns(void **state)
{
    (void)state;
    for (int round = 0; round < 20000; round++) {
        const u32 bytes = 1u << random_u32() % 4, mask = random_mask(), range = 1u << random_u32() % 14;
        u64 at[32];
        for (u32 i = 0; i < 32; i++) {
            at[i] = 0x7f1234560000ull + random_u32() % range / bytes * bytes;
            at[i] += round % 50 == 0 ? 1 : round % 7 == 0 ? (u64)(random_u32() % 2) << 31 : 0;
        }
        assert_int_equal(sectors_red(at, mask, bytes), turns_of(at, mask, bytes, 32));
        assert_int_equal(lines_red(at, mask, bytes), turns_of(at, mask, bytes, 128));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sectors_are_the_marked_blocks),
        cmocka_unit_test(elements_and_sectors_are_counted_together),
        cmocka_unit_test(local_sectors_are_interleaved_words),
        cmocka_unit_test(the_same_index_of_a_local_array_is_four_sectors),
        cmocka_unit_test(constant_words_are_the_distinct_addresses),
        cmocka_unit_test(textbook_accesses),
        cmocka_unit_test(reductions_repeat_sectors),
        cmocka_unit_test(any_reduction_takes_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
