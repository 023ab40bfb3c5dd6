/* Every way in which a kernel ends badly, and what the fault says of it: kernel, function, line, block, thread,
 * address, the nearest allocation. Each is run fast and with hooks; a fault leaves the device usable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "harness.h"

enum { BYTES = 64 };

/* The line of faults.ptx that bears "// @name". */
static u32 line_of(const char *name)
{
    char line[256], mark[64];
    FILE *f = fopen("tests/unit/exec/ptx/faults.ptx", "r");
    u32 n = 0;
    assert_non_null(f);
    snprintf(mark, sizeof mark, "// @%s\n", name);
    while (fgets(line, sizeof line, f)) {
        n++;
        if (strstr(line, mark)) {
            fclose(f);
            return n;
        }
    }
    fclose(f);
    fail_msg("faults.ptx has no // @%s", name);
    return 0;
}

static void assert_text(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' has no '%s'", text, part);
}

/* The engine runs its traced code. */
static void ignore(void *ctx, const struct exec_access *a) { (void)ctx, (void)a; }
static const struct exec_hooks tracing = {.access = ignore};

/* Runs r both ways; it must end in `kind` at the marked line of `function`. The last fault is in *f. */
static void run_faulty(struct bench *b, const struct run *r, enum exec_fault_kind kind, const char *mark,
                       struct exec_fault *f)
{
    for (int traced = 0; traced < 2; traced++) {
        struct run once = *r;
        once.hooks = traced ? &tracing : NULL;
        once.max_seconds = 60;
        enum ls_status s = bench_run(b, &once, f);
        if (s != LS_ERR_FAULT || f->kind != kind) {
            char *text = exec_fault_text(f);
            fail_msg("%s, mode %d: %s: %s", r->kernel, traced, ls_status_name(s), text);
        }
        assert_string_equal(f->kernel, r->kernel);
        assert_string_equal(f->ptx_file, "faults.ptx");
        assert_int_equal(f->ptx_line, line_of(mark));
    }
    bench_run_ok(b, &(struct run){.kernel = "nothing", .grid = 1, .block = 32, .max_seconds = 60});
}

/* ---- global memory ---- */

struct bad_access {
    const char *kernel;
    u64 bytes; /* of the allocation */
    i64 at;    /* relative to it */
    u64 size;
    bool write, atomic;
    const char *detail;
};

static const struct bad_access outside[] = {
    {"read_byte", 64, -1, 1, false, false, "1 byte before the 64-byte allocation"},
    {"read_byte", 64, 64, 1, false, false, "0 bytes after the 64-byte allocation"},
    {"write_byte", 64, -1, 1, true, false, "1 byte before the 64-byte allocation"},
    {"write_byte", 64, 64, 1, true, false, "0 bytes after the 64-byte allocation"},
    {"read_word", 64, -4, 4, false, false, "4 bytes before the 64-byte allocation"},
    {"read_word", 64, 68, 4, false, false, "4 bytes after the 64-byte allocation"},
    {"write_word", 64, 64, 4, true, false, "0 bytes after the 64-byte allocation"},
    {"read_word", 63, 60, 4, false, false, "the last 1 byte"},
    {"write_word", 61, 60, 4, true, false, "the last 3 bytes"},
    {"read_vector", 63, 48, 16, false, false, "the last 1 byte"},
    {"write_vector", 63, 48, 16, true, false, "the last 1 byte"},
    {"read_vector", 64, 64, 16, false, false, "0 bytes after the 64-byte allocation"},
    {"read_vector", 64, -16, 16, false, false, "16 bytes before the 64-byte allocation"},
    {"add_word", 64, 64, 4, true, true, "0 bytes after the 64-byte allocation"},
    {"read_generic", 64, 64, 4, false, false, "0 bytes after the 64-byte allocation"},
};

static void test_outside(void **state)
{
    (void)state;
    for (u32 i = 0; i < LS_ARRAY_LEN(outside); i++) {
        const struct bad_access *x = &outside[i];
        struct bench b;
        struct exec_fault f;
        char base[64];
        bench_open(&b, "faults.ptx");
        u64 at = (u64)(uintptr_t)bench_alloc(&b, x->bytes);
        run_faulty(&b, &(struct run){.kernel = x->kernel, .grid = 1, .block = 1, .params = {at + (u64)x->at}},
                   FAULT_ILLEGAL_ADDRESS, x->kernel, &f);
        assert_int_equal(f.address, at + (u64)x->at);
        assert_int_equal(f.size, x->size);
        assert_int_equal(f.write || f.atomic, x->write);
        assert_int_equal(f.atomic, x->atomic);
        assert_text(f.detail, x->detail);
        snprintf(base, sizeof base, "at 0x%llx", (unsigned long long)at);
        assert_text(f.detail, base);
        bench_close(&b);
    }
}

