/* test_cache.c - the tags of a cache: what it holds, what leaves, and where lines go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "model/cache/cache.h"
#include "model/cache/cache_entries.h"
#include "model/cache/cache_sets.h"
#include "model/cache/l2/joins.h"
#include "model/cache/sectors.h"
#include "model/cache/traffic.h"

/* The line, now the last used, or NULL when it is not there. */
static struct cache_line *find(struct cache *c, u64 number)
{
    struct cache_line gone;
    u32 rank;
    return cache_peek(c, number, &rank) ? cache_take(c, number, &gone) : NULL;
}

/* Reads a line; whether it was there. */
static bool touch(struct cache *c, u64 number)
{
    struct cache_line gone;
    if (find(c, number))
        return true;
    cache_take(c, number, &gone);
    return false;
}

static void holds_as_many_lines_as_it_has_bytes(void **state)
{
    (void)state;
    struct cache c;
    assert_true(cache_init(&c, 64 * CACHE_LINE, 4)); /* 16 sets */
    for (u64 n = 0; n < 64; n++)
        assert_false(touch(&c, n));
    for (u64 n = 0; n < 64; n++) /* any 16 neighbours meet every set once, so all 64 are there */
        assert_true(touch(&c, n));
    cache_free(&c);
}

static void one_line_too_many_costs_its_set_everything(void **state)
{
    (void)state;
    struct cache c;
    assert_true(cache_init(&c, 4 * CACHE_LINE, 4)); /* one set: least recently used, so going round never hits */
    for (u32 round = 0; round < 3; round++)
        for (u64 n = 0; n < 5; n++)
            assert_false(touch(&c, n));
    cache_free(&c);
}

static void the_least_recently_used_line_leaves(void **state)
{
    (void)state;
    struct cache c;
    struct cache_line gone;
    assert_true(cache_init(&c, 2 * CACHE_LINE, 2));
    cache_take(&c, 1, &gone)->dirty = 5;
    assert_false(gone.held);
    cache_take(&c, 2, &gone);
    assert_non_null(find(&c, 1)); /* 2 is now the older one */
    cache_take(&c, 3, &gone);
    assert_true(gone.held);
    assert_int_equal(gone.number, 2);
    cache_take(&c, 4, &gone);
    assert_int_equal(gone.number, 1);
    assert_int_equal(gone.dirty, 5);
    assert_null(find(&c, 1));
    cache_free(&c);
}

/* One set in order of use, as cache.h says it: found lines come to the front, new ones too, and the last one leaves. */
struct plain_set {
    u64 at[16];
    u32 n, ways;
};

static bool plain_take(struct plain_set *s, u64 number, u64 *gone)
{
    u32 at = 0;
    while (at < s->n && s->at[at] != number)
        at++;
    const bool found = at < s->n;
    *gone = 0;
    if (!found && s->n == s->ways)
        *gone = s->at[--at];
    else if (!found)
        s->n++;
    memmove(s->at + 1, s->at, sizeof *s->at * at);
    s->at[0] = number;
    return found;
}

/* Sets of eight and sixteen ways are looked up by vectors where the processor has them, and way by way. */
static void sets_of_any_size_are_in_order_of_use(void **state)
{
    (void)state;
    for (u32 k = 0; k < 32; k++) {
        const u32 ways = 1 + k % 16;
        struct cache c;
        struct plain_set plain = {.ways = ways};
        u64 random = ways;
        assert_true(cache_init(&c, ways * CACHE_LINE, ways));
        c.vectors &= k < 16;
        for (u32 n = 0; n < 2000; n++) {
            random = random * 6364136223846793005ull + 1442695040888963407ull;
            const u64 number = (1ull << 39) + 1 + (random >> 33) % 20;
            struct cache_line gone, *l;
            u64 plain_gone;
            u32 rank;
            const bool there = cache_peek(&c, number, &rank) && rank < ways;
            assert_int_equal(there, plain_take(&plain, number, &plain_gone));
            l = cache_take(&c, number, &gone);
            assert_int_equal(l->number, number);
            assert_int_equal(l->valid, there ? number % 16 : 0);
            l->valid = number % 16;
            assert_int_equal(gone.number, plain_gone);
            assert_int_equal(gone.valid, plain_gone % 16);
            for (u32 way = 0; way < plain.n; way++)
                assert_true(cache_peek(&c, plain.at[way], &rank) && rank == way);
        }
        cache_free(&c);
    }
}

/* Lines that are taken together find what they find one after the other, and leave it so: by vectors as without. Some have the lowest bits of
 * others. */
