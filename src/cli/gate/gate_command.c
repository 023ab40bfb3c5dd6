/* gate_command.c - `lockstep gate`: what a program's kernels do, written down once and compared from then on. Counters have no
 * noise, so that a difference is a change. The baseline, the comparison and the reasons are report/gate/gate.h's. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/cli.h"
#include "cli/gate/gate_command.h"
#include "cli/new_file.h"

/* ---- files ---- */

static FILE *open_or_say(const char *path)
{
    FILE *f = fopen(path, "we");
    if (!f)
        fprintf(stderr, "lockstep gate: cannot write %s: %s\n", path, strerror(errno));
    return f;
}

static bool close_or_say(FILE *f, const char *path)
{
    const bool good = !ferror(f);
    if (!fclose(f) && good)
        return true;
    fprintf(stderr, "lockstep gate: cannot write %s: %s\n", path, strerror(errno));
    return false;
}

static bool write_baseline(const struct gate_command *c, const struct gate_baseline *b)
{
    struct new_file n;
    if (!new_file_open(&n, "lockstep gate", c->file))
        return false;
    gate_write(n.f, b);
    return new_file_close(&n, true);
}

static bool read_baseline(struct gate_command *c, struct gate_baseline *b)
{
    struct diag_list diags;
    diag_init(&diags);
    const enum ls_status status = gate_read(&c->mem, c->file, b, &diags);
    if (diags.errors)
        cli_print_diags(&diags);
    diag_free(&diags);
    return status == LS_OK;
}

/* ---- record ---- */

static void set_tolerances(const struct gate_command *c, struct gate_baseline *b)
{
    for (u32 m = 0; m < GATE_METRICS; m++)
        if (c->tolerance[m].given)
            b->tolerance[m] = c->tolerance[m];
    b->strict |= c->strict;
}

static int record(struct gate_command *c)
{
    struct gate_baseline b = {.file = c->file, .select = c->select, .model = !c->no_model, .command = c->program};
    set_tolerances(c, &b);
    if (!new_file_ready("lockstep gate", c->file) || !gate_run(c, c->program, &b) || !write_baseline(c, &b))
        return GATE_EXIT_NOT_DONE;
    u32 kernels = 0;
    for (u32 i = 0; i < b.kernels.len; i++)
        kernels += !b.kernels.at[i]->copies;
    if (!c->quiet)
        printf("%s: recorded, %u kernel%s\n", c->file, kernels, kernels == 1 ? "" : "s");
    return GATE_EXIT_SAME;
}

/* ---- check ---- */

struct outputs {
    const char *path;
    FILE *f;
};

enum { MARKDOWN, JUNIT, JSON, SARIF, OUTPUTS };

static bool print(struct gate_command *c, const struct outputs o[OUTPUTS], const struct gate_result *r)
{
    bool good = true;
    if (!c->quiet)
        gate_text(stdout, &c->mem, r, c->told);
    if (o[MARKDOWN].f)
        gate_markdown(o[MARKDOWN].f, &c->mem, r);
    if (o[JUNIT].f)
        gate_junit(o[JUNIT].f, &c->mem, r);
    if (o[JSON].f)
        good &= gate_json(o[JSON].f, &c->mem, r);
    if (o[SARIF].f)
        good &= gate_sarif(o[SARIF].f, &c->mem, r, &c->paths);
    if (!good)
        fputs("lockstep gate: out of memory\n", stderr);
    return good;
}

/* The program that is run, and how, unless the command line says otherwise. */
static char **program_of(const struct gate_command *c, const struct gate_baseline *old, struct gate_baseline *now)
{
    char **program = c->program ? c->program : old->command;
    *now = (struct gate_baseline){
        .gpu = old->gpu, .select = old->select, .model = old->model, .strict = old->strict, .command = program};
    if (!program)
        fprintf(stderr, "lockstep gate: which program? %s names none\n", c->file);
    return program;
}

static int compare(struct gate_command *c, const struct gate_baseline *old, const struct outputs o[OUTPUTS])
{
    struct gate_baseline now;
    struct gate_result r;
    char **program = program_of(c, old, &now);
    if (!program || !gate_run(c, program, &now))
        return GATE_EXIT_NOT_DONE;
    gate_compare(&c->mem, old, &now, &c->paths, &r);
    if (!print(c, o, &r))
        return GATE_EXIT_NOT_DONE;
    return gate_changed(&r) ? GATE_EXIT_CHANGED : GATE_EXIT_SAME;
}

