/* probe.c - runs every floating-point matrix instruction of sm_90 through a CUDA driver, ours or NVIDIA's, on the operands of
 * inputs.c, and writes a row an instruction and kind of operands:
 *
 *     op, kind, hash of the first 64 tiles' results, hash of all tiles' results, the first results
 *
 *     probe [--lib PATH] [--tiles N] [--check FILE] [--raw FILE] [--model] OUT.csv
 *
 * --check: compares with such a file, the hash of all tiles only if there are as many; exit status 1 if they differ.
 * --raw: the results of the first 16 tiles, to try other rules on. --model: counts the results that each of model.c's rules
 * gives otherwise, with the first operands of the first rule's; exit status 1 if that has any. Without a driver: 77. Build:
 *
 *     gcc -std=gnu11 -O2 -o probe probe.c kernels.c inputs.c model.c -ldl -lm -lpthread */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inputs.h"
#include "kernels.h"

enum { FEW = 64, RAW = 16, SHOWN = 6, TRIED = 32, THREADS = 64, NO_DRIVER = 77, SAMPLES = 3 };

/* ---- the driver API ---- */

typedef uint64_t cu_ptr;
#define DRIVER_API(F)                                                                                                  \
    F(init, "cuInit", unsigned flags)                                                                                  \
    F(device_get, "cuDeviceGet", int *dev, int n)                                                                      \
    F(device_name, "cuDeviceGetName", char *name, int len, int dev)                                                    \
    F(ctx_retain, "cuDevicePrimaryCtxRetain", void **ctx, int dev)                                                     \
    F(ctx_set, "cuCtxSetCurrent", void *ctx)                                                                           \
    F(ctx_sync, "cuCtxSynchronize", void)                                                                              \
    F(module_load, "cuModuleLoadDataEx", void **m, const void *image, unsigned n, int *options, void **values)         \
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

/* ---- running ---- */

struct options {
    const char *lib, *check, *raw, *out;
    int tiles;
    bool model;
};
static struct options options = {.lib = "libcuda.so.1", .tiles = FEW};

/* An instruction on a kind of operands. */
struct item {
    const struct tensor_op *op;
    int kind;
    unsigned char *results;
    uint64_t few, all;
    uint64_t wrong[64]; /* by rule; of the first, in all tiles */
    uint64_t tried;
    char *shown;
};
static struct item *items;
static int nitems, nops;

static size_t bytes_of(int elements, int bits) { return (size_t)elements * (size_t)bits / 8; }
static int result_bits(const struct tensor_op *op) { return op->half_d ? 16 : 32; }
static size_t result_size(const struct tensor_op *op) { return bytes_of(op->m * op->n, result_bits(op)); }

static void pack(const uint32_t *from, int n, int bits, unsigned char *to)
{
    for (int i = 0; i < n; i++)
        memcpy(to + bytes_of(i, bits), from + i, (size_t)bits / 8);
}

static uint64_t hash_of(const unsigned char *p, size_t n)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i + 8 <= n; i += 8) {
        uint64_t x;
        memcpy(&x, p + i, 8);
        h = (h ^ x) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    return h;
}

static struct {
    cu_ptr a, b, c, d;
    unsigned char *host;
} memory;

static void run_item(struct item *x, void *function)
{
    const struct tensor_op *op = x->op;
    const int wa = tensor_formats[op->a].width, wb = tensor_formats[op->b].width, wc = op->half_c ? 16 : 32;
    const size_t na = bytes_of(op->m * op->k, wa), nb = bytes_of(op->n * op->k, wb), nc = bytes_of(op->m * op->n, wc);
    const size_t tiles = (size_t)options.tiles;
    unsigned char *a = memory.host, *b = a + tiles * na, *c = b + tiles * nb;
    for (size_t t = 0; t < tiles; t++) {
        struct tensor_tile tile;
        tensor_inputs(op, (int)(op - tensor_ops), x->kind, (int)t, &tile);
        pack(tile.a, op->m * op->k, wa, a + t * na);
        pack(tile.b, op->n * op->k, wb, b + t * nb);
        pack(tile.c, op->m * op->n, wc, c + t * nc);
    }
    need(cu.to_device(memory.a, a, tiles * na), "copy");
    need(cu.to_device(memory.b, b, tiles * nb), "copy");
    need(cu.to_device(memory.c, c, tiles * nc), "copy");
    void *args[] = {&memory.a, &memory.b, &memory.c, &memory.d};
    need(cu.launch(function, (unsigned)tiles, 1, 1, op->by == TENSOR_WGMMA ? 128 : 32, 1, 1, 0, NULL, args, NULL),
         "launch");
    need(cu.ctx_sync(), op->name);
    x->results = malloc(tiles * result_size(op));
    need(cu.to_host(x->results, memory.d, tiles * result_size(op)), "copy");
    x->all = hash_of(x->results, tiles * result_size(op));
    x->few = hash_of(x->results, (tiles < FEW ? tiles : FEW) * result_size(op));
}

