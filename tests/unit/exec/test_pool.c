/* The threads that help with launches: whoever is called comes, whatever became of the calls before. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "exec/pool.h"
#include "exec/sched.h"

/* How long one waits for a thread that is called. It takes microseconds; this is for machines that have other work. */
#define PATIENCE 60.0 /* seconds */

enum { ROUNDS = 600, MOST = 3 };

static atomic_uint came, went;

/* Without a system call, which would take longer than threads look out for work. */
static void spin(double seconds)
{
    for (const double until = exec_now() + seconds; exec_now() < until;)
        ;
}

/* Long enough that the thread looks out for more behind it. */
static void help(void *ctx)
{
    (void)ctx;
    atomic_fetch_add(&came, 1);
    spin(1e-3);
    atomic_fetch_add(&went, 1);
}

/* Offers so many places and waits until as many threads have come, and are about to go. */
static void expect_help(unsigned places)
{
    struct pool_work w = {.help = help};
    atomic_store(&came, 0);
    atomic_store(&went, 0);
    pool_offer(&w, places);
    for (const double until = exec_now() + PATIENCE; atomic_load(&came) < places && exec_now() < until;)
        sched_yield();
    while (atomic_load(&went) < atomic_load(&came))
        sched_yield();
    spin(20e-6); /* they have gone: who waits for them sleeps for longer than they look out */
    pool_withdraw(&w);
    assert_int_equal(atomic_load(&came), places);
}

/* Work that is gone before anybody can have come for it. */
static void offer_in_vain(unsigned places)
{
    struct pool_work w = {.help = help};
    pool_offer(&w, places);
    pool_withdraw(&w);
}

/* Threads that look out for work, sleep, or are about to. */
static void test_calls_in_vain_do_no_harm(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const unsigned places = 1 + round % MOST;
        expect_help(places);
        spin(round % 5 * 20e-6);
        for (unsigned k = 0; k <= round % 3; k++)
            offer_in_vain(places);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calls_in_vain_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
