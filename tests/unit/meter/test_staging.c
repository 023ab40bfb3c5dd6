/* test_staging.c - accesses as requests in the stream of their warp: its turns and lines are counted as they come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/alloc.h"
#include "meter/access/staging.h"
#include "model/cache/sample.h"

enum { SITES = 4, WITH_NEXT = 2, MOST = 40 }; /* accesses of site WITH_NEXT have no turn of their own */

static u64 state;
static u32 below(u32 n)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (u32)((state >> 32) * n >> 32);
}

/* Of few places, so that the same is often asked for again. */
static void make_lines(struct lines *l)
{
    const u64 first = below(3) * 1000;
    l->n = below(4) ? 1 + below(3) : 1 + below(MOST);
    for (u32 k = 0; k < l->n; k++) {
        l->number[k] = first + k;
        l->sectors[k] = 15;
    }
}

/* What a stream has, word by word. */
static void count_words(const struct requests *r, u64 *turns, u64 *lines)
{
    *turns = *lines = 0;
    for (u64 k = 0; k < r->len; k++) {
        const u64 word = r->at[k];
        *turns += request_last(word) && request_site(word) != WITH_NEXT;
        *lines += 1;
        for (u64 at = request_first(word); request_is_again(word) && !request_last(r->at[at]); at++)
            *lines += 1;
    }
}

static void put_any(struct sm *s, struct requests *r)
{
    static const u8 kinds[] = {TRAFFIC_LOAD, TRAFFIC_LOAD, TRAFFIC_STORE, TRAFFIC_STORE_WORD, TRAFFIC_LOAD_PAST};
    static struct lines l;
    const u32 what = below(LS_ARRAY_LEN(kinds) + 2), site = below(SITES);
    if (what == LS_ARRAY_LEN(kinds)) {
        assert_true(staging_order(s, r, site, ORDER_SETTLES));
    } else if (what > LS_ARRAY_LEN(kinds)) {
        assert_true(staging_barrier(s, r));
    } else {
        make_lines(&l);
        assert_true(requests_room(r, l.n));
        assert_true(staging_put(s, r, site, kinds[what], &l));
    }
}

static void turns_and_lines_are_counted(void **unused)
{
    (void)unused;
    static struct traffic rows[SITES];
    struct traffic *row[SITES], **sites = row;
    u8 how[SITES] = {[WITH_NEXT] = SITE_WITH_NEXT}, *of = how;
    struct requests r = {0};
    for (u32 k = 0; k < SITES; k++)
        row[k] = &rows[k];
    for (u32 thinned = 1; thinned <= 4; thinned *= 4)
        for (u32 round = 0; round < 50; round++) {
            struct sm s = {.how = &of, .staged_in = thinned, .one_in_most = thinned, .budget = 1 << 20};
            s.l2.sites = &sites;
            u64 turns, lines, folded = 0;
            for (u32 k = 0; k < 60; k++)
                put_any(&s, &r);
            count_words(&r, &turns, &lines);
            for (u64 k = 0; k < r.len; k++)
                folded += request_is_again(r.at[k]);
            assert_true(folded > 0);
            assert_int_equal(r.turns, turns);
            assert_int_equal(r.len + r.folded, lines);
            assert_int_equal(s.staged, r.len);
            requests_empty(&r);
            assert_int_equal(r.turns + r.folded, 0);
        }
    ls_free(r.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_and_lines_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