static void together_as_in_turn(u32 ways, u32 sets, u32 policy, bool vectors)
{
    enum { MOST = 150 };
    struct cache a, b;
    u64 random = ways + sets, number[MOST], asked[MOST];
    u8 sectors[MOST], there[MOST], lacking[MOST];
    assert_true(cache_init(&a, (u64)sets * ways * CACHE_LINE, ways));
    assert_true(cache_init(&b, (u64)sets * ways * CACHE_LINE, ways));
    a.policy = b.policy = policy;
    a.vectors &= vectors;
    b.vectors = false;
    for (u32 round = 0; round < 200; round++) {
        const u32 n = round * 7 % (MOST + 1);
        if (round == 150) {
            cache_clear(&a);
            cache_clear(&b);
        }
        for (u32 i = 0; i < n; i++) {
            random = random * 6364136223846793005ull + 1442695040888963407ull;
            number[i] = (random >> 33) % ((round / 50 ? 6 : 1) * sets * ways) | (random >> 20 & round & 1) << 36;
            sectors[i] = (u8)(random >> 60);
            asked[i] = number[i] | (u64)sectors[i] << CACHE_NUMBER_BITS | random << (CACHE_NUMBER_BITS + CACHE_SECTORS);
        }
        cache_take_lines(&a, asked, n, there, lacking);
        for (u32 i = 0; i < n; i++) {
            struct cache_line gone, *l = cache_take(&b, number[i], &gone);
            assert_int_equal(there[i], l->valid & sectors[i]);
            assert_int_equal(lacking[i], sectors[i] & ~there[i]);
            l->valid |= sectors[i];
        }
        for (u32 i = 0; i < sets * ways; i++)
            assert_memory_equal(b.lines[i].held == b.stamp ? &a.lines[i] : &b.lines[i], &b.lines[i], sizeof *b.lines);
    }
    assert_int_equal(a.begun, b.begun);
    assert_int_equal(a.filled, b.filled);
    assert_int_equal(a.random, b.random);
    cache_free(&a);
    cache_free(&b);
}

static void lines_together_are_lines_in_turn(void **state)
{
    (void)state;
    static const u32 ways[] = {5, 8, 16};
    for (u32 k = 0; k < 4 * LS_ARRAY_LEN(ways); k++)
        for (u32 sets = 1; sets < 8; sets += 3)
            together_as_in_turn(ways[k / 4], sets, k % 2 ? CACHE_KEEPS : 0, k / 2 % 2);
    struct cache none;
    u8 there = 1, lacking = 0;
    assert_true(cache_init(&none, 0, 8));
    cache_take_lines(&none, &(u64){5 | 3ull << CACHE_NUMBER_BITS}, 1, &there, &lacking);
    assert_int_equal(there, 0);
    assert_int_equal(lacking, 3);
}

/* Also of numbers of all bits, which local memory's are. */
static void sets_together_are_sets_one_by_one(void **state)
{
    (void)state;
    u64 random = 1;
    for (u32 k = 0; k < 2000; k++) {
        struct cache c;
        u64 word[CACHE_SETS_MOST];
        u32 set[CACHE_SETS_MOST];
        assert_true(cache_init(&c, (k / 4 + 1) * CACHE_LINE * 8ull, 8));
        c.policy = k % 2 ? CACHE_MIXED : CACHE_KEEPS;
        c.same_set = k / 2 % 2 ? 1ull << 39 : 0;
        for (u32 i = 0; i < CACHE_SETS_MOST; i++) {
            random = random * 6364136223846793005ull + 1442695040888963407ull;
            word[i] = random >> (k % 8 < 7 ? 24 + k % 8 * 4 : 0);
        }
        cache_sets(set, &c, word, CACHE_SETS_MOST - k % 9);
        for (u32 i = 0; i < CACHE_SETS_MOST - k % 9; i++)
            assert_int_equal(set[i], cache_set(&c, word[i] & ((1ull << CACHE_NUMBER_BITS) - 1)));
        cache_free(&c);
    }
}

/* Whoever looks at the first lines of a set before he asks the cache finds what he would have found, and leaves the set as he would have left it. */
static void a_line_among_the_first_is_taken_as_any(void **state)
{
    (void)state;
    u64 random = 1;
    for (u32 ways = 1; ways <= 16; ways++) {
        struct cache a, b;
        assert_true(cache_init(&a, ways * 4 * CACHE_LINE, ways) && cache_init(&b, ways * 4 * CACHE_LINE, ways));
        for (u32 k = 0; k < 4000; k++) {
            struct cache_line gone;
            random = random * 6364136223846793005ull + 1442695040888963407ull;
            const u64 number = (random >> 33) % (k % 2 ? 12 : 6 * ways);
            struct cache_line *l = entries_take_first(&a, cache_set(&a, number), number);
            l = l ? l : cache_take(&a, number, &gone);
            l->valid |= k & 15;
            cache_take(&b, number, &gone)->valid |= k & 15;
            assert_memory_equal(a.lines, b.lines, sizeof *a.lines * ways * 4);
        }
        cache_free(&a);
        cache_free(&b);
    }
}

