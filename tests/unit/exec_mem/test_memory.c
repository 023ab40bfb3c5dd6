/* test_memory.c - the allocator and the table: what is handed out, what is found again, what is said about it. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "exec/memory/device_memory.h"

#define GIB (1ull << 30)

static struct mem *make(u64 capacity)
{
    struct mem *m;
    assert_int_equal(mem_create(capacity, &m), LS_OK);
    return m;
}

static u64 get(struct mem *m, u64 size, enum mem_kind kind)
{
    u64 address;
    assert_int_equal(mem_alloc(m, size, 0, kind, NULL, &address), LS_OK);
    assert_int_equal(address % MEM_ALIGN, 0);
    return address;
}

static const char *describe(struct mem *m, u64 address, u64 size)
{
    static char text[256];
    mem_describe(m, address, size, text, sizeof text);
    return text;
}

static void test_ranges(void **state)
{
    struct mem *m = make(GIB);
    const u64 a = get(m, 64, MEM_DEVICE), b = get(m, 1000, MEM_CONST);
    u64 lo, hi;
    enum mem_kind kind;
    (void)state;
    assert_true(mem_range(m, a, &lo, &hi, &kind));
    assert_int_equal(lo, a);
    assert_int_equal(hi, a + 64);
    assert_int_equal(kind, MEM_DEVICE);
    assert_true(mem_range(m, a + 63, &lo, &hi, &kind));
    assert_false(mem_range(m, a + 64, &lo, &hi, &kind));
    assert_false(mem_range(m, a - 1, &lo, &hi, &kind));
    assert_false(mem_range(m, 0, &lo, &hi, &kind));
    assert_false(mem_range(m, ~0ull, &lo, &hi, &kind));
    assert_true(mem_range(m, b + 999, &lo, &hi, &kind));
    assert_int_equal(lo, b);
    assert_int_equal(kind, MEM_CONST);
    assert_false(mem_range(m, mem_shared_window(m), &lo, &hi, &kind));
    memset((void *)(uintptr_t)a, 1, 64); /* it is there */
    memset((void *)(uintptr_t)b, 1, 1000);
    mem_destroy(m);
}

/* A red zone of at least 256 bytes follows every block, also when its size is a multiple of the alignment. */
static void test_red_zones(void **state)
{
    struct mem *m = make(GIB);
    u64 last = get(m, 256, MEM_DEVICE), last_size = 256, lo, hi;
    enum mem_kind kind;
    (void)state;
    for (u64 size = 1; size < 100000; size = size * 3 + 1) {
        const u64 a = get(m, size, MEM_DEVICE);
        assert_true(a >= last + last_size + 256);
        for (u64 k = 0; k < 256; k += 15)
            assert_false(mem_range(m, last + last_size + k, &lo, &hi, &kind));
        last = a;
        last_size = size;
    }
    mem_destroy(m);
}

static void test_alignment(void **state)
{
    struct mem *m = make(GIB);
    u64 a;
    (void)state;
    for (u64 align = 1; align <= 1u << 21; align *= 2) {
        assert_int_equal(mem_alloc(m, 100, align, MEM_DEVICE, NULL, &a), LS_OK);
        assert_int_equal(a % (align < 256 ? 256 : align), 0);
    }
    assert_int_equal(mem_alloc(m, 100, 3, MEM_DEVICE, NULL, &a), LS_ERR_INVALID);
    assert_int_equal(mem_alloc(m, 0, 0, MEM_DEVICE, NULL, &a), LS_ERR_INVALID);
    assert_int_equal(mem_alloc(m, 1, 1ull << 62, MEM_DEVICE, NULL, &a), LS_ERR_NOMEM);
    mem_destroy(m);
}

static void test_windows(void **state)
{
    struct mem *m = make(GIB);
    const u64 s = mem_shared_window(m), l = mem_local_window(m), a = get(m, 1, MEM_DEVICE);
    (void)state;
    assert_int_equal(s % 4096, 0);
    assert_true(l >= s + MEM_WINDOW_BYTES || s >= l + MEM_WINDOW_BYTES);
    assert_false(a >= s && a < s + MEM_WINDOW_BYTES);
    assert_false(a >= l && a < l + MEM_WINDOW_BYTES);
    assert_string_equal(describe(m, s + 20, 4), "offset 20 of the generic window of shared memory");
    mem_destroy(m);
}