/* Addresses that no allocation is near: at the ends of the address space, where sums wrap, and memory of the host,
 * which is none of the kernel's business. */
static void test_wild(void **state)
{
    static _Alignas(16) u32 host[8];
    const u64 wild[] = {~0ull & ~15ull, 1ull << 63, 0xffff800000000000u, 1ull << 47, 1ull << 32, (u64)(uintptr_t)host};
    static const char *const kernels[] = {"read_byte",   "read_word",    "write_byte", "write_word",
                                          "read_vector", "write_vector", "add_word",   "read_generic"};
    struct bench b;
    struct exec_fault f;
    (void)state;
    bench_open(&b, "faults.ptx");
    bench_alloc(&b, BYTES);
    for (u32 i = 0; i < LS_ARRAY_LEN(wild); i++)
        for (u32 k = 0; k < LS_ARRAY_LEN(kernels); k++) {
            run_faulty(&b, &(struct run){.kernel = kernels[k], .grid = 1, .block = 32, .params = {wild[i]}},
                       FAULT_ILLEGAL_ADDRESS, kernels[k], &f);
            assert_int_equal(f.address, wild[i]);
            assert_true(f.detail[0] != 0);
        }
    run_faulty(&b, &(struct run){.kernel = "read_byte", .grid = 1, .block = 1, .params = {~0ull}},
               FAULT_ILLEGAL_ADDRESS, "read_byte", &f);
    for (u32 i = 0; i < LS_ARRAY_LEN(host); i++)
        assert_int_equal(host[i], 0);
    bench_close(&b);
}

/* Generic addresses inside the windows: beyond the block's shared, or the thread's local, memory. */
static void test_windows(void **state)
{
    struct bench b;
    struct exec_fault f;
    (void)state;
    bench_open(&b, "faults.ptx");
    const u64 shared = mem_shared_window(b.device.mem), local = mem_local_window(b.device.mem);
    const u64 bad[] = {shared, shared + MEM_WINDOW_BYTES - 4, local, local + MEM_WINDOW_BYTES - 4};
    for (u32 i = 0; i < LS_ARRAY_LEN(bad); i++) {
        run_faulty(&b, &(struct run){.kernel = "read_generic", .grid = 1, .block = 1, .params = {bad[i]}},
                   FAULT_ILLEGAL_ADDRESS, "read_generic", &f);
        assert_int_equal(f.space, i < 2 ? SPACE_SHARED : SPACE_LOCAL);
    }
    bench_run_ok(
        &b,
        &(struct run){.kernel = "read_generic", .grid = 1, .block = 1, .dynamic_shared = 16, .params = {shared + 12}});
    bench_close(&b);
}

/* The clean twins: the first and the last byte that belong to the allocation. */
static void test_inside(void **state)
{
    static const struct {
        const char *kernel;
        u64 bytes, at;
    } good[] = {
        {"read_byte", 64, 0},   {"read_byte", 64, 63},   {"write_byte", 64, 63},   {"read_word", 64, 60},
        {"write_word", 64, 60}, {"read_vector", 64, 48}, {"write_vector", 64, 48}, {"add_word", 64, 60},
        {"read_word", 4, 0},    {"read_byte", 1, 0},     {"read_generic", 64, 0},
    };
    struct bench b;
    (void)state;
    bench_open(&b, "faults.ptx");
    for (u32 i = 0; i < LS_ARRAY_LEN(good); i++) {
        u64 at = (u64)(uintptr_t)bench_alloc(&b, good[i].bytes);
        bench_run_ok(&b, &(struct run){.kernel = good[i].kernel, .grid = 1, .block = 1, .params = {at + good[i].at}});
    }
    bench_close(&b);
}