static int check(struct gate_command *c)
{
    struct gate_baseline old;
    struct outputs o[OUTPUTS] = {{.path = c->markdown}, {.path = c->junit}, {.path = c->json}, {.path = c->sarif}};
    bool good = read_baseline(c, &old);
    for (u32 i = 0; i < OUTPUTS; i++) /* before the program runs, so that it does not run in vain */
        if (good && o[i].path)
            good = (o[i].f = open_or_say(o[i].path)) != NULL;
    int status = good ? compare(c, &old, o) : GATE_EXIT_NOT_DONE;
    for (u32 i = 0; i < OUTPUTS; i++)
        if (o[i].f && !close_or_say(o[i].f, o[i].path))
            status = GATE_EXIT_NOT_DONE;
    return status;
}

/* ---- update ---- */

static bool is_accepted(const struct gate_command *c, const struct gate_kernel *k)
{
    for (u32 i = 0; i < c->accepted.len; i++)
        if (!strcmp(k->name, c->accepted.at[i]) || !strcmp(k->function, c->accepted.at[i]))
            return true;
    return !c->accepted.len;
}

/* A name that is no kernel's is a mistake. */
static bool names_known(const struct gate_command *c, const struct gate_result *r)
{
    for (u32 i = 0; i < c->accepted.len; i++) {
        bool known = false;
        for (u32 k = 0; k < r->n && !known; k++)
            for (u32 side = 0; side < 2; side++) {
                const struct gate_kernel *of = side ? r->pairs[k].now : r->pairs[k].old;
                known |= of && (!strcmp(of->name, c->accepted.at[i]) || !strcmp(of->function, c->accepted.at[i]));
            }
        if (!known) {
            fprintf(stderr, "lockstep gate: neither the baseline nor the program has a kernel '%s'\n",
                    c->accepted.at[i]);
            return false;
        }
    }
    return true;
}

static int update(struct gate_command *c)
{
    struct gate_baseline old, now;
    struct gate_result r;
    u32 accepted = 0;
    if (!read_baseline(c, &old))
        return GATE_EXIT_NOT_DONE;
    char **program = program_of(c, &old, &now);
    if (!program || !gate_run(c, program, &now))
        return GATE_EXIT_NOT_DONE;
    gate_compare(&c->mem, &old, &now, &c->paths, &r);
    if (!names_known(c, &r))
        return GATE_EXIT_NOT_DONE;
    struct gate_baseline to = c->accepted.len ? old : now;
    memcpy(to.tolerance, old.tolerance, sizeof to.tolerance);
    set_tolerances(c, &to);
    memset(&to.kernels, 0, sizeof to.kernels);
    for (u32 i = 0; i < r.n; i++) {
        const struct gate_pair *p = &r.pairs[i];
        const bool take = is_accepted(c, p->now ? p->now : p->old);
        const struct gate_kernel *k = take ? p->now : p->old;
        accepted += take && p->verdict >= GATE_CHANGED;
        if (k)
            vec_push(&c->mem, &to.kernels, (struct gate_kernel *)k);
    }
    gate_sort(&to);
    if (!write_baseline(c, &to))
        return GATE_EXIT_NOT_DONE;
    if (!c->quiet)
        printf("%s: %u changes accepted\n", c->file, accepted);
    return GATE_EXIT_SAME;
}

int cli_gate(int argc, char **argv)
{
    static int (*const verbs[])(struct gate_command *) = {record, check, update};
    struct gate_command *c = ls_calloc(1, sizeof *c);
    char here[PATH_MAX];
    if (!c || setjmp(c->mem.oom)) {
        fputs("lockstep gate: out of memory\n", stderr);
        return GATE_EXIT_NOT_DONE;
    }
    int status = GATE_EXIT_SAME;
    c->mem.name = "gate";
    c->paths.here = getcwd(here, sizeof here);
    if (gate_options_read(c, argc, argv, &status))
        status = verbs[c->verb](c);
    if (fflush(stdout) && status != GATE_EXIT_NOT_DONE) {
        fputs("lockstep gate: what was to be printed could not be written\n", stderr);
        status = GATE_EXIT_NOT_DONE;
    }
    arena_free(&c->mem);
    ls_free(c);
    return status;
}
