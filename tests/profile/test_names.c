/* test_names.c - kernels' names in their three forms, and ncu's filters over them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/kernel_name.h"
#include "meter/session/select.h"

static const struct {
    const char *mangled, *function, *demangled;
} names[] = {
    {"tiny", "tiny", "tiny"},
    {"_Z7stridedPKfPfi", "strided", "strided(const float *, float *, int)"},
    {"_ZN4deep5scaleIfLi3EEEvPT_S1_", "scale", "void deep::scale<float, 3>(float *, float)"},
    {"_ZN12_GLOBAL__N_16hiddenEPKj", "hidden", "(anonymous namespace)::hidden(const unsigned int *)"},
    {"_ZL5localPyRKd", "local", "local(unsigned long long *, const double &)"},
    {"_ZN2nsL6staticEv", "static", "ns::static()"},
    {"_Z5pointPKPKf", "point", "point(const float * const *)"},
    {"_Z", "_Z", "_Z"},
    {"_Z99short", "_Z99short", "_Z99short"},
};

static void names_have_three_forms(void **state)
{
    (void)state;
    char out[200];
    for (size_t i = 0; i < LS_ARRAY_LEN(names); i++) {
        assert_string_equal(kernel_name(names[i].mangled, KERNEL_MANGLED, out, sizeof out), names[i].mangled);
        assert_string_equal(kernel_name(names[i].mangled, KERNEL_FUNCTION, out, sizeof out), names[i].function);
        assert_string_equal(kernel_name(names[i].mangled, KERNEL_DEMANGLED, out, sizeof out), names[i].demangled);
    }
}

static void long_names_are_cut(void **state)
{
    (void)state;
    char out[8];
    assert_string_equal(kernel_name("_Z7stridedPKfPfi", KERNEL_MANGLED, out, sizeof out), "_Z7stri");
    assert_string_equal(kernel_name("_Z7stridedPKfPfi", KERNEL_FUNCTION, out, sizeof out), "strided");
    assert_true(strlen(kernel_name("_Z7stridedPKfPfi", KERNEL_DEMANGLED, out, sizeof out)) < sizeof out);
}

static void messages_have_short_names(void **state)
{
    (void)state;
    static const struct {
        const char *mangled, *want;
    } all[] = {
        {"tiny", "tiny"},
        {"_ZN4deep5scaleIfLi3EEEvPT_S1_", "void deep::scale<float, 3>(float *, float)"},
        /* the innermost templates go first */
        {"_Z1fI4pairIS0_IS0_I12firstOfThree13secondOfThreeES0_IS1_S2_EES0_IS0_IS1_S2_ES0_IS1_S2_EEEEvT_",
         "void f<pair<pair<...>, pair<...> > >(pair<pair<pair<...>, pair<...> >, pair<pair<...>, pair<...> > >)"},
        {"_ZlsI4pairIS0_IS0_I12firstOfThree13secondOfThreeES0_IS1_S2_EES0_IS0_IS1_S2_ES0_IS1_S2_EEEEvT_S7_",
         "void operator<< <pair<...> >(pair<pair<...>, pair<...> >, pair<firstOfThree, secondOfThree>)"},
    };
    char out[KERNEL_SHORT];
    for (size_t i = 0; i < LS_ARRAY_LEN(all); i++)
        assert_string_equal(kernel_name_short(all[i].mangled, out), all[i].want);
}

static void const_goes_in_front(void **state)
{
    (void)state;
    static const struct {
        const char *name, *want;
    } all[] = {
        {"f(unsigned int const*)", "f(const unsigned int *)"},
        {"f(std::pair<int const*, long> const&)", "f(const std::pair<const int *, long> &)"},
        {"f(float* const)", "f(float * const)"},
        {"f(constant*)", "f(constant *)"},
        {"f(int&&)", "f(int &&)"},
    };
    char out[200];
    for (size_t i = 0; i < LS_ARRAY_LEN(all); i++) {
        kernel_name_spell(all[i].name, out, sizeof out);
        assert_string_equal(out, all[i].want);
    }
}

/* Which of ten launches of `a`, `_Z1bv`, `a`, `_Z1bv`, ... pass, as a mask: even bits are a's. */
static unsigned taken(struct select_options o)
{
    struct select s;
    char why[256];
    unsigned mask = 0;
    assert_true(select_init(&s, &o, why));
    for (unsigned i = 0; i < 10; i++)
        mask |= (unsigned)select_take(&s, i % 2 ? "_Z1bv" : "a", 1, i < 5 ? 7 : 13) << i;
    select_free(&s);
    return mask;
}

