/* main.c - ls_fidelity: runs the recorded kernels and writes docs/fidelity.md on standard output.
 *
 *     ls_fidelity [--scale K] [ROOT]      the document; ROOT: the project's root, "." if left out
 *     ls_fidelity --raw [...]             every value of every kernel, a line each
 *     ls_fidelity --corpus [ROOT]         the document's section about the corpus alone: nothing is run
 *     ls_fidelity --corpus-fitted [ROOT]  the same with the errors of the half that constants are fitted on, and of that alone: for
 *                                         work on the model
 *     ls_fidelity --line [ROOT]           README.md's line about the corpus
 *
 * The text depends on the recordings and the code alone: a K-th of the data gives the same (fidelity.h). The exit status
 * is 1 when a counted value differs and exceptions.txt does not say why, or more differ than that allows, or when a plain
 * counter of shared memory, which can only add arbitration, is below ours; 2 when something could not be run. */
#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"

enum { TABLES = 2 };

static const struct recording {
    const char *path, *title, *text;
    u32 kernels, values; /* how many it has */
    u32 excepted;        /* of the values, at most so many differ for reasons that are known */
} recordings[TABLES] = {
    {"tests/hw/h200/seed-kernels.csv", "The tutorials' programs",
     "Each row is a kernel of the shared-memory chapter as printed there, compiled by nvcc 13.0 for the H200; Lockstep "
     "runs\n"
     "the ladder's rung of the same name, compiled by clang. Where machine code decides, both compilers and ptxas are "
     "in\n"
     "the distance.",
     34, 34 * 17, 0},
    {"tests/hw/h200/ladders.csv", "The ladders' rungs",
     "Each row is a rung of `kernels/`: the same PTX that Lockstep ran was given to NVIDIA's driver (580.159.04).", 293,
     293 * 22, 14 * 8 + 4 * 2 + 5},
};

struct run {
    struct comparison rows[TABLE_ROWS];
    u32 n;
    struct score score;
};

/* ---- cells ---- */

static u32 counted_index(const char *metric)
{
    u32 i = 0;
    while (i + 1 < counted_count && strcmp(counted_columns[i].metric, metric) != 0)
        i++;
    return i;
}

static void put_pair(const struct pair *p)
{
    if (isnan(p->theirs))
        printf(" not recorded |");
    else if (pair_equal(p))
        printf(" %.10g |", p->ours);
    else if (p->except && strncmp(p->except, "polls", 5) == 0)
        printf(" polls, H200 %.10g |", p->theirs);
    else
        printf(" **%.10g**, H200 %.10g |", p->ours, p->theirs);
}

static void put_noisy(const struct pair *p)
{
    if (isnan(p->noisy) || (p->noisy == 0 && p->ours == 0))
        printf(" |");
    else
        printf(" %.10g (%+.1f %%) |", p->noisy, p->ours > 0 ? (p->noisy / p->ours - 1) * 100 : 0.0);
}

/* ---- tables ---- */

static void head(const char *const *titles, u32 n)
{
    printf("\n| kernel |");
    for (u32 i = 0; i < n; i++)
        printf(" %s |", titles[i]);
    printf("\n| --- |");
    for (u32 i = 0; i < n; i++)
        printf(" ---: |");
    printf("\n");
}

/* Counted metrics, the plain counter beside where there is one. */
static void put_counted(const struct run *r, const char *title, const char *const *metrics, u32 n, bool skip_zero)
{
    const char *titles[16];
    u32 nt = 0;
    for (u32 i = 0; i < n; i++) {
        const struct column *c = &counted_columns[counted_index(metrics[i])];
        titles[nt++] = c->title;
        if (c->noisy)
            titles[nt++] = "plain counter";
    }
    printf("\n### %s\n", title);
    head(titles, nt);
    for (u32 k = 0; k < r->n; k++) {
        const struct comparison *c = &r->rows[k];
        double sum = 0;
        for (u32 i = 0; i < n; i++)
            sum +=
                fabs(c->counted[counted_index(metrics[i])].ours) + fabs(c->counted[counted_index(metrics[i])].theirs);
        if (skip_zero && sum == 0)
            continue;
        printf("| %s |", c->subject.name);
        for (u32 i = 0; i < n; i++) {
            const struct pair *p = &c->counted[counted_index(metrics[i])];
            put_pair(p);
            if (counted_columns[counted_index(metrics[i])].noisy)
                put_noisy(p);
        }
        printf("\n");
    }
}

