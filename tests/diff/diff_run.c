/* diff_run.c - runs random kernels through the CUDA driver API and demands the reference's memory, bit for bit.
 *
 *     diff_run LIBCUDA KERNELS.ptx REFERENCE.so [SEED]
 *
 * LIBCUDA is this project's libcuda.so.1 or NVIDIA's: nothing here knows which. A kernel's outputs are its threads'
 * registers, the cells of its atomics and its scratch memory; outputs start as a pattern, so that a thread that must not
 * write is seen to. Prints each kernel that differs with its first differing element, and a last line of counts. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff_table.h"

typedef int result;          /* CUresult */
typedef uint64_t device_ptr; /* CUdeviceptr */

/* The entry points as cuda.h declares them; handles are pointers. */
static struct {
    result (*init)(unsigned);
    result (*device_get)(int *, int);
    result (*retain)(void **, int);
    result (*release)(int);
    result (*set_current)(void *);
    result (*module_load)(void **, const void *);
    result (*module_unload)(void *);
    result (*get_function)(void **, void *, const char *);
    result (*mem_alloc)(device_ptr *, size_t);
    result (*mem_free)(device_ptr);
    result (*to_device)(device_ptr, const void *, size_t);
    result (*to_host)(void *, device_ptr, size_t);
    result (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                     void **);
    result (*synchronize)(void);
    result (*error_name)(result, const char **);
} cu;

static const struct {
    const char *name;
    void *to;
} symbols[] = {
    {"cuInit", &cu.init},
    {"cuDeviceGet", &cu.device_get},
    {"cuDevicePrimaryCtxRetain", &cu.retain},
    {"cuDevicePrimaryCtxReset_v2", &cu.release},
    {"cuCtxSetCurrent", &cu.set_current},
    {"cuModuleLoadData", &cu.module_load},
    {"cuModuleUnload", &cu.module_unload},
    {"cuModuleGetFunction", &cu.get_function},
    {"cuMemAlloc_v2", &cu.mem_alloc},
    {"cuMemFree_v2", &cu.mem_free},
    {"cuMemcpyHtoD_v2", &cu.to_device},
    {"cuMemcpyDtoH_v2", &cu.to_host},
    {"cuLaunchKernel", &cu.launch},
    {"cuCtxSynchronize", &cu.synchronize},
    {"cuGetErrorName", &cu.error_name},
};

enum { MAX_THREADS = 256 * 5 };

/* What a kernel reads and writes. */
struct memory {
    unsigned in[DIFF_IN], out[MAX_THREADS * DIFF_OUT], acc[DIFF_ACC], scratch[MAX_THREADS];
};

struct area {
    const char *name;
    size_t at, size; /* in struct memory; bytes */
};

static const struct area areas[] = {
    {"in", offsetof(struct memory, in), sizeof(unsigned[DIFF_IN])},
    {"out", offsetof(struct memory, out), sizeof(unsigned[MAX_THREADS * DIFF_OUT])},
    {"acc", offsetof(struct memory, acc), sizeof(unsigned[DIFF_ACC])},
    {"scratch", offsetof(struct memory, scratch), sizeof(unsigned[MAX_THREADS])},
};
enum { AREAS = 4 };

static struct memory initial, wanted, got;
static char *ptx;

static bool failed(const char *call, result r)
{
    const char *name = "unknown error";
    if (!r)
        return false;
    if (cu.error_name)
        cu.error_name(r, &name);
    printf("  %s: %s (%d)\n", call, name, r);
    return true;
}
#define TRY(call) failed(#call, call)

static bool load_driver(const char *path)
{
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!lib) {
        printf("diff_run: %s\n", dlerror());
        return false;
    }
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *at = dlsym(lib, symbols[i].name);
        if (!at) {
            printf("diff_run: %s has no %s\n", path, symbols[i].name);
            return false;
        }
        memcpy(symbols[i].to, &at, sizeof at);
    }
    return true;
}

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    char *text = calloc(1, (size_t)size + 1);
    if (text && fread(text, 1, (size_t)size, f) != (size_t)size) {
        free(text);
        text = NULL;
    }
    fclose(f);
    return text;
}

/* Small and large values, so that loops, branches and floats meet both. */
static void fill(unsigned seed)
{
    uint64_t x = seed * 0x9e3779b97f4a7c15u + 1;
    memset(&initial, 0xcd, sizeof initial);
    for (unsigned i = 0; i < DIFF_IN; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17; /* xorshift64 (Marsaglia 2003) */
        initial.in[i] = (unsigned)(x >> 32) >> (x & 3 ? x >> 2 & 31 : 0);
    }
    for (unsigned i = 0; i < DIFF_ACC; i++)
        initial.acc[i] = initial.in[i];
}