static void test_frees(void **state)
{
    struct mem *m = make(GIB);
    const u64 a = get(m, 512, MEM_DEVICE), epoch = mem_epoch(m);
    u64 lo, hi;
    enum mem_kind kind;
    (void)state;
    assert_int_equal(mem_used(m), 512);
    assert_int_equal(mem_free(m, a + 1), LS_ERR_INVALID);
    assert_int_equal(mem_free(m, 0), LS_ERR_INVALID);
    assert_int_equal(mem_epoch(m), epoch);
    assert_int_equal(mem_free(m, a), LS_OK);
    assert_int_not_equal(mem_epoch(m), epoch);
    assert_int_equal(mem_used(m), 0);
    assert_false(mem_range(m, a, &lo, &hi, &kind));
    assert_int_equal(mem_free(m, a), LS_ERR_INVALID);
    assert_int_not_equal(get(m, 512, MEM_DEVICE), a); /* in quarantine */
    mem_destroy(m);
}

/* What was freed is used again in the end: many times the capacity can be allocated one after the other. */
static void test_reuse(void **state)
{
    struct mem *m = make(GIB);
    (void)state;
    for (int k = 0; k < 40; k++) {
        const u64 a = get(m, GIB / 2, MEM_DEVICE);
        *(u8 *)(uintptr_t)(a + GIB / 2 - 1) = 1;
        assert_int_equal(mem_free(m, a), LS_OK);
    }
    for (int k = 0; k < 20000; k++)
        assert_int_equal(mem_free(m, get(m, 100, MEM_HEAP)), LS_OK);
    assert_int_equal(mem_used(m), 0);
    /* and all of it is one piece again */
    get(m, GIB, MEM_DEVICE);
    mem_destroy(m);
}

static void test_limits(void **state)
{
    struct mem *m = make(GIB);
    u64 a;
    (void)state;
    assert_int_equal(mem_capacity(m), GIB);
    assert_int_equal(mem_alloc(m, GIB + 1, 0, MEM_DEVICE, NULL, &a), LS_ERR_NOMEM);
    assert_int_equal(a, 0);
    assert_int_equal(mem_alloc(m, ~0ull - 100, 0, MEM_PINNED, NULL, &a), LS_ERR_NOMEM);
    const u64 half = get(m, GIB / 2, MEM_DEVICE);
    assert_int_equal(mem_alloc(m, GIB / 2 + 1, 0, MEM_MANAGED, NULL, &a), LS_ERR_NOMEM);
    get(m, GIB / 2, MEM_PINNED); /* the host's, not the device's */
    get(m, GIB / 2, MEM_MANAGED);
    assert_int_equal(mem_used(m), GIB);
    assert_int_equal(mem_alloc(m, 1, 0, MEM_DEVICE, NULL, &a), LS_ERR_NOMEM);
    assert_int_equal(mem_free(m, half), LS_OK);
    get(m, GIB / 2, MEM_DEVICE);
    mem_destroy(m);
}

static void test_heap_limit(void **state)
{
    struct mem *m = make(GIB);
    u64 a, b;
    (void)state;
    mem_set_heap_limit(m, 1000);
    assert_int_equal(mem_alloc(m, 1001, 0, MEM_HEAP, NULL, &a), LS_ERR_NOMEM);
    assert_int_equal(mem_alloc(m, 600, 0, MEM_HEAP, NULL, &a), LS_OK);
    assert_int_equal(mem_alloc(m, 401, 0, MEM_HEAP, NULL, &b), LS_ERR_NOMEM);
    assert_int_equal(mem_alloc(m, 401, 0, MEM_DEVICE, NULL, &b), LS_OK);
    assert_int_equal(mem_free(m, a), LS_OK);
    assert_int_equal(mem_alloc(m, 1000, 0, MEM_HEAP, NULL, &a), LS_OK);
    mem_destroy(m);
}

/* 141 GiB of which most is allocated: no page of it is touched. */
static void test_huge(void **state)
{
    struct mem *m = make(141 * GIB);
    u64 a;
    (void)state;
    if (mem_capacity(m) < 101 * GIB)
        skip(); /* the host does not give that much address space */
    assert_int_equal(mem_alloc(m, 100 * GIB, 0, MEM_DEVICE, NULL, &a), LS_OK);
    *(u8 *)(uintptr_t)(a + 99 * GIB) = 7;
    assert_int_equal(mem_free(m, a), LS_OK);
    mem_destroy(m);
}

