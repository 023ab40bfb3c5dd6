/* layout.c - which bytes of shared memory a wgmma descriptor stands for: asks a CUDA driver, ours or NVIDIA's, and writes a
 * row a descriptor:
 *
 *     operand, swizzle, leading and stride offset, start, base offset, hash of where all elements were, the first places
 *
 *     layout [--lib PATH] [--check FILE] [--raw FILE] [--model] OUT.csv
 *
 * The elements of shared memory are their own numbers; the other operand picks one k a line, so the product shows, twice
 * (the lower 8 bits of numbers, then the others), which element each line and k is. --check: compares with such a file.
 * --raw: all places, u16, lines of k. --model: compares with place() below. Without a driver: 77. Build:
 *
 *     gcc -std=gnu11 -O2 -o layout layout.c -ldl */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    IMAGE = 64 << 10,
    OTHER = 2 << 10,
    LINES = 64,
    REGS = 32,
    THREADS = 128,
    NO_DRIVER = 77,
    MOST_K = 64,
    MOST_ROWS = 8192
};

/* ---- operands ---- */

struct operand {
    const char *name, *instruction, *tail; /* tail: the immediates */
    int bytes;                             /* of an element */
    bool is_a, crossed, sparse;            /* sparse: b, of a sparse a */
};
#define WG "wgmma.mma_async.sync.aligned.m64n64"
#define WGSP "wgmma.mma_async.sp.sync.aligned.m64n64"
static const struct operand operands[] = {
    {"b f16 k", WG "k16.f32.f16.f16", ", 1, 1, 0, 0", 2, false, false, false},
    {"b f16 mn", WG "k16.f32.f16.f16", ", 1, 1, 0, 1", 2, false, true, false},
    {"a f16 k", WG "k16.f32.f16.f16", ", 1, 1, 0, 0", 2, true, false, false},
    {"a f16 mn", WG "k16.f32.f16.f16", ", 1, 1, 1, 0", 2, true, true, false},
    {"b u8 k", WG "k32.s32.u8.u8", "", 1, false, false, false},
    {"a u8 k", WG "k32.s32.u8.u8", "", 1, true, false, false},
    {"b tf32 k", WG "k8.f32.tf32.tf32", ", 1, 1", 4, false, false, false},
    {"a tf32 k", WG "k8.f32.tf32.tf32", ", 1, 1", 4, true, false, false},
};
enum { NOPERANDS = sizeof operands / sizeof *operands };

struct layout {
    const struct operand *o;
    int swizzle, leading, stride, start, base;
};
static int k_of(const struct operand *o) { return (o->sparse ? 64 : 32) / o->bytes; }

/* The byte of shared memory of a line's element k. Swizzle 1, 2, 3: of 128, 64, 32 bytes. */
static int place(const struct layout *l, int line, int k)
{
    const int width = l->swizzle ? 256 >> l->swizzle : 16;
    const int at = l->o->crossed ? line * l->o->bytes : k * l->o->bytes; /* in what lies side by side */
    const int other = l->o->crossed ? k : line, piece = at / width, group = other / 8;
    int offset = at % width + other % 8 * width;
    if (!l->o->crossed)
        offset += group * l->stride + piece * l->leading;
    else if (l->swizzle)
        offset += group * l->stride + piece * l->leading;
    else
        offset += group * l->leading + piece * l->stride;
    const int p = l->start + offset, mask = l->swizzle ? (8 >> (l->swizzle - 1)) - 1 : 0;
    return p ^ ((((p >> 7) - l->base) & mask) << 4);
}

/* ---- the driver API ---- */

typedef uint64_t cu_ptr;
#define DRIVER_API(F)                                                                                                  \
    F(init, "cuInit", unsigned flags)                                                                                  \
    F(device_get, "cuDeviceGet", int *dev, int n)                                                                      \
    F(ctx_retain, "cuDevicePrimaryCtxRetain", void **ctx, int dev)                                                     \
    F(ctx_set, "cuCtxSetCurrent", void *ctx)                                                                           \
    F(ctx_sync, "cuCtxSynchronize", void)                                                                              \
    F(module_load, "cuModuleLoadDataEx", void **m, const void *image, unsigned n, int *options, void **values)         \
    F(module_function, "cuModuleGetFunction", void **f, void *m, const char *name)                                     \
    F(function_set, "cuFuncSetAttribute", void *f, int attribute, int value)                                           \
    F(mem_alloc, "cuMemAlloc_v2", cu_ptr *p, size_t size)                                                              \
    F(to_device, "cuMemcpyHtoD_v2", cu_ptr to, const void *from, size_t size)                                          \
    F(to_host, "cuMemcpyDtoH_v2", void *to, cu_ptr from, size_t size)                                                  \
    F(launch, "cuLaunchKernel", void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, \
      unsigned shared, void *stream, void **args, void **extra)

