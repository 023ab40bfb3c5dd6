/* climb_command.c - `lockstep climb`: the ladders, rung by rung. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/gpu.h"
#include "cli/cli.h"
#include "cli/climb/climb.h"
#include "cli/said.h"
#include "lab/lab.h"
#include "report/picture_draw.h"
#include "report/plot.h"
#include "report/report.h"

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
    for (u32 i = 0; c->picture.wanted && !c->picture.to && c->form == FORM_TEXT && i < r->n; i++)
        picture_text(stdout, &r->results[i]);
    if (c->form == FORM_TEXT && c->plot.wanted && !c->plot.to)
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
    if (c->picture.to && n && reports[0].n && !write_picture(c->picture.to, &reports[0].results[0], diags))
        status = CLI_TROUBLE;
    if (c->plot.to && n && plot_svg(c->plot.to, reports, n, &c->gpu, diags) != LS_OK)
        status = CLI_TROUBLE;
    for (u32 i = 0; i < n; i++)
        for (u32 k = 0; k < reports[i].n; k++)
            lab_result_free((struct lab_result *)&reports[i].results[k]);
    return status;
}

/* A GPU that is not known is said here, once, not by the driver. */
static bool gpu_known(struct climb *c, struct diag_list *diags)
{
    return c->request.gpu || gpu_find(said.gpu, &c->gpu, diags) == LS_OK;
}

static int open_and_climb(struct climb *c, struct diag_list *diags)
{
    struct lab *lab = NULL;
    c->request.no_awkward |= c->sweep != NULL;
    c->request.checked = !c->request.gpu && said.check; /* `lockstep check lockstep climb` */
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

/* What the driver is to know of the command line. */
static bool set_environment(const struct climb *c)
{
    return engine_options_set(&(struct engine_options){.gpu = c->gpu_name}) &&
           said_set(&said, SETTING_BANKS, c->banks) &&
           said_set(&said, SETTING_CACHES, c->request.no_time ? NULL : "1") &&
           said_set(&said, SETTING_MODEL_LAUNCHES, "all") &&
           said_set(&said, SETTING_PICTURES, c->picture.wanted ? "1" : NULL) && said_export(&said);
}

int cli_climb(int argc, char **argv)
{
    static struct climb c;
    struct diag_list diags;
    int status;
    if (!climb_options_read(&c, argc, argv, &status))
        return status;
    if (c.list) {
        list_names(stdout, c.family);
        return CLI_OK;
    }
    if (!set_environment(&c))
        return CLI_TROUBLE;
    diag_init(&diags);
    status = open_and_climb(&c, &diags);
    if (diags.errors || diags.warnings)
        cli_print_diags(&diags);
    diag_free(&diags);
    return status;
}