static void sectors_of_many_are_those_of_each(void **state)
{
    (void)state;
    u8 mask[64];
    u64 random = 1;
    for (u32 k = 0; k < 2000; k++) {
        const u32 n = k % 65;
        u32 sum = 0;
        u64 there = 0;
        for (u32 i = 0; i < n; i++) {
            random = random * 6364136223846793005ull + 1442695040888963407ull;
            mask[i] = random >> 60 & (k % 3 ? 15 : random >> 50);
            sum += sectors_in(mask[i]);
            there |= (u64)(mask[i] != 0) << i;
        }
        assert_int_equal(sectors_of_all(mask, n), sum);
        assert_true(sectors_there(mask, n) == there);
    }
}

/* Runs of as many lines as there are sets meet every set once, however many sets there are, also far up. */
static void any_number_of_sets_is_met_evenly(void **state)
{
    (void)state;
    for (u32 nsets = 1; nsets < 200; nsets++) {
        struct cache c;
        const u64 first[] = {0, 7ull * nsets, 123456789ull * nsets, (1ull << 39) / nsets * nsets};
        for (u32 k = 0; k < LS_ARRAY_LEN(first); k++) {
            assert_true(cache_init(&c, 8ull * nsets * CACHE_LINE, 8));
            for (u32 round = 0; round < 2; round++)
                for (u64 n = 0; n < 8ull * nsets; n++)
                    assert_int_equal(touch(&c, first[k] + n), round == 1);
            cache_free(&c);
        }
    }
}

static void a_new_line_has_no_sectors(void **state)
{
    (void)state;
    struct cache c;
    struct cache_line gone;
    assert_true(cache_init(&c, 8 * CACHE_LINE, 8));
    struct cache_line *l = cache_take(&c, 7, &gone);
    assert_int_equal(l->valid, 0);
    assert_int_equal(l->dirty, 0);
    l->valid = 2;
    assert_int_equal(find(&c, 7)->valid, 2);
    cache_clear(&c);
    assert_null(find(&c, 7));
    cache_free(&c);
}

/* Without the hash, lines that are a number of sets apart would share one set of 4. */
static void powers_of_two_are_spread(void **state)
{
    (void)state;
    struct cache c;
    u32 hits = 0;
    assert_true(cache_init(&c, 1024 * CACHE_LINE, 4));
    for (u32 round = 0; round < 2; round++)
        for (u64 n = 0; n < 128; n++)
            hits += touch(&c, n * 4096);
    assert_true(hits > 64);
    cache_free(&c);
}

static void sets_need_not_be_a_power_of_two(void **state)
{
    (void)state;
    struct cache c;
    assert_true(cache_init(&c, 60 * CACHE_LINE, 5)); /* 12 sets: 3 runs of 4 */
    assert_int_equal(c.nsets, 12);
    for (u32 round = 0; round < 2; round++)
        for (u64 n = 24; n < 84; n++)
            assert_int_equal(touch(&c, n), round);
    cache_free(&c);
}

/* Half as many lines as there is room for: spread evenly nothing leaves; by a hash hardly any does. As many as there is room
 * for: a set of 4 has room for what is dealt to it but for about a fifth. */
static void a_hash_fills_sets_unevenly(void **state)
{
    (void)state;
    struct cache c;
    u32 lost[2];
    for (u32 k = 0; k < 2; k++) {
        assert_true(cache_init(&c, 4096 * CACHE_LINE, 4));
        c.policy = CACHE_HASHED;
        const u32 lines = 2048u << k;
        for (u64 n = 0; n < lines; n++)
            touch(&c, n);
        lost[k] = lines;
        for (u64 n = 0; n < lines; n++)
            lost[k] -= find(&c, n) != NULL;
        cache_free(&c);
    }
    assert_in_range(lost[0], 1, 2048 * 5 / 100);
    assert_in_range(lost[1], 4096 * 15 / 100, 4096 * 25 / 100);
}

/* Lines a run apart, half as many as there is room for: dealt in turn they all stay, dealt as if at random some sets get too many. In
 * order nothing leaves either way. */