static void put_distance(const struct pair *p, const char *metric)
{
    if (isnan(p->theirs))
        printf(" not recorded |");
    else if (pair_close(p, metric))
        printf(" %.6g |", p->theirs);
    else if (strstr(metric, ".sum"))
        p->theirs != 0 ? printf(" %+.1f %% |", (p->ours / p->theirs - 1) * 100) : printf(" %.6g, H200 0 |", p->ours);
    else
        printf(" %.4g, H200 %.4g |", p->ours, p->theirs);
}

static void put_estimated(const struct run *r)
{
    const char *titles[16];
    for (u32 i = 0; i < estimated_count; i++)
        titles[i] = estimated_columns[i].title;
    printf("\n### Estimated: what machine code decides\n\nOne number: equal. Sums as distances of ours from the "
           "H200's.\n");
    head(titles, estimated_count);
    for (u32 k = 0; k < r->n; k++) {
        if (r->rows[k].polls)
            continue;
        printf("| %s |", r->rows[k].subject.name);
        for (u32 i = 0; i < estimated_count; i++)
            put_distance(&r->rows[k].estimated[i], estimated_columns[i].metric);
        printf("\n");
    }
}

/* ---- the corpus ---- */

static struct corpus h200, h100;

/* The H100's is in the document once it has been modelled. */
static bool load_corpora(const char *root)
{
    char path[1000];
    snprintf(path, sizeof path, "%.800s/tests/hw/h100", root);
    if (!corpus_load(&h100, path))
        h100.n = 0;
    snprintf(path, sizeof path, "%.800s/tests/hw/h200", root);
    if (!corpus_load(&h200, path)) {
        fprintf(stderr, "ls_fidelity: cannot read %s/corpus.csv\n", path);
        return false;
    }
    snprintf(path, sizeof path, "%.800s/tools/fidelity/corpus-reasons.txt", root);
    return corpus_load_reasons(path);
}

static void free_corpora(void)
{
    corpus_free(&h200);
    corpus_free(&h100);
}

static void put_corpora(enum corpus_half counts)
{
    corpus_put(&h200, counts);
    if (h100.n && h100.modelled[CORPUS_PTXAS].rows && counts == CORPUS_TEST)
        corpus_put_other(&h100, "H100");
}

/* ---- summaries ---- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of one estimated column over all recordings: how many are equal, median and largest distance. Percentages are
 * compared by points, all else relatively. */
static void put_summary_row(const struct run *runs, u32 column)
{
    double d[TABLES * TABLE_ROWS];
    u32 n = 0, equal = 0, from_zero = 0;
    const bool points = strstr(estimated_columns[column].metric, "pct");
    for (u32 t = 0; t < TABLES; t++)
        for (u32 k = 0; k < runs[t].n; k++) {
            const struct pair *p = &runs[t].rows[k].estimated[column];
            if (!runs[t].rows[k].ran || runs[t].rows[k].polls || isnan(p->theirs))
                continue;
            equal += pair_close(p, estimated_columns[column].metric);
            if (!points && p->theirs == 0 && p->ours != 0) {
                from_zero++;
                continue;
            }
            d[n++] = points ? fabs(p->ours - p->theirs) : p->theirs != 0 ? fabs(p->ours / p->theirs - 1) * 100 : 0;
        }
    qsort(d, n, sizeof *d, by_size);
    const char *unit = points ? "points" : "%";
    printf("| `%s` | %u of %u | %.1f %s | %.1f %s | %u |\n", estimated_columns[column].metric, equal, n + from_zero,
           n ? d[n / 2] : 0.0, unit, n ? d[n - 1] : 0.0, unit, from_zero);
}

static void put_totals(const struct run *runs)
{
    printf("| recording | kernels | all counted values equal | counted values | equal | different, and why is known | "
           "plain counters below ours |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (u32 t = 0; t < TABLES; t++) {
        const struct score *s = &runs[t].score;
        printf("| `%s` | %u | %u | %u | %u | %u | %u |\n", recordings[t].path, s->kernels, s->kernels_equal, s->values,
               s->values_equal, s->excepted, s->below);
    }
}

static bool differs(const struct pair *p, const char *why)
{
    return p->except && !isnan(p->theirs) && !pair_equal(p) && (!why || strcmp(p->except, why) == 0);
}

static bool told_before(const struct comparison *c, u32 column)
{
    for (u32 i = 0; i < column; i++)
        if (differs(&c->counted[i], c->counted[column].except))
            return true;
    return false;
}

