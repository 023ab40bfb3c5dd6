/* test_base.c - the realloc hook, arenas, vectors, interning, and the status table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/intern.h"
#include "base/locked.h"
#include "base/status.h"
#include "base/vec.h"

/* Counts live allocations and fails the n-th request for memory. */
struct failing {
    long live, requests, fail_at; /* fail_at 0: never */
};

static void *failing_realloc(void *ctx, void *p, size_t size)
{
    struct failing *f = ctx;
    if (size == 0) {
        f->live -= p != NULL;
        free(p);
        return NULL;
    }
    if (++f->requests == f->fail_at)
        return NULL;
    f->live += p == NULL;
    return realloc(p, size);
}

static void hook_sees_everything(void **state)
{
    (void)state;
    struct failing f = {0};
    ls_set_realloc(failing_realloc, &f);
    char *p = ls_realloc(NULL, 10);
    p = ls_realloc(p, 2000);
    u32 *zeros = ls_calloc(100, sizeof(u32));
    assert_int_equal(f.live, 2);
    for (int i = 0; i < 100; i++)
        assert_int_equal(zeros[i], 0);
    assert_null(ls_calloc(SIZE_MAX / 2, 3)); /* the product overflows: the hook is not asked */
    assert_int_equal(f.requests, 3);
    ls_free(p);
    ls_free(zeros);
    ls_free(NULL);
    assert_int_equal(f.live, 0);
    ls_set_realloc(NULL, NULL);
}

static void arena_is_aligned_zeroed_and_disjoint(void **state)
{
    (void)state;
    struct arena a = ARENA("test");
    u8 *at[300];
    assert_int_equal(setjmp(a.oom), 0);
    for (size_t i = 0; i < 300; i++) {
        const size_t size = i * 37 % 5000;
        at[i] = arena_alloc(&a, size);
        assert_int_equal((uintptr_t)at[i] % 16, 0);
        for (size_t k = 0; k < size; k++)
            assert_int_equal(at[i][k], 0);
        memset(at[i], (int)i, size);
    }
    for (size_t i = 0; i < 300; i++)
        for (size_t k = 0; k < i * 37 % 5000; k++)
            assert_int_equal(at[i][k], (u8)i);
    assert_true(a.total > 0);
    arena_free(&a);
    assert_int_equal(a.total, 0);
}

static void arena_serves_large_and_aligned_requests(void **state)
{
    (void)state;
    struct arena a = ARENA("test");
    assert_int_equal(setjmp(a.oom), 0);
    for (size_t align = 1; align <= 4096; align *= 2) {
        u8 *p = arena_alloc_aligned(&a, 100, align);
        assert_int_equal((uintptr_t)p % align, 0);
        u8 *large = arena_alloc_aligned(&a, 3 << 20, align);
        assert_int_equal((uintptr_t)large % align, 0);
        large[(3 << 20) - 1] = 1;
        memset(p, 0xff, 100);
        assert_int_equal(large[0], 0);
    }
    arena_free(&a);
    assert_int_equal(setjmp(a.oom), 0);
    assert_string_equal(arena_printf(&a, "%d-%s", 42, "x"), "42-x");
    assert_string_equal(arena_strndup(&a, "abcdef", 3), "abc");
    arena_free(&a);
}

/* Without a recovery point: NULL, and what was there before stays as it was. */
static void trying_returns_null(void **state)
{
    (void)state;
    long n = 1;
    for (bool done = false; !done; n++) {
        struct failing f = {.fail_at = n};
        struct arena a = ARENA("test");
        struct intern names = {.mem = &a};
        VEC(u32) v = {0};
        ls_set_realloc(failing_realloc, &f);
        done = true;
        for (u32 i = 0; i < 2000; i++) {
            char name[16];
            const int len = snprintf(name, sizeof name, "n%u", i);
            const u32 before = v.len, last = before ? v.at[before - 1] : 0;
            if (vec_room(&a, &v))
                v.at[v.len++] = i;
            else
                done = false;
            assert_true(v.len <= v.cap);
            assert_true(!before || v.at[before - 1] == last);
            if (!arena_try(&a, 100) || !intern_try(&names, name, (size_t)len))
                done = false;
        }
        assert_int_equal(done, f.requests < n);
        arena_free(&a);
        assert_int_equal(f.live, 0);
        ls_set_realloc(NULL, NULL);
    }
    assert_true(n > 3);
}

static void a_mutex_says_whether_it_is_held(void **state)
{
    (void)state;
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    assert_false(ls_is_locked(&m));
    assert_false(ls_is_locked(&m)); /* asking does not take it */
    pthread_mutex_lock(&m);
    assert_true(ls_is_locked(&m));
    pthread_mutex_unlock(&m);
    assert_false(ls_is_locked(&m));
}

