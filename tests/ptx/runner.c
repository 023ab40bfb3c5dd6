/* runner.c - runs the test programs (*.ptx) through a CUDA driver, ours or NVIDIA's, and compares.
 *
 *     runner [--lib PATH] [--modes fast,traced,portable,x86-64-v3,x86-64-v4] [--record FILE] [--check FILE] [--only NAME] FILE.ptx...
 *
 * For each file the inputs and the expectations are made once (suite.c, ref_*.c), then a child process for each mode
 * loads the driver, compiles the file and runs every test. Modes set the environment that Lockstep's driver reads; all
 * of them must give the same bits, approximations too. --record writes hashes of every result and its 16 parts,
 * --check compares with such a file: what a GPU gave is compared with what Lockstep gives.
 *
 * The exit status is 0 when everything was as expected, 1 when not, 2 when there is no driver. Needs a C compiler and
 * nothing else; the driver's prototypes are declared here. Of a record, approximations are not compared: both sides must
 * keep the manual's bound. Everything else must be the same bits. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "suite.h"

enum { MAX_MODES = 8, SCRATCH = 1 << 20, NO_DRIVER = 2 };

struct options {
    const char *lib, *record, *check, *only, *modes;
    char mode[MAX_MODES][24];
    unsigned nmodes;
};

/* ---- the driver API ---- */

typedef int cu_result;
typedef u64 cu_ptr;
typedef struct cu_ctx *cu_context;
typedef struct cu_mod *cu_module;
typedef struct cu_func *cu_function;

#define DRIVER_API(F)                                                                                                  \
    F(init, "cuInit", unsigned flags)                                                                                  \
    F(device_get, "cuDeviceGet", int *dev, int n)                                                                      \
    F(device_name, "cuDeviceGetName", char *name, int len, int dev)                                                    \
    F(ctx_retain, "cuDevicePrimaryCtxRetain", cu_context *ctx, int dev)                                                \
    F(ctx_reset, "cuDevicePrimaryCtxReset_v2", int dev)                                                                \
    F(ctx_set, "cuCtxSetCurrent", cu_context ctx)                                                                      \
    F(ctx_sync, "cuCtxSynchronize", void)                                                                              \
    F(module_load, "cuModuleLoadDataEx", cu_module *m, const void *image, unsigned n, int *options, void **values)     \
    F(module_function, "cuModuleGetFunction", cu_function *f, cu_module m, const char *name)                           \
    F(mem_alloc, "cuMemAlloc_v2", cu_ptr *p, size_t size)                                                              \
    F(mem_free, "cuMemFree_v2", cu_ptr p)                                                                              \
    F(to_device, "cuMemcpyHtoD_v2", cu_ptr to, const void *from, size_t size)                                          \
    F(to_host, "cuMemcpyDtoH_v2", void *to, cu_ptr from, size_t size)                                                  \
    F(set_bytes, "cuMemsetD8_v2", cu_ptr to, unsigned char value, size_t size)                                         \
    F(launch, "cuLaunchKernel", cu_function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,        \
      unsigned bz, unsigned shared, void *stream, void **args, void **extra)                                           \
    F(error_name, "cuGetErrorName", cu_result r, const char **name)

static struct {
#define FIELD(name, symbol, ...) cu_result (*name)(__VA_ARGS__);
    DRIVER_API(FIELD)
} cu;

static bool driver_load(const char *path)
{
    void *lib = dlopen(path, RTLD_NOW);
    if (!lib) {
        printf("no driver: %s\n", dlerror());
        return false;
    }
#define LOOK_UP(field, symbol, ...)                                                                                    \
    *(void **)&cu.field = dlsym(lib, symbol);                                                                          \
    if (!cu.field) {                                                                                                   \
        printf("%s has no %s\n", path, symbol);                                                                        \
        return false;                                                                                                  \
    }
    DRIVER_API(LOOK_UP)
    return true;
}

static const char *error_text(cu_result r)
{
    const char *name = NULL;
    cu.error_name(r, &name);
    return name ? name : "unknown error";
}

/* ---- one file in one mode ---- */

struct run {
    const struct options *o;
    struct suite *suite;
    const char *file, *mode;
    unsigned mode_index;
    u64 (*hashes)[CHUNKS + 1]; /* shared with the parent: [mode * tests + test] */
    cu_module module;
    int device;
    FILE *record;
    char *known; /* the text of --check's file */
    unsigned failed, differ, equal, unrecorded;
};