/* A line a kernel and reason, with the metrics that differ; of a kernel that polls without them, which differ from run to
 * run. */
static void put_difference(const struct comparison *c, u32 first)
{
    const char *why = c->counted[first].except;
    printf("| %s |", c->subject.name);
    if (strncmp(why, "polls", 5) == 0)
        printf(" loads");
    else
        for (u32 i = first; i < counted_count; i++)
            if (differs(&c->counted[i], why))
                printf("%s %s", i == first ? "" : ",", counted_columns[i].title);
    printf(" | %s |\n", why);
}

static void put_exceptions(const struct run *runs)
{
    printf("\n## Counted values that differ\n\n| kernel | metrics | why |\n| --- | --- | --- |\n");
    for (u32 t = 0; t < TABLES; t++)
        for (u32 k = 0; k < runs[t].n; k++)
            for (u32 i = 0; i < counted_count; i++)
                if (differs(&runs[t].rows[k].counted[i], NULL) && !told_before(&runs[t].rows[k], i))
                    put_difference(&runs[t].rows[k], i);
}

static void put_intro(const struct run *runs)
{
    printf("# How close to the hardware\n\n"
           "Made by `ls_fidelity` (`cmake --build BUILD --target ls_fidelity`, then `BUILD/bin/ls_fidelity > "
           "docs/fidelity.md` in the\nproject's root): it runs each recorded kernel in Lockstep and prints the "
           "counters beside "
           "those of one NVIDIA H200\nunder Nsight Compute. `tests/hw/h200/README.md` says how the recordings were "
           "made. CTest "
           "runs the comparison and\nchecks that this text is up to date.\n\n");
    put_totals(runs);
    printf(
        "\n`tests/hw/h200/bank-probe.csv` has one access to shared memory a row, 15 operations in 30 patterns. "
        "`test_bank_probe` makes\na kernel of each, runs it and fails unless wavefronts and conflicts are the H200's, "
        "but "
        "for the 60 rows of `atom_add_f32`\nand `atom_add_u64`, which are loops in machine code.\n\n"
        "`tests/hw/h200/async-counters.csv` has products of warpgroups (wgmma) in 48 forms and bulk copies and sends "
        "in "
        "117, `dshared.csv` accesses to\nother blocks' shared memory in 42. `async_counters_h200` and `dshared_h200` "
        "run "
        "the same programs and compare each value: of the former's\n3,159 all are equal but nine, the sectors of loads "
        "that reach out of their tensor.\n\n"
        "**Counted** metrics follow from addresses and masks. They are compared with the counters that the profiler "
        "patches into\nmachine code (`smsp__sass_*`) and with requests, which are free of noise. The plain counters of "
        "shared memory (`l1tex__data_*`)\nadd arbitration between warps and are printed beside: never below the exact "
        "value.\n\n"
        "**Estimated** metrics depend on the machine code of ptxas, which was not asked:\n\n"
        "| metric | equal | median distance | largest | ours not 0, the H200's 0 |\n"
        "| --- | ---: | ---: | ---: | ---: |\n");
    for (u32 i = 0; i < estimated_count; i++)
        put_summary_row(runs, i);
    printf(
        "\nWhat decides them: which branches become predicates and which loops are unrolled (branches, instructions, "
        "uniformity);\nhow instructions are chosen and scheduled (instructions, registers; occupancy follows from "
        "registers); and whether a\npredicated shared access that no lane needs is still issued (`smsp__inst_executed_"
        "op_shared_*`; the `sass` counters\nleave it out). The blocks that shared memory allows are "
        "for the carve-out that the driver chooses by threads,\n"
        "registers and shared memory (model.md).\n\nNot covered by these kernels: partial "
        "overlap of wide global accesses, surfaces, machine branches of "
        "indirect calls,\nkernels launched by kernels.\n");
}