static void run_all(void)
{
    static char text[16384], log[4096];
    void *ctx, *module, *function;
    int dev, names[] = {5, 6}; /* CU_JIT_ERROR_LOG_BUFFER and its size */
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    const size_t most = (size_t)options.tiles * 4 * TENSOR_MOST_A;
    driver_load(options.lib);
    need(cu.init(0), "cuInit");
    need(cu.device_get(&dev, 0), "device");
    need(cu.ctx_retain(&ctx, dev), "context");
    need(cu.ctx_set(ctx), "context");
    need(cu.mem_alloc(&memory.a, most) || cu.mem_alloc(&memory.b, most) || cu.mem_alloc(&memory.c, most) ||
             cu.mem_alloc(&memory.d, most),
         "memory");
    memory.host = malloc(3 * most);
    nops = tensor_nops;
    nitems = nops * TENSOR_KINDS;
    items = calloc((size_t)nitems, sizeof *items);
    for (int o = 0; o < nops; o++) {
        tensor_kernel(&tensor_ops[o], text, sizeof text);
        if (cu.module_load(&module, text, 2, names, values)) {
            printf("%s\n%s\n", log, text);
            exit(1);
        }
        need(cu.module_function(&function, module, "k"), "function");
        for (int k = 0; k < TENSOR_KINDS; k++) {
            struct item *x = &items[o * TENSOR_KINDS + k];
            x->op = &tensor_ops[o];
            x->kind = k;
            run_item(x, function);
        }
    }
}

/* ---- the rules ---- */

static void show(struct item *x, int tile, int at, const uint32_t *a, const uint32_t *b, uint32_t c, uint32_t got,
                 uint32_t want)
{
    char *to = x->shown ? x->shown + strlen(x->shown) : (x->shown = calloc(SHOWN, 2048));
    const struct tensor_op *op = x->op;
    to += sprintf(to, "  tile %d element %d: c %08x, gpu %08x, rule %08x:", tile, at, c, got, want);
    for (int k = 0; k < op->k; k++)
        if ((a[k] << (32 - tensor_formats[op->a].width)) << 1 && (b[k] << (32 - tensor_formats[op->b].width)) << 1)
            to += sprintf(to, " %x*%x", a[k], b[k]);
    sprintf(to, "\n");
}

static void try_rules(struct item *x)
{
    const struct tensor_op *op = x->op;
    int shown = 0;
    for (int t = 0; t < options.tiles; t++) {
        static _Thread_local struct tensor_tile tile;
        tensor_inputs(op, (int)(op - tensor_ops), x->kind, t, &tile);
        for (int at = 0; at < op->m * op->n; at++) {
            const uint32_t *a = tile.a + at / op->n * op->k, *b = tile.b + at % op->n * op->k;
            uint32_t got = 0;
            memcpy(&got, x->results + (size_t)t * result_size(op) + bytes_of(at, result_bits(op)), op->half_d ? 2 : 4);
            x->tried += t < TRIED;
            for (int r = 0; r < (t < TRIED ? tensor_nrules : 1); r++) {
                const uint32_t want = tensor_element(&tensor_rules[r], op, a, b, tile.c[at]);
                x->wrong[r] += want != got;
                if (!r && want != got && shown++ < SHOWN)
                    show(x, t, at, a, b, tile.c[at], got, want);
            }
        }
    }
}

static atomic_int next_item;
static void *worker(void *unused)
{
    for (int i; (i = atomic_fetch_add(&next_item, 1)) < nitems;)
        try_rules(&items[i]);
    return unused;
}