static bool open_context(struct run *r)
{
    static char log[8192];
    int options[] = {5, 6}; /* CU_JIT_ERROR_LOG_BUFFER and its size */
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    cu_context ctx;
    log[0] = 0;
    if (cu.ctx_retain(&ctx, r->device) || cu.ctx_set(ctx)) {
        printf("%s: no context\n", r->mode);
        return false;
    }
    const cu_result e = cu.module_load(&r->module, r->suite->text, 2, options, values);
    if (e)
        printf("%s: %s: cannot load the module: %s\n%s\n", r->mode, r->file, error_text(e), log);
    return e == 0;
}

/* Threads that a test needs, and what its out buffer holds in words of 64 bits. */
static u64 out_bytes(const struct test *t) { return t->n * (t->kind == SELF ? 4 : 8 * t->nout); }

static cu_result launch(const struct test *t, cu_function f, cu_ptr *data, cu_ptr out)
{
    u32 n = (u32)t->n;
    void *args[] = {&data[0], &data[1], &data[2], &data[3], &out, &n};
    const unsigned block = t->kind == SELF ? t->block : 256;
    const unsigned grid = t->kind == SELF ? t->grid : (unsigned)((t->n + 255) / 256);
    const cu_result e = cu.launch(f, grid, 1, 1, block, 1, 1, t->shared, NULL, args, NULL);
    return e ? e : cu.ctx_sync();
}

/* SELF tests write 32-bit words. */
static void widen(const struct test *t, u64 *words)
{
    const u32 *narrow = (const u32 *)(const void *)words;
    for (u64 i = t->n; i-- > 0;)
        words[i] = narrow[i];
}

static cu_result execute(struct run *r, const struct test *t, u64 *got)
{
    cu_ptr data[MAX_IN] = {0}, out = 0;
    cu_function f;
    cu_result e = cu.module_function(&f, r->module, t->name);
    for (unsigned k = 0; k < t->nin && !e; k++)
        if (!(e = cu.mem_alloc(&data[k], t->n * t->in[k].size)))
            e = cu.to_device(data[k], t->data[k], t->n * t->in[k].size);
    if (!e && t->kind == SELF && !(e = cu.mem_alloc(&data[0], SCRATCH)))
        e = cu.set_bytes(data[0], 0, SCRATCH);
    if (!e && !(e = cu.mem_alloc(&out, out_bytes(t))))
        e = cu.set_bytes(out, 0, out_bytes(t));
    if (!e)
        e = launch(t, f, data, out);
    if (!e)
        e = cu.to_host(got, out, out_bytes(t));
    for (unsigned k = 0; k < MAX_IN; k++)
        if (data[k])
            cu.mem_free(data[k]);
    if (out)
        cu.mem_free(out);
    if (!e && t->kind == SELF)
        widen(t, got);
    return e;
}

/* name kind n, the hash of the parts' hashes, and a byte of each: these tell where a difference is. */
static void record(struct run *r, const struct test *t, const u64 *got, const u64 *hashes)
{
    if (!r->record)
        return;
    fprintf(r->record, "%s %s %llu %016llx ", t->name, t->kind == APPROX ? "approx" : "exact", (unsigned long long)t->n,
            (unsigned long long)hash_words(hashes, CHUNKS));
    for (unsigned k = 0; k < CHUNKS; k++)
        fprintf(r->record, "%02x", (unsigned)(hashes[k] & 0xff));
    if (t->kind == RECORD_ONLY) { /* the first inputs and results themselves */
        fprintf(r->record, " :");
        for (u64 i = 0; i < 24 && i < t->n; i++)
            fprintf(r->record, " %llx->%llx", (unsigned long long)input_bits(t, 0, i),
                    (unsigned long long)got[i * t->nout]);
    }
    fprintf(r->record, "\n");
}