static void mixed_runs_are_spread_as_if_at_random(void **state)
{
    (void)state;
    enum { SETS = 1024, LINES = SETS * 2 };
    for (u32 policy = 0; policy <= CACHE_MIXED; policy += CACHE_MIXED)
        for (u32 apart = 1; apart <= SETS; apart += SETS - 1) {
            struct cache c;
            u32 lost = LINES;
            assert_true(cache_init(&c, SETS * 4 * CACHE_LINE, 4));
            c.policy = policy;
            for (u64 n = 0; n < LINES; n++)
                touch(&c, n * apart);
            for (u64 n = 0; n < LINES; n++)
                lost -= find(&c, n * apart) != NULL;
            if (policy && apart > 1)
                assert_in_range(lost, LINES / 100, LINES * 5 / 100);
            else
                assert_int_equal(lost, 0);
            cache_free(&c);
        }
}

/* Six lines in a set of five, round and round: the least recently used one's leaving never hits, any one's leaving mostly
 * does; and the same lines leave each time. */
static void any_line_may_leave(void **state)
{
    (void)state;
    struct cache c;
    u32 hits[2] = {0};
    assert_true(cache_init(&c, 5 * CACHE_LINE, 5));
    c.policy = CACHE_KEEPS;
    for (u32 run = 0; run < 2; run++) {
        cache_clear(&c);
        for (u32 k = 0; k < 600; k++)
            hits[run] += touch(&c, k % 6);
    }
    assert_in_range(hits[0], 300, 570);
    assert_int_equal(hits[0], hits[1]);
    cache_free(&c);
}

/* Of six lines that were asked for again a set of 16 keeps the last four, whatever else comes; of those that were asked for once, none. */
static void what_is_asked_for_again_stays(void **state)
{
    (void)state;
    for (u32 vectors = 0; vectors < 2; vectors++)
        for (u32 times = 1; times < 3; times++) {
            struct cache c;
            u32 rank, there = 0;
            assert_true(cache_init(&c, 16 * CACHE_LINE, 16));
            c.policy = CACHE_KEEPS;
            c.vectors &= vectors;
            for (u32 k = 0; k < 6 * times; k++)
                touch(&c, k % 6);
            for (u64 n = 100; n < 1100; n++)
                assert_false(touch(&c, n));
            for (u64 n = 0; n < 6; n++)
                there |= (u32)(cache_peek(&c, n, &rank) != NULL) << n;
            assert_int_equal(there, times == 1 ? 0 : 0x3c);
            cache_free(&c);
        }
}

static void no_bytes_hold_nothing(void **state)
{
    (void)state;
    struct cache c;
    struct cache_line gone;
    assert_true(cache_init(&c, CACHE_LINE - 1, 4));
    assert_null(cache_take(&c, 1, &gone));
    assert_false(gone.held);
    assert_null(find(&c, 1));
    cache_clear(&c);
    cache_free(&c);
}

static void taking_a_line_finds_it(void **state)
{
    (void)state;
    struct cache c;
    struct cache_line gone;
    assert_true(cache_init(&c, 4 * CACHE_LINE, 4));
    cache_take(&c, (1ull << CACHE_NUMBER_BITS) - 1, &gone)->valid = 9;
    for (u64 n = 0; n < 3; n++)
        cache_take(&c, n, &gone)->dirty = 1;
    assert_int_equal(cache_take(&c, (1ull << CACHE_NUMBER_BITS) - 1, &gone)->valid, 9);
    assert_false(gone.held);
    cache_take(&c, 7, &gone);
    assert_int_equal(gone.number, 0); /* the oldest, since the first line was used again */
    assert_int_equal(gone.dirty, 1);
    cache_free(&c);
}

/* Stamps of 16 bits begin anew after 65535: never may an old one be taken for the present one. */
static void what_was_forgotten_never_comes_back(void **state)
{
    (void)state;
    struct cache c;
    struct cache_line gone;
    assert_true(cache_init(&c, 2 * CACHE_LINE, 2));
    cache_take(&c, 1, &gone);
    cache_take(&c, 2, &gone);
    for (u32 k = 0; k < 3 * 65536; k++) {
        cache_clear(&c);
        assert_null(find(&c, 1));
    }
    cache_take(&c, 3, &gone);
    cache_take(&c, 4, &gone);
    assert_false(gone.held);
    cache_free(&c);
}

