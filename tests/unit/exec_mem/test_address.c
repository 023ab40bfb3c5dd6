/* test_address.c - cp.async, and the conversions and tests of generic addresses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"

static void test_cp_async(void **state)
{
    static const unsigned sizes[] = {4, 8, 16};
    (void)state;
    for (unsigned s = 0; s < 3; s++)
        for (int isa = 0; isa < ISA_COUNT; isa++)
            for (int mode = 0; mode < IR_NMODES && bodies_has_isa(isa); mode++) {
                struct fx f;
                char name[40];
                u64 block;
                const unsigned n = sizes[s];
                fx_init(&f);
                assert_int_equal(mem_alloc(f.m, 32 * n - n / 2, 0, MEM_DEVICE, NULL, &block), LS_OK);
                for (unsigned k = 0; k < 32 * n - n / 2; k++)
                    ((u8 *)(uintptr_t)block)[k] = (u8)(k + 1);
                memset(f.shared, 0xee, FX_SHARED);
                for (u32 i = 0; i < IR_LANES; i++) {
                    fx_64(&f, 0)[i] = block + i * n - 32;
                    fx_32(&f, 2)[i] = (31 - i) * n + 64; /* backwards, 16 less by c */
                    fx_32(&f, 4)[i] = i == 31 ? n / 2 : i == 7 ? 0 : 99;
                }
                fx_64(&f, 0)[7] = 0; /* reads nothing, so null is no fault */
                snprintf(name, sizeof name, "cp_async_shared_global_%u", n);
                f.code[0] = (struct ir_inst){
                    .d = 2 * IR_SLOT, .a = 0, .b = 4 * IR_SLOT, .c = (u32)-16, .imm = 32, .aux = IR_ADDR32 | 1 << 16};
                assert_true(fx_run(&f, bodies_find_isa(isa, name, mode)));
                for (u32 i = 0; i < IR_LANES; i++)
                    for (u32 b = 0; b < n; b++) {
                        const u32 given = i == 31 ? n / 2 : i == 7 ? 0 : n;
                        assert_int_equal(f.shared[(31 - i) * n + 48 + b], b < given ? (u8)(i * n + b + 1) : 0);
                    }
                assert_int_equal(f.shared[47], 0xee);
                assert_int_equal(f.shared[48 + 32 * n], 0xee);
                assert_int_equal(f.nevents, mode == IR_TRACED ? 2 : 0);
                if (mode == IR_TRACED) {
                    assert_int_equal(f.events[0].space, SPACE_GLOBAL);
                    assert_int_equal(f.events[0].op, ACCESS_LD);
                    assert_int_equal(f.events[0].mask, ~(1u << 7));
                    assert_int_equal(f.events[1].space, SPACE_SHARED);
                    assert_int_equal(f.events[1].op, ACCESS_ST);
                    assert_int_equal(f.events[1].mask, FULL_MASK);
                    assert_int_equal(f.event_addr[1][0], 31 * n + 48);
                }
                f.code[0].aux = IR_ADDR32; /* now lane 7 reads, from null */
                fx_reset(&f);
                assert_false(fx_run(&f, bodies_find_isa(isa, name, mode)));
                assert_int_equal(f.fault.lane, 7);
                assert_int_equal(f.fault.kind, FAULT_ILLEGAL_ADDRESS);
                fx_free(&f);
            }
}

static void test_windows(void **state)
{
    struct fx f;
    u64 device, constant;
    (void)state;
    fx_init(&f);
    assert_int_equal(mem_alloc(f.m, 64, 0, MEM_DEVICE, NULL, &device), LS_OK);
    assert_int_equal(mem_alloc(f.m, 64, 0, MEM_CONST, NULL, &constant), LS_OK);
    f.code[0] = (struct ir_inst){.d = 2 * IR_SLOT, .a = 0};
    for (u32 i = 0; i < IR_LANES; i++)
        fx_64(&f, 0)[i] = i;
    assert_true(fx_run(&f, bodies_find("cvta_shared_u64", IR_FAST)));
    assert_int_equal(fx_64(&f, 2)[9], mem_shared_window(f.m) + 9);
    memcpy(f.regs, f.regs + 2 * IR_SLOT, 2 * IR_SLOT);
    assert_true(fx_run(&f, bodies_find("cvta_to_shared_u64", IR_FAST)));
    assert_int_equal(fx_64(&f, 2)[9], 9);
    memcpy(f.regs, f.regs + 2 * IR_SLOT, 2 * IR_SLOT);
    assert_true(fx_run(&f, bodies_find("cvta_local_u64", IR_FAST)));
    assert_int_equal(fx_64(&f, 2)[31], mem_local_window(f.m) + 31);
    const u64 kinds[4] = {device, constant, mem_shared_window(f.m) + 5, mem_local_window(f.m) + MEM_WINDOW_BYTES - 1};
    const char *const names[4] = {"isspacep_global", "isspacep_const", "isspacep_shared", "isspacep_local"};
    const u32 want[4] = {0x11111111, 0x22222222, 0x44444444, 0x88888888};
    for (u32 i = 0; i < IR_LANES; i++)
        fx_64(&f, 0)[i] = kinds[i % 4];
    for (int k = 0; k < 4; k++)
        for (int isa = 0; isa < ISA_COUNT; isa++) {
            if (!bodies_has_isa(isa))
                continue;
            f.w.mask = 0x0fffffff;
            fx_32(&f, 2)[0] = 0x50000000;
            assert_true(fx_run(&f, bodies_find_isa(isa, names[k], IR_FAST)));
            assert_int_equal(fx_32(&f, 2)[0], (want[k] & 0x0fffffff) | 0x50000000);
        }
    fx_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cp_async),
        cmocka_unit_test(test_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