/* Compares with the record; approximations may differ there. */
static void compare_record(struct run *r, const struct test *t, const u64 *hashes)
{
    char key[160], parts[2 * CHUNKS + 1], here[3];
    unsigned long long n, whole;
    snprintf(key, sizeof key, "\n%s ", t->name);
    const char *at = r->known ? strstr(r->known, key) : NULL;
    if (!at || t->kind == APPROX) {
        r->unrecorded += !at;
        return;
    }
    if (sscanf(at + strlen(key), "exact %llu %llx %32s", &n, &whole, parts) == 3 && n == t->n &&
        strlen(parts) == 2 * CHUNKS) {
        if (whole == hash_words(hashes, CHUNKS)) {
            r->equal++;
            return;
        }
    } else {
        memset(parts, '-', sizeof parts);
    }
    printf("%s%s: differs from the record in parts", r->mode, t->name);
    for (unsigned k = 0; k < CHUNKS; k++) {
        snprintf(here, sizeof here, "%02x", (unsigned)(hashes[k] & 0xff));
        if (memcmp(here, parts + 2 * k, 2) != 0)
            printf(" %u", k);
    }
    printf("\n");
    r->differ++;
}

static void hash_chunks(const struct test *t, const u64 *got, u64 *hashes)
{
    const u64 words = t->n * (t->kind == SELF ? 1 : t->nout), part = (words + CHUNKS - 1) / CHUNKS;
    for (u64 k = 0; k < CHUNKS; k++) {
        const u64 from = k * part < words ? k * part : words, to = from + part < words ? from + part : words;
        hashes[k] = hash_words(got + from, to - from);
    }
    hashes[CHUNKS] = hash_words(hashes, CHUNKS) | 1; /* 0 is "did not run" */
}

static void run_test(struct run *r, unsigned index)
{
    struct test *t = &r->suite->tests[index];
    u64 *got = calloc(t->n * (t->nout ? t->nout : 1), sizeof *got),
        *hashes = r->hashes[r->mode_index * r->suite->n + index];
    const cu_result e = got ? execute(r, t, got) : 2;
    if (e) {
        printf("%s%s: %s: %s\n", r->mode, t->name, t->op, error_text(e));
        r->failed++;
        cu.ctx_reset(r->device); /* errors may stick to the context */
        open_context(r);
        free(got);
        return;
    }
    hash_chunks(t, got, hashes);
    const u64 wrong = test_judge(t, got, r->mode);
    if (wrong) {
        printf("%s%s: %llu of %llu are wrong\n", r->mode, t->name, (unsigned long long)wrong, (unsigned long long)t->n);
        r->failed++;
    }
    record(r, t, got, hashes);
    compare_record(r, t, hashes);
    free(got);
}

static void set_mode(const char *mode)
{
    unsetenv("LOCKSTEP_SESSION");
    unsetenv("LOCKSTEP_ISA");
    if (!strcmp(mode, "traced")) {
        static char dir[] = "/tmp/ptx-session-XXXXXX";
        if (mkdtemp(dir))
            setenv("LOCKSTEP_SESSION", dir, 1);
    } else if (strcmp(mode, "fast") != 0 && strcmp(mode, "gpu") != 0) {
        setenv("LOCKSTEP_ISA", mode, 1);
    }
}

static void remove_session(void)
{
    const char *dir = getenv("LOCKSTEP_SESSION");
    char path[256];
    if (!dir)
        return;
    snprintf(path, sizeof path, "%s/%d.rec", dir, (int)getpid());
    unlink(path);
    rmdir(dir);
}

static char *read_text(const char *path)
{
    FILE *f = path ? fopen(path, "rb") : NULL;
    char *text = f ? calloc(1, 16 << 20) : NULL;
    if (text) {
        text[0] = '\n';
        if (!fread(text + 1, 1, (16 << 20) - 2, f))
            text[1] = 0;
    }
    if (f)
        fclose(f);
    return text;
}

/* In the child: 0 all right, 1 something failed, 2 no driver. */
static int run_mode(struct run *r)
{
    static char label[40];
    set_mode(r->mode);
    snprintf(label, sizeof label, "%s: ", r->mode);
    r->mode = label;
    if (!driver_load(r->o->lib) || cu.init(0) || cu.device_get(&r->device, 0))
        return NO_DRIVER;
    r->record = r->o->record ? fopen(r->o->record, "a") : NULL;
    r->known = read_text(r->o->check);
    if (!open_context(r))
        return 1;
    for (unsigned k = 0; k < r->suite->n; k++)
        if (!r->o->only || !strcmp(r->o->only, r->suite->tests[k].name))
            run_test(r, k);
    if (r->record)
        fclose(r->record);
    if (r->failed || r->differ)
        printf("%s%s: %u tests failed, %u differ from the record\n", r->mode, r->file, r->failed, r->differ);
    if (r->known && r->mode_index == 0)
        printf("%s%s: %u tests equal the record, %u are not in it\n", r->mode, r->file, r->equal, r->unrecorded);
    cu.ctx_reset(r->device);
    remove_session();
    return r->failed || r->differ;
}