static void test_register(void **state)
{
    struct mem *m = make(GIB);
    char *host = malloc(1000);
    u64 lo, hi;
    enum mem_kind kind;
    (void)state;
    assert_int_equal(mem_register(m, NULL, 10), LS_ERR_INVALID);
    assert_int_equal(mem_register(m, host, 0), LS_ERR_INVALID);
    assert_int_equal(mem_register(m, host + 100, 500), LS_OK);
    assert_int_equal(mem_register(m, host, 101), LS_ERR_INVALID);
    assert_int_equal(mem_register(m, host + 599, 10), LS_ERR_INVALID);
    assert_int_equal(mem_register(m, host, 1000), LS_ERR_INVALID);
    assert_int_equal(mem_register(m, host + 200, 10), LS_ERR_INVALID);
    assert_int_equal(mem_register(m, host, 100), LS_OK);
    assert_int_equal(mem_register(m, (void *)(uintptr_t)get(m, 10, MEM_DEVICE), 5), LS_ERR_INVALID);
    assert_true(mem_range(m, (u64)(uintptr_t)host + 599, &lo, &hi, &kind));
    assert_int_equal(lo, (u64)(uintptr_t)host + 100);
    assert_int_equal(hi, (u64)(uintptr_t)host + 600);
    assert_int_equal(kind, MEM_REGISTERED);
    assert_int_equal(mem_free(m, lo), LS_ERR_INVALID);
    assert_int_equal(mem_unregister(m, host + 101), LS_ERR_INVALID);
    const u64 epoch = mem_epoch(m);
    assert_int_equal(mem_unregister(m, host + 100), LS_OK);
    assert_int_not_equal(mem_epoch(m), epoch);
    assert_false(mem_range(m, (u64)(uintptr_t)host + 100, &lo, &hi, &kind));
    assert_int_equal(mem_unregister(m, host), LS_OK);
    assert_int_equal(mem_used(m), 10);
    free(host);
    mem_destroy(m);
}

static void test_describe(void **state)
{
    struct mem *m = make(GIB);
    char want[256], small[8];
    struct mem_block b;
    u64 a, v;
    (void)state;
    assert_false(mem_nearest(m, 12345678, &b));
    assert_string_equal(describe(m, 123456789, 4), "no memory was ever allocated");
    assert_int_equal(mem_alloc(m, 64, 0, MEM_DEVICE, NULL, &a), LS_OK);
    assert_int_equal(mem_alloc(m, 16, 0, MEM_CONST, "coef", &v), LS_OK);
    snprintf(want, sizeof want, "1 byte after the 64-byte allocation #1 (device) at 0x%llx", (unsigned long long)a);
    assert_string_equal(describe(m, a + 65, 4), want);
    snprintf(want, sizeof want, "0 bytes after the 64-byte allocation #1 (device) at 0x%llx", (unsigned long long)a);
    assert_string_equal(describe(m, a + 64, 4), want);
    snprintf(want, sizeof want, "the last 3 bytes lie after the 64-byte allocation #1 (device) at 0x%llx",
             (unsigned long long)a);
    assert_string_equal(describe(m, a + 63, 4), want);
    snprintf(want, sizeof want, "60 bytes into the 64-byte allocation #1 (device) at 0x%llx", (unsigned long long)a);
    assert_string_equal(describe(m, a + 60, 4), want);
    snprintf(want, sizeof want, "8 bytes before the 16-byte constant variable 'coef' at 0x%llx", (unsigned long long)v);
    assert_string_equal(describe(m, v - 8, 4), want);
    assert_string_equal(describe(m, 0, 4), "a null pointer");
    assert_string_equal(describe(m, 16, 4), "a null pointer with an offset");
    assert_int_equal(mem_free(m, a), LS_OK);
    snprintf(want, sizeof want, "4 bytes into the freed 64-byte allocation #1 (device) at 0x%llx",
             (unsigned long long)a);
    assert_string_equal(describe(m, a + 4, 4), want);
    mem_describe(m, a, 4, small, sizeof small);
    assert_string_equal(small, "0 bytes");
    assert_true(mem_nearest(m, a, &b));
    assert_false(b.live);
    assert_int_equal(b.serial, 1);
    assert_true(mem_nearest(m, ~0ull, &b));
    assert_string_equal(b.name, "coef");
    mem_destroy(m);
}

static void count(void *ctx, const struct mem_block *b)
{
    u64 *last = ctx;
    assert_true(b->live);
    assert_true(b->base > last[0]);
    last[0] = b->base;
    last[1]++;
}