/* What changes when a ptxas is asked: docs/fidelity-ptxas.md. */
static void put_asked(const struct run *runs)
{
    printf("# With ptxas asked\n\nMade by `ls_fidelity --ptxas > docs/fidelity-ptxas.md`, with the ptxas of CUDA 13.0. "
           "The kernels and "
           "their recordings are those of\n[fidelity.md](fidelity.md), whose table of the same name is made without "
           "ptxas. Here "
           "each module went through `ptxas -lineinfo`, and\nthe cubin's line table told what became of each PTX "
           "instruction "
           "(`src/meter/sass/estimate_sass.c`): instructions of shared memory are then\n*counted*; the others stay "
           "estimates, because "
           "how executions are shared between the parts of an unrolled loop is not seen (`src/meter/executed.c` "
           "reckons it).\n\n"
           "| metric | equal | median distance | largest | ours not 0, the H200's 0 |\n"
           "| --- | ---: | ---: | ---: | ---: |\n");
    for (u32 i = 0; i < estimated_count; i++)
        put_summary_row(runs, i);
    printf("\nThe large distances are of kernels that poll. The driver on the H200 compiled the PTX of the ladders "
           "itself, and nvcc "
           "that of\nthe tutorials' kernels, from other sources than ours.\n");
}

static void put_document(const struct run *runs)
{
    static const char *const global[] = {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                                         "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum",
                                         "smsp__sass_data_bytes_mem_global_op_ld.sum",
                                         "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
                                         "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st.sum",
                                         "smsp__sass_data_bytes_mem_global_op_st.sum"};
    static const char *const shared[] = {
        "smsp__sass_inst_executed_op_shared_ld.sum", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "smsp__sass_inst_executed_op_shared_st.sum", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"};
    put_intro(runs);
    put_corpora(CORPUS_TEST);
    put_exceptions(runs);
    for (u32 t = 0; t < TABLES; t++) {
        printf("\n## %s\n\n%s\n", recordings[t].title, recordings[t].text);
        put_counted(&runs[t], "Counted: global memory", global, LS_ARRAY_LEN(global), true);
        put_counted(&runs[t], "Counted: shared memory", shared, LS_ARRAY_LEN(shared), true);
        put_estimated(&runs[t]);
        if (t == 1)
            modelled_put(runs[t].rows, runs[t].n);
    }
    printf("\nCounted and equal, but not shown: instructions of global loads and stores (equal to the requests), bytes "
           "of shared\n"
           "accesses, the sectors as `l1tex__t_sectors_*` has them, and, for the rungs, shared memory a block and the "
           "blocks that\n"
           "an SM holds by warps and slots.\n");
}

static void put_raw(const struct run *r)
{
    for (u32 k = 0; k < r->n; k++) {
        const struct comparison *c = &r->rows[k];
        for (u32 i = 0; i < counted_count; i++)
            if (!isnan(c->counted[i].theirs))
                printf("%-44s counted   %-66s %14.10g %14.10g%s\n", c->subject.name, counted_columns[i].metric,
                       c->counted[i].ours, c->counted[i].theirs, pair_equal(&c->counted[i]) ? "" : "  DIFFERENT");
        for (u32 i = 0; i < modelled_count; i++)
            if (!isnan(c->modelled[i].theirs))
                printf("%-44s modelled  %-66s %14.10g %14.10g\n", c->subject.name, modelled_columns[i].metric,
                       c->modelled[i].ours, c->modelled[i].theirs);
        for (u32 i = 0; i < estimated_count; i++)
            printf("%-44s estimated %-66s %14.10g %14.10g\n", c->subject.name, estimated_columns[i].metric,
                   c->estimated[i].ours, c->estimated[i].theirs);
    }
}

/* ---- the run ---- */

static bool run_table(struct run *r, const struct table *t, u32 scale, struct lab *lab, struct arena *mem,
                      struct diag_list *diags)
{
    for (u32 row = 1; row < t->rows; row++) {
        struct comparison *c = &r->rows[r->n++];
        if (!compare_row(t, row, scale, lab, mem, c, diags))
            return false;
        if (!c->right || !c->same_launch || c->findings) {
            fprintf(stderr, "ls_fidelity: row %u, %s: %s\n", row, c->subject.name,
                    !c->ran           ? c->text
                    : !c->right       ? "wrong result"
                    : !c->same_launch ? "another grid or block"
                                      : "unmet head");
            return false;
        }
        score_add(&r->score, c);
    }
    return true;
}

static bool run_all(struct run *runs, const char *root, u32 scale, struct diag_list *diags)
{
    struct lab_request request = {.no_awkward = true};
    struct arena mem = ARENA("fidelity");
    struct lab *lab;
    if (lab_open(&request, &lab, diags) != LS_OK)
        return false;
    bool good = true;
    if (setjmp(mem.oom))
        good = false;
    for (u32 t = TABLES;
         good && t-- > 0;) { /* the programs last: their size must not change where the ladders' memory is */
        static struct table table;
        char path[1000];
        snprintf(path, sizeof path, "%.800s/%s", root, recordings[t].path);
        good = table_load(&table, path);
        if (!good)
            fprintf(stderr, "ls_fidelity: cannot read %s\n", path);
        good = good && run_table(&runs[t], &table, scale, lab, &mem, diags);
        table_free(&table);
    }
    lab_close(lab);
    arena_free(&mem);
    return good;
}

enum what { DOCUMENT, RAW, ASKED, CORPUS, CORPUS_FITTED, LINE };

struct options {
    enum what what;
    u32 scale;
    const char *root;
};

/* False: said. */
static bool read_options(struct options *o, int argc, char **argv)
{
    static const struct {
        const char *name;
        enum what what;
    } names[] = {
        {"--raw", RAW}, {"--ptxas", ASKED}, {"--corpus", CORPUS}, {"--corpus-fitted", CORPUS_FITTED}, {"--line", LINE}};
    *o = (struct options){.scale = 1, .root = "."};
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        for (u32 k = 0; word && k < LS_ARRAY_LEN(names); k++)
            if (strcmp(word, names[k].name) == 0) {
                o->what = names[k].what;
                word = NULL;
            }
        if (word && strcmp(word, "--scale") == 0 && i + 1 < argc)
            o->scale = (u32)strtoul(argv[++i], NULL, 10);
        else if (word)
            o->root = word;
    }
    const bool good = o->scale >= 1 && o->scale <= 64 && !(o->scale & (o->scale - 1));
    if (!good)
        fprintf(stderr, "ls_fidelity: --scale is a power of two up to 64\n");
    return good;
}

