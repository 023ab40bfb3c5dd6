/* test_headers.c - CUDA C++ that uses the toolkit's headers, compiled by clang with ours and, where there is nvcc, by
 * nvcc with NVIDIA's: every kernel that kernels.def has of FILE must leave the same memory, and what its formula says.
 *
 *     test_headers FILE OURS.ptx [THEIRS.ptx]
 *
 * A kernel is (unsigned *out, const unsigned *in). in[] holds every float of 16 bits, beside another in the upper half,
 * and then every pair of 64 that are special. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver/cuda_abi.h"
#include "formulas.h"
#include "objects.h"

enum { VALUES = 65536, SPECIALS = 64, OUT_WORDS = HEADERS_WORDS * 16 };

struct row {
    const char *file, *name;
    unsigned blocks, threads;
    bool cooperative;
    unsigned step; /* results may differ by so many places in each half */
    formula *expected;
};

static const struct row rows[] = {
#define KERNEL(file, name, blocks, threads, cooperative, step, expected)                                               \
    {#file, #name, blocks, threads, cooperative, step, expected},
#include "kernels.def"
#undef KERNEL
};

static unsigned in[HEADERS_WORDS], ours[OUT_WORDS], theirs[OUT_WORDS];
static unsigned failures;

#define CALL(call)                                                                                                     \
    do {                                                                                                               \
        CUresult r_ = (call);                                                                                          \
        if (r_ != CUDA_SUCCESS) {                                                                                      \
            fprintf(stderr, "%s: error %d\n", #call, (int)r_);                                                         \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static void fill_input(void)
{
    static const unsigned short base[] = {0x0000, 0x0001, 0x03ff, 0x0400, 0x3bff, 0x3c00, 0x3f80, 0x3f7f,
                                          0x4000, 0x4248, 0x5640, 0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff,
                                          0x7f7f, 0x7f80, 0x7f81, 0x0080, 0x007f, 0x4300, 0x4700, 0x4b80,
                                          0x4f00, 0x5f00, 0x3800, 0x3555, 0x2e66, 0x0002, 0x6400, 0x7800};
    for (unsigned i = 0; i < VALUES; i++)
        in[i] = i | (i * 40503u + 12345u) << 16;
    for (unsigned i = 0; i < SPECIALS * SPECIALS; i++) {
        const unsigned a = i / SPECIALS, b = i % SPECIALS;
        in[VALUES + i] = (base[a % 32] | (a / 32) << 15) | (base[b % 32] | (b / 32) << 15) << 16;
    }
}

/* Runs a row's kernel of a module; false when the launch failed. */
static bool run(CUmodule module, const struct row *row, CUdeviceptr d_in, CUdeviceptr d_out, unsigned *out)
{
    CUfunction f;
    void *params[] = {&d_out, &d_in};
    CUresult r = cuModuleGetFunction(&f, module, row->name);
    if (r != CUDA_SUCCESS) {
        fprintf(stderr, "%s: there is no such kernel\n", row->name);
        return false;
    }
    CALL(cuMemsetD32_v2(d_out, 0xdeadbeefu, OUT_WORDS));
    r = row->cooperative ? cuLaunchCooperativeKernel(f, row->blocks, 1, 1, row->threads, 1, 1, 0, NULL, params)
                         : cuLaunchKernel(f, row->blocks, 1, 1, row->threads, 1, 1, 0, NULL, params, NULL);
    if (r == CUDA_SUCCESS)
        r = cuCtxSynchronize();
    if (r == CUDA_SUCCESS)
        r = cuMemcpyDtoH_v2(out, d_out, sizeof ours);
    if (r != CUDA_SUCCESS)
        fprintf(stderr, "%s: it ended in error %d\n", row->name, (int)r);
    return r == CUDA_SUCCESS;
}

static bool near(unsigned a, unsigned b, unsigned step)
{
    const int low = (int)(short)(a & 0xffff) - (int)(short)(b & 0xffff);
    const int high = (int)(short)(a >> 16) - (int)(short)(b >> 16);
    return a == b || ((unsigned)abs(low) <= step && (unsigned)abs(high) <= step);
}

static void compare(const struct row *row)
{
    unsigned shown = 0;
    for (unsigned i = 0; i < OUT_WORDS; i++) {
        if (near(ours[i], theirs[i], row->step))
            continue;
        if (shown++ == 0)
            failures++;
        if (shown <= 5)
            fprintf(stderr, "%s: word %u (result %u of thread %u, whose input is %08x): %08x, but nvcc's %08x\n",
                    row->name, i, i % 16, i / 16, in[i / 16 % HEADERS_WORDS], ours[i], theirs[i]);
    }
    if (shown)
        fprintf(stderr, "%s: %u words differ\n", row->name, shown);
}

static void check(const struct row *row)
{
    char what[128] = "";
    if (row->expected && !row->expected(ours, in, row->blocks, row->threads, what)) {
        failures++;
        fprintf(stderr, "%s: %s\n", row->name, what);
    }
}

int main(int argc, char **argv)
{
    CUcontext ctx;
    CUmodule modules[2] = {NULL, NULL};
    CUdeviceptr d_in, d_out;
    if (argc < 3)
        return 2;
    CALL(cuInit(0));
    CALL(cuCtxCreate_v4(&ctx, NULL, 0, 0));
    for (int i = 2; i < argc && i < 4; i++) {
        CALL(cuModuleLoad(&modules[i - 2], argv[i]));
        CALL(objects_make(modules[i - 2]));
    }
    CALL(cuMemAlloc_v2(&d_in, sizeof in));
    CALL(cuMemAlloc_v2(&d_out, sizeof ours));
    fill_input();
    CALL(cuMemcpyHtoD_v2(d_in, in, sizeof in));
    unsigned ran = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].file, argv[1]) != 0)
            continue;
        ran++;
        if (!run(modules[0], &rows[i], d_in, d_out, ours)) {
            failures++;
            continue;
        }
        check(&rows[i]);
        if (modules[1] && !run(modules[1], &rows[i], d_in, d_out, theirs))
            failures++;
        else if (modules[1])
            compare(&rows[i]);
    }
    printf("%u kernels%s, %u failures\n", ran, modules[1] ? " by two compilers" : "", failures);
    CALL(cuCtxDestroy_v2(ctx));
    return failures != 0 || ran == 0;
}