/* Against a plain list: random allocations and frees, every byte at the blocks' edges looked up. */
static void test_random(void **state)
{
    enum { N = 300, STEPS = 20000 };
    static u64 base[N], size[N];
    struct mem *m = make(GIB);
    u64 live = 0, used = 0, last[2], lo, hi, seed = 1;
    enum mem_kind kind;
    (void)state;
    memset(base, 0, sizeof base);
    for (int step = 0; step < STEPS; step++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const unsigned k = (unsigned)(seed >> 33) % N;
        if (base[k]) {
            assert_true(mem_range(m, base[k] + size[k] - 1, &lo, &hi, &kind));
            assert_true(lo == base[k] && hi == base[k] + size[k]);
            assert_false(mem_range(m, base[k] - 1, &lo, &hi, &kind));
            assert_false(mem_range(m, base[k] + size[k], &lo, &hi, &kind));
            assert_int_equal(mem_free(m, base[k]), LS_OK);
            used -= size[k];
            base[k] = 0;
            live--;
        } else {
            size[k] = 1 + (seed >> 20) % ((seed >> 60) ? 3000 : 2000000);
            base[k] = get(m, size[k], MEM_DEVICE);
            used += size[k];
            live++;
        }
        assert_int_equal(mem_used(m), used);
    }
    last[0] = last[1] = 0;
    mem_each(m, count, last);
    assert_int_equal(last[1], live);
    for (int a = 0; a < N; a++)
        for (int b = 0; b < a; b++)
            assert_true(!base[a] || !base[b] || base[a] + size[a] <= base[b] || base[b] + size[b] <= base[a]);
    mem_destroy(m);
}

struct worker_of_test {
    struct mem *m;
    u64 stable;
    unsigned index;
    bool ok;
};

static void *churn(void *arg)
{
    struct worker_of_test *t = arg;
    u64 mine[16] = {0}, lo, hi;
    enum mem_kind kind;
    char text[200];
    t->ok = true;
    for (unsigned k = 0; k < 4000; k++) {
        u64 *slot = &mine[k * 7 % 16];
        if (*slot) {
            t->ok &= mem_range(t->m, *slot, &lo, &hi, &kind) && *(u64 *)(uintptr_t)*slot == t->index;
            t->ok &= mem_free(t->m, *slot) == LS_OK;
            *slot = 0;
        } else {
            t->ok &= mem_alloc(t->m, 8 + k % 500, 0, MEM_HEAP, "shared name", slot) == LS_OK;
            *(u64 *)(uintptr_t)*slot = t->index;
        }
        t->ok &= mem_range(t->m, t->stable + 5, &lo, &hi, &kind) && lo == t->stable;
        if (k % 64 == 0)
            mem_describe(t->m, t->stable - 1, 1, text, sizeof text);
        t->ok &= mem_used(t->m) >= 100;
    }
    for (int k = 0; k < 16; k++)
        t->ok &= !mine[k] || mem_free(t->m, mine[k]) == LS_OK;
    return NULL;
}

static void test_threads(void **state)
{
    enum { THREADS = 4 };
    struct mem *m = make(GIB);
    struct worker_of_test t[THREADS];
    pthread_t id[THREADS];
    const u64 stable = get(m, 100, MEM_DEVICE);
    (void)state;
    for (unsigned k = 0; k < THREADS; k++) {
        t[k] = (struct worker_of_test){m, stable, k + 1, false};
        assert_int_equal(pthread_create(&id[k], NULL, churn, &t[k]), 0);
    }
    for (unsigned k = 0; k < THREADS; k++) {
        pthread_join(id[k], NULL);
        assert_true(t[k].ok);
    }
    assert_int_equal(mem_used(m), 100);
    mem_destroy(m);
}

/* ---- host memory runs out ---- */

static unsigned allocations_left;

static void *failing(void *ctx, void *p, size_t size)
{
    (void)ctx;
    if (size && allocations_left-- == 0)
        return allocations_left = 0, NULL;
    if (!size) {
        free(p);
        return NULL;
    }
    return realloc(p, size);
}

static enum ls_status use_a_little(void)
{
    struct mem *m;
    u64 a, b;
    enum ls_status s = mem_create(GIB, &m);
    if (s != LS_OK)
        return s;
    s = mem_alloc(m, 100, 0, MEM_GLOBAL, "name", &a);
    if (s == LS_OK)
        s = mem_alloc(m, 100, 4096, MEM_DEVICE, NULL, &b);
    if (s == LS_OK)
        s = mem_free(m, a);
    if (s == LS_OK)
        s = mem_register(m, &b, sizeof b);
    mem_destroy(m);
    return s;
}