static struct {
#define FIELD(name, symbol, ...) int (*name)(__VA_ARGS__);
    DRIVER_API(FIELD)
} cu;

static void driver_load(const char *path)
{
    void *lib = dlopen(path, RTLD_NOW);
    if (!lib) {
        printf("no driver: %s\n", dlerror());
        exit(NO_DRIVER);
    }
#define LOOK_UP(field, symbol, ...) *(void **)&cu.field = dlsym(lib, symbol);
    DRIVER_API(LOOK_UP)
}

static void need(int result, const char *what)
{
    if (!result)
        return;
    printf("%s: error %d\n", what, result);
    exit(1);
}

/* ---- the kernel ---- */

static char text[16384], *end;
static void put(const char *form, ...)
{
    va_list list;
    va_start(list, form);
    end += vsnprintf(end, (size_t)(text + sizeof text - end), form, list);
    va_end(list);
}

/* k(image, out, descriptor without its start, start). The other operand is behind the image: 8 lines of 16 bytes, then their
 * other 16 bytes. */
static void make_kernel(const struct operand *o)
{
    end = text;
    put(".version 8.7\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 sm[];\n"
        ".visible .entry k(.param .u64 image, .param .u64 out, .param .u64 desc, .param .u32 start, .param .u32 "
        "meta)\n{\n"
        ".reg .b32 %%v<%d>, %%r<8>;\n.reg .b64 %%q<8>;\n.reg .pred %%p<2>;\n",
        REGS);
    put("mov.u32 %%r1, %%tid.x;\nmov.u32 %%r2, sm;\nld.param.u64 %%q1, [image];\nld.param.u64 %%q2, [out];\n"
        "ld.param.u64 %%q3, [desc];\nld.param.u32 %%r3, [start];\nshl.b32 %%r4, %%r1, 4;\n");
    put("L:\ncvt.u64.u32 %%q4, %%r4;\nadd.s64 %%q4, %%q4, %%q1;\nld.global.v4.b32 {%%v0, %%v1, %%v2, %%v3}, [%%q4];\n"
        "add.u32 %%r5, %%r2, %%r4;\nst.shared.v4.b32 [%%r5], {%%v0, %%v1, %%v2, %%v3};\n"
        "add.u32 %%r4, %%r4, %d;\nsetp.lt.u32 %%p1, %%r4, %d;\n@%%p1 bra L;\nfence.proxy.async;\nbar.sync 0;\n",
        16 * THREADS, IMAGE + OTHER);
    put("add.u32 %%r3, %%r3, %%r2;\nshr.u32 %%r3, %%r3, 4;\ncvt.u64.u32 %%q4, %%r3;\nor.b64 %%q3, %%q3, %%q4;\n"
        "add.u32 %%r2, %%r2, %d;\nshr.u32 %%r2, %%r2, 4;\ncvt.u64.u32 %%q4, %%r2;\nadd.s64 %%q4, %%q4, 0x1000080000;\n",
        IMAGE);
    for (int r = 0; r < REGS; r++)
        put("mov.b32 %%v%d, 0;\n", r);
    put("ld.param.u32 %%r6, [meta];\nwgmma.fence.sync.aligned;\n%s ", o->instruction);
    for (int r = 0; r < REGS; r++)
        put("%s%%v%d", r ? ", " : "{", r);
    put("}, %s, %s, %s1%s;\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n",
        o->is_a ? "%q3" : "%q4", o->is_a ? "%q4" : "%q3", o->sparse ? "%r6, 0, " : "", o->tail);
    put("mul.wide.u32 %%q4, %%r1, 4;\nadd.s64 %%q2, %%q2, %%q4;\n");
    for (int r = 0; r < REGS; r++)
        put("st.global.b32 [%%q2+%d], %%v%d;\n", 4 * r * THREADS, r);
    put("ret;\n}\n");
}

/* ---- running ---- */

struct row {
    struct layout l;
    uint16_t places[LINES * MOST_K]; /* element numbers */
    uint64_t hash;
};
static struct row *rows;
static int nrows;
static cu_ptr image, out;

