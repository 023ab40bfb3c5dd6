/* test_check_dropped.c - the machine code of callers says whether they look at what they get. A dropped result must be
 * recognised in ordinary code, and one that is looked at must never be called dropped. */
#include <execinfo.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "callers.h"
#include "check/errorcheck/errorcheck.h"

static bool dropped;

__attribute__((noinline)) int probe(void *where, int n)
{
    enum { DEEP = 12, OWN = 1 };
    void *frames[DEEP];
    u64 above[DEEP];
    const int all = backtrace(frames, DEEP);
    (void)where, (void)n;
    for (int k = OWN; k < all; k++)
        above[k - OWN] = (u64)(uintptr_t)frames[k];
    dropped = errorcheck_dropped(above, (u32)(all - OWN));
    return 7;
}

static void judge(int (*caller)(int), bool drops, const char *name)
{
    dropped = !drops;
    (void)caller(5);
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    if (dropped != drops)
        fail_msg("%s: dropped is %d", name, dropped);
#else
    if (dropped && !drops) /* the code is a sanitizer's, too: then nothing may be known */
        fail_msg("%s: dropped", name);
#endif
}

static void callers_are_judged(void **state)
{
    (void)state;
#define CALLER(name, drops) judge(name, drops, #name);
    CALLERS
#undef CALLER
}

/* Data is no code, and nothing is read outside of it. */
static void other_addresses_are_unknown(void **state)
{
    (void)state;
    static const u64 nowhere[] = {0, 16, UINT64_MAX - 4, (u64)(uintptr_t)nowhere};
    for (u32 k = 0; k < 4; k++)
        assert_false(errorcheck_dropped(&nowhere[k], 1));
    assert_false(errorcheck_dropped(nowhere, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(callers_are_judged),
                                       cmocka_unit_test(other_addresses_are_unknown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
