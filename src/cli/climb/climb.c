/* climb.c - `lockstep climb`: the ladders, rung by rung. */
#include <argp.h>
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/gpu.h"
#include "cli/cli.h"
#include "cli/climb/climb.h"
#include "lab/lab.h"
#include "report/picture.h"
#include "report/plot.h"
#include "report/report.h"

enum {
    OPT_ON = 256,
    OPT_N,
    OPT_SIZE,
    OPT_BLOCK,
    OPT_CSV,
    OPT_JSON,
    OPT_GPU,
    OPT_LIST,
    OPT_BROKEN,
    OPT_PTX,
    OPT_QUICK,
    OPT_BANKS,
    OPT_K,
    OPT_BATCH,
    OPT_SWEEP,
    OPT_PLOT,
    OPT_PICTURE,
    OPT_NO_TIME
};

static const struct argp_option options[] = {
    {"on", OPT_ON, "cpu|gpu", 0, "Where to run: Lockstep's device (cpu, the default) or NVIDIA's driver", 0},
    {"n", OPT_N, "N", 0, "Elements, for the families that take a number", 0},
    {"size", OPT_SIZE, "RxC", 0, "Rows and columns, for the families that take a matrix", 0},
    {"k", OPT_K, "K", 0, "The third size of some families (--list says what it is): inner length, radius, stride", 0},
    {"batch", OPT_BATCH, "B", 0, "So many problems at once, for the families that take batches", 0},
    {"block", OPT_BLOCK, "XxY", 0, "Threads of a block: 128 or 32x16", 0},
    {"gpu", OPT_GPU, "NAME", 0, "The GPU to be (lockstep gpus lists them); LOCKSTEP_GPU says the same", 0},
    {"csv", OPT_CSV, NULL, 0, "Print CSV with every metric, in the shape of ncu --csv --page raw", 0},
    {"json", OPT_JSON, NULL, 0, "Print JSON with every metric, its unit and kind", 0},
    {"list", OPT_LIST, NULL, 0,
     "List families (or the one that is named), rungs and the blocks that they were built for", 0},
    {"broken", OPT_BROKEN, NULL, 0, "Run the broken rungs too, and show that they are caught", 0},
    {"ptx", OPT_PTX, "DIR", 0, "Take the rungs' PTX from DIR/<family>-<rung>[-WxH].ptx, as nvcc -ptx makes it", 0},
    {"banks", OPT_BANKS, "NxB", 0,
     "Picture a shared memory of N banks of B bytes (5x4, 32x8); LOCKSTEP_BANKS says the same. Expectations on bank "
     "conflicts do not apply then",
     0},
    {"sweep", OPT_SWEEP, "KEY=LIST", 0,
     "Run at every value: block=32,64,128 or 8x8,32x8 or all; size=, n=, k=, batch= likewise; the best and why", 0},
    {"plot", OPT_PLOT, "FILE.svg", OPTION_ARG_OPTIONAL,
     "Draw each ladder and its roofline below its table, or with --plot=FILE.svg into a file (gnuplot does it)", 0},
    {"picture", OPT_PICTURE, "FILE.svg", OPTION_ARG_OPTIONAL,
     "Draw which lane touches which bank or sector, from the addresses of one warp; =FILE.svg writes a file (one rung)",
     0},
    {"no-time", OPT_NO_TIME, NULL, 0, "With --on gpu: run every launch once and do not time, as under a profiler", 0},
    {"quick", OPT_QUICK, NULL, 0, "Verify at the size asked for only, not at awkward ones", 0},
    {0},
};

/* The blocks of the first rung that has a tile of fixed size; nothing when the family has none. */
static void list_tiles(FILE *out, const struct family *f)
{
    const char *rung = NULL;
    for (u32 k = 0; k < kernel_embedded_count; k++) {
        const struct embedded *e = &kernel_embedded[k];
        if (strcmp(e->family, f->name) != 0 || !e->tile_x || (rung && strcmp(rung, e->rung) != 0))
            continue;
        fprintf(out, "%s %ux%u", rung ? "" : "  built for blocks of", e->tile_x, e->tile_y);
        rung = e->rung;
    }
    if (rung)
        fputs(" where the tile's size is fixed\n", out);
}