static void store(unsigned char *to, int bytes, int i, int value)
{
    const float f = (float)value;
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    if (bytes == 4)
        memcpy(to + 4 * i, &u, 4);
    else if (bytes == 1)
        to[i] = (unsigned char)value;
    else {
        const uint16_t h = value ? (uint16_t)((((u >> 23) - 112) << 10) | (u >> 13 & 0x3ff)) : 0;
        memcpy(to + 2 * i, &h, 2);
    }
}

static void fill(const struct operand *o, int upper, unsigned char *to)
{
    memset(to, 0, IMAGE + OTHER);
    for (int i = 0; i < IMAGE / o->bytes; i++)
        store(to, o->bytes, i, upper ? i >> 8 : i & 255);
    for (int line = 0; line < LINES; line++) {
        const int at = line * o->bytes % 32;
        store(to + IMAGE + line / 8 * 256 + at / 16 * 128 + line % 8 * 16 + at % 16, o->bytes, 0, 1);
    }
}

/* Of a sparse a, the metadata choose elements 0 and 1 of four k, or in the second half 2 and 3; of tf32 one of two. */
static int half_of(const struct operand *o, int k) { return !o->sparse ? 0 : o->bytes == 4 ? k % 2 : k % 4 / 2; }
static int row_of(const struct operand *o, int k) { return !o->sparse ? k : o->bytes == 4 ? k / 2 : k / 4 * 2 + k % 2; }

/* The result's element of the line and k. */
static int element(const struct operand *o, const uint32_t *d, int line, int k)
{
    const int m = o->is_a ? line : row_of(o, k), n = o->is_a ? k : line;
    const int lane = m % 8 * 4 + n % 8 / 2, r = n / 8 * 4 + m % 16 / 8 * 2 + n % 2;
    const uint32_t u = d[r * THREADS + m / 16 * 32 + lane];
    float f;
    memcpy(&f, &u, sizeof f);
    return o->bytes == 1 ? (int)u : (int)f;
}

static void run_row(struct row *x, void *function, int upper, int half)
{
    static uint32_t d[REGS * THREADS];
    const struct layout *l = &x->l;
    uint64_t desc = (uint64_t)l->leading / 16 << 16 | (uint64_t)l->stride / 16 << 32 | (uint64_t)l->base << 49 |
                    (uint64_t)l->swizzle << 62;
    uint32_t start = (uint32_t)l->start, meta = half ? 0xeeeeeeee : 0x44444444;
    void *args[] = {&image, &out, &desc, &start, &meta};
    need(cu.launch(function, 1, 1, 1, THREADS, 1, 1, IMAGE + OTHER, NULL, args, NULL), "launch");
    need(cu.ctx_sync(), l->o->name);
    need(cu.to_host(d, out, sizeof d), "copy");
    for (int line = 0; line < LINES; line++)
        for (int k = 0; k < k_of(l->o); k++)
            if (half_of(l->o, k) == half)
                x->places[line * k_of(l->o) + k] |= (uint16_t)(element(l->o, d, line, k) << 8 * upper);
}

static void add_rows(const struct operand *o)
{
    static const int offsets[][2] = {{128, 256}, {2048, 512}, {16, 1024}, {1024, 1024}, {4096, 1024}, {5376, 2304}};
    static const int starts[] = {0, 16, 32, 64, 96, 128, 512, 1056};
    for (int swizzle = 0; swizzle < 4; swizzle++)
        for (int k = 0; k < 6; k++)
            for (int s = 0; s < 8; s++)
                for (int base = 0; base < 8; base++)
                    if (!base || (k == 4 && (s == 0 || s == 2 || s == 5)))
                        rows[nrows++] = (struct row){.l = {o, swizzle, offsets[k][0], offsets[k][1], starts[s], base}};
}

static void run_operand(const struct operand *o)
{
    static unsigned char host[IMAGE + OTHER];
    static char log[4096];
    void *module, *function;
    int names[] = {5, 6}; /* CU_JIT_ERROR_LOG_BUFFER and its size */
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    const int from = nrows;
    add_rows(o);
    make_kernel(o);
    if (cu.module_load(&module, text, 2, names, values)) {
        printf("%s\n%s\n", log, text);
        exit(1);
    }
    need(cu.module_function(&function, module, "k"), "function");
    need(cu.function_set(function, 8, IMAGE + OTHER), "shared memory");
    for (int upper = 0; upper < 2; upper++) {
        fill(o, upper, host);
        need(cu.to_device(image, host, sizeof host), "copy");
        for (int i = from; i < nrows; i++)
            for (int half = 0; half < 1 + o->sparse; half++)
                run_row(&rows[i], function, upper, half);
    }
}

