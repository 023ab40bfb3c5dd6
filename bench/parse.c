/* parse.c - how fast PTX is parsed and verified: megabytes a second on one core.
 *
 *     bench_parse [--seconds S] [file.ptx ...]
 *
 * Without files it makes a module of its own, about 4 MB in the shape of a compiler's output: address arithmetic,
 * loads, fused multiply-adds, compares and branches, one .loc for every four instructions. Each input is parsed again
 * and again for S seconds (default 2) and the best and the median run are printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "ptx/ptx.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct text {
    char *at;
    size_t len, cap;
};

static void add(struct text *t, const char *s)
{
    const size_t n = strlen(s);
    if (t->len + n + 1 > t->cap) {
        t->cap = (t->len + n + 1) * 2;
        t->at = ls_realloc(t->at, t->cap);
        if (!t->at) {
            fprintf(stderr, "no memory\n");
            exit(1);
        }
    }
    memcpy(t->at + t->len, s, n + 1);
    t->len += n;
}

static void add_block(struct text *t, int k)
{
    char buf[1024];
    snprintf(
        buf, sizeof(buf),
        "$L__BB%d_1:\n\t.loc\t1 %d 5\n\tmul.wide.s32 \t%%rd%d, %%r%d, 4;\n\tadd.s64 \t%%rd%d, %%rd%d, %%rd%d;\n"
        "\tld.global.nc.f32 \t%%f%d, [%%rd%d+16];\n\tfma.rn.f32 \t%%f%d, %%f%d, %%f%d, 0f3F800000;\n\t.loc\t1 %d 9\n"
        "\tst.global.f32 \t[%%rd%d], %%f%d;\n\tadd.s32 \t%%r%d, %%r%d, 1;\n\tsetp.lt.s32 \t%%p%d, %%r%d, %%r%d;\n"
        "\t@%%p%d bra \t$L__BB%d_1;\n",
        k, k, k + 1, k, k + 1, k, k + 1, k + 1, k + 1, k + 1, k, k + 1, k + 1, k + 1, k + 1, k + 1, k, k + 1, k + 1, k,
        k + 1, k);
    add(t, buf);
}

static struct text make_module(void)
{
    enum { FUNCTIONS = 20, BLOCKS = 550 };
    struct text t = {0};
    char buf[512];
    add(&t, ".version 8.0\n.target sm_90\n.address_size 64\n.file 1 \"bench.cu\"\n");
    for (int f = 0; f < FUNCTIONS; f++) {
        snprintf(buf, sizeof(buf),
                 ".visible .entry kernel%d(\n\t.param .u64 kernel%d_param_0\n)\n{\n\t.reg .pred \t%%p<%d>;\n"
                 "\t.reg .b32 \t%%r<%d>;\n\t.reg .f32 \t%%f<%d>;\n\t.reg .b64 \t%%rd<%d>;\n",
                 f, f, BLOCKS + 2, BLOCKS + 2, BLOCKS + 2, BLOCKS + 2);
        add(&t, buf);
        for (int k = 0; k < BLOCKS; k++)
            add_block(&t, k);
        add(&t, "\tret;\n}\n");
    }
    return t;
}

static struct text read_file(const char *path)
{
    struct text t = {0};
    char buf[65536];
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        exit(1);
    }
    for (size_t n; (n = fread(buf, 1, sizeof(buf) - 1, f)) > 0;) {
        buf[n] = 0;
        add(&t, buf);
    }
    fclose(f);
    return t;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double parse_once(const struct text *t, const char *name)
{
    struct diag_list diags;
    struct ptx_module *m;
    diag_init(&diags);
    const double start = now();
    const enum ls_status s = ptx_parse(t->at, t->len, name, &m, &diags);
    const double took = now() - start;
    if (s != LS_OK) {
        char *text = diag_text(&diags);
        fprintf(stderr, "%s: %s\n%s", name, ls_status_text(s), text ? text : "");
        exit(1);
    }
    ptx_free(m);
    diag_free(&diags);
    return took;
}

static void measure(const struct text *t, const char *name, double seconds)
{
    enum { RUNS = 10000 };
    static double took[RUNS];
    int n = 0;
    const double start = now();
    while (n < RUNS && (n < 3 || now() - start < seconds))
        took[n++] = parse_once(t, name);
    qsort(took, (size_t)n, sizeof(took[0]), by_value);
    const double mb = (double)t->len / 1e6;
    printf("%-28s %8.2f MB  best %7.1f MB/s  median %7.1f MB/s  (%d runs)\n", name, mb, mb / took[0], mb / took[n / 2],
           n);
}

int main(int argc, char **argv)
{
    double seconds = 2;
    int files = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) {
            seconds = atof(argv[++i]);
            continue;
        }
        struct text t = read_file(argv[i]);
        measure(&t, argv[i], seconds);
        ls_free(t.at);
        files++;
    }
    if (files == 0) {
        struct text t = make_module();
        measure(&t, "generated module", seconds);
        ls_free(t.at);
    }
    return 0;
}
