/* main.c - ls_curriculum: runs the curriculum's and the guide's commands and writes docs/curriculum.md on standard
 * output.
 *
 *     ls_curriculum [--no-programs] docs/curriculum.txt [docs/guide/...md ...]
 *
 * The exit status is 1 when a check does not hold, 2 when something could not be read or run. Chapters of the guide are
 * checked only. --no-programs leaves out the commands that run programs: a library with the thread sanitizer cannot be
 * loaded into one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "curriculum.h"

/* ---- a row ---- */

static void put_text(const char *s)
{
    for (; *s; s++)
        if (*s == '|')
            fputs("\\|", stdout);
        else
            putchar(*s);
}

static void put_value(double v)
{
    if (v == floor(v))
        printf("%.12g", v);
    else
        printf("%.4g", v);
}

/* What is equal needs one number only. */
static void put_number(const struct check_line *c)
{
    if (!c->modelled)
        put_value(c->got);
    if (c->estimated)
        putchar('~');
    if (strcmp(c->relation, "==") != 0) {
        printf("%s%s ", c->modelled ? "" : " ", c->relation);
        put_value(c->want);
    }
}

static void put_counters(const struct row *r)
{
    for (u32 i = 0; i < r->nchecks; i++) {
        printf("%s`", i ? "<br>" : "");
        put_text(r->checks[i].text);
        putchar('`');
    }
    if (!r->nchecks)
        fputs("what it prints", stdout);
}

static void put_measured(const struct row *r)
{
    for (u32 i = 0; i < r->nchecks; i++) {
        fputs(i ? "<br>" : "", stdout);
        put_number(&r->checks[i]);
    }
    if (r->refused)
        fputs("refused: ", stdout);
    for (u32 i = 1; i + 1 < r->nlines; i += 2) { /* between "..." */
        printf("%s`", i > 1 ? "<br>" : "");
        put_text(r->lines[i]);
        putchar('`');
    }
    if (!r->nchecks && !r->nlines)
        put_text(r->refused ? r->refused : r->shows);
}

static void put_row(const struct row *r)
{
    fputs("| ", stdout);
    put_text(r->at);
    printf(" | `lockstep %s`", r->run);
    if (r->against)
        printf("<br>against `%s`", r->against);
    fputs(" | ", stdout);
    put_counters(r);
    fputs(" | ", stdout);
    put_text(r->says);
    fputs(" | ", stdout);
    put_measured(r);
    fputs(" | ", stdout);
    put_text(r->verdict);
    fputs(" |\n", stdout);
}

/* ---- the document ---- */

static u32 count(const struct row *rows, u32 n, const char *verdict)
{
    u32 found = 0;
    const size_t len = strlen(verdict);
    for (u32 i = 0; i < n; i++)
        found += strncmp(rows[i].verdict, verdict, len) == 0 && (verdict[len - 1] == ' ' || !rows[i].verdict[len]);
    return found;
}

static void put_intro(const struct row *rows, u32 n)
{
    printf("# The curriculum: five tutorials, line by line\n\n"
           "Lockstep implements what five public tutorials in Chinese teach. This is a row for each of their\n"
           "sections, kernels, tables, figures and exercises: the command that shows it, the counter to look at,\n"
           "what the text says, what comes out, and whether the text is right. Of %u rows, %u hold, %u hold on a\n"
           "condition, and %u are wrong and corrected here.\n\n"
           "| | tutorial |\n| --- | --- |\n"
           "| T1 | Writing kernels: launch, divergence, shared memory, coalescing, error checks |\n"
           "| T2 | From kernel to practice: timing, reductions, products, tools, advanced patterns |\n"
           "| T3 | Strategies: memory, parallelism, instructions, streams, warps; product, FFT, convolution |\n"
           "| T4 | Memory access: transfers, coalescing, banks, registers |\n"
           "| T5 | Shared and constant memory: banks, reductions, transposition, stencil, shuffles |\n\n"
           "Section numbers are the tutorials' (T4 numbers none of its sections: there it is the heading or\n"
           "figure in English). Parentheses stand where the tutorial has the code but no claim, or nothing. This\n"
           "file is made by `ls_curriculum` (`cmake --build BUILD --target bless_curriculum`) from\n"
           "`docs/curriculum.txt`: it runs each command, fills in what was measured, and fails when a row's\n"
           "check does not hold; CTest (`curriculum_text`) checks that the text is up to date, and every number\n"
           "of the [guide](guide/README.md) with it. A program of `debug` is made by `lockstep cc -G\n"
           "examples/NAME.cu -o NAME`. Sizes are small, so that all of it takes seconds; ratios do\n"
           "not depend on them. `~`: estimated, because it depends on machine code ([metrics.md](metrics.md)).\n"
           "Times are not checked: without a GPU there are none. `--on gpu` measures them where there is one.\n",
           n, count(rows, n, "holds"), count(rows, n, "holds "), count(rows, n, "wrong: "));
}

