/* test_tier_cache.c - the cache of compiled code: what was put is got, by several processes at once; what is damaged, too
 * much or not ours is not. */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "exec/tier/cache.h"

static char root[] = "/tmp/test_tier_cache_XXXXXX";
static struct tier_cache cache;

static struct tier_key key_of(u64 n)
{
    struct tier_key k = {{0, 0}};
    tier_key_add(&k, &n, sizeof n);
    return k;
}

/* Bytes that tell which entry they are of. */
static void put(u64 n, size_t size)
{
    const struct tier_key k = key_of(n);
    u8 *const bytes = malloc(size + 1);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (u8)(n + i * 7);
    tier_cache_put(&cache, &k, bytes, size);
    free(bytes);
}

static bool get(u64 n, size_t *size)
{
    const struct tier_key k = key_of(n);
    u8 *bytes;
    if (!tier_cache_get(&cache, &k, &bytes, size))
        return false;
    for (size_t i = 0; i < *size; i++)
        if (bytes[i] != (u8)(n + i * 7))
            abort();
    ls_free(bytes);
    return true;
}

static bool has(u64 n, size_t size)
{
    size_t got;
    return get(n, &got) && got == size;
}

static void path_of(u64 n, char path[512])
{
    const struct tier_key k = key_of(n);
    snprintf(path, 512, "%s/%016llx%016llx.code", cache.folder, (unsigned long long)k.words[0],
             (unsigned long long)k.words[1]);
}

static unsigned files(u64 *total)
{
    unsigned n = 0;
    DIR *const dir = opendir(cache.folder);
    *total = 0;
    for (struct dirent *d; dir && (d = readdir(dir));) {
        char path[600];
        struct stat s;
        snprintf(path, sizeof path, "%s/%s", cache.folder, d->d_name);
        if (stat(path, &s) || !S_ISREG(s.st_mode))
            continue;
        n++;
        *total += (u64)s.st_size;
    }
    if (dir)
        closedir(dir);
    return n;
}

static int start(void **state)
{
    static unsigned n;
    (void)state;
    snprintf(cache.folder, sizeof cache.folder, "%s/%u/lockstep", root, n++);
    cache.limit = 1 << 20;
    return 0;
}

static void test_put_and_get(void **state)
{
    (void)state;
    size_t size;
    assert_false(get(1, &size));
    put(1, 1000);
    put(2, 0);
    assert_true(has(1, 1000) && has(2, 0));
    put(1, 500); /* another process was slower, or faster */
    assert_true(has(1, 500));
    assert_false(get(3, &size));
}

static void test_keys(void **state)
{
    (void)state;
    struct tier_key a = {{0, 0}}, b = a, c = a;
    tier_key_add(&a, "ab", 2);
    tier_key_add(&a, "c", 1);
    tier_key_add(&b, "a", 1);
    tier_key_add(&b, "bc", 2);
    tier_key_add(&c, "ab", 2);
    assert_memory_not_equal(&a, &b, sizeof a);
    assert_memory_not_equal(&a, &c, sizeof a);
    tier_key_add(&c, "c", 1);
    assert_memory_equal(&a, &c, sizeof a);
}

static void rewrite(const char *path, const u8 *bytes, size_t n)
{
    FILE *const f = fopen(path, "wb");
    assert_true(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0);
}

static void test_damaged(void **state)
{
    (void)state;
    char path[512];
    u8 bytes[512];
    size_t got;
    put(1, 100);
    path_of(1, path);
    FILE *const f = fopen(path, "rb");
    const size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    chmod(path, 0600);
    for (size_t at = 0; at < size; at++) {
        bytes[at] ^= 0x10;
        rewrite(path, bytes, size);
        assert_false(get(1, &got));
        assert_int_not_equal(access(path, F_OK), 0);
        bytes[at] ^= 0x10;
    }
    for (size_t n = 0; n < size; n++) {
        rewrite(path, bytes, n);
        assert_false(get(1, &got));
    }
    rewrite(path, bytes, size);
    assert_true(has(1, 100));
    put(2, 100);
    char other[512];
    path_of(2, other);
    assert_int_equal(rename(path, other), 0); /* an entry under another's name */
    assert_false(get(2, &got));
}

static void test_bounded(void **state)
{
    (void)state;
    u64 total;
    size_t size;
    for (u64 n = 0; n < 8; n++) {
        put(n, 100000);
        char path[512];
        path_of(n, path);
        const struct timespec times[2] = {{1000 + (time_t)n, 0}, {1000 + (time_t)n, 0}};
        assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    }
    assert_true(has(0, 100000)); /* so it is the youngest */
    for (u64 n = 8; n < 11; n++)
        put(n, 100000);
    assert_true(files(&total) > 5 && total <= cache.limit);
    assert_true(has(0, 100000) && has(10, 100000));
    assert_false(get(1, &size));
    put(99, cache.limit); /* would push all others out */
    assert_false(get(99, &size));
    assert_true(has(10, 100000));
}

static void test_no_cache(void **state)
{
    (void)state;
    size_t size;
    u64 total;
    cache.limit = 0;
    put(1, 10);
    assert_false(get(1, &size));
    cache.limit = 1 << 20;
    *cache.folder = 0;
    put(1, 10);
    assert_false(get(1, &size));
    snprintf(cache.folder, sizeof cache.folder, "/dev/null/lockstep");
    put(1, 10);
    assert_false(get(1, &size));
    snprintf(cache.folder, sizeof cache.folder, "%s/not/there/lockstep", root);
    put(1, 10);
    assert_false(get(1, &size));
    assert_int_equal(files(&total), 0);
}

/* Code that somebody else may have written is not run. */
static void test_not_ours(void **state)
{
    (void)state;
    char path[512];
    size_t size;
    put(1, 10);
    path_of(1, path);
    chmod(path, 0666);
    assert_false(get(1, &size));
    chmod(path, 0600);
    assert_true(has(1, 10));
    chmod(cache.folder, 0777);
    assert_false(get(1, &size));
    chmod(cache.folder, 0700);
    assert_true(has(1, 10));
}

static void one_process(u64 seed)
{
    for (int i = 0; i < 400; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const u64 n = seed >> 33 & 31;
        size_t size;
        if (!get(n, &size))
            put(n, 1000 + n * 100);
        else if (size != 1000 + n * 100)
            abort();
    }
}

static void test_processes(void **state)
{
    (void)state;
    pid_t children[4];
    u64 total;
    cache.limit = 40000; /* about half of them */
    for (unsigned i = 0; i < LS_ARRAY_LEN(children); i++) {
        children[i] = fork();
        if (!children[i]) {
            one_process(i);
            _exit(0);
        }
    }
    for (unsigned i = 0; i < LS_ARRAY_LEN(children); i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    assert_true(files(&total) > 0);
    put(100, 10); /* what two writers at once left above the limit goes with the next */
    files(&total);
    assert_true(total <= cache.limit);
}

static int make_root(void **state)
{
    (void)state;
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", root);
    return system(command);
}

#define TEST(f) cmocka_unit_test_setup(f, start)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_put_and_get), TEST(test_keys),     TEST(test_damaged),   TEST(test_bounded),
        TEST(test_no_cache),    TEST(test_not_ours), TEST(test_processes),
    };
    return cmocka_run_group_tests(tests, make_root, remove_root);
}