/* ---- files ---- */

static void finish(struct row *x)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (int i = 0; i < LINES * k_of(x->l.o); i++) {
        h = (h ^ x->places[i]) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    x->hash = h;
}

static int row_text(const struct row *x, char *to)
{
    const struct layout *l = &x->l;
    return sprintf(to, "%s,%d,%d,%d,%d,%d,%016llx,%d,%d,%d", l->o->name, l->swizzle, l->leading, l->stride, l->start,
                   l->base, (unsigned long long)x->hash, x->places[0] * l->o->bytes,
                   x->places[9 * k_of(l->o) + 1] * l->o->bytes, x->places[LINES * k_of(l->o) - 1] * l->o->bytes);
}

static void write_rows(const char *path, const char *raw)
{
    FILE *f = fopen(path, "w");
    char row[256];
    if (!f)
        exit(1);
    fprintf(f, "operand,swizzle,leading,stride,start,base,hash,first,ninth,last\n");
    for (int i = 0; i < nrows; i++) {
        row_text(&rows[i], row);
        fprintf(f, "%s\n", row);
    }
    fclose(f);
    f = raw ? fopen(raw, "wb") : NULL;
    for (int i = 0; f && i < nrows; i++)
        fwrite(rows[i].places, 2, (size_t)(LINES * k_of(rows[i].l.o)), f);
    if (f)
        fclose(f);
}

static int check_rows(const char *path)
{
    FILE *f = fopen(path, "r");
    char line[256], row[256];
    int wrong = 0, n = 0;
    if (!f || !fgets(line, sizeof line, f)) {
        printf("cannot read %s\n", path);
        return 1;
    }
    while (fgets(line, sizeof line, f) && n < nrows) {
        line[strcspn(line, "\n")] = 0;
        row_text(&rows[n++], row);
        if (strcmp(line, row) && wrong++ < 10)
            printf("%s\n  is not the file's\n%s\n", row, line);
    }
    fclose(f);
    printf("%d rows of %d are compared, %d differ\n", n, nrows, wrong);
    return wrong || n != nrows;
}

static int check_model(void)
{
    int wrong = 0;
    for (int i = 0; i < nrows; i++) {
        const struct layout *l = &rows[i].l;
        int bad = -1, n = 0;
        for (int at = 0; at < LINES * k_of(l->o); at++)
            if (rows[i].places[at] * l->o->bytes != place(l, at / k_of(l->o), at % k_of(l->o)) && ++n && bad < 0)
                bad = at;
        wrong += bad >= 0;
        if (bad >= 0)
            printf("%s swizzle %d leading %d stride %d start %d base %d: %d wrong, line %d k %d is at %d, not %d\n",
                   l->o->name, l->swizzle, l->leading, l->stride, l->start, l->base, n, bad / k_of(l->o),
                   bad % k_of(l->o), rows[i].places[bad] * l->o->bytes, place(l, bad / k_of(l->o), bad % k_of(l->o)));
    }
    printf("%d rows of %d are not as place() says\n", wrong, nrows);
    return wrong != 0;
}

int main(int argc, char **argv)
{
    const char *lib = "libcuda.so.1", *check = NULL, *raw = NULL, *to = NULL;
    bool model = false;
    int dev;
    void *ctx;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--model"))
            model = true;
        else if (!strcmp(argv[i], "--lib") && i + 1 < argc)
            lib = argv[++i];
        else if (!strcmp(argv[i], "--check") && i + 1 < argc)
            check = argv[++i];
        else if (!strcmp(argv[i], "--raw") && i + 1 < argc)
            raw = argv[++i];
        else
            to = argv[i];
    driver_load(lib);
    need(cu.init(0), "cuInit");
    need(cu.device_get(&dev, 0), "device");
    need(cu.ctx_retain(&ctx, dev), "context");
    need(cu.ctx_set(ctx), "context");
    need(cu.mem_alloc(&image, IMAGE + OTHER) || cu.mem_alloc(&out, 4 * REGS * THREADS), "memory");
    rows = calloc(MOST_ROWS, sizeof *rows);
    for (int o = 0; o < NOPERANDS; o++)
        run_operand(&operands[o]);
    for (int i = 0; i < nrows; i++)
        finish(&rows[i]);
    if (to)
        write_rows(to, raw);
    const int wrong = model && check_model();
    return (check && check_rows(check)) || wrong;
}
