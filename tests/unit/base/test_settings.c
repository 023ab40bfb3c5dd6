/* test_settings.c - the table of settings: what each kind of value may be, what is said of one that it may not, and what a
 * command hands on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/settings.h"

static struct settings s;
static char why[SETTING_WHY];

static bool takes(enum setting n, const char *text) { return settings_set(&s, n, text, why); }

/* Refused with these words, and then as if it was not given. */
static void refuses(enum setting n, const char *text, const char *words)
{
    char want[SETTING_WHY];
    const struct settings before = s;
    if (takes(n, text))
        fail_msg("%s takes %s", setting_info(n)->name, text);
    snprintf(want, sizeof want, "%s=%s %s", setting_info(n)->name, text, words);
    assert_string_equal(why, want);
    assert_null(s.given[n]);
    assert_true(takes(n, before.given[n]));
}

static int start(void **state)
{
    (void)state;
    clearenv();
    return settings_read(&s, NULL, NULL) ? 0 : -1;
}

/* ---- kinds of values ---- */

static void presets(void **state)
{
    (void)state;
    assert_int_equal(s.devices, 1);
    assert_int_equal(s.device_memory, 0);
    assert_int_equal(s.memory, MEMORY_STRONG);
    assert_int_equal(s.schedules_memory, (u64)1 << 30);
    assert_true(s.profile_from_start && s.colour);
    assert_false(s.caches || s.kill || s.launch_blocking);
    assert_null(s.gpu);
    assert_null(s.ptxas);
    for (unsigned n = 0; n < SETTING_COUNT; n++)
        assert_null(s.given[n]);
}

static void every_row_can_be_documented(void **state)
{
    (void)state;
    for (unsigned n = 0; n < SETTING_COUNT; n++) {
        const struct setting_info *r = setting_info((enum setting)n);
        char text[160];
        setting_takes((enum setting)n, text);
        assert_true(*text && *r->meaning && (r->usual || r->preset));
    }
}

static void flags(void **state)
{
    (void)state;
    assert_true(takes(SETTING_CACHES, "1") && s.caches);
    assert_true(takes(SETTING_CACHES, "0") && !s.caches);
    assert_true(takes(SETTING_CACHES, "") && !s.given[SETTING_CACHES]);
    refuses(SETTING_CACHES, "yes", "is neither 0 nor 1");
    refuses(SETTING_CACHES, "10", "is neither 0 nor 1");
    assert_true(takes(SETTING_CUDA_LAUNCH_BLOCKING, "yes") && s.launch_blocking);
    assert_true(takes(SETTING_CUDA_LAUNCH_BLOCKING, "0") && !s.launch_blocking);
}

static void whole_numbers(void **state)
{
    (void)state;
    assert_true(takes(SETTING_SEED, "18446744073709551615") && s.seed == UINT64_MAX);
    assert_true(takes(SETTING_MAX_INSTRUCTIONS, "1e9") && s.max_instructions == 1000000000);
    static const char *const bad[] = {"-1", "five", "5x", " 5", "1.5", "99999999999999999999", "1e30", "nan"};
    for (unsigned k = 0; k < LS_ARRAY_LEN(bad); k++)
        refuses(SETTING_SEED, bad[k], "is not a whole number");
    assert_true(takes(SETTING_DEVICES, "16") && s.devices == 16);
    refuses(SETTING_DEVICES, "0", "is not a whole number from 1 to 16");
    refuses(SETTING_DEVICES, "17", "is not a whole number from 1 to 16");
    refuses(SETTING_WORKERS, "4294967296", "is not a whole number from 0 to 4294967295");
}

static void seconds(void **state)
{
    (void)state;
    assert_true(takes(SETTING_TIMEOUT, "0.25") && s.timeout == 0.25);
    refuses(SETTING_TIMEOUT, "soon", "is not a number of seconds");
    refuses(SETTING_TIMEOUT, "-1", "is not a number of seconds");
    refuses(SETTING_TIMEOUT, "1s", "is not a number of seconds");
    refuses(SETTING_TIMEOUT, "nan", "is not a number of seconds");
}

