/* climb_options.c - the command line of `lockstep climb`. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/climb/climb.h"

bool climb_read_pair(const char *text, bool one, u32 *a, u32 *b)
{
    u32 sizes[3];
    if (!option_read_sizes(text, one ? 1 : 2, 2, sizes) || sizes[0] > CLIMB_SIZE_MOST || sizes[1] > CLIMB_SIZE_MOST)
        return false;
    *a = sizes[0];
    *b = sizes[1];
    return true;
}

bool climb_read_count(const char *text, u64 most, u64 *n) { return option_read_count(text, most, n) && *n; }

/* ---- the options ---- */

static void take_size(struct option_reader *o, const struct option_value *v)
{
    struct shape *s = &((struct climb *)o->into)->request.shape;
    if (!climb_read_pair(v->text, false, &s->rows, &s->cols))
        option_wrong(o, "--size needs rows x columns (1024x768), not '%s'", v->text);
}

static void take_block(struct option_reader *o, const struct option_value *v)
{
    struct shape *s = &((struct climb *)o->into)->request.shape;
    if (!climb_read_pair(v->text, true, &s->bx, &s->by))
        option_wrong(o, "--block needs threads in x and y (128 or 32x16), not '%s'", v->text);
}

static void take_banks(struct option_reader *o, const struct option_value *v)
{
    u32 banks, bytes;
    if (!climb_read_pair(v->text, false, &banks, &bytes) || banks > 64 || bytes > 16 || (bytes & (bytes - 1)))
        option_wrong(o, "--banks needs banks x bytes, up to 64 banks of 1, 2, 4, 8 or 16 (5x4), not '%s'", v->text);
}

static void take_sweep(struct option_reader *o, const struct option_value *v)
{
    const char *why = sweep_check(v->text);
    if (why)
        option_wrong(o, "--sweep %s: %s", v->text, why);
}

#define TO(member) .at = OPTION_AT(struct climb, member)

static const struct option_row rows[] = {
    ROW_ON(TO(request.gpu)),
    OPTION(COUNT, "n", "N", "Elements, for the families that take a number", TO(request.shape.n), .least = 1,
           .most = CLIMB_N_MOST, .takes = "a positive number (4194304, 4m)"),
    OPTION(CALL, "size", "RxC", "Rows and columns, for the families that take a matrix", .take = take_size),
    OPTION(COUNT, "k", "K", "The third size of some families (--list says what it is): inner length, radius, stride",
           TO(request.shape.k), .least = 1, .most = CLIMB_SIZE_MOST, .takes = "a positive number"),
    OPTION(COUNT, "batch", "B", "So many problems at once, for the families that take batches", TO(request.shape.batch),
           .least = 1, .most = CLIMB_SIZE_MOST, .takes = "a positive number"),
    OPTION(CALL, "block", "XxY", "Threads of a block: 128 or 32x16", .take = take_block),
    ROW_GPU(TO(gpu_name), 0),
    OPTION(CONST, "csv", NULL, "Print CSV with every metric, in the shape of ncu --csv --page raw", TO(form),
           .constant = FORM_CSV),
    OPTION(CONST, "json", NULL, "Print JSON with every metric, its unit and kind", TO(form), .constant = FORM_JSON),
    OPTION(FLAG, "list", NULL,
           "List families (or the one that is named), rungs and the blocks that they were built for", TO(list)),
    OPTION(FLAG, "broken", NULL, "Run the broken rungs too, and show that they are caught", TO(broken)),
    OPTION(TEXT, "ptx", "DIR", "Take the rungs' PTX from DIR/<family>-<rung>[-WxH].ptx, as nvcc -ptx makes it",
           TO(request.ptx_dir)),
    OPTION(TEXT, "banks", "NxB",
           "Picture a shared memory of N banks of B bytes (5x4, 32x8); LOCKSTEP_BANKS says the same. Expectations on "
           "bank conflicts do not apply then",
           TO(banks), .take = take_banks),
    OPTION(TEXT, "sweep", "KEY=LIST",
           "Run at every value: block=32,64,128 or 8x8,32x8 or all; size=, n=, k=, batch= likewise; the best and why",
           TO(sweep), .take = take_sweep),
    OPTION(OUTPUT, "plot", "FILE.svg",
           "Draw each ladder and its roofline below its table, or with --plot=FILE.svg into a file (gnuplot does it)",
           TO(plot), .optional = true),
    OPTION(OUTPUT, "picture", "FILE.svg",
           "Draw which lane touches which bank or sector, from the addresses of one warp; =FILE.svg writes a file "
           "(one rung)",
           TO(picture), .optional = true),
    OPTION(FLAG, "no-time", NULL,
           "Do not model time; with --on gpu run every launch once and do not time, as under a profiler",
           TO(request.no_time)),
    OPTION(FLAG, "quick", NULL, "Verify at the size asked for only, not at awkward ones", TO(request.no_awkward)),
};

static void take_word(struct option_reader *o, const char *word)
{
    struct climb *c = o->into;
    if (c->place)
        option_wrong(o, "one FAMILY or FAMILY/RUNG at a time; '%s' is another", word);
    c->place = word;
}

static void finish(struct option_reader *o)
{
    const struct climb *c = o->into;
    if (c->picture.to && !(c->place && strchr(c->place, '/')))
        option_wrong(o, "--picture=FILE is of one rung: name FAMILY/RUNG");
    if (c->picture.wanted && c->request.gpu)
        option_wrong(o, "--picture needs the addresses that only Lockstep's device tells: not with --on gpu");
}

static const struct option_table table = {
    .rows = rows,
    .n = LS_ARRAY_LEN(rows),
    .words = "[FAMILY[/RUNG]]",
    .about = "Runs the ladders: every rung is verified against a CPU reference, at awkward sizes too, and its counters "
             "are held against what its source says they must be.\vWithout a family all are run. The exit status is 1 "
             "when a rung is wrong, an expectation is not met, or a broken rung is not caught.",
    .word = take_word,
    .finish = finish,
};

/* ---- the rungs ---- */

static void list_families(void)
{
    for (u32 i = 0; i < kernel_family_count; i++)
        fprintf(stderr, "  %-10s %s\n", kernel_families[i]->name, kernel_families[i]->about);
}

static void list_rungs(const struct family *f)
{
    for (u32 k = 0; k < f->nrungs; k++)
        if (!f->rungs[k].broken)
            fprintf(stderr, "  %s\n", f->rungs[k].name);
}

/* Finds the family and the rung; false: said that there is none, and which there are. */
static bool find_place(struct climb *c)
{
    const char *slash = strchr(c->place, '/'), *rung = slash ? slash + 1 : "";
    snprintf(c->family, sizeof c->family, "%.*s", (int)strcspn(c->place, "/"), c->place);
    if (strncmp(rung, "broken/", 7) == 0) {
        c->broken = true;
        rung += 7;
    }
    snprintf(c->rung, sizeof c->rung, "%s", rung);
    const struct family *f = lab_family(c->family);
    if (!f) {
        fprintf(stderr, "lockstep climb: there is no family '%s'; there are:\n", c->family);
        list_families();
        return false;
    }
    if (!c->rung[0] || lab_rung(f, c->rung, false) || lab_rung(f, c->rung, true))
        return true;
    fprintf(stderr, "lockstep climb: %s has no rung '%s'; it has:\n", f->name, c->rung);
    list_rungs(f);
    return false;
}

bool climb_options_read(struct climb *c, int argc, char **argv, int *status)
{
    if (!options_read(&table, c, argc, argv, status))
        return false;
    *status = CLI_USAGE;
    return !c->place || find_place(c);
}