/* ---- all modes of a file ---- */

static int in_child(struct run *r)
{
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        const int result = run_mode(r);
        fflush(stdout);
        _exit(result);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 1;
    if (WIFSIGNALED(status))
        printf("%s: %s: the process died of signal %d\n", r->mode, r->file, WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* Every mode must have given the first one's bits. */
static unsigned disagreements(const struct run *r)
{
    unsigned n = 0;
    for (unsigned m = 1; m < r->o->nmodes; m++)
        for (unsigned k = 0; k < r->suite->n; k++) {
            const u64 first = r->hashes[k][CHUNKS], here = r->hashes[m * r->suite->n + k][CHUNKS];
            if (!first || !here || first == here)
                continue;
            printf("%s: %s gives other bits than %s\n", r->suite->tests[k].name, r->o->mode[m], r->o->mode[0]);
            n++;
        }
    return n;
}

static int run_file(const struct options *o, const char *path)
{
    struct suite s;
    const char *slash = strrchr(path, '/');
    struct run r = {.o = o, .suite = &s, .file = slash ? slash + 1 : path};
    if (!suite_read(path, &s)) {
        printf("%s: cannot be read\n", path);
        return 1;
    }
    int result = s.bad != 0;
    for (unsigned k = 0; k < s.n; k++)
        if (!test_prepare(&s.tests[k]))
            return printf("%s: no memory\n", path), 1;
    r.hashes = mmap(NULL, (size_t)o->nmodes * (s.n + 1) * sizeof *r.hashes, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (r.mode_index = 0; r.mode_index < o->nmodes && result != NO_DRIVER; r.mode_index++) {
        r.mode = o->mode[r.mode_index];
        const int here = in_child(&r);
        result = here == NO_DRIVER ? NO_DRIVER : result | here;
    }
    if (result != NO_DRIVER && disagreements(&r))
        result = 1;
    printf("%-20s %4u tests %s\n", r.file, s.n, result == 0 ? "passed" : result == NO_DRIVER ? "not run" : "FAILED");
    munmap(r.hashes, (size_t)o->nmodes * (s.n + 1) * sizeof *r.hashes);
    for (unsigned k = 0; k < s.n; k++)
        test_release(&s.tests[k]);
    free(s.tests);
    free(s.text);
    return result;
}

static void split_modes(struct options *o)
{
    const char *at = o->modes;
    while (*at && o->nmodes < MAX_MODES) {
        const size_t len = strcspn(at, ",");
        snprintf(o->mode[o->nmodes++], sizeof o->mode[0], "%.*s", (int)len, at);
        at += len + (at[len] == ',');
    }
}

int main(int argc, char **argv)
{
    struct options o = {.lib = "libcuda.so.1", .modes = "fast"};
    int result = 0, k = 1;
    for (; k + 1 < argc && !strncmp(argv[k], "--", 2); k += 2) {
        const char **to = !strcmp(argv[k], "--lib")      ? &o.lib
                          : !strcmp(argv[k], "--modes")  ? &o.modes
                          : !strcmp(argv[k], "--record") ? &o.record
                          : !strcmp(argv[k], "--check")  ? &o.check
                          : !strcmp(argv[k], "--only")   ? &o.only
                                                         : NULL;
        if (!to)
            return printf("%s: unknown option\n", argv[k]), 2;
        *to = argv[k + 1];
    }
    if (k == argc)
        return printf("usage: runner [--lib PATH] [--modes LIST] [--record FILE] [--check FILE] [--only NAME] "
                      "FILE.ptx...\n"),
               2;
    split_modes(&o);
    for (; k < argc; k++) {
        const int here = run_file(&o, argv[k]);
        result = here > result ? here : result;
    }
    return result;
}
