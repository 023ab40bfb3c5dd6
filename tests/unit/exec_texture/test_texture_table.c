/* test_texture_table.c - handles: no value finds what is not there, none is used twice, and objects are whole while
 * another thread makes and destroys them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "exec/texture/texture.h"

enum { MANY = 3000 };

static void handles_find_what_was_added(void **state)
{
    (void)state;
    static u64 handles[MANY];
    struct textures *t = textures_make();
    struct texture out;
    for (u32 k = 0; k < MANY; k++) {
        const struct texture in = {.kind = KIND_TEXTURE, .image = {.width = k}};
        assert_int_equal(textures_add(t, &in, &handles[k]), LS_OK);
        assert_int_not_equal(handles[k], 0);
    }
    for (u32 k = 0; k < MANY; k++) {
        assert_true(textures_find(t, handles[k], &out));
        assert_int_equal(out.image.width, k);
        assert_true(out.handle == handles[k]);
    }
    textures_free(t);
}

static void a_removed_handle_is_never_found_again(void **state)
{
    (void)state;
    struct textures *t = textures_make();
    struct texture out;
    u64 first, second;
    assert_int_equal(textures_add(t, &(struct texture){.kind = KIND_TEXTURE}, &first), LS_OK);
    assert_true(textures_remove(t, first));
    assert_false(textures_find(t, first, &out));
    assert_false(textures_remove(t, first));
    assert_int_equal(textures_add(t, &(struct texture){.kind = KIND_SURFACE}, &second), LS_OK);
    assert_true(first != second);
    assert_false(textures_find(t, first, &out));
    assert_true(textures_find(t, second, &out));
    assert_int_equal(out.kind, KIND_SURFACE);
    textures_free(t);
}

static void no_other_value_is_a_handle(void **state)
{
    (void)state;
    struct textures *t = textures_make();
    struct texture out;
    u64 handle, x = 1;
    assert_false(textures_find(t, 0, &out));
    assert_int_equal(textures_add(t, &(struct texture){.kind = KIND_TEXTURE}, &handle), LS_OK);
    for (unsigned bit = 0; bit < 64; bit++) {
        assert_false(textures_find(t, handle ^ (u64)1 << bit, &out));
        assert_false(textures_find(t, (u64)1 << bit == handle ? 0 : (u64)1 << bit, &out));
    }
    for (unsigned k = 0; k < 100000; k++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        assert_false(textures_find(t, x, &out));
    }
    assert_false(textures_find(t, UINT64_MAX, &out));
    textures_free(t);
}

struct race {
    struct textures *t;
    _Atomic u64 handle;
    atomic_bool stop;
    u64 found, torn;
};

static void *look(void *ctx)
{
    struct race *r = ctx;
    struct texture out;
    while (!atomic_load(&r->stop))
        if (textures_find(r->t, atomic_load(&r->handle), &out)) {
            r->found++;
            r->torn += out.image.width != out.image.height || out.image.bytes != out.image.width;
        }
    return NULL;
}

static void objects_are_never_torn(void **state)
{
    (void)state;
    struct race r = {.t = textures_make()};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, look, &r), 0);
    for (u32 k = 1; k <= 20000; k++) {
        u64 handle;
        const struct texture in = {.kind = KIND_TEXTURE, .image = {.width = k, .height = k, .bytes = k}};
        assert_int_equal(textures_add(r.t, &in, &handle), LS_OK);
        atomic_store(&r.handle, handle);
        if (k < 20000)
            assert_true(textures_remove(r.t, handle));
    }
    struct texture out;
    assert_true(textures_find(r.t, atomic_load(&r.handle), &out));
    atomic_store(&r.stop, true);
    pthread_join(thread, NULL);
    assert_int_equal(r.torn, 0);
    textures_free(r.t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handles_find_what_was_added),
        cmocka_unit_test(a_removed_handle_is_never_found_again),
        cmocka_unit_test(no_other_value_is_a_handle),
        cmocka_unit_test(objects_are_never_torn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