static void a_new_shape_is_empty(void **state)
{
    (void)state;
    static const u32 shapes[][2] = {{64, 4}, {12, 3}, {256, 16}, {0, 4}, {64, 1}, {256, 16}};
    struct cache c = {0};
    for (u32 k = 0; k < LS_ARRAY_LEN(shapes); k++) {
        assert_true(cache_shape(&c, (u64)shapes[k][0] * CACHE_LINE, shapes[k][1]));
        for (u32 round = 0; round < 2; round++)
            for (u64 n = 0; n < shapes[k][0]; n++)
                assert_int_equal(touch(&c, n), round);
    }
    cache_free(&c);
}

static void put_access(struct requests *r, u64 number, u32 n, enum traffic_kind kind, u32 site)
{
    for (u32 k = 0; k < n; k++)
        assert_true(requests_push(r, request_make(number + k, 2, kind, k + 1 == n, site)));
    requests_fold(r, n);
}

static void an_access_to_the_same_sectors_is_a_word(void **state)
{
    (void)state;
    struct requests r = {0};
    put_access(&r, 100, 32, TRAFFIC_LOAD, 1);
    put_access(&r, 100, 32, TRAFFIC_STORE_WORD, 2); /* of another instruction */
    assert_int_equal(r.len, 33);
    assert_true(request_is_again(r.at[32]));
    assert_int_equal(request_first(r.at[32]), 0);
    assert_true(request_of_again(r.at[32], r.at[31]) == request_make(131, 2, TRAFFIC_STORE_WORD, true, 2));
    assert_true(request_of_again(r.at[32], r.at[30]) == request_make(130, 2, TRAFFIC_STORE_WORD, false, 2));
    put_access(&r, 100, 31, TRAFFIC_LOAD, 1); /* one line less */
    assert_int_equal(r.len, 33 + 31);
    requests_empty(&r);
    put_access(&r, 100, 31, TRAFFIC_LOAD, 1); /* what was there is forgotten */
    assert_int_equal(r.len, 31);
    ls_free(r.at);
}

static void reads_join_for_a_time(void **state)
{
    (void)state;
    enum { LINE = 77, BEGIN = 1000 };
    static struct joins j;
    const u32 one = joins_asked(15, 3), two = joins_asked(15, 5), half = joins_asked(3, 5);
    assert_int_equal(joins_ask(&j, 2, LINE, one, BEGIN), 0);
    assert_int_equal(joins_ask(&j, 2, LINE, two, BEGIN), one);
    assert_int_equal(joins_ask(&j, 2, LINE, two, BEGIN + JOINS_CYCLES), one);
    assert_int_equal(joins_ask(&j, 1, LINE, two, BEGIN + 1), 0); /* another group */
    assert_int_equal(joins_ask(&j, 2, LINE + 1, two, BEGIN + 1), 0);
    assert_int_equal(joins_ask(&j, 2, LINE, two, BEGIN + JOINS_CYCLES + 1),
                     0); /* too late: it asks, and others join it */
    assert_int_equal(joins_ask(&j, 2, LINE, one, BEGIN + 2 * JOINS_CYCLES), two);
    assert_int_equal(joins_ask(&j, 2, LINE, half, BEGIN + 2 * JOINS_CYCLES), 0); /* other sectors */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_as_many_lines_as_it_has_bytes),
        cmocka_unit_test(one_line_too_many_costs_its_set_everything),
        cmocka_unit_test(the_least_recently_used_line_leaves),
        cmocka_unit_test(lines_together_are_lines_in_turn),
        cmocka_unit_test(reads_join_for_a_time),
        cmocka_unit_test(sets_of_any_size_are_in_order_of_use),
        cmocka_unit_test(sets_together_are_sets_one_by_one),
        cmocka_unit_test(a_line_among_the_first_is_taken_as_any),
        cmocka_unit_test(sectors_of_many_are_those_of_each),
        cmocka_unit_test(any_number_of_sets_is_met_evenly),
        cmocka_unit_test(a_new_line_has_no_sectors),
        cmocka_unit_test(powers_of_two_are_spread),
        cmocka_unit_test(sets_need_not_be_a_power_of_two),
        cmocka_unit_test(a_hash_fills_sets_unevenly),
        cmocka_unit_test(mixed_runs_are_spread_as_if_at_random),
        cmocka_unit_test(any_line_may_leave),
        cmocka_unit_test(what_is_asked_for_again_stays),
        cmocka_unit_test(no_bytes_hold_nothing),
        cmocka_unit_test(taking_a_line_finds_it),
        cmocka_unit_test(what_was_forgotten_never_comes_back),
        cmocka_unit_test(a_new_shape_is_empty),
        cmocka_unit_test(an_access_to_the_same_sectors_is_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