static void sizes(void **state)
{
    (void)state;
    assert_true(takes(SETTING_SCHEDULES_MEMORY, "1.5M") && s.schedules_memory == 3 << 19);
    assert_true(takes(SETTING_SCHEDULES_MEMORY, "1000") && s.schedules_memory == 1000);
    refuses(SETTING_SCHEDULES_MEMORY, "1B", "is not a number of bytes (K, M, G or T may follow)");
    assert_true(takes(SETTING_DEVICE_MEMORY, "host") && s.device_memory == ROOM_HOST);
    assert_true(takes(SETTING_DEVICE_MEMORY, "gpu") && s.device_memory == ROOM_GPU);
    assert_true(takes(SETTING_DEVICE_MEMORY, "200G") && s.device_memory == (u64)200 << 30);
    static const char *const bad[] = {"64GB", "much", "-1", "0", "G", "nan", "1e30T", "12 G"};
    for (unsigned k = 0; k < LS_ARRAY_LEN(bad); k++)
        refuses(SETTING_DEVICE_MEMORY, bad[k], "is not host, gpu or a size such as 64G");
}

/* A word's place is that of its name in settings.h. */
static void choices(void **state)
{
    (void)state;
    static const struct {
        enum setting n;
        const char *text;
        u32 *field, want;
    } rows[] = {
        {SETTING_MEMORY, "strong", &s.memory, MEMORY_STRONG},
        {SETTING_MEMORY, "weak", &s.memory, MEMORY_WEAK},
        {SETTING_CHECK_LEAKS, "no", &s.check_leaks, CHECK_LEAKS_NO},
        {SETTING_CHECK_LEAKS, "full", &s.check_leaks, CHECK_LEAKS_FULL},
        {SETTING_CHECK_API, "explicit", &s.check_api, CHECK_API_EXPLICIT},
        {SETTING_CHECK_API, "all", &s.check_api, CHECK_API_ALL},
        {SETTING_CHECK_API, "no", &s.check_api, CHECK_API_NO},
        {SETTING_CHECK_DESTROY, "context", &s.check_destroy, CHECK_DESTROY_CONTEXT},
        {SETTING_CHECK_DESTROY, "kernel", &s.check_destroy, CHECK_DESTROY_KERNEL},
        {SETTING_KERNEL_BASE, "function", &s.kernel_base, KERNEL_BASE_FUNCTION},
        {SETTING_KERNEL_BASE, "demangled", &s.kernel_base, KERNEL_BASE_DEMANGLED},
        {SETTING_KERNEL_BASE, "mangled", &s.kernel_base, KERNEL_BASE_MANGLED},
        {SETTING_CLOCK, "boost", &s.clock, CLOCK_BOOST},
        {SETTING_CLOCK, "base", &s.clock, CLOCK_BASE},
        {SETTING_TIER, "auto", &s.tier, TIER_AUTO},
        {SETTING_TIER, "off", &s.tier, TIER_OFF},
        {SETTING_TIER, "force", &s.tier, TIER_FORCE},
        {SETTING_TIER, "mixed", &s.tier, TIER_MIXED},
        {SETTING_ISA, "portable", &s.isa, 1},
        {SETTING_ISA, "x86-64-v4", &s.isa, 3},
    };
    for (unsigned k = 0; k < LS_ARRAY_LEN(rows); k++) {
        assert_true(takes(rows[k].n, rows[k].text));
        assert_int_equal(*rows[k].field, rows[k].want);
    }
    refuses(SETTING_MEMORY, "vague", "is neither strong nor weak");
    refuses(SETTING_MEMORY, "strong|weak", "is neither strong nor weak");
    refuses(SETTING_CHECK_API, "some", "is none of explicit, all, no");
    refuses(SETTING_ISA, "x86-64-v", "is none of portable, x86-64-v3, x86-64-v4");
}

static void banks(void **state)
{
    (void)state;
    assert_true(takes(SETTING_BANKS, "5x4") && s.banks.banks == 5 && s.banks.bytes == 4);
    static const char *const bad[] = {"5", "0x4", "65x4", "5x3", "5x32", "5x4x", "x", "-5x4"};
    for (unsigned k = 0; k < LS_ARRAY_LEN(bad); k++)
        refuses(SETTING_BANKS, bad[k], "is not <1 to 64 banks>x<1, 2, 4, 8 or 16 bytes>");
}

static void texts(void **state)
{
    (void)state;
    assert_true(takes(SETTING_GPU, "v100"));
    assert_string_equal(s.gpu, "v100");
    assert_true(takes(SETTING_GPU, ""));
    assert_null(s.gpu);
    assert_true(takes(SETTING_PTXAS, ""));
    assert_string_equal(s.ptxas, "");
    assert_true(takes(SETTING_PTXAS, NULL));
    assert_null(s.ptxas);
}