/* How often the first rule was wrong. */
static uint64_t report_rules(void)
{
    uint64_t all = 0;
    pthread_t threads[THREADS];
    const long n = sysconf(_SC_NPROCESSORS_ONLN) < THREADS ? sysconf(_SC_NPROCESSORS_ONLN) : THREADS;
    for (long i = 0; i < n; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (long i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    for (int o = 0; o < nops; o++) {
        printf("%s\n", tensor_ops[o].name);
        for (int r = 0; r < tensor_nrules; r++) {
            uint64_t wrong = 0, tried = 0;
            for (int k = 0; k < TENSOR_KINDS; k++) {
                wrong += items[o * TENSOR_KINDS + k].wrong[r];
                tried += items[o * TENSOR_KINDS + k].tried;
            }
            printf("  %-20s %8llu of %llu\n", tensor_rules[r].name, (unsigned long long)wrong,
                   (unsigned long long)tried);
        }
        for (int k = 0; k < TENSOR_KINDS; k++) {
            const struct item *x = &items[o * TENSOR_KINDS + k];
            all += x->wrong[0];
            if (x->shown)
                printf(" %s: %llu\n%s", tensor_kinds[k], (unsigned long long)x->wrong[0], x->shown);
        }
    }
    return all;
}

/* ---- files ---- */

static void write_raw(void)
{
    FILE *f = fopen(options.raw, "wb");
    for (int i = 0; f && i < nitems; i++)
        fwrite(items[i].results, result_size(items[i].op), options.tiles < RAW ? (size_t)options.tiles : RAW, f);
    if (f)
        fclose(f);
}

static int row_of(const struct item *x, char *to)
{
    int n = sprintf(to, "%s,%s,%d,%016llx,%016llx", x->op->name, tensor_kinds[x->kind], options.tiles,
                    (unsigned long long)x->few, (unsigned long long)x->all);
    for (int i = 0; i < SAMPLES; i++) {
        uint32_t word = 0;
        memcpy(&word, x->results + bytes_of(i, result_bits(x->op)), x->op->half_d ? 2 : 4);
        n += sprintf(to + n, ",%0*x", x->op->half_d ? 4 : 8, word);
    }
    return n;
}

static void write_rows(void)
{
    FILE *f = fopen(options.out, "w");
    char row[512];
    if (!f)
        exit(1);
    fprintf(f, "op,kind,tiles,hash_of_64,hash,first,second,third\n");
    for (int i = 0; i < nitems; i++) {
        row_of(&items[i], row);
        fprintf(f, "%s\n", row);
    }
    fclose(f);
}

/* The row of the same instruction and kind must have the same hash. */
static int check_rows(void)
{
    FILE *f = fopen(options.check, "r");
    char line[512], op[128], kind[32];
    int wrong = 0, seen = 0;
    if (!f) {
        printf("cannot read %s\n", options.check);
        return 1;
    }
    while (fgets(line, sizeof line, f)) {
        unsigned long long few, all;
        int tiles;
        if (sscanf(line, "%127[^,],%31[^,],%d,%llx,%llx", op, kind, &tiles, &few, &all) != 5)
            continue;
        for (int i = 0; i < nitems; i++)
            if (!strcmp(op, items[i].op->name) && !strcmp(kind, tensor_kinds[items[i].kind])) {
                const bool good = tiles == options.tiles ? items[i].all == all : items[i].few == few;
                seen++;
                wrong += !good;
                if (!good)
                    printf("%s, %s: not the results of the file\n", op, kind);
            }
    }
    fclose(f);
    printf("%d rows of %d are compared, %d differ\n", seen, nitems, wrong);
    return wrong || seen != nitems;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *const value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--model")) {
            options.model = true;
            continue;
        }
        const char **const to = !strcmp(argv[i], "--lib")     ? &options.lib
                                : !strcmp(argv[i], "--check") ? &options.check
                                : !strcmp(argv[i], "--raw")   ? &options.raw
                                                              : &options.out;
        if (!strcmp(argv[i], "--tiles"))
            options.tiles = atoi(value);
        else
            *to = to == &options.out ? argv[i] : value;
        i += to != &options.out || !strcmp(argv[i], "--tiles");
    }
    run_all();
    if (options.out)
        write_rows();
    if (options.raw)
        write_raw();
    const bool good = !options.model || !report_rules();
    return options.check && check_rows() ? 1 : !good;
}
