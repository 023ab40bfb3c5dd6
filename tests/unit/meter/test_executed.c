/* test_executed.c - how often machine instructions are executed, of code that is made by hand for a loop: a block in front of it, the loop, one
 * behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "lowered.h"
#include "meter/executed.h"

enum { FRONT, LOOP, BEHIND, BLOCKS };
enum { INSTS = 64 }; /* of a program, at most */

struct subject {
    struct ptx_module *mod;
    const struct ir_func *func;
    struct arena mem;
    struct replay_inst insts[BLOCKS][4][INSTS];
    struct replay_program programs[BLOCKS][4];
    struct replay_block blocks[BLOCKS];
    struct replay_code code;
    struct exec_block_count entries[BLOCKS];
    u64 (*n)[EVENT_COUNT];
};

static void make(struct subject *s)
{
    static const char text[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                               ".visible .entry k(.param .u32 n)\n{\n.reg .pred %p<3>;\n.reg .b32 %r<9>;\n"
                               "ld.param.u32 %r1, [n];\nmov.u32 %r2, 0;\n"
                               "$L: add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, %r1;\n@%p1 bra $L;\n"
                               "bar.sync 0;\nret;\n}\n";
    struct diag_list d;
    diag_init(&d);
    memset(s, 0, sizeof *s);
    assert_int_equal(ptx_parse(text, sizeof text - 1, "test.ptx", &s->mod, &d), LS_OK);
    diag_free(&d);
    s->mem = (struct arena)ARENA("test");
    if (setjmp(s->mem.oom))
        fail();
    s->func = ir_lower(&s->mem, s->mod, ptx_find_func(s->mod, "k"), &lowered_target);
    assert_int_equal(s->func->nblocks, BLOCKS);
    assert_int_equal(s->func->blocks[LOOP].loop_depth, 1);
    for (u32 b = 0; b < BLOCKS; b++)
        s->blocks[b].programs = s->programs[b];
    s->code = (struct replay_code){.blocks = s->blocks, .nblocks = BLOCKS};
    s->n = arena_alloc(&s->mem, sizeof(u64[EVENT_COUNT]) * (s->func->src->ninsts + 1));
}

static void drop(struct subject *s)
{
    arena_free(&s->mem);
    ptx_free(s->mod);
}

/* A further program of the block: so many instructions, all of the block's first site. */
static void add_program(struct subject *s, u32 block, u32 copies, u32 length)
{
    struct replay_block *b = &s->blocks[block];
    for (u32 i = 0; i < length; i++)
        s->insts[block][b->n][i].site = s->func->blocks[block].first;
    s->programs[block][b->n] = (struct replay_program){.insts = s->insts[block][b->n], .n = length, .copies = copies};
    b->n++;
}

/* Instructions of the block when it was entered so often by warps, and the block in front of the loop by so many. */
static u64 executed(struct subject *s, u32 block, u64 front, u64 loop, u32 lanes)
{
    s->entries[FRONT] = (struct exec_block_count){.warps = front, .threads = front * lanes};
    s->entries[LOOP] = (struct exec_block_count){.warps = loop, .threads = loop * lanes};
    s->entries[BEHIND] = s->entries[FRONT];
    memset(s->n, 0, sizeof(u64[EVENT_COUNT]) * s->func->src->ninsts);
    executed_add(s->func, &s->code, s->entries, s->n);
    const u64 n = s->n[s->func->blocks[block].first][EVENT_inst];
    assert_int_equal(s->n[s->func->blocks[block].first][EVENT_thread_inst], n * lanes);
    return n;
}

static void a_block_runs_its_program_at_each_entry(void **state)
{
    (void)state;
    struct subject s;
    make(&s);
    add_program(&s, FRONT, 1, 7);
    add_program(&s, LOOP, 1, 3);
    assert_int_equal(executed(&s, FRONT, 5, 50, 32), 5 * 7);
    assert_int_equal(executed(&s, LOOP, 5, 50, 20), 50 * 3);
    assert_int_equal(executed(&s, BEHIND, 5, 50, 32), 0); /* a part of the block before */
    assert_int_equal(executed(&s, FRONT, 0, 0, 32), 0);
    drop(&s);
}

static void turns_are_shared_by_the_parts_of_a_loop(void **state)
{
    (void)state;
    struct subject s;
    make(&s);
    add_program(&s, LOOP, 16, 40);
    add_program(&s, LOOP, 4, 11);
    add_program(&s, LOOP, 1, 5);
    assert_int_equal(executed(&s, LOOP, 10, 10 * 16, 32), 10 * 40);
    assert_int_equal(executed(&s, LOOP, 10, 10 * 24, 32), 10 * (40 + 2 * 11));
    assert_int_equal(executed(&s, LOOP, 10, 10 * 3, 32), 10 * 3 * 5);
    assert_int_equal(executed(&s, LOOP, 10, 10 * 39, 32), 10 * (2 * 40 + 11 + 3 * 5));
    /* some make a turn more: three of ten times */
    assert_int_equal(executed(&s, LOOP, 10, 10 * 15 + 3, 32), 7 * (3 * 11 + 3 * 5) + 3 * 40);
    drop(&s);
}

static void a_loop_entered_less_often_than_what_is_in_front(void **state)
{
    (void)state;
    struct subject s;
    make(&s);
    add_program(&s, LOOP, 4, 11);
    add_program(&s, LOOP, 1, 5);
    assert_int_equal(executed(&s, LOOP, 100, 8, 32), 8 * 5); /* one turn a time */
    drop(&s);
}

static void what_has_no_site_is_of_the_blocks_first(void **state)
{
    (void)state;
    struct subject s;
    make(&s);
    add_program(&s, FRONT, 1, 2);
    s.insts[FRONT][0][1].site = REPLAY_NO_SITE;
    assert_int_equal(executed(&s, FRONT, 3, 0, 32), 3 * 2);
    drop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_runs_its_program_at_each_entry),
        cmocka_unit_test(turns_are_shared_by_the_parts_of_a_loop),
        cmocka_unit_test(a_loop_entered_less_often_than_what_is_in_front),
        cmocka_unit_test(what_has_no_site_is_of_the_blocks_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