/* Every allocation of ours fails once: an error each time, and nothing leaks (the sanitizer's leak check). */
static void test_host_memory_fails(void **state)
{
    enum ls_status s = LS_ERR_NOMEM;
    unsigned n = 0;
    (void)state;
    ls_set_realloc(failing, NULL);
    for (; n < 100 && s != LS_OK; n++) {
        allocations_left = n;
        s = use_a_little();
        if (s != LS_OK)
            assert_int_equal(s, LS_ERR_NOMEM);
    }
    ls_set_realloc(NULL, NULL);
    assert_int_equal(s, LS_OK);
    assert_true(n > 4);
}

static void test_poison(void **state)
{
    (void)state;
    struct mem *m = make(GIB);
    mem_set_poison(m, true);
    const u8 *p = (const u8 *)(uintptr_t)get(m, 300, MEM_DEVICE);
    for (int k = 0; k < 300; k++)
        assert_int_equal(p[k], 0xCD);
    mem_destroy(m);
}

/* ---- observers ---- */

struct watch {
    u32 made, gone;
    struct mem_block last;
};

static void note_made(void *ctx, const struct mem_block *b)
{
    struct watch *w = ctx;
    assert_true(b->live);
    w->made++;
    w->last = *b;
}

static void note_gone(void *ctx, const struct mem_block *b)
{
    struct watch *w = ctx;
    assert_false(b->live);
    w->gone++;
    w->last = *b;
}

static void expect_told(const struct watch *w, u32 made, u32 gone, u64 base, u64 size, enum mem_kind kind)
{
    assert_int_equal(w->made, made);
    assert_int_equal(w->gone, gone);
    assert_int_equal(w->last.base, base);
    assert_int_equal(w->last.size, size);
    assert_int_equal(w->last.kind, kind);
}

static void test_observer(void **state)
{
    static const enum mem_kind kinds[] = {MEM_DEVICE, MEM_PINNED, MEM_MANAGED, MEM_GLOBAL, MEM_CONST, MEM_HEAP};
    static u8 host[64];
    struct mem *m = make(GIB);
    struct watch w = {0};
    u64 lo, bytes, at;
    (void)state;
    mem_extent(m, &lo, &bytes);
    mem_observe(m, &(struct mem_observer){.ctx = &w, .made = note_made, .gone = note_gone});
    for (u32 k = 0; k < LS_ARRAY_LEN(kinds); k++) {
        at = get(m, 100 + k, kinds[k]);
        assert_true(at >= lo && at + 100 + k <= lo + bytes);
        expect_told(&w, k + 1, k, at, 100 + k, kinds[k]);
        const u64 serial = w.last.serial;
        assert_int_equal(mem_free(m, at), LS_OK);
        expect_told(&w, k + 1, k + 1, at, 100 + k, kinds[k]);
        assert_int_equal(w.last.serial, serial);
        assert_int_equal(mem_free(m, at), LS_ERR_INVALID);
        assert_int_equal(w.gone, k + 1);
    }
    w = (struct watch){0};
    assert_int_equal(mem_register(m, host, sizeof host), LS_OK);
    expect_told(&w, 1, 0, (u64)(uintptr_t)host, sizeof host, MEM_REGISTERED);
    assert_int_equal(mem_unregister(m, host), LS_OK);
    expect_told(&w, 1, 1, (u64)(uintptr_t)host, sizeof host, MEM_REGISTERED);
    void *home = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_int_equal(mem_reserve(m, 8192, 4096, 0, &at), LS_OK);
    assert_int_equal(w.made, 1); /* addresses alone are no memory */
    assert_int_equal(mem_map(m, at, 8192, home, MEM_MAPPED), LS_OK);
    expect_told(&w, 2, 1, at, 8192, MEM_MAPPED);
    assert_int_equal(mem_unmap(m, at, 8192), LS_OK);
    expect_told(&w, 2, 2, at, 8192, MEM_MAPPED);
    mem_observe(m, NULL);
    get(m, 10, MEM_DEVICE);
    assert_int_equal(w.made, 2);
    munmap(home, 8192);
    mem_destroy(m);
}