static void test_misaligned(void **state)
{
    static const struct {
        const char *kernel;
        u64 at, size;
        bool write;
    } bad[] = {{"read_word", 2, 4, false},
               {"write_word", 1, 4, true},
               {"read_vector", 8, 16, false},
               {"write_vector", 4, 16, true},
               {"add_word", 2, 4, true}};
    struct bench b;
    struct exec_fault f;
    (void)state;
    bench_open(&b, "faults.ptx");
    u64 at = (u64)(uintptr_t)bench_alloc(&b, BYTES);
    for (u32 i = 0; i < LS_ARRAY_LEN(bad); i++) {
        run_faulty(&b, &(struct run){.kernel = bad[i].kernel, .grid = 1, .block = 1, .params = {at + bad[i].at}},
                   FAULT_MISALIGNED, bad[i].kernel, &f);
        assert_int_equal(f.address, at + bad[i].at);
        assert_int_equal(f.size, bad[i].size);
        assert_int_equal(f.write || f.atomic, bad[i].write);
    }
    bench_close(&b);
}

static void test_null(void **state)
{
    struct bench b;
    struct exec_fault f;
    (void)state;
    bench_open(&b, "faults.ptx");
    run_faulty(&b, &(struct run){.kernel = "read_word", .grid = 1, .block = 32}, FAULT_ILLEGAL_ADDRESS, "read_word",
               &f);
    assert_int_equal(f.address, 0);
    assert_string_equal(f.detail, "a null pointer");
    run_faulty(&b, &(struct run){.kernel = "write_word", .grid = 1, .block = 32, .params = {8}}, FAULT_ILLEGAL_ADDRESS,
               "write_word", &f);
    assert_int_equal(f.address, 8);
    assert_text(f.detail, "a null pointer with an offset");
    bench_close(&b);
}

static void test_use_after_free(void **state)
{
    struct bench b;
    struct exec_fault f;
    (void)state;
    bench_open(&b, "faults.ptx");
    u64 at = (u64)(uintptr_t)bench_alloc(&b, BYTES);
    bench_run_ok(&b, &(struct run){.kernel = "read_word", .grid = 1, .block = 1, .params = {at}});
    assert_int_equal(mem_free(b.device.mem, at), LS_OK);
    run_faulty(&b, &(struct run){.kernel = "read_word", .grid = 1, .block = 1, .params = {at + 4}},
               FAULT_ILLEGAL_ADDRESS, "read_word", &f);
    assert_text(f.detail, "4 bytes into the freed 64-byte allocation");
    bench_close(&b);
}

static void test_const_write(void **state)
{
    struct bench b;
    struct exec_fault f;
    u64 at, size;
    bool managed;
    (void)state;
    bench_open(&b, "faults.ptx");
    assert_true(exec_module_global(b.module, "coef", &at, &size, &managed));
    assert_int_equal(size, 16);
    run_faulty(&b, &(struct run){.kernel = "write_const", .grid = 1, .block = 1}, FAULT_ILLEGAL_ADDRESS, "write_const",
               &f);
    assert_int_equal(f.address, at + 4);
    assert_true(f.write);
    assert_text(f.detail, "4 bytes into the 16-byte constant variable 'coef'");
    assert_int_equal(((const u32 *)(uintptr_t)at)[1], 2);
    bench_close(&b);
}

/* ---- who did it ---- */

static void test_place(void **state)
{
    struct bench b;
    struct exec_fault f;
    (void)state;
    bench_open(&b, "faults.ptx");
    u64 at = (u64)(uintptr_t)bench_alloc(&b, BYTES);
    const struct run r = {
        .kernel = "one_thread", .grid = 3, .grid_y = 4, .block = 24, .block_y = 5, .params = {at, 2, 3, 17, 4}};
    run_faulty(&b, &r, FAULT_ILLEGAL_ADDRESS, "one_thread", &f);
    const u32 block[3] = {2, 3, 0}, thread[3] = {17, 4, 0};
    assert_memory_equal(f.block, block, sizeof block);
    assert_memory_equal(f.thread, thread, sizeof thread);
    assert_string_equal(f.function, "one_thread");
    assert_string_equal(f.source_file, "faults.cu");
    assert_int_equal(f.source_line, 42);
    assert_int_equal(f.address, at + 64);
    assert_int_equal(f.space, SPACE_GLOBAL);
    char *text = exec_fault_text(&f), place[96];
    assert_non_null(text);
    snprintf(place, sizeof place, "at faults.cu:42 (faults.ptx:%u)\n  block (2,3,0), thread (17,4,0)\n",
             line_of("one_thread"));
    assert_text(text, "out-of-bounds access in kernel 'one_thread'\n");
    assert_text(text, place);
    assert_text(text, "write of 4 bytes");
    ls_free(text);
    bench_close(&b);
}