static bool open_device(void **module)
{
    int device;
    void *context;
    return !(TRY(cu.device_get(&device, 0)) || TRY(cu.retain(&context, device)) || TRY(cu.set_current(context)) ||
             TRY(cu.module_load(module, ptx)));
}

static bool run_kernel(void *module, const struct diff_kernel *k, unsigned n)
{
    void *function;
    device_ptr at[AREAS] = {0};
    if (TRY(cu.get_function(&function, module, k->name)))
        return false;
    for (int i = 0; i < AREAS; i++)
        if (TRY(cu.mem_alloc(&at[i], areas[i].size)) ||
            TRY(cu.to_device(at[i], (char *)&initial + areas[i].at, areas[i].size)))
            return false;
    void *args[] = {&at[0], &at[1], &at[2], &at[3], &n};
    if (TRY(cu.launch(function, k->blocks, 1, 1, k->threads, 1, 1, 0, NULL, args, NULL)) || TRY(cu.synchronize()))
        return false;
    for (int i = 0; i < AREAS; i++)
        if (TRY(cu.to_host((char *)&got + areas[i].at, at[i], areas[i].size)) || TRY(cu.mem_free(at[i])))
            return false;
    return true;
}

/* The names of a thread's outputs, in gen_kernel.c's order. */
static void print_place(const struct diff_kernel *k, const struct area *a, unsigned i)
{
    static const char *const regs[DIFF_OUT] = {"V(0)", "V(1)", "V(2)", "V(3)", "V(4)", "V(5)", "V(6)", "V(7)",
                                               "W(0)", "W(0)", "W(1)", "W(1)", "W(2)", "W(2)", "W(3)", "W(3)",
                                               "F(0)", "F(1)", "F(2)", "F(3)", "D(0)", "D(0)", "D(1)", "D(1)",
                                               "A(0)", "A(1)", "A(2)", "A(3)", "A(4)", "A(5)", "A(6)", "A(7)"};
    printf("  %s[%u]", a->name, i);
    if (!strcmp(a->name, "out"))
        printf(" (block %u, thread %u, %s)", i / DIFF_OUT / k->threads, i / DIFF_OUT % k->threads, regs[i % DIFF_OUT]);
}

static bool compare(const struct diff_kernel *k)
{
    unsigned different = 0;
    for (int a = 0; a < AREAS; a++) {
        const unsigned *w = (const unsigned *)(const void *)((char *)&wanted + areas[a].at);
        const unsigned *g = (const unsigned *)(const void *)((char *)&got + areas[a].at);
        for (unsigned i = 0; i < areas[a].size / 4; i++)
            if (w[i] != g[i] && different++ < 4) {
                print_place(k, &areas[a], i);
                printf(": 0x%08x, reference 0x%08x\n", g[i], w[i]);
            }
    }
    if (different)
        printf("seed %u: kernel %s, %u block%s of %u threads: %u elements differ\n", k->seed, k->name, k->blocks,
               k->blocks == 1 ? "" : "s", k->threads, different);
    return !different;
}

static bool check(void **module, const struct diff_kernel *k)
{
    unsigned n = k->seed * 7919;
    fill(k->seed);
    wanted = initial;
    k->run(wanted.in, wanted.out, wanted.acc, wanted.scratch, n);
    if (run_kernel(*module, k, n))
        return compare(k);
    printf("seed %u: kernel %s did not run\n", k->seed, k->name);
    cu.release(0); /* an error may have broken the context: start afresh */
    if (!open_device(module)) {
        printf("diff_run: the device does not come back after the error\n");
        exit(1);
    }
    return false;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: diff_run LIBCUDA KERNELS.ptx REFERENCE.so [SEED]\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    void *reference = dlopen(argv[3], RTLD_NOW);
    const struct diff_kernel *table = reference ? dlsym(reference, "diff_kernels") : NULL;
    void *module;
    ptx = read_file(argv[2]);
    if (!table || !ptx) {
        printf("diff_run: cannot read %s\n", ptx ? argv[3] : argv[2]);
        return 2;
    }
    if (!load_driver(argv[1]) || TRY(cu.init(0)) || !open_device(&module))
        return 1;
    unsigned bad = 0, n = 0;
    for (const struct diff_kernel *k = table; k->name; k++)
        if (argc < 5 || k->seed == (unsigned)atoi(argv[4])) {
            n++;
            bad += !check(&module, k);
        }
    printf("%u kernels equal the reference, %u differ\n", n - bad, bad);
    TRY(cu.module_unload(module));
    free(ptx);
    return bad || !n;
}
