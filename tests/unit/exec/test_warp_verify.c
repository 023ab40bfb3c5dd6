/* The verifier of a warp's splits and groups: a sound warp passes, and each way to break one is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "exec/sched.h"

/* Lanes 0-3 run; 4-7 wait at a barrier; 8-11 have arrived in the inner group, which expects 0-11; 12-15 in the outer one,
 * which expects 0-15; 16-31 have exited. */
struct rig {
    struct warp w;
    struct frame frame;
    struct group inner, outer;
    struct ir_inst pc;
};

static void make(struct rig *r)
{
    memset(r, 0, sizeof *r);
    r->frame.lanes = 0xffff;
    r->outer = (struct group){.expected = 0xffff, .arrived = 0xf000, .self = &r->w.groups, .next = &r->inner};
    r->inner = (struct group){.expected = 0x0fff, .arrived = 0x0f00, .parent = &r->outer, .self = &r->outer.next};
    r->w.groups = &r->outer;
    r->w.exited = 0xffff0000;
    r->w.nsplits = 2;
    r->w.ready = r->w.blocked = 1;
    for (u32 k = 0; k < 2; k++)
        r->w.splits[k] = (struct split){.pc = &r->pc,
                                        .frame = &r->frame,
                                        .group = &r->inner,
                                        .mask = k ? 0xf0 : 0x0f,
                                        .state = k ? SPLIT_BARRIER : SPLIT_READY};
}

static void test_sound(void **state)
{
    struct rig r;
    (void)state;
    make(&r);
    assert_null(warp_verify(&r.w));
}

#define BROKEN(text, statement)                                                                                        \
    do {                                                                                                               \
        struct rig r;                                                                                                  \
        make(&r);                                                                                                      \
        statement;                                                                                                     \
        const char *broken = warp_verify(&r.w);                                                                        \
        assert_non_null(broken);                                                                                       \
        assert_string_equal(broken, text);                                                                             \
    } while (0)

static void test_splits(void **state)
{
    (void)state;
    BROKEN("a split has no lanes", r.w.splits[1].mask = 0);
    BROKEN("a split has lanes that have exited", r.w.exited |= 1);
    BROKEN("two splits have the same lane", r.w.splits[1].mask |= 1);
    BROKEN("a split has lanes that are not in its frame", r.frame.lanes = 0xfff0);
    BROKEN("a split's group does not expect its lanes", r.inner.expected = 0x0ff0);
    BROKEN("a split has lanes that have arrived in its group", r.inner.arrived |= 1);
    BROKEN("the count of splits that can run is wrong", r.w.ready = 2);
    BROKEN("the count of splits that wait is wrong", r.w.splits[1].state = SPLIT_NONE);
}

static void test_groups(void **state)
{
    (void)state;
    BROKEN("the list of groups is broken", r.inner.self = &r.w.groups);
    BROKEN("a group expects no lanes", r.outer.expected = 0);
    BROKEN("lanes have arrived in a group that does not expect them", r.outer.arrived |= 1 << 20);
    BROKEN("a group is complete and still open", r.outer.arrived = r.outer.expected);
    BROKEN("a lane has arrived in a group and is elsewhere too", r.outer.arrived |= 1);
    BROKEN("a group expects lanes that its parent does not expect", r.outer.expected = 0xf0ff);
    BROKEN("a group expects lanes that have arrived in its parent", {
        r.w.splits[0].group = NULL;
        r.inner.expected |= 0x1000;
    });
    BROKEN("a lane is in no split and no group and has not exited", r.w.splits[0].mask = 7);
}

/* What the engine calls stops a debug build and costs a release build nothing. */
static void test_stops(void **state)
{
    struct rig r;
    int status = 0;
    (void)state;
    make(&r);
    r.w.splits[0].mask = 7;
    const pid_t child = fork();
    assert_int_not_equal(child, -1);
    if (!child) {
        warp_verified(&r.w);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(LS_DEBUG, WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sound),
        cmocka_unit_test(test_splits),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