static void test_no_source_line_without_loc(void **state)
{
    struct bench b;
    struct exec_fault f;
    (void)state;
    bench_open(&b, "faults.ptx");
    run_faulty(&b, &(struct run){.kernel = "read_word", .grid = 1, .block = 1}, FAULT_ILLEGAL_ADDRESS, "read_word", &f);
    assert_int_equal(f.source_line, 0);
    assert_null(f.source_file);
    bench_close(&b);
}

/* ---- shared and local memory ---- */

static void test_shared_overflow(void **state)
{
    struct bench b;
    struct exec_fault f;
    (void)state;
    bench_open(&b, "faults.ptx");
    bench_run_ok(&b, &(struct run){.kernel = "shared_word", .grid = 1, .block = 1, .params = {60}});
    bench_run_ok(&b, &(struct run){.kernel = "shared_vector", .grid = 1, .block = 1, .params = {56}});
    bench_run_ok(&b,
                 &(struct run){.kernel = "shared_word", .grid = 1, .block = 1, .dynamic_shared = 16, .params = {64}});
    static const u64 beyond[] = {64, 4096, 0xfffffffc}; /* the last: 4 bytes before */
    for (u32 i = 0; i < LS_ARRAY_LEN(beyond); i++) {
        run_faulty(&b, &(struct run){.kernel = "shared_word", .grid = 1, .block = 1, .params = {beyond[i]}},
                   FAULT_ILLEGAL_ADDRESS, "shared_word", &f);
        assert_int_equal(f.space, SPACE_SHARED);
        assert_true(f.write);
        assert_text(f.detail, "the block has 64 bytes of shared memory");
    }
    run_faulty(&b, &(struct run){.kernel = "shared_vector", .grid = 1, .block = 1, .params = {64}},
               FAULT_ILLEGAL_ADDRESS, "shared_vector", &f);
    assert_false(f.write);
    assert_int_equal(f.size, 8);
    run_faulty(&b, &(struct run){.kernel = "shared_vector", .grid = 1, .block = 1, .params = {60}}, FAULT_MISALIGNED,
               "shared_vector", &f);
    bench_close(&b);
}

static void test_local_overflow(void **state)
{
    struct bench b;
    struct exec_fault f;
    (void)state;
    bench_open(&b, "faults.ptx");
    bench_run_ok(&b, &(struct run){.kernel = "local_word", .grid = 1, .block = 1, .params = {60}});
    static const u64 beyond[] = {64, 1 << 20, (u64)-4};
    for (u32 i = 0; i < LS_ARRAY_LEN(beyond); i++) {
        run_faulty(&b, &(struct run){.kernel = "local_word", .grid = 1, .block = 1, .params = {beyond[i]}},
                   FAULT_ILLEGAL_ADDRESS, "local_word", &f);
        assert_int_equal(f.space, SPACE_LOCAL);
        assert_text(f.detail, "the thread has 64 bytes of local memory");
    }
    bench_close(&b);
}

/* ---- traps, assertions, calls, barriers ---- */

static void test_trap(void **state)
{
    struct bench b;
    struct exec_fault f;
    (void)state;
    bench_open(&b, "faults.ptx");
    run_faulty(&b, &(struct run){.kernel = "trap_odd", .grid = 1, .block = 32}, FAULT_TRAP, "trap_odd", &f);
    assert_int_equal(f.thread[0], 1);
    run_faulty(&b, &(struct run){.kernel = "trap_in_function", .grid = 1, .block = 32}, FAULT_TRAP, "deep_trap", &f);
    assert_string_equal(f.function, "deep_trap");
    char *text = exec_fault_text(&f);
    assert_text(text, "trap in kernel 'trap_in_function', function 'deep_trap'\n");
    ls_free(text);
    bench_run_ok(&b, &(struct run){.kernel = "trap_odd", .grid = 1, .block = 1});
    bench_close(&b);
}

static void test_assert(void **state)
{
    struct bench b;
    struct exec_fault f;
    (void)state;
    bench_open(&b, "faults.ptx");
    run_faulty(&b, &(struct run){.kernel = "assert_in_kernel", .grid = 1, .block = 32}, FAULT_ASSERT,
               "assert_in_kernel", &f);
    assert_string_equal(f.detail, "a.cu:17: main: block: [0,0,0], thread: [0,0,0] Assertion `x > 0` failed.");
    assert_string_equal(exec_fault_cuda_name(f.kind), "CUDA_ERROR_ASSERT");
    bench_close(&b);
}

