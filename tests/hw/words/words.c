/* words.c - matrix instructions word by word: random registers in, registers out, through a CUDA driver, ours or NVIDIA's.
 * Sparse products with random metadata (mma.sp, wgmma.mma_async.sp with each swizzle) and the mma of quads (m8n8k4).
 *
 *     words [--lib PATH] [--check FILE] [--raw FILE] OUT.csv
 *
 * A row an instruction and kind of operands: hash of all results, the first three. --check: compares with such a file, exit
 * status 1 if they differ. --raw: all results, rows one behind the other. Without a driver: 77. Build:
 *
 *     gcc -std=gnu11 -O2 -o words words.c cases.c -ldl */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

enum { TILES = 32, NO_DRIVER = 77, TEXT = 1 << 14 };

typedef uint64_t cu_ptr;
#define DRIVER_API(F)                                                                                                  \
    F(init, "cuInit", unsigned flags)                                                                                  \
    F(device_get, "cuDeviceGet", int *dev, int n)                                                                      \
    F(ctx_retain, "cuDevicePrimaryCtxRetain", void **ctx, int dev)                                                     \
    F(ctx_set, "cuCtxSetCurrent", void *ctx)                                                                           \
    F(ctx_sync, "cuCtxSynchronize", void)                                                                              \
    F(module_load, "cuModuleLoadDataEx", void **m, const void *image, unsigned n, int *options, void **values)         \
    F(module_unload, "cuModuleUnload", void *m)                                                                        \
    F(module_function, "cuModuleGetFunction", void **f, void *m, const char *name)                                     \
    F(mem_alloc, "cuMemAlloc_v2", cu_ptr *p, size_t size)                                                              \
    F(to_device, "cuMemcpyHtoD_v2", cu_ptr to, const void *from, size_t size)                                          \
    F(to_host, "cuMemcpyDtoH_v2", void *to, cu_ptr from, size_t size)                                                  \
    F(launch, "cuLaunchKernel", void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, \
      unsigned shared, void *stream, void **args, void **extra)

static struct {
#define FIELD(name, symbol, ...) int (*name)(__VA_ARGS__);
    DRIVER_API(FIELD)
} cu;

static void need(int result, const char *what)
{
    if (!result)
        return;
    printf("%s: error %d\n", what, result);
    exit(1);
}

static void driver_load(const char *path)
{
    void *const lib = dlopen(path, RTLD_NOW);
    void *ctx;
    int dev;
    if (!lib) {
        printf("no driver: %s\n", dlerror());
        exit(NO_DRIVER);
    }
#define LOOK_UP(field, symbol, ...) *(void **)&cu.field = dlsym(lib, symbol);
    DRIVER_API(LOOK_UP)
    need(cu.init(0), "cuInit");
    need(cu.device_get(&dev, 0), "device");
    need(cu.ctx_retain(&ctx, dev), "context");
    need(cu.ctx_set(ctx), "context");
}

/* ---- the kernel of a case ---- */

struct out {
    char *at, *end;
};
static void put(struct out *o, const char *form, ...)
{
    va_list list;
    va_start(list, form);
    o->at += vsnprintf(o->at, (size_t)(o->end - o->at), form, list);
    va_end(list);
}

static void registers(struct out *o, int first, int n)
{
    for (int i = 0; i < n; i++)
        put(o, "%s%%v%d", i ? ", " : "{", first + i);
    put(o, "}");
}

static int words_in(const struct matrix_case *x) { return x->na + x->nb + x->nc + x->sparse; }

/* d, a, b, c, and of a sparse a the metadata and which lanes have them. */
static void mma(struct out *o, const struct matrix_case *x)
{
    const int c = x->na + x->nb, d = words_in(x);
    put(o, "%s ", x->name);
    registers(o, d, x->nd);
    put(o, ", ");
    registers(o, 0, x->na);
    put(o, ", ");
    registers(o, x->na, x->nb);
    put(o, ", ");
    registers(o, c, x->nc);
    if (x->sparse)
        put(o, ", %%v%d, %d", c + x->nc, x->selector);
    put(o, ";\n");
}