/* Of the family of that name; of all when it is "". */
static void list_names(FILE *out, const char *family)
{
    for (u32 i = 0; i < kernel_family_count; i++) {
        const struct family *f = kernel_families[i];
        if (*family && strcmp(family, f->name) != 0)
            continue;
        fprintf(out, "%s: %s\n", f->name, f->about);
        if (f->third)
            fprintf(out, "  --k is the %s\n", f->third);
        for (u32 k = 0; k < f->nrungs; k++)
            fprintf(out, "  %s%-28s %s\n", f->rungs[k].broken ? "broken/" : "       ", f->rungs[k].name,
                    f->rungs[k].about);
        list_tiles(out, f);
        fputc('\n', out);
    }
}

static void list_rungs(FILE *out, const struct family *f)
{
    for (u32 k = 0; k < f->nrungs; k++)
        if (!f->rungs[k].broken)
            fprintf(out, "  %s\n", f->rungs[k].name);
}

bool climb_read_pair(const char *text, bool one, u32 *a, u32 *b)
{
    char *end;
    unsigned long x = strtoul(text, &end, 10), y = 1;
    if (end == text || text[0] == '-' || text[0] == '+')
        return false;
    if (*end == 'x' || *end == 'X') {
        const char *second = end + 1;
        y = strtoul(second, &end, 10);
        if (end == second || *second == '-' || *second == '+')
            return false;
    } else if (!one)
        return false;
    *a = (u32)x;
    *b = (u32)y;
    return *end == '\0' && x > 0 && y > 0 && x <= 1u << 30 && y <= 1u << 30;
}

bool climb_read_count(const char *text, u64 *n)
{
    char *end;
    unsigned long long v = strtoull(text, &end, 10);
    if (end == text || text[0] == '-' || v == 0 || v > 1ull << 40)
        return false;
    const char *suffixes = "kmg", *s = *end ? strchr(suffixes, *end | 0x20) : NULL;
    if (s && end[1] == '\0') {
        v <<= 10 * (s - suffixes + 1);
        end++;
    }
    *n = v;
    return *end == '\0';
}