static bool used(const struct row *rows, u32 n, const char *name)
{
    for (u32 i = 0; i < n; i++)
        for (u32 k = 0; k < rows[i].nchecks; k++)
            if (formula_uses(&rows[i].checks[k], name))
                return true;
    return false;
}

static void put_legend(const struct row *rows, u32 n)
{
    printf("\n## The counters\n\n| here | ncu's name | what it is |\n| --- | --- | --- |\n");
    for (u32 i = 0; i < counter_count; i++)
        if (used(rows, n, counters[i].name))
            printf("| `%s` | `%s` | %s |\n", counters[i].name, counters[i].metric, counters[i].about);
    printf("\n`was_...` is the same counter of the command behind \"against\". `warps`, `blocks`, `threads` (of a "
           "block), `n`, `rows`,\n"
           "`cols` and `k` are the launch's; `useful` is the bytes that any program for the task must move; `wrong` "
           "counts wrong\n"
           "elements, and `caught` is 1 when a broken kernel was found out. Names that begin with `lockstep__` are "
           "ours.\n");
}

static void put_document(const struct row *rows, u32 n)
{
    const char *tutorial = "";
    put_intro(rows, n);
    for (u32 i = 0; i < n; i++) {
        if (strcmp(tutorial, rows[i].tutorial) != 0)
            printf("\n## %s\n\n| where | command | counter and check | the text says | measured | verdict |\n"
                   "| --- | --- | --- | --- | ---: | --- |\n",
                   tutorial = rows[i].tutorial);
        put_row(&rows[i]);
    }
    put_legend(rows, n);
}

/* ---- */

static u32 troubles(const struct book *b)
{
    u32 n = 0;
    for (u32 i = 0; i < b->n; i++)
        if (b->rows[i].trouble[0]) {
            const struct row *r = &b->rows[i];
            fprintf(stderr, "%s:%u: %s%s%s: %s\n", r->file, r->line, r->at ? r->at : "", r->at ? ": " : "", r->run,
                    r->trouble);
            n++;
        }
    return n;
}

static int run(struct book *b, int argc, char **argv, bool typed)
{
    if (!read_rows(b, argv[1]))
        return 2;
    const u32 rows = b->n;
    for (int i = 2; i < argc; i++)
        if (!read_chapter(b, argv[i]))
            return 2;
    if (!run_rows(b) || (typed && !run_typed(b)))
        return 2;
    if (troubles(b))
        return 1;
    put_document(b->rows, rows);
    return 0;
}

int main(int argc, char **argv)
{
    struct book b = {0};
    const size_t bytes = ROWS * sizeof *b.rows;
    void *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const bool typed = argc < 2 || strcmp(argv[1], "--no-programs") != 0;
    argc -= !typed;
    argv += !typed;
    if (argc < 2 || shared == MAP_FAILED) {
        fputs(argc < 2 ? "usage: ls_curriculum [--no-programs] curriculum.txt [chapter.md ...]\n" : "out of memory\n",
              stderr);
        return 2;
    }
    b.rows = shared;
    setenv("LOCKSTEP_PTXAS", "", 1); /* the estimates are those of a machine without CUDA */
    const int status = run(&b, argc, argv, typed);
    read_end(&b);
    munmap(shared, bytes);
    return status;
}