/* Shared memory is an image; d moves over c. */
static void wgmma(struct out *o, const struct matrix_case *x)
{
    const int c = x->na, d = words_in(x);
    for (int r = 0; r < x->nd; r++)
        put(o, "mov.b32 %%v%d, %%v%d;\n", d + r, c + r);
    put(o,
        "mov.u32 %%r4, image;\ncvt.u64.u32 %%q4, %%r4;\nshr.u64 %%q4, %%q4, 4;\n"
        "add.s64 %%q5, %%q4, 0x%llx;\nadd.s64 %%q6, %%q4, 0x%llx;\n",
        (unsigned long long)x->a_at, (unsigned long long)x->b_at);
    put(o, "wgmma.fence.sync.aligned;\n%s ", x->name);
    registers(o, d, x->nd);
    put(o, ", ");
    if (x->na)
        registers(o, 0, x->na);
    else
        put(o, "%%q5");
    put(o, ", %%q6, ");
    if (x->sparse)
        put(o, "%%v%d, %d, ", c + x->nc, x->selector);
    put(o, "%%p0%s;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n", x->tail);
}

static void image_to_shared(struct out *o)
{
    put(o,
        "mov.u32 %%r5, %%r1;\nld.param.u64 %%q2, [image_at];\nmov.u32 %%r6, image;\nL:\n"
        "mul.wide.u32 %%q4, %%r5, 4;\nadd.s64 %%q4, %%q2, %%q4;\nld.global.b32 %%r7, [%%q4];\n"
        "shl.b32 %%r8, %%r5, 2;\nadd.u32 %%r8, %%r8, %%r6;\nst.shared.b32 [%%r8], %%r7;\n"
        "add.u32 %%r5, %%r5, 128;\nsetp.lt.u32 %%p1, %%r5, %d;\n@%%p1 bra L;\n"
        "fence.proxy.async;\nbar.sync 0;\n",
        IMAGE_WORDS);
}

static void kernel(const struct matrix_case *x, char *text)
{
    struct out o = {text, text + TEXT};
    const int in = words_in(x), threads = x->group ? 128 : 32;
    put(&o,
        ".version 8.7\n.target sm_90%s\n.address_size 64\n"
        ".visible .entry k(.param .u64 from, .param .u64 image_at, .param .u64 to)\n{\n"
        ".reg .b32 %%v<64>, %%r<9>;\n.reg .b64 %%q<10>;\n.reg .pred %%p<2>;\n"
        ".shared .align 1024 .b8 image[%d];\nmov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, %%ctaid.x;\n",
        x->group ? "a" : "", x->group ? IMAGE_WORDS * 4 : 4);
    if (x->group)
        image_to_shared(&o);
    put(&o,
        "mad.lo.u32 %%r3, %%r2, %d, %%r1;\nmul.wide.u32 %%q1, %%r3, 4;\nld.param.u64 %%q2, [from];\n"
        "add.s64 %%q2, %%q2, %%q1;\nsetp.ne.u32 %%p0, %%r1, 128;\n",
        in * threads);
    for (int r = 0; r < in; r++)
        put(&o, "ld.global.b32 %%v%d, [%%q2+%d];\n", r, r * threads * 4);
    (x->group ? wgmma : mma)(&o, x);
    put(&o,
        "mad.lo.u32 %%r3, %%r2, %d, %%r1;\nmul.wide.u32 %%q1, %%r3, 4;\nld.param.u64 %%q3, [to];\n"
        "add.s64 %%q3, %%q3, %%q1;\n",
        x->nd * threads);
    for (int r = 0; r < x->nd; r++)
        put(&o, "st.global.b32 [%%q3+%d], %%v%d;\n", r * threads * 4, in + r);
    put(&o, "ret;\n}\n");
}

/* ---- operands ---- */

static uint64_t state;
uint32_t words_next(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ z >> 31) >> 16);
}

static size_t make_operands(const struct matrix_case *x, int number, int kind, uint32_t *in, uint32_t *image)
{
    const int threads = x->group ? 128 : 32, c = x->na + (x->group ? 0 : x->nb);
    size_t n = 0;
    state = (uint64_t)number * 100 + (uint64_t)kind;
    for (int i = 0; i < IMAGE_WORDS; i++) /* of both operands, which have one type */
        image[i] = words_of(x->a, kind);
    for (int t = 0; t < TILES; t++)
        for (int r = 0; r < words_in(x); r++)
            for (int i = 0; i < threads; i++)
                in[n++] = r < x->na       ? words_of(x->a, kind)
                          : r < c         ? words_of(x->b, kind)
                          : r < c + x->nc ? words_of(x->c, kind)
                                          : words_metadata(x);
    return n;
}