/* What needs no run. */
static int put_of_corpora(const struct options *o)
{
    const bool good = load_corpora(o->root);
    if (good && o->what == LINE)
        corpus_put_line(&h200);
    else if (good)
        put_corpora(o->what == CORPUS ? CORPUS_TEST : CORPUS_FIT);
    free_corpora();
    return good ? 0 : 2;
}

static bool load_all(const char *root)
{
    char path[1000];
    snprintf(path, sizeof path, "%.800s/tools/fidelity/exceptions.txt", root);
    if (!exceptions_load(path))
        return false;
    snprintf(path, sizeof path, "%.800s/tests/hw/h200/memory.csv", root);
    if (!modelled_load(path)) {
        fprintf(stderr, "ls_fidelity: cannot read %s\n", path);
        return false;
    }
    return load_corpora(root);
}

static bool run_both(struct run *runs, const struct options *o)
{
    struct diag_list diags;
    setenv("LOCKSTEP_CACHES", "1", 1);
    if (o->what != ASKED)
        setenv("LOCKSTEP_PTXAS", "", 1); /* the estimates are those of a machine without CUDA */
    diag_init(&diags);
    const bool good = run_all(runs, o->root, o->scale, &diags);
    if (!good && diags.errors)
        fprintf(stderr, "%s\n", diag_text(&diags));
    diag_free(&diags);
    return good;
}

/* Everything was compared, and nothing differs but for a reason. */
static bool as_recorded(const struct run *r, const struct recording *of)
{
    const struct score *s = &r->score;
    const bool whole = s->kernels == of->kernels && s->values == of->values;
    const bool good = whole && s->values == s->values_equal + s->excepted && s->excepted <= of->excepted && !s->below;
    if (!whole)
        fprintf(stderr, "ls_fidelity: %s: %u kernels and %u values, not %u and %u\n", of->path, s->kernels, s->values,
                of->kernels, of->values);
    else if (!good)
        fprintf(stderr,
                "ls_fidelity: %s: of %u values %u are equal, %u differ for known reasons (%u may), %u plain counters "
                "are below\n",
                of->path, s->values, s->values_equal, s->excepted, of->excepted, s->below);
    return good;
}

int main(int argc, char **argv)
{
    static struct run runs[TABLES];
    struct options o;
    if (!read_options(&o, argc, argv))
        return 2;
    if (o.what >= CORPUS)
        return put_of_corpora(&o);
    if (!load_all(o.root) || !run_both(runs, &o))
        return 2;
    if (o.what == RAW)
        for (u32 t = 0; t < TABLES; t++)
            put_raw(&runs[t]);
    else if (o.what == ASKED)
        put_asked(runs);
    else
        put_document(runs);
    modelled_free();
    free_corpora();
    bool good = true;
    for (u32 t = 0; t < TABLES; t++)
        good &= as_recorded(&runs[t], &recordings[t]);
    return good ? 0 : 1;
}
