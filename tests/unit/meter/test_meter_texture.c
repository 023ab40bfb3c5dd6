/* test_meter_texture.c - textures and surfaces count requests, and nothing that is the LSU's. What fetches cost: test_texels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "exec/texture/texture.h"
#include "fake.h"
#include "meter/count.h"

static void one_request_an_instruction(void **state)
{
    (void)state;
    static const struct {
        u16 op;
        u8 access;
        enum access_class class;
    } rows[] = {{OP_TEX, ACCESS_LD, CLASS_TEX},
                {OP_TLD4, ACCESS_LD, CLASS_TEX},
                {OP_SULD, ACCESS_LD, CLASS_SULD},
                {OP_SUST, ACCESS_ST, CLASS_SUST}};
    struct gpu gpu = {.banks = 32, .bank_bytes = 4, .cc_major = 9};
    struct fake f;
    struct texture_access at = {0};
    fake_init(&f, LS_ARRAY_LEN(rows));
    for (u32 i = 0; i < 32; i++)
        at.address[i] = 4096 + 1000 * i, at.texels[i].bytes = 4;
    struct counter *c = counter_make(&gpu, false);
    for (u32 k = 0; k < LS_ARRAY_LEN(rows); k++) {
        f.insts[k].op = rows[k].op;
        for (u32 times = 0; times <= k; times++)
            counter_access(c, &(struct exec_access){.func = &f.func,
                                                    .site = k,
                                                    .mask = 0xff,
                                                    .space = SPACE_TEX,
                                                    .op = rows[k].access,
                                                    .size = 4,
                                                    .addr = at.address});
    }
    for (u32 k = 0; k < LS_ARRAY_LEN(rows); k++) {
        const struct site_count *s = &c->current->sites[k];
        assert_int_equal(site_tally(s, rows[k].class)->requests, k + 1);
        assert_int_equal(site_tally(s, rows[k].class)->cost, 0);
        for (u32 class = 0; class < ACCESS_CLASSES; class ++)
            assert_true(class == rows[k].class || !site_tally(s, (enum access_class) class));
    }
    counter_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_request_an_instruction)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