/* An arena that is under another comes out at that one's recovery point. */
static void arenas_share_a_recovery_point(void **state)
{
    (void)state;
    struct failing f = {.fail_at = 2};
    struct arena mem = ARENA("test"), tmp = ARENA_UNDER("tmp", &mem), inner = ARENA_UNDER("inner", &tmp);
    volatile bool recovered = false;
    ls_set_realloc(failing_realloc, &f);
    if (setjmp(mem.oom)) {
        recovered = true;
    } else {
        arena_alloc(&tmp, 10);
        arena_alloc(&inner, 10);
    }
    assert_true(recovered);
    arena_free(&inner);
    arena_free(&tmp);
    arena_free(&mem);
    assert_int_equal(f.live, 0);
    ls_set_realloc(NULL, NULL);
}

/* Every request that fails comes out at the recovery point, and freeing the arena leaves nothing. */
static void arena_recovers_from_every_failure(void **state)
{
    (void)state;
    volatile long n = 1;
    volatile bool done = false;
    while (!done) {
        struct failing f = {.fail_at = n};
        struct arena a = ARENA("test");
        ls_set_realloc(failing_realloc, &f);
        if (setjmp(a.oom) == 0) {
            for (int i = 0; i < 200; i++)
                arena_alloc(&a, (size_t)i * 100);
            done = true;
        }
        arena_free(&a);
        assert_int_equal(f.live, 0);
        ls_set_realloc(NULL, NULL);
        n++;
    }
    assert_true(n > 3); /* some allocations did fail */
}

static void arena_refuses_impossible_sizes(void **state)
{
    (void)state;
    struct arena a = ARENA("test");
    volatile bool out = false;
    if (setjmp(a.oom) == 0)
        arena_alloc(&a, SIZE_MAX - 8);
    else
        out = true;
    assert_true(out);
    arena_free(&a);
}

static void vectors_grow_and_keep(void **state)
{
    (void)state;
    struct arena a = ARENA("test");
    VEC(u64) v = {0};
    assert_int_equal(setjmp(a.oom), 0);
    for (u64 i = 0; i < 10000; i++)
        vec_push(&a, &v, i * i);
    assert_int_equal(v.len, 10000);
    for (u64 i = 0; i < 10000; i++)
        assert_int_equal(v.at[i], i * i);
    arena_free(&a);
}

static void interning_gives_one_pointer_a_name(void **state)
{
    (void)state;
    struct arena a = ARENA("test");
    struct intern t = {.mem = &a};
    const char *names[2000];
    char buf[32];
    assert_int_equal(setjmp(a.oom), 0);
    for (int i = 0; i < 2000; i++) {
        snprintf(buf, sizeof(buf), "%%r%d", i);
        names[i] = intern(&t, buf, strlen(buf));
        assert_string_equal(names[i], buf);
        assert_null(*intern_slot(names[i]));
        *intern_slot(names[i]) = &names[i];
    }
    assert_int_equal(t.len, 2000);
    for (int i = 0; i < 2000; i++) {
        snprintf(buf, sizeof(buf), "%%r%dx", i);
        assert_ptr_equal(intern(&t, buf, strlen(buf) - 1), names[i]); /* by length, not by its NUL */
        assert_ptr_equal(*intern_slot(names[i]), &names[i]);
    }
    assert_int_equal(t.len, 2000);
    assert_ptr_equal(intern(&t, "", 0), intern(&t, "abc", 0));
    assert_ptr_not_equal(intern(&t, "a\0b", 3), intern(&t, "a", 1));
    arena_free(&a);
}

static void every_status_has_a_name_and_a_text(void **state)
{
    (void)state;
    assert_string_equal(ls_status_name(LS_OK), "LS_OK");
    assert_string_equal(ls_status_name(LS_ERR_SYNTAX), "LS_ERR_SYNTAX");
    for (int s = LS_OK; s <= LS_ERR_TIMEOUT; s++) {
        assert_memory_equal(ls_status_name(s), "LS_", 3);
        assert_true(strlen(ls_status_text(s)) > 3);
    }
    assert_string_equal(ls_status_text((enum ls_status)1000), "unknown status");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hook_sees_everything),
        cmocka_unit_test(arena_is_aligned_zeroed_and_disjoint),
        cmocka_unit_test(arena_serves_large_and_aligned_requests),
        cmocka_unit_test(trying_returns_null),
        cmocka_unit_test(a_mutex_says_whether_it_is_held),
        cmocka_unit_test(arenas_share_a_recovery_point),
        cmocka_unit_test(arena_recovers_from_every_failure),
        cmocka_unit_test(arena_refuses_impossible_sizes),
        cmocka_unit_test(vectors_grow_and_keep),
        cmocka_unit_test(interning_gives_one_pointer_a_name),
        cmocka_unit_test(every_status_has_a_name_and_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