/* ---- rows ---- */

struct row {
    uint64_t hash;
    uint32_t first[3];
};

static uint64_t hash_of(const uint32_t *p, size_t n)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++) {
        h = (h ^ p[i]) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return h;
}

static cu_ptr from, image_at, to;
static FILE *raw;

static struct row run(const struct matrix_case *x, int number, int kind, void *function)
{
    static uint32_t in[TILES * 128 * 40], out[TILES * 128 * 16], image[IMAGE_WORDS];
    const unsigned threads = x->group ? 128 : 32;
    const size_t n = make_operands(x, number, kind, in, image), nout = (size_t)TILES * threads * (size_t)x->nd;
    struct row row;
    void *args[] = {&from, &image_at, &to};
    need(cu.to_device(from, in, n * 4), "copy");
    need(cu.to_device(image_at, image, sizeof image), "copy");
    if (cu.launch(function, TILES, 1, 1, threads, 1, 1, 0, NULL, args, NULL)) {
        printf("refused: %s\n", x->name);
        return (struct row){0};
    }
    need(cu.ctx_sync(), x->name);
    need(cu.to_host(out, to, nout * 4), "copy");
    row.hash = hash_of(out, nout);
    memcpy(row.first, out, sizeof row.first);
    if (raw)
        fwrite(out, 4, nout, raw);
    return row;
}

/* The line of a file that has this row, or not. */
static bool stands_in(FILE *f, const char *line)
{
    char other[512];
    rewind(f);
    while (fgets(other, sizeof other, f))
        if (!strcmp(other, line))
            return true;
    return false;
}

static unsigned run_case(int number, FILE *out, FILE *check)
{
    static char text[TEXT], log[4096];
    const struct matrix_case *const x = &matrix_cases[number];
    void *module, *function, *values[] = {log, (void *)(uintptr_t)sizeof log};
    int names[] = {5, 6}; /* CU_JIT_ERROR_LOG_BUFFER and its size */
    unsigned differ = 0;
    kernel(x, text);
    if (cu.module_load(&module, text, 2, names, values)) {
        printf("%s\n%s\n", log, text);
        return 1;
    }
    need(cu.module_function(&function, module, "k"), "function");
    for (int kind = 0; kind < KINDS; kind++) {
        const struct row r = run(x, number, kind, function);
        char line[512];
        snprintf(line, sizeof line, "%d,%s,%d,%s,%016llx,%08x,%08x,%08x\n", number, x->name, x->selector,
                 kind_names[kind], (unsigned long long)r.hash, r.first[0], r.first[1], r.first[2]);
        if (out)
            fputs(line, out);
        if (check && !stands_in(check, line)) {
            printf("not in the file: %s", line);
            differ++;
        }
    }
    cu.module_unload(module);
    return differ;
}

int main(int argc, char **argv)
{
    const char *lib = "libcuda.so.1", *check = NULL, *raw_name = NULL, *out = NULL;
    unsigned differ = 0;
    for (int i = 1; i < argc; i++) {
        const char *const value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--lib"))
            lib = value, i++;
        else if (!strcmp(argv[i], "--check"))
            check = value, i++;
        else if (!strcmp(argv[i], "--raw"))
            raw_name = value, i++;
        else
            out = argv[i];
    }
    FILE *const rows = out ? fopen(out, "w") : NULL, *const file = check ? fopen(check, "r") : NULL;
    raw = raw_name ? fopen(raw_name, "wb") : NULL;
    if ((out && !rows) || (check && !file)) {
        printf("cannot open a file\n");
        return 1;
    }
    driver_load(lib);
    need(cu.mem_alloc(&from, TILES * 128 * 40 * 4) || cu.mem_alloc(&image_at, IMAGE_WORDS * 4) ||
             cu.mem_alloc(&to, TILES * 128 * 16 * 4),
         "memory");
    for (int i = 0; i < matrix_ncases; i++)
        differ += run_case(i, rows, file);
    printf("%d instructions, %d kinds of operands each, %u rows differ\n", matrix_ncases, (int)KINDS, differ);
    return differ != 0;
}
