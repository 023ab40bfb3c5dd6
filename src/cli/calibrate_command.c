/* calibrate_command.c - `lockstep calibrate`: microbenchmarks, their results as text, and a GPU file of them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "calibrate/calibrate.h"
#include "calibrate/gpu_file.h"
#include "cli/cli.h"
#include "cli/said.h"
#include "cli/shared_options.h"

struct command {
    struct calibrate_request request;
    const char *gpu_name, *to, *csv, *id;
    bool list;
};

#define TO(member) .at = OPTION_AT(struct command, member)

static bool experiment_known(const char *name, size_t n)
{
    const char *e;
    for (u32 i = 0; (e = calibrate_experiment(i)); i++)
        if (strlen(e) == n && strncmp(e, name, n) == 0)
            return true;
    return false;
}

static void take_only(struct option_reader *o, const struct option_value *v)
{
    for (const char *at = v->text; at;) {
        const size_t n = strcspn(at, ",");
        if (!experiment_known(at, n))
            option_wrong(o, "there is no experiment '%.*s' (--list has them)", (int)n, at);
        at = at[n] ? at + n + 1 : NULL;
    }
}

static const struct option_row rows[] = {
    ROW_ON(TO(request.gpu)),
    OPTION(TEXT, "output", "FILE", "Write a GPU file, for LOCKSTEP_GPU and --gpu", TO(to), .letter = 'o'),
    OPTION(TEXT, "id", "NAME", "The GPU's name in that file; otherwise made of what the driver calls it", TO(id)),
    OPTION(TEXT, "csv", "FILE", "Write all that was measured as CSV", TO(csv)),
    OPTION(TEXT, "only", "NAMES", "Do these experiments only, with commas between", TO(request.only),
           .take = take_only),
    OPTION(FLAG, "list", NULL, "List the experiments", TO(list)),
    OPTION(SECONDS, "seconds", "SECONDS", "Begin no experiment later than this (120)", TO(request.seconds)),
    ROW_GPU(TO(gpu_name), 0),
};

static const struct option_table table = {
    .rows = rows,
    .n = LS_ARRAY_LEN(rows),
    .about =
        "Measures a GPU: latencies, rates, sizes and launches, by microbenchmarks on NVIDIA's driver (--on gpu), and "
        "writes what Lockstep's model needs to be that GPU.\vWithout --on gpu they run on Lockstep's device, with few "
        "steps, and give back the model's own numbers. An experiment that fails is named, and the rest goes on; the "
        "exit status is then 1.",
};

static void progress(const char *experiment)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%s", experiment);
}

static bool write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    const bool put = f && fputs(text, f) >= 0;
    if (f && fclose(f) == 0 && put)
        return true;
    fprintf(stderr, "lockstep calibrate: %s: %s\n", path, strerror(errno));
    return false;
}

static bool write_csv(const char *path, const struct calibration *c)
{
    FILE *f = fopen(path, "w");
    if (f)
        calibrate_csv(f, c);
    if (f && fclose(f) == 0)
        return true;
    fprintf(stderr, "lockstep calibrate: %s: %s\n", path, strerror(errno));
    return false;
}

static bool write_files(const struct command *c, const struct calibration *measured)
{
    bool good = !c->csv || write_csv(c->csv, measured);
    if (c->to) {
        char *text = calibrate_gpu_file(measured, c->id);
        good = text && write_text(c->to, text) && good;
        ls_free(text);
    }
    return good;
}

static int measure(struct command *c, struct arena *mem, struct diag_list *diags)
{
    struct calibration *measured = arena_new(mem, struct calibration);
    if (!calibrate_run(&c->request, mem, measured, diags))
        return CLI_TROUBLE;
    progress("");
    calibrate_print(stdout, measured);
    if (!c->request.gpu)
        puts("\nThis is Lockstep's device: these are the model's own numbers, not measurements. --on gpu measures a "
             "GPU.");
    if (!write_files(c, measured))
        return CLI_TROUBLE;
    return measured->nfailures ? CLI_BAD : CLI_OK;
}

static void print_experiments(void)
{
#define EXPERIMENT(name, about) printf("%-14s %s\n", #name, about);
#include "calibrate/experiments.def"
}

int cli_calibrate(int argc, char **argv)
{
    static struct command c = {.request = {.seconds = 120, .progress = progress}};
    struct arena mem = ARENA("calibrate");
    struct diag_list diags;
    int status;
    if (!options_read(&table, &c, argc, argv, &status))
        return status;
    if (c.list) {
        print_experiments();
        return CLI_OK;
    }
    if (!engine_options_set(&(struct engine_options){.gpu = c.gpu_name}) || !said_export(&said))
        return CLI_TROUBLE;
    diag_init(&diags);
    status = CLI_TROUBLE;
    if (setjmp(mem.oom))
        fputs("lockstep calibrate: out of memory\n", stderr);
    else
        status = measure(&c, &mem, &diags);
    if (diags.errors)
        cli_print_diags(&diags);
    diag_free(&diags);
    arena_free(&mem);
    return status;
}