/* ---- reading and handing on ---- */

struct said {
    unsigned bad, unknown;
    char text[4][SETTING_WHY];
};

static void say(void *ctx, bool bad, const char *text)
{
    struct said *said = ctx;
    assert_in_range(said->bad + said->unknown, 0, 3);
    strcpy(said->text[said->bad + said->unknown], text);
    said->bad += bad;
    said->unknown += !bad;
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    struct said said = {0};
    setenv("LOCKSTEP_SEED", "five", 1);
    setenv("LOCKSTEP_MEMORY", "weak", 1);
    setenv("LOCKSTEP_CACHE", "1", 1);
    setenv("LOCKSTEP_LUNCH_SKIP", "1", 1);
    setenv("OTHER", "1", 1);
    assert_false(settings_read(&s, say, &said));
    assert_int_equal(said.bad, 1);
    assert_int_equal(said.unknown, 2);
    assert_string_equal(said.text[0], "LOCKSTEP_SEED=five is not a whole number");
    assert_string_equal(said.text[1], "there is no setting LOCKSTEP_CACHE: the nearest is LOCKSTEP_CACHES");
    assert_string_equal(said.text[2], "there is no setting LOCKSTEP_LUNCH_SKIP: the nearest is LOCKSTEP_LAUNCH_SKIP");
    assert_int_equal(s.seed, 0);
    assert_int_equal(s.memory, MEMORY_WEAK);
}

/* A command's own settings, and those of its user; what another command has set is gone. */
static void a_run_begins_anew(void **state)
{
    (void)state;
    setenv("LOCKSTEP_SEED", "5", 1);
    setenv("LOCKSTEP_TIMELINE", "1", 1);
    setenv("LOCKSTEP_KERNEL", "sum", 1);
    setenv("PATH", "/bin", 1);
    assert_true(settings_read(&s, NULL, NULL));
    settings_begin_run(&s);
    assert_true(takes(SETTING_SESSION, "/tmp/s") && takes(SETTING_CACHES, "1") && takes(SETTING_WORKERS, "2"));
    assert_true(settings_export(&s));
    assert_string_equal(settings_lookup("LOCKSTEP_SEED"), "5");
    assert_string_equal(settings_lookup("LOCKSTEP_SESSION"), "/tmp/s");
    assert_string_equal(settings_lookup("LOCKSTEP_CACHES"), "1");
    assert_string_equal(settings_lookup("LOCKSTEP_WORKERS"), "2");
    assert_string_equal(settings_lookup("PATH"), "/bin");
    assert_null(settings_lookup("LOCKSTEP_TIMELINE"));
    assert_null(settings_lookup("LOCKSTEP_KERNEL"));
}

static void lists_of_others(void **state)
{
    (void)state;
    assert_true(settings_prepend(OTHERS_LD_PRELOAD, "b", ':') && settings_prepend(OTHERS_LD_PRELOAD, "a", ':'));
    assert_string_equal(settings_other(OTHERS_LD_PRELOAD), "a:b");
    assert_true(settings_put(OTHERS_LD_PRELOAD, "c"));
    assert_string_equal(settings_other(OTHERS_LD_PRELOAD), "a:b");
    assert_string_equal(settings_tmp(), "/tmp");
    assert_true(settings_put(OTHERS_TMPDIR, "/var/tmp"));
    assert_string_equal(settings_tmp(), "/var/tmp");
}

static void folder_of_caches(void **state)
{
    (void)state;
    char folder[16];
    assert_false(settings_cache(folder, sizeof folder));
    assert_true(settings_put(OTHERS_HOME, "/a"));
    assert_false(settings_cache(folder, sizeof folder)); /* /a/.cache/lockstep is longer */
    assert_true(settings_put(OTHERS_XDG_CACHE_HOME, "/b"));
    assert_true(settings_cache(folder, sizeof folder));
    assert_string_equal(folder, "/b/lockstep");
}

#define TEST(f) cmocka_unit_test_setup(f, start)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(presets),
        TEST(every_row_can_be_documented),
        TEST(flags),
        TEST(whole_numbers),
        TEST(seconds),
        TEST(sizes),
        TEST(choices),
        TEST(banks),
        TEST(texts),
        TEST(what_is_wrong_is_said),
        TEST(a_run_begins_anew),
        TEST(lists_of_others),
        TEST(folder_of_caches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