static bool sees(struct mem *m, u64 address, enum mem_kind *kind)
{
    u64 lo, hi;
    return mem_range(m, address, &lo, &hi, kind);
}

/* A device sees its own memory, the host's and its peers'; memory with a list sees who is on it. */
static void test_devices(void **state)
{
    struct mem *a, *b, *c, *all;
    enum mem_kind kind;
    (void)state;
    assert_int_equal(mem_create_devices(GIB, 3, &a), LS_OK);
    b = mem_of_device(a, 1);
    c = mem_of_device(a, 2);
    all = mem_of_all(c);
    assert_int_equal(mem_capacity(c), GIB);
    const u64 of_b = get(b, 1000, MEM_DEVICE), host = get(b, 100, MEM_PINNED), managed = get(c, 50, MEM_MANAGED);
    assert_true(sees(b, of_b, &kind) && sees(all, of_b, &kind));
    assert_false(sees(a, of_b, &kind));
    assert_non_null(strstr(describe(a, of_b, 4), "of device 1, to which this device has no access"));
    assert_null(strstr(describe(all, of_b, 4), "of device"));
    assert_true(sees(a, host, &kind) && sees(a, managed, &kind));
    assert_int_equal(mem_used(a), 0);
    assert_int_equal(mem_used(b), 1000);
    assert_int_equal(mem_used(c), 50);
    mem_set_peer(a, 1, true);
    assert_true(sees(a, of_b, &kind));
    assert_false(sees(c, of_b, &kind));
    mem_set_rights(all, of_b, 4, 4); /* the third device, and its own */
    assert_true(sees(c, of_b, &kind) && sees(b, of_b, &kind));
    assert_false(sees(a, of_b, &kind));
    mem_set_peer(a, 1, false);
    assert_int_equal(mem_free(a, of_b), LS_OK); /* whoever asks: it is its device's */
    assert_int_equal(mem_used(b), 0);
    u64 none;
    assert_int_equal(mem_alloc(all, 1, 0, MEM_DEVICE, NULL, &none), LS_ERR_INVALID);
    assert_int_equal(mem_alloc(b, GIB + 1, 0, MEM_DEVICE, NULL, &none), LS_ERR_NOMEM);
    mem_destroy(b);
}

/* What is mapped is open to the devices that were given access, to each as it was given. */
static void test_mapped_devices(void **state)
{
    struct mem *a, *b, *all;
    enum mem_kind kind;
    struct mem_block block;
    u64 at;
    (void)state;
    assert_int_equal(mem_create_devices(GIB, 2, &a), LS_OK);
    b = mem_of_device(a, 1);
    all = mem_of_all(a);
    void *home = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_int_equal(mem_reserve(all, 8192, 4096, 0, &at), LS_OK);
    assert_int_equal(mem_map(b, at, 8192, home, MEM_MAPPED_NONE), LS_OK);
    assert_false(sees(a, at, &kind) || sees(b, at, &kind) || sees(all, at, &kind));
    assert_int_equal(mem_set_access(a, at, 8192, MEM_MAPPED_READ), LS_OK);
    assert_true(sees(a, at, &kind) && kind == MEM_MAPPED_READ);
    assert_false(sees(b, at, &kind));
    assert_int_equal(mem_set_access(b, at, 8192, MEM_MAPPED), LS_OK);
    assert_true(sees(b, at, &kind) && kind == MEM_MAPPED);
    assert_true(sees(all, at, &kind) && kind == MEM_MAPPED);
    assert_true(mem_mapping(a, at, &block) && block.kind == MEM_MAPPED_READ && block.device == 1);
    assert_int_equal(mem_set_access(a, at, 8192, MEM_MAPPED_NONE), LS_OK);
    assert_false(sees(a, at, &kind));
    munmap(home, 8192);
    mem_destroy(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranges),   cmocka_unit_test(test_red_zones),  cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_windows),  cmocka_unit_test(test_frees),      cmocka_unit_test(test_reuse),
        cmocka_unit_test(test_limits),   cmocka_unit_test(test_heap_limit), cmocka_unit_test(test_huge),
        cmocka_unit_test(test_register), cmocka_unit_test(test_describe),   cmocka_unit_test(test_random),
        cmocka_unit_test(test_threads),  cmocka_unit_test(test_poison),     cmocka_unit_test(test_host_memory_fails),
        cmocka_unit_test(test_observer), cmocka_unit_test(test_devices),    cmocka_unit_test(test_mapped_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