static void read_place(struct climb *c, const char *text, struct argp_state *state)
{
    const char *slash = strchr(text, '/');
    size_t n = slash ? (size_t)(slash - text) : strlen(text);
    snprintf(c->family, sizeof c->family, "%.*s", (int)n, text);
    const char *rung = slash ? slash + 1 : "";
    if (strncmp(rung, "broken/", 7) == 0) {
        c->broken = true;
        rung += 7;
    }
    snprintf(c->rung, sizeof c->rung, "%s", rung);
    const struct family *f = lab_family(c->family);
    if (!f) {
        fprintf(stderr, "%s: there is no family '%s'; there are:\n", state->name, c->family);
        for (u32 i = 0; i < kernel_family_count; i++)
            fprintf(stderr, "  %-10s %s\n", kernel_families[i]->name, kernel_families[i]->about);
        exit(CLI_USAGE);
    }
    if (c->rung[0] && !lab_rung(f, c->rung, false) && !lab_rung(f, c->rung, true)) {
        fprintf(stderr, "%s: %s has no rung '%s'; it has:\n", state->name, f->name, c->rung);
        list_rungs(stderr, f);
        exit(CLI_USAGE);
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct climb *c = state->input;
    struct shape *s = &c->request.shape;
    switch (key) {
    case OPT_ON:
        if (strcmp(arg, "cpu") != 0 && strcmp(arg, "gpu") != 0)
            argp_error(state, "--on is cpu or gpu, not '%s'", arg);
        c->request.gpu = strcmp(arg, "gpu") == 0;
        return 0;
    case OPT_N:
        if (!climb_read_count(arg, &s->n))
            argp_error(state, "--n needs a positive number (4194304, 4m), not '%s'", arg);
        return 0;
    case OPT_SIZE:
        if (!climb_read_pair(arg, false, &s->rows, &s->cols))
            argp_error(state, "--size needs rows x columns (1024x768), not '%s'", arg);
        return 0;
    case OPT_K:
    case OPT_BATCH: {
        u64 v;
        if (!climb_read_count(arg, &v) || v > 1u << 30)
            argp_error(state, "--%s needs a positive number, not '%s'", key == OPT_K ? "k" : "batch", arg);
        *(key == OPT_K ? &s->k : &s->batch) = (u32)v;
        return 0;
    }
    case OPT_BLOCK:
        if (!climb_read_pair(arg, true, &s->bx, &s->by))
            argp_error(state, "--block needs threads in x and y (128 or 32x16), not '%s'", arg);
        return 0;
    case OPT_GPU:
        setenv("LOCKSTEP_GPU", arg, 1);
        return 0;
    case OPT_CSV:
        c->form = FORM_CSV;
        return 0;
    case OPT_JSON:
        c->form = FORM_JSON;
        return 0;
    case OPT_LIST:
        c->list = true;
        return 0;
    case OPT_BROKEN:
        c->broken = true;
        return 0;
    case OPT_PTX:
        c->request.ptx_dir = arg;
        return 0;
    case OPT_BANKS: {
        u32 banks, bytes;
        if (!climb_read_pair(arg, false, &banks, &bytes) || banks > 64 || bytes > 16 || (bytes & (bytes - 1)))
            argp_error(state, "--banks needs banks x bytes, up to 64 banks of 1, 2, 4, 8 or 16 (5x4), not '%s'", arg);
        setenv("LOCKSTEP_BANKS", arg, 1);
        return 0;
    }
    case OPT_SWEEP:
        if (sweep_check(arg))
            argp_error(state, "--sweep %s: %s", arg, sweep_check(arg));
        c->sweep = arg;
        return 0;
    case OPT_PLOT:
        c->plot = true;
        c->plot_to = arg;
        return 0;
    case OPT_PICTURE:
        c->picture = true;
        c->picture_to = arg;
        setenv("LOCKSTEP_PICTURES", "1", 1);
        return 0;
    case OPT_NO_TIME:
        c->request.no_time = true;
        return 0;
    case OPT_QUICK:
        c->request.no_awkward = true;
        return 0;
    case ARGP_KEY_END:
        if (c->picture_to && !c->rung[0])
            argp_error(state, "--picture=FILE is of one rung: name FAMILY/RUNG");
        if (c->picture && c->request.gpu)
            argp_error(state, "--picture needs the addresses that only Lockstep's device tells: not with --on gpu");
        return 0;
    case ARGP_KEY_ARG:
        if (c->family[0])
            argp_error(state, "one FAMILY or FAMILY/RUNG at a time; '%s' is another", arg);
        read_place(c, arg, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp = {
    options,
    parse,
    "[FAMILY[/RUNG]]",
    "Runs the ladders: every rung is verified against a CPU reference, at awkward sizes too, and its counters are held "
    "against what its source says they must be.\vWithout a family all are run. The exit status is 1 when a rung is "
    "wrong, an expectation is not met, or a broken rung is not caught.",
    NULL,
    NULL,
    NULL};

/* ---- the run ---- */

bool climb_wants(const struct climb *c, const struct rung *r)
{
    if (r->broken && !c->broken)
        return false;
    return !c->rung[0] || strcmp(c->rung, r->name) == 0;
}

static void progress(const struct family *f, const struct rung *r, u32 done, u32 of)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s: %u of %u: %s", f->name, done + 1, of, r->name);
}

static void progress_end(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

/* Runs a family's rungs; false: trouble, said in diags. */
static bool climb_family(const struct climb *c, struct lab *lab, const struct family *f, struct arena *mem,
                         struct report *out, struct diag_list *diags)
{
    struct lab_result *results = arena_array(mem, struct lab_result, f->nrungs);
    *out = (struct report){.family = f, .results = results, .device = lab_device_name(lab), .gpu = c->request.gpu};
    u32 of = 0;
    for (u32 i = 0; i < f->nrungs; i++)
        of += climb_wants(c, &f->rungs[i]);
    for (u32 i = 0; i < f->nrungs; i++) {
        if (!climb_wants(c, &f->rungs[i]))
            continue;
        progress(f, &f->rungs[i], out->n, of);
        if (lab_run(lab, f, &f->rungs[i], mem, &results[out->n++], diags) != LS_OK)
            return false;
    }
    progress_end();
    return true;
}

static bool any_bad(const struct report *r)
{
    for (u32 i = 0; i < r->n; i++)
        if (lab_result_bad(&r->results[i]))
            return true;
    return false;
}

static u32 supported(const struct report *r)
{
    u32 n = 0;
    for (u32 i = 0; i < r->n; i++)
        n += r->results[i].verdict != LAB_UNSUPPORTED;
    return n;
}

/* Under `lockstep check` nothing is verified or counted: the checks say the rest. */
static void print_ran(const struct report *r)
{
    static const char *const words[] = {"ran", "ran", "fault", "n/a", "failed"}; /* enum lab_verdict */
    for (u32 i = 0; i < r->n; i++)
        printf("%s/%s: %s\n", r->family->name, r->results[i].rung->name, words[r->results[i].verdict]);
}

static void print_family(const struct climb *c, const struct report *r, bool first)
{
    if (c->request.checked)
        print_ran(r);
    else if (c->form == FORM_TEXT)
        report_text(stdout, r);
    else if (c->form == FORM_CSV)
        report_csv(stdout, r, first);
    for (u32 i = 0; c->picture && !c->picture_to && c->form == FORM_TEXT && i < r->n; i++)
        picture_text(stdout, &r->results[i]);
    if (c->form == FORM_TEXT && c->plot && !c->plot_to)
        plot_text(stdout, r, &c->gpu);
    fflush(stdout);
    if (c->request.checked)
        return;
    report_problems(c->form == FORM_TEXT ? stdout : stderr, r);
}

static void print_end(const struct climb *c, const struct report *reports, u32 n)
{
    if (c->request.checked)
        return;
    if (c->form == FORM_TEXT && n)
        report_legend(stdout, reports, n);
    else if (c->form == FORM_JSON)
        report_json(stdout, reports, n);
}

static bool write_picture(const char *path, const struct lab_result *r, struct diag_list *diags)
{
    FILE *f = fopen(path, "w");
    if (f)
        picture_svg(f, r);
    if (f && fclose(f) == 0)
        return true;
    diag_add(diags, DIAG_ERROR, (struct diag_place){.file = path}, "the picture cannot be written: %s",
             strerror(errno));
    return false;
}

static int sweep(struct climb *c, struct lab *lab, struct arena *mem, struct diag_list *diags)
{
    int status = CLI_OK;
    for (u32 i = 0; i < kernel_family_count && status != CLI_TROUBLE; i++) {
        const struct family *f = kernel_families[i];
        if (c->family[0] && strcmp(c->family, f->name) != 0)
            continue;
        const int one = sweep_family(c, lab, f, mem, diags);
        status = one > status ? one : status;
    }
    return status;
}

static int climb(struct climb *c, struct lab *lab, struct arena *mem, struct diag_list *diags)
{
    struct report *reports = arena_array(mem, struct report, kernel_family_count);
    u32 n = 0, ran = 0;
    int status = CLI_OK;
    for (u32 i = 0; i < kernel_family_count && status != CLI_TROUBLE; i++) {
        const struct family *f = kernel_families[i];
        if (c->family[0] && strcmp(c->family, f->name) != 0)
            continue;
        bool good = climb_family(c, lab, f, mem, &reports[n], diags);
        print_family(c, &reports[n], n == 0);
        status = !good ? CLI_TROUBLE : !c->request.checked && any_bad(&reports[n]) ? CLI_BAD : status;
        ran += supported(&reports[n++]);
    }
    if (ran == 0 && status == CLI_OK) {
        fputs("lockstep climb: no rung takes this shape\n", stderr);
        status = CLI_USAGE;
    }
    print_end(c, reports, n);
    if (c->picture_to && n && reports[0].n && !write_picture(c->picture_to, &reports[0].results[0], diags))
        status = CLI_TROUBLE;
    if (c->plot_to && n && plot_svg(c->plot_to, reports, n, &c->gpu, diags) != LS_OK)
        status = CLI_TROUBLE;
    for (u32 i = 0; i < n; i++)
        for (u32 k = 0; k < reports[i].n; k++)
            lab_result_free((struct lab_result *)&reports[i].results[k]);
    return status;
}

/* A GPU that is not known is said here, once, not by the driver. */
static bool gpu_known(struct climb *c, struct diag_list *diags)
{
    return c->request.gpu || gpu_find(getenv("LOCKSTEP_GPU"), &c->gpu, diags) == LS_OK;
}

static int open_and_climb(struct climb *c, struct diag_list *diags)
{
    struct lab *lab = NULL;
    c->request.no_awkward |= c->sweep != NULL;
    c->request.checked = !c->request.gpu && getenv("LOCKSTEP_CHECK"); /* `lockstep check lockstep climb` */
    if (!gpu_known(c, diags) || lab_open(&c->request, &lab, diags) != LS_OK)
        return CLI_TROUBLE;
    struct arena mem = ARENA("climb");
    int status = CLI_TROUBLE;
    if (setjmp(mem.oom))
        fputs("lockstep climb: out of memory\n", stderr);
    else
        status = c->sweep ? sweep(c, lab, &mem, diags) : climb(c, lab, &mem, diags);
    arena_free(&mem);
    lab_close(lab);
    return status;
}

int cli_climb(int argc, char **argv)
{
    static struct climb c;
    argp_err_exit_status = CLI_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &c);
    if (c.list) {
        list_names(stdout, c.family);
        return CLI_OK;
    }
    struct diag_list diags;
    diag_init(&diags);
    int status = open_and_climb(&c, &diags);
    if (diags.errors || diags.warnings)
        cli_print_diags(&diags);
    diag_free(&diags);
    return status;
}