static void launches_are_selected(void **state)
{
    (void)state;
    assert_int_equal(taken((struct select_options){0}), 0x3ff);
    assert_int_equal(taken((struct select_options){.kernel = "a"}), 0x155);
    assert_int_equal(taken((struct select_options){.kernel = "b"}), 0x2aa);
    assert_int_equal(taken((struct select_options){.kernel = "_Z1bv"}), 0x2aa);
    assert_int_equal(taken((struct select_options){.kernel = "_Z1bv", .base = "function"}), 0);
    assert_int_equal(taken((struct select_options){.kernel = "b()", .base = "demangled"}), 0x2aa);
    assert_int_equal(taken((struct select_options){.kernel = "regex:^[ab]$", .base = "function"}), 0x3ff);
    assert_int_equal(taken((struct select_options){.kernel = "regex:1b"}), 0x2aa);
    assert_int_equal(taken((struct select_options){.kernel = "none"}), 0);
    assert_int_equal(taken((struct select_options){.skip = 3}), 0x3f8);
    assert_int_equal(taken((struct select_options){.count = 2}), 0x003);
    assert_int_equal(taken((struct select_options){.kernel = "a", .skip = 1, .count = 2}), 0x014);
    assert_int_equal(taken((struct select_options){.kernel = "a", .skip_any = 1, .count = 1}), 0x004);
    assert_int_equal(taken((struct select_options){.kernel_id = "::b:2"}), 0x008);
    assert_int_equal(taken((struct select_options){.kernel_id = ":13::"}), 0x3e0);
    assert_int_equal(taken((struct select_options){.kernel_id = "1:13:regex:a:1"}), 0x040);
    assert_int_equal(taken((struct select_options){.kernel_id = "2:::"}), 0);
}

/* As `ncu --kernel-id` did on an H200, with the same kernels in the same order. */
static void invocations_are_counted_by_kernel(void **state)
{
    (void)state;
    assert_int_equal(taken((struct select_options){.kernel_id = ":::1"}), 0x003); /* the first of each */
    assert_int_equal(taken((struct select_options){.kernel_id = ":::2"}), 0x00c);
    assert_int_equal(taken((struct select_options){.kernel_id = "::regex:[ab]:2"}), 0x00c);
    assert_int_equal(taken((struct select_options){.kernel_id = ":::1|3"}), 0x033);
    assert_int_equal(taken((struct select_options){.kernel_id = "::a:[2-4]"}), 0x054);
    assert_int_equal(taken((struct select_options){.kernel_id = ":13::1"}), 0x060); /* the first in that stream */
    assert_int_equal(taken((struct select_options){.kernel_id = ":7|13:a:1"}), 0x041);
    assert_int_equal(taken((struct select_options){.kernel_id = ":1.*::2"}), 0x180);
    assert_int_equal(taken((struct select_options){.kernel_id = ":3::"}), 0); /* not a part of 13 */
    assert_int_equal(taken((struct select_options){.kernel_id = ":::1", .skip_any = 1}), 0x006);
    assert_int_equal(taken((struct select_options){.kernel_id = ":::2", .count = 1}), 0x004);
    assert_int_equal(taken((struct select_options){.kernel_id = ":::2", .kernel = "a"}), 0x00c); /* the id alone */
}

/* Templates and overloads share a bare name; their other names are their own. */
static void invocations_are_counted_by_the_chosen_name(void **state)
{
    static const char *const launches[] = {"_Z1aPf", "_Z1bILi1EEvPf", "_Z1bILi2EEvPf", "_Z1aPf", "_Z1bILi1EEvPf"};
    static const struct {
        const char *base;
        unsigned first, second;
    } all[] = {{NULL, 0x03, 0x0c}, {"function", 0x03, 0x0c}, {"demangled", 0x07, 0x18}, {"mangled", 0x07, 0x18}};
    (void)state;
    for (size_t i = 0; i < 2 * LS_ARRAY_LEN(all); i++) {
        struct select s;
        char why[256];
        unsigned mask = 0;
        const struct select_options o = {.base = all[i / 2].base, .kernel_id = i % 2 ? ":::2" : ":::1"};
        assert_true(select_init(&s, &o, why));
        for (unsigned k = 0; k < LS_ARRAY_LEN(launches); k++)
            mask |= (unsigned)select_take(&s, launches[k], 1, 7) << k;
        select_free(&s);
        assert_int_equal(mask, i % 2 ? all[i / 2].second : all[i / 2].first);
    }
}

static void bad_filters_are_told(void **state)
{
    (void)state;
    static const struct select_options bad[] = {{.kernel = "regex:("}, {.base = "nonsense"},   {.kernel_id = "1:2"},
                                                {.kernel_id = "x:::"}, {.kernel_id = "::a:b"}, {.kernel_id = ":::.*"},
                                                {.kernel_id = ":::(1"}};
    for (size_t i = 0; i < LS_ARRAY_LEN(bad); i++) {
        struct select s;
        char why[256] = "";
        assert_false(select_init(&s, &bad[i], why));
        assert_true(*why);
        assert_true(select_take(&s, "anything", 1, 7)); /* nothing is filtered then */
        select_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_three_forms),
        cmocka_unit_test(long_names_are_cut),
        cmocka_unit_test(messages_have_short_names),
        cmocka_unit_test(const_goes_in_front),
        cmocka_unit_test(launches_are_selected),
        cmocka_unit_test(invocations_are_counted_by_kernel),
        cmocka_unit_test(invocations_are_counted_by_the_chosen_name),
        cmocka_unit_test(bad_filters_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