static void test_endless_recursion(void **state)
{
    struct bench b;
    struct exec_fault f;
    (void)state;
    bench_open(&b, "faults.ptx");
    run_faulty(&b, &(struct run){.kernel = "endless_recursion", .grid = 1, .block = 32}, FAULT_STACK_OVERFLOW,
               "endless_recursion", &f);
    assert_string_equal(f.function, "down");
    bench_close(&b);
}

static void test_indirect_call_to_nowhere(void **state)
{
    static const u64 nowhere[] = {0, 1, 0xdeadbeef, ~0ull};
    struct bench b;
    struct exec_fault f;
    (void)state;
    bench_open(&b, "faults.ptx");
    for (u32 i = 0; i < LS_ARRAY_LEN(nowhere); i++)
        run_faulty(&b, &(struct run){.kernel = "call_nowhere", .grid = 1, .block = 32, .params = {nowhere[i]}},
                   FAULT_INVALID_PC, "call_nowhere", &f);
    bench_close(&b);
}

static void test_bad_barrier(void **state)
{
    struct bench b;
    struct exec_fault f;
    (void)state;
    bench_open(&b, "faults.ptx");
    bench_run_ok(&b, &(struct run){.kernel = "barrier_number", .grid = 1, .block = 32, .params = {15}});
    bench_run_ok(&b, &(struct run){.kernel = "barrier_count", .grid = 1, .block = 64, .params = {64}});
    run_faulty(&b, &(struct run){.kernel = "barrier_number", .grid = 1, .block = 32, .params = {16}}, FAULT_BAD_BARRIER,
               "barrier_number", &f);
    assert_text(f.detail, "0 to 15");
    static const u64 counts[] = {33, 0xffffffff};
    for (u32 i = 0; i < LS_ARRAY_LEN(counts); i++) {
        run_faulty(&b, &(struct run){.kernel = "barrier_count", .grid = 1, .block = 32, .params = {counts[i]}},
                   FAULT_BAD_BARRIER, "barrier_count", &f);
        assert_text(f.detail, "multiple of 32");
    }
    bench_close(&b);
}

/* Error 715 on an H200. */
static void test_mask_without_caller(void **state)
{
    struct bench b;
    struct exec_fault f;
    (void)state;
    bench_open(&b, "faults.ptx");
    bench_run_ok(&b, &(struct run){.kernel = "stranger", .grid = 1, .block = 32, .params = {8}});
    for (int one_lane = 0; one_lane < 2; one_lane++) {
        run_faulty(&b,
                   &(struct run){.kernel = "stranger", .grid = 1, .block = 64, .params = {10}, .one_lane = one_lane},
                   FAULT_MASK, "stranger", &f);
        assert_int_equal(f.thread[0], 8);
        assert_text(f.detail, "the mask is 0x000000ff, and threads 0x");
        assert_string_equal(exec_fault_cuda_name(f.kind), "CUDA_ERROR_ILLEGAL_INSTRUCTION");
    }
    bench_close(&b);
}

static void test_maps_made_by_kernels(void **state)
{
    struct bench b;
    struct exec_fault f;
    (void)state;
    bench_open(&b, "made_maps.ptx");
    float *to = bench_alloc(&b, 8 * sizeof *to);
    const u64 map = (u64)(uintptr_t)bench_alloc(&b, 128), address = (u64)(uintptr_t)to;
    memset(to, 0, 8 * sizeof *to);
    for (u64 left_out = 1; left_out <= 2; left_out++) {
        const struct run r = {.kernel = "made", .grid = 1, .block = 32, .params = {map, address, left_out}};
        assert_int_equal(bench_run(&b, &r, &f), LS_ERR_FAULT);
        assert_int_equal(f.kind, FAULT_ILLEGAL_INSTRUCTION);
        assert_text(f.detail, "left out its box or its steps");
    }
    bench_run_ok(&b, &(struct run){.kernel = "made", .grid = 1, .block = 32, .params = {map, address, 0}});
    for (u32 i = 0; i < 8; i++)
        assert_true(to[i] == (i < 4 ? 0.0f : 2.0f));
    bench_close(&b);
}

/* A mask that ptxas cannot know, or in a branch: error 715 on an H200. A constant where all lanes come together is
 * dropped. */
static void test_masks_of_shuffles(void **state)
{
    struct bench b;
    struct exec_fault f;
    u32 sum = 0;
    (void)state;
    bench_open(&b, "faults.ptx");
    const u64 out = (u64)(uintptr_t)bench_alloc(&b, 64);
    run_faulty(&b, &(struct run){.kernel = "stranger_register", .grid = 1, .block = 32, .params = {out, 255}},
               FAULT_MASK, "stranger_register", &f);
    run_faulty(&b, &(struct run){.kernel = "stranger_branch", .grid = 1, .block = 32, .params = {out}}, FAULT_MASK,
               "stranger_branch", &f);
    bench_run_ok(&b, &(struct run){.kernel = "stranger_register", .grid = 1, .block = 32, .params = {out, ~0u}});
    bench_run_ok(&b, &(struct run){.kernel = "stranger_constant", .grid = 1, .block = 32, .params = {out}});
    memcpy(&sum, (const void *)(uintptr_t)out, sizeof sum);
    assert_int_equal(sum, 32 * 31);
    bench_close(&b);
}

/* ---- refused before it runs ---- */

static void test_limits(void **state)
{
    static const struct {
        struct run run;
        const char *detail;
    } beyond[] = {
        {{.kernel = "nothing", .grid = 1, .block = 2048}, "blockDim.x is 2048, the device's limit is 1024"},
        {{.kernel = "nothing", .grid = 1, .block = 64, .block_y = 17},
         "threads of a block is 1088, the device's limit is 1024"},
        {{.kernel = "nothing", .grid = 1, .block = 0}, "blockDim.x is 0"},
        {{.kernel = "nothing", .grid = 0, .block = 1}, "gridDim.x is 0"},
        {{.kernel = "nothing", .grid = 1, .grid_y = 65536, .block = 1},
         "gridDim.y is 65536, the device's limit is 65535"},
        {{.kernel = "small_blocks", .grid = 1, .block = 65}, "is 65, the device's limit is 64"},
        /* CUDA C programming guide, compute capability 9.0: 227 KiB a block */
        {{.kernel = "nothing", .grid = 1, .block = 1, .dynamic_shared = 227 * 1024 + 1},
         "shared memory of a block (bytes) is 232449, the device's limit is 232448"},
    };
    struct bench b;
    struct exec_fault f;
    (void)state;
    bench_open(&b, "faults.ptx");
    for (u32 i = 0; i < LS_ARRAY_LEN(beyond); i++) {
        assert_int_equal(bench_run(&b, &beyond[i].run, &f), LS_ERR_LIMIT);
        assert_text(f.detail, beyond[i].detail);
    }
    bench_run_ok(&b, &(struct run){.kernel = "nothing", .grid = 1, .block = 32, .block_y = 32});
    bench_run_ok(&b, &(struct run){.kernel = "small_blocks", .grid = 1, .block = 64});
    bench_run_ok(&b, &(struct run){.kernel = "nothing", .grid = 1, .block = 1, .dynamic_shared = 227 * 1024});
    bench_close(&b);
}

static void expect_poison(struct bench *b, const char *kernel, const char *function, const char *mark)
{
    struct exec_fault f;
    char place[64];
    assert_int_equal(bench_run(b, &(struct run){.kernel = kernel, .grid = 1, .block = 1}, &f), LS_ERR_UNSUPPORTED);
    snprintf(place, sizeof place, "faults.ptx:%u", line_of(mark));
    assert_text(f.detail, place);
    assert_text(f.detail, "tcgen05.wait::ld.sync.aligned");
    assert_text(f.detail, "tensor memory (sm_100) is not simulated");
    assert_text(f.detail, function);
}

static void test_poison(void **state)
{
    struct bench b;
    (void)state;
    bench_open(&b, "faults.ptx");
    expect_poison(&b, "unsupported", "unsupported", "unsupported");
    expect_poison(&b, "unsupported_callee", "hidden", "hidden");
    bench_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outside),
        cmocka_unit_test(test_wild),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_inside),
        cmocka_unit_test(test_misaligned),
        cmocka_unit_test(test_null),
        cmocka_unit_test(test_use_after_free),
        cmocka_unit_test(test_const_write),
        cmocka_unit_test(test_place),
        cmocka_unit_test(test_no_source_line_without_loc),
        cmocka_unit_test(test_shared_overflow),
        cmocka_unit_test(test_local_overflow),
        cmocka_unit_test(test_trap),
        cmocka_unit_test(test_assert),
        cmocka_unit_test(test_endless_recursion),
        cmocka_unit_test(test_indirect_call_to_nowhere),
        cmocka_unit_test(test_bad_barrier),
        cmocka_unit_test(test_mask_without_caller),
        cmocka_unit_test(test_maps_made_by_kernels),
        cmocka_unit_test(test_masks_of_shuffles),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_poison),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
